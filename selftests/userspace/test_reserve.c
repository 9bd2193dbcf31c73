// SPDX-License-Identifier: GPL-2.0
/* The room that the policy keeps for pages that a program allocates. */
#include <math.h>
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
 * At each of @looks looks there are @pages new pages with @times samples, and @old samples of each
 * old page of the fast tier. Returns how many of the last new pages are in it.
 */
static u64 allocating(struct memory *memory, u32 looks, u32 pages, u32 times, u32 old)
{
	u32 last = memory->pages;

	while (looks--) {
		last = memory->pages;
		allocate(memory, pages);
		sample(memory, last, last + pages, times);
		sample(memory, 0, CAPACITY, old);
		look(memory);
		obey(memory);
	}
	return fast_of(memory, last, last + pages);
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

/* What new pages gain has to be more than the copies of what leaves for them take. */
static void test_reserve_profit(void)
{
	struct memory *memory = make_with(1100, 0);

	/* What a page gains with one sample takes 339 us of the program's time. */
	memory->policy->copy_ns = 400000;
	CHECK(allocating(memory, 8, 120, 1, 0) <= 16 && memory->plan->reserve <= 16);
	CHECK(memory->plan->ahead_pages >= 8 && memory->policy->reserve.saves < 0);
	CHECK(isinf(reserve_wait(&memory->policy->reserve, 1, 0.001)));
	/* And more than the looks. */
	memory->policy->copy_ns = 300000;
	CHECK(allocating(memory, 8, 120, 1, 0) == 120);
	CHECK(memory->policy->reserve.saves > 0.004 && memory->policy->reserve.saves < 0.005);
	CHECK(policy_wait(memory->policy, 0.01) > 4 && policy_wait(memory->policy, 0.01) < 5);
	/* Later ones gain more. */
	memory->policy->copy_ns = 400000;
	CHECK(allocating(memory, 8, 120, 1, 0) <= 16);
	CHECK(allocating(memory, 8, 120, 2, 0) == 120 && memory->policy->reserve.saves > 0);
	destroy(memory);
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
	wait = policy_wait(memory->policy, 0.01);
	printf("# %.2f s\n", wait);
	CHECK(!memory->plan->burst && wait > 0.7 && wait < 0.9);
	work(memory, 1100, 2780, 3, 12);
	CHECK(policy_wait(memory->policy, 0.01) > 2);
	destroy(memory);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_reserve),
		TAP_TEST(test_reserve_slow),
		TAP_TEST(test_reserve_most),
		TAP_TEST(test_reserve_pays),
		TAP_TEST(test_reserve_profit),
		TAP_TEST(test_reserve_late),
		TAP_TEST(test_reserve_huge),
		TAP_TEST(test_reserve_planned),
		TAP_TEST(test_reserve_won),
		TAP_TEST(test_reserve_wait),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
