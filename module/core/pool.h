/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Store of leaves, filled with whole pages by the caller.
 *
 * The update path takes leaves and never allocates; the caller looks at what
 * is needed between batches, allocates where it may sleep, and puts pages in.
 */
#ifndef HTMM_CORE_POOL_H
#define HTMM_CORE_POOL_H

#include "env.h"

#define HTMM_POOL_PAGE_SIZE	4096
#define HTMM_POOL_LEAF_SIZE	2048
#define HTMM_POOL_LEAVES_PER_PAGE (HTMM_POOL_PAGE_SIZE / HTMM_POOL_LEAF_SIZE)

struct htmm_pool_item;

/**
 * struct htmm_pool - pages and leaves not in use
 * @pages: whole pages, never split so far
 * @leaves: leaves of split pages
 * @nr_pages: length of @pages
 * @nr_leaves: length of @leaves
 * @held: pages put in and not taken back, used ones included
 * @used: leaves now in use
 *
 * Locking: the caller's, the same as for the table that uses the pool.
 */
struct htmm_pool {
	struct htmm_pool_item *pages;
	struct htmm_pool_item *leaves;
	u32 nr_pages;
	u32 nr_leaves;
	u32 held;
	u32 used;
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
 * htmm_pool_take_back() - take a page out, to free it
 * @pool: the pool
 *
 * Pages of which a leaf was ever used come back only when no leaf at all is
 * used any more. So after htmm_table_clear(), calling this until it returns
 * NULL returns every page ever put in, once.
 *
 * Return: a page given by htmm_pool_put(), or NULL if none is free.
 */
void *htmm_pool_take_back(struct htmm_pool *pool);

/**
 * htmm_pool_free_leaves() - leaves that can be had without another page
 * @pool: the pool
 *
 * Return: number of leaves.
 */
static inline u32 htmm_pool_free_leaves(const struct htmm_pool *pool)
{
	return pool->nr_leaves + pool->nr_pages * HTMM_POOL_LEAVES_PER_PAGE;
}

/**
 * htmm_pool_leaf_get() - take a leaf (for the table)
 * @pool: the pool
 *
 * Return: HTMM_POOL_LEAF_SIZE bytes of zeroes, or NULL if the pool is empty.
 */
void *htmm_pool_leaf_get(struct htmm_pool *pool);

/**
 * htmm_pool_leaf_put() - give a leaf back (for the table)
 * @pool: the pool
 * @leaf: from htmm_pool_leaf_get()
 */
void htmm_pool_leaf_put(struct htmm_pool *pool, void *leaf);

#endif /* HTMM_CORE_POOL_H */
