// SPDX-License-Identifier: GPL-2.0
#include "evict.h"
#include "index.h"

void htmm_table_cool_region(struct htmm_table *table,
			    struct htmm_region *region)
{
	u64 missed = table->epoch - region->epoch;
	u32 gone;

	if (!missed)
		return;
	htmm_front_drop(region);
	gone = htmm_region_cool(region, table->pool, missed);
	region->epoch = table->epoch;
	if (region->digits)
		htmm_front_load(table, region);
	table->hist[HTMM_KIND_BASE].bin[0] -= gone;
	table->stats.pages -= gone;
	table->stats.reclaimed += gone;
}

void htmm_table_cool(struct htmm_table *table)
{
	unsigned int kind;

	table->epoch++;
	htmm_front_drop_slice(table);
	for (kind = 0; kind < HTMM_KINDS; kind++)
		htmm_hist_cool(&table->hist[kind]);
	table->sweep_left = table->high;
}

/* Forget a region. Returns the number of base pages forgotten with it. */
static u32 htmm_table_remove(struct htmm_table *table, struct htmm_region *region)
{
	u32 pages = 0, count, page, pos = 0;

	htmm_table_cool_region(table, region);
	for (; (count = htmm_region_next(region, 1, &pos, &page)); pages++)
		htmm_hist_remove(&table->hist[HTMM_KIND_BASE], count);
	table->stats.pages -= pages;
	htmm_region_release(region, table->pool);
	htmm_index_destroy(table, region);
	return pages;
}

bool htmm_evict(struct htmm_table *table, u32 window, u32 bin, const struct htmm_region *keep)
{
	u32 looks = min_t(u64, table->high, 8ULL * window);
	struct htmm_region *region, *coldest = NULL;
	u32 count, least = U32_MAX;

	for (; looks && window && (!coldest || htmm_hist_bin(least) > bin); looks--) {
		if (table->hand >= table->high)
			table->hand = 0;
		region = htmm_table_entry(table, table->hand++);
		if (!region->state || region == keep)
			continue;
		window--;
		count = htmm_table_cooled(table, region, htmm_region_count(region));
		if (!coldest || count < least) {
			coldest = region;
			least = count;
		}
	}
	if (!coldest)
		return false;
	table->stats.evicted += htmm_table_remove(table, coldest);
	table->moved = true;
	if (table->nr_free >= HTMM_BLOCK_ENTRIES)
		htmm_index_compact(table);
	return true;
}

/* Distance at which a sweep prefetches digits, and before them states, in entries. */
#define HTMM_SWEEP_AHEAD	4

bool htmm_table_reclaim(struct htmm_table *table, u32 budget)
{
	struct htmm_region *region;
	u32 ahead;

	for (; budget && table->sweep_left; budget--, table->sweep_left--) {
		if (table->sweep >= table->high)
			table->sweep = 0;
		ahead = table->sweep + HTMM_SWEEP_AHEAD;
		if (ahead + HTMM_SWEEP_AHEAD < table->high) {
			htmm_fetch(htmm_table_entry(table, ahead + HTMM_SWEEP_AHEAD)->state);
			region = htmm_table_entry(table, ahead);
			if (region->state)
				htmm_leaf_prefetch_all(*region->state);
		}
		region = htmm_table_entry(table, table->sweep++);
		if (!region->state)
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
		table->exiting = htmm_index_listed(htmm_index_mm(table, mm)->first);
	for (; budget && table->exiting; budget--) {
		region = table->exiting;
		table->exiting = htmm_index_listed(region->list.next);
		if (htmm_region_mm(region) == mm)
			htmm_table_remove(table, region);
	}
	return table->exiting;
}

/* Move what is in some pages: a block of entries, and the blocks with their counts. */
static void htmm_shrink_move(struct htmm_table *table, struct htmm_region **block,
			     void *const *page, u32 n)
{
	struct htmm_region *old = *block, *region;
	u32 i, plane;

	*block = htmm_pool_moved(table->pool, page, n, old);
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		region = &(*block)[i];
		if (region != &old[i])
			htmm_index_move(table, &old[i], region);
		if (!region->state || !region->digits)
			continue;
		htmm_region_set_state(region, htmm_pool_moved(table->pool, page, n,
							      htmm_region_leaf(region)),
				      htmm_region_count(region));
		for (plane = 0; plane + 1 < region->digits; plane++)
			region->plane[plane] = htmm_pool_moved(table->pool, page, n,
							       region->plane[plane]);
	}
}

u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr)
{
	u32 whole = table->pool->nr_pages, n, i;

	n = htmm_pool_withdraw(table->pool, page, min_t(u32, nr, HTMM_SHRINK_PAGES));
	for (i = 0; n > whole && i < table->high / HTMM_BLOCK_ENTRIES; i++)
		htmm_shrink_move(table, &table->block[i], page, n);
	return n;
}

void htmm_table_make_unused(struct htmm_table *table, u32 nr)
{
	const u64 *in_bin = table->hist[HTMM_KIND_HUGE].bin;
	u32 evictions = 0, bin = 0;

	for (; table->stats.regions && evictions < HTMM_SHRINK_EVICTIONS; evictions++) {
		if (htmm_pool_unused_pages(table->pool) >= nr)
			return;
		while (!in_bin[bin])
			bin++;
		htmm_evict(table, U32_MAX, bin, NULL);
	}
}
