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

/* Merge two sorted lists. */
static struct htmm_pool_item *htmm_pool_merge(struct htmm_pool_item *a,
					      struct htmm_pool_item *b)
{
	struct htmm_pool_item *merged, **end = &merged;

	while (a && b) {
		if (a < b) {
			*end = a;
			a = a->next;
		} else {
			*end = b;
			b = b->next;
		}
		end = &(*end)->next;
	}
	*end = a ?: b;
	return merged;
}

/*
 * Bottom-up merge sort: sorted lists of 1, 2, 4... blocks are merged like the carries of a
 * binary counter.
 */
static void htmm_pool_sort(struct htmm_pool *pool)
{
	struct htmm_pool_item *part[32] = { NULL }, *item, *next;
	u32 i;

	for (item = pool->blocks; item; item = next) {
		next = item->next;
		item->next = NULL;
		for (i = 0; part[i]; i++) {
			item = htmm_pool_merge(part[i], item);
			part[i] = NULL;
		}
		part[i] = item;
	}
	for (i = 0; i < 32; i++)
		item = htmm_pool_merge(part[i], item);
	pool->blocks = item;
}

/* Add the pages of a sorted pool that have @wanted free blocks, up to @most pages. */
static u32 htmm_pool_find_pages(const struct htmm_pool *pool, u32 wanted,
				void **page, u32 n, u32 most)
{
	const struct htmm_pool_item *item = pool->blocks;
	void *at;
	u32 free, i;

	while (item && n < most) {
		at = htmm_pool_page(item);
		for (free = 0; item && htmm_pool_page(item) == at; item = item->next)
			free++;
		if (free != wanted)
			continue;
		for (i = n++; i && page[i - 1] > at; i--)
			page[i] = page[i - 1];
		page[i] = at;
	}
	return n;
}

/* Remove the blocks of @page from the pool. Both are in ascending order. */
static void htmm_pool_drop_blocks(struct htmm_pool *pool, void *const *page, u32 n)
{
	struct htmm_pool_item **link = &pool->blocks;

	while (*link && n) {
		if (htmm_pool_page(*link) == *page) {
			*link = (*link)->next;
			pool->nr_blocks--;
		} else if (htmm_pool_page(*link) > *page) {
			page++;
			n--;
		} else {
			link = &(*link)->next;
		}
	}
}

u32 htmm_pool_withdraw(struct htmm_pool *pool, void **page, u32 nr)
{
	u32 n = 0, wanted;

	nr = min(nr, pool->nr_blocks / HTMM_POOL_BLOCKS_PER_PAGE);
	if (!nr)
		return 0;
	htmm_pool_sort(pool);
	for (wanted = HTMM_POOL_BLOCKS_PER_PAGE; wanted; wanted--)
		n = htmm_pool_find_pages(pool, wanted, page, n, nr);
	htmm_pool_drop_blocks(pool, page, n);
	pool->held -= n;
	return n;
}
