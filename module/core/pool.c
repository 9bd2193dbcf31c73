// SPDX-License-Identifier: GPL-2.0
/*
 * Two stacks, linked through the free memory itself: whole pages, and leaves
 * of pages that have been split. A page is split when a leaf is wanted and none
 * is left.
 */
#include "pool.h"

/**
 * struct htmm_pool_item - link at the start of a free page or leaf
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

/* With no leaf in use, the first leaf of each page stands for the page again. */
static void htmm_pool_unsplit(struct htmm_pool *pool)
{
	void *leaf;

	for (; pool->nr_leaves; pool->nr_leaves--) {
		leaf = htmm_pool_pop(&pool->leaves);
		if ((unsigned long)leaf % HTMM_POOL_PAGE_SIZE)
			continue;
		htmm_pool_push(&pool->pages, leaf);
		pool->nr_pages++;
	}
}

void *htmm_pool_take_back(struct htmm_pool *pool)
{
	if (!pool->nr_pages && !pool->used)
		htmm_pool_unsplit(pool);
	if (!pool->nr_pages)
		return NULL;
	pool->nr_pages--;
	pool->held--;
	return htmm_pool_pop(&pool->pages);
}

static void htmm_pool_split(struct htmm_pool *pool)
{
	void *page = htmm_pool_pop(&pool->pages);
	int i;

	pool->nr_pages--;
	for (i = HTMM_POOL_LEAVES_PER_PAGE - 1; i >= 0; i--)
		htmm_pool_push(&pool->leaves, page + i * HTMM_POOL_LEAF_SIZE);
	pool->nr_leaves += HTMM_POOL_LEAVES_PER_PAGE;
}

void *htmm_pool_leaf_get(struct htmm_pool *pool)
{
	if (!pool->nr_leaves) {
		if (!pool->nr_pages)
			return NULL;
		htmm_pool_split(pool);
	}
	pool->nr_leaves--;
	pool->used++;
	return memset(htmm_pool_pop(&pool->leaves), 0, HTMM_POOL_LEAF_SIZE);
}

void htmm_pool_leaf_put(struct htmm_pool *pool, void *leaf)
{
	htmm_pool_push(&pool->leaves, leaf);
	pool->nr_leaves++;
	pool->used--;
}
