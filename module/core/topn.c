// SPDX-License-Identifier: GPL-2.0
#include "index.h"
#include "topn.h"

/* Does @a come before @b, which the walk found later? False if both are the same entry. */
static bool htmm_topn_before(const struct htmm_topn *list, const struct htmm_topn_entry *a,
			     const struct htmm_topn_entry *b)
{
	/* By place, only the pages of the same region have an order. */
	if (list->order == HTMM_ORDER_TABLE)
		return a->vpn < b->vpn || a->owner != b->owner || a->space != b->space ||
		       (a->vpn ^ b->vpn) >= HTMM_REGION_PAGES;
	if (a->value != b->value)
		return list->order == HTMM_ORDER_COLDEST ? a->value < b->value :
							  a->value > b->value;
	if (a->owner != b->owner)
		return a->owner < b->owner;
	if (a->space != b->space)
		return a->space < b->space;
	return a->vpn < b->vpn;
}

void htmm_topn_begin(struct htmm_topn *list, const struct htmm_table *table)
{
	const struct htmm_topn_entry *after = list->after;
	struct htmm_scan *scan = &list->scan;

	*scan = (struct htmm_scan) { .unit = list->unit };
	if (!after || list->order != HTMM_ORDER_TABLE)
		return;
	scan->key = htmm_region_key(htmm_page(after->space, after->vpn));
	scan->chain = htmm_index_hash(scan->key, table->multiplier, table->head_mask);
}

/*
 * Once the list is full, it is a heap, whose root is the last entry in listing order. Restore
 * it below a changed @i.
 */
static void htmm_topn_sift_down(struct htmm_topn *list, u32 len, u64 i)
{
	struct htmm_topn_entry *heap = list->entries, moved = heap[i];
	u64 child;

	for (; (child = 2 * i + 1) < len; i = child) {
		if (child + 1 < len && htmm_topn_before(list, &heap[child], &heap[child + 1]))
			child++;
		if (!htmm_topn_before(list, &moved, &heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

/* Make a heap of all entries. */
static void htmm_topn_heapify(struct htmm_topn *list)
{
	u32 i;

	for (i = list->len / 2; i--; )
		htmm_topn_sift_down(list, list->len, i);
}

/* By place: the pages of a sparse region are not found in order. */
static void htmm_topn_insert(struct htmm_topn *list, const struct htmm_topn_entry *entry)
{
	struct htmm_topn_entry *last = &list->entries[list->len];

	if (list->len < list->size)
		list->len++;
	else if (htmm_topn_before(list, --last, entry))
		return;
	for (; last > list->entries && !htmm_topn_before(list, last - 1, entry); last--)
		*last = last[-1];
	*last = *entry;
}

/* Can an entry get onto the list, as it is now? */
static bool htmm_topn_takes(const struct htmm_topn *list, const struct htmm_topn_entry *entry)
{
	if (!list->size || (list->after && !htmm_topn_before(list, list->after, entry)))
		return false;
	if (list->order == HTMM_ORDER_TABLE)
		return !list->into || htmm_topn_takes(list->into, entry);
	return list->len < list->size || htmm_topn_before(list, entry, &list->entries[0]);
}

void htmm_topn_offer(struct htmm_topn *list, const struct htmm_topn_entry *entry)
{
	if (!htmm_topn_takes(list, entry))
		return;
	if (list->order == HTMM_ORDER_TABLE) {
		htmm_topn_insert(list, entry);
	} else if (list->len < list->size) {
		list->entries[list->len++] = *entry;
		if (list->len == list->size)
			htmm_topn_heapify(list);
	} else {
		list->entries[0] = *entry;
		htmm_topn_sift_down(list, list->len, 0);
	}
}

bool htmm_topn_complete(const struct htmm_topn *list)
{
	return list->len == list->size &&
	       (list->order == HTMM_ORDER_TABLE || !list->len ||
		list->entries[0].value == list->filter.min);
}

static bool htmm_topn_takes_region(const struct htmm_topn_filter *filter,
				   const struct htmm_region *region)
{
	u32 space = htmm_region_space(region);
	u64 vpn = htmm_region_vpn(region);

	if (vpn > filter->last || vpn + HTMM_REGION_PAGES - 1 < filter->first)
		return false;
	return !filter->spaces || filter->spaces[space / 64] >> space % 64 & 1;
}

static void htmm_topn_offer_count(struct htmm_topn *list, const struct htmm_table *table,
				  const struct htmm_region *region, u32 page, u32 count)
{
	const struct htmm_topn_entry entry = {
		.value = htmm_table_cooled(table, region, count),
		.vpn = htmm_region_vpn(region) + page,
		.space = htmm_region_space(region),
		.owner = table->config.owner,
	};

	if (entry.value < list->filter.min || entry.value > list->filter.max)
		return;
	/* A page that has cooled to zero is forgotten, even if its region was not cooled yet. */
	if (!entry.value && list->unit == HTMM_UNIT_PAGE)
		return;
	if (list->unit == HTMM_UNIT_REGION ||
	    (entry.vpn >= list->filter.first && entry.vpn <= list->filter.last))
		htmm_topn_offer(list, &entry);
}

static void htmm_topn_offer_pages(struct htmm_topn *list, const struct htmm_table *table,
				  struct htmm_region *region)
{
	u32 least = htmm_scan_stored(&list->scan, table, region), most = least - 1;
	u32 all = htmm_region_count(region), count, page, pos = 0;

	while ((count = htmm_region_next(region, least, &pos, &page))) {
		most = max(most, count);
		htmm_topn_offer_count(list, table, region, page, count);
	}
	/* If the region's count has reached the maximum, it says nothing about its pages. */
	if (all > most && all != U32_MAX)
		region->rest = all - most;
}

/* The lowest count that can still be listed. */
static u64 htmm_topn_least(const struct htmm_topn *list)
{
	const struct htmm_topn *by_count = list->into ?: list;
	bool full = by_count->len && by_count->len == by_count->size;

	if (full && by_count->order == HTMM_ORDER_HOTTEST)
		return by_count->entries[0].value;
	return list->filter.min;
}

bool htmm_topn_scan(struct htmm_topn *list, const struct htmm_table *table, u32 budget)
{
	bool by_place = list->order == HTMM_ORDER_TABLE;
	struct htmm_region *region;

	while (!by_place || !htmm_topn_complete(list)) {
		list->scan.least = htmm_topn_least(list);
		region = htmm_scan_next(&list->scan, table, &budget);
		if (!region)
			return !htmm_scan_ended(&list->scan, table);
		if (!htmm_topn_takes_region(&list->filter, region))
			continue;
		if (list->unit == HTMM_UNIT_PAGE)
			htmm_topn_offer_pages(list, table, region);
		else
			htmm_topn_offer_count(list, table, region, 0, htmm_region_count(region));
	}
	return false;
}

u32 htmm_topn_finish(struct htmm_topn *list)
{
	struct htmm_topn_entry *heap = list->entries, last;
	u32 left = list->order == HTMM_ORDER_TABLE ? 0 : list->len;

	if (left && left < list->size)
		htmm_topn_heapify(list);
	for (; left > 1; left--) {
		last = heap[left - 1];
		heap[left - 1] = heap[0];
		heap[0] = last;
		htmm_topn_sift_down(list, left - 1, 0);
	}
	return list->len;
}
