// SPDX-License-Identifier: GPL-2.0
/* The command `diff`: what differs between two recordings. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diff.h"
#include "htmmctl/options.h"
#include "report/timeline.h"

#define LINES_DEFAULT		20
#define MARGIN_DEFAULT		10
#define MAX_BYTES_DEFAULT	(128 << 20)

/**
 * struct options - the options of diff
 * @path: what to compare; "-": the live session
 * @json: print JSON
 * @max: lines of each list
 * @margin: percent by which shares may differ
 * @max_bytes: memory of each table
 * @capacity: bytes of the fast tier; 0: not of interest
 * @config: how to evaluate the samples
 */
struct options {
	const char *path[SIDES];
	bool json;
	__s64 max;
	__s64 margin;
	__s64 max_bytes;
	__s64 capacity;
	struct report_config config;
};

static bool is_session(const char *path)
{
	return !strcmp(path, "-");
}

static int load_live(struct diff *diff, const struct options *opts, int side,
		     struct htmm_error *err)
{
	struct htmm_info info;
	int fd = htmm_device_open(NULL, err), ret;

	if (fd < 0)
		return fd;
	ret = htmm_device_info(fd, &info, err);
	close(fd);
	if (ret)
		return ret;
	diff->session[side] = info.session;
	return load_session(&diff->loaded[side], &opts->config, 1, err);
}

static int load(struct diff *diff, const struct options *opts, int side, struct htmm_error *err)
{
	struct loaded *loaded = &diff->loaded[side];
	const char *path = opts->path[side];
	int ret;

	if (is_session(path))
		ret = load_live(diff, opts, side, err);
	else if (timeline_is(path))
		return htmm_error_set(err, EINVAL, "give recordings of 'htmmctl record'",
				      "'%s' is a log, which does not tell what was accessed", path);
	else
		ret = load_file(loaded, path, &opts->config, 1, err);
	if (ret)
		return ret;
	ret = load_check(loaded, err);
	if (ret)
		load_free(loaded);
	return ret;
}

static int measure(struct diff *diff, struct htmm_error *err)
{
	int side;

	for (side = A; side < SIDES; side++) {
		struct curve *curve = report_curve(&diff->loaded[side].view);

		if (!curve)
			return no_memory(err);
		diff->need[side] = report_need(curve, DIFF_HIT);
		free(curve);
	}
	return 0;
}

/* Recordings that are not of htmmctl may have no names. */
static bool same_event(const struct perfdata_evsel *a, const struct perfdata_evsel *b)
{
	if (a->name && b->name)
		return !strcmp(a->name, b->name);
	return a->attr.type == b->attr.type && a->attr.config == b->attr.config;
}

static bool has_event(const struct perfdata_events *events, const struct perfdata_evsel *event)
{
	__u32 i;

	for (i = 0; i < events->nr; i++)
		if (same_event(&events->event[i], event))
			return true;
	return false;
}

/* Loads of one recording are not to be compared with stores of another. */
static void check_events(const struct diff *diff)
{
	const struct report_view *view[] = { &diff->loaded[A].view, &diff->loaded[B].view };
	char buf[64];
	int side;
	__u32 i;

	for (side = A; side < SIDES && view[A]->events && view[B]->events; side++)
		for (i = 0; i < view[side]->events->nr; i++) {
			if (report_event_counts(view[side], i) ||
			    has_event(view[!side]->events, &view[side]->events->event[i]))
				continue;
			notice("only one of them has the event %s, which may be why they differ",
			       report_event_name(view[side], i, buf, sizeof(buf)));
			return;
		}
}

/* What makes the answer less certain than it looks. */
static void check_samples(const struct diff *diff)
{
	int side;

	for (side = A; side < SIDES; side++) {
		const struct report *report = &diff->loaded[side].report;

		if (report->counts.no_memory)
			notice("%llu samples of %c did not fit the table; see --max-bytes",
			       report->counts.no_memory, 'A' + side);
		if (!report->heat->nr_rows)
			notice("the samples of %c have no times: bursts of them may look different",
			       'A' + side);
	}
}

static int compare(struct diff *diff, const struct options *opts, struct htmm_error *err)
{
	const struct loaded *const loaded[] = { &diff->loaded[A], &diff->loaded[B] };
	int ret;

	check_events(diff);
	check_samples(diff);
	ret = measure(diff, err);
	if (ret)
		return ret;
	if (places_make(&diff->places, loaded, diff->most))
		return no_memory(err);
	if (changes_make(&diff->changes, &diff->places, diff->most))
		ret = no_memory(err);
	else if (opts->json)
		diff_print_json(stdout, diff);
	else
		diff_print(stdout, diff);
	changes_free(&diff->changes);
	places_free(&diff->places);
	return ret;
}

static int diff_of(const struct options *opts, struct htmm_error *err)
{
	struct diff *diff = calloc(1, sizeof(*diff));
	int ret;

	if (!diff)
		return no_memory(err);
	diff->most = 1 + opts->margin / 100.0;
	diff->max = opts->max;
	diff->capacity = opts->capacity;
	ret = load(diff, opts, A, err);
	if (!ret) {
		ret = load(diff, opts, B, err);
		if (!ret) {
			ret = compare(diff, opts, err);
			load_free(&diff->loaded[B]);
		}
		load_free(&diff->loaded[A]);
	}
	free(diff);
	return ret;
}

static int run_diff(const struct command *cmd, int argc, char **argv)
{
	struct options o = {
		.max = LINES_DEFAULT, .margin = MARGIN_DEFAULT, .max_bytes = MAX_BYTES_DEFAULT,
		/* All samples count the same, and nothing is listed. */
		.config = { .curve = true, .raw = true, .store.cooling_period = U64_MAX },
	};
	const struct opt opts[] = {
		OPT_JSON(&o.json),
		{ OPT_NUMBER, 'n', "number", "N", "lines of each list, 0: all (20)",
		  &o.max, 0, INT_MAX },
		{ OPT_NUMBER, 0, "margin", "PERCENT",
		  "shares that differ by less are taken as equal (10)", &o.margin, 0, 1000 },
		{ OPT_SIZE, 0, "capacity", "SIZE",
		  "fast tier, to print its hit ratios: 512M, 4G",
		  &o.capacity, 4096, LLONG_MAX },
		{ OPT_FLAG, 0, "weight-period", NULL, "weight samples by their period",
		  &o.config.weight_period },
		{ OPT_SIZE, 0, "max-bytes", "SIZE", "most memory for each hot-page table (128M)",
		  &o.max_bytes, 1, LLONG_MAX },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int ret, rest;

	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (argc - rest != SIDES)
		return usage_error(cmd, NULL, "give two recordings; - is the live session");
	o.path[A] = argv[rest];
	o.path[B] = argv[rest + 1];
	if (is_session(o.path[A]) && is_session(o.path[B]))
		return usage_error(cmd, NULL, "there is only one session; give a recording, too");
	o.config.store.max_bytes = o.max_bytes;
	o.config.store.capacity = o.capacity >> 12;
	return diff_of(&o, &err) ? print_error(&err) : EXIT_OK;
}

static const struct command cmd_diff = {
	.name = "diff",
	.synopsis = "[options] A B",
	.help = "Tells what differs between two perf.data files, or between one and the live\n"
		"session (-): which memory became hotter or colder or has moved, and how much\n"
		"fast memory each needs; only what is more than chance.",
	.mixed = true,
	.run = run_diff,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_diff, argc, argv);
}
