// SPDX-License-Identifier: GPL-2.0
/* What moves have won is known, and they end if all of them together lose time. */
#include <math.h>
#include "policy/rules.h"
#include "policy_memory.h"

/* What a sample of the slow tier takes longer, in seconds: 499 misses. */
#define GAP_S	(499 * 0.00000017)

static bool near(double a, double b, double part)
{
	return fabs(a - b) <= part * fabs(b) + 0.000000001;
}

/* A second at first, 0.75 % of what was worked, and eight times what a second won lately. */
static void test_left(void)
{
	struct balance balance = {};

	CHECK(near(balance_left(&balance), 1, 0));
	balance_spend(&balance, 0.25);
	balance_look(&balance, 0.125, 2, 4);
	CHECK(near(balance_left(&balance), 1 + 0.125 - 0.25 * exp2(-2 / 300.0) + 0.0075 * 8 + 0.5,
		   0));
	/* Not more than a second of each CPU. */
	balance_look(&balance, 8, 8, 4);
	CHECK(near(balance_left(&balance) - balance.won + balance.spent,
		   1 + 0.0075 * balance.worked + 4, 0));
	balance = (struct balance) {};
	balance_look(&balance, 0.125, 2, 4);
	/* What is lost is not expected to go on: then it could never be won back. */
	balance_look(&balance, -3, 10, 1);
	CHECK(near(balance_left(&balance),
		   1 - 3 + (0.125 + 0.06) * exp2(-10 / 300.0) + 0.075, 0));
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

/* What moves have saved, of what the policy says. */
static bool knows(const struct memory *memory, double part)
{
	printf("# %.4f s of %.4f\n", memory->plan->saved_s, memory->saved * GAP_S);
	return near(memory->plan->saved_s, memory->saved * GAP_S, part);
}

/* The hot pages come, and cold ones are used again later: this is known exactly. */
static void test_saved(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	work(memory, 2000, 2500, 4, 10);
	CHECK(memory->saved > 10000 && knows(memory, 0));
	/* These have left the fast tier, or stayed there. */
	for (i = 0; i < 6; i++) {
		sample(memory, 0, 1000, 7);
		look(memory);
		obey(memory);
		CHECK(knows(memory, 0));
	}
	/* A cooling hides a part of what was gained. */
	cool(memory);
	work(memory, 2000, 2600, 6, 6);
	CHECK(knows(memory, 0.1));
	destroy(memory);
}

/* Pages whose count is too small for the list count as those of the slow tier that are in it. */
static void test_saved_unlisted(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	/* Both parts of the fast tier have samples before pages leave it. */
	sample(memory, 0, CAPACITY, 1);
	look(memory);
	obey(memory);
	memory->slow_cut = 3;
	for (i = 0; i < 12; i++) {
		sample(memory, 2000, 2800, 5);
		sample(memory, 2800, 4000, i & 1);
		look(memory);
		obey(memory);
	}
	CHECK(fast_of(memory, 2000, 2800) == 800 && knows(memory, 0.05));
	destroy(memory);
}

/* Of much memory, of which only a part is listed at each look, it is known about. */
static void test_saved_in_focus(void)
{
	struct memory *memory = make(60000, 0);
	u32 i;

	memory->capacity = 16384;
	for (i = 0; i < memory->capacity; i++) {
		memory->fast[i] = true;
		memory->first[i] = true;
	}
	memory->focused = true;
	memory->hottest = true;
	for (i = 0; i < 60; i++) {
		/* Some in each region of the slow tier, and later pages that have left. */
		u32 page;

		for (page = 20000; page < 60000; page += 4)
			sample(memory, page, page + 1, 9);
		sample(memory, 0, 2000, i < 40 ? 0 : 3);
		sample(memory, 12000, 16384, 2);
		look(memory);
		obey(memory);
		if (i == 15)
			CHECK(memory->saved > 100000 && knows(memory, 0.02));
	}
	CHECK(knows(memory, 0.02));
	destroy(memory);
}

/* A few samples do not tell which pages of a region are hot, but many do. */
static void test_few_counts(void)
{
	u32 times;

	for (times = 31; times <= 32; times++) {
		struct memory *memory = make(60000, 0);
		double own = 0;
		size_t i;

		memory->focused = true;
		sample(memory, 4096, 4097, times);
		look(memory);
		for (i = 0; i < memory->policy->focus.now.nr; i++)
			own += memory->policy->focus.area[i].own;
		CHECK(times == 31 ? !own : own > 0.9);
		destroy(memory);
	}
}

/* Hot pages are promoted by chance: of pages that are alike, nothing is won. */
static void test_saved_by_chance(void)
{
	struct memory *memory = make(100000, bit(POLICY_PROFIT) | bit(POLICY_MARGIN) |
						 bit(POLICY_HYSTERESIS));
	double all = 0;
	u32 i, n;

	memory->focused = true;
	memory->hottest = true;
	for (i = 0; i < 20; i++) {
		for (n = 0; n < 20000; n++) {
			u32 page = tap_below(memory->pages);

			sample(memory, page, page + 1, 1);
		}
		all += 20000 * GAP_S;
		look(memory);
		obey(memory);
	}
	knows(memory, 0);
	CHECK(fabs(memory->plan->saved_s - memory->saved * GAP_S) < 0.02 * all);
	destroy(memory);
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
	/* One second, 0.75 % of the time, and what one look moves, and moves back. */
	CHECK(lost < 1 + 2.25 + 2 * 1600 * 0.0004 && more > 10);
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
	CHECK(near(policy_wait(memory->policy, 0.003), 0.8, 0));
	/* Whatever moves would save: unless some have to be undone. */
	memory->policy->plan.won = 1000;
	CHECK(near(policy_wait(memory->policy, 0.003), 0.8, 0));
	memory->policy->balance.lately = -1;
	CHECK(policy_wait(memory->policy, 0.003) < 0.1);
	memory->policy->plan.won = 0;
	CHECK(near(policy_wait(memory->policy, 0.003), 0.8, 0));
	for (i = 10; !fast_of(memory, 2000, 2500) && i < 1000; i++)
		work(memory, 2000, 2500, 2, 1);
	/* A second may be lost, and what is earned in each second, less its samples. */
	cost *= exp2(-(double)i / 300);
	cost -= 1 + (0.0075 - 0.0015) * 300 / log(2) * (1 - exp2(-(double)i / 300));
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
 * Half of the pages of each region are in the fast tier. If none is moved, nothing is won or lost,
 * whatever the program uses; also if all moves are refused.
 */
static void mixed(bool dry)
{
	struct memory *memory = make(4000, 0);
	u32 i, page, n;

	memory->policy->config.dry = dry;
	for (page = 0; page < memory->pages; page++) {
		memory->fast[page] = page < 2048 && page % 2;
		memory->first[page] = memory->fast[page];
	}
	for (i = 0; i < 20; i++) {
		for (page = 0; page < 2048; page += 2)
			sample(memory, page + (i < 10), page + (i < 10) + 1, 3);
		look(memory);
		CHECK(!memory->plan->saved_s);
		for (n = 0; n < memory->plan->nr_moves && !dry; n++)
			policy_refused(memory->policy, &memory->plan->moves[n]);
	}
	destroy(memory);
}

static void test_not_moved(void)
{
	mixed(true);
	mixed(false);
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

/* New pages that come to the fast tier because room was kept for them are won, and no others. */
static double saved_of_new(bool kept)
{
	struct memory *memory = make_with(8000, 0);
	double saved;
	u32 i, page;

	sample(memory, 512, CAPACITY, 3);
	look(memory);
	if (kept) {
		obey(memory);
		CHECK(fast_of(memory, 0, 512) == 496);
	} else {
		destroy(memory);
		memory = make(8000, 0);
		/* None of them has to leave. */
		memory->capacity = 2 * CAPACITY;
	}
	for (i = 0; i < 10; i++) {
		sample(memory, 512, CAPACITY, 3);
		/* A region that was not there before. */
		if (i == 2)
			for (page = 4096; page < 4112; page++)
				memory->fast[page] = true;
		if (i >= 2)
			sample(memory, 4096, 4112, 5);
		look(memory);
	}
	saved = memory->plan->saved_s;
	destroy(memory);
	return saved;
}

static void test_new_pages(void)
{
	CHECK(near(saved_of_new(true), 8 * 16 * 5 * GAP_S, 0.01));
	CHECK(near(saved_of_new(false), 0, 0));
}

/* Room is kept for a half of the first new pages, and for none of those that come later. */
static void test_more_new_pages(void)
{
	struct memory *memory = make(8000, 0);
	double before;
	u32 i, page;

	memory->capacity = 2 * CAPACITY;
	work(memory, 512, CAPACITY, 3, 3);
	memory->policy->room = 16;
	for (i = 0; i < 2; i++) {
		const u32 from = 4096 + i * HUGE;

		before = memory->plan->saved_s;
		for (page = from; page < from + 32; page++)
			memory->fast[page] = true;
		sample(memory, 512, CAPACITY, 3);
		sample(memory, from, from + 32, 5);
		look(memory);
		CHECK(near(memory->plan->saved_s - before, i ? 0 : 16 * 5 * GAP_S, 0.000001));
	}
	destroy(memory);
}

/* Of much memory, a look shows pages that were there before, but not listed: these are not new. */
static void test_new_in_focus(void)
{
	struct memory *memory = make(60000, 0);
	u32 i;

	memory->focused = true;
	memory->policy->room = 100;
	for (i = 0; i < 8; i++) {
		sample(memory, 0, 60000, 1);
		look(memory);
		CHECK(memory->policy->room == 100 && memory->plan->fast_share > 0);
	}
	destroy(memory);
}

/* If there is less room, pages have to leave: that is not the fault of moves. */
static void test_less_room(void)
{
	struct memory *memory = make(4000, bit(POLICY_BURST));
	u32 i;

	work(memory, 0, CAPACITY, 2, 3);
	memory->capacity = CAPACITY / 4;
	for (i = 0; i < 20; i++)
		work(memory, 0, CAPACITY, 2, 1);
	CHECK(used(memory) == CAPACITY / 4);
	/* 3/4 of these samples are lost, for 20 s. */
	CHECK(memory->saved * GAP_S < -2);
	CHECK(fabs(memory->plan->saved_s) < 0.05);
	work(memory, 2000, 2200, 4, 4);
	CHECK(fast_of(memory, 2000, 2200) == 200);
	destroy(memory);
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

/* Room that could not be made is not there for new pages. */
static void test_no_room(void)
{
	struct memory *memory = make_with(8000, 0);
	u32 i;

	sample(memory, 512, CAPACITY, 3);
	look(memory);
	CHECK(memory->policy->room == memory->plan->ahead_pages && memory->policy->room == 16);
	for (i = 0; i < memory->plan->nr_moves; i++)
		policy_refused(memory->policy, &memory->plan->moves[i]);
	CHECK(!memory->policy->room);
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
	/* 1.5 s fade to 1 s and what is earned: 0.75 %, less the samples, and less a half of it. */
	printf("# after %u s\n", i);
	CHECK(fabs(i + 300 * log2((1 + 0.00225 * 300 / log(2)) /
				  (1.5 + 0.00225 * 300 / log(2)))) < 5);
	destroy(memory);
}

static const struct htmm_page one_page = {
	.addr = 1 << 30, .pid = 77, .samples = 8, .space = 3,
};

static const struct policy_move one_move = {
	.addr = 1 << 30, .space = 3, .samples = 4, .pages = 1,
};

/* Moves to and fro; a page that must leave would not be there. */
static void test_origins(void)
{
	struct policy_move move = one_move;
	struct origins origins = {};
	struct units now = {};
	__u64 room = 0;

	CHECK(!units_reset(&now, 1));
	units_add(&now, &one_page, 1, true);
	now.unit[0].gain = 8;
	CHECK(origins_fast(&origins, now.unit));
	CHECK(origins_share(&origins, &now, 8, 1, NULL) == 1);
	origins_moved(&origins, &move, true, 0);
	CHECK(!origins_fast(&origins, now.unit));
	CHECK(origins_share(&origins, &now, 8, 1, NULL) == 0);
	origins_moved(&origins, &move, false, 0);
	CHECK(origins_share(&origins, &now, 8, 1, NULL) == 1);
	move.forced = true;
	origins_moved(&origins, &move, false, 0);
	now.unit[0].fast = false;
	CHECK(!origins_fast(&origins, now.unit));
	/* It was refused. */
	origins_moved(&origins, &move, true, 0);
	now.unit[0].fast = true;
	CHECK(origins_fast(&origins, now.unit));
	/* It was freed, and there is a new one in the slow tier, which is promoted, too. */
	move.forced = false;
	origins_moved(&origins, &move, true, 0);
	now.unit[0].fast = false;
	CHECK(!origins_fast(&origins, now.unit));
	origins_moved(&origins, &move, true, 0);
	now.unit[0].fast = true;
	CHECK(!origins_fast(&origins, now.unit));
	origins_moved(&origins, &move, false, 0);
	now.unit[0].fast = false;
	CHECK(!origins_fast(&origins, now.unit));
	now.unit[0].fast = true;
	/* Others of the region, and the same address elsewhere, are other pages. */
	origins_moved(&origins, &one_move, true, 0);
	now.unit[0].addr += 64 << HTMM_PAGE_SHIFT;
	CHECK(origins_fast(&origins, now.unit));
	now.unit[0].addr += 448ULL << HTMM_PAGE_SHIFT;
	CHECK(origins_fast(&origins, now.unit));
	now.unit[0].addr = one_page.addr;
	now.unit[0].space++;
	CHECK(origins_fast(&origins, now.unit));
	origins_listed(&origins, &now, 1, NULL, &room);
	origins_free(&origins);
	units_free(&now);
}

/* Regions that are not used any more are forgotten, so that the table does not grow for ever. */
static void test_forgotten(void)
{
	struct policy_move move = one_move;
	struct origins origins = {};
	struct units now = {};
	__u64 room = 0;
	u32 i, n;

	CHECK(!units_reset(&now, 1));
	units_add(&now, &one_page, 1, true);
	now.unit[0].gain = 8;
	origins_moved(&origins, &one_move, true, 0);
	for (i = 0; i < 1000; i++) {
		origins_listed(&origins, &now, 50.0 * i, NULL, &room);
		for (n = 0; n < 100; n++) {
			move.addr = (1ULL << 40) + ((u64)(100 * i + n) << HTMM_REGION_SHIFT);
			origins_moved(&origins, &move, true, 0);
		}
		/* One that is used all the time is known all the time. */
		CHECK(!origins_share(&origins, &now, 8, 1, NULL));
	}
	/* In 600 s there are 1,200 of them. */
	CHECK(origins.nr >= 1200 && origins.size <= 8192);
	origins_free(&origins);
	units_free(&now);
}

/* Regions not in focus of which moves have brought a part of the samples to the fast tier. */
static size_t regions_won(const struct memory *memory)
{
	const struct origins *origins = &memory->policy->origins;
	size_t nr = 0, i;

	for (i = 0; i < origins->size; i++) {
		const struct origin *origin = &origins->origin[i];
		const struct unit unit = {
			.addr = origin->addr, .space = origin->space, .target = origin->target,
		};
		struct area *area;

		nr += origin->seen >= 0 && origin->won > 0.001 &&
		      focus_region(&memory->policy->focus, &unit, &area) && !area->looks;
	}
	return nr;
}

/* The hottest pages of regions that are not listed; then none of them could be moved. */
static void test_unlisted(void)
{
	struct memory *memory = make(100000, bit(POLICY_HYSTERESIS) | bit(POLICY_PROFIT));
	u32 i, page;

	memory->focused = true;
	memory->hottest = true;
	for (page = 1024; page < 100000; page += 512)
		sample(memory, page, page + 8, 50);
	look(memory);
	CHECK(regions_won(memory) > 10);
	for (i = 0; i < memory->plan->nr_moves; i++)
		policy_refused(memory->policy, &memory->plan->moves[i]);
	CHECK(!regions_won(memory));
	destroy(memory);
}

/* Two regions are in use, of which moves have brought a part to the fast tier. */
static void test_share_in_focus(void)
{
	const struct htmm_page regions[] = {
		{ .addr = 1 << 30, .pid = 77, .samples = 8, .space = 3, .mapping_shift = 21 },
		{ .addr = 2 << 21, .pid = 77, .samples = 8, .space = 3, .mapping_shift = 21 },
	};
	struct area area[2] = { { .share = -1 }, { .share = 1, .looks = 1, .own = 0.5 } };
	struct focus focus = { .area = area, .own = 0.75 };
	struct policy_move move = one_move;
	struct origins origins = {};
	struct units now = {};
	__u64 room = 0;
	struct htmm_page pages[3];
	u32 i, n;

	CHECK(!units_reset(&focus.now, 2) && !units_reset(&now, 1));
	units_add(&focus.now, regions, 2, false);
	focus.now.unit[0].gain = 6;
	focus.now.unit[1].gain = 2;
	/* Half of the samples of the first one, as far as counts are not chance. */
	CHECK(near(focus_part(&focus, &move), 0.5 * 0.75, 0));
	origins_moved(&origins, &move, true, focus_part(&focus, &move));
	CHECK(near(origins_share(&origins, &now, 8, 0.75, &focus), 0.75 - 0.375 * 6 / 8, 0));
	/* This is known for as long as the region is used. */
	for (i = 0; i < 1000; i++) {
		origins_listed(&origins, &now, 50.0 * i, &focus, &room);
		CHECK(near(origins_share(&origins, &now, 8, 0.75, &focus), 0.75 - 0.28125, 0));
		for (n = 0; n < 100; n++) {
			move.addr = (1ULL << 40) + ((u64)(100 * i + n) << HTMM_REGION_SHIFT);
			origins_moved(&origins, &move, true, 0);
		}
	}
	/* When its pages are listed, by their counts and number; then by what they gain. */
	units_add(&now, &one_page, 1, true);
	area[0] = (struct area) {
		.share = 1, .looks = 1, .own = 0.5, .samples = { 8, 8 }, .resident = 4,
	};
	origins_listed(&origins, &now, 50000, &focus, &room);
	CHECK(near(origins_share(&origins, &now, 8, 1, &focus), 1 - (0.25 + 0.125) * 6 / 8, 0));
	area[0].looks = 2;
	area[0].noted = false;
	area[0].gain[true] = 40;
	area[0].gain[false] = 40;
	now.unit[0].gain = 20;
	origins_listed(&origins, &now, 50001, &focus, &room);
	CHECK(near(origins_share(&origins, &now, 8, 1, &focus), 1 - 0.25 * 6 / 8, 0));
	/* Two of its pages have changed places; in the list, another region is between them. */
	CHECK(!units_reset(&now, 3));
	for (i = 0; i < 3; i++) {
		pages[i] = one_page;
		pages[i].addr = i == 1 ? 2 << 21 : one_page.addr + 0x1000 * (i / 2);
		pages[i].samples = 8;
	}
	units_add(&now, pages, 2, false);
	units_add(&now, pages + 2, 1, true);
	for (i = 0; i < 3; i++)
		now.unit[i].gain = 8;
	/* The first one goes back, and then it leaves. */
	origins_moved(&origins, &one_move, false, 0);
	origins_moved(&origins, &one_move, false, 0);
	move.addr = one_page.addr + 0x1000;
	origins_moved(&origins, &move, true, 0);
	area[0].noted = false;
	origins_listed(&origins, &now, 50002, &focus, &room);
	CHECK(near(origins_share(&origins, &now, 8, 1, &focus), 1, 0.000001));
	origins_free(&origins);
	units_free(&focus.now);
	units_free(&now);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_left),
		TAP_TEST(test_fading),
		TAP_TEST(test_wait),
		TAP_TEST(test_saved),
		TAP_TEST(test_saved_unlisted),
		TAP_TEST(test_saved_in_focus),
		TAP_TEST(test_few_counts),
		TAP_TEST(test_saved_by_chance),
		TAP_TEST(test_turns),
		TAP_TEST(test_again),
		TAP_TEST(test_back),
		TAP_TEST(test_not_moved),
		TAP_TEST(test_back_mixed),
		TAP_TEST(test_off),
		TAP_TEST(test_leave),
		TAP_TEST(test_few_samples),
		TAP_TEST(test_busy),
		TAP_TEST(test_new_pages),
		TAP_TEST(test_more_new_pages),
		TAP_TEST(test_new_in_focus),
		TAP_TEST(test_less_room),
		TAP_TEST(test_fewer_samples),
		TAP_TEST(test_no_look),
		TAP_TEST(test_no_room),
		TAP_TEST(test_many_looks),
		TAP_TEST(test_origins),
		TAP_TEST(test_forgotten),
		TAP_TEST(test_unlisted),
		TAP_TEST(test_share_in_focus),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
