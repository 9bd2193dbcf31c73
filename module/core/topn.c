// SPDX-License-Identifier: GPL-2.0
#include "topn.h"

/* Prefetch distance, in entries of the directory. */
#define HTMM_LIST_AHEAD	4

/* Does @a come before @b in a listing? False if both are the same entry. */
static bool htmm_topn_before(const struct htmm_topn *list,
			     const struct htmm_topn_entry *a,
			     const struct htmm_topn_entry *b)
{
	if (a->value != b->value)
		return list->coldest ? a->value < b->value : a->value > b->value;
	if (a->owner != b->owner)
		return a->owner < b->owner;
	if (a->mm != b->mm)
		return a->mm < b->mm;
	return a->vpn < b->vpn;
}

void htmm_topn_init(struct htmm_topn *list, enum htmm_topn_kind kind,
		    unsigned int hot_bin, struct htmm_topn_entry *entries,
		    u32 n)
{
	*list = (struct htmm_topn) {
		.heap = entries,
		.size = n,
		.kind = kind,
		.hot_bin = hot_bin,
		.filter = HTMM_TOPN_COUNTED,
	};
}

void htmm_topn_select(struct htmm_topn *list,
		      const struct htmm_topn_filter *filter, bool coldest)
{
	list->filter = *filter;
	list->coldest = coldest;
}

void htmm_topn_after(struct htmm_topn *list,
		     const struct htmm_topn_entry *cursor)
{
	list->after = *cursor;
	list->resumed = true;
}

void htmm_topn_begin(struct htmm_topn *list, struct htmm_table *table)
{
	list->number = table->listings++;
	list->pos = 0;
}

