// SPDX-License-Identifier: GPL-2.0
#include "index.h"
#include "scan.h"

/*
 * May a region have a count that the scan looks for? Usually not, and the entry is enough to know
 * this: no page has more samples than its region; none has more than the most that a listing has
 * found plus what the region got since then; and without marks no count is larger than a digit.
 */
static bool htmm_scan_wants(const struct htmm_scan *scan, const struct htmm_table *table,
			    const struct htmm_region *region)
{
	bool pages = scan->unit == HTMM_UNIT_PAGE;
	u32 most = pages ? htmm_region_most(region) : htmm_region_count(region);

	if (scan->least && htmm_table_cooled(table, region, most) < scan->least)
		return false;
	return !pages || region->more || htmm_scan_stored(scan, table, region) <= HTMM_DIGIT_MASK;
}

/*
 * Prefetch the digits of the first regions of the next 64 chains, if they will be read, the
 * states of the 64 after them, and the entries of the 64 after these.
 */
static void htmm_scan_prefetch(const struct htmm_scan *scan, const struct htmm_table *table)
{
	struct htmm_region *const *head = &table->head[scan->chain];
	const u64 *occupied = &table->occupied[scan->chain / 64];
	const u8 *leaf;
	u64 left;
	u32 at;

	if (scan->chain + 128 > table->head_mask)
		return;
	for (left = occupied[0]; left && scan->unit == HTMM_UNIT_PAGE; left &= left - 1) {
		leaf = htmm_region_leaf(head[__ffs64(left)]);
		if (!leaf || !htmm_scan_wants(scan, table, head[__ffs64(left)]))
			continue;
		for (at = 0; at < HTMM_REGION_PAGES; at += 64)
			prefetch(&leaf[at]);
	}
	for (left = occupied[1]; left; left &= left - 1)
		prefetch(head[64 + __ffs64(left)]->state);
	for (left = occupied[2]; left; left &= left - 1)
		prefetch(head[128 + __ffs64(left)]);
}

/* The region with the lowest key that has not been visited. Chains are short. */
static struct htmm_region *htmm_scan_on_chain(const struct htmm_scan *scan,
					      const struct htmm_table *table)
{
	struct htmm_region *region = table->head[scan->chain], *next = NULL;

	for (; region; region = region->chain) {
		if (region->key >= scan->key && (!next || region->key < next->key))
			next = region;
	}
	return next;
}

/* Most chains that one step skips, in units of 64. */
#define HTMM_SCAN_STEP		64

u32 htmm_scan_step(struct htmm_scan *scan, const struct htmm_table *table)
{
	const u64 *occupied;
	u32 cost = 1;

	scan->key = 0;
	scan->chain = htmm_index_after(table, scan->chain);
	if (scan->chain % 64)
		return 0;
	/* Small tables are mostly empty. */
	for (; cost < HTMM_SCAN_STEP && scan->chain + 128 <= table->head_mask; cost++) {
		occupied = &table->occupied[scan->chain / 64];
		if (occupied[0] | occupied[1] | occupied[2])
			break;
		scan->chain += 64;
	}
	htmm_scan_prefetch(scan, table);
	return cost;
}

struct htmm_region *htmm_scan_next(struct htmm_scan *scan, const struct htmm_table *table,
				   u32 *budget)
{
	struct htmm_region *region;

	while (*budget && !htmm_scan_ended(scan, table)) {
		region = htmm_scan_on_chain(scan, table);
		if (!region) {
			*budget -= min(*budget, htmm_scan_step(scan, table));
			continue;
		}
		*budget -= min_t(u32, *budget, HTMM_SCAN_REGION);
		scan->key = region->key + 1;
		if (htmm_scan_wants(scan, table, region))
			return region;
	}
	return NULL;
}

void htmm_table_counts(const struct htmm_table *table, u32 space, u64 vpn, u32 *count, u64 *tracked)
{
	const struct htmm_region *region =
		htmm_index_find(table, htmm_region_key(htmm_page(space, vpn)));
	u32 page, value, pos = 0;

	memset(count, 0, HTMM_REGION_PAGES * sizeof(*count));
	if (tracked)
		memset(tracked, 0, HTMM_REGION_PAGES / 8);
	while (region && (value = htmm_region_next(region, 1, &pos, &page))) {
		count[page] = htmm_table_cooled(table, region, value);
		if (tracked && count[page])
			tracked[page / 64] |= 1ULL << page % 64;
	}
}

u64 htmm_table_sum(const struct htmm_table *table, u64 page, u64 *pages)
{
	const struct htmm_region *region = htmm_index_find(table, htmm_region_key(page));
	u64 counted[HTMM_REGION_PAGES / 64] = {}, sum = 0;
	u32 at, value, pos = 0;

	while (region && (value = htmm_region_next(region, 1, &pos, &at))) {
		value = htmm_table_cooled(table, region, value);
		if (!value || !(pages[at / 64] >> at % 64 & 1))
			continue;
		counted[at / 64] |= 1ULL << at % 64;
		sum += value;
	}
	memcpy(pages, counted, sizeof(counted));
	return sum;
}
