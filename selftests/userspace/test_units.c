// SPDX-License-Identifier: GPL-2.0
/* Units and their runs, compared with an array that is searched from the beginning. */
#include <string.h>
#include "policy/units.h"
#include "test.h"

#define REGION_PAGES	512
#define MOST		3000
#define ROUNDS		300

static struct htmm_page list[MOST];
static bool fast[MOST];

static struct htmm_page page_at(u64 addr, u32 samples, unsigned int shift)
{
	return (struct htmm_page) {
		.addr = addr, .samples = samples, .pid = 70, .space = 3, .target = 1, .node = 1,
		.mapping_shift = shift,
	};
}

/*
 * In all regions there are pages of two address spaces and two targets. Some have huge pages, too,
 * and some are parts of gigantic pages.
 */
static struct htmm_page random_page(void)
{
	u64 region = tap_below(24);
	unsigned int shift = HTMM_PAGE_SHIFT;
	struct htmm_page page;

	if (region >= 20) {
		region = 500 + 6 * (region - 20);
		shift = 30;
	} else if (region % 8 == 7 && tap_below(2)) {
		shift = HTMM_REGION_SHIFT;
	}
	page = page_at((region * REGION_PAGES + tap_below(REGION_PAGES)) << HTMM_PAGE_SHIFT,
		       tap_below(3), shift);
	page.space = 1 + tap_below(2);
	page.target = tap_below(2) ? 1 : 65537;
	return page;
}

static bool is_of(const struct unit *unit, const struct htmm_page *page)
{
	return unit->addr == page->addr >> page->mapping_shift << page->mapping_shift &&
	       unit->pages == 1U << (page->mapping_shift - HTMM_PAGE_SHIFT) &&
	       unit->space == page->space && unit->target == page->target;
}

/* The unit of a page; NULL if it is not the only one. */
static const struct unit *only(const struct units *units, const struct htmm_page *page)
{
	const struct unit *found = NULL;
	size_t i;

	for (i = 0; i < units->nr; i++) {
		if (!is_of(&units->unit[i], page))
			continue;
		if (found)
			return NULL;
		found = &units->unit[i];
	}
	return found;
}

/* Has a unit what all its pages have, and is it of the tier of the first one? */
static bool sums_up(const struct unit *unit, size_t nr)
{
	u32 samples = 0, used = 0;
	bool first = true, ok = true;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!is_of(unit, &list[i]))
			continue;
		if (first)
			ok = unit->fast == fast[i] && unit->pid == list[i].pid;
		first = false;
		samples += list[i].samples;
		used += list[i].samples > 0;
	}
	return ok && !first && unit->samples == samples && unit->used == used;
}

static bool in_order(const struct units *units, const struct run *run)
{
	const struct unit *unit = &units->unit[run->begin];
	bool ok = run->nr;
	u32 i;

	for (i = 0; i < run->nr; i++)
		ok &= unit[i].addr >> HTMM_REGION_SHIFT == run->addr >> HTMM_REGION_SHIFT &&
		      unit[i].space == run->space && unit[i].target == run->target &&
		      unit[i].fast == unit->fast && (!i || unit[i - 1].addr < unit[i].addr);
	return ok;
}

/* Are runs one after the other, and do those of a region lead to each other? */
static bool runs_right(const struct units *units)
{
	size_t at = 0, i;
	bool ok = true;

	for (i = 0; i < units->nr_runs; i++) {
		const struct run *run = &units->run[i];
		u32 next = units_runs(units, &units->unit[run->begin]);

		ok &= run->begin == at && in_order(units, run);
		at += run->nr;
		while (next && next != i + 1)
			next = units->run[next - 1].next;
		ok &= next == i + 1;
	}
	return ok && at == units->nr;
}

