// SPDX-License-Identifier: GPL-2.0
/* The loop of `htmmctl tier`: what it asks for, when, and what it makes of it. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "policy/rules.h"
#include "tier_machine.h"

/* Hot pages come, in place of cold ones, which go first; by address. */
static void test_moves(void)
{
	struct tier *tier = make(USUAL);
	u32 i;

	for (i = 0; i < 3; i++) {
		sample(1000, 1200, 5);
		sample(0, 100, 5);
		look(tier);
		if (i) {
			CHECK(!machine.nr_calls);
			continue;
		}
		CHECK(machine.nr_calls == 2);
		CHECK(machine.call[0].node == SLOW && machine.call[0].nr >= 200);
		CHECK(machine.call[1].node == FAST && machine.call[1].nr == 200);
		CHECK(machine.call[0].sorted && machine.call[1].sorted);
		CHECK(machine.call[0].pid == PID && machine.call[0].flags == MPOL_MF_MOVE);
	}
	CHECK(fast_of(1000, 1200) == 200 && fast_of(0, 100) == 100);
	CHECK(tier->mover.promoted == 200 && tier->mover.demoted >= 200);
	destroy(tier);
}

/* Only what a decision needs is listed: of the slow node sampled pages, of the fast one all. */
static void test_lists(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];
	const struct htmm_page *pages;
	u32 page;
	size_t i;

	/* Pages of both are between each other. */
	for (page = 0; page < 100; page += 2) {
		machine.node[1000 + page] = FAST;
		machine.node[200 + page] = SLOW;
	}
	sample(1000, 1100, 5);
	sample(200, 300, 2);
	sample(40, 60, 3);
	look(tier);
	CHECK(machine.nr_lists == 2 && machine.list[0].unit == HTMM_UNIT_REGION);
	CHECK(machine.list[1].flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT | HTMM_LIST_OTHERS));
	CHECK(machine.list[1].order == HTMM_ORDER_TABLE && machine.list[1].node == FAST);
	CHECK(machine.list[1].min_samples == 1 && machine.list[1].session == 3);
	CHECK(group->nr_slow == 100 && group->used == CAPACITY);
	CHECK(group->pages.nr == group->nr_slow + group->used);
	pages = group->pages.pages;
	for (i = 0; i < group->pages.nr; i++) {
		CHECK(pages[i].node == (i < group->nr_slow ? SLOW : FAST));
		CHECK(!i || i == group->nr_slow || pages[i - 1].addr < pages[i].addr);
	}
	CHECK(!group->slow_cut);
	destroy(tier);
}

/* Before there is something to see nothing is listed. */
static void test_first_look(void)
{
	struct tier *tier = make(USUAL);

	/* No time passes. */
	machine.seconds = -1;
	sample(1000, 1100, 20);
	machine.total--;
	look(tier);
	CHECK(machine.nr_lists == 0 && machine.nr_calls == 0 && !tier->groups[0].plan);
	CHECK(tier->looks == 0 && tier->rests == 1 && tier->thin == 1);
	machine.seconds = -1;
	machine.total++;
	look(tier);
	CHECK(machine.nr_lists == 2 && tier->looks == 1 && tier->groups[0].plan);
	destroy(tier);
}

/* Of several fast nodes each page is listed once; what is on a node of no tier is left out. */
static void test_more_nodes(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];
	u32 page, seen[PAGES] = {}, fast = 0;
	int was[PAGES];
	size_t i;

	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	for (page = 0; page < 30; page++)
		machine.node[page] = 2;
	for (page = 30; page < 50; page++)
		machine.node[page] = 3;
	sample(20, 1040, 1);
	memcpy(was, machine.node, sizeof(was));
	look(tier);
	for (i = 0; i < group->pages.nr; i++) {
		page = (group->pages.pages[i].addr - BASE) >> HTMM_PAGE_SHIFT;
		CHECK(!seen[page]++);
		CHECK((group->pages.pages[i].node == SLOW) == (i < group->nr_slow));
	}
	for (page = 0; page < USUAL; page++) {
		bool on_fast = was[page] == FAST || was[page] == 2;

		fast += on_fast;
		CHECK(seen[page] == (on_fast || (was[page] == SLOW && machine.samples[page])));
	}
	CHECK(group->used == fast);
	destroy(tier);
}

