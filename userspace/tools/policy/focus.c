// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "focus.h"
#include "spaces.h"

/* Regions in focus: at least and at most. */
#define LEAST_REGIONS	64
#define MOST_REGIONS	256
/* For so many looks. */
#define LOOKS		2
/* This part of them is for regions of the fast tier. */
#define FOUND_PART	2
/* So many times as many are found: the coldest are taken. */
#define FIND_TIMES	2
/* Fewer samples do not tell whether tiers gain more or less than was expected. */
#define ENOUGH_SAMPLES	200
/* What regions that were drawn earlier count for the usual share, for each that is drawn. */
#define USUAL_MEMORY	0.98
/* For each region in focus, so many of the hottest pages are listed besides. */
#define HOTTEST_EACH	64
/* A region of which the fast tier serves all may still be drawn, as if it served so much less. */
#define SURELY		0.05
/* More are worth it if one of so many listed pages is promoted; fewer if one of so many is. */
#define MORE		16
#define FEWER		64

#define REGION_BYTES	((__u64)1 << HTMM_REGION_SHIFT)
#define REGION_PAGES	(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))

/* splitmix64 */
static double fraction(struct focus *focus)
{
	__u64 z = focus->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ldexp((z ^ z >> 31) >> 11, -53);
}

static struct unit region_like(const struct unit *page)
{
	return (struct unit) {
		.addr = page->addr & ~(REGION_BYTES - 1), .pid = page->pid,
		.space = page->space, .target = page->target, .pages = REGION_PAGES,
	};
}

static void add_region(struct units *units, __u64 addr, __u32 pid, __u32 space, __u32 target)
{
	const struct htmm_page region = {
		.addr = addr & ~(REGION_BYTES - 1), .pid = pid, .space = space, .target = target,
		.mapping_shift = HTMM_REGION_SHIFT,
	};

	units_add(units, &region, 1, false);
}

/* What was begun, and never listed, is begun again. */
static void keep_old(struct focus *focus)
{
	const struct units units = focus->now;
	struct area *area = focus->area;
	size_t room = focus->room;

	if (focus->begun)
		return;
	focus->now = focus->old;
	focus->old = units;
	focus->area = focus->old_area;
	focus->old_area = area;
	focus->room = focus->old_room;
	focus->old_room = room;
	focus->begun = true;
}

static int make_room(struct focus *focus, size_t regions)
{
	if (units_reset(&focus->now, regions))
		return -ENOMEM;
	if (focus->now.room > focus->room) {
		free(focus->area);
		focus->room = 0;
		focus->area = malloc(focus->now.room * sizeof(*focus->area));
		if (!focus->area)
			return -ENOMEM;
		focus->room = focus->now.room;
	}
	return 0;
}

/* Is a region to be known at the next look, though it has no samples? */
static bool is_kept(const struct area *area)
{
	return area->looks || area->fast_pages;
}

/* Had it no pages when they were listed? */
static bool is_empty(const struct area *area)
{
	return area->looks && !area->resident;
}

/*
 * Forgets regions of address spaces that have gone, so that they are not kept: one of their regions
 * was in focus, and was empty; and now none is listed. Else those of processes that have exited
 * would pile up.
 */
static int forget_gone(struct focus *focus, const struct policy_look *look)
{
	struct spaces spaces = {};
	size_t i;
	int ret = 0;

	for (i = 0; i < focus->old.nr && !ret; i++)
		if (is_empty(&focus->old_area[i]))
			ret = spaces_add(&spaces, &focus->old.unit[i]);
	spaces_remove(&spaces, look->regions, look->nr_regions);
	spaces_remove(&spaces, look->found, look->nr_found);
	for (i = 0; i < focus->old.nr && spaces.nr && !ret; i++)
		if (spaces_have(&spaces, &focus->old.unit[i]))
			focus->old_area[i] = (struct area) { .share = -1 };
	spaces_free(&spaces);
	return ret;
}

static int add_regions(struct focus *focus, const struct policy_look *look)
{
	size_t kept = 0, i;

	keep_old(focus);
	if (forget_gone(focus, look))
		return -ENOMEM;
	for (i = 0; i < focus->old.nr; i++)
		kept += is_kept(&focus->old_area[i]);
	if (make_room(focus, look->nr_regions + look->nr_found + kept))
		return -ENOMEM;
	units_add(&focus->now, look->regions, look->nr_regions, false);
	for (i = 0; i < look->nr_found; i++)
		add_region(&focus->now, look->found[i].addr, look->found[i].pid,
			   look->found[i].space, look->found[i].target);
	for (i = 0; i < focus->old.nr; i++)
		if (is_kept(&focus->old_area[i]))
			add_region(&focus->now, focus->old.unit[i].addr, focus->old.unit[i].pid,
				   focus->old.unit[i].space, focus->old.unit[i].target);
	return 0;
}

