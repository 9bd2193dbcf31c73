/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a table gives back: what it does not use, and what its coldest regions use if
 * they are evicted first.
 */
#ifndef HTMM_CORE_SHRINK_H
#define HTMM_CORE_SHRINK_H

#include "deps.h"
#include "table.h"

/* Most pages given back in one step. */
#define HTMM_SHRINK_PAGES	64
/* Most regions evicted in one step. */
#define HTMM_SHRINK_EVICTIONS	1024

/**
 * htmm_table_shrink() - give pages back, in a bounded step
 * @table: the table, which no listing may be scanning now
 * @page: array of @nr; set to the pages, which are removed from the pool
 * @nr: number of pages wanted, up to HTMM_SHRINK_PAGES
 *
 * Pages that were never used are given back first. Then the blocks in use of the emptiest
 * pages are moved to other pages. No count is lost.
 *
 * Return: number of pages given back; fewer than @nr if there is not as much unused memory.
 */
u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr);

/**
 * htmm_table_make_unused() - evict the coldest regions, in a bounded step
 * @table: the table, which no listing may be scanning now
 * @nr: number of pages that htmm_table_shrink() shall be able to give back
 *
 * All regions of the coldest bin are evicted before any of the next one. Evicts at most
 * HTMM_SHRINK_EVICTIONS regions.
 */
void htmm_table_make_unused(struct htmm_table *table, u32 nr);

#endif /* HTMM_CORE_SHRINK_H */
