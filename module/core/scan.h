/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a table: one region, or all of them in several steps.
 *
 * The steps follow the hash chains, and each chain by key. No change of the table changes
 * this order. So a region that is tracked all the time is visited exactly once.
 */
#ifndef HTMM_CORE_SCAN_H
#define HTMM_CORE_SCAN_H

#include "table.h"

/* What a region costs of a step's budget; 64 chains cost 1. */
#define HTMM_SCAN_REGION	16

/*
 * @scan->least as it is stored in a region, before the coolings that the region has missed. A
 * count that has cooled to zero is stored as 1 or more.
 */
static inline u64 htmm_scan_stored(const struct htmm_scan *scan, const struct htmm_table *table,
				   const struct htmm_region *region)
{
	return scan->least ? scan->least << (table->epoch - region->epoch) : 1;
}

/*
 * The next region; NULL if the step's @budget is used up, or at the end. A region takes
 * HTMM_SCAN_REGION of the budget, 64 chains take 1. Regions without a count of @scan->least or
 * more may be left out.
 */
struct htmm_region *htmm_scan_next(struct htmm_scan *scan, const struct htmm_table *table,
				   u32 *budget);

/* Go to the next chain that is not empty, or to the first of the next 64. Returns its cost. */
u32 htmm_scan_step(struct htmm_scan *scan, const struct htmm_table *table);

/* Have all regions been visited? */
static inline bool htmm_scan_ended(const struct htmm_scan *scan, const struct htmm_table *table)
{
	return scan->chain > table->head_mask;
}

/*
 * Get the counts of all pages of the region of page @vpn, halved by every cooling so far: @count
 * is an array of HTMM_REGION_PAGES, @tracked NULL or a bitmap, set for each page with a count.
 */
void htmm_table_counts(const struct htmm_table *table, u32 space, u64 vpn,
		       u32 *count, u64 *tracked);

/*
 * The sum of the counts of some pages of a region, halved by every cooling so far. @page is the
 * name of any of its pages; in the bitmap @pages those without a count are cleared.
 */
u64 htmm_table_sum(const struct htmm_table *table, u64 page, u64 *pages);

#endif /* HTMM_CORE_SCAN_H */
