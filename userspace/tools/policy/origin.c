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
	struct origins new = *origins;
	size_t i;

	new.size = size;
	new.nr = 0;
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

static size_t word_of(__u64 addr)
{
	return (addr >> HTMM_PAGE_SHIFT) % REGION_PAGES / 64;
}

static __u64 bit_of(__u64 addr)
{
	return 1ULL << ((addr >> HTMM_PAGE_SHIFT) % 64);
}

/*
 * Is a page of the one tier or the other there because it was moved? If it is not where it was
 * left, it was freed, and the kernel has put a new one there.
 */
static bool is_moved(const struct origin *origin, __u64 addr, bool fast)
{
	const size_t word = word_of(addr);

	return origin && origin->moved[word] & bit_of(addr) &&
	       !(origin->fast[word] & bit_of(addr)) == !fast;
}

/* Sets or clears the bits of a unit's pages. */
static void put_bits(__u64 *words, __u64 addr, __u32 pages, bool set)
{
	for (; pages; pages--, addr += 1ULL << HTMM_PAGE_SHIFT) {
		if (set)
			words[word_of(addr)] |= bit_of(addr);
		else
			words[word_of(addr)] &= ~bit_of(addr);
	}
}

static void set_moved(struct origin *origin, __u64 addr, __u32 pages, bool fast)
{
	put_bits(origin->moved, addr, pages, true);
	put_bits(origin->fast, addr, pages, fast);
}

/* Is the room for new pages the reason why a page was moved? */
static bool is_of_room(const struct origin *origin, __u64 addr)
{
	return origin->room[word_of(addr)] & bit_of(addr);
}

static bool would_be(const struct origin *origin, const struct unit *unit)
{
	return unit->fast != is_moved(origin, unit->addr, unit->fast);
}

bool origins_fast(const struct origins *origins, const struct unit *unit)
{
	return would_be(find(origins, unit), unit);
}

/* Notes which new pages would not be where they are. */
static void note_new(struct origins *origins, const struct units *now, __u64 *room)
{
	size_t i;

	for (i = now->nr_slow; i < now->nr && *room; i++) {
		const struct unit *unit = &now->unit[i];
		struct origin *origin;

		if (!unit->fresh || unit->pages > *room)
			continue;
		*room -= unit->pages;
		origin = get(origins, unit);
		if (origin) {
			set_moved(origin, unit->addr, unit->pages, true);
			put_bits(origin->room, unit->addr, unit->pages, true);
		}
	}
}

/**
 * struct net - what pages of a region have because they were moved
 * @gain: samples since the previous look
 * @samples: all samples
 * @pages: pages of the fast tier
 */
struct net {
	double gain;
	double samples;
	double pages;
};

/* What part of a region's samples moves have brought to the fast tier; as share_of() of focus.c. */
static double won_of(const struct area *area, const struct net *net)
{
	const __u64 samples = area->samples[false] + area->samples[true];

	if (area_gained(area))
		return net->gain / (area->gain[false] + area->gain[true]);
	return area_part(area, net->samples, samples, net->pages);
}

/* Sums up units of a region. */
static void sum_up(struct origins *origins, const struct units *now, const struct run *run,
		   const struct focus *focus)
{
	const struct unit *unit = &now->unit[run->begin], *end = unit + run->nr;
	struct origin *origin = find(origins, unit);
	struct net net = {};
	struct area *area;

	focus_region(focus, unit, &area);
	if (!origin || !area || !area->looks)
		return;
	for (; unit < end; unit++) {
		const int moved = unit->fast - would_be(origin, unit);

		net.gain += moved * (double)unit->gain;
		net.samples += moved * (double)unit->samples;
		net.pages += moved * (double)unit->pages;
	}
	/* Those of the other tier may have been summed up before. */
	if (area->noted)
		origin->won += won_of(area, &net);
	else
		origin->won = won_of(area, &net);
	area->noted = true;
}

void origins_listed(struct origins *origins, const struct units *now, double seconds,
		    const struct focus *focus, __u64 *room)
{
	size_t i;

	origins->seconds = seconds;
	origins->room_won = 0;
	origins->room_lost = 0;
	note_new(origins, now, room);
	for (i = 0; focus && i < now->nr_runs; i++)
		sum_up(origins, now, &now->run[i], focus);
}

void origins_moved(struct origins *origins, const struct policy_move *move, bool fast, double part)
{
	const struct unit unit = {
		.addr = move->addr, .space = move->space, .target = move->target,
	};
	struct origin *origin = get(origins, &unit);

	if (!origin)
		return;
	/* What goes back is where it would be. */
	if (move->forced || is_moved(origin, move->addr, !fast)) {
		put_bits(origin->moved, move->addr, move->pages, false);
	} else {
		set_moved(origin, move->addr, move->pages, fast);
		/* If it was refused, it is there for the same reason as before. */
		if (fast == move->promote)
			put_bits(origin->room, move->addr, move->pages, move->ahead);
	}
	if (!move->forced)
		origin->won += fast ? part : -part;
}

static struct unit region_of(const struct htmm_page *page)
{
	return (struct unit) {
		.addr = page->addr, .space = page->space, .target = page->target,
	};
}

