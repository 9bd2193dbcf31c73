/* SPDX-License-Identifier: GPL-2.0 */
/* A table that gives memory back: what is cold goes first. */
#ifndef HTMM_CORE_SHRINK_H
#define HTMM_CORE_SHRINK_H

#include "deps.h"
#include "table.h"

/* Most pages given back in one step. */
#define HTMM_SHRINK_PAGES	64
/* Most regions evicted for them. */
#define HTMM_SHRINK_EVICTIONS	1024

/**
 * htmm_table_shrink() - give pages back, in a bounded step
 * @table: the table, no listing of which is at work at this moment
 * @page: room for @nr; set to the pages, which the pool has no more
 * @nr: how many are wanted, up to HTMM_SHRINK_PAGES
 *
 * Pages that were never used go first. Then cold regions are evicted, nearly the coldest
 * first, and what is left in the pages with most room moves into the room of others.
 *
 * Return: how many were given back; fewer if the step's bound was met, or nothing is left.
 */
u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr);

#endif /* HTMM_CORE_SHRINK_H */
