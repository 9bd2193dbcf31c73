// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/mapping.h"
#include "cmd/output.h"
#include "placement.h"
#include "simple_cmd.h"
#include "view.h"

static void print_page(FILE *file, struct htmm_names *names, const struct htmm_page *page,
		       const int *node)
{
	struct htmm_place place = htmm_names_find(names, page);
	bool hot = page->flags & HTMM_PAGE_HOT;
	char comm[20];

	snprintf(comm, sizeof(comm), "%-15.15s", place.comm);
	out_colour(file, hot ? COLOUR_RED : COLOUR_NONE);
	fprintf(file, "%10llu %3u %-4s %7u ", page->samples, page->bin, hot ? "hot" : "",
		page->pid);
	out_colour(file, COLOUR_NONE);
	if (node && *node < 0)
		fprintf(file, "%4s ", "-");
	else if (node)
		fprintf(file, "%4d ", *node);
	out_name(file, comm);
	fprintf(file, " %16llx  ", page->addr);
	out_name(file, place.mapping);
	if (strcmp(place.mapping, "[exited]"))
		fprintf(file, "+0x%llx", place.offset);
	fputc('\n', file);
}

void hot_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
	       const int *nodes)
{
	size_t i;

	if (!list->nr) {
		fputs("no page has samples\n", file);
		return;
	}
	fprintf(file, "%10s %3s %-4s %7s %s%-15s %16s  %s\n", "samples", "bin", "tier", "pid",
		nodes ? "node " : "", "command", "address", "mapping");
	for (i = 0; i < list->nr; i++)
		print_page(file, names, &list->pages[i], nodes ? &nodes[i] : NULL);
}

static struct json_object *page_json(struct htmm_names *names, const struct htmm_page *page,
				     const int *node)
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
	if (node)
		json_add(obj, "node", *node < 0 ? NULL : json_object_new_int(*node));
	return obj;
}

/* Written page by page, as a list may have millions. */
static void pages_json(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
		       const int *nodes)
{
	size_t i;

	fprintf(file, "{\"schema\":%d,\"pages\":[", JSON_SCHEMA);
	for (i = 0; i < list->nr; i++) {
		fputs(i ? ",\n" : "\n", file);
		json_write(file, page_json(names, &list->pages[i], nodes ? &nodes[i] : NULL));
	}
	fputc(']', file);
}

void hot_json(FILE *file, struct htmm_names *names, const struct htmm_page_list *list)
{
	pages_json(file, names, list, NULL);
	fputc('}', file);
}

struct hot_cmd {
	__s64 target;
	__s64 max;
	bool json;
	bool by_mapping;
	bool nodes;
};

static void print_pages(const struct hot_cmd *cmd, struct htmm_names *names,
			const struct htmm_page_list *list)
{
	if (!cmd->json) {
		hot_print(stdout, names, list, NULL);
		return;
	}
	hot_json(stdout, names, list);
	putchar('\n');
}

/* Prints the pages asked for, and sums by node over all pages. */
static int print_nodes(const struct hot_cmd *cmd, struct htmm_names *names,
		       const struct htmm_page_list *list, struct htmm_error *err)
{
	int *nodes = calloc(list->nr + 1, sizeof(*nodes));
	struct htmm_page_list shown = *list;
	struct placement *sums = NULL;
	size_t nr;

	if (nodes && !htmm_page_nodes(list, nodes))
		sums = placement_sum(list, nodes, &nr);
	if (!sums) {
		free(nodes);
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	if (cmd->max && shown.nr > (size_t)cmd->max)
		shown.nr = cmd->max;
	if (cmd->json) {
		pages_json(stdout, names, &shown, nodes);
		fputs(",\n\"nodes\":", stdout);
		json_write(stdout, placement_json(sums, nr));
		puts("}");
	} else {
		hot_print(stdout, names, &shown, nodes);
		putchar('\n');
		placement_print(stdout, sums, nr);
	}
	free(sums);
	free(nodes);
	return 0;
}

static int print(const struct hot_cmd *cmd, const struct htmm_page_list *list,
		 struct htmm_error *err)
{
	struct htmm_names *names = htmm_names_new();
	int ret = 0;

	if (!names)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	htmm_names_note(names, 0, list);
	if (cmd->by_mapping)
		ret = mappings_print(stdout, names, list, cmd->max, cmd->json, err);
	else if (cmd->nodes)
		ret = print_nodes(cmd, names, list, err);
	else
		print_pages(cmd, names, list);
	htmm_names_free(names);
	return ret;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const struct hot_cmd *cmd = arg;
	struct htmm_page_list list = {};
	size_t max = cmd->by_mapping || cmd->nodes ? 0 : cmd->max;
	int ret;

	if (cmd->by_mapping && cmd->nodes)
		return htmm_error_set(err, EINVAL, NULL,
				      "--node is for pages and --mapping for their sums; give one of them");
	ret = htmm_target_hot_pages(fd, cmd->target, max, &list, err);
	if (!ret)
		ret = print(cmd, &list, err);
	htmm_pages_free(&list);
	return ret;
}

static int run_hot(const struct command *cmd, int argc, char **argv)
{
	struct hot_cmd hot = { .max = HOT_PAGES_DEFAULT };
	const struct opt opts[] = {
		{ OPT_NUMBER, 'n', "number", "N", "lines to print, 0: all (20)",
		  &hot.max, 0, LONG_MAX },
		{ OPT_FLAG, 0, "mapping", NULL, "sum the pages of each mapping up",
		  &hot.by_mapping },
		{ OPT_FLAG, 0, "node", NULL, "the NUMA node that each page is on",
		  &hot.nodes },
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
	.help = "Lists the pages with the most samples, hottest first.",
	.run = run_hot,
};
