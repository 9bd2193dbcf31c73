// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "units.h"

/* An odd number near 2^64 divided by the golden ratio: spreads numbers that are near. */
#define SPREAD	0x9e3779b97f4a7c15ULL

/* The number of pages varies from look to look: this part more of them would have room. */
#define ROOM_PART	8

/* Places of the index in a cache line. */
#define LINE	(64 / sizeof(__u32))

__u64 unit_hash(const struct unit *unit)
{
	__u64 place = (unit->addr >> HTMM_PAGE_SHIFT) ^ (__u64)unit->space << 40 ^
		      (__u64)unit->target << 58;

	place *= SPREAD;
	return place ^ place >> 32;
}

static bool same_place(const struct unit *a, const struct unit *b)
{
	return a->addr == b->addr && a->space == b->space && a->target == b->target &&
	       a->pages == b->pages;
}

static bool in_region(const struct run *run, const struct unit *unit)
{
	return !((run->addr ^ unit->addr) >> HTMM_REGION_SHIFT) && run->space == unit->space &&
	       run->target == unit->target;
}

/*
 * The place in the index where a unit's region is, or where it belongs. The places of as many
 * neighbours as a cache line of the index has follow one another. From a place that is taken the
 * next try is a line and a place further: an odd number, so that all places are tried in the end.
 */
static __u32 *slot(const struct units *units, const struct unit *unit)
{
	const __u64 number = unit->addr >> HTMM_REGION_SHIFT;
	const struct unit line = {
		.addr = number / LINE << HTMM_PAGE_SHIFT, .space = unit->space,
		.target = unit->target,
	};
	size_t at = (unit_hash(&line) * LINE + number % LINE) & units->mask;

	while (units->index[at] && !in_region(&units->run[units->index[at] - 1], unit))
		at = (at + LINE + 1) & units->mask;
	return &units->index[at];
}

int units_reset(struct units *units, size_t pages)
{
	size_t size = 64, i;

	if (pages <= units->room && units->index) {
		/* Only these places of it were taken. */
		for (i = 0; i < units->nr_runs; i++)
			units->index[units->run[i].place] = 0;
		units->nr = 0;
		units->nr_slow = 0;
		units->nr_runs = 0;
		return 0;
	}
	units_free(units);
	pages += pages / ROOM_PART;
	while (size < 2 * pages)
		size *= 2;
	units->unit = malloc((pages + 1) * sizeof(*units->unit));
	units->run = malloc((pages + 1) * sizeof(*units->run));
	units->index = calloc(size, sizeof(*units->index));
	if (!units->unit || !units->run || !units->index) {
		units_free(units);
		return -ENOMEM;
	}
	units->room = pages;
	units->mask = size - 1;
	return 0;
}

int page_by_place(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static struct unit unit_of(const struct htmm_page *page, bool fast)
{
	unsigned int shift = page->mapping_shift > HTMM_PAGE_SHIFT ? page->mapping_shift :
							      HTMM_PAGE_SHIFT;

	return (struct unit) {
		.addr = page->addr >> shift << shift,
		.pid = page->pid,
		.space = page->space,
		.target = page->target,
		.pages = 1U << (shift - HTMM_PAGE_SHIFT),
		.node = page->node,
		.fast = fast,
	};
}

/*
 * Units are searched in the order of a list, too: from where the last one was, it is not far. One
 * that comes before that is searched from the beginning.
 */
static struct unit *find_in(const struct units *units, struct run *run, __u64 addr)
{
	struct unit *unit = &units->unit[run->begin];
	unsigned int at = run->at;

	if (at && unit[at - 1].addr >= addr)
		at = 0;
	while (at < run->nr && unit[at].addr < addr)
		at++;
	run->at = at;
	return at < run->nr && unit[at].addr == addr ? &unit[at] : NULL;
}

struct unit *units_find_in(const struct units *units, __u32 number, const struct unit *like)
{
	while (number) {
		struct run *run = &units->run[number - 1];
		struct unit *unit = find_in(units, run, like->addr);

		if (unit && same_place(unit, like))
			return unit;
		number = run->next;
	}
	return NULL;
}

/* Can a unit be of the last run? */
static bool continues(const struct units *units, const struct unit *new)
{
	const struct unit *last;

	if (!units->nr)
		return false;
	last = &units->unit[units->nr - 1];
	return in_region(&units->run[units->nr_runs - 1], new) &&
	       last->addr < new->addr && last->fast == new->fast;
}

/* Begins a run, which is the last one of its region. */
static void begin_run(struct units *units, __u32 *place, const struct unit *new)
{
	__u32 *link = place;

	while (*link)
		link = &units->run[*link - 1].next;
	units->run[units->nr_runs++] = (struct run) {
		.addr = new->addr >> HTMM_REGION_SHIFT << HTMM_REGION_SHIFT, .space = new->space,
		.target = new->target, .begin = units->nr, .place = place - units->index,
	};
	*link = units->nr_runs;
}

/* Adds a unit, unless it is there. */
static struct unit *add(struct units *units, __u32 *place, const struct unit *new)
{
	const bool follows = continues(units, new);
	struct unit *unit = NULL;

	/* Mostly it follows the last one, and its region has no other run. */
	if (!follows || *place != units->nr_runs)
		unit = units_find_in(units, *place, new);
	if (unit)
		return unit;
	if (!follows)
		begin_run(units, place, new);
	units->run[units->nr_runs - 1].nr++;
	unit = &units->unit[units->nr++];
	*unit = *new;
	return unit;
}

void units_add(struct units *units, const struct htmm_page *pages, size_t nr, bool fast)
{
	__u32 *place = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct unit new = unit_of(&pages[i], fast), *unit;

		if (!place || !in_region(&units->run[*place - 1], &new))
			place = slot(units, &new);
		unit = add(units, place, &new);
		unit->used += pages[i].samples > 0;
		unit->samples += pages[i].samples;
	}
	if (!fast)
		units->nr_slow = units->nr;
}

__u32 units_runs(const struct units *units, const struct unit *like)
{
	return units->index ? *slot(units, like) : 0;
}

struct unit *units_find(const struct units *units, const struct unit *like)
{
	return units_find_in(units, units_runs(units, like), like);
}

void units_free(struct units *units)
{
	free(units->unit);
	free(units->run);
	free(units->index);
	*units = (struct units) {};
}
