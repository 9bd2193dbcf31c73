// SPDX-License-Identifier: GPL-2.0
/* Moves end if all of them together lose time, and begin again later. */
#include <math.h>
#include "policy/rules.h"
#include "policy_memory.h"

/* Something at first, 0.75 % of what was worked, and eight times what a second won lately. */
static void test_left(void)
{
	struct balance balance = {};

	CHECK(near(balance_left(&balance), 0.25, 0));
	balance_spend(&balance, 0.25);
	balance_look(&balance, 0.125, 2, 4);
	CHECK(near(balance_left(&balance),
		   0.25 + 0.125 - 0.25 * exp2(-2 / 300.0) + 0.0075 * 8 + 0.5, 0));
	/* Not more than a second of each CPU. */
	balance_look(&balance, 8, 8, 4);
	CHECK(near(balance_left(&balance) - balance.won + balance.spent,
		   0.25 + 0.0075 * balance.worked + 4, 0));
	balance = (struct balance) {};
	balance_look(&balance, 0.125, 2, 4);
	/* What is lost is not expected to go on: then it could never be won back. */
	balance_look(&balance, -3, 10, 1);
	CHECK(near(balance_left(&balance),
		   0.25 - 3 + (0.125 + 0.06) * exp2(-10 / 300.0) + 0.075, 0));
}

/* At first, what fills the fast tier: at least 250 ms, and at most a second. */
static void test_fill(void)
{
	static const double cases[][2] = {
		{ 0, 0.25 }, { 0.2, 0.25 }, { 0.3, 0.3 }, { 0.95, 0.95 }, { 60, 1 },
	};
	struct memory *memory = make(4000, 0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct balance balance = { .fill = cases[i][0], .busy = 3 };

		CHECK(near(balance_left(&balance), cases[i][1], 0));
	}
	/* A page comes for each that leaves, and a copy takes 5 us; later 25 us. */
	work(memory, 2000, 2500, 2, 1);
	CHECK(near(memory->policy->balance.fill, CAPACITY * 0.00001, 0));
	policy_copied(memory->policy, 1000, 85000000);
	look(memory);
	CHECK(near(memory->policy->balance.fill, CAPACITY * 0.00005, 0));
	destroy(memory);
}

/* What was long ago counts less: half after five minutes. The sums are complete. */
static void test_fading(void)
{
	struct balance balance = {};

	balance_spend(&balance, 5);
	balance_look(&balance, 3, 1, 2);
	balance_spend(&balance, 1);
	balance_look(&balance, 0, 300, 4);
	CHECK(near(balance.won, 1.5, 0) && near(balance.worked, 1 + 1200, 0));
	CHECK(near(balance.spent, 3 * exp2(-1 / 300.0) / 2 * 5 / 3 + 0.5, 0.001));
	CHECK(balance.all_won == 3 && balance.all_spent == 6);
	/* However much was lost before, there is something to spend again after some time. */
	balance_spend(&balance, 1000);
	balance_look(&balance, -1000, 1, 1);
	CHECK(balance_left(&balance) < 0);
	balance_look(&balance, 0, 3600, 1);
	CHECK(balance_left(&balance) > 0);
}

/* Looks that take the half of what may be lost, of the CPUs that are busy. */
static void test_wait(void)
{
	struct balance balance = {};

	balance_look(&balance, 0, 1, 2);
	CHECK(near(balance_wait(&balance, 0.3), 0.3 / (2 * 0.0075 / 2), 0.000000001));
}

/*
 * Memory is used in turns, three seconds each, and moving a page costs 0.4 ms: that is won in five
 * seconds. Returns the seconds that were lost until the end, and sets @moved to how many pages were
 * promoted in the last third.
 */
static double lost_in_turns(u32 off, u64 *moved)
{
	struct memory *memory = make(8000, off);
	double lost = 0;
	u32 i;

	*moved = 0;
	for (i = 0; i < 300; i++) {
		const u32 from = i / 3 % 10 * 800;

		sample(memory, from, from + 800, 2);
		look(memory);
		obey(memory);
		policy_spent(memory->policy, memory->plan->nr_moves * 0.0004);
		policy_copied(memory->policy, memory->plan->nr_moves,
			      memory->plan->nr_moves * 400000);
		lost += memory->plan->nr_moves * 0.0004;
		if (i >= 200)
			*moved += memory->plan->promoted_pages;
		if (i % 10 == 9)
			cool(memory);
	}
	lost -= memory->saved * GAP_S;
	destroy(memory);
	return lost;
}

