// SPDX-License-Identifier: GPL-2.0
/* When the policy looks, which pages it asks for, and how many samples it takes. */
#include <math.h>
#include "policy/rules.h"
#include "policy_memory.h"

/* The more is won, the sooner is the next look; what it costs delays it, but less than twice. */
static void test_wait(void)
{
	struct memory *memory = make(4000, 0);
	double little, much;

	work(memory, 2000, 2300, 20, 6);
	sample(memory, 2000, 2300, 20);
	sample(memory, 3000, 3020, 9);
	look(memory);
	little = wait_after(memory, 0.01);
	obey(memory);
	sample(memory, 2000, 2300, 20);
	sample(memory, 3000, 3020, 9);
	sample(memory, 3100, 3180, 9);
	look(memory);
	much = wait_after(memory, 0.01);
	printf("# %.2f s, and %.2f s to win %.3f\n", little, much, memory->plan->won);
	CHECK(!memory->plan->burst && much < 0.6 * little);
	CHECK(wait_after(memory, 0.04) > 1.9 * much);
	CHECK(wait_after(memory, 0.04) < 2.1 * much);
	/* With a quarter of the samples, twice as much time has to pass. */
	CHECK(near(policy_wait(memory->policy, 0.01, 4 * memory->plan->thin), 2 * much, 0.001));
	/* There were as few before: it takes as long as the last ones took. */
	memory->thin = 8;
	sample(memory, 2000, 2300, 20);
	sample(memory, 3100, 3180, 9);
	sample(memory, 3200, 3240, 9);
	look(memory);
	CHECK(memory->plan->won > 0.01);
	CHECK(near(policy_wait(memory->policy, 0.01, 8), sqrt(0.02 / memory->plan->won), 0.001));
	/* Lists of regions take a four-hundredth of the time. */
	CHECK(fabs(policy_glance_wait(0.01) - 4) < 0.000001);
	destroy(memory);
}

/* The next part of much memory is looked at soon if moves of this one are worth it. */
static void test_wait_parts(void)
{
	struct memory *memory = make(4000, 0);
	struct policy *policy = memory->policy;

	work(memory, 0, 100, 5, 12);
	policy->exposure = 100;
	/* In 8 s they save 3.2 times what the look cost, then as much as it cost. */
	policy->plan.won = 0.004;
	CHECK(wait_after(memory, 0.01) > 2);
	policy->focused = true;
	CHECK(fabs(wait_after(memory, 0.01) - 0.05) < 0.000001);
	policy->plan.held[POLICY_HELD_RATE] = 1;
	CHECK(wait_after(memory, 0.01) > 2);
	policy->plan.held[POLICY_HELD_RATE] = 0;
	policy->config.dry = true;
	CHECK(wait_after(memory, 0.01) > 2);
	policy->config.dry = false;
	policy->plan.won = 0.00125;
	CHECK(fabs(wait_after(memory, 0.01) - 0.15) < 0.000001);
	/* Of what earlier moves were expected to gain, little has come true. */
	policy->expected = 1900;
	policy->gained = 300;
	CHECK(fabs(wait_after(memory, 0.01) - 0.75) < 0.000001);
	policy->plan.won = 0;
	CHECK(fabs(wait_after(memory, 0.01) - 5) < 0.000001);
	destroy(memory);
}

/* Looks take at most 40 % of what is lost if the slow tier serves all misses, of all processes. */
static void test_wait_stake(void)
{
	struct memory *memory = make(4000, bit(POLICY_BURST));
	struct policy *policy = memory->policy;
	u32 i;

	for (i = 0; i < 3; i++) {
		/* Each stands for 4, wherever it is. */
		sample(memory, 0, 800, 1);
		sample(memory, 2000, 2200, 1);
		memory->others += 200;
		memory->thin = 4;
		look(memory);
		CHECK(near(policy->stake, 4800 * GAP_S, 0) || !i);
	}
	policy->plan.won = 1000;
	CHECK(near(wait_after(memory, 0.1), 0.1 / (0.4 * 4800 * GAP_S), 0));
	/* However little it is, they take 0.2 %. */
	policy->stake = 0.001;
	CHECK(near(wait_after(memory, 0.01), 5, 0));
	policy->stake = 0;
	CHECK(near(wait_after(memory, 0.01), 5, 0));
	/* Of much memory, they only show a part. */
	policy->focused = true;
	CHECK(near(wait_after(memory, 0.01), 0.05, 0));
	policy->plan.won = 0;
	policy->burst.looks = 1;
	CHECK(wait_after(memory, 0.01) < 2.1);
	destroy(memory);
}

