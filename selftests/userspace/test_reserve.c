// SPDX-License-Identifier: GPL-2.0
/* The room that the policy keeps for pages that a program allocates. */
#include <math.h>
#include <stdlib.h>
#include "policy/rules.h"
#include "policy_memory.h"

/* A program's new pages: the kernel puts them where there is room. */
static void allocate(struct memory *memory, u32 pages)
{
	u64 room = memory->capacity > used(memory) ? memory->capacity - used(memory) : 0;
	u32 page;

	CHECK(memory->pages + pages <= PAGES);
	for (page = memory->pages; page < memory->pages + pages; page++)
		memory->fast[page] = page < memory->pages + room;
	memory->pages += pages;
}

/*
 * At each of @looks looks, @seconds apart, there are @pages new pages, of which each @one_of'th has
 * @times samples, and @old samples of each old page of the fast tier. Returns how many of the last
 * new pages are in it.
 */
static u64 allocating_every(struct memory *memory, double seconds, u32 looks, u32 pages,
			    u32 one_of, u32 times, u32 old)
{
	u32 last = memory->pages, page;

	while (looks--) {
		last = memory->pages;
		allocate(memory, pages);
		for (page = last; page < last + pages; page += one_of)
			sample(memory, page, page + 1, times);
		sample(memory, 0, CAPACITY, old);
		memory->seconds += seconds - 1;
		look(memory);
		obey(memory);
	}
	return fast_of(memory, last, last + pages);
}

static u64 allocating(struct memory *memory, u32 looks, u32 pages, u32 times, u32 old)
{
	return allocating_every(memory, 1, looks, pages, 1, times, old);
}

/* Room is made for new pages before they come, as much as they take. */
static void test_reserve(void)
{
	struct memory *memory = make_with(1100, 0), *without = make(1100, 0);
	u32 i;

	CHECK(allocating(memory, 5, 120, 6, 0) == 120);
	CHECK(allocating(memory, 9, 120, 6, 0) == 120);
	CHECK(memory->plan->reserve >= 180 && memory->plan->ahead_pages == 120);
	CHECK(used(memory) + memory->plan->reserve <= CAPACITY);
	CHECK(allocating(without, 14, 120, 6, 0) == 0 && !without->plan->reserve);
	/* When no more come, the room is for the others again. */
	for (i = 0; i < 12; i++) {
		work(memory, 1100, 2780, 3, 1);
		CHECK(used(memory) + memory->plan->reserve <= CAPACITY);
	}
	CHECK(memory->plan->reserve == CAPACITY / 256);
	CHECK(used(memory) == CAPACITY - CAPACITY / 256);
	destroy(memory);
	destroy(without);
}

/* The reserve after the first one was used up in so many seconds. */
static u64 reserve_used_up(double seconds)
{
	struct memory *memory = make_with(1100, 0);
	u64 pages;

	sample(memory, 0, 900, 1);
	look(memory);
	obey(memory);
	memory->seconds += seconds;
	allocating(memory, 1, memory->plan->reserve, 6, 0);
	pages = memory->plan->reserve;
	destroy(memory);
	return pages;
}

/* Pages that come slowly need not much more room than they took: it would be idle for long. */
static void test_reserve_slow(void)
{
	CHECK(reserve_used_up(0) == 72 && reserve_used_up(20) == 24);
}

/* No more than half of the fast tier is kept free, however much is allocated. */
static void test_reserve_most(void)
{
	struct memory *memory = make_with(1100, 0);

	allocating(memory, 4, 700, 6, 0);
	CHECK(memory->plan->reserve <= CAPACITY / 2);
	CHECK(used(memory) >= CAPACITY / 2);
	destroy(memory);
}

/* Pages that gain more than new ones stay, until new ones gain more. */
static void test_reserve_pays(void)
{
	struct memory *memory = make_with(1100, 0);

	allocating(memory, 8, 120, 1, 9);
	CHECK(fast_of(memory, 0, CAPACITY) > 1000 && memory->plan->ahead_pages < 20);
	CHECK(allocating(memory, 14, 120, 40, 9) == 120);
	destroy(memory);
	/* Without any samples of them, too. */
	memory = make_with(1100, 0);
	allocating(memory, 8, 120, 0, 9);
	CHECK(fast_of(memory, 0, CAPACITY) > 1000 && memory->plan->ahead_pages < 20);
	destroy(memory);
}

/*
 * What has left for new pages is used again, so little that it is not listed, but all of it more
 * than the new pages. Whatever is expected of these, hardly any room is made for more until a phase
 * begins.
 */
