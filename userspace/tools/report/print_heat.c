// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "view.h"

/* From cold to hot: terminal colours, and characters in place of them without colours. */
static const unsigned char colours[] = { 17, 18, 54, 90, 126, 161, 197, 208, 220, 230 };
static const char letters[] = ".:-=+*ox#@";

#define LEVELS	((int)ARRAY_SIZE(colours))

/* Heat of a cell, 0 to LEVELS - 1: logarithmic, as a few pages have most samples. */
static int level_of(__u64 samples, __u64 most)
{
	if (most <= 1)
		return LEVELS - 1;
	return log((double)samples) / log((double)most) * (LEVELS - 1) + 0.5;
}

static void print_cells(FILE *file, const __u64 *cells, unsigned int nr, __u64 most, bool colour)
{
	int level, now = -1;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		level = cells[i] ? level_of(cells[i], most) : -1;
		if (colour && level != now) {
			if (level < 0)
				fputs("\033[0m", file);
			else
				fprintf(file, "\033[48;5;%um", colours[level]);
			now = level;
		}
		fputc(colour || level < 0 ? ' ' : letters[level], file);
	}
	if (now >= 0)
		fputs("\033[0m", file);
	fputs("|\n", file);
}

static void print_panel(FILE *file, const struct report_view *view, const struct panel *panel,
			__u64 *cells, __u64 most)
{
	const struct space *space = &view->report->tasks.space[panel->space];
	bool colour = out_wants_colour(file);
	unsigned int row = panel->rows, others;

	fprintf(file, "\npid %u ", space->pid);
	out_name(file, space->comm);
	fputs(", ", file);
	out_name(file, panels_mapping(view->report, panel, &others));
	if (others)
		fprintf(file, " and %u more", others);
	fprintf(file, ": %llu samples (%.1f%%), %llu KiB a row\n", panel->samples,
		percent(panel->samples, view->report->counts.samples), panel->row_bytes / 1024);
	while (row--) {
		panels_row(&view->panels, view->report->heat, panel, row, cells);
		fprintf(file, "%13llx|", panel->start + row * panel->row_bytes);
		print_cells(file, cells, view->panels.columns, most, colour);
	}
}

static void print_scale(FILE *file, __u64 most)
{
	bool colour = out_wants_colour(file);
	int i;

	fputs("samples: 1 ", file);
	for (i = 0; i < LEVELS; i++) {
		if (colour)
			fprintf(file, "\033[48;5;%um ", colours[i]);
		else
			fputc(letters[i], file);
	}
	if (colour)
		fputs("\033[0m", file);
	fprintf(file, " %llu in a cell, logarithmic\n", most);
}

/* The seconds at both ends of the columns. */
static void print_axis(FILE *file, const struct report_view *view)
{
	const __u64 start = report_slice_ns(view->report, 0);
	const __u64 end = start + view->panels.columns * report_column_ns(view);
	int used = fprintf(file, "%13s %.*f ", "", start ? 3 : 0, (double)start / 1e9) - 14;
	char text[24];

	snprintf(text, sizeof(text), "%.3f s", (double)end / 1e9);
	fprintf(file, "%*s\n", (int)view->panels.columns - used, text);
}

void report_print_heat(FILE *file, const struct report_view *view)
{
	const struct panels *panels = &view->panels;
	__u64 *cells = calloc(panels->columns + 1UL, sizeof(*cells));
	__u64 most = panels_most(panels, view->report->heat);
	unsigned int i;

	if (!view->report->heat->nr_rows)
		fputs("\nno heat map: the samples have no time\n", file);
	if (!cells || !most || !panels->nr)
		goto out;
	for (i = 0; i < panels->nr; i++)
		print_panel(file, view, &panels->panel[i], cells, most);
	print_axis(file, view);
	print_scale(file, most);
	if (panels->left_out)
		fprintf(file, "not drawn: %llu other areas with %llu samples\n", panels->left_out,
			panels->left_out_samples);
out:
	free(cells);
}
