// SPDX-License-Identifier: GPL-2.0
#include "index.h"

static_assert(HTMM_TABLE_MAX_BYTES / sizeof(struct htmm_region) <= BIT_ULL(32),
	      "with the directory there is no room for as many entries");
static_assert(1 + HTMM_BEGIN_BLOCKS <= HTMM_SAMPLE_BLOCKS,
	      "a new region's entry and its first count");

static_assert(sizeof(struct htmm_front) == 1 << HTMM_FRONT_ORDER, "the unit of a front's hash");

/* The link that points to an entry: a head, or that of the entry before it. */
static struct htmm_region **htmm_index_link_to(const struct htmm_table *table,
					       const struct htmm_region *region)
{
	struct htmm_region **link = htmm_index_chain(table, region->key);

	while (*link != region)
		link = &(*link)->chain;
	return link;
}

static void htmm_index_note(const struct htmm_table *table,
			    const struct htmm_region *region, int change)
{
	const struct htmm_table_config *config = &table->config;

	if (config->note)
		config->note(config->note_arg, htmm_region_space(region), change);
}

static void htmm_index_put(struct htmm_table *table, struct htmm_region *region)
{
	region->state = NULL;
	hlist_add_head(&region->list, &table->free);
	table->nr_free++;
}

static struct htmm_region *htmm_index_take(struct htmm_table *table, struct hlist_node *node)
{
	hlist_del(node);
	table->nr_free--;
	return hlist_entry(node, struct htmm_region, list);
}

struct htmm_region *htmm_index_create(struct htmm_table *table, u64 key)
{
	struct htmm_region **chain = htmm_index_chain(table, key);
	u32 at = chain - table->head;
	struct htmm_region *region, *block;
	u32 i;

	if (hlist_empty(&table->free)) {
		block = htmm_pool_block_get(table->pool);
		for (i = HTMM_BLOCK_ENTRIES; i--; )
			htmm_index_put(table, &block[i]);
	}
	region = htmm_index_take(table, table->free.first);
	*region = (struct htmm_region) {
		.key = key,
		.epoch = table->epoch,
		.state = &region->home,
		.chain = *chain,
	};
	*chain = region;
	table->occupied[at / 64] |= 1ULL << at % 64;
	hlist_add_head(&region->list, htmm_index_space(table, htmm_region_space(region)));
	htmm_hist_add(&table->hist[HTMM_UNIT_REGION], 0);
	table->stats.regions++;
	htmm_index_note(table, region, 1);
	return region;
}

void htmm_front_drop(struct htmm_region *region)
{
	struct htmm_front *front;

	if (region->state == &region->home)
		return;
	front = container_of(region->state, struct htmm_front, state);
	front->name = HTMM_FRONT_UNUSED;
	region->home = front->state;
	region->state = &region->home;
}

/* Make a front unused. */
static void htmm_front_clear(const struct htmm_table *table, const struct htmm_front *front)
{
	if (front->name != HTMM_FRONT_UNUSED)
		htmm_front_drop(htmm_index_find(table, front->name >> HTMM_FRONT_EPOCH_BITS));
}

void htmm_front_load(struct htmm_table *table, struct htmm_region *region)
{
	struct htmm_front *front = container_of(region->state, struct htmm_front, state);

	if (region->state == &region->home) {
		front = htmm_front_of(table, region->key);
		if (front->name % BIT_ULL(HTMM_FRONT_EPOCH_BITS) == table->front_epoch)
			return;
		htmm_front_clear(table, front);
		front->state = region->home;
		region->state = &front->state;
	}
	front->name = htmm_front_name(region->key, table->front_epoch);
}

void htmm_front_drop_slice(struct htmm_table *table)
{
	u32 fronts = (table->front_mask >> HTMM_FRONT_ORDER) + 1;
	u32 slice = DIV_ROUND_UP(fronts, HTMM_FRONT_EPOCHS);
	u32 i = table->front_epoch * slice;
	u32 end = min(i + slice, fronts);

	for (; i < end; i++)
		htmm_front_clear(table, &table->front[i]);
}

void htmm_index_destroy(struct htmm_table *table, struct htmm_region *region)
{
	u32 at = htmm_index_chain(table, region->key) - table->head;

	htmm_front_drop(region);
	if (table->exiting == region)
		table->exiting = htmm_index_listed(region->list.next);
	htmm_index_note(table, region, -1);
	*htmm_index_link_to(table, region) = region->chain;
	if (!table->head[at])
		table->occupied[at / 64] &= ~(1ULL << at % 64);
	hlist_del(&region->list);
	htmm_hist_remove(&table->hist[HTMM_UNIT_REGION],
			 htmm_table_cooled(table, region, htmm_region_count(region)));
	table->stats.regions--;
	htmm_index_put(table, region);
}

void htmm_index_move(struct htmm_table *table, struct htmm_region *from, struct htmm_region *to)
{
	*to = *from;
	hlist_add_before(&to->list, &from->list);
	hlist_del(&from->list);
	if (!from->state)
		return;
	if (table->exiting == from)
		table->exiting = to;
	*htmm_index_link_to(table, from) = to;
	if (from->state == &from->home)
		to->state = &to->home;
}

bool htmm_index_compact(struct htmm_table *table)
{
	struct htmm_region *block;
	u32 i;

	if (table->nr_free < HTMM_BLOCK_ENTRIES)
		return false;
	block = (void *)((unsigned long)htmm_index_listed(table->free.first) &
			 ~(HTMM_POOL_BLOCK_SIZE - 1UL));
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!block[i].state)
			htmm_index_take(table, &block[i].list);
	}
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (block[i].state)
			htmm_index_move(table, &block[i],
					htmm_index_take(table, table->free.first));
	}
	htmm_pool_block_put(table->pool, block);
	return true;
}
