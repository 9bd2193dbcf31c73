// SPDX-License-Identifier: GPL-2.0
/* htmmctl hot: lists the hottest pages, or mappings. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "code.h"
#include "mapping/mapping.h"
#include "htmmctl/options.h"
#include "htmmctl/period.h"
#include "htmmctl/placement.h"
#include "htmmctl/view.h"
#include "rated.h"

/* Milliseconds that --code looks for. */
#define CODE_MS		2000

/**
 * struct hot - the options, and what is known of the session
 * @target: only pages of this one; 0: of all
 * @max: pages or mappings to list; 0: all
 * @node: only pages on this node; -1: on any
 * @cold: the coldest pages in memory, also those without samples
 * @raw: by counts, not by estimates
 * @json: print JSON
 * @by_mapping: sums of mappings
 * @by_code: functions instead of pages
 * @code_ms: how long to look for functions; 0: CODE_MS
 * @placed: it is known where pages are
 * @capacity: pages that fit in the fast tier of @target
 * @list: the pages
 * @names: of what they belong to
 * @info: the state of the session
 * @stats: its counters
 * @known: what estimates need to know of it
 */
struct hot {
	__s64 target;
	__s64 max;
	__s64 node;
	bool cold;
	bool raw;
	bool json;
	bool by_mapping;
	bool by_code;
	__u32 code_ms;
	bool placed;
	__u64 capacity;
	struct htmm_page_list list;
	struct htmm_names *names;
	struct htmm_info info;
	struct htmm_stats_buf stats;
	struct curve_config known;
};

static void print_mappings_json(struct json_object *obj, const struct mapping *maps, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (; nr--; maps++) {
		struct json_object *one = json_object_new_object();

		json_add_u64(one, "pid", maps->pid);
		json_add_name(one, "comm", maps->place.comm);
		json_add_name(one, "mapping", maps->place.mapping);
		json_add_u64(one, "samples", maps->samples);
		json_add_u64(one, "pages", maps->pages);
		json_add_u64(one, "hot_pages", maps->hot);
		json_add(one, "node", maps->placed ? json_object_new_int(maps->node) : NULL);
		json_add_u64(one, "node_samples", maps->node_samples);
		json_object_array_add(array, one);
	}
	json_add(obj, "mappings", array);
	json_print(stdout, obj);
}

static int print_mappings(const struct hot *hot, struct json_object *obj, struct htmm_error *err)
{
	size_t nr;
	struct mapping *maps = mappings_sum(hot->names, &hot->list, &nr, err);

	if (!maps)
		return -ENOMEM;
	if (hot->max && nr > (size_t)hot->max)
		nr = hot->max;
	if (obj)
		print_mappings_json(json_object_get(obj), maps, nr);
	else
		mappings_print_text(stdout, maps, nr);
	free(maps);
	return 0;
}

static void print_counts(const struct hot *hot, struct json_object *obj)
{
	if (!obj) {
		hot_print(stdout, hot->names, &hot->list, hot->placed);
		return;
	}
	hot_json(stdout, json_object_get(obj), hot->names, &hot->list, hot->placed);
	putchar('\n');
}

/* Says what would be enough, if there are too few samples to choose the pages of the fast tier. */
static void say_enough(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		       const struct enough *enough)
{
	const __u64 period = shorter_period(info, stats, enough->times);
	char fit[SIZE_TEXT], sure[SIZE_TEXT], more[32];

	if (enough->times <= 1)
		return;
	if (period)
		snprintf(more, sizeof(more), "-c %llu", period);
	else
		snprintf(more, sizeof(more), "%.0f times as many", ceil(enough->times));
	notice("too few samples to choose %s for fast memory: sure of %s; %s would be enough",
	       size_text(fit, (__u64)enough->fit << HTMM_PAGE_SHIFT),
	       size_text(sure, (__u64)enough->sure << HTMM_PAGE_SHIFT), more);
}

static int print_rates(struct hot *hot, struct json_object *obj, struct htmm_error *err)
{
	const struct rated_config config = {
		.unit = hot->known.unit ?: 1, .node = hot->node, .max = hot->max,
		.capacity = hot->capacity,
	};
	struct rated rated = {};
	int ret = 0;

	if (rated_find(&rated, &config, hot->names, &hot->list)) {
		ret = no_memory(err);
	} else if (obj) {
		rated_json(stdout, json_object_get(obj), hot->names, &rated, hot->placed);
	} else {
		rated_print(stdout, hot->names, &rated, hot->placed);
		say_enough(&hot->info, &hot->stats, &rated.enough);
	}
	free(rated.pages);
	return ret;
}

static int print(void *arg, struct json_object *obj, struct htmm_error *err)
{
	struct hot *hot = arg;
	int ret = 0;

	/* What is of a target has its capacity. */
	if (obj && hot->target)
		json_add_u64(obj, "capacity_pages", hot->capacity);
	if (hot->by_mapping)
		ret = print_mappings(hot, obj, err);
	else if (hot->raw)
		print_counts(hot, obj);
	else
		ret = print_rates(hot, obj, err);
	json_object_put(obj);
	return ret;
}