static void test_reserve_lost(void)
{
	struct memory *memory = make_with(1100, 0);
	const struct reserve *reserve = &memory->policy->reserve;
	double won, lost;
	u32 i;

	CHECK(allocating(memory, 8, 120, 1, 0) == 120);
	CHECK(memory->plan->ahead_pages == 120 && fast_of(memory, 0, 700) == 0);
	CHECK(reserve->won > 100 && !reserve->lost);
	memory->slow_cut = 200;
	/* As if other moves had won much. */
	memory->policy->balance.won = 100;
	for (i = 0; i < 12; i++) {
		sample(memory, 0, 700, 1);
		allocating(memory, 1, 120, 1, 0);
	}
	printf("# %llu pages leave of %llu\n", memory->plan->ahead_pages, memory->plan->reserve);
	CHECK(reserve->lost > 2 * reserve->won && reserve->saves < 0);
	CHECK(memory->plan->reserve == 16 && memory->plan->ahead_pages <= 16);
	/* Looks without samples do not tell the same again. */
	won = reserve->won;
	lost = reserve->lost;
	for (i = 0; i < 3; i++)
		look(memory);
	CHECK(near(reserve->won, won * exp2(-3 / 60.0), 0.000001));
	CHECK(near(reserve->lost, lost * exp2(-3 / 60.0), 0.000001));
	memory->policy->changed = true;
	allocating(memory, 1, 120, 3, 0);
	CHECK(memory->plan->cool && !reserve->won && !reserve->lost);
	CHECK(allocating(memory, 14, 120, 1, 0) == 120);
	destroy(memory);
}

/* If new pages are soon freed, nothing tells what they have gained, so others do not count. */
static void test_reserve_freed(void)
{
	struct memory *memory = make_with(1100, 0);
	const struct reserve *reserve = &memory->policy->reserve;
	u32 i, page;

	CHECK(allocating(memory, 8, 120, 1, 0) == 120);
	memory->slow_cut = 200;
	memory->policy->balance.won = 100;
	memory->policy->origins.rest_room = 0.5;
	for (i = 0; i < 12; i++) {
		CHECK(!memory->policy->freed && !reserve->lost);
		CHECK(!memory->policy->origins.rest_fast);
		for (page = memory->pages - 200; page < memory->pages - 160 - (i & 1) * 23; page++)
			memory->fast[page] = false;
		sample(memory, 0, 700, 1);
		allocating(memory, 1, 120, 1, 0);
		CHECK(memory->policy->freed == (i & 1 ? 17 : 40));
		look(memory);
	}
	destroy(memory);
}

/* New pages have more samples than what left for them, but each no more than what is listed has. */
static void test_reserve_cut(void)
{
	struct memory *memory = make_with(1100, 0);
	const struct reserve *reserve = &memory->policy->reserve;
	u32 i;

	CHECK(allocating(memory, 12, 120, 4, 0) == 120);
	memory->slow_cut = 4;
	for (i = 0; i < 18; i++) {
		sample(memory, 0, 200, 1);
		CHECK(allocating(memory, 1, 120, 4, 0) == 120);
	}
	CHECK(reserve->won > 600 && reserve->saves > 0 && knows(memory, 0.01));
	destroy(memory);
}

/* What new pages are worth if 100 came since the last look, each of which has so many samples. */
static double worth_after(struct reserve *reserve, double at, double exposure, u32 samples)
{
	struct unit unit[100] = {};
	const struct units now = { .unit = unit, .nr = ARRAY_SIZE(unit) };
	const struct policy_look look = {
		.capacity = 1024, .used = 1 + ARRAY_SIZE(unit), .period = 499, .samples = 1,
		.seconds = at,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unit); i++)
		unit[i] = (struct unit) { .fresh = true, .pages = 1, .samples = samples };
	reserve->used = 1;
	reserve_look(reserve, &look, &now, exposure, 170, 5000);
	return reserve->worth;
}

/* A sample counts half after 256 others, and after a minute; the difference may be chance. */
static void test_reserve_gained(void)
{
	struct reserve reserve = {};

	reserve_gained(&reserve, 30, 10, 5);
	CHECK(reserve.won == 30 && reserve.lost == 10);
	reserve_gained(&reserve, 0, 256, 0);
	CHECK(near(reserve.won, 15, 0) && near(reserve.lost, 261, 0));
	reserve_gained(&reserve, 0, 0, 120);
	CHECK(near(reserve.won, 3.75, 0) && near(reserve.lost, 65.25, 0));
	worth_after(&reserve, 0.5, 1, 1);
	reserve.won = 26;
	reserve.lost = 42;
	CHECK(worth_after(&reserve, 1, 1, 1) == 1 && reserve.saves > 0);
	reserve.lost = 43;
	CHECK(worth_after(&reserve, 2, 1, 1) == 1 && reserve.saves < 0);
}

