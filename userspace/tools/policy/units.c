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

/*
 * The place in the index where a unit is, or where it belongs. Lists come by address: the
 * places of as many units as a cache line of the index has follow one another. From a place
 * that is taken the next try is a line and a place further: an odd number, so that all
 * places are tried in the end.
 */
static __u32 *slot(const struct units *units, const struct unit *unit)
{
	const __u64 number = (unit->addr >> HTMM_PAGE_SHIFT) / unit->pages;
	const struct unit line = {
		.addr = number / LINE << HTMM_PAGE_SHIFT, .space = unit->space,
		.target = unit->target,
	};
	size_t at = (unit_hash(&line) * LINE + number % LINE) & units->mask;

	while (units->index[at] && !same_place(&units->unit[units->index[at] - 1], unit))
		at = (at + LINE + 1) & units->mask;
	return &units->index[at];
}

int units_reset(struct units *units, size_t pages)
{
	size_t size = 64;

	units->nr = 0;
	units->nr_slow = 0;
	if (pages <= units->room && units->index) {
		memset(units->index, 0, (units->mask + 1) * sizeof(*units->index));
		return 0;
	}
	units_free(units);
	pages += pages / ROOM_PART;
	while (size < 2 * pages)
		size *= 2;
	units->unit = malloc((pages + 1) * sizeof(*units->unit));
	units->index = calloc(size, sizeof(*units->index));
	if (!units->unit || !units->index) {
		units_free(units);
		return -ENOMEM;
	}
	units->room = pages;
	units->mask = size - 1;
	return 0;
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

void units_add(struct units *units, const struct htmm_page *pages, size_t nr, bool fast)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct unit new = unit_of(&pages[i], fast), *unit;
		__u32 *at = slot(units, &new);

		if (!*at) {
			units->unit[units->nr++] = new;
			*at = units->nr;
		}
		unit = &units->unit[*at - 1];
		unit->used += pages[i].samples > 0;
		unit->samples += pages[i].samples;
	}
	if (!fast)
		units->nr_slow = units->nr;
}

struct unit *units_find(const struct units *units, const struct unit *like)
{
	__u32 at = units->index ? *slot(units, like) : 0;

	return at ? &units->unit[at - 1] : NULL;
}

void units_free(struct units *units)
{
	free(units->unit);
	free(units->index);
	*units = (struct units) {};
}
