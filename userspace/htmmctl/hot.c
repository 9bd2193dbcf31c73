// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "look.h"
#include "mapping.h"
#include "output.h"
#include "view.h"

static void print_page(FILE *file, struct htmm_names *names, const struct htmm_hot_page *page)
{
	struct htmm_place place = htmm_names_find(names, page);
	bool hot = page->flags & HTMM_PAGE_HOT;
	char comm[20];

	snprintf(comm, sizeof(comm), "%-15.15s", place.comm);
	out_colour(file, hot ? COLOUR_RED : COLOUR_NONE);
	fprintf(file, "%10llu %3u %-4s %7u ", page->samples, page->bin, hot ? "hot" : "",
		page->pid);
	out_colour(file, COLOUR_NONE);
	out_name(file, comm);
	fprintf(file, " %16llx  ", page->addr);
	out_name(file, place.mapping);
	if (strcmp(place.mapping, "[exited]"))
		fprintf(file, "+0x%llx", place.offset);
	fputc('\n', file);
}

void hot_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list)
{
	size_t i;

	if (!list->nr) {
		fputs("no page has samples\n", file);
		return;
	}
	fprintf(file, "%10s %3s %-4s %7s %-15s %16s  %s\n", "samples", "bin", "tier", "pid",
		"command", "address", "mapping");
	for (i = 0; i < list->nr; i++)
		print_page(file, names, &list->pages[i]);
}

static struct json_object *page_json(struct htmm_names *names, const struct htmm_hot_page *page)
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
	return obj;
}

/* Written page by page: a list may have millions of them. */
void hot_json(FILE *file, struct htmm_names *names, const struct htmm_page_list *list)
{
	size_t i;

	fprintf(file, "{\"schema\":%d,\"pages\":[", JSON_SCHEMA);
	for (i = 0; i < list->nr; i++) {
		fputs(i ? ",\n" : "\n", file);
		json_write(file, page_json(names, &list->pages[i]));
	}
	fputs("]}", file);
}

static void print_pages(struct htmm_names *names, const struct htmm_page_list *list, bool json)
{
	if (!json) {
		hot_print(stdout, names, list);
		return;
	}
	hot_json(stdout, names, list);
	putchar('\n');
}

struct hot_cmd {
	__s64 target;
	__s64 max;
	bool json;
	bool by_mapping;
};

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
	else
		print_pages(names, list, cmd->json);
	htmm_names_free(names);
	return ret;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const struct hot_cmd *cmd = arg;
	struct htmm_page_list list = {};
	int ret;

	ret = htmm_target_hot_pages(fd, cmd->target, cmd->by_mapping ? 0 : cmd->max, &list, err);
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
		OPT_TARGET(&hot.target),
		OPT_JSON(&hot.json),
		{ OPT_END },
	};

	return look(cmd, argc, argv, opts, show, &hot);
}

const struct command cmd_hot = {
	.name = "hot",
	.synopsis = "[options]",
	.summary = "list the hottest pages and what they belong to",
	.help = "Lists the pages with the most samples, hottest first.",
	.run = run_hot,
};
