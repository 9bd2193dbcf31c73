// SPDX-License-Identifier: GPL-2.0
/* Two stacks, linked through the free memory itself: whole pages, and blocks of split ones. */
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

void *htmm_pool_block_get(struct htmm_pool *pool)
{
	void *page;
	int i;

	if (!pool->nr_blocks) {
		if (!pool->nr_pages)
			return NULL;
		pool->nr_pages--;
		page = htmm_pool_pop(&pool->pages);
		for (i = HTMM_POOL_BLOCKS_PER_PAGE - 1; i >= 0; i--)
			htmm_pool_block_put(pool, page + i * HTMM_POOL_BLOCK_SIZE);
	}
	pool->nr_blocks--;
	return memset(htmm_pool_pop(&pool->blocks), 0, HTMM_POOL_BLOCK_SIZE);
}

void htmm_pool_block_put(struct htmm_pool *pool, void *block)
{
	htmm_pool_push(&pool->blocks, block);
	pool->nr_blocks++;
}

static void *htmm_pool_page(const void *block)
{
	return (void *)((unsigned long)block & ~(HTMM_POOL_PAGE_SIZE - 1UL));
}

/* The place of a block's page among ascending ones. False if it is not one of them. */
static bool htmm_pool_find(void *const *page, u32 n, const void *block, u32 *at)
{
	const u32 end = n;
	u32 middle;

	for (*at = 0; *at < n; ) {
		middle = (*at + n) / 2;
		if (page[middle] < htmm_pool_page(block))
			*at = middle + 1;
		else
			n = middle;
	}
	return *at < end && page[*at] == htmm_pool_page(block);
}

/* Add a block's page to ascending ones, unless it is one of them. Returns their number. */
static u32 htmm_pool_add(void **page, u32 n, const void *block)
{
	u32 at;

	if (htmm_pool_find(page, n, block, &at))
		return n;
	memmove(&page[at + 1], &page[at], (n - at) * sizeof(*page));
	page[at] = htmm_pool_page(block);
	return n + 1;
}

u32 htmm_pool_withdraw(struct htmm_pool *pool, void **page, u32 nr)
{
	struct htmm_pool_item **link = &pool->blocks, *item;
	u32 n = 0, at;

	for (; n < nr && pool->nr_pages; pool->nr_pages--)
		n = htmm_pool_add(page, n, htmm_pool_pop(&pool->pages));
	/* So many blocks are in so many pages at least. */
	nr = min(nr, n + pool->nr_blocks / HTMM_POOL_BLOCKS_PER_PAGE);
	pool->held -= nr;
	if (n == nr)
		return n;
	for (item = pool->blocks; n < nr; item = item->next)
		n = htmm_pool_add(page, n, item);
	while (*link) {
		if (htmm_pool_find(page, n, *link, &at)) {
			*link = (*link)->next;
			pool->nr_blocks--;
		} else {
			link = &(*link)->next;
		}
	}
	return n;
}

void *htmm_pool_moved(struct htmm_pool *pool, void *const *page, u32 n, void *block)
{
	u32 at;

	if (!htmm_pool_find(page, n, block, &at))
		return block;
	return memcpy(htmm_pool_block_get(pool), block, HTMM_POOL_BLOCK_SIZE);
}
