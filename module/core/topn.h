/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing of a table, in memory given by the caller.
 *
 * A listing selects the first n entries after a cursor:
 *
 *   by count   hottest or coldest first, then by owner of the table, address space and page
 *   by place   in the order of a walk over the table, which begins at the cursor and ends
 *              when n entries are found
 *
 * The walk is done in slices; the caller may release its lock of the table between two:
 *
 *	struct htmm_topn list = {
 *		.filter = HTMM_TOPN_COUNTED, .entries = entries, .size = n, .after = cursor,
 *	};
 *
 *	htmm_topn_begin(&list, table);
 *	while (htmm_topn_scan(&list, table, budget))
 *		unlock, cond_resched, lock;
 *	n = htmm_topn_finish(&list);			(no lock needed)
 *
 * Each entry has the value that it had when the walk passed it, and is listed at most once.
 * A page that is tracked all the time is not missed, also not by a sequence of listings by
 * place, each of which continues after the one before. By count, an entry whose value crosses
 * the cursor between two listings may be listed twice or not at all.
 *
 * Tables that share no page or have different owners can be listed together: begin and scan
 * each in turn, then finish once. By place, the cursor is for the first of them only.
 */
#ifndef HTMM_CORE_TOPN_H
#define HTMM_CORE_TOPN_H

#include "scan.h"

/**
 * struct htmm_topn_filter - which entries are listed
 * @first: first page
 * @last: last page; a region is listed if it has any page from @first to @last
 * @min: lowest count; 0: also regions that have cooled to zero and are not forgotten yet
 * @max: highest count
 * @spaces: a bit for each address space that is listed, up to HTMM_SPACE_MAX; NULL: all
 */
struct htmm_topn_filter {
	u64 first;
	u64 last;
	u64 min;
	u64 max;
	const u64 *spaces;
};

/* Words of struct htmm_topn_filter.spaces. */
#define HTMM_SPACE_WORDS	(HTMM_SPACE_MAX / 64 + 1)

/* Filter for all entries with a count. */
#define HTMM_TOPN_COUNTED	\
	((struct htmm_topn_filter) { .last = U64_MAX, .min = 1, .max = U64_MAX })

/**
 * struct htmm_topn_entry - one page or region; also a cursor
 * @value: its count
 * @vpn: the page, or the region's first page
 * @space: its address space
 * @owner: owner of its table
 */
struct htmm_topn_entry {
	u64 value;
	u64 vpn;
	u32 space;
	u32 owner;
};

/**
 * struct htmm_topn - a listing in progress
 * @entries: room for the result
 * @size: number of entries wanted
 * @len: number of entries found
 * @unit: list base pages or regions
 * @order: how they are sorted
 * @filter: which of them
 * @after: the last entry of the previous listing, which need not exist any more; NULL: list
 *	from the beginning. By place: NULL for all tables but the first
 * @into: NULL; or, for a listing by place, a listing by count that its entries are for: entries
 *	that would not get onto that listing, as it is now, are left out
 */
struct htmm_topn {
	struct htmm_topn_entry *entries;
	u32 size;
	u32 len;
	enum htmm_unit unit;
	enum htmm_order order;
	struct htmm_topn_filter filter;
	const struct htmm_topn_entry *after;
	const struct htmm_topn *into;

	/* private: */
	struct htmm_scan scan;
};

/* Start walking over a table, whose lock is held. */
void htmm_topn_begin(struct htmm_topn *list, const struct htmm_table *table);

/*
 * Walk over a slice of the table, whose lock is held; @budget is as for htmm_scan_next(). True
 * if the table may have more entries for the list.
 */
bool htmm_topn_scan(struct htmm_topn *list, const struct htmm_table *table, u32 budget);

/* List one entry, which passes the filter and was not offered before, if it is among the first. */
void htmm_topn_offer(struct htmm_topn *list, const struct htmm_topn_entry *entry);

/*
 * True if no later entry can get onto a listing by place, or onto one of the coldest entries, which
 * are offered by ascending owner, address space and page: it is full, and for the coldest, all have
 * the lowest count that the filter accepts.
 */
bool htmm_topn_complete(const struct htmm_topn *list);

/* Sort the result. Returns the number of entries; fewer than requested: no more follow. */
u32 htmm_topn_finish(struct htmm_topn *list);

/* Does a filter accept a page? Address spaces are not checked. */
static inline bool htmm_topn_takes_page(const struct htmm_topn_filter *filter, u64 vpn, u64 value)
{
	return vpn >= filter->first && vpn <= filter->last &&
	       value >= filter->min && value <= filter->max;
}

#endif /* HTMM_CORE_TOPN_H */
