// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "gnuplot.h"
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "view.h"

#define WIDTH		1200
#define PANEL_HEIGHT	260
#define MARGIN		90
#define CURVE_HEIGHT	700
/* Marks on the address axis of each panel. */
#define TICS		4

/* gnuplot draws no image of a single row or column, so it is doubled. */
static unsigned int at_least_two(unsigned int nr)
{
	return nr < 2 ? 2 : nr;
}

static void print_data(FILE *gnuplot, const struct report_view *view, unsigned int p, __u64 *cells)
{
	const struct panel *panel = &view->panels.panel[p];
	unsigned int rows = at_least_two(panel->rows), columns = view->panels.columns;
	unsigned int row, i;

	fprintf(gnuplot, "$panel%u << END\n", p);
	for (row = 0; row < rows; row++) {
		panels_row(&view->panels, view->report->heat, panel, row % panel->rows, cells);
		for (i = 0; i < at_least_two(columns); i++)
			fprintf(gnuplot, "%llu ", cells[i % columns]);
		fputc('\n', gnuplot);
	}
	fputs("END\n", gnuplot);
}

/* Marks on the address axis; in a page, where the caption has the address, by distance from it. */
static void print_tics(FILE *gnuplot, const struct panel *panel, bool in_page)
{
	char size[SIZE_TEXT];
	unsigned int i;

	fputs("set ytics (", gnuplot);
	for (i = 0; i <= TICS; i++) {
		const __u64 at = (panel->end - panel->start) / TICS * i;

		if (in_page)
			fprintf(gnuplot, "%s\"%s\"", i ? ", " : "", size_text(size, at));
		else
			fprintf(gnuplot, "%s\"%llx\"", i ? ", " : "", panel->start + at);
		fprintf(gnuplot, " %f", (double)panel->rows * i / TICS);
	}
	fputs(")\n", gnuplot);
}

static void print_title(FILE *gnuplot, const struct report_view *view, const struct panel *panel)
{
	const struct space *space = &view->report->tasks.space[panel->space];
	unsigned int others;

	fprintf(gnuplot, "set title \"pid %u ", space->pid);
	gnuplot_text(gnuplot, space->comm);
	fputs(", ", gnuplot);
	gnuplot_text(gnuplot, panels_mapping(view->report, panel, &others));
	if (others)
		fprintf(gnuplot, " and %u more", others);
	fprintf(gnuplot, ": %llu samples\" noenhanced\n", panel->samples);
}

static void print_panel(FILE *gnuplot, const struct report_view *view, unsigned int p,
			bool in_page)
{
	const struct panel *panel = &view->panels.panel[p];
	double seconds = (double)report_column_ns(view) / 1e9 * view->panels.columns;
	double start = (double)report_slice_ns(view->report, 0) / 1e9;

	if (!in_page)
		print_title(gnuplot, view, panel);
	print_tics(gnuplot, panel, in_page);
	fprintf(gnuplot, "set xrange [%f:%f]\nset yrange [0:%u]\n", start, start + seconds,
		panel->rows);
	/*
	 * Shift by half: the corners of cells, not their centres, are at whole numbers.
	 * Empty cells are dark.
	 */
	fprintf(gnuplot, "plot $panel%u matrix using (%f+($1+0.5)*%f):(($2+0.5)*%f):", p, start,
		seconds / at_least_two(view->panels.columns),
		(double)panel->rows / at_least_two(panel->rows));
	fputs("($3 > 0 ? $3 : NaN) with image notitle\n", gnuplot);
}

static void print_heat_axes(FILE *gnuplot, const char *ylabel, __u64 most)
{
	fputs("set logscale cb\nset cblabel 'samples'\nset xlabel 'seconds'\n", gnuplot);
	fprintf(gnuplot, "set ylabel '%s'\nset lmargin 18\nset tics out nomirror\n", ylabel);
	fprintf(gnuplot, "set cbrange [1:%llu]\n", most > 1 ? most : 10);
}

