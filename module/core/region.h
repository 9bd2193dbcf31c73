/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One 2 MiB region: its own count and those of its 512 base pages. docs/core.md has a
 * picture and the reasons.
 *
 *   sparse  (page, count) pairs within the region's entry, and no other memory
 *   dense   a leaf of one byte per page, with the lowest digit of its count, 7 bits, and a
 *           mark if there are higher digits: in a pair, or in further planes of such bytes
 *
 * Context of every function: any, serialised by the lock of the region's table.
 */
#ifndef HTMM_CORE_REGION_H
#define HTMM_CORE_REGION_H

#include "deps.h"
#include "hist.h"
#include "pool.h"

#define HTMM_REGION_ORDER	9
#define HTMM_REGION_PAGES	512

#define HTMM_DIGIT_BITS		7
#define HTMM_DIGIT_MASK		0x7f
#define HTMM_DIGIT_MORE		0x80

/* Together with the leaf, digits for 35 bits. */
#define HTMM_PLANES		4

/* A pair is one number: the page in the low bits, its value in the high bits. */
#define HTMM_PAIRS		16
#define HTMM_PAIR_PAGE		(HTMM_REGION_PAGES - 1)
#define HTMM_PAIR_MAX		(U32_MAX >> HTMM_REGION_ORDER)

/* What the first count of a region takes at most, if it is too large for a pair. */
#define HTMM_BEGIN_BLOCKS	2

/*
 * A page's name is one number: its address space in the high bits, its page number in the
 * low bits.
 */
#define HTMM_VPN_BITS		45
#define HTMM_MM_BITS		(64 - HTMM_VPN_BITS)
#define HTMM_VPN_MAX		((1ULL << HTMM_VPN_BITS) - 1)
/* The last number is not used, so that HTMM_NO_PAGE is not the name of a page. */
#define HTMM_MM_MAX		((1U << HTMM_MM_BITS) - 2)
#define HTMM_NO_PAGE		U64_MAX

/**
 * struct htmm_region - one region, as an entry of the table's directory
 * @key: numbers of the address space and of the region in it
 * @epoch: the table's epoch to which all counts have been cooled
 * @state: its state (see htmm_state()): @home, or in the region's front
 * @home: place of the state of a region without a front
 * @chain: next entry of the hash chain
 * @created: number of the last listing begun before the entry's creation, plus 1; 0
 *	if the entry is unused
 * @rest: samples that are not of the page with most samples, or fewer; a listing that has
 *	walked over the pages notes it, so that the next one may pass over the region
 * @self: index of this entry
 * @prev: index + 1 of the previous entry on the list of its address space or the free list
 * @next: index + 1 of the next entry
 * @high: high bits of the number of samples in the region
 * @bits: length of the low bits, without leading zeroes if @high is 0. All ones of this
 *	length, less the room in its state, are the low bits
 * @pairs: pairs in use
 * @digits: number of digits stored in bytes: 0 if the region is sparse, 1 if it has a leaf,
 *	2 if it also has a plane, and so on
 * @pair: pairs, hashed by page, 0 if unused. The value is the count if the region is
 *	sparse, else the part of the count above all digits. Pointers to planes take the
 *	place of the first pairs
 * @plane: bytes with the digits above the leaf's
 */
struct htmm_region {
	u64 key;
	u64 epoch;
	u64 *state;
	u64 home;
	struct htmm_region *chain;
	u64 created : 48;
	u64 rest : 16;
	u32 self;
	u32 prev;
	u32 next;
	u16 high;
	u8 bits;
	u8 pairs : 5;
	u8 digits : 3;
	union {
		u32 pair[HTMM_PAIRS];
		u8 *plane[HTMM_PLANES];
	};
};

/* Entries that share a block. */
#define HTMM_BLOCK_ENTRIES	4

/* Bits of the room in a region's state. */
#define HTMM_ROOM_BITS		16
#define HTMM_ROOM_MASK		0xffff

