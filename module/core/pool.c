// SPDX-License-Identifier: GPL-2.0
/*
 * Two stacks, linked through the free memory itself: whole pages, and blocks of split
 * pages. A page is split when a block is needed and none is free.
 */
#include "pool.h"

/**
 * struct htmm_pool_item - link at the start of a free page or block
 * @next: the one below it on the stack
 */
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

/* The first of some ascending pages that is not below a block. */
static u32 htmm_pool_find(void *const *page, u32 n, const void *block)
{
	u32 low = 0, middle;

	while (low < n) {
		middle = (low + n) / 2;
		if (page[middle] < htmm_pool_page(block))
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

bool htmm_pool_is_in(void *const *page, u32 n, const void *block)
{
	u32 at = htmm_pool_find(page, n, block);

	return at < n && page[at] == htmm_pool_page(block);
}

u32 htmm_pool_withdraw(struct htmm_pool *pool, void **page, u32 nr)
{
	struct htmm_pool_item **link = &pool->blocks, *item;
	u32 n = 0, at;

	/* So many blocks are in so many pages at least. */
	nr = min(nr, pool->nr_blocks / HTMM_POOL_BLOCKS_PER_PAGE);
	for (item = pool->blocks; n < nr; item = item->next) {
		if (htmm_pool_is_in(page, n, item))
			continue;
		at = htmm_pool_find(page, n, item);
		memmove(&page[at + 1], &page[at], (n++ - at) * sizeof(*page));
		page[at] = htmm_pool_page(item);
	}
	while (n && *link) {
		if (htmm_pool_is_in(page, n, *link)) {
			*link = (*link)->next;
			pool->nr_blocks--;
		} else {
			link = &(*link)->next;
		}
	}
	pool->held -= n;
	return n;
}
