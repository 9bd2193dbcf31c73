// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/view.h"
#include "htmmctl/options.h"
#include "gnuplot.h"
#include "load.h"
#include "timeline.h"
#include "view.h"

/* Lines of each list unless -n is given. */
#define LINES_DEFAULT		20
/* Default size of each panel of the heat map, in cells. */
#define COLUMNS_DEFAULT		64
#define ROWS_DEFAULT		12
#define PLOT_COLUMNS		256
#define PLOT_ROWS		128
#define PAGE_COLUMNS		128
#define PAGE_ROWS		64
/* The kernel's default period; and memory for 30 million pages in dense use. */
#define MAX_BYTES_DEFAULT	(128 << 20)

/* How to print. */
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_PROMETHEUS, FORMAT_DAMON, FORMATS };

/**
 * struct options - the options of report
 * @path: file to read; NULL: the live session
 * @plot: image file to write, or NULL
 * @html: page to write, or NULL
 * @format: how to print
 * @given_parts: parts that were asked for
 * @parts: parts to print
 * @max: lines of lists
 * @columns: of the heat map; 0: default
 * @rows: of the heat map
 * @config: how to evaluate the samples
 * @capacity: bytes of the fast tier; 0: as recorded
 * @max_bytes: memory of the table
 * @cooling_period: in samples
 */
struct options {
	const char *path;
	const char *plot;
	const char *html;
	enum format format;
	unsigned int given_parts;
	unsigned int parts;
	__s64 max;
	unsigned int columns;
	unsigned int rows;
	struct report_config config;
	__s64 capacity;
	__s64 max_bytes;
	__s64 cooling_period;
};

static const char *const part_names[] = {
	"summary", "processes", "mappings", "hist", "pages", "regions", "wss", "heat",
	"commands", "curve", "functions",
};

static int call_part(void *value, const char *text, struct htmm_error *err)
{
	unsigned int *parts = value;
	int i = opt_word(part_names, ARRAY_SIZE(part_names), text, "a report has no part", err);

	if (i >= 0)
		*parts |= 1U << i;
	return i < 0 ? i : 0;
}

static int call_format(void *value, const char *text, struct htmm_error *err)
{
	static const char *const names[FORMATS] = {
		[FORMAT_TEXT] = "text",
		[FORMAT_JSON] = "json",
		[FORMAT_CSV] = "csv",
		[FORMAT_PROMETHEUS] = "prometheus",
		[FORMAT_DAMON] = "damon",
	};
	int i = opt_word(names, FORMATS, text, "it does not print the format", err);

	if (i >= 0)
		*(enum format *)value = i;
	return i < 0 ? i : 0;
}

/* --json takes no argument. */
static int call_json(void *value, const char *text, struct htmm_error *err)
{
	*(enum format *)value = FORMAT_JSON;
	return 0;
}

static int call_min_level(void *value, const char *text, struct htmm_error *err)
{
	const char *names[HTMM_NR_SOURCES];
	int i;

	for (i = 0; i < HTMM_NR_SOURCES; i++)
		names[i] = htmm_level_name(i);
	i = opt_word(names, ARRAY_SIZE(names), text, "data comes from no level", err);

	if (i >= 0)
		*(enum htmm_source *)value = i;
	return i < 0 ? i : 0;
}

/* A second -i is refused, so that no file is ignored silently. */
static int call_input(void *value, const char *text, struct htmm_error *err)
{
	struct options *opts = value;

	if (opts->path)
		return htmm_error_set(err, EINVAL, "make a report of each",
				      "a report is of one file, and '%s' is a second one", text);
	opts->path = text;
	return 0;
}

static int call_resolution(void *value, const char *text, struct htmm_error *err)
{
	struct options *opts = value;
	int end = 0;

	if (sscanf(text, "%ux%u%n", &opts->columns, &opts->rows, &end) == 2 && !text[end] &&
	    opts->columns && opts->rows && opts->columns <= HEAT_SLICES && opts->rows <= 1024)
		return 0;
	return htmm_error_set(err, EINVAL, "give columns and rows, such as 64x16; 512x1024 at most",
			      "'%s' is no resolution", text);
}