/* No room is made that new pages would take so late that more is missed until then. */
static void test_reserve_idle(void)
{
	struct memory *memory = make_with(1100, 0);
	u32 i;

	for (i = 0; i < 15; i++) {
		sample(memory, 0, memory->pages, 1);
		/* As if they had come slower: 8 a second, which gain 12 samples each, others 1. */
		if (i == 14)
			memory->policy->reserve.come_s = 70;
		allocating(memory, 1, 120, 6, 0);
		CHECK(i != 13 || memory->plan->ahead_pages == 120);
	}
	printf("# %llu pages of %llu\n", memory->plan->ahead_pages, memory->plan->reserve);
	CHECK(memory->plan->reserve >= 180 && memory->plan->ahead_pages > 20 &&
	      memory->plan->ahead_pages < 60);
	destroy(memory);
}

/* What new pages gain has to be more than the copies of what leaves for them take. */
static void test_reserve_profit(void)
{
	struct memory *memory = make_with(1100, 0), *without = make_with(1100, bit(POLICY_PROFIT));
	const struct reserve *reserve = &memory->policy->reserve;

	/* What a page gains with one sample takes 170 us of the program's time. */
	memory->policy->copy_ns = 200000;
	CHECK(allocating(memory, 12, 120, 1, 0) <= 16 && memory->plan->reserve == 16);
	CHECK(memory->plan->ahead_pages >= 8 && reserve->saves < 0);
	CHECK(isinf(reserve_wait(reserve, 1, 0.001)));
	memory->policy->copy_ns = 136000;
	CHECK(allocating(memory, 12, 120, 1, 0) == 120);
	/* 120 times 34 us, of which looks may take half. */
	CHECK(reserve->saves > 0.0037 && reserve->saves < 0.0045);
	CHECK(wait_after(memory, 0.01) > 4.4 && wait_after(memory, 0.01) < 5.4);
	/* It shrinks step by step, until later ones gain more. */
	memory->policy->copy_ns = 200000;
	allocating(memory, 1, 120, 1, 0);
	CHECK(reserve->saves < 0 && memory->plan->reserve >= 100 && memory->plan->reserve < 180);
	CHECK(allocating(memory, 12, 120, 1, 0) <= 16);
	CHECK(allocating(memory, 20, 120, 2, 0) == 120 && reserve->saves > 0);
	without->policy->copy_ns = 200000;
	CHECK(allocating(without, 12, 120, 1, 0) == 120);
	destroy(memory);
	destroy(without);
}

/* It counts for how long new pages gain it: for a second at least, where no page has to leave. */
static void test_reserve_interval(void)
{
	struct memory *memory = make_with(1100, 0);
	const struct reserve *reserve = &memory->policy->reserve;

	memory->policy->copy_ns = 136000;
	CHECK(allocating_every(memory, 10, 12, 120, 1, 1, 0) == 120);
	CHECK(reserve->saves > 0.00037 && reserve->saves < 0.00045);
	memory->policy->copy_ns = 200000;
	CHECK(allocating_every(memory, 10, 24, 120, 1, 1, 0) <= 16 && reserve->saves < 0);
	destroy(memory);
	memory = make_with(1100, 0);
	reserve = &memory->policy->reserve;
	/* In a tenth of a second new pages save 17 us. */
	memory->policy->copy_ns = 18700;
	CHECK(allocating_every(memory, 0.1, 40, 30, 10, 1, 0) < 30);
	CHECK(reserve->worth > 0.95 && reserve->worth < 1.2 && reserve->saves > 0);
	memory->policy->copy_ns = 14700;
	CHECK(allocating_every(memory, 0.1, 40, 30, 10, 1, 0) == 30);
	destroy(memory);
}

static bool between(double value, double least, double most)
{
	return value > least && value < most;
}

/* A look that came soon, when new pages gained much, counts as little as it was short. */
static void test_reserve_seconds(void)
{
	struct reserve reserve = {};

	worth_after(&reserve, 10, 10, 1);
	CHECK(between(worth_after(&reserve, 10.1, 0.1, 1), 9.9, 10.1));
	CHECK(between(worth_after(&reserve, 15, 4.9, 0), 0.1, 0.2));
	/* Only one of four samples was taken. */
	CHECK(between(worth_after(&reserve, 1015, 250, 5), 0.02, 0.021));
}

