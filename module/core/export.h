/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing of a whole table in several steps, in time linear in the size of the table.
 *
 * Entries are listed in the order of the hash chains, and within a chain by address space
 * and page. No sample, cooling, eviction or move of an entry changes the position of a page
 * in this order. So a listing that continues after the last entry of the previous one
 *
 *   lists each page that is tracked all the time exactly once, and
 *   lists no page twice,
 *
 * even if the table changes meanwhile. The count of a page is read when its region is
 * visited. The pages of a region are listed in ascending order.
 *
 *	htmm_export_init(&export, HTMM_LIST_PAGES, &filter, entries, n);
 *	htmm_export_begin(&export, table, &cursor);	(NULL the first time)
 *	while (htmm_export_scan(&export, table, budget))
 *		unlock, cond_resched, lock;
 *
 * To list several tables, begin and scan each in turn until the result array is full. Only
 * the first table continues after the cursor.
 */
#ifndef HTMM_CORE_EXPORT_H
#define HTMM_CORE_EXPORT_H

#include "deps.h"
#include "table.h"
#include "topn.h"

/* Cost of visiting a region; visiting an empty chain costs 1. */
#define HTMM_EXPORT_REGION_COST	16

/**
 * struct htmm_export - a listing in progress
 * @len: number of entries so far
 *
 * Use the functions below; the other fields are an implementation detail.
 */
struct htmm_export {
	u32 len;

	/* private: */
	struct htmm_topn_entry *entries;
	u32 size;
	enum htmm_topn_kind kind;
	struct htmm_topn_filter filter;
	u32 chain;			/* next chain to visit */
	u32 page;			/* first page to list of @key's region */
	u64 key;			/* smallest key on @chain still to visit */
};

/**
 * htmm_export_init() - prepare a listing from the beginning
 * @export: the listing
 * @kind: HTMM_LIST_PAGES or HTMM_LIST_REGIONS
 * @filter: which entries, copied
 * @entries: array for the result
 * @n: number of entries wanted, at least 1
 */
void htmm_export_init(struct htmm_export *export, enum htmm_topn_kind kind,
		      const struct htmm_topn_filter *filter,
		      struct htmm_topn_entry *entries, u32 n);

/**
 * htmm_export_begin() - start with a table
 * @export: the listing
 * @table: the table
 * @after: continue after this entry of the previous listing, which need not exist any more;
 *	NULL: start at the beginning of the table
 */
void htmm_export_begin(struct htmm_export *export, const struct htmm_table *table,
		       const struct htmm_topn_entry *after);

/**
 * htmm_export_scan() - visit a part of a table
 * @export: the listing
 * @table: the table given to htmm_export_begin()
 * @budget: most chains to visit; a region counts as HTMM_EXPORT_REGION_COST of them
 *
 * Context: under the caller's lock of @table.
 * Return: true if the table has more entries and the result array has room.
 */
bool htmm_export_scan(struct htmm_export *export, const struct htmm_table *table,
		      u32 budget);

#endif /* HTMM_CORE_EXPORT_H */
