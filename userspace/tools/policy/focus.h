/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where to look. Of much memory it takes too long to list all pages, so some regions are chosen,
 * and all their pages are listed: for some looks, to see what these gain, then those of others.
 *
 * Most are drawn by chance, a region the more likely the more samples of the slow tier it has
 * gained lately. What part of its samples these are is known of a region from when it was chosen
 * last, and of others it is assumed to be as usual. So the cost of a look does not follow how much
 * memory there is. Pages that were promoted for their counts will have fewer samples than these
 * say, as far as the counts were chance. That is taken from how much those of a region differ.
 *
 * What has no samples is not in the list of regions, but pages that may leave the fast tier are
 * mostly there: the caller goes through the fast tier, some pages at each look. Of all regions that
 * are known to have such pages, the coldest are chosen, too.
 */
#ifndef POLICY_FOCUS_H
#define POLICY_FOCUS_H

#include "policy.h"
#include "units.h"

/**
 * struct area - what is known of a region
 * @share: what part of its samples the fast tier had when it was last in focus; below 0: not known
 * @noted: see origins_listed(): a part of its pages was summed up
 * @looks: how many looks it is in focus, this one included; 0: it is not
 * @drawn: it was drawn at this look
 * @moved: pages of it were moved since the previous look
 * @halvings: of its target since then
 * @last: number of the last look at which it was in focus; 0: none
 * @fast_pages: pages of 4 KiB that it has in the fast tier, as far as that is known
 * @chosen: pages of it were moved for their counts, which may have been chance
 * @own: how far the counts of its pages differ by more than chance, from 0 to 1
 * @resident: its pages of 4 KiB when it was last in focus
 * @pages: of these, those of the fast tier, and those of the slow tier with samples, at this look
 * @samples: samples of these, by whether they are in the fast tier
 * @squares: sum of the squares of their samples
 * @gain: what they have gained since the previous look
 */
struct area {
	float share;
	__u32 looks;
	bool drawn;
	bool moved;
	bool noted;
	__u32 halvings;
	__u32 last;
	__u32 fast_pages;
	bool chosen;
	float own;
	__u32 resident;
	__u32 pages;
	__u64 samples[2];
	double squares;
	__u64 gain[2];
};

/* With fewer samples, what a region has gained does not tell its share. */
#define SHARE_GAIN	32

/* Does what the pages of a region have gained tell its share? */
static inline bool area_gained(const struct area *area)
{
	return area->looks > 1 && area->gain[false] + area->gain[true] >= SHARE_GAIN;
}

/**
 * area_part() - what part of a region's samples some of its pages will have
 * @area: the region, which was in focus
 * @samples: samples of these pages
 * @all: samples of all its pages
 * @pages: how many these pages are
 *
 * By their counts, as far as counts tell more than chance, and else by their number.
 */
double area_part(const struct area *area, double samples, __u64 all, double pages);

/**
 * struct focus - which regions are looked at
 * @begun: @now is of a look whose pages were not listed yet
 * @now: all regions
 * @old: those of the previous look
 * @area: for each of @now, what is known of it
 * @old_area: for each of @old
 * @room: room in @area
 * @old_room: room in @old_area
 * @looks: number of looks
 * @most: how many regions to look at
 * @order: regions of the fast tier, the coldest first
 * @random: state of the random numbers
 * @range: the regions in focus, neighbours together
 * @room_ranges: room in @range
 * @usual: the fast tier's share of the samples of regions that were drawn, and not known before
 * @drawn: of how many of these it is the mean, old ones counting less
 * @seen: what both tiers have gained in regions that were listed at this look and the previous one
 * @expected: and what these regions' shares had foretold
 * @share: the fast tier's share of the samples since the previous look; below 0: not known
 * @own: how far the counts of pages in focus differ by more than chance, from 0 to 1
 */
struct focus {
	bool begun;
	struct units now;
	struct units old;
	struct area *area;
	struct area *old_area;
	size_t room;
	size_t old_room;
	__u32 looks;
	size_t most;
	__u32 *order;
	__u64 random;
	struct policy_range *range;
	size_t room_ranges;
	double usual;
	double drawn;
	double seen[2];
	double expected[2];
	double share;
	double own;
};

/**
 * focus_begin() - begin a look: what have regions gained, and which to look at?
 * @focus: of which @range is set; may be all zero before the first look
 * @look: the regions, and what was found of the fast tier
 * @halvings: coolings of each target since the previous look
 * @fading: what a gain of the previous look counts now
 *
 * Return: number of ranges, or -ENOMEM.
 */
ssize_t focus_begin(struct focus *focus, const struct policy_look *look,
		    const struct by_target *halvings, double fading);

/**
 * focus_listed() - note what was listed
 * @focus: the focus, of which @share is set
 * @look: all pages of the regions in focus, and others
 * @units: the same, with what they have gained
 */
void focus_listed(struct focus *focus, const struct policy_look *look, const struct units *units);

/**
 * focus_region() - the region of a page
 * @focus: the focus
 * @page: the page
 * @area: set to what is known of the region
 *
 * Return: the region with its samples and gains, or NULL if it is not known.
 */
struct unit *focus_region(const struct focus *focus, const struct unit *page, struct area **area);

/**
 * focus_moved() - a page is moved, or was not
 * @focus: the focus
 * @move: the move
 * @fast: in the end the page is in the fast tier
 */
void focus_moved(struct focus *focus, const struct policy_move *move, bool fast);

/**
 * focus_part() - what part of the samples of its region a page will probably have
 * @focus: the focus, after focus_listed()
 * @move: the page
 *
 * Of regions that were never in focus, as far as counts tell more than chance in those that are.
 */
double focus_part(const struct focus *focus, const struct policy_move *move);

/**
 * focus_begin_phase() - forget what regions have gained: the program has gone to other pages
 * @focus: the focus
 */
void focus_begin_phase(struct focus *focus);

/**
 * focus_adapt() - look at more regions next time, or at fewer
 * @focus: the focus
 * @promoted: pages to promote, now or at the next look
 */
void focus_adapt(struct focus *focus, __u64 promoted);

/**
 * focus_hottest() - how many of the hottest pages of the slow tier to list besides
 * @focus: the focus
 */
size_t focus_hottest(const struct focus *focus);

/**
 * focus_find() - how many pages of the fast tier to find before the next look
 * @focus: the focus
 */
size_t focus_find(const struct focus *focus);

/**
 * focus_free() - free the memory
 * @focus: may be all zero
 */
void focus_free(struct focus *focus);

#endif /* POLICY_FOCUS_H */