/**
 * htmm_state() - what most samples of a region use, in one number
 * @leaf: its leaf, or NULL: the address of a block, whose low 9 bits are 0 and whose high 7
 *	bits are equal to the next one
 * @room: what its count can grow by without a change of its bin or of its high bits
 *
 * Return: the state.
 */
static inline u64 htmm_state(const u8 *leaf, u32 room)
{
	return (u64)(unsigned long)leaf << (HTMM_ROOM_BITS - HTMM_REGION_ORDER) | room;
}

/**
 * htmm_state_leaf() - the leaf in a state
 * @state: the state
 *
 * Return: the leaf.
 */
static inline u8 *htmm_state_leaf(u64 state)
{
	u64 block = (s64)state >> HTMM_ROOM_BITS;

	return (u8 *)(unsigned long)(block << HTMM_REGION_ORDER);
}

/**
 * htmm_state_room() - the room in a state
 * @state: the state
 *
 * Return: the room.
 */
static inline u32 htmm_state_room(u64 state)
{
	return state & HTMM_ROOM_MASK;
}

/**
 * htmm_region_leaf() - the leaf of a dense region
 * @region: the region
 *
 * Return: bytes with the lowest digits.
 */
static inline u8 *htmm_region_leaf(const struct htmm_region *region)
{
	return htmm_state_leaf(*region->state);
}

/**
 * htmm_region_count() - samples in a region
 * @region: the region
 *
 * Return: the number as of the region's epoch.
 */
static inline u32 htmm_region_count(const struct htmm_region *region)
{
	u32 most = (u32)region->high << HTMM_ROOM_BITS | ((1U << region->bits) - 1);

	return most - htmm_state_room(*region->state);
}

/**
 * htmm_region_most() - what a page of a region can have
 * @region: the region
 *
 * Return: an upper limit for the count of each page as of the region's epoch.
 */
static inline u32 htmm_region_most(const struct htmm_region *region)
{
	return htmm_region_count(region) - region->rest;
}

/**
 * htmm_region_note_most() - note that no page has more
 * @region: the region
 * @most: an upper limit for the count of each page
 */
void htmm_region_note_most(struct htmm_region *region, u32 most);

/**
 * htmm_leaf_prefetch_all() - prefetch all bytes of a leaf
 * @state: the state of its region; nothing is prefetched if that is sparse
 */
static inline void htmm_leaf_prefetch_all(u64 state)
{
	const u8 *leaf = htmm_state_leaf(state);
	u32 at;

	for (at = 0; leaf && at < HTMM_REGION_PAGES; at += 64)
		prefetchw(&leaf[at]);
}

/**
 * htmm_region_prefetch_all() - prefetch all counters of a region that has to be cooled
 * @region: the region
 */
static inline void htmm_region_prefetch_all(const struct htmm_region *region)
{
	prefetchw(region->pair);
	htmm_leaf_prefetch_all(*region->state);
}

/* Change the leaf (NULL: the region is sparse) and the number of samples. */
static inline void htmm_region_set_state(struct htmm_region *region,
					 const u8 *leaf, u32 count)
{
	region->high = count >> HTMM_ROOM_BITS;
	region->bits = region->high ? HTMM_ROOM_BITS : fls(count);
	*region->state = htmm_state(leaf, ~count & ((1U << region->bits) - 1));
}

/* The slot at which the search for a page's pair begins. */
static inline u32 htmm_pair_hash(u32 page, u32 slots)
{
	return (page ^ page >> 4) & (slots - 1);
}

/* Is it a page's pair, or unused? */
static inline bool htmm_pair_is(u32 pair, u32 page)
{
	return (pair == 0) | ((pair & HTMM_PAIR_PAGE) == page);
}

/**
 * htmm_pair_find() - the pair of a base page
 * @pair: array of pairs
 * @slots: their number, a power of two
 * @page: index of the page
 *
 * Return: the pair, or the unused one that the page would get; NULL if all slots are used
 * by other pages.
 */