static void test_turns(void)
{
	u64 with, without;
	double lost = lost_in_turns(0, &with), more = lost_in_turns(bit(POLICY_BALANCE), &without);

	printf("# %.2f s lost, and %.2f s without the rule; %llu and %llu pages in the end\n",
	       lost, more, with, without);
	/* To fill the tier, 0.75 % of the time, and what one look moves, and moves back. */
	CHECK(lost < 2 * CAPACITY * 0.0004 + 2.25 + 2 * 1600 * 0.0004 && more > 10);
	CHECK(with < without / 8);
}

/* Nothing is promoted while too much was lost; this takes some time. */
static void test_again(void)
{
	struct memory *memory = make(4000, bit(POLICY_BURST));
	double cost = 2.5;
	u32 i;

	policy_spent(memory->policy, cost);
	work(memory, 2000, 2500, 2, 10);
	CHECK(near(memory->plan->spent_s, cost + 10 * 1000 * 0.0000015, 0));
	CHECK(memory->plan->held[POLICY_HELD_BALANCE] == 500 && !memory->plan->nr_moves);
	CHECK(near(wait_after(memory, 0.003), 0.8, 0));
	/* Whatever moves would save: unless some have to be undone. */
	memory->policy->plan.won = 1000;
	CHECK(near(wait_after(memory, 0.003), 0.8, 0));
	memory->policy->balance.lately = -1;
	CHECK(wait_after(memory, 0.003) < 0.1);
	memory->policy->plan.won = 0;
	CHECK(near(wait_after(memory, 0.003), 0.8, 0));
	for (i = 10; !fast_of(memory, 2000, 2500) && i < 1000; i++)
		work(memory, 2000, 2500, 2, 1);
	/* 250 ms may be lost, and what is earned in each second, less its samples. */
	cost *= exp2(-(double)i / 300);
	cost -= 0.25 + (0.0075 - 0.0015) * 300 / log(2) * (1 - exp2(-(double)i / 300));
	printf("# after %u s, %.3f s\n", i, cost);
	CHECK(fabs(cost) < 0.02 && fast_of(memory, 2000, 2500) == 500);
	destroy(memory);
}

/*
 * Pages leave the fast tier, and then they are used again, for good: they come back, although that
 * the loss of time is so large.
 */
static void test_back(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 0, 1000, 20, 10);
	work(memory, 2000, 3000, 20, 2);
	/* As if this had cost much. */
	policy_spent(memory->policy, 100);
	work(memory, 0, 1000, 20, 6);
	CHECK(!rule_balance(memory->policy));
	CHECK(fast_of(memory, 0, 1000) == 1000);
	/* Others do not come, and those of the fast tier do not have to leave. */
	work(memory, 2000, 3000, 20, 6);
	CHECK(!rule_balance(memory->policy));
	CHECK(fast_of(memory, 0, 1000) == 1000);
	destroy(memory);
}

/*
 * A quarter of each region is in the fast tier, and is used for good, after others were. Each of
 * these pages comes back, although time is lost, and takes the place of one that was not there.
 */
static void test_back_mixed(void)
{
	struct memory *memory = make(4096, 0);
	u32 i, page;

	for (page = 0; page < memory->pages; page++) {
		memory->fast[page] = page % 4 == 1;
		memory->first[page] = memory->fast[page];
	}
	for (i = 0; i < 16; i++) {
		for (page = i < 8 ? 2 : 1; page < memory->pages; page += 4)
			sample(memory, page, page + 1, 5);
		if (i == 8)
			policy_spent(memory->policy, 100);
		look(memory);
		obey(memory);
		CHECK(knows(memory, 0));
	}
	CHECK(!rule_balance(memory->policy));
	for (page = 0; page < memory->pages; page++)
		CHECK(memory->fast[page] == memory->first[page]);
	destroy(memory);
}

/* With the rule turned off, or if no page is moved at all, there is no limit. */
static void test_off(void)
{
	struct memory *memory = make(4000, bit(POLICY_BALANCE));

	policy_spent(memory->policy, 1000);
	work(memory, 2000, 2500, 2, 4);
	CHECK(fast_of(memory, 2000, 2500) == 500);
	destroy(memory);
	memory = make(4000, 0);
	memory->policy->config.dry = true;
	policy_spent(memory->policy, 1000);
	work(memory, 2000, 2500, 2, 4);
	CHECK(fast_of(memory, 2000, 2500) == 500);
	destroy(memory);
}

/* What comes back takes the place of what would not be there, however cold others are. */
static void test_leave(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	work(memory, 2000, 2500, 4, 4);
	CHECK(fast_of(memory, 0, 500) == 0 && fast_of(memory, 2000, 2500) == 500);
	policy_spent(memory->policy, 100);
	for (i = 0; i < 6; i++) {
		sample(memory, 2000, 2500, 1);
		work(memory, 0, 100, 20, 1);
	}
	CHECK(fast_of(memory, 0, 100) == 100 && fast_of(memory, 500, CAPACITY) == 524);
	/* If there is less room, also these leave. */
	memory->capacity = 200;
	work(memory, 0, 100, 20, 3);
	CHECK(used(memory) == 200);
	destroy(memory);
}