static void print_heat_map(FILE *gnuplot, const void *arg)
{
	const struct report_view *view = arg;
	__u64 most = panels_most(&view->panels, view->report->heat);
	__u64 *cells = calloc(view->panels.columns + 1UL, sizeof(*cells));
	unsigned int p, nr = view->panels.nr;

	fprintf(gnuplot, "size %d,%d\n", WIDTH, MARGIN + (int)nr * PANEL_HEIGHT);
	for (p = 0; cells && p < nr; p++)
		print_data(gnuplot, view, p, cells);
	free(cells);
	fprintf(gnuplot, "set multiplot layout %u,1\n", nr);
	fputs("set palette defined (0 '#1b1f7a', 1 '#7a1fa2', 2 '#d32f2f', 3 '#ffb74d')\n"
	      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#101018'\n",
	      gnuplot);
	print_heat_axes(gnuplot, "address", most);
	for (p = 0; p < nr; p++)
		print_panel(gnuplot, view, p, false);
	fputs("unset multiplot\n", gnuplot);
}

/* Marks which capacity each hit ratio needs. */
static void print_needs(FILE *gnuplot, const struct curve *curve)
{
	static const unsigned int hits[] = { 90, 95, 99 };
	char size[SIZE_TEXT];
	size_t i;

	fputs("$need << END\n", gnuplot);
	for (i = 0; i < ARRAY_SIZE(hits); i++) {
		const __u64 pages = report_need(curve, hits[i] / 100.0).pages;

		fprintf(gnuplot, "%f %u \"%u %%: %s\"\n", (double)pages / 256, hits[i], hits[i],
			size_text(size, pages << 12));
	}
	fputs("END\n", gnuplot);
}

static void print_curve_data(FILE *gnuplot, const struct curve *curve)
{
	unsigned int i;

	fputs("$curve << END\n", gnuplot);
	for (i = 0; i < curve->nr; i++) {
		const struct curve_point *point = &curve->point[i];

		fprintf(gnuplot, "%f %f %f %f\n", (double)point->pages / 256, 100 * point->hit,
			100 * point->low, 100 * point->high);
	}
	fputs("END\n", gnuplot);
	print_needs(gnuplot, curve);
}

static void print_curve_plot(FILE *gnuplot, const struct curve *curve, const char *key)
{
	const double first = (double)curve->point[0].pages / 256;
	const double last = (double)curve->point[curve->nr - 1].pages / 256;

	/* A range of one point is none. */
	fprintf(gnuplot, "set xrange [%f:%f]\n", first / (first < last ? 1 : 2),
		last * (first < last ? 1 : 2));
	fprintf(gnuplot,
		"set xlabel 'capacity of the fast tier, MiB'\nset logscale x\n"
		"set ylabel 'samples that it serves, %%'\nset yrange [0:100]\n"
		"set grid\nset key %s\n"
		"plot $curve using 1:3:4 with filledcurves fillcolor '#d0d8f0' title 'bounds, true in 95 of 100 samplings'",
		key);
	fputs(", $curve using 1:2 with lines linewidth 3 linecolor '#1b1f7a' title 'estimate'",
	      gnuplot);
	fputs(", $need using 1:2 with impulses dashtype 2 linecolor '#d32f2f' notitle", gnuplot);
	fputs(", $need using 1:2 with points pointtype 7 linecolor '#d32f2f'", gnuplot);
	fputs(" title 'what 90, 95 and 99 % need'", gnuplot);
}

static void print_curve(FILE *gnuplot, const void *arg)
{
	const struct curve *curve = arg;

	fprintf(gnuplot, "size %d,%d\n", WIDTH, CURVE_HEIGHT);
	print_curve_data(gnuplot, curve);
	fputs("set title \"hit ratio of the best placement, ", gnuplot);
	fprintf(gnuplot, "from %llu samples of %llu pages\"\n",
		curve->samples, curve->sampled_pages);
	print_curve_plot(gnuplot, curve, "top left");
	fputs(", $need using 1:2:3 with labels right offset -1,-0.5 notitle\n", gnuplot);
}