static inline u32 *htmm_pair_find(u32 *pair, u32 slots, u32 page)
{
	u32 at = htmm_pair_hash(page, slots), i;

	/* Two pairs in one step, as a processor cannot predict which it is. */
	at = (at + !htmm_pair_is(pair[at], page)) & (slots - 1);
	for (i = 1; i < slots; i++, at = (at + 1) & (slots - 1)) {
		if (htmm_pair_is(pair[at], page))
			return &pair[at];
	}
	return NULL;
}

/**
 * htmm_page() - the name of a base page
 * @mm: its address space
 * @vpn: its virtual page number
 *
 * Return: the name; HTMM_NO_PAGE if @mm is above HTMM_MM_MAX or @vpn above
 * HTMM_VPN_MAX.
 */
static inline u64 htmm_page(u32 mm, u64 vpn)
{
	if (mm > HTMM_MM_MAX || vpn > HTMM_VPN_MAX)
		return HTMM_NO_PAGE;
	return (u64)mm << HTMM_VPN_BITS | vpn;
}

/**
 * htmm_region_key() - the name of a region
 * @page: name of any of its pages
 *
 * Return: the key.
 */
static inline u64 htmm_region_key(u64 page)
{
	return page >> HTMM_REGION_ORDER;
}

/**
 * htmm_region_mm() - a region's address space
 * @region: the region
 *
 * Return: its number.
 */
static inline u32 htmm_region_mm(const struct htmm_region *region)
{
	return region->key >> (HTMM_VPN_BITS - HTMM_REGION_ORDER);
}

/**
 * htmm_region_vpn() - a region's first page
 * @region: the region
 *
 * Return: the page's number.
 */
static inline u64 htmm_region_vpn(const struct htmm_region *region)
{
	return (region->key << HTMM_REGION_ORDER) & HTMM_VPN_MAX;
}

/**
 * htmm_count_cooled() - a count after some coolings
 * @count: the count before
 * @coolings: number of times to halve it
 *
 * Return: the count after.
 */
static inline u32 htmm_count_cooled(u32 count, u64 coolings)
{
	return coolings < 32 ? count >> coolings : 0;
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
 * @least: lowest count of interest as of the region's epoch, at least 1; pages with a lower
 *	one may be left out
 * @pos: position, 0 at first
 * @page: set to the index of the page
 *
 * The pages of a sparse region are not returned in order.
 *
 * Return: the count as of the region's epoch; 0 at the end.
 */
u32 htmm_region_next_from(const struct htmm_region *region, u32 least, u32 *pos,
			  u32 *page);

/**
 * htmm_region_prefetch() - prefetch the memory that a walk reads first
 * @region: the region, which should be in the cache
 * @least: as for htmm_region_next_from()
 */
void htmm_region_prefetch(const struct htmm_region *region, u32 least);

/**
 * htmm_region_next() - walk over the base pages that have a count
 * @region: the region, not changed during the walk
 * @pos: position, 0 at first; for a dense region it may also be the first page wanted
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
 * htmm_region_digits_for() - digits that a region needs for a new count
 * @region: the region
 * @page: index of the page
 * @count: the new count, not below the present one
 *
 * Return: their number, at least 1: the region becomes dense.
 */
u32 htmm_region_digits_for(const struct htmm_region *region, u32 page, u32 count);

/**
 * htmm_region_set() - change a base page's count in a leaf, which a sparse region gets
 * @region: the region
 * @pool: has a block for each digit that the region does not have yet
 * @digits: what htmm_region_digits_for() returned
 * @page: index of the page
 * @count: the new count: not 0, and not below the present one
 */
void htmm_region_set(struct htmm_region *region, struct htmm_pool *pool,
		     u32 digits, u32 page, u32 count);

/**
 * htmm_region_cool() - halve all counts
 * @region: the region; the caller updates its epoch
 * @pool: takes back blocks no longer needed
 * @coolings: number of times to halve, at least 1
 *
 * Return: number of base pages whose count became 0.
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
