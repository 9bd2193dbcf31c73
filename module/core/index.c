// SPDX-License-Identifier: GPL-2.0
#include "index.h"

static_assert(HTMM_TABLE_MAX_BYTES / (HTMM_POOL_BLOCK_SIZE * HTMM_DIR_BLOCKS) *
	      HTMM_BLOCK_ENTRIES < U32_MAX,
	      "an index, and one more, is a u32");
static_assert((HTMM_DIR_BLOCKS + 2) <= HTMM_SAMPLE_BLOCKS,
	      "a new region's entry and its first count");
static_assert((1 + HTMM_PLANES) <= HTMM_SAMPLE_BLOCKS,
	      "the largest form of a region");

static struct htmm_detail *htmm_index_detail(const struct htmm_table *table,
					     u32 index)
{
	return htmm_region_detail(htmm_table_entry(table, index));
}

static u32 *htmm_index_list_of(struct htmm_table *table,
			       const struct htmm_region *region)
{
	if (!htmm_region_detail(region)->created)
		return &table->free;
	return htmm_index_mm(table, htmm_region_mm(region));
}

/* An entry is on the list of its address space or on the list of unused entries. */
static void htmm_index_list_add(struct htmm_table *table,
				struct htmm_region *region)
{
	struct htmm_detail *detail = htmm_region_detail(region);
	u32 *head = htmm_index_list_of(table, region);

	detail->prev = 0;
	detail->next = *head;
	*head = detail->self + 1;
	if (detail->next)
		htmm_index_detail(table, detail->next - 1)->prev = *head;
}

/*
 * Set the links of @region's list neighbours: the previous one's to @to_next, the next
 * one's to @to_prev.
 */
static void htmm_index_list_relink(struct htmm_table *table,
				   const struct htmm_region *region,
				   u32 to_next, u32 to_prev)
{
	const struct htmm_detail *detail = htmm_region_detail(region);

	if (detail->prev)
		htmm_index_detail(table, detail->prev - 1)->next = to_next;
	else
		*htmm_index_list_of(table, region) = to_next;
	if (detail->next)
		htmm_index_detail(table, detail->next - 1)->prev = to_prev;
}

static void htmm_index_list_del(struct htmm_table *table,
				const struct htmm_region *region)
{
	const struct htmm_detail *detail = htmm_region_detail(region);

	htmm_index_list_relink(table, region, detail->next, detail->prev);
}

struct htmm_region **htmm_index_link_to(const struct htmm_table *table,
					const struct htmm_region *region)
{
	struct htmm_region **link = htmm_index_chain(table, region->key);

	while (*link != region)
		link = &htmm_region_detail(*link)->chain;
	return link;
}

static void htmm_index_note(const struct htmm_table *table,
			    const struct htmm_region *region, int change)
{
	const struct htmm_table_config *config = &table->config;

	if (config->note)
		config->note(config->note_arg, htmm_region_mm(region), change);
}

static void htmm_index_put(struct htmm_table *table, struct htmm_region *region)
{
	htmm_region_detail(region)->created = 0;
	htmm_index_list_add(table, region);
	table->nr_free++;
}

static void htmm_index_take(struct htmm_table *table, struct htmm_region *region)
{
	htmm_index_list_del(table, region);
	table->nr_free--;
}

/* A sweep in progress has to visit the new entries, too. */
static void htmm_index_grow(struct htmm_table *table)
{
	struct htmm_region_block *block = htmm_pool_block_get(table->pool);
	u32 i;

	table->block[table->high / HTMM_BLOCK_ENTRIES] = block;
	for (i = 0; i < HTMM_BLOCK_ENTRIES / HTMM_BLOCK_DETAILS; i++)
		block->details[i] = htmm_pool_block_get(table->pool);
	for (i = HTMM_BLOCK_ENTRIES; i--; ) {
		htmm_region_detail(&block->region[i])->self = table->high + i;
		htmm_index_put(table, &block->region[i]);
	}
	table->high += HTMM_BLOCK_ENTRIES;
	if (table->sweep_left)
		table->sweep_left += HTMM_BLOCK_ENTRIES;
}

static struct htmm_region_block *htmm_index_last_block(struct htmm_table *table)
{
	return table->block[table->high / HTMM_BLOCK_ENTRIES - 1];
}

/* Give the last block of entries back to the pool. */
static void htmm_index_shrink(struct htmm_table *table)
{
	struct htmm_region_block *block = htmm_index_last_block(table);
	u32 i;

	for (i = 0; i < HTMM_BLOCK_ENTRIES / HTMM_BLOCK_DETAILS; i++)
		htmm_pool_block_put(table->pool, block->details[i]);
	htmm_pool_block_put(table->pool, block);
	table->high -= HTMM_BLOCK_ENTRIES;
}

struct htmm_region *htmm_index_create(struct htmm_table *table, u64 key)
{
	struct htmm_region **chain = htmm_index_chain(table, key);
	struct htmm_region *region;
	struct htmm_detail *detail;

	if (!table->free)
		htmm_index_grow(table);
	region = htmm_table_entry(table, table->free - 1);
	detail = htmm_region_detail(region);
	htmm_index_take(table, region);
	*region = (struct htmm_region) {
		.key = key,
		.epoch = table->epoch,
		.pair = htmm_region_pairs(region)->pair,
	};
	*htmm_region_pairs(region) = (union htmm_pairs) { 0 };
	*detail = (struct htmm_detail) {
		.chain = *chain,
		.self = detail->self,
		.created = table->listings,
	};
	*chain = region;
	htmm_index_list_add(table, region);
	htmm_hist_add(&table->hist[HTMM_KIND_HUGE], 0);
	table->regions++;
	htmm_index_note(table, region, 1);
	return region;
}

void htmm_index_destroy(struct htmm_table *table, struct htmm_region *region)
{
	const struct htmm_detail *detail = htmm_region_detail(region);

	if (table->exiting == detail->self + 1)
		table->exiting = detail->next;
	htmm_index_note(table, region, -1);
	*htmm_index_link_to(table, region) = detail->chain;
	htmm_index_list_del(table, region);
	htmm_hist_remove(&table->hist[HTMM_KIND_HUGE],
			 htmm_table_cooled(table, region, region->count));
	table->regions--;
	htmm_index_put(table, region);
}

/* Move an entry and update everything that points to it. */
static void htmm_index_move(struct htmm_table *table, struct htmm_region *from,
			    struct htmm_region *to)
{
	struct htmm_detail *detail = htmm_region_detail(to);
	u32 self = detail->self;

	if (table->exiting == htmm_region_detail(from)->self + 1)
		table->exiting = self + 1;
	*htmm_index_link_to(table, from) = to;
	htmm_index_list_relink(table, from, self + 1, self + 1);
	*to = *from;
	*detail = *htmm_region_detail(from);
	detail->self = self;
	*htmm_region_pairs(to) = *htmm_region_pairs(from);
	if (!to->digits)
		to->pair = htmm_region_pairs(to)->pair;
}

void htmm_index_compact(struct htmm_table *table)
{
	struct htmm_region *last = htmm_index_last_block(table)->region, *region;
	u32 i;

	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!htmm_region_detail(&last[i])->created)
			htmm_index_take(table, &last[i]);
	}
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!htmm_region_detail(&last[i])->created)
			continue;
		region = htmm_table_entry(table, table->free - 1);
		htmm_index_take(table, region);
		htmm_index_move(table, &last[i], region);
	}
	htmm_index_shrink(table);
	table->moved = true;
}