/* A look at which nothing could be decided is none; the next one may succeed. */
static void test_no_memory(void)
{
	struct tier *tier = make(USUAL);
	struct htmm_error err = {};

	sample(1000, 1100, 20);
	look(tier);
	CHECK(tier->looks == 1);
	machine.no_memory = true;
	tier->due = 0;
	CHECK(tier_look(tier, &err) == -ENOMEM && tier->looks == 1 && !tier->rests);
	machine.no_memory = false;
	tier->due = 0;
	look(tier);
	CHECK(tier->looks == 2);
	destroy(tier);
}

/* Until a look is due only regions are listed, but when the program uses other pages, all. */
static void test_rests(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < 12; i++) {
		tier->due = i < 8 ? 0 : 1000;
		if (i == 8) {
			/* What was sampled before the look is not news. */
			look(tier);
			CHECK(machine.nr_lists == 0 && tier->rests == 1);
			tier->rests = 0;
		}
		sample(0, 400, 5);
		sample(1024, 1200, !i);
		look(tier);
		CHECK(machine.nr_lists == (i < 8 ? 2 : 1) && tier->groups[0].rests == (i >= 8));
	}
	CHECK(tier->rests == 4 && tier->looks == 8 && tier->wait < 1);
	/* Fewer samples show nothing, and together they do. */
	sample(0, 31, 1);
	look(tier);
	CHECK(machine.nr_lists == 0 && tier->groups[0].rests);
	sample(0, 1, 1);
	look(tier);
	CHECK(machine.nr_lists == 1 && tier->groups[0].rests);
	/* The program pauses. */
	for (i = 0; i < 3; i++) {
		look(tier);
		CHECK(machine.nr_lists == 0 && tier->groups[0].rests && tier->wait < 1);
	}
	tier->due = 1000;
	sample(1024, 1124, 5);
	look(tier);
	CHECK(machine.nr_lists == 2);
	sample(1024, 1124, 5);
	look(tier);
	CHECK(machine.nr_lists == 2 && fast_of(1024, 1124) == 100);
	destroy(tier);
}

static double cpu_of_looks(const struct tier *tier)
{
	return tier->cpu[TIER_GLANCE] + tier->cpu[TIER_LIST] +
	       tier->cpu[TIER_DECIDE];
}

/* Looks take a part of the time: it is longer to the next one the more the last one took. */
static void test_pace(void)
{
	struct tier *tier = make(USUAL);
	double before, cost;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		tier->due = 0;
		before = cpu_of_looks(tier);
		sample(0, 400, 5);
		look(tier);
	}
	cost = cpu_of_looks(tier) - before;
	CHECK(!tier->groups[0].plan->burst && tier->groups[0].plan->won < 0.000001);
	CHECK(tier->due >= 6 + cost / 0.0021 && tier->due < 6 + cost / 0.0019);
	CHECK(tier->wait > 0 && tier->wait < tier->due - 6 + cost);
	tier->groups[0].limit = CAPACITY;
	tier->due = 0;
	before = cpu_of_looks(tier);
	sample(0, 400, 5);
	look(tier);
	cost = cpu_of_looks(tier) - before;
	CHECK(!tier->groups[0].plan->forced_pages);
	CHECK(tier->due >= 7 + cost / 0.011 && tier->due < 7 + cost / 0.009);
	tier->interval = cost / 1000;
	tier->due = 0;
	look(tier);
	CHECK(tier->due < 8 + cost / 100);
	destroy(tier);
}

/* Where the fast tier serves nothing, regions cannot show that it serves less. */
static void test_rests_unseen(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	tier->config.dry = true;
	for (i = 0; i < 12; i++) {
		tier->due = i < 8 ? 0 : 1000;
		sample(1024, 1424, 5);
		look(tier);
		CHECK(machine.nr_lists == (i < 8 ? 2 : 0) && tier->groups[0].rests == (i >= 8));
	}
	CHECK(tier->rests == 4 && tier->looks == 8 && tier->wait >= 1);
	tier->due = 0;
	look(tier);
	CHECK(machine.nr_lists == 2 && tier->looks == 9);
	destroy(tier);
}

static bool near(u64 a, u64 b, u64 most)
{
	return (a > b ? a - b : b - a) <= most;
}

/* What was counted for a target that was removed is in all sums as before. */
static void test_removed(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];

	machine.other = OTHER_ALIVE;
	machine.others = 20000;
	tier->cooling_period = 50000;
	sample(0, USUAL, 10);
	look(tier);
	CHECK(tier->samples == 60000 && group->samples == 60000 && machine.coolings == 1);
	machine.other = OTHER_GONE;
	sample(0, USUAL, 3);
	tier->due = 0;
	look(tier);
	CHECK(tier->samples == 72000 && group->samples == 72000 && machine.coolings == 1);
	CHECK(group->plan->fast_share > 0 && tier->lately.samples > 12000);
	tier->due = 0;
	look(tier);
	CHECK(tier->samples == 72000 && group->samples == 72000 && machine.coolings == 1);
	destroy(tier);
}

