/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removal of pages from a table: because they have cooled to zero, with their address
 * space, or to make room (eviction). Eviction uses a clock hand over the directory: it
 * looks at the next HTMM_EVICT_WINDOW regions and removes the coldest of them.
 */
#ifndef HTMM_CORE_EVICT_H
#define HTMM_CORE_EVICT_H

#include "deps.h"
#include "table.h"

/* Regions among which the coldest is chosen to be evicted. */
#define HTMM_EVICT_WINDOW	16
/* Most regions evicted for one sample. */
#define HTMM_EVICT_MAX		32

/**
 * htmm_table_reclaim() - forget pages cooled to zero, in a bounded step
 * @table: the table
 * @budget: most directory entries to visit, each at most 512 counters of work
 *
 * Return: true if entries remain that were not visited since the last cooling.
 */
bool htmm_table_reclaim(struct htmm_table *table, u32 budget);

/**
 * htmm_table_remove_mm() - forget an address space, in a bounded step
 * @table: the table
 * @mm: the address space; no sample of it may be added between the first step and the last
 * @first: true on the first step
 * @budget: most regions to visit
 *
 * Visits the regions of @mm and of all address spaces on the same list: those with the same
 * number modulo the number of lists, which is at least 64. Only one address space is
 * removed at a time.
 *
 * Return: true if regions remain: call again with @first false.
 */
bool htmm_table_remove_mm(struct htmm_table *table, u32 mm, bool first,
			  u32 budget);

/**
 * htmm_evict() - evict one region (for the core's own files)
 * @table: the table
 * @keep: a region that must not be evicted; its entry may move
 *
 * Return: false if there is no region to evict.
 */
bool htmm_evict(struct htmm_table *table, const struct htmm_region *keep);

/**
 * htmm_evict_from_bin() - evict the next region that is cold enough (for the core's own
 *	files)
 * @table: the table, which is not empty
 * @bin: highest bin of a region that may be evicted
 * @looks: most directory entries to visit; reduced by those visited
 *
 * Return: false if there is none among them.
 */
bool htmm_evict_from_bin(struct htmm_table *table, unsigned int bin, u32 *looks);

#endif /* HTMM_CORE_EVICT_H */
