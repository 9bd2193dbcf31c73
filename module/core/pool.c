// SPDX-License-Identifier: GPL-2.0
/* The data about free memory is kept in the free memory itself. */
#include "pool.h"

/* At the start of a whole page: the one below it on the stack. */
struct htmm_pool_page {
	struct htmm_pool_page *next;
};

/* At the start of a free block of a page in @parts, one block for each such page. */
struct htmm_pool_part {
	u32 at;		/* place in @parts, which leads back */
	u32 free;	/* bitmap of the page's free blocks */
};

#define HTMM_POOL_WHOLE		(BIT_ULL(HTMM_POOL_BLOCKS_PER_PAGE) - 1)

void htmm_pool_init(struct htmm_pool *pool, void *parts)
{
	*pool = (struct htmm_pool) { .parts = parts };
}

static void htmm_pool_push(struct htmm_pool *pool, void *page)
{
	struct htmm_pool_page *whole = page;

	whole->next = pool->pages;
	pool->pages = whole;
	pool->nr_pages++;
}

static void *htmm_pool_pop(struct htmm_pool *pool)
{
	struct htmm_pool_page *whole = pool->pages;

	pool->pages = whole->next;
	pool->nr_pages--;
	return whole;
}

void htmm_pool_put(struct htmm_pool *pool, void *page)
{
	htmm_pool_push(pool, page);
	pool->held++;
}

void *htmm_pool_withdraw(struct htmm_pool *pool)
{
	if (!pool->nr_pages)
		return NULL;
	pool->held--;
	return htmm_pool_pop(pool);
}

static void *htmm_pool_page(const void *block)
{
	return (void *)((unsigned long)block & ~(HTMM_POOL_PAGE_SIZE - 1UL));
}

static u32 htmm_pool_bit(const void *block)
{
	return 1U << (unsigned long)block % HTMM_POOL_PAGE_SIZE / HTMM_POOL_BLOCK_SIZE;
}

/*
 * The part of a block's page, NULL if all its blocks are in use. A block in use may have any value
 * where a part has its number, but then @parts does not point back to it.
 */
static struct htmm_pool_part *htmm_pool_find(const struct htmm_pool *pool, const void *block)
{
	void *page = htmm_pool_page(block), *end = page + HTMM_POOL_PAGE_SIZE;
	struct htmm_pool_part *part;

	for (; page < end; page += HTMM_POOL_BLOCK_SIZE) {
		part = page;
		if (part->at < pool->nr_parts && pool->parts[part->at] == part)
			return part;
	}
	return NULL;
}

static void htmm_pool_add_part(struct htmm_pool *pool, void *block, u64 free)
{
	struct htmm_pool_part *part = block;

	*part = (struct htmm_pool_part) { .at = pool->nr_parts, .free = free };
	pool->parts[pool->nr_parts++] = part;
	pool->nr_blocks += hweight64(free);
}

/* Take a block out of a part. The block that the part itself is in is taken last. */
static void *htmm_pool_take(struct htmm_pool_part *part)
{
	u32 others = part->free & ~htmm_pool_bit(part);
	void *block = part;

	if (others)
		block = htmm_pool_page(part) + __ffs64(others) * HTMM_POOL_BLOCK_SIZE;
	part->free &= ~htmm_pool_bit(block);
	return block;
}

void *htmm_pool_block_get(struct htmm_pool *pool)
{
	struct htmm_pool_part *part;
	void *block;

	if (!pool->nr_parts) {
		if (!pool->nr_pages)
			return NULL;
		htmm_pool_add_part(pool, htmm_pool_pop(pool), HTMM_POOL_WHOLE);
	}
	part = pool->parts[pool->nr_parts - 1];
	block = htmm_pool_take(part);
	pool->nr_parts -= !part->free;
	pool->nr_blocks--;
	return memset(block, 0, HTMM_POOL_BLOCK_SIZE);
}

void htmm_pool_block_put(struct htmm_pool *pool, void *block)
{
	struct htmm_pool_part *part = htmm_pool_find(pool, block), *last;

	if (!part) {
		htmm_pool_add_part(pool, block, htmm_pool_bit(block));
		return;
	}
	part->free |= htmm_pool_bit(block);
	pool->nr_blocks++;
	if (part->free != HTMM_POOL_WHOLE)
		return;
	last = pool->parts[--pool->nr_parts];
	last->at = part->at;
	pool->parts[last->at] = last;
	pool->nr_blocks -= HTMM_POOL_BLOCKS_PER_PAGE;
	htmm_pool_push(pool, htmm_pool_page(block));
}
