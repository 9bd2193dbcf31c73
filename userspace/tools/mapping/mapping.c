// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "mapping.h"

static int by_name(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strcmp(x->place.mapping, y->place.mapping);
}

static int by_node(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;
	int order = by_name(a, b);

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int by_samples(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return by_name(a, b);
}

/*
 * Merges neighbours that are equal in that order. Of several nodes, the one with the most samples
 * is left. Returns how many mappings are left.
 */
static size_t merge(struct mapping *maps, size_t nr, int (*order)(const void *a, const void *b))
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		struct mapping *to = kept ? &maps[kept - 1] : NULL, *from = &maps[i];

		if (!to || order(to, from)) {
			maps[kept++] = *from;
			continue;
		}
		to->pages += from->pages;
		to->hot += from->hot;
		to->samples += from->samples;
		to->placed += from->placed;
		if (to->node == from->node) {
			to->node_samples += from->node_samples;
		} else if (from->node_samples > to->node_samples) {
			to->node = from->node;
			to->node_samples = from->node_samples;
		}
	}
	return kept;
}

struct mapping *mappings_sum(struct htmm_names *names, const struct htmm_page_list *list,
			     size_t *nr, struct htmm_error *err)
{
	struct mapping *maps = calloc(list->nr + 1, sizeof(*maps));
	size_t i;

	if (!maps) {
		no_memory(err);
		return NULL;
	}
	for (i = 0; i < list->nr; i++) {
		const struct htmm_page *page = &list->pages[i];

		maps[i].place = htmm_names_find(names, page);
		maps[i].pid = page->pid;
		maps[i].pages = 1;
		maps[i].hot = page->flags & HTMM_PAGE_HOT ? 1 : 0;
		maps[i].samples = page->samples;
		maps[i].node = page->node;
		maps[i].placed = page->node != HTMM_NODE_UNKNOWN ? page->samples : 0;
		maps[i].node_samples = maps[i].placed;
	}
	qsort(maps, list->nr, sizeof(*maps), by_node);
	*nr = merge(maps, merge(maps, list->nr, by_node), by_name);
	qsort(maps, *nr, sizeof(*maps), by_samples);
	return maps;
}

const char *mapping_node(char text[NODE_TEXT], const struct mapping *map)
{
	if (!map->placed)
		return "-";
	if (map->node_samples == map->placed)
		snprintf(text, NODE_TEXT, "%d", map->node);
	else
		snprintf(text, NODE_TEXT, "%d %.0f%%", map->node,
			 percent(map->node_samples, map->placed));
	return text;
}

void mappings_print_text(FILE *file, const struct mapping *maps, size_t nr)
{
	fprintf(file, "%12s %10s %10s %-6s %7s %-15s %s\n", "samples", "pages", "hot", "node",
		"pid", "command", "mapping");
	for (; nr--; maps++) {
		char comm[20], node[NODE_TEXT];

		snprintf(comm, sizeof(comm), "%-15.15s", maps->place.comm);
		fprintf(file, "%12llu %10llu %10llu %-6s %7u ", maps->samples, maps->pages,
			maps->hot, mapping_node(node, maps), maps->pid);
		out_name(file, comm);
		fputc(' ', file);
		out_name(file, maps->place.mapping);
		fputc('\n', file);
	}
}
