// SPDX-License-Identifier: GPL-2.0
#include "evict.h"
#include "index.h"
#include "shrink.h"

/**
 * struct htmm_victims - pages to free
 * @n: number of pages
 * @page: the pages, ascending
 */
struct htmm_victims {
	u32 n;
	void **page;
};

static bool htmm_victims_have(const struct htmm_victims *victims, const void *block)
{
	const void *page = htmm_pool_page(block);
	u32 low = 0, high = victims->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (victims->page[middle] == page)
			return true;
		if (victims->page[middle] < page)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Copy a block that is in one of the pages to a new place. */
static void *htmm_shrink_move(struct htmm_table *table, const void *block)
{
	return memcpy(htmm_pool_block_get(table->pool), block, HTMM_POOL_BLOCK_SIZE);
}

static void htmm_shrink_move_counts(struct htmm_table *table, struct htmm_region *region,
				    const struct htmm_victims *victims)
{
	u8 *leaf = htmm_region_leaf(region);
	u32 i;

	if (!region->digits)
		return;
	if (htmm_victims_have(victims, leaf))
		htmm_region_set_state(region, htmm_shrink_move(table, leaf),
				      htmm_region_count(region));
	for (i = 0; i + 1 < region->digits; i++)
		if (htmm_victims_have(victims, region->plane[i]))
			region->plane[i] = htmm_shrink_move(table, region->plane[i]);
}

/* Only hash chains and states point to entries; everything else uses their index. */
static void htmm_shrink_move_entries(struct htmm_table *table,
				     struct htmm_region **block)
{
	struct htmm_region *old = *block, *new = htmm_shrink_move(table, old);
	u32 i;

	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!old[i].created)
			continue;
		*htmm_index_link_to(table, &old[i]) = &new[i];
		if (old[i].state == &old[i].home)
			new[i].state = &new[i].home;
	}
	*block = new;
}

static void htmm_shrink_move_block(struct htmm_table *table,
				   struct htmm_region **block,
				   const struct htmm_victims *victims)
{
	u32 i;

	if (htmm_victims_have(victims, *block))
		htmm_shrink_move_entries(table, block);
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++)
		if ((*block)[i].created)
			htmm_shrink_move_counts(table, &(*block)[i], victims);
}

/* Move blocks to make whole pages free, as many as the free blocks allow. */
static u32 htmm_shrink_compact(struct htmm_table *table, void **page, u32 nr)
{
	const struct htmm_victims victims = {
		.n = htmm_pool_withdraw(table->pool, page, nr),
		.page = page,
	};
	u32 i;

	if (!victims.n)
		return 0;
	for (i = 0; i < table->high / HTMM_BLOCK_ENTRIES; i++)
		htmm_shrink_move_block(table, &table->block[i], &victims);
	return victims.n;
}

u32 htmm_table_shrink(struct htmm_table *table, void **page, u32 nr)
{
	struct htmm_pool *pool = table->pool;
	u32 n = 0;

	nr = min_t(u32, nr, HTMM_SHRINK_PAGES);
	while (n < nr && pool->nr_pages)
		page[n++] = htmm_pool_page_get(pool);
	return n + htmm_shrink_compact(table, page + n, nr - n);
}

/* A visit to each entry evicts all of a bin, so there are about as many rounds as bins. */
void htmm_table_make_unused(struct htmm_table *table, u32 nr)
{
	const u64 *in_bin = table->hist[HTMM_KIND_HUGE].bin;
	u32 evictions = 0, looks = 0, bin = 0, rounds = 0;

	while (htmm_pool_unused_pages(table->pool) < nr && evictions < HTMM_SHRINK_EVICTIONS) {
		if (looks && htmm_evict_from_bin(table, bin, &looks)) {
			evictions++;
			continue;
		}
		for (bin = 0; bin < HTMM_HIST_BINS && !in_bin[bin]; bin++)
			;
		if (bin == HTMM_HIST_BINS || rounds++ == HTMM_HIST_BINS)
			return;
		looks = table->high;
	}
}
