// SPDX-License-Identifier: GPL-2.0
/*
 * Two stacks, linked through the free memory itself: whole pages, and blocks
 * of pages that have been split. A page is split when a block is wanted and none
 * is left.
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
