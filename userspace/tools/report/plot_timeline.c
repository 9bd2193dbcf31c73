// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "gnuplot.h"
#include "timeline.h"

#define WIDTH	1200
#define HEIGHT	1000
#define POINTS	"with linespoints linewidth 2 pointsize 0.5 "
#define DOTS	"with linespoints linewidth 1 dashtype 3 pointtype 6 "
#define DASHES	"with lines linewidth 2 dashtype 2 "

/*
 * Columns of the data: seconds, hit ratio, best, MiB hot, MiB of these slow, samples/s, cost,
 * measured hit ratio.
 */
static void print_ppm(FILE *gnuplot, __s64 ppm)
{
	if (ppm >= 0)
		fprintf(gnuplot, "%f ", (double)ppm / 1e4);
	else
		fputs("NaN ", gnuplot);
}

static void print_data(FILE *gnuplot, const struct timeline *timeline)
{
	const struct moment *before = NULL;
	size_t i;

	for (i = 0; i < timeline->nr; i++) {
		const struct moment *moment = &timeline->moment[i];
		const bool first = !before || before->target != moment->target;
		const double seconds = moment->seconds - moment->since;
		const __u64 samples = timeline_grown(moment->samples, moment->since_samples);

		if (first)
			fprintf(gnuplot, "%s$target%u << END\n", before ? "END\n" : "",
				moment->target);
		fprintf(gnuplot, "%f ", moment->seconds);
		print_ppm(gnuplot, moment->hit_ppm);
		print_ppm(gnuplot, moment->estimate_ppm);
		fprintf(gnuplot, "%f %f %f %f ", (double)moment->hot_pages / 256,
			(double)moment->hot_slow / 256,
			seconds > 0 ? (double)samples / seconds : 0,
			(double)moment->cost_ppm / 1e4);
		print_ppm(gnuplot, moment->measured_ppm);
		fputc('\n', gnuplot);
		before = moment;
	}
	fputs("END\n", gnuplot);
}

static void print_name(FILE *gnuplot, const struct moment *moment)
{
	if (!moment->target) {
		fputs("all", gnuplot);
		return;
	}
	fprintf(gnuplot, "target %u ", moment->target);
	gnuplot_text(gnuplot, moment->name);
}

static bool any_measured(const struct timeline *timeline, __u32 target)
{
	size_t i;

	for (i = 0; i < timeline->nr; i++)
		if (timeline->moment[i].target == target && timeline->moment[i].measured_ppm >= 0)
			return true;
	return false;
}

/* Two lines for each target, of these columns; and @three, if it is known and not 0. */
static void print_lines(FILE *gnuplot, const struct timeline *timeline, unsigned int one,
			const char *what_one, unsigned int two, const char *what_two,
			unsigned int three, const char *what_three)
{
	unsigned int colour = 0;
	size_t i;

	for (i = 0; i < timeline->nr; i++) {
		const struct moment *moment = &timeline->moment[i];

		if (i && moment[-1].target == moment->target)
			continue;
		fprintf(gnuplot, "%s $target%u using 1:%u " POINTS "linecolor %u title \"%s, ",
			colour ? "," : "plot", moment->target, one, colour + 1, what_one);
		print_name(gnuplot, moment);
		fprintf(gnuplot, "\" noenhanced, $target%u using 1:%u ", moment->target, two);
		fprintf(gnuplot, DASHES "linecolor %u title \"%s, ", colour + 1, what_two);
		print_name(gnuplot, moment);
		fputs("\" noenhanced", gnuplot);
		if (three && any_measured(timeline, moment->target)) {
			fprintf(gnuplot, ", $target%u using 1:%u " DOTS "linecolor %u title \"%s, ",
				moment->target, three, colour + 1, what_three);
			print_name(gnuplot, moment);
			fputs("\" noenhanced", gnuplot);
		}
		colour++;
	}
	fputc('\n', gnuplot);
}

static void print_script(FILE *gnuplot, const void *arg)
{
	const struct timeline *timeline = arg;
	__u64 cost = 1000;
	size_t i;

	for (i = 0; i < timeline->nr; i++)
		cost = timeline->moment[i].cost_ppm > cost ? timeline->moment[i].cost_ppm : cost;
	fprintf(gnuplot, "size %d,%d\n", WIDTH, HEIGHT);
	print_data(gnuplot, timeline);
	fputs("set multiplot layout 3,1\nset grid\nset key above\nset lmargin 12\n"
	      "set rmargin 12\nset xlabel 'seconds'\nset xrange [0:0.1<*]\n"
	      "set ylabel 'samples, %'\nset yrange [0:100]\n", gnuplot);
	print_lines(gnuplot, timeline, 2, "on fast nodes", 3, "at best", 8, "measured");
	fputs("set ylabel 'hot, MiB'\nset yrange [0:0.1<*]\n", gnuplot);
	print_lines(gnuplot, timeline, 4, "hot", 5, "on slow nodes", 0, NULL);
	/* These are of the session, so of any target. */
	fprintf(gnuplot, "set ylabel 'samples/s'\nset y2label 'cost, %%'\nset y2range [0:%f]\n"
		"set ytics nomirror\nset y2tics\n", cost / 1e4);
	fprintf(gnuplot, "plot $target%u using 1:6 " POINTS "linecolor 1 title 'samples/s'",
		timeline->moment[0].target);
	fprintf(gnuplot, ", $target%u using 1:7 axes x1y2 " DASHES "linecolor 2 title 'cost'\n",
		timeline->moment[0].target);
	fputs("unset multiplot\n", gnuplot);
}

int timeline_plot(const char *path, const struct timeline *timeline, struct htmm_error *err)
{
	if (!timeline->nr)
		return htmm_error_set(err, ENODATA, NULL, "the log is empty");
	return gnuplot_draw(path, print_script, timeline, err);
}
