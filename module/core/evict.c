// SPDX-License-Identifier: GPL-2.0
#include "evict.h"
#include "index.h"

/* Forget a region. Returns the number of base pages forgotten with it. */
static u32 htmm_table_remove(struct htmm_table *table, struct htmm_region *region)
{
	u32 pages = 0, count, page, pos = 0;

	htmm_table_cool_region(table, region);
	for (; (count = htmm_region_next(region, &pos, &page)); pages++)
		htmm_hist_remove(&table->hist[HTMM_KIND_BASE], count);
	table->pages -= pages;
	htmm_region_release(region, table->pool);
	htmm_index_destroy(table, region);
	return pages;
}

/*
 * Find the coldest of the next regions, excluding @keep. Unused entries count as visited,
 * too, so the work is bounded.
 */
static struct htmm_region *htmm_evict_coldest(struct htmm_table *table,
					      const struct htmm_region *keep)
{
	struct htmm_region *region, *coldest = NULL;
	u32 count, least = 0, seen = 0;
	u32 looks = min(table->high, 8U * HTMM_EVICT_WINDOW);

	for (; looks && seen < HTMM_EVICT_WINDOW; looks--) {
		if (table->hand >= table->high)
			table->hand = 0;
		region = htmm_table_entry(table, table->hand++);
		if (!region->created || region == keep)
			continue;
		seen++;
		count = htmm_table_cooled(table, region, htmm_region_count(region));
		if (!coldest || count < least) {
			coldest = region;
			least = count;
		}
	}
	return coldest;
}

static void htmm_evict_region(struct htmm_table *table, struct htmm_region *region)
{
	table->evicted += htmm_table_remove(table, region);
	table->moved = true;
	if (table->nr_free >= HTMM_BLOCK_ENTRIES)
		htmm_index_compact(table);
}

bool htmm_evict(struct htmm_table *table, const struct htmm_region *keep)
{
	struct htmm_region *coldest = htmm_evict_coldest(table, keep);

	if (!coldest)
		return false;
	htmm_evict_region(table, coldest);
	return true;
}

bool htmm_evict_from_bin(struct htmm_table *table, unsigned int bin, u32 *looks)
{
	struct htmm_region *region;
	u32 count;

	while (*looks) {
		--*looks;
		if (table->hand >= table->high)
			table->hand = 0;
		region = htmm_table_entry(table, table->hand++);
		if (!region->created)
			continue;
		count = htmm_table_cooled(table, region, htmm_region_count(region));
		if (htmm_hist_bin(count) > bin)
			continue;
		htmm_evict_region(table, region);
		return true;
	}
	return false;
}

/* Distance at which a sweep prefetches, in entries of the directory. */
#define HTMM_SWEEP_AHEAD	4

/* Prefetch states, then counters, of entries that a sweep will visit soon. */
static void htmm_sweep_ahead(const struct htmm_table *table)
{
	u32 at = table->sweep + HTMM_SWEEP_AHEAD;

	if (at + HTMM_SWEEP_AHEAD >= table->high)
		return;
	htmm_fetch(htmm_table_entry(table, at + HTMM_SWEEP_AHEAD)->state);
	if (htmm_table_entry(table, at)->created)
		htmm_region_prefetch_all(htmm_table_entry(table, at));
}

bool htmm_table_reclaim(struct htmm_table *table, u32 budget)
{
	struct htmm_region *region;

	for (; budget && table->sweep_left; budget--, table->sweep_left--) {
		if (table->sweep >= table->high)
			table->sweep = 0;
		htmm_sweep_ahead(table);
		region = htmm_table_entry(table, table->sweep++);
		if (!region->created)
			continue;
		htmm_table_cool_region(table, region);
		if (!htmm_region_count(region))
			htmm_index_destroy(table, region);
	}
	return table->sweep_left;
}

bool htmm_table_remove_mm(struct htmm_table *table, u32 mm, bool first,
			  u32 budget)
{
	struct htmm_region *region;

	if (first)
		table->exiting = *htmm_index_mm(table, mm);
	for (; budget && table->exiting; budget--) {
		region = htmm_table_entry(table, table->exiting - 1);
		if (htmm_region_mm(region) == mm)
			htmm_table_remove(table, region);
		else
			table->exiting = region->next;
	}
	return table->exiting;
}
