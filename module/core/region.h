/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One 2 MiB region: its own count and those of its 512 base pages. docs/core.md has a
 * picture and the reasons.
 *
 *   sparse  digits for up to 16 pages in slots of the region's entry, and no other memory
 *   dense   a leaf, with a digit for each page
 *
 * A digit is a byte: the lowest 7 bits of a count, and a mark if the count has higher bits. The
 * higher bits of a dense region are in the slots, or in planes if the slots do not suffice.
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

/* A slot has a page and a number: a digit and 14 higher bits, 6 of them stored with the page. */
#define HTMM_SLOTS		16
#define HTMM_SLOT_PAGE_BITS	10
#define HTMM_SLOT_PAGE		0x3ff
#define HTMM_SLOT_MAX		0x1fffff

/* Each plane has a byte for each page: 8 of the bits above its digit, up to 32 bits in all. */
#define HTMM_PLANES		4

/* Most blocks that the first count of a region takes, if it is too large for a slot. */
#define HTMM_BEGIN_BLOCKS	(1 + HTMM_PLANES)

/*
 * A page's name is one number: its address space in the high bits, its page number in the low bits.
 */
#define HTMM_VPN_BITS		45
#define HTMM_SPACE_BITS		(64 - HTMM_VPN_BITS)
#define HTMM_VPN_MAX		((1ULL << HTMM_VPN_BITS) - 1)
/* The last number is not used, so that HTMM_NO_PAGE is not the name of a page. */
#define HTMM_SPACE_MAX		((1U << HTMM_SPACE_BITS) - 2)
#define HTMM_NO_PAGE		U64_MAX

/**
 * struct htmm_region - one region, as an entry of the table's directory
 * @key: numbers of the address space and of the region in it
 * @epoch: the table's epoch to which all counts have been cooled
 * @state: its state (see htmm_state()): @home, or in the region's front; NULL if the entry
 *	is unused
 * @home: place of the state of a region without a front
 * @chain: next entry of the hash chain
 * @list: on the list of its address space, or of unused entries
 * @rest: at most the number of samples that are not on the page with the most samples. A listing
 *	sets it when it has visited the pages, so that the next listing may skip the region
 * @high: high bits of the number of samples in the region
 * @bits: how many low bits there are, without leading zeroes if @high is 0. The low bits are
 *	2^@bits - 1, minus the room in the state
 * @more: false only if no digit has a mark
 * @digits: blocks with its counts: 0 if the region is sparse, 1 if it has a leaf, 2 if it
 *	also has a plane, and so on
 * @page: of each slot, its page plus 1; 0: unused. The number of a used slot may be 0. Above
 *	these bits are the highest bits of the number, if its digit has a mark
 * @digit: of each slot, the digit of its number
 * @above: of each slot, the bits above its digit, if that has a mark
 * @plane: in place of slots, the bits above the leaf's digits, the lowest byte first
 */
struct htmm_region {
	u64 key;
	u64 epoch;
	u64 *state;
	u64 home;
	struct htmm_region *chain;
	struct hlist_node list;
	u32 rest;
	u16 high;
	u8 bits : 7;
	u8 more : 1;
	u8 digits;
	union {
		struct {
			u16 page[HTMM_SLOTS];
			u8 digit[HTMM_SLOTS];
			u8 above[HTMM_SLOTS];
		};
		u8 *plane[HTMM_PLANES];
	};
};

/* Entries that share a block. */
#define HTMM_BLOCK_ENTRIES	4

/* Bits of the room in a region's state, the highest ones. */
#define HTMM_ROOM_BITS		16
#define HTMM_ROOM_SHIFT		(64 - HTMM_ROOM_BITS)

/*
 * What most samples of a region need, in one number: its leaf, or NULL, and its room. That is how
 * far its count can grow without a change of its bin or of its high bits. A leaf is a
 * block: the low 9 bits of its address are 0, and the high 7 are equal to the next one.
 */
static inline u64 htmm_state(const u8 *leaf, u64 room)
{
	return (u64)(unsigned long)leaf << (HTMM_ROOM_BITS - HTMM_REGION_ORDER) >>
	       HTMM_ROOM_BITS | room << HTMM_ROOM_SHIFT;
}