/*
 * Nor do samples take more than a fifth of that. @focused: of much memory, a look shows a part.
 * One of how many is taken of 1000 times @each samples a second, if a miss takes so much longer.
 */
static u32 thin_for_stake(double gap_ns, u32 each, bool focused)
{
	struct memory *memory = make(4000, 0);
	u32 one_of;

	memory->policy->config.gap_ns = gap_ns;
	sample(memory, 1000, 2000, each);
	look(memory);
	CHECK(memory->plan->burst);
	memory->policy->focused = focused;
	one_of = rule_thin(memory->policy, true);
	destroy(memory);
	return one_of;
}

static void test_thin_stake(void)
{
	/* With 5 ns, 0.15 s are at stake, and a fifth of it is for 19,960 samples. */
	CHECK(thin_for_stake(5, 60, false) == 4 && thin_for_stake(8, 60, false) == 2);
	CHECK(thin_for_stake(170, 60, false) == 2 && thin_for_stake(5, 60, true) == 2);
	/* 600 are needed to see whether the program changes. */
	CHECK(thin_for_stake(0.1, 12, false) == 32);
}

/* If there are many parts, and CPUs, looks at them may take the time of up to four. */
static void test_wait_cpus(void)
{
	static const struct {
		unsigned int cpus, parts, as_many;
		bool focused;
	} cases[] = {
		{ 0, 40, 1, true }, { 1, 40, 1, true }, { 3, 40, 3, true }, { 4, 40, 4, true },
		{ 64, 40, 4, true }, { 64, 8, 2, true }, { 64, 3, 1, true }, { 64, 40, 1, false },
	};
	struct memory *memory = make(4000, 0);
	struct policy *policy = memory->policy;
	unsigned int i;

	work(memory, 0, 100, 5, 12);
	policy->focus.most = 10;
	policy->stake = 10;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		policy->balance.busy = cases[i].cpus;
		policy->focus.now.nr = 10 * cases[i].parts;
		policy->focused = cases[i].focused;
		policy->plan.won = 0;
		CHECK(fabs(wait_after(memory, 0.01) * cases[i].as_many - 5) < 0.000001);
		policy->plan.won = 1000;
		CHECK(fabs(wait_after(memory, 0.01) * cases[i].as_many - 0.05) < 0.000001);
	}
	destroy(memory);
}

/* More than may be in use leaves, and it is looked soon if more has come. */
static void test_wait_forced(void)
{
	struct memory *memory = make(PAGES, 0);

	work(memory, 0, 100, 5, 12);
	CHECK(!memory->plan->burst && wait_after(memory, 0.01) > 1);
	memory->capacity = 600;
	look(memory);
	obey(memory);
	CHECK(memory->plan->forced_pages == CAPACITY - 600 && used(memory) == 600);
	CHECK(fabs(wait_after(memory, 0.01) - 0.2) < 0.000001);
	work(memory, 0, 100, 5, 1);
	CHECK(!memory->plan->forced_pages && wait_after(memory, 0.01) > 1);
	destroy(memory);
}

/* What is not in the list of the slow tier has its part of the samples nevertheless. */
static void test_slow_cut(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	for (i = 0; i < 3; i++) {
		memory->slow_cut = 8;
		sample(memory, 0, 100, 4);
		sample(memory, 2000, 2200, 2);
		look(memory);
		CHECK(memory->plan->fast_share > 0.499 && memory->plan->fast_share < 0.501);
		CHECK(memory->plan->candidates == 0);
	}
	/* They had at most eight before, so at least one was gained. */
	memory->slow_cut = 0;
	sample(memory, 0, 100, 6);
	sample(memory, 2000, 2200, 3);
	look(memory);
	CHECK(memory->plan->fast_share > 0.499 && memory->plan->fast_share < 0.501);
	CHECK(memory->plan->candidates == 200);
	destroy(memory);
}

