// SPDX-License-Identifier: GPL-2.0
/* How groups share the fast tier, by weights and with limits. */
#include <stdlib.h>
#include "policy/share.h"
#include "test.h"

#define NR	5

/* Are these the capacities of the groups? */
static bool divided(struct share *share, unsigned int nr, u64 room, const u64 *want)
{
	bool same = true;
	unsigned int i;

	share_divide(share, nr, room);
	for (i = 0; i < nr; i++) {
		same &= share[i].capacity == want[i];
		if (share[i].capacity != want[i])
			printf("# group %u: %llu, not %llu\n", i, share[i].capacity, want[i]);
	}
	return same;
}

/* What a group uses and wants does not matter. */
static void test_weights(void)
{
	struct share three[] = {
		{ .weight = 3, .wanted = 10 }, { .weight = 1, .wanted = 900 }, { .weight = 4 },
	};
	struct share one[] = { { .weight = 7 } };

	CHECK(divided(three, 3, 800, (u64[]) { 300, 100, 400 }));
	CHECK(divided(three, 3, 0, (u64[]) { 0, 0, 0 }));
	CHECK(divided(one, 1, 123, (u64[]) { 123 }));
}

/* Each has its limit at any time, and nobody has more, whatever is left. */
static void test_limits(void)
{
	struct share three[] = {
		{ .limit = 100, .wanted = 5000 }, { .limit = 200, .wanted = 7 }, { .limit = 300 },
	};

	CHECK(divided(three, 3, 600, (u64[]) { 100, 200, 300 }));
	CHECK(divided(three, 3, 6000, (u64[]) { 100, 200, 300 }));
}

/* Groups without a limit have the rest, by their weights, and what is not wanted. */
static void test_lent(void)
{
	struct share four[] = {
		{ .limit = 100, .wanted = 100 }, { .limit = 200, .wanted = 50 },
		{ .weight = 1, .wanted = 9 }, { .weight = 2, .wanted = 9000 },
	};

	CHECK(divided(four, 4, 450, (u64[]) { 100, 200, 100, 200 }));
	/* It is given back when it is wanted. */
	four[1].wanted = 140;
	CHECK(divided(four, 4, 450, (u64[]) { 100, 200, 70, 140 }));
	four[1].wanted = 5000;
	CHECK(divided(four, 4, 450, (u64[]) { 100, 200, 50, 100 }));
	CHECK(divided(four, 4, 300, (u64[]) { 100, 200, 0, 0 }));
}

/* If others use the memory of the fast tier, too, limits shrink alike. */
static void test_scarce(void)
{
	struct share three[] = {
		{ .limit = 100, .wanted = 100 }, { .limit = 200, .wanted = 900 },
		{ .limit = 300, .wanted = 300 },
	};
	struct share four[] = {
		{ .limit = 100, .wanted = 20 }, { .limit = 200, .wanted = 900 },
		{ .limit = 300, .wanted = 0 }, { .weight = 1, .wanted = 900 },
	};

	CHECK(divided(three, 3, 300, (u64[]) { 50, 100, 150 }));
	/* What one does not want is for those with limits first. */
	three[2].wanted = 30;
	CHECK(divided(three, 3, 300, (u64[]) { 90, 180, 30 }));
	three[0].wanted = 60;
	CHECK(divided(three, 3, 300, (u64[]) { 60, 200, 30 }));
	CHECK(divided(four, 4, 100, (u64[]) { 20, 80, 0, 0 }));
	CHECK(divided(four, 4, 250, (u64[]) { 20, 200, 0, 30 }));
}

/* A neighbour that wants more than all there is changes nothing for groups with limits. */
static void test_neighbour(void)
{
	struct share without[] = {
		{ .limit = 100, .wanted = 400 }, { .limit = 200, .wanted = 150 },
		{ .weight = 1 },
	}, with[] = { without[0], without[1], { .weight = 1, .wanted = 100000 } };
	u64 room;

	for (room = 250; room < 700; room++) {
		share_divide(without, 3, room);
		share_divide(with, 3, room);
		CHECK(with[0].capacity == without[0].capacity);
		CHECK(with[1].capacity == without[1].capacity);
		CHECK(with[0].capacity + 150 + with[2].capacity <= room);
	}
}

static u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

static void check_random(void)
{
	struct share share[NR] = {};
	u64 room = random() % 1000, claims = 0, limits = 0, part;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		share[i].weight = 1 + random() % 3;
		share[i].limit = random() % 3 ? 1 + random() % 400 : 0;
		share[i].wanted = random() % 500;
		limits += share[i].limit;
	}
	share_divide(share, NR, room);
	for (i = 0; i < NR; i++) {
		CHECK(!share[i].limit || share[i].capacity <= share[i].limit);
		CHECK(limits > room || !share[i].limit || share[i].capacity == share[i].limit);
		claims += share[i].limit ? smaller(share[i].capacity, share[i].wanted) :
					   share[i].capacity;
		/* Nobody has less than its part, if it wants it. */
		part = limits ? room * share[i].limit / limits : 0;
		part = smaller(part, smaller(share[i].limit, share[i].wanted));
		CHECK(share[i].capacity + 1 >= part);
	}
	/* All can be used at the same time. */
	CHECK(claims <= room);
}

static void test_random(void)
{
	unsigned int i;

	srandom(1);
	for (i = 0; i < 100000; i++)
		check_random();
}

/* What belongs to nobody is nobody's. */
static void test_nobody(void)
{
	struct share share[] = { {}, { .limit = 30, .wanted = 20 }, {} };

	share_divide(share, ARRAY_SIZE(share), 100);
	CHECK(!share[0].capacity && share[1].capacity == 30 && !share[2].capacity);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_weights),
		TAP_TEST(test_limits),
		TAP_TEST(test_lent),
		TAP_TEST(test_scarce),
		TAP_TEST(test_neighbour),
		TAP_TEST(test_nobody),
		TAP_TEST(test_random),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
