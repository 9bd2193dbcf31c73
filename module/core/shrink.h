/* SPDX-License-Identifier: GPL-2.0 */
/* Shrinking of a table: gives memory back, the coldest regions first. */
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
 * Pages that were never used are given back first. Then regions are evicted, all of the
 * coldest bin before any of the next one, and the remaining blocks of the emptiest pages are
 * moved to other pages.
 *
 * Return: number of pages given back; fewer than @nr if a limit of the step was reached or
 * nothing is left.
 */
u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr);

#endif /* HTMM_CORE_SHRINK_H */
