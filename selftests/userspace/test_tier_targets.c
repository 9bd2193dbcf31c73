// SPDX-License-Identifier: GPL-2.0
/* The loop of `htmmctl tier` with several targets that share the fast tier. */
#include <math.h>
#include "policy/rules.h"
#include "tier_machine.h"

/* Of targets that share by weight, each has its part. */
static void test_capacity_of_targets(void)
{
	struct tier *tier = make_targets();
	struct htmm_error err;

	sample(0, 400, 5);
	machine.seconds++;
	/* What was refused is tried again. */
	machine.refuses = true;
	CHECK(!tier_look(tier, &err) && !machine.sets);
	machine.refuses = false;
	machine.seconds++;
	tier->due = 0;
	CHECK(!tier_look(tier, &err) && machine.sets == 3);
	CHECK(machine.capacity[1] == tier->groups[0].capacity);
	CHECK(machine.capacity[2] == tier->groups[1].capacity);
	CHECK(machine.capacity[0] == 4 * machine.capacity[2] && machine.capacity[2]);
	CHECK(machine.capacity[1] == 3 * machine.capacity[2]);
	destroy(tier);
}

/* A target with a limit has no more than that, and the other one all that it leaves. */
static void test_limit(void)
{
	struct tier *tier = make_targets();
	struct group *one = &tier->groups[0], *other = &tier->groups[1];
	u64 reserve;
	u32 page;

	one->limit = 200;
	sample(0, 100, 5);
	look(tier);
	CHECK(one->capacity == 200 && machine.capacity[1] == 200);
	CHECK(one->plan->forced_pages == 312 && fast_of(0, USUAL) <= 200);
	CHECK(fast_of(0, 100) == 100);
	/* At the beginning it had more, so nothing was left. */
	CHECK(other->capacity == 312 && machine.capacity[2] == 312 && machine.capacity[0] == 512);
	CHECK(machine.sets == 3);
	/* Now it has less than its limit. */
	for (page = 100; page < USUAL; page++)
		machine.node[page] = SLOW;
	tier->due = 0;
	sample(0, 100, 5);
	reserve = one->plan->reserve;
	look(tier);
	CHECK(one->capacity == 200 && other->capacity == CAPACITY - 100 - reserve && reserve < 10);
	/* It wants more. */
	tier->due = 0;
	sample(1000, 1050, 5);
	reserve = one->plan->reserve;
	look(tier);
	CHECK(one->capacity == 200 && other->capacity == CAPACITY - 150 - reserve && reserve < 10);
	destroy(tier);
}

/* With limits for all, some of the fast tier is nobody's, and not of the session's capacity. */
static void test_limits(void)
{
	struct tier *tier = make_targets();

	tier->groups[0].limit = 200;
	tier->groups[1].limit = 100;
	sample(1000, 1400, 5);
	look(tier);
	CHECK(tier->groups[0].capacity == 200 && tier->groups[1].capacity == 100);
	CHECK(machine.capacity[0] == 300);
	CHECK(machine.capacity[1] == 200 && machine.capacity[2] == 100);
	tier->due = 0;
	tier->capacity = 150;
	look(tier);
	/* The one that wants nothing does not keep the other from it. */
	CHECK(tier->groups[0].capacity == 150 && !tier->groups[1].capacity);
	destroy(tier);
}

/* What a target had of the fast tier goes to the others when it exits or is removed. */
static void test_other_ends(void)
{
	enum other other;

	for (other = OTHER_DEAD; other <= OTHER_GONE; other++) {
		struct tier *tier = make_targets();

		sample(1000, 1400, 5);
		look(tier);
		CHECK(tier->groups[0].capacity == 384 && tier->groups[1].capacity == 128);
		machine.other = other;
		tier->due = 0;
		sample(1000, 1500, 5);
		look(tier);
		if (other == OTHER_ALIVE) {
			CHECK(tier->groups[0].capacity == 384 && !tier->groups[1].rests);
		} else {
			CHECK(tier->groups[0].capacity == CAPACITY);
			CHECK(!tier->groups[1].capacity && tier->groups[1].rests);
		}
		tier->due = 0;
		look(tier);
		/* Its policy has nothing to wait for. */
		CHECK(tier->due > tier->seconds);
		destroy(tier);
	}
}

