// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/output.h"
#include "placement.h"

/* Sorts by node; the errors, which are negative, come last. */
static int by_node(const void *a, const void *b)
{
	const struct placement *x = a, *y = b;
	/* As unsigned numbers, negative ones are the highest. */
	unsigned int first = x->node, second = y->node;

	return first < second ? -1 : first > second;
}

/* Merges neighbours of the same node. Returns how many are left. */
static size_t merge(struct placement *sums, size_t nr)
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (kept && sums[kept - 1].node == sums[i].node) {
			sums[kept - 1].pages += sums[i].pages;
			sums[kept - 1].hot += sums[i].hot;
			sums[kept - 1].samples += sums[i].samples;
		} else {
			sums[kept++] = sums[i];
		}
	}
	return kept;
}

struct placement *placement_sum(const struct htmm_page_list *list, const int *nodes, size_t *nr)
{
	struct placement *sums = calloc(list->nr + 1, sizeof(*sums));
	size_t i;

	if (!sums)
		return NULL;
	for (i = 0; i < list->nr; i++)
		sums[i] = (struct placement) {
			.node = nodes[i],
			.pages = 1,
			.hot = list->pages[i].flags & HTMM_PAGE_HOT ? 1 : 0,
			.samples = list->pages[i].samples,
		};
	qsort(sums, list->nr, sizeof(*sums), by_node);
	*nr = merge(sums, list->nr);
	return sums;
}

/* Why the node of a page is not known. */
static const char *reason(int error)
{
	switch (error) {
	case -ENOENT:
		return "not in memory";
	case -EFAULT:
		return "nothing mapped, or never written";
	case -ESRCH:
		return "process gone, or not visible from here";
	case -EPERM:
	case -EACCES:
		return "process not to be looked at without CAP_SYS_NICE and CAP_SYS_PTRACE";
	}
	return strerror(-error);
}

void placement_print(FILE *file, const struct placement *sums, size_t nr)
{
	fprintf(file, "%12s %10s %10s  %s\n", "samples", "pages", "hot", "node");
	for (; nr--; sums++) {
		fprintf(file, "%12llu %10llu %10llu  ", sums->samples, sums->pages, sums->hot);
		if (sums->node < 0)
			fprintf(file, "- (%s)\n", reason(sums->node));
		else
			fprintf(file, "%d\n", sums->node);
	}
}

struct json_object *placement_json(const struct placement *sums, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (; nr--; sums++) {
		struct json_object *one = json_object_new_object();

		json_add(one, "node", sums->node < 0 ? NULL : json_object_new_int(sums->node));
		if (sums->node < 0)
			json_add_name(one, "reason", reason(sums->node));
		json_add_u64(one, "pages", sums->pages);
		json_add_u64(one, "hot_pages", sums->hot);
		json_add_u64(one, "samples", sums->samples);
		json_object_array_add(array, one);
	}
	return array;
}