/* What a region has gained, and what is known of it. */
static void match(struct focus *focus, size_t at, const struct by_target *halvings, double fading)
{
	struct unit *unit = &focus->now.unit[at];
	struct area *area = &focus->area[at];
	const struct unit *old = units_find(&focus->old, unit);
	__u32 before = 0;

	*area = (struct area) { .share = -1 };
	if (old) {
		const struct area *old_area = &focus->old_area[old - focus->old.unit];

		area->halvings = by_target_get(halvings, unit->target);
		before = halved(old->samples, area->halvings);
		area->share = old_area->share;
		area->last = old_area->last;
		area->fast_pages = old_area->fast_pages;
		area->chosen = old_area->chosen;
		area->own = old_area->own;
		area->resident = old_area->resident;
		area->moved = old_area->moved;
		/* Its pages may have been freed, or its process may have changed them just then. */
		if (old_area->looks && old_area->looks < LOOKS && old_area->pages)
			area->looks = old_area->looks + 1;
	}
	unit->gain = unit->samples > before ? unit->samples - before : 0;
	unit->recent = unit->gain + (old ? old->recent * fading : 0);
}

/* What the slow tier is thought to serve of a region. */
static double weight_of(const struct focus *focus, size_t at)
{
	const struct area *area = &focus->area[at];
	double share = area->share < 0 ? focus->usual : area->share;

	if (!focus->now.unit[at].pid)
		return 0;
	return focus->now.unit[at].recent * (1 - share + SURELY);
}

/*
 * Draws @nr regions. If most of the weight is of few regions, which are drawn several times or are
 * in focus, there are fewer: others are not worth it.
 */
static void draw(struct focus *focus, size_t nr)
{
	double sum = 0, step, next;
	size_t i;

	for (i = 0; i < focus->now.nr; i++)
		sum += weight_of(focus, i);
	step = sum / nr;
	next = fraction(focus) * step;
	for (i = 0, sum = 0; i < focus->now.nr && step > 0; i++) {
		sum += weight_of(focus, i);
		if (sum <= next)
			continue;
		next += ceil((sum - next) / step) * step;
		if (focus->area[i].looks)
			continue;
		focus->area[i].looks = 1;
		focus->area[i].drawn = true;
	}
}

/* The region of a listed page; NULL: it is not known. */
static struct area *area_of(const struct focus *focus, const struct htmm_page *page)
{
	const struct unit unit = {
		.addr = page->addr, .space = page->space, .target = page->target,
	};
	struct area *area;

	focus_region(focus, &unit, &area);
	return area;
}

/* Counts pages that were found in regions of which none were known. */
static void note_found(struct focus *focus, const struct policy_look *look)
{
	const struct area *last = NULL;
	bool known = false;
	size_t i;

	for (i = 0; i < look->nr_found; i++) {
		struct area *area = area_of(focus, &look->found[i]);

		if (!area)
			continue;
		if (area != last)
			known = area->fast_pages;
		area->fast_pages += !known;
		last = area;
	}
}

/* How little a page of a region gains, and how long it was not in focus. */
static double cold_of(const struct focus *focus, __u32 at)
{
	const struct area *area = &focus->area[at];

	return (double)area->fast_pages * (focus->looks + 1 - area->last) /
	       (focus->now.unit[at].gain + 1);
}

static int coldest_first(const void *a, const void *b, void *arg)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;
	const double cold_x = cold_of(arg, x), cold_y = cold_of(arg, y);

	if (cold_x != cold_y)
		return cold_x > cold_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Takes regions of the fast tier from which pages may leave. */
