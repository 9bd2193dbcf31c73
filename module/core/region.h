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
 * @used: false if the entry is unused
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
	u32 used;
	u32 rest;
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

/*
 * What most samples of a region use, in one number: its leaf, or NULL, and the room of its
 * count, by which it can grow without a change of its bin or of its high bits. A leaf is a
 * block: the low 9 bits of its address are 0, and the high 7 are equal to the next one.
 */
static inline u64 htmm_state(const u8 *leaf, u32 room)
{
	return (u64)(unsigned long)leaf << (HTMM_ROOM_BITS - HTMM_REGION_ORDER) | room;
}

static inline u8 *htmm_state_leaf(u64 state)
{
	u64 block = (s64)state >> HTMM_ROOM_BITS;

	return (u8 *)(unsigned long)(block << HTMM_REGION_ORDER);
}

static inline u32 htmm_state_room(u64 state)
{
	return state & HTMM_ROOM_MASK;
}

static inline u8 *htmm_region_leaf(const struct htmm_region *region)
{
	return htmm_state_leaf(*region->state);
}

/* All counts that a region stores or returns are those of its epoch. */
static inline u32 htmm_region_count(const struct htmm_region *region)
{
	u32 most = (u32)region->high << HTMM_ROOM_BITS | ((1U << region->bits) - 1);

	return most - htmm_state_room(*region->state);
}

/* Change the leaf (NULL: the region is sparse) and the number of samples. */
static inline void htmm_region_set_state(struct htmm_region *region,
					 const u8 *leaf, u32 count)
{
	region->high = count >> HTMM_ROOM_BITS;
	region->bits = region->high ? HTMM_ROOM_BITS : fls(count);
	*region->state = htmm_state(leaf, ~count & ((1U << region->bits) - 1));
}

/* No page of the region has more samples than this. */
static inline u32 htmm_region_most(const struct htmm_region *region)
{
	return htmm_region_count(region) - region->rest;
}

/* Note that no page of the region has more samples than @most. */
void htmm_region_note_most(struct htmm_region *region, u32 most);

/* Prefetch all bytes of a leaf, if the region with this state has one. */
static inline void htmm_leaf_prefetch_all(u64 state)
{
	const u8 *leaf = htmm_state_leaf(state);
	u32 at;

	for (at = 0; leaf && at < HTMM_REGION_PAGES; at += 64)
		prefetchw(&leaf[at]);
}

/* Prefetch all counters of a region that has to be cooled. */
static inline void htmm_region_prefetch_all(const struct htmm_region *region)
{
	prefetchw(region->pair);
	htmm_leaf_prefetch_all(*region->state);
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

/*
 * The pair of a page, or the unused one that it would get; NULL if all of @slots, a power of
 * two, are used by other pages.
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

/* The name of the region that a page is in. */
static inline u64 htmm_region_key(u64 page)
{
	return page >> HTMM_REGION_ORDER;
}

/* The number of a region's address space. */
static inline u32 htmm_region_mm(const struct htmm_region *region)
{
	return region->key >> (HTMM_VPN_BITS - HTMM_REGION_ORDER);
}

/* The number of a region's first page. */
static inline u64 htmm_region_vpn(const struct htmm_region *region)
{
	return (region->key << HTMM_REGION_ORDER) & HTMM_VPN_MAX;
}

static inline u32 htmm_count_cooled(u32 count, u64 coolings)
{
	return coolings < 32 ? count >> coolings : 0;
}

u32 htmm_region_get(const struct htmm_region *region, u32 page);

/*
 * Walk over the pages that have @least samples, at least 1; some with fewer may be returned,
 * too. The region must not change meanwhile. Returns the count, 0 at the end, and sets @page
 * to its index. @pos is 0 at first. The pages of a sparse region are not in order.
 */
u32 htmm_region_next_from(const struct htmm_region *region, u32 least, u32 *pos,
			  u32 *page);

static inline u32 htmm_region_next(const struct htmm_region *region, u32 *pos,
				   u32 *page)
{
	return htmm_region_next_from(region, 1, pos, page);
}

/* Prefetch what a walk reads first, of a region that should be in the cache. */
void htmm_region_prefetch(const struct htmm_region *region, u32 least);

/*
 * The digits that a region needs for a page's new count, which is not below the present one:
 * at least 1, as it becomes dense.
 */
u32 htmm_region_digits_for(const struct htmm_region *region, u32 page, u32 count);

/*
 * Change a page's count to one that is neither 0 nor below the present one, with @digits of
 * htmm_region_digits_for(). The pool has a block for each that the region does not have yet.
 */
void htmm_region_set(struct htmm_region *region, struct htmm_pool *pool,
		     u32 digits, u32 page, u32 count);

/*
 * Halve all counts @coolings times, at least once; the caller updates the epoch. Returns how
 * many pages lost their counts.
 */
u32 htmm_region_cool(struct htmm_region *region, struct htmm_pool *pool,
		     u64 coolings);

/* Forget the counts of all pages: the region is left sparse and empty. */
void htmm_region_release(struct htmm_region *region, struct htmm_pool *pool);

#endif /* HTMM_CORE_REGION_H */