void origins_looked(struct origins *origins, const struct policy_look *look)
{
	size_t i;

	origins->looks++;
	for (i = 0; i < look->nr_regions; i++) {
		const struct unit region = region_of(&look->regions[i]);
		struct origin *origin = find(origins, &region);

		if (!origin)
			continue;
		origin->look = origins->looks;
		origin->samples = look->regions[i].samples;
	}
}

static double share_in_focus(struct origins *origins, double share, const struct focus *focus)
{
	double won = 0, all = 0;
	size_t i;

	for (i = 0; i < focus->now.nr; i++) {
		const struct unit *unit = &focus->now.unit[i];
		/* See share_as_known() of focus.c. */
		const double gain = focus->area[i].halvings ? unit->samples : unit->gain;
		struct origin *origin = gain ? find(origins, unit) : NULL;

		all += gain;
		if (!origin)
			continue;
		/* It may be in use for long before its pages are listed again. */
		origin->seen = origins->seconds;
		won += gain * fmin(fmax(origin->won, -1), 1);
	}
	return all ? share - won / all : share;
}

/**
 * struct gains - what pages have gained since the previous look
 * @all: all
 * @fast: those that would be in the fast tier
 * @room_won: those in the fast tier that came where room was kept for new pages
 * @room_lost: those in the slow tier that have left to keep it
 */
struct gains {
	double all;
	double fast;
	double room_won;
	double room_lost;
};

/* Begins with all pages of a region, those that are listed and those that are not. */
static void begin_rest(const struct origins *origins, struct origin *origin, __u64 samples)
{
	const __u32 before = origin->look == origins->looks ? origin->samples : 0;
	struct rest *rest = &origin->rest;
	size_t i;

	*rest = (struct rest) { .pages = REGION_PAGES };
	/* Of one that was noted for a new page just now, nothing is known. */
	if (origin->look)
		rest->gain = (double)samples - before;
	for (i = 0; i < ORIGIN_WORDS; i++) {
		const __u64 slow = origin->moved[i] & ~origin->fast[i];

		rest->moved += __builtin_popcountll(slow);
		rest->room += __builtin_popcountll(slow & origin->room[i]);
	}
}

/* Adds what listed pages of a region have gained, and leaves the others. */
static void add_listed(struct origins *origins, const struct units *now, const struct run *run,
		       struct gains *gains)
{
	const struct unit *unit = &now->unit[run->begin], *end = unit + run->nr;
	struct origin *origin = find(origins, unit);
	struct rest *rest = origin ? &origin->rest : NULL;

	if (origin)
		origin->seen = origins->seconds;
	for (; unit < end; unit++) {
		const bool moved = is_moved(origin, unit->addr, unit->fast);
		const bool room = moved && is_of_room(origin, unit->addr);

		gains->all += unit->gain;
		gains->fast += unit->fast != moved ? unit->gain : 0;
		*(unit->fast ? &gains->room_won : &gains->room_lost) += room ? unit->gain : 0;
		if (!origin)
			continue;
		rest->gain -= unit->gain;
		rest->pages -= unit->pages;
		/* One that has left may be free, and a new one in the fast tier. */
		if (!is_moved(origin, unit->addr, false))
			continue;
		rest->moved -= unit->pages;
		rest->room -= is_of_room(origin, unit->addr) ? unit->pages : 0;
	}
}

/* Adds what the other pages of a region have gained. */
static void add_rest(const struct rest *rest, struct gains *gains)
{
	if (rest->gain <= 0 || rest->pages <= 0)
		return;
	gains->all += rest->gain;
	gains->fast += rest->gain * rest->moved / rest->pages;
	gains->room_lost += rest->gain * rest->room / rest->pages;
}

/* What pages have gained that are not listed, from what their regions have. */
static struct gains rest_of(struct origins *origins, const struct policy_look *look)
{
	struct gains gains = {};
	size_t i;

	for (i = 0; i < look->nr_regions; i++) {
		const struct unit region = region_of(&look->regions[i]);
		const struct origin *origin = find(origins, &region);

		if (origin)
			add_rest(&origin->rest, &gains);
	}
	return gains;
}

double origins_share(struct origins *origins, const struct policy_look *look,
		     const struct units *now, bool told, double samples, double share,
		     const struct focus *focus)
{
	struct gains gains = {}, rest;
	double unknown;
	size_t i;

	if (focus)
		return share_in_focus(origins, share, focus);
	for (i = 0; i < look->nr_regions; i++) {
		const struct unit region = region_of(&look->regions[i]);
		struct origin *origin = find(origins, &region);

		if (origin)
			begin_rest(origins, origin, look->regions[i].samples);
	}
	for (i = 0; i < now->nr_runs; i++)
		add_listed(origins, now, &now->run[i], &gains);
	unknown = fmax(samples - gains.all, 0);
	if (unknown && told) {
		rest = rest_of(origins, look);
		/* Regions are listed at another moment than pages are. */
		origins->rest_fast = rest.fast / fmax(unknown, rest.all);
		origins->rest_room = rest.room_lost / fmax(unknown, rest.all);
	}
	origins->room_won = gains.room_won;
	origins->room_lost = gains.room_lost + unknown * origins->rest_room;
	return (gains.fast + unknown * origins->rest_fast) / fmax(samples, gains.all);
}

void origins_free(struct origins *origins)
{
	free(origins->origin);
	*origins = (struct origins) {};
}
