/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removal from a table: of what has cooled to zero, of an address space, of pages that no longer
 * exist, or to make room (eviction). Eviction uses a clock hand over the chains.
 */
#ifndef HTMM_CORE_EVICT_H
#define HTMM_CORE_EVICT_H

#include "table.h"

/* Regions among which the coldest is chosen to be evicted. */
#define HTMM_EVICT_WINDOW	16
/* Most regions evicted for one sample. */
#define HTMM_EVICT_MAX		32

/* Most pages given back in one step, and most blocks of unused entries freed for them. */
#define HTMM_SHRINK_PAGES	64
#define HTMM_SHRINK_BLOCKS	(HTMM_SHRINK_PAGES * HTMM_POOL_BLOCKS_PER_PAGE)

/**
 * htmm_table_reclaim() - free the memory of what has cooled to zero, in a bounded step
 * @table: the table
 * @budget: most regions to visit, each at most 512 counters of work; the chain of the last
 *	one is visited to its end. 1,024 empty chains count as one region
 *
 * Return: true if regions may remain that were not visited since the last cooling.
 */
bool htmm_table_reclaim(struct htmm_table *table, u32 budget);

/**
 * htmm_table_remove_mm() - forget an address space, in a bounded step
 * @table: the table
 * @mm: the address space; no sample of it may be added between the first step and the last
 * @first: true on the first step
 * @budget: most regions to visit
 *
 * Visits all regions on the same list: those of address spaces with the same number modulo
 * the number of lists, at least 64. Only one address space is removed at a time.
 *
 * Return: true if regions remain: call again with @first false.
 */
bool htmm_table_remove_mm(struct htmm_table *table, u32 mm, bool first,
			  u32 budget);

/**
 * htmm_table_forget() - forget pages of a region
 * @table: the table
 * @page: htmm_page() of any of its pages
 * @pages: bitmap of HTMM_REGION_PAGES bits: the pages to forget
 *
 * The region's own count becomes less by their counts. The region is removed if no other page of
 * it has a count.
 *
 * Return: number of pages forgotten that had a count.
 */
u32 htmm_table_forget(struct htmm_table *table, u64 page, const u64 *pages);

/**
 * htmm_table_shrink() - give pages back, in a bounded step
 * @table: the table
 * @page: array of @nr; set to the pages, which are removed from the pool
 * @nr: number of pages wanted, up to HTMM_SHRINK_PAGES
 *
 * Only whole pages are given back. If there are too few, unused entries are gathered in blocks,
 * which may make some more whole. No count is lost.
 *
 * Return: number of pages given back.
 */
u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr);

/**
 * htmm_table_unused() - estimate what htmm_table_shrink() could give back in all
 * @table: the table
 *
 * Return: number of pages.
 */
static inline u32 htmm_table_unused(const struct htmm_table *table)
{
	return table->pool->nr_pages +
	       table->nr_free / (HTMM_BLOCK_ENTRIES * HTMM_POOL_BLOCKS_PER_PAGE);
}

#endif /* HTMM_CORE_EVICT_H */
