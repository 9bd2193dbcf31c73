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

/*
 * Free the memory of what has cooled to zero, in a step of at most @budget regions, each at most
 * 512 counters of work; the chain of the last one is visited to its end. 1,024 empty chains count
 * as one region. True if regions may remain that were not visited since the last cooling.
 */
bool htmm_table_reclaim(struct htmm_table *table, u32 budget);

/*
 * Forget an address space, in steps of at most @budget regions: call again, with @first false,
 * until it returns false. No sample of it may be added between the first step and the last.
 * Visits all regions on the same list: those of address spaces with the same number modulo the
 * number of lists, at least 64. Only one address space is removed at a time.
 */
bool htmm_table_remove_space(struct htmm_table *table, u32 space, bool first, u32 budget);

/*
 * Forget the pages of a region that are in the bitmap @pages of HTMM_REGION_PAGES bits; @page
 * is any page of the region. Their counts are subtracted from the region's own count, and the
 * region is removed if no other page of it has a count. Returns the number of forgotten pages
 * that had a count.
 */
u32 htmm_table_forget(struct htmm_table *table, u64 page, const u64 *pages);

/*
 * Take up to @nr pages, at most HTMM_SHRINK_PAGES, out of the pool, and set @page to them. Only
 * whole pages are given back. If there are too few, unused entries are gathered in blocks, so
 * that more pages may become whole. No count is lost. Returns the number of pages.
 */
u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr);

/* Estimates the pages that htmm_table_shrink() could give back in all. */
static inline u32 htmm_table_unused(const struct htmm_table *table)
{
	return table->pool->nr_pages +
	       table->nr_free / (HTMM_BLOCK_ENTRIES * HTMM_POOL_BLOCKS_PER_PAGE);
}

#endif /* HTMM_CORE_EVICT_H */