/* Pages of the fast tier are used, and now and then any of the slow one. */
static u32 settle(struct memory *memory, u32 looks)
{
	u32 i, n, most = 0;

	for (i = 0; i < looks; i++) {
		sample(memory, 0, CAPACITY, 4);
		for (n = 0; n < 600; n++) {
			u32 page = 1100 + tap_below(2900);

			sample(memory, page, page + 1, 1);
		}
		memory->slow_cut = memory->plan ? memory->plan->least - 1 : 0;
		look(memory);
		obey(memory);
		cool(memory);
		most = memory->plan->least > most ? memory->plan->least : most;
	}
	return most;
}

/* While little moves, a short list is enough; after a jump it is long again. */
static void test_least(void)
{
	struct memory *memory = make(4000, 0);

	CHECK(settle(memory, 20) > 1);
	memory->slow_cut = memory->plan->least - 1;
	sample(memory, 2000, 2900, 5);
	look(memory);
	CHECK(memory->plan->burst && memory->plan->least == 1);
	destroy(memory);
}

/* While much is to be won, no more pages are listed than fit, and more again if these are few. */
static void test_much(void)
{
	static const u32 least[] = { 4, 2, 4 };
	struct memory *memory = make(4000, bit(POLICY_BURST));
	u32 i;

	sample(memory, 1340, 3900, 3);
	for (i = 0; i < ARRAY_SIZE(least); i++) {
		memory->slow_cut = memory->plan ? memory->plan->least - 1 : 0;
		sample(memory, 1100, 1340, 20);
		CHECK(look(memory)->won > 0.01 && memory->plan->least == least[i]);
	}
	destroy(memory);
}

/* A look at a few samples is not worth it, unless time passes. */
static void test_begins(void)
{
	struct memory *memory = make(4000, 0);

	CHECK(!policy_begins(memory->policy, 1999, 0.9));
	CHECK(policy_begins(memory->policy, 2000, 0));
	CHECK(policy_begins(memory->policy, 0, 1));
	destroy(memory);
}

/* A program that waits at first, or later, is looked at as soon as it has done something. */
static void test_idle(void)
{
	struct memory *memory = make(4000, 0);

	sample(memory, 2000, 2010, 1);
	look(memory);
	CHECK(policy_watches(memory->policy));
	sample(memory, 2000, 2400, 4);
	CHECK(!changed(memory));
	sample(memory, 2000, 2400, 1);
	CHECK(changed(memory));
	look(memory);
	CHECK(memory->plan->burst && !policy_watches(memory->policy));
	sample(memory, 2000, 2010, 1);
	look(memory);
	CHECK(policy_watches(memory->policy) && !changed(memory));
	sample(memory, 2000, 2400, 5);
	CHECK(changed(memory));
	destroy(memory);
}

/* Before there are samples, there is nothing to look at, but it is seen when they come. */
static void test_idle_at_first(void)
{
	struct memory *memory = make(4000, 0);

	look(memory);
	CHECK(memory->plan->burst && memory->plan->fast_share < 0);
	CHECK(fabs(wait_after(memory, 0.01) - 5) < 0.000001);
	CHECK(policy_watches(memory->policy));
	sample(memory, 2000, 2400, 5);
	CHECK(changed(memory));
	look(memory);
	CHECK(memory->plan->burst && wait_after(memory, 0.01) <= 2);
	destroy(memory);
}

/* One that does as little all the time has not begun to work; nor has one that has gone. */
static void test_idle_still(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	for (i = 0; i < 3; i++) {
		sample(memory, 2000, 2100, 1);
		look(memory);
	}
	CHECK(policy_watches(memory->policy));
	for (i = 0; i < 40; i++) {
		sample(memory, 2000, 2100, 1);
		CHECK(!changed(memory));
	}
	memory->total = 100;
	CHECK(!changed(memory));
	destroy(memory);
}

/* Samples that begin late come fast, so the next look is soon. */
static void test_late(void)
{
	struct memory *memory = make(4000, 0);

	memory->seconds = 9;
	policy_begins(memory->policy, 0, 9);
	policy_begins(memory->policy, 30, 9.5);
	sample(memory, 2000, 2300, 1);
	look(memory);
	CHECK(fabs(wait_after(memory, 0.005) - 1) < 0.01);
	destroy(memory);
}