/* Until the next look, new pages must gain more than what leaves for them and than a copy takes. */
static void test_reserve_until(void)
{
	struct reserve reserve = {
		.known = true, .worth = 1, .interval = 2, .saves = 0.02, .look_s = 0.1,
		.sample_ns = 30000, .copy_ns = 30000, .come = 10, .come_s = 1,
	};
	struct memory *memory = make_with(1100, 0);

	/* They gain 4 samples in 2 seconds. */
	CHECK(reserve_pays(&reserve, 0.29, 0) && !reserve_pays(&reserve, 0.31, 0));
	reserve.look_s = 0.01;
	CHECK(reserve_pays(&reserve, 1.4, 0) && !reserve_pays(&reserve, 1.6, 0));
	reserve.look_s = 0;
	CHECK(reserve_pays(&reserve, 1.4, 19) && !reserve_pays(&reserve, 1.6, 19));
	/* The room would be idle for 4 seconds. */
	CHECK(reserve_pays(&reserve, 0.7, 40) && !reserve_pays(&reserve, 0.8, 40));
	reserve.saves = 10;
	reserve.look_s = 0.2;
	CHECK(reserve_pays(&reserve, 0.7, 0) && !reserve_pays(&reserve, 0.8, 0));
	/* Copies take more than is saved: a small rest is kept. */
	reserve.saves = 0;
	reserve.pages = 64;
	reserve.rest = 64;
	CHECK(reserve_pays(&reserve, 1.9, 0) && !reserve_pays(&reserve, 2.1, 0));
	reserve.pages = 65;
	CHECK(!reserve_pays(&reserve, 0, 0));
	reserve.saves = 0.02;
	reserve.copy_ns = 130000;
	CHECK(!reserve_pays(&reserve, 0, 0));
	reserve.copy_ns = 110000;
	CHECK(reserve_pays(&reserve, 0, 0));
	reserve.off = true;
	CHECK(!reserve_pays(&reserve, 0, 0));
	policy_looked(memory->policy, 0.25);
	CHECK(memory->policy->reserve.look_s == 0.25);
	destroy(memory);
}

/* One look that comes soon, at which there is hardly anything new, changes little. */
static void test_reserve_steady(void)
{
	struct memory *memory = make_with(1100, 0);
	const struct reserve *reserve = &memory->policy->reserve;
	double saves, pages;

	memory->policy->copy_ns = 80000;
	CHECK(allocating(memory, 14, 120, 1, 0) == 120);
	saves = reserve->saves;
	pages = reserve->pages;
	CHECK(saves > 0.01);
	allocating_every(memory, 0.01, 1, 2, 1, 0, 0);
	CHECK(reserve->pages >= 0.6 * pages && reserve->saves > 0.9 * saves);
	CHECK(reserve_wait(reserve, 0.01, 0.001) < 1);
	saves = reserve->saves;
	allocating_every(memory, 0.1, 1, 0, 1, 0, 0);
	CHECK(reserve->saves > 0.9 * saves && reserve->saves < saves);
	/* At the same time, nothing can be told. */
	saves = reserve->saves;
	allocating_every(memory, 0, 1, 2, 1, 0, 0);
	CHECK(reserve->saves == saves);
	CHECK(allocating(memory, 2, 120, 1, 0) == 120);
	/* New pages without samples, at some looks, do not tell that none have any. */
	allocating(memory, 1, 20, 0, 0);
	CHECK(reserve->worth > 0.8 && reserve->worth < 1);
	destroy(memory);
}

/* What was not worth it once is tried again after a minute in which nothing has come. */
static void test_reserve_retry(void)
{
	struct policy_look look = {
		.capacity = 1024, .used = 1024, .period = 499, .samples = 1, .seconds = 69.9,
	};
	struct reserve reserve = { .known = true, .looks = 9, .used = 1024, .learnt = 10 };
	const struct units now = {};

	reserve_look(&reserve, &look, &now, 1, 170, 5000);
	CHECK(reserve.known && !reserve_pays(&reserve, 0.1, 0));
	look.seconds = 70;
	reserve_look(&reserve, &look, &now, 1, 170, 5000);
	CHECK(!reserve.known && reserve_pays(&reserve, 9, 0));
}

