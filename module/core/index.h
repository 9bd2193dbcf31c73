/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directory of a table: entries in blocks of the table's pool, hash chains that
 * lead to them, and a list of the regions of each address space.
 *
 * Regions that are adjacent in an address space have adjacent chain heads: the hash is the
 * key plus a random fraction of it.
 *
 * For the core's own files.
 */
#ifndef HTMM_CORE_INDEX_H
#define HTMM_CORE_INDEX_H

#include "deps.h"
#include "table.h"

/**
 * htmm_index_hash() - the hash chain of a key
 * @key: htmm_region_key()
 * @multiplier: of the table
 * @mask: number of chains, a power of two, minus 1
 *
 * Return: 0..@mask.
 */
static inline u32 htmm_index_hash(u64 key, u64 multiplier, u32 mask)
{
	return key * multiplier >> 32 & mask;
}

/**
 * htmm_index_chain() - head of the hash chain of a key
 * @table: the table
 * @key: htmm_region_key()
 *
 * Return: a pointer to the link to the chain's first entry.
 */
static inline struct htmm_region **
htmm_index_chain(const struct htmm_table *table, u64 key)
{
	return &table->head[htmm_index_hash(key, table->multiplier,
					  table->head_mask)];
}

/**
 * htmm_index_find() - look up a region
 * @table: the table
 * @key: htmm_region_key()
 *
 * Return: the region, or NULL if it is not tracked.
 */
static inline struct htmm_region *htmm_index_find(const struct htmm_table *table,
						  u64 key)
{
	struct htmm_region *region = *htmm_index_chain(table, key);

	while (region && region->key != key)
		region = region->chain;
	return region;
}

/**
 * htmm_front_of() - the front of a region
 * @table: the table
 * @key: htmm_region_key()
 *
 * Return: the front, which other regions may have, too.
 */
static inline struct htmm_front *htmm_front_of(const struct htmm_table *table, u64 key)
{
	return &table->front[htmm_index_hash(key, table->multiplier, table->front_mask)];
}

/**
 * htmm_front_name() - what the front of a region has as its name
 * @key: htmm_region_key()
 * @epoch: the table's, modulo HTMM_FRONT_EPOCHS
 *
 * Return: the name, never HTMM_FRONT_UNUSED.
 */
static inline u64 htmm_front_name(u64 key, u64 epoch)
{
	return key << HTMM_FRONT_EPOCH_BITS | epoch;
}

/**
 * htmm_front_drop() - move a region's state back to its entry
 * @region: the region, which may have no front
 */
void htmm_front_drop(struct htmm_region *region);

/**
 * htmm_front_load() - give a region a front
 * @table: the table
 * @region: a dense region, without missed coolings
 *
 * It gets none if another region without missed coolings has it.
 */
void htmm_front_load(struct htmm_table *table, struct htmm_region *region);

/**
 * htmm_front_drop_slice() - move some regions' states back to their entries
 * @table: the table, whose epoch has just advanced
 *
 * In HTMM_FRONT_EPOCHS successive epochs all fronts have their turn, so that none is left
 * when its name would be valid again.
 */
void htmm_front_drop_slice(struct htmm_table *table);

/**
 * htmm_index_create() - start tracking a region
 * @table: the table, not full, whose pool has the blocks that an entry may need
 * @key: htmm_region_key() of a region not tracked
 *
 * Return: the region, with no count.
 */
struct htmm_region *htmm_index_create(struct htmm_table *table, u64 key);

/**
 * htmm_index_destroy() - stop tracking a region
 * @table: the table
 * @region: the region; its base pages are already removed from the histogram
 */
void htmm_index_destroy(struct htmm_table *table, struct htmm_region *region);

/**
 * htmm_index_link_to() - the link that points to an entry
 * @table: the table
 * @region: a tracked region of it
 *
 * Return: the head of its hash chain, or the link of the entry before it.
 */
struct htmm_region **htmm_index_link_to(const struct htmm_table *table,
					const struct htmm_region *region);

/**
 * htmm_index_compact() - give a block of entries back to the pool
 * @table: the table, with at least as many unused entries as a block holds
 *
 * Moves the entries of the last block to unused entries of other blocks.
 */
void htmm_index_compact(struct htmm_table *table);

/**
 * htmm_index_mm() - list of the regions of an address space
 * @table: the table
 * @mm: the address space
 *
 * Return: a pointer to the list's first link: index + 1, 0 if the list is empty. Address
 * spaces whose numbers are equal modulo the number of lists share a list.
 */
static inline u32 *htmm_index_mm(const struct htmm_table *table, u32 mm)
{
	return &table->mm[mm & table->mm_mask];
}

#endif /* HTMM_CORE_INDEX_H */
