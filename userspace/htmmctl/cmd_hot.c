// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "mapping.h"
#include "options.h"
#include "placement.h"
#include "view.h"

/* The number of pages from @page on, of @nr, that differ only in their address and follow it. */
static size_t equal_pages(struct htmm_names *names, const struct htmm_page *page, size_t nr)
{
	const char *mapping = htmm_names_find(names, page).mapping;
	struct htmm_page next = *page;
	size_t i;

	for (i = 1; i < nr; i++) {
		next.addr += 4096;
		if (memcmp(&next, &page[i], sizeof(next)) ||
		    htmm_names_find(names, &next).mapping != mapping)
			break;
	}
	return i;
}

static void print_page(FILE *file, struct htmm_names *names, const struct htmm_page *page,
		       size_t nr, bool placed)
{
	struct htmm_place place = htmm_names_find(names, page);
	bool hot = page->flags & HTMM_PAGE_HOT;
	char comm[20];

	snprintf(comm, sizeof(comm), "%-15.15s", place.comm);
	out_colour(file, hot ? COLOUR_RED : COLOUR_NONE);
	fprintf(file, "%10llu %7zu %3u %-4s %7u ", page->samples, nr, page->bin,
		hot ? "yes" : "", page->pid);
	out_colour(file, COLOUR_NONE);
	if (placed)
		place_print(file, page->node, page->mapping_shift);
	out_name(file, comm);
	fprintf(file, " %16llx  ", page->addr);
	out_name(file, place.mapping);
	if (strcmp(place.mapping, "[exited]") && page->pid)
		fprintf(file, "+0x%llx", place.offset);
	fputc('\n', file);
}

void hot_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
	       bool placed)
{
	size_t i, nr;

	if (!list->nr) {
		fputs("no such page has samples\n", file);
		return;
	}
	fprintf(file, "%10s %7s %3s %-4s %7s %s%-15s %16s  %s\n", "samples", "pages", "bin", "hot",
		"pid", placed ? PLACE_TITLE : "", "command", "address", "mapping");
	for (i = 0; i < list->nr; i += nr) {
		nr = equal_pages(names, &list->pages[i], list->nr - i);
		print_page(file, names, &list->pages[i], nr, placed);
	}
}

static struct json_object *page_json(struct htmm_names *names, const struct htmm_page *page,
				     bool placed)
{
	struct htmm_place place = htmm_names_find(names, page);
	struct json_object *obj = json_object_new_object();

	json_add_u64(obj, "pid", page->pid);
	json_add_hex(obj, "addr", page->addr);
	json_add_u64(obj, "samples", page->samples);
	json_add_u64(obj, "bin", page->bin);
	json_add_name(obj, "mapping", place.mapping);
	json_add_hex(obj, "offset", place.offset);
	json_add_name(obj, "comm", place.comm);
	json_add_u64(obj, "space", page->space);
	json_add_u64(obj, "target", page->target);
	json_add_bool(obj, "hot", page->flags & HTMM_PAGE_HOT);
	json_add_bool(obj, "exited", page->flags & HTMM_PAGE_EXITED);
	if (placed)
		place_json(obj, page->node, page->mapping_shift);
	return obj;
}

/* Written page by page, as a list may have millions. */
void hot_json(FILE *file, struct htmm_names *names, const struct htmm_page_list *list, bool placed)
{
	size_t i;

	fprintf(file, "{\"schema\":%d,\"pages\":[", JSON_SCHEMA);
	for (i = 0; i < list->nr; i++) {
		fputs(i ? ",\n" : "\n", file);
		json_write(file, page_json(names, &list->pages[i], placed));
	}
	fputs("]}", file);
}

/**
 * struct hot_cmd - the options of hot
 * @target: only pages of this one; 0: of all
 * @max: pages or mappings to list; 0: all
 * @node: only pages on this node; -1: on any
 * @cold: the coldest pages in memory, also those without samples
 * @json: print JSON
 * @by_mapping: sums of mappings
 */
struct hot_cmd {
	__s64 target;
	__s64 max;
	__s64 node;
	bool cold;
	bool json;
	bool by_mapping;
};

static int print(const struct hot_cmd *cmd, const struct htmm_page_list *list, bool placed,
		 struct htmm_error *err)
{
	struct htmm_names *names = htmm_names_new();
	int ret = 0;

	if (!names)
		return no_memory(err);
	htmm_names_note(names, 0, list);
	if (cmd->by_mapping) {
		ret = mappings_print(stdout, names, list, cmd->max, cmd->json, err);
	} else if (cmd->json) {
		hot_json(stdout, names, list, placed);
		putchar('\n');
	} else {
		hot_print(stdout, names, list, placed);
	}
	htmm_names_free(names);
	return ret;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const struct hot_cmd *cmd = arg;
	const bool placed = cmd->node >= 0 || cmd->cold || placement_known(fd);
	struct htmm_list_pages request = {
		.flags = placed ? HTMM_LIST_PLACEMENT : 0,
		.order = cmd->cold ? HTMM_ORDER_COLDEST : HTMM_ORDER_HOTTEST,
		.target = cmd->target,
		.min_samples = cmd->cold ? 0 : 1,
	};
	struct htmm_page_list list = {};
	int ret;

	if (cmd->node >= 0) {
		request.flags |= HTMM_LIST_NODE;
		request.node = cmd->node;
	}
	if (cmd->cold)
		request.flags |= HTMM_LIST_RESIDENT;
	ret = htmm_device_list_pages(fd, &request, cmd->by_mapping ? 0 : cmd->max, &list, err);
	if (ret)
		return advise(err, EINVAL, "give a node that has memory, see 'htmmctl placement'");
	places_notice(&list);
	ret = print(cmd, &list, placed, err);
	htmm_pages_free(&list);
	return ret;
}

static int run_hot(const struct command *cmd, int argc, char **argv)
{
	struct hot_cmd hot = { .max = HOT_PAGES_DEFAULT, .node = -1 };
	const struct opt opts[] = {
		{ OPT_NUMBER, 'n', "number", "N", "pages to list, 0: all (20)",
		  &hot.max, 0, LONG_MAX },
		{ OPT_FLAG, 0, "mapping", NULL, "sum up the pages of each mapping",
		  &hot.by_mapping },
		{ OPT_NUMBER, 0, "node", "N", "only pages that are on NUMA node N now",
		  &hot.node, 0, INT_MAX },
		{ OPT_FLAG, 0, "cold", NULL, "the coldest pages in memory, sampled or not",
		  &hot.cold },
		OPT_TARGET(&hot.target),
		OPT_JSON(&hot.json),
		{ OPT_END },
	};

	return simple_cmd(cmd, argc, argv, opts, show, &hot);
}

const struct command cmd_hot = {
	.name = "hot",
	.synopsis = "[options]",
	.summary = "list the hottest pages and what they belong to",
	.help = "Lists the pages with the most samples, hottest first, and where they are now:\n"
		"the NUMA node and the page size, if known.  Neighbouring pages with the same\n"
		"count share a line, which has the samples of each.",
	.run = run_hot,
};