static void check_find(const struct units *units, const struct htmm_page *page)
{
	const struct unit *unit = only(units, page);
	struct unit like;

	CHECK(unit);
	like = *unit;
	CHECK(units_find(units, &like) == unit);
	CHECK(units_find_in(units, units_runs(units, &like), &like) == unit);
	like.pages *= 4;
	CHECK(!units_find(units, &like));
	like = *unit;
	like.space = 9;
	CHECK(!units_find(units, &like));
	like = *unit;
	like.target = 9;
	CHECK(!units_find(units, &like));
	like = *unit;
	like.addr += (u64)64 << HTMM_REGION_SHIFT;
	CHECK(!units_find(units, &like) && !units_runs(units, &like));
}

static void check_units(const struct units *units, size_t nr)
{
	size_t i;

	CHECK(runs_right(units));
	for (i = 0; i < units->nr; i++) {
		CHECK(units->unit[i].fast == (i >= units->nr_slow));
		CHECK(sums_up(&units->unit[i], nr));
	}
	/* In the order of the list, and in any other. */
	for (i = 0; i < nr; i++)
		check_find(units, &list[i]);
	for (i = 0; i < nr; i++)
		check_find(units, &list[tap_below(nr)]);
}

/* The lists of one look; those of the next one have the same room. */
static void add_lists(struct units *units, size_t nr, bool sorted)
{
	const size_t nr_slow = tap_below(nr + 1), part = tap_below(nr_slow + 1);
	size_t i;

	for (i = 0; i < nr; i++) {
		list[i] = random_page();
		fast[i] = i >= nr_slow;
	}
	if (sorted) {
		qsort(list, nr_slow, sizeof(*list), page_by_place);
		qsort(list + nr_slow, nr - nr_slow, sizeof(*list), page_by_place);
	}
	/* A list may come in parts. */
	units_add(units, list, part, false);
	units_add(units, list + part, nr_slow - part, false);
	units_add(units, list + nr_slow, nr - nr_slow, true);
}

/* What is in another list, too, is found there, and nothing else. */
static void check_other(const struct units *units, const struct units *other, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		CHECK(units_find(other, only(units, &list[i])) == only(other, &list[i]));
}

static void test_random_lists(void)
{
	struct units units = {}, other = {};
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		const size_t nr = 1 + tap_below(round % 20 ? 60 : 600);

		CHECK(!units_reset(&units, nr));
		CHECK(!units.nr && !units.nr_runs);
		add_lists(&units, nr, round % 3);
		check_units(&units, nr);
		CHECK(!units_reset(&other, nr / 2));
		units_add(&other, list + nr / 4, nr / 2, tap_below(2));
		check_other(&units, &other, nr);
	}
	CHECK(!units_reset(&units, 0));
	units_add(&units, list, 0, false);
	CHECK(!units.nr && !units.nr_runs && !units_find(&units, &other.unit[0]));
	units_free(&units);
	CHECK(!units_find(&units, &other.unit[0]));
	units_free(&other);
}

/* Each region of a list by address has one run in each tier, however many pages it has. */
static void test_few_runs(void)
{
	struct units units = {};
	u32 nr_slow = 0, nr = 0, i;

	for (i = 0; i < 1024; i++)
		if (i % 3)
			list[nr_slow++] = page_at((u64)i << HTMM_PAGE_SHIFT, i, HTMM_PAGE_SHIFT);
	for (nr = nr_slow, i = 0; i < 1024; i += 3)
		list[nr++] = page_at((u64)i << HTMM_PAGE_SHIFT, i, HTMM_PAGE_SHIFT);
	CHECK(!units_reset(&units, nr));
	units_add(&units, list, nr_slow, false);
	units_add(&units, list + nr_slow, nr - nr_slow, true);
	CHECK(units.nr == 1024 && units.nr_slow == nr_slow && units.nr_runs == 4);
	CHECK(units.run[0].next == 3 && units.run[1].next == 4);
	CHECK(units_runs(&units, &units.unit[units.nr - 1]) == 2);
	/* Also if those of the other tier follow. */
	CHECK(!units_reset(&units, 20));
	units_add(&units, list, 10, false);
	units_add(&units, list + 10, 10, true);
	CHECK(units.nr == 20 && units.nr_runs == 2 && units.run[1].begin == 10);
	units_free(&units);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_random_lists),
		TAP_TEST(test_few_runs),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