/* A look with samples. */
static void sample_and_look(struct tier *tier)
{
	tier->due = 0;
	sample(0, USUAL, 3);
	look(tier);
}

/* A page that two processes map is in use once, whatever lists say; of one, nothing is counted. */
static void test_both(void)
{
	struct tier *tier = make(2 * USUAL);
	const struct group *group = &tier->groups[0];
	u32 i, used, counted = 0, off = 0;

	used = fast_of(0, USUAL);
	sample_and_look(tier);
	CHECK(!machine.counts && group->used == used);
	machine.both = 300;
	machine.count_ms = 20;
	/* Nothing follows from a count that is not complete. */
	machine.counted = 100;
	for (i = 0; i < 2; i++) {
		sample_and_look(tier);
		CHECK(group->used == group->pages.nr - group->nr_slow);
	}
	CHECK(machine.counts == 2);
	machine.counted = 0;
	machine.counts = 0;
	/* Counting may take 1/500 of the time: here, once in ten seconds. */
	for (i = 0; i < 10; i++) {
		used = fast_of(0, USUAL);
		counted = i ? counted : used;
		sample_and_look(tier);
		/* Pages that came later are taken to be shared as often. */
		off = lround((used - counted) * (1 - group->distinct));
		CHECK(near(group->used, used, off));
		CHECK(group->pages.nr - group->nr_slow > used + 250);
	}
	CHECK(machine.counts == 1);
	/* What is in use can change meanwhile. These are pages that only one process maps. */
	for (i = 300; i < 360; i++)
		machine.node[i] = SLOW;
	used = fast_of(0, USUAL);
	sample_and_look(tier);
	off += lround(60 * (1 - group->distinct));
	CHECK(machine.counts == 1 && near(group->used, used, off));
	destroy(tier);
}

/* Counts are halved after a look, when there were enough samples. */
static void test_cooling(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < 8; i++) {
		tier->due = 0;
		sample(0, 100, 9);
		look(tier);
	}
	tier->due = 1000;
	sample(0, 100, 9);
	look(tier);
	CHECK(tier->groups[0].rests && machine.nr_lists == 1 && !machine.coolings);
	/* So could this look, but what was gained before a cooling must be seen. */
	tier->cooling_period = 9000;
	sample(0, 100, 9);
	look(tier);
	CHECK(machine.coolings == 1 && machine.nr_lists == 2 && !tier->groups[0].rests);
	tier->due = 1000;
	look(tier);
	CHECK(machine.coolings == 1);
	destroy(tier);
}

/* Coolings after 51,200 samples, by how many pages have a count. */
static unsigned int coolings_with(u64 pages)
{
	struct tier *tier = make(USUAL);
	unsigned int i, coolings;

	tier->cooling_period = 0;
	machine.pages = pages;
	for (i = 0; i < 2; i++) {
		sample(0, 400, 64);
		look(tier);
		CHECK(i || !machine.coolings);
	}
	coolings = machine.coolings;
	destroy(tier);
	return coolings;
}

/* By default there are four samples for each page between two of them, and at least 40,000. */
static void test_cooling_by_pages(void)
{
	CHECK(coolings_with(12800) == 1 && !coolings_with(12801));
	CHECK(coolings_with(3) == 1);
	CHECK(policy_cooling_period(10000) == 40000 && policy_cooling_period(9000) == 40000);
	CHECK(policy_cooling_period(10001) == 40004);
}

/* Of many samples few are enough while nothing moves, but not when the hot pages change. */
static void test_thin(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	/* 25,600 samples a second: all are taken at first, then 600 of them. */
	sample(0, 400, 64);
	look(tier);
	CHECK(!machine.period[0] && tier->thin == 1);
	for (i = 0; i < 20; i++) {
		sample(0, 400, 64 / tier->thin);
		look(tier);
	}
	CHECK(machine.period[0] == 64 * 499 && tier->thin == 64);
	for (i = 0; i < 2; i++) {
		sample(1000, 1400, 9);
		look(tier);
	}
	CHECK(tier->groups[0].plan->burst && tier->thin < 64);
	CHECK(machine.period[0] == tier->thin * 499);
	destroy(tier);
}

