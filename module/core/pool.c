// SPDX-License-Identifier: GPL-2.0
/*
 * Two stacks, linked through the free memory itself: whole pages, and blocks of split
 * pages. A page is split when a block is needed and none is free.
 */
#include "pool.h"

/* Link at the start of a free page or block, to the one below it on the stack. */
struct htmm_pool_item {
	struct htmm_pool_item *next;
};

static void htmm_pool_push(struct htmm_pool_item **stack, void *mem)
{
	struct htmm_pool_item *item = mem;

	item->next = *stack;
	*stack = item;
}

static void *htmm_pool_pop(struct htmm_pool_item **stack)
{
	struct htmm_pool_item *item = *stack;

	*stack = item->next;
	return item;
}

void htmm_pool_init(struct htmm_pool *pool)
{
	memset(pool, 0, sizeof(*pool));
}

void htmm_pool_put(struct htmm_pool *pool, void *page)
{
	htmm_pool_push(&pool->pages, page);
	pool->nr_pages++;
	pool->held++;
}

static void htmm_pool_split(struct htmm_pool *pool)
{
	void *page = htmm_pool_pop(&pool->pages);
	int i;

	pool->nr_pages--;
	for (i = HTMM_POOL_BLOCKS_PER_PAGE - 1; i >= 0; i--)
		htmm_pool_push(&pool->blocks, page + i * HTMM_POOL_BLOCK_SIZE);
	pool->nr_blocks += HTMM_POOL_BLOCKS_PER_PAGE;
}

void *htmm_pool_block_get(struct htmm_pool *pool)
{
	if (!pool->nr_blocks) {
		if (!pool->nr_pages)
			return NULL;
		htmm_pool_split(pool);
	}
	pool->nr_blocks--;
	return memset(htmm_pool_pop(&pool->blocks), 0, HTMM_POOL_BLOCK_SIZE);
}

void htmm_pool_block_put(struct htmm_pool *pool, void *block)
{
	htmm_pool_push(&pool->blocks, block);
	pool->nr_blocks++;
}

void *htmm_pool_page_get(struct htmm_pool *pool)
{
	pool->nr_pages--;
	pool->held--;
	return htmm_pool_pop(&pool->pages);
}

static void *htmm_pool_page(const void *block)
{
	return (void *)((unsigned long)block & ~(HTMM_POOL_PAGE_SIZE - 1UL));
}

/* The first of some ascending pages that is not below a block; its own one if @found. */
static u32 htmm_pool_find(void *const *page, u32 n, const void *block, bool *found)
{
	const u32 end = n;
	u32 low = 0, middle;

	while (low < n) {
		middle = (low + n) / 2;
		if (page[middle] < htmm_pool_page(block))
			low = middle + 1;
		else
			n = middle;
	}
	*found = low < end && page[low] == htmm_pool_page(block);
	return low;
}

u32 htmm_pool_withdraw(struct htmm_pool *pool, void **page, u32 nr)
{
	struct htmm_pool_item **link = &pool->blocks, *item;
	u32 n = 0, at;
	bool found;

	/* So many blocks are in so many pages at least. */
	nr = min(nr, pool->nr_blocks / HTMM_POOL_BLOCKS_PER_PAGE);
	for (item = pool->blocks; n < nr; item = item->next) {
		at = htmm_pool_find(page, n, item, &found);
		if (found)
			continue;
		memmove(&page[at + 1], &page[at], (n++ - at) * sizeof(*page));
		page[at] = htmm_pool_page(item);
	}
	while (n && *link) {
		htmm_pool_find(page, n, *link, &found);
		if (found) {
			*link = (*link)->next;
			pool->nr_blocks--;
		} else {
			link = &(*link)->next;
		}
	}
	pool->held -= n;
	return n;
}

void *htmm_pool_moved(struct htmm_pool *pool, void *const *page, u32 n, void *block)
{
	bool found;

	htmm_pool_find(page, n, block, &found);
	return found ? memcpy(htmm_pool_block_get(pool), block, HTMM_POOL_BLOCK_SIZE) : block;
}