/* While too much was lost, few samples are taken, no room is kept, and there are no bursts. */
static void test_few_samples(void)
{
	struct memory *memory = make_with(4000, 0);

	work(memory, 2000, 2500, 2, 1);
	CHECK(memory->plan->burst && memory->plan->thin == 1);
	CHECK(memory->plan->reserve && memory->plan->ahead_pages);
	policy_spent(memory->policy, 1000);
	work(memory, 2000, 2500, 2, 1);
	CHECK(!memory->plan->burst && memory->plan->thin == 2);
	CHECK(!memory->plan->reserve && !memory->plan->ahead_pages);
	destroy(memory);
	memory = make(4000, 0);
	policy_spent(memory->policy, 1000);
	work(memory, 2000, 2500, 2, 1);
	CHECK(!memory->plan->burst);
	destroy(memory);
	/* Also where moves have paid, and there is much to learn. */
	memory = make(4000, 0);
	work(memory, 2000, 2500, 2, 4);
	CHECK(burst_pays(&memory->policy->burst) && memory->plan->thin == 1);
	policy_spent(memory->policy, 1000);
	work(memory, 2000, 2500, 2, 1);
	CHECK(memory->plan->thin == 2);
	destroy(memory);
}

/* As many samples as the CPUs that are busy may have, not those that are sampled. */
static void test_busy(void)
{
	static const struct {
		double busy;
		unsigned int thin;
	} cases[] = { { 0.2, 2 }, { 1, 2 }, { 1.5, 2 }, { 2, 1 }, { 100, 1 }, { 0, 1 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory *memory = make(4000, 0);

		memory->policy->config.cpus = 8;
		memory->busy = cases[i].busy;
		/* In a burst a CPU may have 40,000 in a second. */
		work(memory, 1000, 3000, 40, 1);
		CHECK(memory->plan->burst && memory->plan->thin == cases[i].thin);
		/* There are eight, also if it is not known. */
		CHECK(memory->policy->balance.busy == fmin(cases[i].busy ?: 8, 8));
		destroy(memory);
	}
}

/* When a target is removed, its samples are, too. */
static void test_fewer_samples(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 2000, 2500, 2, 4);
	memory->total /= 2;
	look(memory);
	CHECK(near(memory->plan->spent_s, 4 * 1000 * 0.0000015, 0));
	CHECK(memory->plan->thin == 1);
	memory->total *= 2;
	look(memory);
	CHECK(near(memory->plan->spent_s, 6 * 1000 * 0.0000015, 0));
	destroy(memory);
}

/* While too much was lost, other pages may become hot: a look would cost time, and move nothing. */
static void test_no_look(void)
{
	struct memory *memory = make(4000, 0);

	sample(memory, 0, CAPACITY, 2);
	work(memory, 0, CAPACITY, 2, 4);
	CHECK(policy_watches(memory->policy));
	sample(memory, 3000, 4000, 5);
	CHECK(changed(memory));
	destroy(memory);
	memory = make(4000, 0);
	work(memory, 0, CAPACITY, 2, 4);
	policy_spent(memory->policy, 1000);
	CHECK(!policy_watches(memory->policy));
	sample(memory, 3000, 4000, 5);
	CHECK(!changed(memory));
	destroy(memory);
}

/* While nothing may be promoted, others may need many looks: these do not make it last for ever. */
static void test_many_looks(void)
{
	struct memory *memory = make(4000, bit(POLICY_BURST));
	u32 i;

	policy_spent(memory->policy, 1.5);
	for (i = 0; i < 400 && !fast_of(memory, 2000, 2500); i++) {
		work(memory, 2000, 2500, 2, 1);
		policy_looked(memory->policy, 0.05);
	}
	/* 1.5 s fade to 250 ms and what is earned: 0.75 %, less the samples and a half of it. */
	printf("# after %u s\n", i);
	CHECK(fabs(i + 300 * log2((0.25 + 0.00225 * 300 / log(2)) /
				  (1.5 + 0.00225 * 300 / log(2)))) < 5);
	destroy(memory);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_left),
		TAP_TEST(test_fill),
		TAP_TEST(test_fading),
		TAP_TEST(test_wait),
		TAP_TEST(test_turns),
		TAP_TEST(test_again),
		TAP_TEST(test_back),
		TAP_TEST(test_back_mixed),
		TAP_TEST(test_off),
		TAP_TEST(test_leave),
		TAP_TEST(test_few_samples),
		TAP_TEST(test_busy),
		TAP_TEST(test_fewer_samples),
		TAP_TEST(test_no_look),
		TAP_TEST(test_many_looks),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