/* Lists pages by their counts, or all for the estimates. */
static int list_pages(int fd, struct hot *hot, struct htmm_error *err)
{
	struct htmm_page_list *list = &hot->list;
	struct htmm_list_pages request = {
		.flags = hot->placed ? HTMM_LIST_PLACEMENT : 0,
		.order = hot->cold ? HTMM_ORDER_COLDEST : HTMM_ORDER_HOTTEST,
		.target = hot->target,
		.min_samples = hot->cold ? 0 : 1,
	};
	size_t max = hot->by_mapping ? 0 : hot->max;
	int ret = 0;

	if (hot->cold)
		request.flags |= HTMM_LIST_RESIDENT;
	if (hot->node >= 0) {
		request.flags |= HTMM_LIST_NODE;
		request.node = hot->node;
	}
	if (hot->raw || hot->by_mapping)
		return htmm_device_list_pages(fd, &request, max, list, err);
	request.order = HTMM_ORDER_TABLE;
	/* Pages of other nodes count for the estimates, too: only see if the node can be listed. */
	if (hot->node >= 0) {
		ret = htmm_device_list_pages(fd, &request, 1, list, err);
		htmm_pages_free(list);
		request.flags &= ~HTMM_LIST_NODE;
		request.node = 0;
	}
	return ret ? ret : htmm_device_list_pages(fd, &request, 0, list, err);
}

static int read_hot(int fd, void *arg, struct htmm_error *err)
{
	struct hot *hot = arg;
	struct htmm_histogram hist;
	int ret = htmm_target_hist(fd, hot->target, HTMM_UNIT_PAGE, &hist, err);

	if (ret)
		return ret;
	hot->capacity = hist.capacity_pages;
	hot->raw |= hot->cold;
	hot->placed = hot->node >= 0 || hot->cold || placement_known(fd);
	if (list_pages(fd, hot, err))
		return advise(err, EINVAL, "give a node that has memory, see 'htmmctl placement'");
	places_notice(&hot->list);
	hot->names = htmm_names_new();
	if (!hot->names)
		return no_memory(err);
	names_recall(hot->names, fd);
	htmm_names_note(hot->names, 0, &hot->list);
	if (hot->by_mapping || hot->raw)
		return 0;
	return hit_known(&hot->known, fd, &hot->info, err) ?:
	       htmm_device_stats(fd, &hot->stats, err);
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	struct hot *hot = arg;
	int ret = session_answer(fd, hot->json, read_hot, print, hot, err);

	htmm_stats_free(&hot->stats);
	htmm_names_free(hot->names);
	htmm_pages_free(&hot->list);
	return ret;
}

static int run_hot(const struct command *cmd, int argc, char **argv)
{
	struct hot hot = { .max = HOT_PAGES_DEFAULT, .node = -1 };
	const struct opt opts[] = {
		{ OPT_NUMBER, 'n', "number", "N", "pages to list, 0: all (20)",
		  &hot.max, 0, LONG_MAX },
		{ OPT_FLAG, 0, "mapping", NULL, "sum up the pages of each mapping",
		  &hot.by_mapping },
		{ OPT_FLAG, 0, "code", NULL, "the functions that make the accesses from now on",
		  &hot.by_code },
		{ OPT_SECONDS, 0, "duration", "SECONDS", "of --code: how long to look (2)",
		  &hot.code_ms, 1, 4000000000 },
		{ OPT_NUMBER, 0, "node", "N", "only pages that are on NUMA node N now",
		  &hot.node, 0, INT_MAX },
		{ OPT_FLAG, 0, "cold", NULL, "the coldest pages in memory, sampled or not",
		  &hot.cold },
		{ OPT_FLAG, 0, "raw", NULL, "order pages by samples, not by estimated rates",
		  &hot.raw },
		OPT_TARGET(&hot.target),
		OPT_JSON(&hot.json),
		{ OPT_END },
	};

	const struct opt *const tables[] = { opts, NULL };
	int ret = opts_parse(cmd, argc, argv, tables, NULL);

	if (ret != OPTS_GO_ON)
		return ret;
	if (hot.code_ms && !hot.by_code)
		return usage_error(cmd, NULL, "--duration is for --code");
	if (!hot.by_code)
		return device_call(show, &hot);
	if (hot.by_mapping || hot.cold || hot.raw || hot.target || hot.node >= 0)
		return usage_error(cmd, NULL, "--code takes no options for pages");
	return code_print(&(struct code_config) {
		.ms = hot.code_ms ?: CODE_MS, .max = hot.max, .json = hot.json,
	});
}

static const struct command cmd_hot = {
	.name = "hot",
	.synopsis = "[options]",
	.help = "Lists the pages that are thought to be accessed most, hottest first, and where\n"
		"they are now: the NUMA node and the page size, if known.  The rate of a page is\n"
		"estimated from its samples and those of its neighbours, with 90 % bounds.\n"
		"Neighbours that are equal share a line, which has the samples of each.",
	.run = run_hot,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_hot, argc, argv);
}