/* What is kept where it does not pay, of larger tiers; and the most that looks for it take. */
static void test_reserve_rest(void)
{
	static const struct {
		u64 capacity;
		double rest;
	} cases[] = { { 1024, 16 }, { 16384, 64 }, { 65536, 256 }, { 1 << 20, 256 } };
	struct reserve reserve = {};
	unsigned int i, looks;
	size_t page;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct units now = { .nr = 400 };
		struct policy_look look = {
			.capacity = cases[i].capacity, .used = 1, .period = 499, .samples = 1,
		};

		now.unit = calloc(now.nr, sizeof(*now.unit));
		for (page = 0; page < now.nr; page++)
			now.unit[page] = (struct unit) { .fresh = true, .pages = 1 };
		reserve = (struct reserve) {};
		for (looks = 0; looks < 40; looks++) {
			look.seconds++;
			reserve_look(&reserve, &look, &now, 1, 170, 5000);
			reserve.used = 0;
			look.used = 400;
		}
		CHECK(reserve.saves < 0 && reserve.pages == cases[i].rest);
		free(now.unit);
	}
	reserve.saves = 10;
	reserve.grown = reserve.pages;
	CHECK(reserve_wait(&reserve, 1, 1) == 20 && reserve_wait(&reserve, 1, 0.01) == 0.5);
}

/* A program that does nothing at first has not allocated all its pages when it begins. */
static void test_reserve_late(void)
{
	struct memory *memory = make_with(0, 0);
	u32 i;

	memory->capacity = 0;
	for (i = 0; i < 3; i++)
		look(memory);
	memory->pages = 2000;
	memory->capacity = CAPACITY;
	sample(memory, 0, 300, 1);
	look(memory);
	CHECK(memory->plan->reserve && memory->plan->reserve <= CAPACITY / 64);
	destroy(memory);
}

/* A huge page is too much for a small tier to keep free. */
static void test_reserve_huge(void)
{
	struct memory *memory = make_with(1536, 0);

	memory->shift = HTMM_REGION_SHIFT;
	sample(memory, 0, 1536, 3);
	look(memory);
	CHECK(!memory->plan->reserve && !memory->plan->nr_moves);
	destroy(memory);
}

/* What leaves is only planned, so a full tier with one new page a look has taken only this one. */
static void test_reserve_planned(void)
{
	struct memory *memory = make_with(2000, 0);
	u32 i;

	for (i = 0; i < 12; i++) {
		memory->fast[CAPACITY + i] = true;
		memory->capacity = used(memory);
		sample(memory, CAPACITY + i, CAPACITY + i + 1, 6);
		look(memory);
	}
	CHECK(memory->plan->reserve <= CAPACITY / 256);
	destroy(memory);
}

/* New pages gain more than those that leave for them, so that is no reason to look less often. */
static void test_reserve_won(void)
{
	struct memory *memory = make_with(1100, 0);

	allocating(memory, 10, 120, 6, 1);
	CHECK(memory->plan->ahead_pages > 50 && !memory->plan->promoted_pages);
	printf("# %g of the time\n", memory->plan->won);
	CHECK(memory->plan->won >= 0);
	destroy(memory);
}

/* The next look is before the room is used up. */
static void test_reserve_wait(void)
{
	struct memory *memory = make_with(1100, 0);
	double wait;

	allocating(memory, 14, 120, 6, 0);
	wait = wait_after(memory, 0.01);
	printf("# %.2f s\n", wait);
	CHECK(!memory->plan->burst && wait > 0.7 && wait < 0.9);
	work(memory, 1100, 2780, 3, 12);
	CHECK(wait_after(memory, 0.01) > 2);
	destroy(memory);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_reserve),
		TAP_TEST(test_reserve_slow),
		TAP_TEST(test_reserve_most),
		TAP_TEST(test_reserve_pays),
		TAP_TEST(test_reserve_lost),
		TAP_TEST(test_reserve_freed),
		TAP_TEST(test_reserve_cut),
		TAP_TEST(test_reserve_gained),
		TAP_TEST(test_reserve_idle),
		TAP_TEST(test_reserve_profit),
		TAP_TEST(test_reserve_interval),
		TAP_TEST(test_reserve_seconds),
		TAP_TEST(test_reserve_until),
		TAP_TEST(test_reserve_steady),
		TAP_TEST(test_reserve_retry),
		TAP_TEST(test_reserve_rest),
		TAP_TEST(test_reserve_late),
		TAP_TEST(test_reserve_huge),
		TAP_TEST(test_reserve_planned),
		TAP_TEST(test_reserve_won),
		TAP_TEST(test_reserve_wait),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
