// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "origin.h"

#define REGION_BYTES	((__u64)1 << HTMM_REGION_SHIFT)
#define REGION_PAGES	(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))
#define FIRST_SIZE	256
/* When the table is full, regions that were not in use for so many seconds are forgotten. */
#define KEEP_S		600
/* Fewer samples of the slow tier do not tell about those that are not listed. */
#define ENOUGH_SAMPLES	32

static bool in_region(const struct unit *unit, const struct origin *origin)
{
	return (unit->addr & ~(REGION_BYTES - 1)) == origin->addr &&
	       unit->space == origin->space && unit->target == origin->target;
}

/* The place of a unit's region, or the free place where it belongs. */
static struct origin *slot(const struct origins *origins, const struct unit *unit)
{
	const struct unit region = {
		.addr = unit->addr >> HTMM_REGION_SHIFT << HTMM_PAGE_SHIFT,
		.space = unit->space, .target = unit->target,
	};
	size_t at = unit_hash(&region) & (origins->size - 1);

	for (;; at = (at + 1) & (origins->size - 1)) {
		struct origin *origin = &origins->origin[at];

		if (origin->seen < 0 || in_region(unit, origin))
			return origin;
	}
}

static int resize(struct origins *origins, size_t size, double since)
{
	struct origins new = {
		.size = size, .looks = origins->looks, .seconds = origins->seconds,
	};
	size_t i;

	new.origin = malloc(size * sizeof(*new.origin));
	if (!new.origin)
		return -ENOMEM;
	for (i = 0; i < size; i++)
		new.origin[i].seen = -1;
	for (i = 0; i < origins->size; i++) {
		const struct origin *origin = &origins->origin[i];
		const struct unit region = {
			.addr = origin->addr, .space = origin->space, .target = origin->target,
		};

		if (origin->seen < 0 || origin->seen < since)
			continue;
		*slot(&new, &region) = *origin;
		new.nr++;
	}
	free(origins->origin);
	*origins = new;
	return 0;
}

/* At most half of the table is full. */
static int make_room(struct origins *origins)
{
	const size_t size = origins->size;

	if (2 * (origins->nr + 1) <= size)
		return 0;
	if (size && resize(origins, size, origins->seconds - KEEP_S))
		return -ENOMEM;
	if (4 * origins->nr < size)
		return 0;
	return resize(origins, size ? 2 * size : FIRST_SIZE, 0);
}

/* The region of a unit; a new one, if it is not known. NULL: out of memory. */
static struct origin *get(struct origins *origins, const struct unit *unit)
{
	struct origin *origin;

	if (make_room(origins))
		return NULL;
	origin = slot(origins, unit);
	if (origin->seen < 0) {
		origins->nr++;
		*origin = (struct origin) {
			.addr = unit->addr & ~(REGION_BYTES - 1), .space = unit->space,
			.target = unit->target,
		};
	}
	origin->seen = origins->seconds;
	return origin;
}

/* The region of a unit; NULL: it is not known. */
static struct origin *find(const struct origins *origins, const struct unit *unit)
{
	struct origin *origin = origins->size ? slot(origins, unit) : NULL;

	return origin && origin->seen >= 0 ? origin : NULL;
}

static struct unit region_of(const struct origin *origin)
{
	return (struct unit) {
		.addr = origin->addr, .space = origin->space, .target = origin->target,
		.pages = REGION_PAGES,
	};
}

static __u32 samples_of(const struct units *regions, const struct origin *origin)
{
	const struct unit like = region_of(origin), *region = units_find(regions, &like);

	return region ? region->samples : 0;
}

/* Begins to count the pages of a region. */
static void begin(struct origin *origin, const struct units *regions, const struct focus *focus)
{
	const struct unit like = region_of(origin);
	struct area *area = NULL;

	if (focus)
		focus_region(focus, &like, &area);
	origin->all = samples_of(regions, origin);
	origin->pages = area ? area->resident : 0;
	origin->fast = -origin->moved * origin->all;
}

static bool in_focus(const struct focus *focus, const struct unit *unit)
{
	struct area *area;

	return focus_region(focus, unit, &area) && area->looks;
}

/* Lists come by address: most units are in the region of the one before. */
static bool as_before(const struct units *now, size_t at)
{
	const struct unit *unit = &now->unit[at];

	return at && !((unit->addr ^ unit[-1].addr) >> HTMM_REGION_SHIFT) &&
	       unit->space == unit[-1].space && unit->target == unit[-1].target;
}

