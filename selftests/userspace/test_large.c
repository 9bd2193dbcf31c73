// SPDX-License-Identifier: GPL-2.0
/* Of more pages than can be listed: which ones `htmmctl tier` lists, and how often. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "htmmctl/clock.h"
#include "policy/rules.h"
#include "tier/large.h"
#include "tier/used.h"
#include "tier_machine.h"

/* Is each page of a list there once, with the tier that it is in, and of a region by address? */
static void check_lists(const struct group *group)
{
	const struct htmm_page *pages = group->pages.pages;
	u32 next[NODES][PAGES / 512 + 1] = {};
	bool seen[PAGES] = {};
	size_t i;

	for (i = 0; i < group->pages.nr; i++) {
		const u32 page = (pages[i].addr - BASE) >> HTMM_PAGE_SHIFT;

		CHECK(page >= next[pages[i].node][page / 512]);
		next[pages[i].node][page / 512] = page + 1;
		CHECK(!seen[page]);
		seen[page] = true;
		CHECK((machine.node[page] % 2 == SLOW) == (i < group->nr_slow));
	}
	for (; i < group->pages.nr + group->nr_rest; i++) {
		const u32 page = (pages[i].addr - BASE) >> HTMM_PAGE_SHIFT;

		CHECK(!seen[page] && machine.node[page] % 2 == SLOW && !machine.samples[page]);
		seen[page] = true;
	}
}

/* Pages of the slow tier that have none. */
static unsigned int without_samples(__u64 start, __u64 end)
{
	unsigned int nr = 0;
	u32 page;

	for (page = 0; page < USUAL; page++) {
		const __u64 addr = BASE + ((__u64)page << HTMM_PAGE_SHIFT);

		nr += addr >= start && addr < end && machine.node[page] % 2 == SLOW &&
		      !machine.samples[page];
	}
	return nr;
}

/* Of more pages than can be listed, regions are chosen, and the hottest pages beside them. */
static void test_large(void)
{
	struct tier *tier = make(150);
	const struct group *group = &tier->groups[0];
	const struct htmm_list_pages *list = machine.list;
	unsigned int i, ranges = 0, rest = 0;

	tier->config.dry = true;
	sample(0, 200, 2);
	sample(200, 400, 1);
	sample(1000, 1100, 9);
	sample(1100, 1200, 4);
	sample(3600, 3601, 30);
	look(tier);
	CHECK(group->large && !group->slow_cut);
	check_lists(group);
	CHECK(group->nr_slow == 201 && group->pages.nr == 201 + CAPACITY);
	CHECK(group->used == CAPACITY);
	/* Regions, all pages, then what was found, the ranges, and the hottest pages. */
	CHECK(list[0].unit == HTMM_UNIT_REGION && list[1].flags & HTMM_LIST_OTHERS);
	CHECK(list[2].flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT) && list[2].pid == PID);
	for (i = 3; i < machine.nr_lists; i++) {
		if (list[i].flags != HTMM_LIST_RESIDENT)
			continue;
		CHECK(list[i].order == HTMM_ORDER_TABLE && list[i].pid == PID &&
		      list[i].target == 1 && list[i].start < list[i].end);
		rest += without_samples(list[i].start, list[i].end);
		ranges++;
	}
	CHECK(group->nr_rest == rest && rest > 1000);
	CHECK(ranges >= 1 && list[machine.nr_lists - 1].order == HTMM_ORDER_HOTTEST);
	destroy(tier);
}

/* The hottest pages are not listed as often if that takes more than half of the time. */
static void test_large_hottest(void)
{
	struct tier *tier = make(150);
	struct group *group = &tier->groups[0];
	unsigned int i, hottest;

	for (hottest = 0; hottest < 2; hottest++) {
		sample(0, 400, 2);
		group->hottest_s = hottest ? 0 : 1000;
		tier->due = 0;
		look(tier);
		for (i = 0; i < machine.nr_lists && machine.list[i].flags != HTMM_LIST_NODE; i++)
			;
		CHECK(group->large && (i < machine.nr_lists) == hottest);
		CHECK(group->ranges_s > 0);
	}
	CHECK(group->hottest_s > 0);
	destroy(tier);
}

/* In regions that are not chosen the hottest pages are those with the highest addresses. */
static void test_large_order(void)
{
	struct tier *tier = make(150);
	const struct group *group = &tier->groups[0];
	size_t i, hottest = 0;
	u32 page;

	tier->config.dry = true;
	machine.size = PAGES;
	for (page = USUAL; page < PAGES; page++)
		machine.node[page] = SLOW;
	for (page = 0; page < PAGES; page++)
		if (page % 512 < 8)
			sample(page, page + 1, 10 + page % 512);
	look(tier);
	CHECK(group->large);
	check_lists(group);
	for (i = 0; i < group->nr_slow; i++)
		hottest += !policy_in_focus(group->policy, &group->pages.pages[i]);
	printf("# %zu of %zu pages in no range\n", hottest, group->nr_slow);
	CHECK(hottest > 100);
	destroy(tier);
}