/* An image has its own number of cells; printed output beside it keeps the usual one. */
static int make_panels(const struct options *opts, struct report_view *view, unsigned int columns,
		       unsigned int rows, struct htmm_error *err)
{
	if (!panels_make(&view->panels, view->report->heat, REPORT_PANELS,
			 opts->columns ? opts->columns : columns, opts->rows ? opts->rows : rows))
		return 0;
	return htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

static int print(const struct options *opts, struct report_view *view, struct htmm_error *err)
{
	static void (*const printers[FORMATS])(FILE *file, const struct report_view *view) = {
		[FORMAT_TEXT] = report_print_text,
		[FORMAT_JSON] = report_print_json,
		[FORMAT_CSV] = report_print_csv,
		[FORMAT_PROMETHEUS] = report_print_prometheus,
		[FORMAT_DAMON] = report_print_damon,
	};
	int ret;

	if (opts->html) {
		ret = make_panels(opts, view, PAGE_COLUMNS, PAGE_ROWS, err);
		if (!ret)
			ret = report_html(opts->html, view, err);
		panels_free(&view->panels);
		return ret;
	}
	if (opts->plot) {
		ret = make_panels(opts, view, PLOT_COLUMNS, PLOT_ROWS, err);
		if (!ret)
			ret = report_plot(opts->plot, view, err);
		panels_free(&view->panels);
		if (ret || opts->format == FORMAT_TEXT)
			return ret;
	}
	ret = make_panels(opts, view, COLUMNS_DEFAULT, ROWS_DEFAULT, err);
	if (!ret)
		printers[opts->format](stdout, view);
	panels_free(&view->panels);
	return ret;
}

/* What is in a damaged file is printed, too. */
static int report_file(struct options *opts, struct htmm_error *err)
{
	struct loaded loaded;
	int ret = load_file(&loaded, opts->path, &opts->config, opts->max, err);

	if (ret)
		return ret;
	loaded.view.parts = opts->parts;
	if (!opts->plot || loaded.report.counts.samples)
		ret = print(opts, &loaded.view, err);
	if (!ret)
		ret = load_check(&loaded, err);
	load_free(&loaded);
	return ret;
}

static int report_session(struct options *opts, struct htmm_error *err)
{
	struct loaded loaded;
	int ret = load_session(&loaded, &opts->config, opts->max, err);

	if (ret)
		return ret;
	loaded.view.parts = opts->parts & ~(PART_WSS | PART_HEAT);
	ret = print(opts, &loaded.view, err);
	if (!ret)
		ret = load_check(&loaded, err);
	load_free(&loaded);
	return ret;
}

/* A log has no samples: options that choose among these, or evaluate them, mean nothing. */
static int check_log(const struct options *opts, struct htmm_error *err)
{
	const struct report_config *config = &opts->config;

	if (opts->given_parts || opts->html || opts->columns || config->pids.nr ||
	    config->min_level || config->weight_period || config->raw || opts->capacity ||
	    opts->cooling_period || opts->max_bytes)
		return htmm_error_set(err, EINVAL,
				      "with a log, give only -n, --format, --plot, --mark and --time",
				      "a log has no samples, so --part, -p, --capacity and others do not apply");
	return 0;
}

static int report_log(struct options *opts, struct htmm_error *err)
{
	struct timeline timeline;
	int ret = timeline_read(&timeline, opts->path, &opts->config.span, err);

	if (ret)
		return ret;
	if (opts->plot)
		ret = timeline_plot(opts->plot, &timeline, err);
	else if (opts->format == FORMAT_CSV)
		timeline_print_csv(stdout, &timeline);
	else if (opts->format == FORMAT_TEXT)
		timeline_print(stdout, &timeline, opts->max);
	else
		ret = htmm_error_set(err, EINVAL, "give --format text or csv, or --plot FILE",
				     "a log is JSON already, and is not reported in other formats");
	timeline_free(&timeline);
	return ret;
}

/* Options that ask for what a live session does not keep. */
static int check_session(const struct options *opts, bool map, struct htmm_error *err)
{
	const struct report_config *config = &opts->config;
	const struct {
		bool wanted;
		const char *why;
		const char *what;
	} checks[] = {
		{ config->min_level, "a live session does not keep where data came from",
		  "--min-level needs" },
		{ config->weight_period || opts->cooling_period || opts->columns,
		  "the module has counted already",
		  "--weight-period, --cooling-period and --resolution need" },
		{ map, "a live session keeps no times", "a heat map needs" },
		{ config->span.by, "a live session keeps no times", "--mark and --time need" },
		{ opts->parts & PART_WSS, "a live session keeps no times", "--part wss needs" },
		{ opts->parts & PART_HEAT, "a live session keeps no times", "--part heat needs" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].wanted)
			return htmm_error_set(err, EINVAL,
					      "record one with 'htmmctl record' and give it with -i",
					      "%s; %s a file", checks[i].why, checks[i].what);
	if (opts->parts & PART_FUNCTIONS)
		return htmm_error_set(err, EINVAL,
				      "use 'htmmctl hot --code', or give a recording with -i",
				      "a live session keeps no instructions; --part functions needs a file");
	return 0;
}

/* Options that do not go together. */
static int check(const struct options *opts, struct htmm_error *err)
{
	const unsigned int drawn = opts->parts & (PART_HEAT | PART_WSS | PART_CURVE);
	const bool map = (opts->plot && drawn != PART_CURVE) || opts->format == FORMAT_DAMON;
	int ret;

	if (opts->parts && (opts->format == FORMAT_PROMETHEUS || opts->format == FORMAT_DAMON))
		return htmm_error_set(err, EINVAL, "leave out --part, or give --format json or csv",
				      "this format has no parts");
	if (opts->html && (opts->plot || opts->format != FORMAT_TEXT))
		return htmm_error_set(err, EINVAL, "give --html alone, then the other one",
				      "a page has pictures and tables of its own");
	if (opts->plot && opts->parts && (!drawn || drawn & (drawn - 1)))
		return htmm_error_set(err, EINVAL, "give one of --part heat, wss and curve",
				      "a picture is of one part");
	ret = opts->path ? 0 : check_session(opts, map, err);
	if (ret)
		return ret;
	if (opts->format == FORMAT_DAMON && isatty(STDOUT_FILENO))
		return htmm_error_set(err, EINVAL, "redirect it: > FILE",
				      "a record for damo cannot go to a terminal");
	return 0;
}

/* Sets the options that were not given, unless those that were conflict. */
static int complete(struct options *opts, struct htmm_error *err)
{
	int ret;

	opts->parts = opts->given_parts;
	ret = check(opts, err);
	if (ret)
		return ret;
	opts->config.if_known = !opts->parts;
	if (!opts->parts && opts->html)
		opts->parts = PART_ALL | PART_CURVE | (opts->path ? PART_FUNCTIONS : 0);
	if (!opts->parts)
		opts->parts = opts->format == FORMAT_CSV ? PART_MAPPINGS : PART_ALL;
	if (opts->format == FORMAT_CSV && opts->parts & (opts->parts - 1))
		return htmm_error_set(err, EINVAL, "give one --part",
				      "CSV has one table at a time");
	opts->config.curve = opts->parts & PART_CURVE;
	opts->config.ranges = opts->parts & PART_MAPPINGS;
	opts->config.functions = opts->parts & PART_FUNCTIONS;
	opts->config.store.capacity = opts->capacity >> 12;
	opts->config.store.max_bytes = opts->max_bytes ?: MAX_BYTES_DEFAULT;
	opts->config.store.cooling_period = opts->cooling_period;
	return opts->plot ? gnuplot_check(opts->plot, err) : 0;
}

static const char format_words[] = "text, json, csv, prometheus or damon";

static const char part_words[] =
"summary, processes, mappings, hist, pages, regions, wss, heat, commands, curve or functions";

static int run_report(const struct command *cmd, int argc, char **argv)
{
	struct options o = {
		.max = LINES_DEFAULT,
	};
	const struct opt opts[] = {
		{ OPT_CALL, 'i', "input", "FILE", "perf.data or log, -: a pipe (the live session)",
		  &o, .call = call_input },
		{ OPT_CALL, 0, "part", "PART",
		  "only this part: summary, processes, mappings, ...", &o.given_parts,
		  .call = call_part, .words = part_words },
		{ OPT_CALL, 0, "format", "FORMAT", format_words, &o.format, .call = call_format,
		  .words = format_words },
		{ OPT_CALL, 0, "json", NULL, "print JSON", &o.format, .call = call_json },
		{ OPT_TEXT, 0, "plot", "FILE", "draw the heat map, wss or curve: FILE.png or .svg",
		  &o.plot },
		{ OPT_TEXT, 0, "html", "FILE", "write a page with all parts, for a browser",
		  &o.html },
		{ OPT_CALL, 0, "resolution", "CxR", "columns and rows of the heat map (64x12)",
		  &o, .call = call_resolution },
		{ OPT_NUMBER, 'n', "number", "N", "lines of each list, 0: all (20)",
		  &o.max, 0, INT_MAX },
		{ OPT_FLAG, 0, "raw", NULL, "order pages by samples, not by estimated rates",
		  &o.config.raw },
		{ OPT_LIST, 'p', "pid", "PID,...", "only these processes", &o.config.pids,
		  .call = perfdata_pids_add },
		{ OPT_CALL, 0, "mark", "A[,B]",
		  "only from mark A on to the next one, or to B", &o.config.span,
		  .call = span_marks },
		{ OPT_CALL, 0, "time", "A,B", "only these seconds, such as 1.5,4 or 2,",
		  &o.config.span, .call = span_time },
		{ OPT_SIZE, 0, "capacity", "SIZE", "fast tier: 512M, 4G, 1000p (what has CPUs)",
		  &o.capacity, 4096, LLONG_MAX },
		{ OPT_NUMBER, 0, "cooling-period", "N",
		  "samples until counts are halved (4 a page)", &o.cooling_period, 1, LLONG_MAX },
		{ OPT_SIZE, 0, "max-bytes", "SIZE", "most memory for the hot-page table (128M)",
		  &o.max_bytes, 1, LLONG_MAX },
		{ OPT_CALL, 0, "min-level", "LEVEL",
		  "leave out nearer sources: memory, remote, slow", &o.config.min_level,
		  .call = call_min_level, .words = "any, memory, remote or slow" },
		{ OPT_FLAG, 0, "weight-period", NULL, "weight samples by their period",
		  &o.config.weight_period },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	bool is_log;
	int ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	if (complete(&o, &err)) {
		print_error(&err);
		return EXIT_USAGE;
	}
	is_log = o.path && timeline_is(o.path);
	if (is_log && check_log(&o, &err)) {
		print_error(&err);
		return EXIT_USAGE;
	}
	if (is_log)
		ret = report_log(&o, &err);
	else
		ret = o.path ? report_file(&o, &err) : report_session(&o, &err);
	return ret ? print_error(&err) : EXIT_OK;
}

static const struct command cmd_report = {
	.name = "report",
	.synopsis = "[options]",
	.help = "Reports on a perf.data file of 'htmmctl record' or 'perf record -d', or on the\n"
		"live session.  What is hot is computed as in the module.",
	.run = run_report,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_report, argc, argv);
}
