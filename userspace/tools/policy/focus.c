// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "focus.h"

/* Regions in focus: at least and at most. */
#define LEAST_REGIONS	64
#define MOST_REGIONS	256
/* For so many looks. */
#define LOOKS		2
/* This part of them is for what was found of the fast tier. */
#define FOUND_PART	2
/* So many times as much is found: the coldest of it is taken. */
#define FIND_TIMES	2
/* For each region in focus, so many of the hottest pages are listed besides. */
#define HOTTEST_EACH	64
/* A region of which the fast tier serves all may still be drawn, as if it served so much less. */
#define SURELY		0.05
/* If one of so many listed pages is promoted, more are worth listing; if only one of so many, fewer. */
#define MORE		16
#define FEWER		64

#define REGION_BYTES	(1ULL << HTMM_REGION_SHIFT)
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

static int make_room(struct focus *focus, size_t regions)
{
	const struct units units = focus->now;
	struct area *area = focus->area;
	size_t room = focus->room;

	focus->now = focus->old;
	focus->old = units;
	focus->area = focus->old_area;
	focus->old_area = area;
	focus->room = focus->old_room;
	focus->old_room = room;
	if (units_reset(&focus->now, regions))
		return -ENOMEM;
	if (focus->now.room > focus->room) {
		free(focus->area);
		focus->area = malloc(focus->now.room * sizeof(*focus->area));
		focus->room = focus->area ? focus->now.room : 0;
	}
	return focus->area ? 0 : -ENOMEM;
}

static int add_regions(struct focus *focus, const struct policy_look *look)
{
	size_t kept = 0, i;

	for (i = 0; i < focus->now.nr; i++)
		kept += focus->area[i].looks > 0;
	if (make_room(focus, look->nr_regions + look->nr_found + kept))
		return -ENOMEM;
	units_add(&focus->now, look->regions, look->nr_regions, false);
	for (i = 0; i < look->nr_found; i++)
		add_region(&focus->now, look->found[i].addr, look->found[i].pid,
			   look->found[i].space, look->found[i].target);
	for (i = 0; i < focus->old.nr; i++)
		if (focus->old_area[i].looks)
			add_region(&focus->now, focus->old.unit[i].addr, focus->old.unit[i].pid,
				   focus->old.unit[i].space, focus->old.unit[i].target);
	return 0;
}

static __u32 halved(__u32 samples, __u32 times)
{
	return times < 32 ? samples >> times : 0;
}

/* What a region has gained, and what is known of it. */
static void match(struct focus *focus, size_t at, const __u32 *halvings, double fading)
{
	struct unit *unit = &focus->now.unit[at];
	struct area *area = &focus->area[at];
	const struct unit *old = units_find(&focus->old, unit);
	__u32 before = 0;

	*area = (struct area) { .share = -1 };
	if (old) {
		const struct area *old_area = &focus->old_area[old - focus->old.unit];

		before = halved(old->samples, halvings[unit->target % (HTMM_MAX_TARGETS + 1)]);
		area->share = old_area->share;
		if (old_area->looks && old_area->looks < LOOKS)
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

	if (area->looks || !focus->now.unit[at].pid)
		return 0;
	return focus->now.unit[at].recent * (1 - share + SURELY);
}

/* Draws about @nr regions. */
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
		focus->area[i].looks = 1;
		focus->area[i].drawn = true;
	}
}

/* Regions of what was found that are not in focus, each once. Returns how many. */
static size_t found_regions(struct focus *focus, const struct policy_look *look,
			    struct unit **region)
{
	struct area *area;
	size_t i, nr = 0;

	for (i = 0; i < look->nr_found; i++) {
		const struct unit page = {
			.addr = look->found[i].addr, .space = look->found[i].space,
			.target = look->found[i].target,
		};
		struct unit *one;

		if (i && look->found[i].addr >> HTMM_REGION_SHIFT ==
		    look->found[i - 1].addr >> HTMM_REGION_SHIFT)
			continue;
		one = focus_region(focus, &page, &area);
		if (!one || area->looks || !one->pid)
			continue;
		region[nr++] = one;
	}
	return nr;
}

