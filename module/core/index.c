// SPDX-License-Identifier: GPL-2.0
#include "index.h"

static_assert(HTMM_TABLE_BLOCKS(HTMM_TABLE_MAX_BYTES) * HTMM_BLOCK_ENTRIES < U32_MAX,
	      "an index, and one more, is a u32");
static_assert(1 + HTMM_BEGIN_BLOCKS <= HTMM_SAMPLE_BLOCKS,
	      "a new region's entry and its first count");
static_assert((1 + HTMM_PLANES) <= HTMM_SAMPLE_BLOCKS,
	      "the largest form of a region");

static_assert(sizeof(struct htmm_front) == 1 << HTMM_FRONT_ORDER);

static u32 *htmm_index_list_of(struct htmm_table *table,
			       const struct htmm_region *region)
{
	if (!region->used)
		return &table->free;
	return htmm_index_mm(table, htmm_region_mm(region));
}

/* An entry is on the list of its address space or on the list of unused entries. */
static void htmm_index_list_add(struct htmm_table *table,
				struct htmm_region *region)
{
	u32 *head = htmm_index_list_of(table, region);

	region->prev = 0;
	region->next = *head;
	*head = region->self + 1;
	if (region->next)
		htmm_table_entry(table, region->next - 1)->prev = *head;
}

/*
 * Set the links of @region's list neighbours: the previous one's to @to_next, the next
 * one's to @to_prev.
 */
static void htmm_index_list_relink(struct htmm_table *table,
				   const struct htmm_region *region,
				   u32 to_next, u32 to_prev)
{
	if (region->prev)
		htmm_table_entry(table, region->prev - 1)->next = to_next;
	else
		*htmm_index_list_of(table, region) = to_next;
	if (region->next)
		htmm_table_entry(table, region->next - 1)->prev = to_prev;
}

static void htmm_index_list_del(struct htmm_table *table,
				const struct htmm_region *region)
{
	htmm_index_list_relink(table, region, region->next, region->prev);
}

struct htmm_region **htmm_index_link_to(const struct htmm_table *table,
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
		config->note(config->note_arg, htmm_region_mm(region), change);
}

static void htmm_index_put(struct htmm_table *table, struct htmm_region *region)
{
	region->used = false;
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
	struct htmm_region *block = htmm_pool_block_get(table->pool);
	u32 i;

	table->block[table->high / HTMM_BLOCK_ENTRIES] = block;
	for (i = HTMM_BLOCK_ENTRIES; i--; ) {
		block[i].self = table->high + i;
		htmm_index_put(table, &block[i]);
	}
	table->high += HTMM_BLOCK_ENTRIES;
	if (table->sweep_left)
		table->sweep_left += HTMM_BLOCK_ENTRIES;
}

struct htmm_region *htmm_index_create(struct htmm_table *table, u64 key)
{
	struct htmm_region **chain = htmm_index_chain(table, key);
	u32 at = chain - table->head;
	struct htmm_region *region;

	if (!table->free)
		htmm_index_grow(table);
	region = htmm_table_entry(table, table->free - 1);
	htmm_index_take(table, region);
	*region = (struct htmm_region) {
		.key = key,
		.epoch = table->epoch,
		.state = &region->home,
		.chain = *chain,
		.self = region->self,
		.used = true,
	};
	*chain = region;
	table->occupied[at / 64] |= 1ULL << at % 64;
	htmm_index_list_add(table, region);
	htmm_hist_add(&table->hist[HTMM_KIND_HUGE], 0);
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

/* The region of a front. */
static struct htmm_region *htmm_front_owner(const struct htmm_table *table,
					    const struct htmm_front *front)
{
	if (front->name == HTMM_FRONT_UNUSED)
		return NULL;
	return htmm_index_find(table, front->name >> HTMM_FRONT_EPOCH_BITS);
}

void htmm_front_load(struct htmm_table *table, struct htmm_region *region)
{
	struct htmm_front *front = htmm_front_of(table, region->key);
	struct htmm_region *owner = htmm_front_owner(table, front);

	if (owner && owner->epoch == table->epoch)
		return;
	if (owner)
		htmm_front_drop(owner);
	front->name = htmm_front_name(region->key, table->epoch % HTMM_FRONT_EPOCHS);
	front->state = region->home;
	region->state = &front->state;
}

void htmm_front_drop_slice(struct htmm_table *table)
{
	u32 fronts = (table->front_mask >> HTMM_FRONT_ORDER) + 1;
	u32 slice = DIV_ROUND_UP(fronts, HTMM_FRONT_EPOCHS);
	u32 i = table->epoch % HTMM_FRONT_EPOCHS * slice;
	u32 end = min(i + slice, fronts);
	struct htmm_region *owner;

	for (; i < end; i++) {
		owner = htmm_front_owner(table, &table->front[i]);
		if (owner)
			htmm_front_drop(owner);
	}
}

static void htmm_index_unchain(struct htmm_table *table, const struct htmm_region *region)
{
	struct htmm_region **chain = htmm_index_chain(table, region->key);
	u32 at = chain - table->head;

	*htmm_index_link_to(table, region) = region->chain;
	if (!*chain)
		table->occupied[at / 64] &= ~(1ULL << at % 64);
}

void htmm_index_destroy(struct htmm_table *table, struct htmm_region *region)
{
	htmm_front_drop(region);
	if (table->exiting == region->self + 1)
		table->exiting = region->next;
	htmm_index_note(table, region, -1);
	htmm_index_unchain(table, region);
	htmm_index_list_del(table, region);
	htmm_hist_remove(&table->hist[HTMM_KIND_HUGE],
			 htmm_table_cooled(table, region, htmm_region_count(region)));
	table->stats.regions--;
	htmm_index_put(table, region);
}

/* Move an entry and update everything that points to it. */
static void htmm_index_move(struct htmm_table *table, struct htmm_region *from,
			    struct htmm_region *to)
{
	u32 self = to->self;

	if (table->exiting == from->self + 1)
		table->exiting = self + 1;
	*htmm_index_link_to(table, from) = to;
	htmm_index_list_relink(table, from, self + 1, self + 1);
	*to = *from;
	to->self = self;
	if (from->state == &from->home)
		to->state = &to->home;
}

void htmm_index_compact(struct htmm_table *table)
{
	struct htmm_region *last = table->block[table->high / HTMM_BLOCK_ENTRIES - 1];
	struct htmm_region *region;
	u32 i;

	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!last[i].used)
			htmm_index_take(table, &last[i]);
	}
	for (i = 0; i < HTMM_BLOCK_ENTRIES; i++) {
		if (!last[i].used)
			continue;
		region = htmm_table_entry(table, table->free - 1);
		htmm_index_take(table, region);
		htmm_index_move(table, &last[i], region);
	}
	htmm_pool_block_put(table->pool, last);
	table->high -= HTMM_BLOCK_ENTRIES;
	table->moved = true;
}