/* What is settled takes few samples to watch. */
static u32 thin(u32 off, u32 looks)
{
	struct memory *memory = make(1100, off);
	u32 one_of;

	while (looks--) {
		sample(memory, 0, 1000, 30);
		look(memory);
	}
	one_of = memory->plan->thin;
	destroy(memory);
	return one_of;
}

static void test_thin(void)
{
	/* 30,000 samples a second: all at first, then 600 while nothing is to be won. */
	CHECK(thin(0, 1) == 1);
	CHECK(thin(0, 5) == 64);
	CHECK(thin(bit(POLICY_THIN), 5) == 1);
}

/* After so many looks at 1,000 samples a second, while other processes have these. */
static u32 thin_beside(const int *others, u32 looks)
{
	struct memory *memory = make(1100, 0);
	u32 one_of, i;

	for (i = 0; i < looks; i++) {
		sample(memory, 0, 1000, 1);
		memory->others += others[i];
		look(memory);
	}
	one_of = memory->plan->thin;
	destroy(memory);
	return one_of;
}

/* The samples of all processes are to be few. */
static void test_thin_beside(void)
{
	static const int alone[6] = {}, many[6] = { 50000, 9000, 9000, 9000, 9000, 9000 };
	/* All of those were of a target that has been removed. */
	static const int removed[6] = { 0, 0, 0, 9000, 9000, -18000 };

	CHECK(thin_beside(alone, 1) == 1 && thin_beside(alone, 6) == 2);
	CHECK(thin_beside(many, 1) == 2 && thin_beside(many, 6) == 32);
	CHECK(thin_beside(removed, 6) == 2);
}

/* After so many looks at 2,600 samples, 20 for each of @hot slow pages, one for each of others. */
static u32 thin_after(u32 hot, u32 looks)
{
	struct memory *memory = make(4000, 0);
	u32 one_of, i;

	for (i = 0; i < looks; i++) {
		sample(memory, 0, 2600 - 20 * hot, 1);
		sample(memory, 1100, 1100 + hot, 20);
		look(memory);
		obey(memory);
	}
	one_of = memory->plan->thin;
	destroy(memory);
	return one_of;
}

/*
 * Where moves have paid, all 2,600 samples a second are taken until there are two for each page
 * of the 8 regions; else only one of 8, so that there are not much more than 300.
 */
static void test_learn(void)
{
	CHECK(thin_after(100, 3) == 1);
	CHECK(thin_after(100, 4) == 8);
	CHECK(thin_after(0, 3) == 8);
}

/* While moves could win a hundredth of the time, where earlier ones have paid, or have not. */
static u32 thin_for_little(bool paid)
{
	struct memory *memory = make(4000, bit(POLICY_BURST));
	u32 one_of, i;

	for (i = 0; i < 8; i++) {
		sample(memory, 0, CAPACITY, 4);
		sample(memory, 1100, 1120, 12);
		if (paid && !i)
			sample(memory, 2000, 3000, 9);
		look(memory);
	}
	CHECK(memory->plan->won > 0.003 && memory->plan->won < 0.02);
	one_of = memory->plan->thin;
	destroy(memory);
	return one_of;
}

/* Of 4,336 samples a second, 600 are enough if what is expected is little, and may be chance. */
static void test_pays(void)
{
	CHECK(thin_for_little(true) == 1);
	CHECK(thin_for_little(false) == 8);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_wait),
		TAP_TEST(test_wait_parts),
		TAP_TEST(test_wait_stake),
		TAP_TEST(test_thin_stake),
		TAP_TEST(test_wait_cpus),
		TAP_TEST(test_wait_forced),
		TAP_TEST(test_slow_cut),
		TAP_TEST(test_least),
		TAP_TEST(test_much),
		TAP_TEST(test_begins),
		TAP_TEST(test_idle),
		TAP_TEST(test_idle_at_first),
		TAP_TEST(test_idle_still),
		TAP_TEST(test_late),
		TAP_TEST(test_thin),
		TAP_TEST(test_thin_beside),
		TAP_TEST(test_learn),
		TAP_TEST(test_pays),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