static int coldest_first(const void *a, const void *b)
{
	const struct unit *x = *(const struct unit *const *)a, *y = *(const struct unit *const *)b;

	if (x->gain != y->gain)
		return x->gain < y->gain ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int take_found(struct focus *focus, const struct policy_look *look, size_t most)
{
	struct unit **region = malloc((look->nr_found + 1) * sizeof(*region));
	size_t nr, i;

	if (!region)
		return -ENOMEM;
	nr = found_regions(focus, look, region);
	qsort(region, nr, sizeof(*region), coldest_first);
	for (i = 0; i < nr && i < most; i++)
		focus->area[region[i] - focus->now.unit].looks = 1;
	free(region);
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
		focus->range = malloc(in_focus * sizeof(*focus->range));
		focus->room_ranges = focus->range ? in_focus : 0;
	}
	if (!focus->range)
		return -ENOMEM;
	for (i = 0; i < focus->now.nr; i++) {
		const struct unit *unit = &focus->now.unit[i];

		if (focus->area[i].looks)
			focus->range[nr++] = (struct policy_range) {
				.start = unit->addr, .end = unit->addr + REGION_BYTES,
				.pid = unit->pid, .space = unit->space, .target = unit->target,
			};
	}
	qsort(focus->range, nr, sizeof(*focus->range), by_place);
	for (i = 1; i < nr; i++) {
		struct policy_range *last = &focus->range[to], *next = &focus->range[i];

		if (next->start == last->end && next->space == last->space &&
		    next->target == last->target)
			last->end = next->end;
		else
			focus->range[++to] = *next;
	}
	return nr ? to + 1 : 0;
}

ssize_t focus_begin(struct focus *focus, const struct policy_look *look, const __u32 *halvings,
		    double fading)
{
	size_t in_focus = 0, i;

	if (!focus->most)
		focus->most = LEAST_REGIONS;
	if (add_regions(focus, look))
		return -ENOMEM;
	for (i = 0; i < focus->now.nr; i++) {
		match(focus, i, halvings, fading);
		in_focus += focus->area[i].looks > 0;
	}
	if (take_found(focus, look, focus->most / LOOKS / FOUND_PART))
		return -ENOMEM;
	draw(focus, focus->most / LOOKS / FOUND_PART);
	for (i = 0, in_focus = 0; i < focus->now.nr; i++)
		in_focus += focus->area[i].looks > 0;
	return make_ranges(focus, in_focus);
}

struct unit *focus_region(const struct focus *focus, const struct unit *page, struct area **area)
{
	const struct unit region = region_like(page);
	struct unit *found = units_find(&focus->now, &region);

	*area = found ? &focus->area[found - focus->now.unit] : NULL;
	return found;
}

void focus_listed(struct focus *focus, const struct units *units)
{
	double share = 0;
	struct area *area;
	size_t i, drawn = 0;
	bool unknown;

	for (i = 0; i < units->nr; i++) {
		if (!focus_region(focus, &units->unit[i], &area))
			continue;
		area->pages++;
		area->samples += units->unit[i].samples;
		if (units->unit[i].fast)
			area->fast += units->unit[i].samples;
	}
	for (i = 0; i < focus->now.nr; i++) {
		area = &focus->area[i];
		if (!area->looks || !area->samples)
			continue;
		unknown = area->share < 0 && area->drawn;
		area->share = (float)area->fast / area->samples;
		drawn += unknown;
		if (unknown)
			share += area->share;
	}
	if (drawn)
		focus->usual = share / drawn;
}

double focus_share(const struct focus *focus)
{
	double share = 0, gain = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++) {
		double part = focus->area[i].share < 0 ? focus->usual : focus->area[i].share;

		gain += focus->now.unit[i].gain;
		share += focus->now.unit[i].gain * part;
	}
	return gain ? share / gain : -1;
}

void focus_moved(struct focus *focus, const struct policy_move *move, bool fast)
{
	const struct unit page = {
		.addr = move->addr, .space = move->space, .target = move->target,
	};
	struct area *area;
	const struct unit *region = focus_region(focus, &page, &area);
	float part;

	if (!region || !region->samples || area->share < 0)
		return;
	part = (fast ? 1.0F : -1.0F) * move->samples / region->samples;
	area->share = fminf(fmaxf(area->share + part, 0), 1);
}

void focus_adapt(struct focus *focus, __u64 promoted)
{
	__u64 listed = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++)
		listed += focus->area[i].pages;
	if (promoted * MORE >= listed && focus->most < MOST_REGIONS)
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
	*focus = (struct focus) {};
}