/* All events are thinned alike, or none, also if one of them refuses. */
static void test_thin_events(void)
{
	static const struct htmm_event_list two = {
		.nr = 2, .event = { { .period = 499 }, { .period = 1009 } },
	};
	struct tier *tier = make(USUAL);
	unsigned int i;

	tier->events = &two;
	machine.fixed = true;
	for (i = 0; i < 20; i++) {
		sample(0, 400, 64);
		look(tier);
	}
	CHECK(machine.period[0] == 499 && tier->thin == 1);
	machine.fixed = false;
	sample(0, 400, 64);
	look(tier);
	CHECK(tier->thin == 64);
	CHECK(machine.period[0] == 64 * 499 && machine.period[1] == 64 * 1009);
	destroy(tier);
}

/* What is counted while the lists are read does not look like a change of the hot pages. */
static void test_meanwhile(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;
	double share;

	tier->config.dry = true;
	for (i = 0; i < 8; i++) {
		/* All is listed at each look. */
		tier->groups[0].plan = NULL;
		machine.meanwhile = i % 2 ? 20 : 0;
		sample_rounds(30);
		look(tier);
		share = tier->groups[0].plan->fast_share;
		CHECK(share > 0.8999 && share < 0.9001 && !tier->groups[0].plan->cool);
	}
	destroy(tier);
}

/* A session that was stopped has nothing new to tell. */
static void test_end(void)
{
	struct tier *tier = make(USUAL);
	struct htmm_error err;

	machine.state = HTMM_STATE_STOPPED;
	CHECK(tier_look(tier, &err) == -ESHUTDOWN);
	machine.state = HTMM_STATE_RUNNING;
	tier->session = 4;
	CHECK(tier_look(tier, &err) == -ESHUTDOWN);
	destroy(tier);
}

/* The session's capacity is that of the loop, and the other way round. */
static void test_capacity(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];

	sample(0, 400, 5);
	look(tier);
	CHECK(group->capacity == CAPACITY && machine.capacity[0] == CAPACITY && machine.sets == 1);
	sample(0, 400, 5);
	tier->due = 0;
	look(tier);
	CHECK(machine.sets == 1);
	/* Somebody sets another one, though no look is due. */
	machine.capacity[0] = 300;
	tier->due = 1000;
	look(tier);
	CHECK(!group->rests && group->capacity == 300);
	CHECK(machine.capacity[0] == 300 && machine.sets == 1);
	tier->due = 1000;
	look(tier);
	CHECK(group->capacity == 300 && machine.sets == 1);
	/* More than there is. */
	machine.capacity[0] = 9000;
	look(tier);
	CHECK(group->capacity == CAPACITY && machine.capacity[0] == CAPACITY && machine.sets == 2);
	look(tier);
	CHECK(tier->capacity == 9000 && group->capacity == CAPACITY && machine.sets == 2);
	destroy(tier);
}

/* What the fast tier serves before there are moves, and in the end. */
static void test_effect(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < 12; i++) {
		tier->due = 0;
		sample(0, 10, 5);
		sample(1000, 1090, 5);
		look(tier);
	}
	CHECK(fast_of(1000, 1090) == 90);
	CHECK(tier->before.samples == 500 && tier->before.fast == 50);
	CHECK(tier->lately.fast > 0.99 * tier->lately.samples);
	machine.seconds = 77;
	tier_end(tier);
	CHECK(tier->seconds > 76 && tier->seconds < 78);
	destroy(tier);
}

/* One target has exited from the start, and then the other. */
static void test_exited(void)
{
	struct tier *tier = make(USUAL);
	struct htmm_error err = {};

	CHECK(!tier_look(tier, &err) && tier->alive == 1);
	machine.dead = true;
	CHECK(tier_look(tier, &err) == -ESRCH && !tier->alive);
	CHECK(!strcmp(err.what, "no process is left to look at"));
	destroy(tier);
}

/*
 * Where the page tables of a process could not be read, its pages are not gone: the look is taken
 * a little later. But not for ever.
 */
