// SPDX-License-Identifier: GPL-2.0
#include "dir.h"

static u32 *htmm_dir_list_of(struct htmm_table *table,
			     const struct htmm_region *region)
{
	if (!region->born)
		return &table->free;
	return htmm_dir_space(table, htmm_region_space(region));
}

/* An entry is on the list of its space, or on that of the unused ones. */
static void htmm_dir_list_add(struct htmm_table *table,
			      struct htmm_region *region)
{
	u32 *head = htmm_dir_list_of(table, region);

	region->prev = 0;
	region->next = *head;
	*head = region->self + 1;
	if (region->next)
		htmm_table_entry(table, region->next - 1)->prev = *head;
}

/* Let the neighbours of @region point to @link and each other's way. */
static void htmm_dir_list_relink(struct htmm_table *table,
				 const struct htmm_region *region,
				 u32 to_next, u32 to_prev)
{
	if (region->prev)
		htmm_table_entry(table, region->prev - 1)->next = to_next;
	else
		*htmm_dir_list_of(table, region) = to_next;
	if (region->next)
		htmm_table_entry(table, region->next - 1)->prev = to_prev;
}

static void htmm_dir_list_del(struct htmm_table *table,
			      const struct htmm_region *region)
{
	htmm_dir_list_relink(table, region, region->next, region->prev);
}

static struct htmm_region **htmm_dir_link_to(const struct htmm_table *table,
					     const struct htmm_region *region)
{
	struct htmm_region **link = htmm_dir_chain(table, region->key);

	while (*link != region)
		link = &(*link)->chain;
	return link;
}

static void htmm_dir_put(struct htmm_table *table, struct htmm_region *region)
{
	region->born = 0;
	htmm_dir_list_add(table, region);
	table->nr_free++;
}

static void htmm_dir_take(struct htmm_table *table, struct htmm_region *region)
{
	htmm_dir_list_del(table, region);
	table->nr_free--;
}

/* A sweep under way has to get past the new entries, too. */
static void htmm_dir_grow(struct htmm_table *table)
{
	struct htmm_region *block = htmm_pool_block_get(table->pool);
	u32 i;

	table->block[table->high / HTMM_BLOCK_ENTRIES] = block;
	for (i = HTMM_BLOCK_ENTRIES; i--; ) {
		block[i].self = table->high + i;
		htmm_dir_put(table, &block[i]);
	}
	table->high += HTMM_BLOCK_ENTRIES;
	if (table->sweep_left)
		table->sweep_left += HTMM_BLOCK_ENTRIES;
}

struct htmm_region *htmm_dir_create(struct htmm_table *table, u64 key)
{
	struct htmm_region **chain = htmm_dir_chain(table, key);
	struct htmm_region *region;

	if (!table->free)
		htmm_dir_grow(table);
	region = htmm_table_entry(table, table->free - 1);
	htmm_dir_take(table, region);
	*region = (struct htmm_region) {
		.key = key,
		.chain = *chain,
		.epoch = table->epoch,
		.self = region->self,
		.born = table->listings,
	};
	*chain = region;
	htmm_dir_list_add(table, region);
	htmm_hist_add(&table->hist[HTMM_KIND_HUGE], 0);
	table->regions++;
	return region;
}

void htmm_dir_destroy(struct htmm_table *table, struct htmm_region *region)
{
	if (table->leaving == region->self + 1)
		table->leaving = region->next;
	*htmm_dir_link_to(table, region) = region->chain;
	htmm_dir_list_del(table, region);
	htmm_hist_remove(&table->hist[HTMM_KIND_HUGE],
			 htmm_table_cooled(table, region, region->count));
	table->regions--;
	htmm_dir_put(table, region);
}

/* All that points to an entry follows it to its new place. */
static void htmm_dir_move(struct htmm_table *table, struct htmm_region *from,
			  struct htmm_region *to)
{
	u32 self = to->self;

	if (table->leaving == from->self + 1)
		table->leaving = self + 1;
	*htmm_dir_link_to(table, from) = to;
	htmm_dir_list_relink(table, from, self + 1, self + 1);
	*to = *from;
	to->self = self;
}

void htmm_dir_compact(struct htmm_table *table)
{
	struct htmm_region *block, *region;
	u32 i;

	table->high -= HTMM_BLOCK_ENTRIES;
	block = table->block[table->high / HTMM_BLOCK_ENTRIES];
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!block[i].born)
			htmm_dir_take(table, &block[i]);
	}
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!block[i].born)
			continue;
		region = htmm_table_entry(table, table->free - 1);
		htmm_dir_take(table, region);
		htmm_dir_move(table, &block[i], region);
	}
	htmm_pool_block_put(table->pool, block);
	table->moved = true;
}

void htmm_dir_clear(struct htmm_table *table)
{
	for (; table->high; table->high -= HTMM_BLOCK_ENTRIES)
		htmm_pool_block_put(table->pool,
				    table->block[table->high /
						 HTMM_BLOCK_ENTRIES - 1]);
	table->free = 0;
	table->nr_free = 0;
	table->leaving = 0;
}