static int take_coldest(struct focus *focus, size_t most)
{
	size_t nr = 0, i;

	free(focus->order);
	focus->order = malloc((focus->now.nr + 1) * sizeof(*focus->order));
	if (!focus->order)
		return -ENOMEM;
	for (i = 0; i < focus->now.nr; i++)
		if (focus->area[i].fast_pages && !focus->area[i].looks && focus->now.unit[i].pid)
			focus->order[nr++] = i;
	qsort_r(focus->order, nr, sizeof(*focus->order), coldest_first, focus);
	for (i = 0; i < nr && i < most; i++)
		focus->area[focus->order[i]].looks = 1;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct policy_range *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Neighbours become one range. */
static ssize_t make_ranges(struct focus *focus, size_t in_focus)
{
	size_t nr = 0, i, to = 0;

	if (in_focus > focus->room_ranges) {
		free(focus->range);
		focus->room_ranges = 0;
		focus->range = malloc(in_focus * sizeof(*focus->range));
		if (!focus->range)
			return -ENOMEM;
		focus->room_ranges = in_focus;
	}
	for (i = 0; i < focus->now.nr; i++) {
		const struct unit *unit = &focus->now.unit[i];

		if (focus->area[i].looks)
			focus->range[nr++] = (struct policy_range) {
				.start = unit->addr, .end = unit->addr + REGION_BYTES,
				.pid = unit->pid, .space = unit->space, .target = unit->target,
			};
	}
	if (!nr)
		return 0;
	qsort(focus->range, nr, sizeof(*focus->range), by_place);
	for (i = 1; i < nr; i++) {
		struct policy_range *last = &focus->range[to], *next = &focus->range[i];

		if (next->start == last->end && next->space == last->space &&
		    next->target == last->target)
			last->end = next->end;
		else
			focus->range[++to] = *next;
	}
	return to + 1;
}

ssize_t focus_begin(struct focus *focus, const struct policy_look *look,
		    const struct by_target *halvings, double fading)
{
	size_t in_focus = 0, i;

	if (!focus->most)
		focus->most = LEAST_REGIONS;
	if (add_regions(focus, look))
		return -ENOMEM;
	for (i = 0; i < focus->now.nr; i++)
		match(focus, i, halvings, fading);
	note_found(focus, look);
	if (take_coldest(focus, focus->most / LOOKS / FOUND_PART))
		return -ENOMEM;
	draw(focus, focus->most / LOOKS / FOUND_PART);
	focus->looks++;
	for (i = 0; i < focus->now.nr; i++) {
		if (!focus->area[i].looks)
			continue;
		focus->area[i].last = focus->looks;
		in_focus++;
	}
	return make_ranges(focus, in_focus);
}

struct unit *focus_region(const struct focus *focus, const struct unit *page, struct area **area)
{
	const struct unit region = region_like(page);
	struct unit *found = units_find(&focus->now, &region);

	*area = found ? &focus->area[found - focus->now.unit] : NULL;
	return found;
}

/* Adds pages of one tier to what was listed of their regions. */
static void add_pages(struct focus *focus, const struct htmm_page *page, size_t nr, bool fast)
{
	size_t i;

	for (i = 0; i < nr; i++, page++) {
		struct area *area = area_of(focus, page);

		if (!area)
			continue;
		area->resident += !!area->looks;
		area->pages++;
		area->fast_pages += fast;
		area->samples[fast] += page->samples;
		area->squares += (double)page->samples * page->samples;
	}
}

/* Adds pages of the slow tier without samples. */
static void add_rest(struct focus *focus, const struct htmm_page *page, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct area *area = area_of(focus, &page[i]);

		if (area && area->looks)
			area->resident++;
	}
}

/*
 * What part of the differences between the counts of a region's pages will be there again. If all
 * pages are alike, the variance of their counts is about the mean (Poisson), or less after a
 * cooling: then this is a little too small.
 */
static float own_of(const struct area *area)
{
	const __u64 samples = area->samples[false] + area->samples[true];
	const double mean = (double)samples / area->resident;
	const double variance = area->squares / area->resident - mean * mean;

	return samples >= SHARE_GAIN && variance > mean ? (variance - mean) / variance : 0;
}

double area_part(const struct area *area, double samples, __u64 all, double pages)
{
	return (all ? area->own * samples / all : 0) +
	       (1 - area->own) * pages / fmax(area->resident, 1);
}

/* The share of a region by what its pages have gained if that is known, else by their counts. */
static float share_of(const struct area *area)
{
	const __u64 gain = area->gain[false] + area->gain[true];
	const __u64 samples = area->samples[false] + area->samples[true];

	if (area_gained(area))
		return (float)area->gain[true] / gain;
	if (samples && area->chosen)
		return area_part(area, area->samples[true], samples, area->fast_pages);
	return samples ? (float)area->samples[true] / samples : -1;
}

/*
 * Notes what a region in focus shows: if it was drawn, of regions of which nothing was known; if
 * its pages were listed before, of changes within regions. Of pages that were just moved less comes
 * true than their counts say.
 */
static void note_area(struct focus *focus, const struct area *area, float share)
{
	const __u64 gain = area->gain[false] + area->gain[true];

	if (share < 0)
		return;
	if (area->share < 0 && area->drawn) {
		focus->drawn = USUAL_MEMORY * focus->drawn + 1;
		focus->usual += (share - focus->usual) / focus->drawn;
	}
	if (area->share < 0 || area->looks < 2 || area->moved)
		return;
	focus->seen[true] += area->gain[true];
	focus->seen[false] += area->gain[false];
	focus->expected[true] += gain * area->share;
	focus->expected[false] += gain * (1 - area->share);
}

/* The fast tier's share, if regions are as they were when their pages were listed last. */
static double share_as_known(const struct focus *focus)
{
	double share = 0, all = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++) {
		const struct area *area = &focus->area[i];
		const struct unit *unit = &focus->now.unit[i];
		/* A sum that is halved is not the sum of what was halved: it seems to gain less. */
		const double gain = area->halvings ? unit->samples : unit->gain;
		double part = area->share;

		if (part < 0)
			part = area->looks ? share_of(area) : focus->usual;
		if (part < 0)
			part = focus->usual;
		all += gain;
		share += gain * part;
	}
	return all ? share / all : -1;
}

