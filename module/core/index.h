/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directory of a table, for the core's own files: entries in blocks of the table's pool, hash
 * chains that lead to them, and a list of the regions of each address space.
 *
 * Regions that are adjacent in an address space have adjacent chain heads: the hash is the
 * key plus a random fraction of it.
 */
#ifndef HTMM_CORE_INDEX_H
#define HTMM_CORE_INDEX_H

#include "table.h"

/* The hash of a key, 0..@mask; @mask: their number, a power of two, minus 1. */
static inline u32 htmm_index_hash(u64 key, u64 multiplier, u32 mask)
{
	return key * multiplier >> 32 & mask;
}

/* The head of a key's hash chain: it points to the first entry. */
static inline struct htmm_region **
htmm_index_chain(const struct htmm_table *table, u64 key)
{
	return &table->head[htmm_index_hash(key, table->multiplier, table->head_mask)];
}

/* The region of a key; NULL if it is not tracked. */
static inline struct htmm_region *htmm_index_find(const struct htmm_table *table, u64 key)
{
	struct htmm_region *region = *htmm_index_chain(table, key);

	while (region && region->key != key)
		region = region->chain;
	return region;
}

/* The next chain that is not empty, or the first one of the next 64. */
static inline u32 htmm_index_after(const struct htmm_table *table, u32 chain)
{
	u64 left = table->occupied[chain / 64] >> chain % 64 >> 1;

	return left ? chain + 1 + __ffs64(left) : (chain | 63) + 1;
}

/*
 * The list of the regions of an address space. Those whose numbers are equal modulo the
 * number of lists share one.
 */
static inline struct hlist_head *htmm_index_space(const struct htmm_table *table, u32 space)
{
	return &table->spaces[space & table->space_mask];
}

/* The region with this link of a list, NULL at the end. */
static inline struct htmm_region *htmm_index_listed(struct hlist_node *node)
{
	return hlist_entry_safe(node, struct htmm_region, list);
}

/*
 * Start tracking a region, with no count. The caller has made sure that the table is not full, and
 * that its pool has the blocks that an entry may need.
 */
struct htmm_region *htmm_index_create(struct htmm_table *table, u64 key);

/* Stop tracking a region, whose base pages are already removed from the histogram. */
void htmm_index_destroy(struct htmm_table *table, struct htmm_region *region);

/* Move an entry to an unlisted one, and update everything that points to it. */
void htmm_index_move(struct htmm_table *table, struct htmm_region *from, struct htmm_region *to);

/*
 * Give a block of entries back to the pool, if enough entries are unused: the used entries in the
 * block of an unused one move to other blocks.
 */
bool htmm_index_compact(struct htmm_table *table);

/*
 * The front of a region, which may be in use by another region. The hash is that of the chains,
 * but it is an offset in bytes, and shifted like the number of a page.
 */
#define HTMM_FRONT_SHIFT	(32 + HTMM_REGION_ORDER - HTMM_FRONT_ORDER)

static inline struct htmm_front *htmm_front_of(const struct htmm_table *table, u64 key)
{
	u64 hash = (key << HTMM_REGION_ORDER) * table->multiplier >> HTMM_FRONT_SHIFT;

	return (void *)table->front + (hash & table->front_mask);
}

/* The name of a region's front; @epoch is modulo HTMM_FRONT_EPOCHS. */
static inline u64 htmm_front_name(u64 key, u64 epoch)
{
	return key << HTMM_FRONT_EPOCH_BITS | epoch;
}

/* Move a region's state back to its entry, if it has a front. */
void htmm_front_drop(struct htmm_region *region);

/*
 * Give a front to a dense region that has missed no cooling; if it has one, set the present epoch
 * there. A front with the present epoch belongs to another such region, and is not taken.
 */
void htmm_front_load(struct htmm_table *table, struct htmm_region *region);

/*
 * After a cooling, move some regions' states back to their entries: all in HTMM_FRONT_EPOCHS
 * successive epochs, so that none is left when its name would be valid again.
 */
void htmm_front_drop_slice(struct htmm_table *table);

/* The present value of a count in a region, which may have missed coolings. */
static inline u32 htmm_table_cooled(const struct htmm_table *table,
				    const struct htmm_region *region, u32 count)
{
	return htmm_count_cooled(count, table->epoch - region->epoch);
}

/* Apply the coolings that a region has missed. */
void htmm_table_cool_region(struct htmm_table *table, struct htmm_region *region);

/*
 * Evict the coldest of the next @window regions, or a few more, excluding @keep. Entries may
 * move. False if there is none.
 */
bool htmm_evict(struct htmm_table *table, u32 window, const struct htmm_region *keep);

#endif /* HTMM_CORE_INDEX_H */