/*
 * When a program has freed most of its memory, all of it is listed again, and not only a part. At
 * the first list of all, pages that were not in a part seem to gain all that they have, and those
 * of the fast tier to be new: nothing is moved for that.
 */
static void test_large_shrinks(void)
{
	static const struct { u32 pages; bool large; } steps[] = {
		{ 3000, true }, { 900, true }, { 400, false }, { 900, false },
	};
	struct tier *tier = make(2000);
	const struct group *group = &tier->groups[0];
	const struct policy_plan *plan;
	unsigned int i;

	tier->config.dry = true;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		const bool widened = group->large && !steps[i].large;

		machine.pages = steps[i].pages;
		machine.size = CAPACITY + steps[i].pages;
		sample(0, CAPACITY, 40);
		sample(CAPACITY, machine.size, 4);
		tier->due = 0;
		look(tier);
		plan = group->plan;
		CHECK(group->large == steps[i].large);
		check_lists(group);
		CHECK(!widened || (group->pages.nr == machine.size && !plan->promoted_pages &&
				   plan->fast_share < 0));
	}
	destroy(tier);
}

static unsigned int lists_of_all(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < machine.nr_lists; i++)
		nr += !!(machine.list[i].flags & HTMM_LIST_OTHERS);
	return nr;
}

/* Pages that two processes map are listed twice, so all may be too many: this is tried once. */
static void test_large_shared(void)
{
	struct tier *tier = make(2000);
	const struct group *group = &tier->groups[0];
	unsigned int i;

	tier->config.dry = true;
	machine.pages = 3000;
	machine.size = CAPACITY + 3000;
	for (i = 0; i < 4; i++) {
		sample(0, machine.size, 4);
		tier->due = 0;
		look(tier);
		CHECK(group->large && lists_of_all() == (i < 2));
		machine.pages = 400;
		machine.size = 1100;
		machine.both = 1000;
	}
	destroy(tier);
}

/*
 * What a large group uses takes long to count, so not more than 0.2 % of the time, unless something
 * else may use it, too. Meanwhile the program frees memory, and pages move. @seldom: count so
 */
static void check_used(bool seldom, u64 capacity, u64 limit, unsigned int groups)
{
	struct tier *tier = groups > 1 ? make_targets() : make(150);
	u32 i, page, used, counts = 0;

	tier->list_pages = 150;
	tier->capacity = capacity;
	tier->groups[0].limit = limit;
	machine.kept = seldom ? 30 : 0;
	machine.count_ms = 4;
	for (i = 0; i < 6; i++) {
		sample(0, 400, 2);
		sample(1000, 1200, 9);
		for (page = 400; page < 400 + 10 * i; page++)
			machine.node[page] = SLOW;
		used = fast_of(0, USUAL);
		tier->due = 0;
		counts = machine.counts;
		look(tier);
		CHECK(tier->groups[0].large && tier->groups[0].used == used);
		/* It takes a little more than 4 ms. */
		CHECK(machine.counts == counts + (!seldom || i % 3 == 0));
	}
	destroy(tier);
}

/* Others may have taken memory, or given some back. So a count that takes long is made in time. */
static void check_used_in_time(u64 ms, u64 seconds)
{
	struct tier *tier = make(150);
	u64 first;

	machine.count_ms = ms;
	sample(0, 400, 2);
	look(tier);
	first = machine.seconds;
	while (machine.counts < 2) {
		tier->due = 0;
		sample(0, 400, 2);
		look(tier);
	}
	CHECK(machine.seconds - first == seconds);
	destroy(tier);
}

/* A program takes memory while it is counted; others free so much that it must be counted again. */
static void check_used_meanwhile(void)
{
	struct tier *tier = make(150);
	u32 page, used;

	for (page = 400; page < CAPACITY; page++)
		machine.node[page] = SLOW;
	machine.count_ms = 20;
	machine.taken = 10;
	sample(0, 400, 2);
	sample(1000, 1200, 9);
	look(tier);
	CHECK(machine.counts == 1 && fast_of(400, 420) == 20);
	machine.taken = 0;
	/* It frees some, so that some is free. */
	for (page = 400; page < 440; page++)
		machine.node[page] = SLOW;
	used = fast_of(0, USUAL);
	tier->due = 0;
	look(tier);
	CHECK(machine.counts == 1 && tier->groups[0].used == used);
	for (page = 0; page < 40; page++)
		machine.node[page] = SLOW;
	used = fast_of(0, USUAL);
	machine.more_free = 10 * CAPACITY;
	tier->due = 0;
	look(tier);
	CHECK(machine.counts == 2 && tier->groups[0].used == used);
	destroy(tier);
}