/* Restore the heap below a changed @i; its root is the last entry in listing order. */
static void htmm_topn_sift_down(struct htmm_topn *list, u32 len, u64 i)
{
	struct htmm_topn_entry *heap = list->heap, moved = heap[i];
	u64 child;

	for (; (child = 2 * i + 1) < len; i = child) {
		if (child + 1 < len &&
		    htmm_topn_before(list, &heap[child], &heap[child + 1]))
			child++;
		if (!htmm_topn_before(list, &moved, &heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

static void htmm_topn_sift_up(struct htmm_topn *list, u32 i)
{
	struct htmm_topn_entry *heap = list->heap, moved = heap[i];
	u32 parent;

	for (; i; i = parent) {
		parent = (i - 1) / 2;
		if (!htmm_topn_before(list, &heap[parent], &moved))
			break;
		heap[i] = heap[parent];
	}
	heap[i] = moved;
}

void htmm_topn_offer(struct htmm_topn *list, const struct htmm_topn_entry *entry)
{
	if (!list->size)
		return;
	if (list->resumed && !htmm_topn_before(list, &list->after, entry))
		return;
	if (list->len < list->size) {
		list->heap[list->len] = *entry;
		htmm_topn_sift_up(list, list->len++);
	} else if (htmm_topn_before(list, entry, &list->heap[0])) {
		list->heap[0] = *entry;
		htmm_topn_sift_down(list, list->len, 0);
	}
}

bool htmm_topn_complete(const struct htmm_topn *list)
{
	return list->len == list->size &&
	       (!list->len || list->heap[0].value == list->filter.min);
}

static void htmm_topn_offer_value(struct htmm_topn *list, const struct htmm_table *table,
				  const struct htmm_region *region, u64 value, u32 page)
{
	const struct htmm_topn_entry entry = {
		.value = value,
		.vpn = htmm_region_vpn(region) + page,
		.mm = htmm_region_mm(region),
		.owner = table->config.owner,
	};

	htmm_topn_offer(list, &entry);
}

/* The lowest value that can still be listed. */
static u64 htmm_topn_least(const struct htmm_topn *list)
{
	if (list->kind == HTMM_LIST_SKEW)
		return 1;
	if (list->len && list->len == list->size && !list->coldest)
		return list->heap[0].value;
	return list->filter.min;
}

/*
 * The lowest stored count in @region that is still @least after the missed coolings. A
 * count that has cooled to zero is stored as 1 or more.
 */
static u64 htmm_topn_stored(const struct htmm_table *table,
			    const struct htmm_region *region, u64 least)
{
	return least ? least << (table->epoch - region->epoch) : 1;
}

/*
 * May an entry of the directory have something to list? Usually not, and the entry alone is
 * enough to tell: no page has more samples than its region, or than a listing has found and
 * the region got since then, and without pairs no count has more digits than are stored in
 * bytes.
 */
static bool htmm_topn_may_have(const struct htmm_topn *list,
			       const struct htmm_table *table,
			       const struct htmm_region *region)
{
	u64 least = htmm_topn_least(list);
	u32 most = list->kind == HTMM_LIST_PAGES ? htmm_region_most(region) :
		   htmm_region_count(region);

	if (htmm_table_cooled(table, region, most) < least)
		return false;
	if (list->kind != HTMM_LIST_PAGES || region->pairs)
		return true;
	return !(htmm_topn_stored(table, region, least) >>
		 region->digits * HTMM_DIGIT_BITS);
}

/* Prefetch entries, then their counters, that will be visited soon. */
static void htmm_topn_ahead(const struct htmm_topn *list,
			    const struct htmm_table *table)
{
	const struct htmm_region *region;
	u32 pos = list->pos + HTMM_LIST_AHEAD;
	u64 least = htmm_topn_least(list);

	if (pos + 2 * HTMM_LIST_AHEAD < table->high)
		prefetch(htmm_table_entry(table, pos + 2 * HTMM_LIST_AHEAD));
	if (pos + HTMM_LIST_AHEAD < table->high) {
		region = htmm_table_entry(table, pos + HTMM_LIST_AHEAD);
		if (region->created)
			prefetch(region->state);
	}
	if (pos >= table->high || list->kind == HTMM_LIST_REGIONS)
		return;
	region = htmm_table_entry(table, pos);
	if (!region->created || !htmm_topn_may_have(list, table, region))
		return;
	least = htmm_topn_stored(table, region, least);
	htmm_region_prefetch(region, least);
}

static void htmm_topn_offer_pages(struct htmm_topn *list,
				  const struct htmm_table *table,
				  struct htmm_region *region)
{
	u64 vpn = htmm_region_vpn(region);
	u32 count, page, pos = 0;
	u32 least = htmm_topn_stored(table, region, htmm_topn_least(list)), most = least - 1;

	while ((count = htmm_region_next_from(region, least, &pos, &page))) {
		most = max(most, count);
		count = htmm_table_cooled(table, region, count);
		if (htmm_topn_takes_page(&list->filter, vpn + page, count))
			htmm_topn_offer_value(list, table, region, count, page);
	}
	htmm_region_note_most(region, most);
}

static void htmm_topn_offer_region(struct htmm_topn *list,
				   const struct htmm_table *table,
				   const struct htmm_region *region)
{
	struct htmm_region_info info;
	u64 value;

	if (list->kind == HTMM_LIST_SKEW) {
		htmm_table_describe(table, region, list->hot_bin, &info);
		value = info.skew;
	} else {
		value = htmm_table_cooled(table, region, htmm_region_count(region));
	}
	if (value < list->filter.min || value > list->filter.max)
		return;
	htmm_topn_offer_value(list, table, region, value, 0);
}

bool htmm_topn_scan(struct htmm_topn *list, const struct htmm_table *table,
		    u32 budget)
{
	struct htmm_region *region;
	u64 created;

	for (; budget && list->pos < table->high; budget--) {
		htmm_topn_ahead(list, table);
		region = htmm_table_entry(table, list->pos++);
		created = region->created;
		/* Skip an entry created later: it may have been visited at another place before. */
		if (!created || created > list->number)
			continue;
		if (!htmm_topn_may_have(list, table, region) ||
		    !htmm_topn_takes_region(&list->filter, region))
			continue;
		if (list->kind == HTMM_LIST_PAGES)
			htmm_topn_offer_pages(list, table, region);
		else
			htmm_topn_offer_region(list, table, region);
	}
	return list->pos < table->high;
}

u32 htmm_topn_finish(struct htmm_topn *list)
{
	struct htmm_topn_entry *heap = list->heap;
	struct htmm_topn_entry last;
	u32 left;

	for (left = list->len; left > 1; left--) {
		last = heap[left - 1];
		heap[left - 1] = heap[0];
		heap[0] = last;
		htmm_topn_sift_down(list, left - 1, 0);
	}
	return list->len;
}
