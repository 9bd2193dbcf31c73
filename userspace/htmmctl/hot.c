// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "placement.h"
#include "view.h"

bool hot_follows(struct htmm_names *names, const struct htmm_page *first, size_t nr,
		 const struct htmm_page *page)
{
	struct htmm_page same = *first;

	same.addr += nr << HTMM_PAGE_SHIFT;
	return !memcmp(&same, page, sizeof(same)) && htmm_names_find(names, first).mapping ==
						     htmm_names_find(names, page).mapping;
}

/* The number of pages from @page on, of @nr, that share a line. */
static size_t equal_pages(struct htmm_names *names, const struct htmm_page *page, size_t nr)
{
	size_t i = 1;

	while (i < nr && hot_follows(names, page, i, &page[i]))
		i++;
	return i;
}

void hot_print_mapping(FILE *file, const struct htmm_page *page, const struct htmm_place *place)
{
	out_name(file, place->mapping);
	if (strcmp(place->mapping, "[exited]") && page->pid)
		fprintf(file, "+0x%llx", place->offset);
	fputc('\n', file);
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
	hot_print_mapping(file, page, &place);
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

struct json_object *hot_page_json(struct htmm_names *names, const struct htmm_page *page,
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
void hot_json(FILE *file, struct json_object *obj, struct htmm_names *names,
	      const struct htmm_page_list *list, bool placed)
{
	size_t i;

	json_begin(file, obj);
	fputs(",\"pages\":[", file);
	for (i = 0; i < list->nr; i++) {
		fputs(i ? ",\n" : "\n", file);
		json_write(file, hot_page_json(names, &list->pages[i], placed));
	}
	fputs("]}", file);
}
