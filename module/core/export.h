/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing of a whole table, piece by piece, in a time that grows with the table alone.
 *
 * Entries come in the order of the hash chains, on one chain by address space and page. No
 * sample, cooling, eviction or move of an entry changes where a page is in this order.
 * So a listing that goes on after the last entry of the one before
 *
 *   lists each page that is tracked all the time exactly once, and
 *   lists no page twice,
 *
 * whatever happens to the table meanwhile. A page has the count of the moment in which
 * its region is visited. The pages of one region follow each other by ascending number.
 *
 *	htmm_export_init(&export, HTMM_LIST_PAGES, &filter, entries, n);
 *	htmm_export_begin(&export, table, &cursor);	(NULL the first time)
 *	while (htmm_export_scan(&export, table, budget))
 *		unlock, cond_resched, lock;
 *
 * Several tables are listed one after the other: begin and scan each until the room is
 * full. Only the first of them goes on after the cursor.
 */
#ifndef HTMM_CORE_EXPORT_H
#define HTMM_CORE_EXPORT_H

#include "deps.h"
#include "table.h"
#include "topn.h"

/* A chain without a region, beside which the visit of a region costs so much. */
#define HTMM_EXPORT_REGION_COST	16

/**
 * struct htmm_export - a listing under way
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
	u32 chain;			/* the next one to visit */
	u32 page;			/* of @key's region, the first to list */
	u64 key;			/* on @chain, the least to visit */
};

/**
 * htmm_export_init() - prepare a listing from the beginning
 * @export: the listing
 * @kind: HTMM_LIST_PAGES or HTMM_LIST_REGIONS
 * @filter: which entries, copied
 * @entries: room for the result
 * @n: number of entries wanted, at least 1
 */
void htmm_export_init(struct htmm_export *export, enum htmm_topn_kind kind,
		      const struct htmm_topn_filter *filter,
		      struct htmm_topn_entry *entries, u32 n);

/**
 * htmm_export_begin() - start with a table
 * @export: the listing
 * @table: the table
 * @after: go on after this entry of the listing before, which need not exist any more;
 *	NULL: from the table's beginning
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
 * Return: true if the table has more and there is room for it.
 */
bool htmm_export_scan(struct htmm_export *export, const struct htmm_table *table,
		      u32 budget);

#endif /* HTMM_CORE_EXPORT_H */
