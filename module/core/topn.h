/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing of a table, hottest or coldest first, in memory given by the caller.
 *
 * A listing selects the first n entries after a cursor. The order is: value (descending, or
 * ascending for the coldest), then owner of the table, address space and page (ascending).
 * One walk over the directory fills a heap of n entries. The walk is done in slices; the
 * caller may release its lock of the table between two slices:
 *
 *	htmm_topn_init(&list, HTMM_LIST_PAGES, 0, entries, n);
 *	htmm_topn_after(&list, &cursor);		(all but the first time)
 *	htmm_topn_begin(&list, table);
 *	while (htmm_topn_scan(&list, table, budget))
 *		unlock, cond_resched, lock;
 *	n = htmm_topn_finish(&list);			(no lock needed)
 *
 * If the table changes between slices, each entry has the value that it had when its region
 * was visited, an entry is listed at most once, and regions first sampled after
 * htmm_topn_begin() are not listed. At the memory limit of the table, an eviction may move
 * a region that was not visited yet to a place that was: such a region is not listed
 * either. If the table does not change, the order is exact. An entry whose value crosses
 * the cursor between two listings may be listed twice or not at all.
 *
 * Tables that share no page or have different owners can be listed together: begin and scan
 * each in turn, then finish once.
 */
#ifndef HTMM_CORE_TOPN_H
#define HTMM_CORE_TOPN_H

#include "deps.h"
#include "table.h"

/**
 * enum htmm_topn_kind - what is listed, and by which value
 * @HTMM_LIST_PAGES: base pages with a count, by count
 * @HTMM_LIST_REGIONS: regions with a count, by count
 * @HTMM_LIST_SKEW: regions with a hot page, by skew
 */
enum htmm_topn_kind {
	HTMM_LIST_PAGES,
	HTMM_LIST_REGIONS,
	HTMM_LIST_SKEW
};

/**
 * struct htmm_topn_filter - which entries are listed
 * @first: first page
 * @last: last page; a region is listed if it has any page from @first to @last
 * @min: lowest value; 0: also entries that have cooled to zero and are not forgotten yet
 * @max: highest value
 * @mms: a bit for each address space that is listed, up to HTMM_MM_MAX; NULL: all
 */
struct htmm_topn_filter {
	u64 first;
	u64 last;
	u64 min;
	u64 max;
	const u64 *mms;
};

/* Words of struct htmm_topn_filter.mms. */
#define HTMM_MM_WORDS	(HTMM_MM_MAX / 64 + 1)

/* Filter for all entries with a count. */
#define HTMM_TOPN_COUNTED	\
	((struct htmm_topn_filter) { .last = U64_MAX, .min = 1, .max = U64_MAX })

/**
 * struct htmm_topn_entry - one page or region; also a cursor
 * @value: count or skew
 * @vpn: the page, or the region's first page
 * @mm: its address space
 * @owner: owner of its table
 */
struct htmm_topn_entry {
	u64 value;
	u64 vpn;
	u32 mm;
	u32 owner;
};

/**
 * struct htmm_topn - a listing in progress
 *
 * Use the functions below; the fields are an implementation detail.
 */
struct htmm_topn {
	/* private: */
	struct htmm_topn_entry *heap;	/* the coldest of the selected entries is first */
	u32 size;
	u32 len;
	enum htmm_topn_kind kind;
	unsigned int hot_bin;
	bool coldest;
	bool resumed;
	struct htmm_topn_filter filter;
	struct htmm_topn_entry after;
	u64 number;
	u32 pos;
};

/**
 * htmm_topn_init() - prepare a listing that starts with the hottest entry
 * @list: the listing
 * @kind: what to list
 * @hot_bin: lowest bin of a hot base page; for HTMM_LIST_SKEW only
 * @entries: room for the result
 * @n: number of entries wanted
 */
void htmm_topn_init(struct htmm_topn *list, enum htmm_topn_kind kind,
		    unsigned int hot_bin, struct htmm_topn_entry *entries,
		    u32 n);

/**
 * htmm_topn_select() - set the filter and the order of a listing
 * @list: the listing, not yet begun
 * @filter: the filter, copied
 * @coldest: list the coldest entries first; not for HTMM_LIST_SKEW
 */
void htmm_topn_select(struct htmm_topn *list,
		      const struct htmm_topn_filter *filter, bool coldest);

/**
 * htmm_topn_after() - continue after the last entry of the previous listing
 * @list: the listing, not yet begun
 * @cursor: the entry, copied; it need not exist any more
 */
void htmm_topn_after(struct htmm_topn *list,
		     const struct htmm_topn_entry *cursor);

/**
 * htmm_topn_begin() - start walking over a table
 * @list: the listing
 * @table: the table
 *
 * Context: under the caller's lock of @table.
 */
void htmm_topn_begin(struct htmm_topn *list, struct htmm_table *table);

/**
 * htmm_topn_scan() - walk over a slice of a table
 * @list: the listing
 * @table: the table given to htmm_topn_begin()
 * @budget: most directory entries to visit, each at most 512 counters of work
 *
 * Context: under the caller's lock of @table.
 * Return: true if the table has more entries.
 */
bool htmm_topn_scan(struct htmm_topn *list, const struct htmm_table *table,
		    u32 budget);

/**
 * htmm_topn_offer() - list one entry that was found elsewhere
 * @list: the listing
 * @entry: the entry, which passes the filter and was not offered before
 */
void htmm_topn_offer(struct htmm_topn *list, const struct htmm_topn_entry *entry);

/**
 * htmm_topn_complete() - can nothing that comes later be listed?
 * @list: a listing of the coldest entries, which are offered by ascending owner, address
 *	space and page
 *
 * Return: true if there are enough entries with the lowest value that the filter accepts.
 */
bool htmm_topn_complete(const struct htmm_topn *list);

/**
 * htmm_topn_finish() - sort the result
 * @list: the listing
 *
 * Context: any.
 * Return: number of sorted entries in the array given to htmm_topn_init(). Fewer than
 * requested means that no entries follow.
 */
u32 htmm_topn_finish(struct htmm_topn *list);

/* For the core's own files: does a filter accept an entry? */

static inline bool htmm_topn_takes_region(const struct htmm_topn_filter *filter,
					  const struct htmm_region *region)
{
	u32 mm = htmm_region_mm(region);
	u64 vpn = htmm_region_vpn(region);

	if (vpn > filter->last || vpn + HTMM_REGION_PAGES - 1 < filter->first)
		return false;
	return !filter->mms || filter->mms[mm / 64] >> mm % 64 & 1;
}

static inline bool htmm_topn_takes_page(const struct htmm_topn_filter *filter,
					u64 vpn, u64 value)
{
	return vpn >= filter->first && vpn <= filter->last &&
	       value >= filter->min && value <= filter->max;
}

#endif /* HTMM_CORE_TOPN_H */
