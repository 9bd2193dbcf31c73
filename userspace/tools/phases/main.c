// SPDX-License-Identifier: GPL-2.0
/* The command `phases`: when a program begins to use other memory. */
#include <errno.h>
#include <stdlib.h>
#include "htmmctl/options.h"
#include "print.h"
#include "report/timeline.h"

#define WINDOWS_DEFAULT		128
#define MARGIN_DEFAULT		20
#define MAX_BYTES_DEFAULT	(128 << 20)

/**
 * struct options - the options of phases
 * @path: file to read
 * @json: print JSON
 * @windows: the most windows
 * @margin: percent of the samples
 * @max_bytes: memory of the table
 * @config: how to evaluate the samples
 */
struct options {
	const char *path;
	bool json;
	__s64 windows;
	__s64 margin;
	__s64 max_bytes;
	struct report_config config;
};

static int find(struct result *result, struct htmm_error *err)
{
	struct report *report = &result->loaded.report;

	if (!report->heat->nr_rows)
		return htmm_error_set(err, ENODATA,
				      "record with 'htmmctl record' or 'perf record -d'",
				      "the samples of '%s' have no times",
				      result->loaded.view.path);
	if (report->counts.no_memory)
		notice("%llu samples did not fit the table; see --max-bytes",
		       report->counts.no_memory);
	if (phases_find(&result->phases, report->heat, &result->config) ||
	    hot_find(&result->hot, &result->phases, report))
		return no_memory(err);
	return 0;
}

static int phases_of(const struct options *opts, struct htmm_error *err)
{
	struct result *result = calloc(1, sizeof(*result));
	int ret;

	if (!result)
		return no_memory(err);
	result->config = (struct phases_config) {
		.windows = opts->windows, .margin = opts->margin / 100.0,
	};
	ret = load_file(&result->loaded, opts->path, &opts->config, 1, err);
	if (!ret) {
		ret = load_check(&result->loaded, err);
		if (!ret)
			ret = find(result, err);
		if (!ret && opts->json)
			phases_print_json(stdout, result);
		else if (!ret)
			phases_print(stdout, result);
		free(result->hot.hot);
		phases_free(&result->phases);
		load_free(&result->loaded);
	}
	free(result);
	return ret;
}

static int run_phases(const struct command *cmd, int argc, char **argv)
{
	struct options o = {
		.windows = WINDOWS_DEFAULT, .margin = MARGIN_DEFAULT,
		.max_bytes = MAX_BYTES_DEFAULT,
		.config = { .curve = true, .raw = true, .store.cooling_period = U64_MAX },
	};
	const struct opt opts[] = {
		OPT_JSON(&o.json),
		{ OPT_LIST, 'p', "pid", "PID,...", "only these processes", &o.config.pids,
		  .call = perfdata_pids_add },
		{ OPT_CALL, 0, "time", "A,B", "only these seconds, such as 1.5,4 or 2,",
		  &o.config.span, .call = span_time },
		{ OPT_NUMBER, 0, "windows", "N", "cut the time into at most N windows (128)",
		  &o.windows, 2, HEAT_SLICES },
		{ OPT_NUMBER, 0, "margin", "PERCENT",
		  "take phases that differ less as alike (20)", &o.margin, 0, 100 },
		{ OPT_SIZE, 0, "max-bytes", "SIZE", "most memory for the hot-page table (128M)",
		  &o.max_bytes, 1, LLONG_MAX },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int ret, rest;

	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (argc - rest != 1)
		return usage_error(cmd, NULL, "give one recording");
	o.path = argv[rest];
	o.config.store.max_bytes = o.max_bytes;
	if (timeline_is(o.path))
		ret = htmm_error_set(&err, EINVAL, "give a recording of 'htmmctl record'",
				     "'%s' is a log, which does not tell what was accessed",
				     o.path);
	else
		ret = phases_of(&o, &err);
	return ret ? print_error(&err) : EXIT_OK;
}

static const struct command cmd_phases = {
	.name = "phases",
	.synopsis = "[options] FILE",
	.help = "Finds out when the programs of a perf.data file begin to use other memory, and\n"
		"names the phases between: A, B, and again A if they use the same as before.",
	.mixed = true,
	.run = run_phases,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_phases, argc, argv);
}