static void test_skipped(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];
	u64 used, looks;
	double share;
	u32 i;

	for (i = 0; i < 4; i++) {
		sample(1000, 1400, 5);
		tier->due = 0;
		look(tier);
	}
	used = group->used;
	looks = tier->looks;
	share = group->plan->fast_share;
	CHECK(used > 500 && fast_of(1000, 1400) == 400 && share > 0.5);
	/* Also if a cooling was the only reason to look. */
	machine.skipped = 3;
	tier->due = 1000;
	tier->cooling_period = 1;
	for (i = 0; i < 3; i++) {
		sample(1000, 1400, 5);
		look(tier);
		CHECK(group->rests && group->used == used && tier->looks == looks);
		CHECK(tier->wait <= 0 && group->capacity == CAPACITY);
		tier->cooling_period = 0;
	}
	look(tier);
	CHECK(!group->rests && tier->looks == looks + 1 && group->used == used);
	CHECK(group->plan->fast_share > 0.9 && !group->plan->burst);
	/* One that changes its mappings all the time. */
	machine.skipped = 1000;
	for (i = 0; i < 20; i++) {
		tier->due = 0;
		sample(1000, 1400, 5);
		look(tier);
		CHECK(group->used == used);
	}
	CHECK(tier->looks > looks + 5 && machine.skipped < 1000);
	destroy(tier);
}

/* The list of one node is not complete, but that of the next one is. */
static void test_skipped_node(void)
{
	struct tier *tier = make(USUAL);

	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	sample(0, 100, 5);
	machine.skipped = 1;
	look(tier);
	CHECK(machine.nr_lists == 3 && tier->groups[0].rests && !tier->looks);
	look(tier);
	CHECK(!tier->groups[0].rests && tier->looks == 1);
	destroy(tier);
}

/* However long a program does nothing, it is known what the fast tier has served before. */
static void test_idle(void)
{
	struct tier *tier = make(USUAL);
	struct tally lately;
	u32 i;

	for (i = 0; i < 3; i++) {
		tier->due = 0;
		sample(1000, 1400, 5);
		look(tier);
	}
	lately = tier->lately;
	CHECK(lately.samples > 1000 && lately.fast > 0);
	for (i = 0; i < 3; i++) {
		tier->due = 0;
		look(tier);
	}
	CHECK(tier->lately.samples == lately.samples && tier->lately.fast == lately.fast);
	destroy(tier);
}

/* Copies cost time, however few they are. */
static void test_cost_of_copies(void)
{
	struct tier *tier = make(USUAL);
	const struct balance *balance = &tier->groups[0].policy->balance;
	struct htmm_error err;
	double before;

	sample(1000, 1005, 500);
	machine.seconds++;
	CHECK(!tier_look(tier, &err));
	CHECK(tier->groups[0].plan->nr_moves > 0 && tier->groups[0].plan->nr_moves < 20);
	before = balance->all_spent;
	tier_move(tier);
	CHECK(balance->all_spent > before);
	destroy(tier);
}

/* CPU time between two calls, which take too short a time after each other to tell. */
static void test_busy(void)
{
	const double hz = sysconf(_SC_CLK_TCK);
	struct busy busy = {};
	char line[128];
	unsigned int i;
	/* Guest time is in user time already; idle time, and waiting for disks, does not count. */
	const char *format = "cpu  %.0f 10 20 %.0f %.0f %.0f 60 70 80 90";

	for (i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), format, 1000 + i * 5 * hz, 30 + i * 7 * hz,
			 40 + i * 3 * hz, 50 + i * hz);
		busy_read(&busy, line, 100 + 2 * i);
		CHECK(fabs(busy.cpus - (i ? 3 : 0)) < 0.001);
	}
	snprintf(line, sizeof(line), format, 1000 + 14 * hz, 30.0, 40.0, 50 + 2 * hz);
	busy_read(&busy, line, 104.05);
	CHECK(fabs(busy.cpus - 3) < 0.001);
	busy_read(&busy, line, 105);
	CHECK(fabs(busy.cpus - 4) < 0.001);
	busy_read(&busy, "intr 1 2 3 4 5 6 7 8 9", 110);
	CHECK(fabs(busy.cpus - 4) < 0.001);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_moves),
		TAP_TEST(test_lists),
		TAP_TEST(test_first_look),
		TAP_TEST(test_more_nodes),
		TAP_TEST(test_no_memory),
		TAP_TEST(test_rests),
		TAP_TEST(test_rests_unseen),
		TAP_TEST(test_pace),
		TAP_TEST(test_removed),
		TAP_TEST(test_both),
		TAP_TEST(test_cooling),
		TAP_TEST(test_cooling_by_pages),
		TAP_TEST(test_thin),
		TAP_TEST(test_thin_events),
		TAP_TEST(test_meanwhile),
		TAP_TEST(test_end),
		TAP_TEST(test_capacity),
		TAP_TEST(test_effect),
		TAP_TEST(test_exited),
		TAP_TEST(test_skipped),
		TAP_TEST(test_skipped_node),
		TAP_TEST(test_idle),
		TAP_TEST(test_cost_of_copies),
		TAP_TEST(test_busy),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
