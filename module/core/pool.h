/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool of memory blocks. The update path takes blocks from it and never allocates: the caller
 * fills it with whole pages between batches, where it may sleep.
 */
#ifndef HTMM_CORE_POOL_H
#define HTMM_CORE_POOL_H

#include "deps.h"

#define HTMM_POOL_PAGE_SIZE	4096
#define HTMM_POOL_BLOCK_SIZE	512
#define HTMM_POOL_BLOCKS_PER_PAGE (HTMM_POOL_PAGE_SIZE / HTMM_POOL_BLOCK_SIZE)

struct htmm_pool_item;

/**
 * struct htmm_pool - pages and blocks not in use
 * @pages: whole pages, not split into blocks yet
 * @blocks: blocks of split pages
 * @nr_pages: length of @pages
 * @nr_blocks: length of @blocks
 * @held: pages of the pool, including those in use
 *
 * Locking: the caller's, the same as for the table that uses the pool.
 */
struct htmm_pool {
	struct htmm_pool_item *pages;
	struct htmm_pool_item *blocks;
	u32 nr_pages;
	u32 nr_blocks;
	u32 held;
};

/**
 * htmm_pool_init() - prepare an empty pool
 * @pool: the pool
 */
void htmm_pool_init(struct htmm_pool *pool);

/**
 * htmm_pool_put() - give a page to the pool
 * @pool: the pool
 * @page: HTMM_POOL_PAGE_SIZE bytes, aligned to their size; contents do not matter
 */
void htmm_pool_put(struct htmm_pool *pool, void *page);

/**
 * htmm_pool_free_blocks() - number of blocks available without another page
 * @pool: the pool
 */
static inline u32 htmm_pool_free_blocks(const struct htmm_pool *pool)
{
	return pool->nr_blocks + pool->nr_pages * HTMM_POOL_BLOCKS_PER_PAGE;
}

/**
 * htmm_pool_unused_pages() - number of pages that could be withdrawn
 * @pool: the pool
 */
static inline u32 htmm_pool_unused_pages(const struct htmm_pool *pool)
{
	return htmm_pool_free_blocks(pool) / HTMM_POOL_BLOCKS_PER_PAGE;
}

/**
 * htmm_pool_block_get() - take a block (for the table)
 * @pool: the pool
 *
 * Return: HTMM_POOL_BLOCK_SIZE bytes of zeroes, or NULL if the pool is empty.
 */
void *htmm_pool_block_get(struct htmm_pool *pool);

/**
 * htmm_pool_block_put() - give a block back (for the table)
 * @pool: the pool
 * @block: from htmm_pool_block_get()
 */
void htmm_pool_block_put(struct htmm_pool *pool, void *block);

/**
 * htmm_pool_withdraw() - take pages out of the pool
 * @pool: the pool
 * @page: set to the pages, in ascending order
 * @nr: number of pages wanted
 *
 * If there are too few whole pages, pages that have free blocks are taken, too. The pool no
 * longer hands out these blocks, and the caller must move the used ones. The pool keeps
 * enough free blocks elsewhere for them.
 *
 * Return: number of pages.
 */
u32 htmm_pool_withdraw(struct htmm_pool *pool, void **page, u32 nr);

/**
 * htmm_pool_moved() - move a block if it is in some pages
 * @pool: the pool
 * @page: the pages, in ascending order
 * @n: number of pages
 * @block: a block in use
 *
 * Return: its new place; @block if it is not in the pages.
 */
void *htmm_pool_moved(struct htmm_pool *pool, void *const *page, u32 n, void *block);

#endif /* HTMM_CORE_POOL_H */
