// SPDX-License-Identifier: GPL-2.0
#include "evict.h"
#include "index.h"
#include "scan.h"

void htmm_table_cool_region(struct htmm_table *table, struct htmm_region *region)
{
	u64 missed = table->epoch - region->epoch;

	if (!missed)
		return;
	htmm_region_cool(region, table->pool, missed);
	region->epoch = table->epoch;
	if (region->digits)
		htmm_front_load(table, region);
	else
		htmm_front_drop(region);
}

void htmm_table_cool(struct htmm_table *table)
{
	u64 *zero = &table->hist[HTMM_UNIT_PAGE].bin[0];
	struct htmm_change *change = &table->change;
	unsigned int unit;

	table->front_epoch = ++table->epoch % HTMM_FRONT_EPOCHS;
	htmm_front_drop_slice(table);
	for (unit = 0; unit < HTMM_UNITS; unit++)
		htmm_hist_cool(&table->hist[unit]);
	/* Count them as forgotten now, so that their regions need not do so later. */
	table->stats.pages -= *zero;
	table->stats.reclaimed += *zero;
	*zero = 0;
	/* Counts and level are halved alike. A level of 1 cannot be: begin a new look. */
	if (change->level > 1)
		change->level /= 2;
	else
		*change = (struct htmm_change) {
			.level = change->level, .low = change->low, .enough = change->enough,
			.looked = table->stats.counted,
		};
	/* Regions that the present sweep has already visited are visited by another one. */
	table->sweeps = 1 + !!table->sweep.chain;
}

/* Forget a region. Returns the number of base pages forgotten with it. */
static u32 htmm_table_remove(struct htmm_table *table, struct htmm_region *region)
{
	u32 pages = 0, count, page, pos = 0;

	htmm_table_cool_region(table, region);
	for (; (count = htmm_region_next(region, 1, &pos, &page)); pages++)
		htmm_hist_remove(&table->hist[HTMM_UNIT_PAGE], count);
	table->stats.pages -= pages;
	htmm_region_release(region, table->pool);
	htmm_index_destroy(table, region);
	return pages;
}

/* An odd number: multiples of it jump between distant parts of the directory. */
#define HTMM_EVICT_STRIDE	0x9e3779b9U

/* The first chain of a part, counted from the part that the hand is in. */
static u32 htmm_evict_chain(const struct htmm_table *table, u32 part, u32 ahead)
{
	return (table->hand / part + ahead * HTMM_EVICT_STRIDE) * part & table->head_mask;
}

/*
 * Go to the next chain. Neighbours are often equally hot, so a distant part of the directory,
 * of @part chains, comes after each part.
 */
static void htmm_evict_step(struct htmm_table *table, u32 part)
{
	u32 next = htmm_index_after(table, table->hand);

	if (next / part != table->hand / part) {
		htmm_fetch(&table->head[htmm_evict_chain(table, part, 8)]);
		htmm_fetch(table->head[htmm_evict_chain(table, part, 4)]);
		next = htmm_evict_chain(table, part, 1);
	}
	table->hand = next;
}

bool htmm_evict(struct htmm_table *table, u32 window, const struct htmm_region *keep)
{
	u64 looks = table->stats.regions, chains = table->head_mask + 1ULL;
	/* A part has one region on average, so a window covers many parts. */
	u32 part = 1U << ilog2(clamp_t(u64, chains / (looks ?: 1), 1, 64));
	struct htmm_region *region, *coldest = NULL;
	u32 count, least = U32_MAX;

	while (looks && window && least) {
		for (region = table->head[table->hand]; region; region = region->chain, looks--) {
			if (region == keep)
				continue;
			window -= !!window;
			count = htmm_table_cooled(table, region, htmm_region_count(region));
			if (!coldest || count < least) {
				coldest = region;
				least = count;
			}
		}
		htmm_evict_step(table, part);
	}
	if (!coldest)
		return false;
	table->stats.evicted += htmm_table_remove(table, coldest);
	table->moved = true;
	htmm_index_compact(table);
	return true;
}

/* Distance at which a sweep prefetches digits, in chains; entries come earlier, by the scan. */
#define HTMM_SWEEP_AHEAD	4

bool htmm_table_reclaim(struct htmm_table *table, u32 budget)
{
	struct htmm_region *region, *next, *ahead;
	s64 left = (s64)budget * HTMM_SCAN_REGION;
	u32 *chain = &table->sweep.chain;

	while (left > 0 && table->sweeps) {
		ahead = table->head[(*chain + HTMM_SWEEP_AHEAD) & table->head_mask];
		if (ahead && ahead->epoch != table->epoch) {
			if (ahead->digits)
				htmm_leaf_prefetch_all(*ahead->state);
			else
				prefetchw(ahead->digit);
		}
		for (region = table->head[*chain]; region; region = next) {
			next = region->chain;
			htmm_table_cool_region(table, region);
			if (!htmm_region_count(region))
				htmm_index_destroy(table, region);
			left -= HTMM_SCAN_REGION;
		}
		left -= htmm_scan_step(&table->sweep, table);
		if (htmm_scan_ended(&table->sweep, table)) {
			*chain = 0;
			table->sweeps--;
		}
	}
	return table->sweeps;
}

bool htmm_table_remove_space(struct htmm_table *table, u32 space, bool first, u32 budget)
{
	struct htmm_region *region;

	if (first)
		table->exiting = htmm_index_listed(htmm_index_space(table, space)->first);
	for (; budget && table->exiting; budget--) {
		region = table->exiting;
		table->exiting = htmm_index_listed(region->list.next);
		if (htmm_region_space(region) == space)
			htmm_table_remove(table, region);
	}
	return table->exiting;
}

u32 htmm_table_forget(struct htmm_table *table, u64 page, const u64 *pages)
{
	struct htmm_region *region = htmm_index_find(table, htmm_region_key(page));
	u32 before, left, forgotten;

	if (!region)
		return 0;
	htmm_table_cool_region(table, region);
	before = htmm_region_count(region);
	forgotten = htmm_region_forget(region, pages, &table->hist[HTMM_UNIT_PAGE]);
	left = htmm_region_count(region);
	htmm_hist_move(&table->hist[HTMM_UNIT_REGION], before, left);
	table->stats.pages -= forgotten;
	if (!left)
		htmm_table_remove(table, region);
	return forgotten;
}

u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr)
{
	u32 blocks = HTMM_SHRINK_BLOCKS, n;

	nr = min_t(u32, nr, HTMM_SHRINK_PAGES);
	while (table->pool->nr_pages < nr && blocks-- && htmm_index_compact(table))
		;
	for (n = 0; n < nr; n++) {
		page[n] = htmm_pool_withdraw(table->pool);
		if (!page[n])
			break;
	}
	return n;
}
