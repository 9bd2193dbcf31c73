/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where pages would be without moves. What moves have won is the share of the fast tier, less what
 * this share would be without them. So this remembers which pages are not in the tier where they
 * would be, for each region of 2 MiB of which pages were moved.
 */
#ifndef POLICY_ORIGIN_H
#define POLICY_ORIGIN_H

#include "focus.h"
#include "units.h"

/* Pages of 4 KiB in a region, in words of 64 bits. */
#define ORIGIN_WORDS	((1 << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT)) / 64)

/**
 * struct rest - pages of a region that are not listed
 * @gain: samples since the previous look
 * @pages: how many there can be
 * @moved: how many of these are in the slow tier because they were moved
 * @room: and how many because of the room for new pages
 */
struct rest {
	float gain;
	__s32 pages;
	__s32 moved;
	__s32 room;
};

/**
 * struct origin - a region of which pages were moved
 * @addr: its address
 * @space: its address space
 * @target: its target
 * @seen: seconds from the start until the last look at which it was in use; below 0: a free place
 * @look: number of the look at which @samples was noted; 0: it was not yet
 * @samples: samples of all its pages then
 * @rest: private: those that are not listed, while a look is taken
 * @won: what part of its samples the fast tier has because of moves, below 0: does not have; only
 *	for looks at a part of much memory
 * @moved: a bit for each page: it is not where it would be
 * @fast: for each of these: it was left in the fast tier
 * @room: for each of these: it left to keep room for new pages, or is a new one that came there
 */
struct origin {
	__u64 addr;
	__u32 space;
	__u32 target;
	float seen;
	__u32 look;
	__u32 samples;
	struct rest rest;
	float won;
	__u64 moved[ORIGIN_WORDS];
	__u64 fast[ORIGIN_WORDS];
	__u64 room[ORIGIN_WORDS];
};

/**
 * struct origins - all such regions
 * @origin: a hash table
 * @size: its size
 * @nr: places that are taken
 * @seconds: from the start until the last look
 * @looks: how many looks there were
 * @rest_fast: what part of the samples of pages that are not listed was of pages that would be in
 *	the fast tier, at the last look that could tell
 * @rest_room: and of pages that have left to keep room for new ones
 * @room_won: samples since the previous look of pages that came where room was kept for new ones
 * @room_lost: and of pages that have left to keep it
 */
struct origins {
	struct origin *origin;
	size_t size;
	size_t nr;
	double seconds;
	__u32 looks;
	double rest_fast;
	double rest_room;
	double room_won;
	double room_lost;
};

/**
 * origins_listed() - note what pages in focus have gained, and which would not be there
 * @origins: may be all zero before the first look
 * @now: the pages that were listed
 * @seconds: from the start until now
 * @focus: if only regions in focus were listed, these; else NULL
 * @room: pages of the fast tier that were kept free for new ones; those that came are subtracted
 *
 * New pages are in the fast tier because room was kept for them, as long as there was some.
 */
void origins_listed(struct origins *origins, const struct units *now, double seconds,
		    const struct focus *focus, __u64 *room);

/**
 * origins_moved() - a page is moved, or was not
 * @origins: the regions, after origins_listed()
 * @move: the move
 * @fast: in the end the page is in the fast tier
 * @part: what part of the samples of its region it is expected to have
 *
 * A page that has to leave because of a limit would not be there without moves, either. If there is
 * no memory, a page is taken to be where it would be.
 */
void origins_moved(struct origins *origins, const struct policy_move *move, bool fast, double part);

/**
 * origins_looked() - note what regions have until now
 * @origins: the regions, after the moves of the look
 * @look: the look
 *
 * What they have more at the next look was gained by pages that are then listed, and by others. A
 * region that is not there has no samples.
 */
void origins_looked(struct origins *origins, const struct policy_look *look);

/**
 * origins_share() - what the share of the fast tier would be without moves
 * @origins: the regions, after origins_listed()
 * @look: the look
 * @now: the pages that were listed
 * @told: the samples of regions tell what pages have gained that are not listed: no counts were
 *	halved since the previous look, which rounds them, and few pages were freed
 * @samples: all samples since the previous look; above 0
 * @share: the share of the fast tier
 * @focus: if only regions in focus were listed, these; else NULL
 *
 * A list tells what each page has gained. Not all sampled pages of the slow tier are in it: what
 * these have gained is known of their region, and is taken to be divided equally among all places
 * that are not listed, also those where there is no page. So of a region that is nearly empty, less
 * is known to be lost than is. Without @told, the part of these pages is taken to be as before.
 *
 * With @focus, it is computed from what is known of each region.
 *
 * Return: the share.
 */
double origins_share(struct origins *origins, const struct policy_look *look,
		     const struct units *now, bool told, double samples, double share,
		     const struct focus *focus);

/**
 * origins_fast() - would a page be in the fast tier without moves?
 * @origins: the regions
 * @unit: the page
 */
bool origins_fast(const struct origins *origins, const struct unit *unit);

/**
 * origins_free() - free the memory
 * @origins: may be all zero
 */
void origins_free(struct origins *origins);

#endif /* POLICY_ORIGIN_H */
