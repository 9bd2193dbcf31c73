/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool of memory blocks. The update path takes blocks from it and never allocates: the caller
 * fills it with whole pages between batches, where it may sleep. A page whose blocks are all
 * free again is whole again, and can be withdrawn.
 */
#ifndef HTMM_CORE_POOL_H
#define HTMM_CORE_POOL_H

#include "deps.h"

#define HTMM_POOL_PAGE_SIZE	4096
#define HTMM_POOL_BLOCK_SIZE	512
#define HTMM_POOL_BLOCKS_PER_PAGE (HTMM_POOL_PAGE_SIZE / HTMM_POOL_BLOCK_SIZE)

struct htmm_pool_page;
struct htmm_pool_part;

/**
 * struct htmm_pool - pages and blocks not in use
 * @pages: whole pages, a stack
 * @parts: pages of which some blocks are free and some are in use
 * @nr_pages: length of @pages
 * @nr_parts: length of @parts
 * @nr_blocks: free blocks of @parts
 * @held: pages of the pool, including those in use
 *
 * Locking: the caller's, the same as for the table that uses the pool.
 */
struct htmm_pool {
	struct htmm_pool_page *pages;
	struct htmm_pool_part **parts;
	u32 nr_pages;
	u32 nr_parts;
	u32 nr_blocks;
	u32 held;
};

/* @parts: array of pointers, one for each page that the pool may hold at a time. */
void htmm_pool_init(struct htmm_pool *pool, void *parts);

/* Give a page to the pool: HTMM_POOL_PAGE_SIZE bytes, aligned to their size, with any contents. */
void htmm_pool_put(struct htmm_pool *pool, void *page);

/* Take a whole page out of the pool; NULL if no page is whole. */
void *htmm_pool_withdraw(struct htmm_pool *pool);

/* Number of blocks available without another page. */
static inline u32 htmm_pool_free_blocks(const struct htmm_pool *pool)
{
	return pool->nr_blocks + pool->nr_pages * HTMM_POOL_BLOCKS_PER_PAGE;
}

/*
 * Take a block of HTMM_POOL_BLOCK_SIZE zeroes, for the table; NULL if the pool is empty. Whole
 * pages are only split when no page has both free blocks and others in use.
 */
void *htmm_pool_block_get(struct htmm_pool *pool);

/* Give a block back. */
void htmm_pool_block_put(struct htmm_pool *pool, void *block);

#endif /* HTMM_CORE_POOL_H */