static void test_large_used(void)
{
	check_used_meanwhile();
	check_used_in_time(24, 13);
	check_used_in_time(700, 300);
	check_used(true, 0, 0, 1);
	check_used(false, CAPACITY, 0, 1);
	check_used(false, 0, CAPACITY, 1);
	check_used(false, 0, 0, 2);
}

/* Two nodes a tier: pages of all of them are found, and listed. */
static void test_large_nodes(void)
{
	struct tier *tier = make(150);
	const struct group *group = &tier->groups[0];
	bool found[NODES] = {};
	unsigned int i, round;
	u32 page;

	tier->config.dry = true;
	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	tier->tiers.slow.bits[0] = 1 << SLOW | 1 << 3;
	for (page = 256; page < CAPACITY; page++)
		machine.node[page] = 2;
	for (page = 2000; page < 3000; page++)
		machine.node[page] = 3;
	for (round = 0; round < 3; round++) {
		sample(0, 256, 5);
		sample(256, CAPACITY, 3);
		sample(1000, 1200, 7);
		sample(2000, 2200, 9);
		tier->due = 0;
		look(tier);
		check_lists(group);
		CHECK(group->large && group->nr_slow == 400 && group->pages.nr == 400 + CAPACITY);
		for (i = 0; i < machine.nr_lists; i++)
			if (machine.list[i].flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT))
				found[machine.list[i].node] = true;
	}
	CHECK(found[FAST] && found[2] && !found[SLOW] && !found[3]);
	destroy(tier);
}

/*
 * Two processes with more pages of the fast tier than one look finds, and two nodes: all are found
 * one after the other, and then again.
 */
static void test_large_hand(void)
{
	struct tier *tier = make(150);
	u32 page, round, least = 99, most = 0;

	tier->config.dry = true;
	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	machine.second = 20480;
	machine.size = PAGES;
	for (page = 0; page < PAGES; page++)
		machine.node[page] = page % 3 ? FAST : 2;
	for (round = 0; round < 6; round++) {
		sample(0, PAGES, 1);
		tier->due = 0;
		tier->groups[0].find_s = 0;
		look(tier);
		check_lists(&tier->groups[0]);
	}
	for (page = 0; page < PAGES; page++) {
		least = machine.found[page] < least ? machine.found[page] : least;
		most = machine.found[page] > most ? machine.found[page] : most;
	}
	printf("# each page was found %u to %u times\n", least, most);
	CHECK(least >= 2 && most <= least + 1);
	destroy(tier);
}

/* It takes at most half of the time. */
static void test_large_seldom(void)
{
	struct tier *tier = make(150);
	unsigned int i, round, found[2] = {};

	for (round = 0; round < 2; round++) {
		sample(0, 400, 2);
		tier->groups[0].find_s = round ? 1000 : 0;
		tier->due = 0;
		look(tier);
		for (i = 0; i < machine.nr_lists; i++)
			found[round] += machine.list[i].flags ==
					(HTMM_LIST_NODE | HTMM_LIST_RESIDENT);
	}
	/* Once for each process and node: not again and again. */
	CHECK(found[0] == 1 && !found[1]);
	destroy(tier);
}

/* A target may be removed while its pages are listed. */
static void test_large_removed(void)
{
	struct tier *tier = make(150);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		sample(0, 400, 2);
		sample(1000, 1100, 9);
		tier->due = 0;
		machine.removed = i > 0;
		look(tier);
		CHECK(tier->groups[0].large && tier->looks == i + 1);
	}
	CHECK(tier->groups[0].pages.nr == tier->groups[0].nr_slow);
	destroy(tier);
}

/* Without a process whose page tables could not be read, what is in use seems too little. */
static void test_large_skipped(void)
{
	struct tier *tier = make(150);
	struct group *group = &tier->groups[0];
	struct htmm_error err;

	group->used = 700;
	machine.skipped = 1;
	CHECK(!used_unlisted(tier, group, &err) && group->used == 700);
	machine.skipped = 0;
	group->count_due = 0;
	CHECK(!used_unlisted(tier, group, &err) && group->used == CAPACITY);
	destroy(tier);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_large),
		TAP_TEST(test_large_used),
		TAP_TEST(test_large_hottest),
		TAP_TEST(test_large_order),
		TAP_TEST(test_large_shrinks),
		TAP_TEST(test_large_shared),
		TAP_TEST(test_large_hand),
		TAP_TEST(test_large_seldom),
		TAP_TEST(test_large_removed),
		TAP_TEST(test_large_nodes),
		TAP_TEST(test_large_skipped),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
