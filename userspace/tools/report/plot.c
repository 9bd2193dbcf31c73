// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "gnuplot.h"
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

static void print_tics(FILE *gnuplot, const struct panel *panel)
{
	unsigned int i;

	fputs("set ytics (", gnuplot);
	for (i = 0; i <= TICS; i++)
		fprintf(gnuplot, "%s\"%llx\" %f", i ? ", " : "",
			panel->start + (panel->end - panel->start) / TICS * i,
			(double)panel->rows * i / TICS);
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

static void print_panel(FILE *gnuplot, const struct report_view *view, unsigned int p)
{
	const struct panel *panel = &view->panels.panel[p];
	double seconds = (double)report_column_ns(view) / 1e9 * view->panels.columns;

	print_title(gnuplot, view, panel);
	print_tics(gnuplot, panel);
	fprintf(gnuplot, "set xrange [0:%f]\nset yrange [0:%u]\n", seconds, panel->rows);
	/*
	 * Shift by half: the corners of cells, not their centres, are at whole numbers.
	 * Empty cells are dark.
	 */
	fprintf(gnuplot, "plot $panel%u matrix using (($1+0.5)*%f):(($2+0.5)*%f):", p,
		seconds / at_least_two(view->panels.columns),
		(double)panel->rows / at_least_two(panel->rows));
	fputs("($3 > 0 ? $3 : NaN) with image notitle\n", gnuplot);
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
	      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#101018'\n"
	      "set logscale cb\nset cblabel 'samples'\nset xlabel 'seconds'\n"
	      "set ylabel 'address'\nset lmargin 18\nset tics out nomirror\n", gnuplot);
	fprintf(gnuplot, "set cbrange [1:%llu]\n", most > 1 ? most : 10);
	for (p = 0; p < nr; p++)
		print_panel(gnuplot, view, p);
	fputs("unset multiplot\n", gnuplot);
}

static void print_curve(FILE *gnuplot, const void *arg)
{
	const struct curve *curve = arg;
	unsigned int i;

	fprintf(gnuplot, "size %d,%d\n$curve << END\n", WIDTH, CURVE_HEIGHT);
	for (i = 0; i < curve->nr; i++) {
		const struct curve_point *point = &curve->point[i];

		fprintf(gnuplot, "%f %f %f %f\n", (double)point->pages / 256, 100 * point->hit,
			100 * point->low, 100 * point->high);
	}
	fputs("END\nset title \"hit ratio of the best placement, ", gnuplot);
	fprintf(gnuplot, "from %llu samples of %llu pages\"\n",
		curve->samples, curve->sampled_pages);
	fputs("set xlabel 'capacity of the fast tier, MiB'\nset logscale x\n"
	      "set ylabel 'samples that it serves, %'\nset yrange [0:100]\n"
	      "set grid\nset key bottom right\n"
	      "plot $curve using 1:3:4 with filledcurves fillcolor '#d0d8f0' title 'bounds, true in 95 of 100 samplings'",
	      gnuplot);
	fputs(", $curve using 1:2 with lines linewidth 3 linecolor '#1b1f7a' title 'estimate'\n",
	      gnuplot);
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

/* The pages of each slice, as steps: one is touched in all of its time. */
static void print_wss(FILE *gnuplot, const void *arg)
{
	const struct report_view *view = arg;
	const struct heat *heat = view->report->heat;
	const unsigned int slices = heat_slices(heat), step = view->panels.column_slices;
	unsigned int from, to;

	fprintf(gnuplot, "size %d,%d\n$wss << END\n", WIDTH, CURVE_HEIGHT);
	for (from = 0; from < slices; from = to) {
		to = from + step < slices ? from + step : slices;
		fprintf(gnuplot, "%f %f\n", (double)((__u64)from << heat->slice_shift) / 1e9,
			(double)heat_working_set(heat, from, to) / 256);
	}
	fputs("END\nset title \"working set of each interval\"\n"
	      "set xlabel 'seconds'\nset ylabel 'pages touched, MiB'\nset yrange [0:*]\nset grid\n"
	      "plot $wss using 1:2 with fillsteps fillcolor '#d0d8f0' notitle", gnuplot);
	fputs(", $wss using 1:2 with steps linewidth 2 linecolor '#1b1f7a' notitle\n", gnuplot);
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
