/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One 2 MiB region: its own count and those of its 512 base pages, in as little
 * memory as their number and size allow.
 *
 *   sparse  up to HTMM_MAP_SIZE pages have a count: (page, count) pairs within
 *           the region's entry, and no other memory
 *   dense   more do: a leaf of one byte per page. A count is written as digits of
 *           7 bits, the lowest in the leaf, and each byte has a mark that tells
 *           whether anything is above it. What is above goes into a pair in the
 *           entry, or, where these do not suffice, into another plane of bytes,
 *           and what is above that into pairs again, and so on
 *
 * So one more sample of a hot page changes one byte, and 127 times of 128 nothing
 * else: a page's bin cannot change without a carry.
 *
 * Leaves, planes and (by fours) entries are all blocks of one size: memory freed
 * by one serves any other.
 *
 * Context of every function: any, serialised by the lock of the region's table.
 */
#ifndef HTMM_CORE_REGION_H
#define HTMM_CORE_REGION_H

#include "env.h"
#include "pool.h"

#define HTMM_REGION_SHIFT	9
#define HTMM_REGION_PAGES	512
#define HTMM_MAP_SIZE		12

#define HTMM_DIGIT_BITS		7
#define HTMM_DIGIT_MASK		0x7f
#define HTMM_DIGIT_MORE		0x80

/* With the leaf, digits for 35 bits. */
#define HTMM_PLANES		4

/* A page is named by (space, vpn), which share 64 bits in a region's key. */
#define HTMM_VPN_BITS		45
#define HTMM_SPACE_BITS		(64 - (HTMM_VPN_BITS - HTMM_REGION_SHIFT))
#define HTMM_VPN_MAX		((1ULL << HTMM_VPN_BITS) - 1)
#define HTMM_SPACE_MAX		((1U << HTMM_SPACE_BITS) - 1)

/**
 * struct htmm_region - one region, as an entry of the table's directory
 * @key: space and region number
 * @chain: next entry of the hash chain
 * @leaf: bytes of the lowest digits; NULL if the region is sparse
 * @epoch: the table's epoch to which all counts have been cooled
 * @count: samples in the region
 * @pages: base pages with a count
 * @pairs: pairs in use, the first one at htmm_region_first_pair()
 * @planes: planes in use
 * @page: pages of the pairs
 * @value: what the pairs hold: counts if sparse, else what is above all digits
 * @plane: bytes of the digits above the leaf's, in place of most pairs
 * @self: index of this entry
 * @born: number of the last listing begun before the entry's creation, plus 1; 0
 *	if the entry is unused
 * @prev: index + 1 of the entry before, on the space's or the free list
 * @next: index + 1 of the entry behind
 *
 * A sample of a dense region needs the first cache line only.
 */
struct htmm_region {
	u64 key;
	struct htmm_region *chain;
	u8 *leaf;
	u64 epoch;
	u32 count;
	u16 pages;
	u8 pairs;
	u8 planes;
	u16 page[HTMM_MAP_SIZE];

	union {
		u32 value[HTMM_MAP_SIZE];
		u8 *plane[HTMM_PLANES];
	};
	u32 self;
	u32 born;
	u32 prev;
	u32 next;
} __aligned(64);

/* Index of the first pair: planes take the place of the others. */
static inline u32 htmm_region_first_pair(const struct htmm_region *region)
{
	return region->planes ? HTMM_PLANES * sizeof(u8 *) / sizeof(u32) : 0;
}

/**
 * htmm_region_key() - the name of a region
 * @space: its address space, at most HTMM_SPACE_MAX
 * @vpn: any of its pages, at most HTMM_VPN_MAX
 *
 * Return: the key.
 */
static inline u64 htmm_region_key(u32 space, u64 vpn)
{
	return (u64)space << (HTMM_VPN_BITS - HTMM_REGION_SHIFT) |
	       vpn >> HTMM_REGION_SHIFT;
}

/**
 * htmm_region_space() - a region's address space
 * @region: the region
 *
 * Return: the space.
 */
static inline u32 htmm_region_space(const struct htmm_region *region)
{
	return region->key >> (HTMM_VPN_BITS - HTMM_REGION_SHIFT);
}

/**
 * htmm_region_vpn() - a region's first page
 * @region: the region
 *
 * Return: the page's number.
 */
static inline u64 htmm_region_vpn(const struct htmm_region *region)
{
	return (region->key << HTMM_REGION_SHIFT) & HTMM_VPN_MAX;
}

/**
 * htmm_count_cooled() - a count after some coolings
 * @count: the count before
 * @coolings: how often it is to be halved
 *
 * Return: the count after.
 */
static inline u32 htmm_count_cooled(u32 count, u64 coolings)
{
	return coolings < 32 ? count >> coolings : 0;
}

/**
 * htmm_region_pair() - where a sparse region holds a base page's count
 * @region: the region
 * @page: index of the page
 *
 * Return: the count, which may be raised in place; NULL if the page has none.
 */
static inline u32 *htmm_region_pair(struct htmm_region *region, u32 page)
{
	u32 i;

	for (i = 0; i < region->pairs; i++) {
		if (region->page[i] == page)
			return &region->value[i];
	}
	return NULL;
}

/**
 * htmm_region_get() - a base page's count
 * @region: the region
 * @page: index of the page
 *
 * Return: the count as of the region's epoch.
 */
u32 htmm_region_get(const struct htmm_region *region, u32 page);

/**
 * htmm_region_next_from() - walk over the base pages that may have many samples
 * @region: the region, not changed during the walk
 * @least: pages with fewer samples as of the region's epoch may be left out
 * @pos: position, 0 at first
 * @page: set to the index of the page
 *
 * Sparse regions do not give their pages in order.
 *
 * Return: the count as of the region's epoch; 0 at the end.
 */
u32 htmm_region_next_from(const struct htmm_region *region, u32 least, u32 *pos,
			  u32 *page);

/**
 * htmm_region_next() - walk over the base pages that have a count
 * @region: the region, not changed during the walk
 * @pos: position, 0 at first
 * @page: set to the index of the page
 *
 * Return: as for htmm_region_next_from().
 */
static inline u32 htmm_region_next(const struct htmm_region *region, u32 *pos,
				   u32 *page)
{
	return htmm_region_next_from(region, 1, pos, page);
}

/**
 * htmm_region_blocks_to_set() - memory that a count would take
 * @region: the region
 * @page: index of the page
 * @count: the new count, not below the present one
 *
 * Return: the blocks that htmm_region_set() takes.
 */
u32 htmm_region_blocks_to_set(const struct htmm_region *region, u32 page,
			      u32 count);

/**
 * htmm_region_set() - change a base page's count
 * @region: the region
 * @pool: has the blocks that htmm_region_blocks_to_set() asks for
 * @page: index of the page
 * @count: the new count: not 0, and not below the present one
 */
void htmm_region_set(struct htmm_region *region, struct htmm_pool *pool,
		     u32 page, u32 count);

/**
 * htmm_region_cool() - halve all counts
 * @region: the region, its epoch is left to the caller
 * @pool: takes back blocks no longer needed
 * @coolings: how often to halve, at least 1
 *
 * Return: base pages that have no count any more.
 */
u32 htmm_region_cool(struct htmm_region *region, struct htmm_pool *pool,
		     u64 coolings);

/**
 * htmm_region_release() - forget the counts of all base pages
 * @region: the region, left sparse and empty
 * @pool: takes back all its blocks
 */
void htmm_region_release(struct htmm_region *region, struct htmm_pool *pool);

#endif /* HTMM_CORE_REGION_H */