/* A target that pauses is left alone, while another one is sampled. */
static void test_rests_beside(void)
{
	struct tier *tier = make_targets();
	unsigned int i;

	for (i = 0; i < 9; i++) {
		tier->due = i < 8 ? 0 : 1000;
		sample(0, 400, 5);
		look(tier);
	}
	CHECK(machine.nr_lists == 1 && machine.list[0].target == tier->groups[0].target);
	machine.others += 1000;
	look(tier);
	CHECK(machine.nr_lists == 1 && machine.list[0].target == tier->groups[1].target);
	sample(0, 400, 1);
	look(tier);
	CHECK(machine.nr_lists == 1 && machine.list[0].target == tier->groups[0].target);
	destroy(tier);
}

/* A target that could not be looked at is soon, though another one has been. */
static void test_skipped_beside(void)
{
	struct tier *tier = make_targets();

	sample(1000, 1400, 5);
	machine.others += 5000;
	machine.skipped = 1;
	look(tier);
	CHECK(tier->groups[0].rests && !tier->groups[1].rests && tier->due == 0);
	machine.others += 5000;
	look(tier);
	CHECK(!tier->groups[0].rests && tier->due > tier->seconds);
	destroy(tier);
}

/* After looks at 64 samples a second of each page of one target, and @others of another one. */
static unsigned int thin_of_targets(u32 pages, u32 others, unsigned int looks)
{
	struct tier *tier = make_targets();
	unsigned int i, thin;

	for (i = 0; i < looks; i++) {
		sample(0, pages, 64 / tier->thin);
		machine.others += others / tier->thin;
		look(tier);
	}
	thin = tier->thin;
	CHECK(thin == 1 || machine.period[0] == thin * 499);
	destroy(tier);
	return thin;
}

/* A target that does nothing needs no samples, not even to begin; those of all are to be few. */
static void test_thin_targets(void)
{
	CHECK(thin_of_targets(400, 0, 6) == 64);
	CHECK(thin_of_targets(0, 0, 20) == 1);
	CHECK(thin_of_targets(100, 0, 20) == 16);
	CHECK(thin_of_targets(100, 6400, 20) == 32);
}

/* All policies together have the rate that was asked for. */
static void test_rate(void)
{
	struct tier tier = { .config = { .rate_pages = 101 }, .nr_groups = 2 };
	struct htmm_error err;

	CHECK(!tier_open(&tier, &err));
	CHECK(tier.groups[0].policy->config.rate_pages == 50);
	CHECK(tier.groups[1].policy->config.rate_pages == 50);
	tier_close(&tier);
	tier.config.rate_pages = 1;
	CHECK(!tier_open(&tier, &err) && tier.groups[1].policy->config.rate_pages == 1);
	tier_close(&tier);
	tier.config.rate_pages = 0;
	CHECK(!tier_open(&tier, &err) && !tier.groups[1].policy->config.rate_pages);
	tier_close(&tier);
}

/* The policies know what samples and looks have cost, together, and which CPUs are busy. */
static void test_cost(void)
{
	struct tier *tier = make_targets();
	const struct balance *one = &tier->groups[0].policy->balance;
	const struct balance *other = &tier->groups[1].policy->balance;
	double cost;

	CHECK(tier->busy.ticks);
	tier->config.dry = true;
	sample(1000, 1400, 5);
	look(tier);
	cost = tier->cpu[TIER_GLANCE] + tier->cpu[TIER_LIST] + tier->cpu[TIER_DECIDE];
	CHECK(cost > 0 && one->all_spent > other->all_spent);
	CHECK(fabs(other->all_spent - cost / 2) < 0.000000001);
	CHECK(fabs(one->all_spent - cost / 2 - 2000 * 0.0000015) < 0.000000001);
	CHECK(tier->busy.seconds == tier->seconds && tier->busy.cpus > 0);
	CHECK(one->busy == fmin(tier->busy.cpus, 1));
	destroy(tier);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_capacity_of_targets),
		TAP_TEST(test_limit),
		TAP_TEST(test_limits),
		TAP_TEST(test_other_ends),
		TAP_TEST(test_rests_beside),
		TAP_TEST(test_skipped_beside),
		TAP_TEST(test_thin_targets),
		TAP_TEST(test_rate),
		TAP_TEST(test_cost),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
