/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of pages: spare pages, and pages owned by a table. */
#ifndef HTMM_PAGE_LIST_H
#define HTMM_PAGE_LIST_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct htmm_pages - a set of pages
 * @list: the pages, linked by htmm_page_link(); their contents belong to the user
 * @nr: number of pages
 *
 * Locking: the owner's.
 */
struct htmm_pages {
	struct list_head list;
	u32 nr;
};

void htmm_pages_init(struct htmm_pages *pages);
void htmm_pages_fill(struct htmm_pages *pages, u32 nr);
void *htmm_pages_move(struct htmm_pages *to, struct htmm_pages *from);
void htmm_pages_take(struct htmm_pages *to, struct htmm_pages *from, void *page);
void htmm_pages_free(struct htmm_pages *pages);

#endif /* HTMM_PAGE_LIST_H */