void origins_listed(struct origins *origins, const struct policy_look *look,
		    const struct units *now, const struct units *regions,
		    const struct focus *focus, double owed)
{
	struct origin *origin = NULL;
	size_t i;

	origins->looks++;
	origins->seconds = look->seconds;
	for (i = 0; i < now->nr; i++) {
		const struct unit *unit = &now->unit[i];
		const double part = unit->fresh ? 1 - owed : 1;

		if (!as_before(now, i)) {
			origin = !focus || in_focus(focus, unit) ? get(origins, unit) : NULL;
			if (origin && !origin->look) {
				origin->look = origins->looks;
				begin(origin, regions, focus);
			}
		}
		if (!origin || origin->look != origins->looks || !unit->fast)
			continue;
		origin->touched |= part < 1;
		origin->fast += part * unit->samples;
		origin->fast_pages += part * unit->pages;
	}
}

void origins_moved(struct origins *origins, const struct units *regions,
		   const struct policy_move *move, bool fast)
{
	const struct unit unit = {
		.addr = move->addr, .space = move->space, .target = move->target,
	};
	struct origin *origin = get(origins, &unit);
	double all;

	if (!origin)
		return;
	origin->touched = true;
	all = origin->look ? 0 : samples_of(regions, origin);
	if (all > 0)
		origin->moved += (fast ? 1 : -1) * fmin(move->samples / all, 1);
}

/* The fast tier's part of a region at first: of its samples; if there were none, of its pages. */
static double part_of(const struct origin *origin)
{
	if (origin->all > 0)
		return fmin(fmax(origin->fast / origin->all, 0), 1);
	if (!origin->pages)
		return origin->fast_pages > 0;
	return fmin(origin->fast_pages / origin->pages, 1);
}

/* The part of a unit that would be in the fast tier. */
static double would_be(const struct origin *origin, const struct unit *unit)
{
	return origin && origin->touched ? part_of(origin) : unit->fast;
}

bool origins_fast(const struct origins *origins, const struct unit *unit)
{
	return would_be(find(origins, unit), unit) > 0.5;
}

/* How far the counts of the pages in focus tell more than chance. */
static double own_of(const struct focus *focus)
{
	double own = 0, all = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++) {
		const struct area *area = &focus->area[i];
		const double samples = area->samples[false] + area->samples[true];

		if (!area->looks)
			continue;
		own += area->own * samples;
		all += samples;
	}
	return all ? own / all : 0;
}

static double share_in_focus(struct origins *origins, double share, const struct focus *focus)
{
	const double own = own_of(focus);
	double won = 0, all = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++) {
		const struct unit *unit = &focus->now.unit[i];
		const struct area *area = &focus->area[i];
		/* See share_as_known() of focus.c. */
		const double gain = area->halvings ? unit->samples : unit->gain;
		struct origin *origin = gain ? find(origins, unit) : NULL;

		all += gain;
		if (!origin || !origin->touched)
			continue;
		/* It may be in use for long before its pages are listed again. */
		origin->seen = origins->seconds;
		if (!origin->look)
			won += gain * own * fmin(fmax(origin->moved, 0), 1);
		else if (area->share >= 0)
			won += gain * (area->share - part_of(origin));
	}
	return all ? share - won / all : share;
}

double origins_share(struct origins *origins, const struct units *now, double samples,
		     double share, const struct focus *focus)
{
	double slow_part = 0, slow = 0, part = 0, all = 0;
	const struct origin *origin = NULL;
	size_t i;

	if (focus)
		return share_in_focus(origins, share, focus);
	for (i = 0; i < now->nr; i++) {
		const struct unit *unit = &now->unit[i];
		double would;

		if (!as_before(now, i))
			origin = find(origins, unit);
		would = unit->gain * would_be(origin, unit);
		all += unit->gain;
		part += would;
		if (unit->fast)
			continue;
		slow += unit->gain;
		slow_part += would;
	}
	/* What else was gained is of pages of the slow tier that are not listed. */
	if (samples > all && slow >= ENOUGH_SAMPLES)
		part += (samples - all) * slow_part / slow;
	return part / fmax(samples, all);
}

void origins_free(struct origins *origins)
{
	free(origins->origin);
	*origins = (struct origins) {};
}