/* How many times what was expected a tier has gained. */
static double times(const struct focus *focus, bool fast)
{
	return focus->expected[fast] >= ENOUGH_SAMPLES ?
	       focus->seen[fast] / focus->expected[fast] : 1;
}

static double estimate(const struct focus *focus)
{
	const double share = share_as_known(focus);
	const double fast = share * times(focus, true), slow = (1 - share) * times(focus, false);

	return share >= 0 && fast + slow > 0 ? fast / (fast + slow) : share;
}

void focus_listed(struct focus *focus, const struct policy_look *look, const struct units *units)
{
	double own = 0, samples = 0;
	struct area *area;
	size_t i;

	focus->begun = false;
	for (i = 0; i < focus->now.nr; i++) {
		if (!focus->area[i].looks)
			continue;
		focus->area[i].fast_pages = 0;
		focus->area[i].resident = 0;
	}
	add_pages(focus, look->slow, look->nr_slow, false);
	add_pages(focus, look->fast, look->nr_fast, true);
	add_rest(focus, look->rest, look->nr_rest);
	for (i = 0; i < focus->now.nr; i++) {
		struct area *one = &focus->area[i];

		if (!one->looks || !one->resident)
			continue;
		one->own = own_of(one);
		own += one->own * (one->samples[false] + one->samples[true]);
		samples += one->samples[false] + one->samples[true];
	}
	focus->own = samples ? own / samples : 0;
	for (i = 0; i < units->nr; i++) {
		const struct unit *unit = &units->unit[i];

		if (unit->pages <= REGION_PAGES && focus_region(focus, unit, &area))
			area->gain[unit->fast] += unit->gain;
	}
	for (i = 0; i < 2; i++) {
		focus->seen[i] = 0;
		focus->expected[i] = 0;
	}
	for (i = 0; i < focus->now.nr; i++)
		if (focus->area[i].looks)
			note_area(focus, &focus->area[i], share_of(&focus->area[i]));
	focus->share = estimate(focus);
	for (i = 0; i < focus->now.nr; i++) {
		const float share = focus->area[i].looks ? share_of(&focus->area[i]) : -1;

		focus->area[i].moved = false;
		if (share >= 0)
			focus->area[i].share = share;
	}
}

double focus_part(const struct focus *focus, const struct policy_move *move)
{
	const struct unit page = {
		.addr = move->addr, .space = move->space, .target = move->target,
	};
	struct area *area;
	const struct unit *region = focus_region(focus, &page, &area);

	if (!region)
		return 0;
	if (area->resident)
		return area_part(area, move->samples, region->samples, move->pages);
	return region->samples ? focus->own * fmin((double)move->samples / region->samples, 1) : 0;
}

void focus_moved(struct focus *focus, const struct policy_move *move, bool fast)
{
	const struct unit page = {
		.addr = move->addr, .space = move->space, .target = move->target,
	};
	struct area *area;
	float part;

	if (!focus_region(focus, &page, &area))
		return;
	if (fast)
		area->fast_pages += move->pages;
	else
		area->fast_pages -= area->fast_pages < move->pages ? area->fast_pages : move->pages;
	area->chosen = true;
	if (!area->resident || area->share < 0)
		return;
	part = focus_part(focus, move);
	area->moved = true;
	area->share = fminf(fmaxf(area->share + (fast ? part : -part), 0), 1);
}

void focus_begin_phase(struct focus *focus)
{
	size_t i;

	for (i = 0; i < focus->now.nr; i++)
		focus->now.unit[i].recent = 0;
}

void focus_adapt(struct focus *focus, __u64 promoted)
{
	__u64 listed = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++)
		listed += focus->area[i].pages;
	if (listed && promoted * MORE >= listed && focus->most < MOST_REGIONS)
		focus->most *= 2;
	else if (promoted * FEWER < listed && focus->most > LEAST_REGIONS)
		focus->most /= 2;
}

size_t focus_hottest(const struct focus *focus)
{
	return (focus->most ?: LEAST_REGIONS) * HOTTEST_EACH;
}

size_t focus_find(const struct focus *focus)
{
	size_t regions = (focus->most ?: LEAST_REGIONS) / LOOKS / FOUND_PART;

	return regions * REGION_PAGES * FIND_TIMES;
}

void focus_free(struct focus *focus)
{
	units_free(&focus->now);
	units_free(&focus->old);
	free(focus->area);
	free(focus->old_area);
	free(focus->range);
	free(focus->order);
	*focus = (struct focus) {};
}