static inline u8 *htmm_state_leaf(u64 state)
{
	s64 high = state << HTMM_ROOM_BITS;

	return (u8 *)(long)(high >> (HTMM_ROOM_BITS - HTMM_REGION_ORDER));
}

static inline u32 htmm_state_room(u64 state)
{
	return state >> HTMM_ROOM_SHIFT;
}

static inline u8 *htmm_region_leaf(const struct htmm_region *region)
{
	return htmm_state_leaf(*region->state);
}

/* Samples in the region. All counts that it stores or returns are those of its epoch. */
static inline u32 htmm_region_count(const struct htmm_region *region)
{
	u32 most = (u32)region->high << HTMM_ROOM_BITS | ((1U << region->bits) - 1);

	return most - htmm_state_room(*region->state);
}

/* Change the leaf (NULL: the region is sparse) and the number of samples. */
static inline void htmm_region_set_state(struct htmm_region *region, const u8 *leaf, u32 count)
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

/* Prefetch all bytes of a dense region's leaf. */
static inline void htmm_leaf_prefetch_all(u64 state)
{
	const u8 *leaf = htmm_state_leaf(state);
	u32 at;

#pragma GCC unroll 8
	for (at = 0; at < HTMM_REGION_PAGES; at += 64)
		prefetchw(&leaf[at]);
}

/* Is a slot unused, or a page's? */
static inline bool htmm_slot_is(u32 slot, u32 page)
{
	slot &= HTMM_SLOT_PAGE;
	return (slot == 0) | (slot == page + 1);
}

/* The slot of a page, or the unused one that it would get; HTMM_SLOTS if all are used. */
static inline u32 htmm_slot_find(const struct htmm_region *region, u32 page)
{
	u32 at = (page ^ page >> 4) % HTMM_SLOTS, i;

	/* Two slots in one step, as a processor cannot predict which it is. */
	at = (at + !htmm_slot_is(region->page[at], page)) % HTMM_SLOTS;
	for (i = 1; i < HTMM_SLOTS; i++, at = (at + 1) % HTMM_SLOTS) {
		if (htmm_slot_is(region->page[at], page))
			return at;
	}
	return HTMM_SLOTS;
}

/* A page's digit; it may get an unused slot for it. NULL if there is none. */
static inline u8 *htmm_region_digit(struct htmm_region *region, u32 page)
{
	u32 slot;

	if (region->digits)
		return &htmm_region_leaf(region)[page];
	slot = htmm_slot_find(region, page);
	if (slot == HTMM_SLOTS)
		return NULL;
	region->page[slot] |= page + 1;
	return &region->digit[slot];
}

/* The name of a base page; HTMM_NO_PAGE if one of its numbers is too large. */
static inline u64 htmm_page(u32 space, u64 vpn)
{
	if (space > HTMM_SPACE_MAX || vpn > HTMM_VPN_MAX)
		return HTMM_NO_PAGE;
	return (u64)space << HTMM_VPN_BITS | vpn;
}

/* The name of the region that a page is in. */
static inline u64 htmm_region_key(u64 page)
{
	return page >> HTMM_REGION_ORDER;
}

/* The number of a region's address space. */
static inline u32 htmm_region_space(const struct htmm_region *region)
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
u32 htmm_region_next(const struct htmm_region *region, u32 least, u32 *pos, u32 *page);

/*
 * Change a page's count to one that is neither 0 nor below the present one. False if the
 * pool has too few blocks for it. Digits that are not in a leaf may move.
 */
bool htmm_region_set(struct htmm_region *region, struct htmm_pool *pool, u32 page, u32 count);

/* Halve all counts @coolings times, at least once; the caller updates the epoch. */
void htmm_region_cool(struct htmm_region *region, struct htmm_pool *pool, u64 coolings);

/*
 * Forget the counts of some pages, a bitmap of HTMM_REGION_PAGES bits, and take them from the
 * region's own, of which nothing is left if no page has a count any more; and remove these pages
 * from @hist. The region has missed no cooling. Its memory is freed by the next one. Returns the
 * number of pages that had a count.
 */
u32 htmm_region_forget(struct htmm_region *region, const u64 *pages, struct htmm_hist *hist);

/* Forget the counts of all pages: the region is left sparse and empty. */
void htmm_region_release(struct htmm_region *region, struct htmm_pool *pool);

#endif /* HTMM_CORE_REGION_H */
