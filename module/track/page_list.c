// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/sched.h>
#include "base/alloc.h"
#include "base/compat.h"
#include "page_list.h"

/* Pages freed between two calls of cond_resched(). */
#define HTMM_FREE_SLICE	1024

void htmm_pages_init(struct htmm_pages *pages)
{
	INIT_LIST_HEAD(&pages->list);
	pages->nr = 0;
}

static bool htmm_pages_grow(struct htmm_pages *pages, gfp_t gfp)
{
	struct page *page = alloc_page(gfp);

	if (!page)
		return false;
	list_add(htmm_page_link(page), &pages->list);
	pages->nr++;
	return true;
}

/*
 * Allocate pages until there are @nr, or fewer if memory is short. May sleep for a long time:
 * hold no lock that others wait for.
 */
void htmm_pages_fill(struct htmm_pages *pages, u32 nr)
{
	while (pages->nr < nr && htmm_pages_grow(pages, HTMM_GFP))
		;
}

/*
 * Move a page to another set; if @from is empty, allocate one without sleeping. Returns its
 * memory, with undefined contents; NULL if there is none.
 */
void *htmm_pages_move(struct htmm_pages *to, struct htmm_pages *from)
{
	struct page *page;

	if (!from->nr && !htmm_pages_grow(from, HTMM_GFP_LOCKED))
		return NULL;
	page = htmm_page_of_link(from->list.next);
	list_move(htmm_page_link(page), &to->list);
	from->nr--;
	to->nr++;
	return page_address(page);
}

/* Move a given page to another set. */
void htmm_pages_take(struct htmm_pages *to, struct htmm_pages *from, void *page)
{
	list_move(htmm_page_link(virt_to_page(page)), &to->list);
	from->nr--;
	to->nr++;
}

/* Free all pages. May sleep. */
void htmm_pages_free(struct htmm_pages *pages)
{
	struct list_head *link, *next;
	u32 freed = 0;

	list_for_each_safe(link, next, &pages->list) {
		__free_page(htmm_page_of_link(link));
		if (++freed % HTMM_FREE_SLICE == 0)
			cond_resched();
	}
	htmm_pages_init(pages);
}
