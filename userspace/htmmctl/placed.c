// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "placed.h"

static int by_page(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void placed_fill(const struct placed *placed, struct htmm_page_list *list)
{
	const struct htmm_page *seen;
	size_t i;

	for (i = 0; placed->list.nr && i < list->nr; i++) {
		if (list->pages[i].node != HTMM_NODE_UNKNOWN)
			continue;
		seen = bsearch(&list->pages[i], placed->list.pages, placed->list.nr,
			       sizeof(*seen), by_page);
		if (!seen)
			continue;
		list->pages[i].node = seen->node;
		list->pages[i].mapping_shift = seen->mapping_shift;
	}
}

void placed_refresh(struct placed *placed, int fd)
{
	const struct htmm_list_pages request = {
		.flags = HTMM_LIST_PLACEMENT, .order = HTMM_ORDER_HOTTEST, .min_samples = 1,
	};
	struct htmm_page_list list;

	if (htmm_device_list_pages(fd, &request, PLACED_MAX, &list, NULL))
		return;
	qsort(list.pages, list.nr, sizeof(*list.pages), by_page);
	placed_fill(placed, &list);
	htmm_pages_free(&placed->list);
	placed->list = list;
}

void placed_free(struct placed *placed)
{
	htmm_pages_free(&placed->list);
}