static int plot_curve(const char *path, const struct report_view *view, struct htmm_error *err)
{
	struct curve *curve = report_curve(view);
	int ret;

	if (!curve)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	if (curve->nr && !curve->few)
		ret = gnuplot_draw(path, print_curve, curve, err);
	else if (curve->nr)
		ret = htmm_error_set(err, ENODATA, "sample more often, with -c",
				     "too few samples to plot (%llu)", curve->samples);
	else
		ret = htmm_error_set(err, ENODATA, NULL, "there is no sample to plot");
	free(curve);
	return ret;
}

/* The pages of each slice, as steps: one is touched in all of its time, up to the last end. */
static void print_wss_data(FILE *gnuplot, const struct report_view *view)
{
	const struct heat *heat = view->report->heat;
	const unsigned int slices = heat_slices(heat), step = view->panels.column_slices;
	unsigned int from, to;
	double size = 0;

	fputs("$wss << END\n", gnuplot);
	for (from = 0; from < slices; from = to) {
		to = from + step < slices ? from + step : slices;
		size = (double)heat_working_set(heat, from, to) / 256;
		fprintf(gnuplot, "%.9f %f\n", (double)report_slice_ns(view->report, from) / 1e9,
			size);
	}
	fprintf(gnuplot, "%.9f %f\nEND\n", (double)report_slice_ns(view->report, slices) / 1e9,
		size);
}

static void print_wss_plot(FILE *gnuplot)
{
	fputs("set xlabel 'seconds'\nset ylabel 'pages touched, MiB'\nset yrange [0:*]\nset grid\n"
	      "set style fill solid\nplot $wss using 1:2 with fillsteps fillcolor '#d0d8f0' notitle",
	      gnuplot);
	fputs(", $wss using 1:2 with steps linewidth 2 linecolor '#1b1f7a' notitle\n", gnuplot);
}

static void print_wss(FILE *gnuplot, const void *arg)
{
	fprintf(gnuplot, "size %d,%d\n", WIDTH, CURVE_HEIGHT);
	print_wss_data(gnuplot, arg);
	fputs("set title \"working set of each interval\"\n", gnuplot);
	print_wss_plot(gnuplot);
}

static int plot_wss(const char *path, const struct report_view *view, struct htmm_error *err)
{
	if (heat_slices(view->report->heat))
		return gnuplot_draw(path, print_wss, view, err);
	return htmm_error_set(err, ENODATA, "record times with the samples",
			      "there is no working set over time to plot");
}

int report_plot(const char *path, const struct report_view *view, struct htmm_error *err)
{
	if (view->parts != PART_ALL && view->parts & PART_CURVE)
		return plot_curve(path, view, err);
	if (view->parts != PART_ALL && view->parts & PART_WSS)
		return plot_wss(path, view, err);
	if (!view->panels.nr)
		return htmm_error_set(err, ENODATA, "record times with the samples",
				      "there is no heat map to plot");
	return gnuplot_draw(path, print_heat_map, view, err);
}

/* One figure of a page. Its title is in the page. */
static void print_figure(FILE *gnuplot, const void *arg)
{
	const struct report_figure *figure = arg;
	const struct report_view *view = figure->view;
	__u64 *cells;

	fprintf(gnuplot, "size %u,%u font 'sans-serif,13'\n", figure->width, figure->height);
	switch (figure->part) {
	case PART_CURVE:
		print_curve_data(gnuplot, figure->curve);
		print_curve_plot(gnuplot, figure->curve, "off");
		fputc('\n', gnuplot);
		return;
	case PART_WSS:
		print_wss_data(gnuplot, view);
		print_wss_plot(gnuplot);
		return;
	default:
		cells = calloc(view->panels.columns + 1UL, sizeof(*cells));
		if (cells)
			print_data(gnuplot, view, figure->panel, cells);
		free(cells);
		/* As on paper: the more, the darker. */
		fputs("set palette defined (0 '#ffe0b2', 1 '#ff8a50', 2 '#c62828', 3 '#311b92')\n",
		      gnuplot);
		print_heat_axes(gnuplot, "", panels_most(&view->panels, view->report->heat));
		fputs("set lmargin 11\n", gnuplot);
		print_panel(gnuplot, view, figure->panel, true);
	}
}

int report_figure(const struct report_figure *figure, const char *path, struct htmm_error *err)
{
	return gnuplot_svg(path, print_figure, figure, err);
}
