/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where pages would be without moves. What moves have won is the share of the fast tier, less what
 * this share would be without them. So for each region of 2 MiB, this notes which part of its
 * samples the fast tier served when its pages were listed first. As long as no page of a region is
 * moved, its pages would be where they are.
 */
#ifndef POLICY_ORIGIN_H
#define POLICY_ORIGIN_H

#include "focus.h"
#include "units.h"

/**
 * struct origin - a region as it was at first
 * @addr: its address
 * @space: its address space
 * @target: its target
 * @look: number of the look at which its pages were listed first; 0: they were not yet
 * @seen: seconds from the start until the last look at which it was in use
 * @touched: pages of it were moved, or are there because room was kept for them
 * @moved: before that look, the part of its samples that promoted pages had, less that of pages
 *	that were demoted
 * @fast: its samples of the fast tier at that look, without those that moves have brought there
 * @all: all its samples
 * @fast_pages: its pages of the fast tier
 * @pages: all its pages; 0: that is not known
 */
struct origin {
	__u64 addr;
	__u32 space;
	__u32 target;
	__u32 look;
	float seen;
	bool touched;
	float moved;
	float fast;
	float all;
	float fast_pages;
	__u32 pages;
};

/**
 * struct origins - all regions
 * @origin: a hash table; in a free place, @seen is below 0
 * @size: its size
 * @nr: places that are taken
 * @looks: looks so far
 * @seconds: from the start until the last of them
 */
struct origins {
	struct origin *origin;
	size_t size;
	size_t nr;
	__u32 looks;
	double seconds;
};

/**
 * origins_listed() - note regions that are listed for the first time
 * @origins: may be all zero before the first look
 * @look: the look
 * @now: the pages that it has listed
 * @regions: all sampled regions
 * @focus: if only regions in focus were listed, these; else NULL
 * @owed: which part of the pages that were not there before, of the fast tier, would not be there
 *	if no room had been kept for them
 *
 * If there is no memory, a region is taken to have no page that was moved.
 */
void origins_listed(struct origins *origins, const struct policy_look *look,
		    const struct units *now, const struct units *regions,
		    const struct focus *focus, double owed);

/**
 * origins_moved() - a page is moved, or was not
 * @origins: the regions, after origins_listed()
 * @regions: all sampled regions
 * @move: the move
 * @fast: in the end the page is in the fast tier
 */
void origins_moved(struct origins *origins, const struct units *regions,
		   const struct policy_move *move, bool fast);

/**
 * origins_share() - what the share of the fast tier would be without moves
 * @origins: the regions, after origins_listed()
 * @now: the pages that were listed
 * @samples: all samples since the previous look; above 0
 * @share: the share of the fast tier
 * @focus: if only regions in focus were listed, these; else NULL
 *
 * A list of all pages tells what each has gained. With @focus, only differences of what is known
 * of regions count; if hot pages of a region were promoted that was never in focus, their counts
 * count as far as counts tell more than chance in the regions in focus.
 *
 * Return: the share.
 */
double origins_share(struct origins *origins, const struct units *now, double samples,
		     double share, const struct focus *focus);

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
