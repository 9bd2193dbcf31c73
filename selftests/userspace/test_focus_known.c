// SPDX-License-Identifier: GPL-2.0
/* Looks at a part of the memory: what the policy knows of all of it. */
#include <math.h>
#include "policy/rules.h"
#include "policy_memory.h"

/* The fast tier's share of all samples is known, though most regions are not looked at. */
static void check_share(u32 times)
{
	struct memory *memory = make_large();
	double truth = 32.0 / (32 + 224 * times), sum = 0;
	u32 i;

	memory->policy->config.dry = true;

	for (i = 0; i < 20; i++) {
		sample_all(memory, times);
		look(memory);
		CHECK(fabs(memory->plan->fast_share - truth) < 0.2);
		if (i >= 4)
			sum += memory->plan->fast_share;
	}
	printf("# %.3f of %.3f\n", sum / 16, truth);
	CHECK(fabs(sum / 16 - truth) < 0.05);
	destroy(memory);
}

/* It is known from the first look on, if regions are much alike. */
static void check_share_alike(void)
{
	struct memory *memory = make_large();
	u32 page, i;

	memory->policy->config.dry = true;
	for (page = 0; page < PAGES; page++)
		memory->fast[page] = page % 8 == 0;
	for (i = 0; i < 4; i++) {
		for (page = 0; page < PAGES; page += 8)
			sample(memory, page, page + 1, 4);
		for (page = 1; page < PAGES; page += 2)
			sample(memory, page, page + 1, 1);
		look(memory);
		CHECK(fabs(memory->plan->fast_share - 0.5) < 0.01);
	}
	destroy(memory);
}

/* No region has more pages than fit, though some are listed that are not in focus. */
static void check_resident(const struct memory *memory)
{
	const struct focus *focus = &memory->policy->focus;
	size_t i;

	for (i = 0; i < focus->now.nr; i++)
		CHECK(focus->area[i].resident <= HUGE && focus->area[i].own <= 1);
}

/* All pages are used alike: @times each, on average. */
static void sample_by_chance(struct memory *memory, u32 times)
{
	u32 i, page;

	for (i = 0; i < times * PAGES; i++) {
		page = tap_random() % PAGES;
		sample(memory, page, page + 1, 1);
	}
}

/*
 * If all pages are used alike, those that are promoted for their counts had these by chance: they
 * will not have more than others. @hottest: also pages of regions that are not in focus.
 */
static void check_share_promoted(bool hottest)
{
	struct memory *memory = make_large();
	double before;
	u32 i;

	memset(memory->fast, 0, sizeof(memory->fast));
	memory->capacity = PAGES;
	memory->hottest = hottest;
	for (i = 0; i < 12; i++) {
		before = (double)used(memory) / PAGES;
		sample_by_chance(memory, 1);
		look(memory);
		printf("%s%.3f of %.3f", i ? ", " : "# ", memory->plan->fast_share, before);
		CHECK(fabs(memory->plan->fast_share - before) < 0.03);
		check_resident(memory);
		obey(memory);
	}
	putchar('\n');
	CHECK(before > 0.3);
	destroy(memory);
}

static void test_share(void)
{
	check_share_alike();
	check_share_promoted(false);
	check_share_promoted(true);
	check_share(1);
	check_share(5);
	check_share(0);
}

/*
 * A page whose region was not looked at before is taken to have gained what its region has, in
 * proportion; after that, what it has gained is known.
 */
static void test_gains(void)
{
	struct memory *memory = make_large();
	const struct units *now = &memory->policy->now;
	u32 i, known = 0, guessed = 0;

	sample_regions(memory, 40, 80, 30);
	look(memory);
	sample_regions(memory, 40, 80, 10);
	sample(memory, 40 * HUGE, 40 * HUGE + 100, 40);
	look(memory);
	for (i = 0; i < now->nr_slow; i++) {
		const struct unit *unit = &now->unit[i];
		const u32 page = (unit->addr - 0x10000000) >> HTMM_PAGE_SHIFT;

		if (unit->old) {
			CHECK(unit->gain == (page < 40 * HUGE + 100 ? 50 : 10));
			known++;
		} else if (page >= 41 * HUGE) {
			CHECK(unit->gain == 10 && !unit->before && !unit->fresh);
			guessed++;
		}
	}
	CHECK(known && guessed);
	destroy(memory);
}

/* What was not looked at again has not cooled: nothing is learnt of it. */
static void test_left(void)
{
	struct memory *memory = make_large();
	double pages = 0;
	u32 i;

	sample_regions(memory, 40, 200, 6);
	look(memory);
	sample_regions(memory, 40, 200, 3);
	look(memory);
	sample_regions(memory, 40, 200, 3);
	look(memory);
	for (i = 0; i < PREDICT_CLASSES; i++)
		if (memory->policy->predictor.pages[i] && i < PREDICT_CLASSES / 2)
			pages += memory->policy->predictor.gain[i] -
				 memory->policy->predictor.pages[i] * 3 /
				 memory->policy->times;
	printf("# %.1f more than expected\n", pages);
	CHECK(fabs(pages) < 0.05 * 16 * HUGE);
	destroy(memory);
}

/*
 * When the program goes to other regions, what others gained before is forgotten. That nothing
 * moves at this look is no reason to look at fewer regions.
 */
static void test_begin(void)
{
	struct memory *memory = make_large();
	struct focus *focus = &memory->policy->focus;
	size_t i;
	u32 looks;

	for (looks = 0; looks < 6; looks++) {
		sample_regions(memory, 100, 128, 4);
		look(memory);
		obey(memory);
	}
	focus->most = 128;
	sample_regions(memory, 160, 188, 4);
	memory->policy->changed = true;
	look(memory);
	CHECK(memory->plan->cool && !memory->plan->nr_moves && focus->most == 128);
	for (i = 0; i < focus->now.nr; i++)
		CHECK(!focus->now.unit[i].recent);
	sample_regions(memory, 160, 188, 4);
	look(memory);
	for (i = 0; i < focus->now.nr; i++)
		CHECK(focus->now.unit[i].recent == focus->now.unit[i].gain);
	CHECK(focused_regions(memory, 160, 188) > 20);
	destroy(memory);
}

/* Counts are halved: no region has lost anything. */
static void test_coolings(void)
{
	struct memory *memory = make_large();
	const struct focus *focus = &memory->policy->focus;
	size_t i;

	sample_all(memory, 8);
	look(memory);
	cool(memory);
	sample_all(memory, 2);
	look(memory);
	for (i = 0; i < focus->now.nr; i++) {
		const u64 region = (focus->now.unit[i].addr - 0x10000000) >> HTMM_REGION_SHIFT;

		CHECK(focus->now.unit[i].gain == (region < 32 ? 40 : 80));
	}
	destroy(memory);
}

/* A look at which pages cannot be listed changes nothing of what the next one finds. */
static void test_failed(void)
{
	struct memory *memory = make_large();
	const struct units *now = &memory->policy->now;
	u32 i, round;

	for (round = 0; round < 2; round++) {
		sample_regions(memory, 40, 80, 32);
		look(memory);
		if (round)
			cool(memory);
		sample_regions(memory, 40, 80, 5);
		fail(memory);
		fail(memory);
		if (!round)
			sample_regions(memory, 40, 80, 5);
		look(memory);
		CHECK(now->nr_slow);
		for (i = 0; i < now->nr_slow; i++)
			CHECK(now->unit[i].gain == (round ? 5 : 10));
		for (i = now->nr_slow; i < now->nr; i++)
			CHECK(!now->unit[i].fresh);
	}
	destroy(memory);
}

/* Inside of all regions, other pages become hot. */
static void test_within(void)
{
	struct memory *memory = make_large();
	u32 page, i;

	for (page = 0; page < PAGES; page++)
		memory->fast[page] = page % 8 == 1;
	memory->policy->config.dry = true;
	for (i = 0; i < 8; i++) {
		for (page = 1; page < PAGES; page += 8)
			sample(memory, page, page + 1, 4);
		look(memory);
	}
	CHECK(memory->plan->fast_share > 0.99);
	for (i = 0; i < 2; i++) {
		for (page = 2; page < PAGES; page += 8)
			sample(memory, page, page + 1, 4);
		look(memory);
		printf("# %.3f\n", memory->plan->fast_share);
	}
	CHECK(memory->plan->fast_share < 0.1 && memory->policy->burst.looks);
	destroy(memory);
}

/* Cold pages lose more than half of their counts when these are halved, and so do their regions. */
static void test_rounding(void)
{
	struct memory *memory = make_large();
	const double truth = 8.0 * 32 * 103 / (8.0 * 32 * 103 + 224 * HUGE);
	u32 page, i;

	memory->policy->config.dry = true;
	for (i = 0; i < 9; i++) {
		for (page = 0; page < memory->capacity; page += 5)
			sample(memory, page, page + 1, 8);
		sample_regions(memory, 32, REGIONS, 1);
		look(memory);
		printf("# %.3f of %.3f\n", memory->plan->fast_share, truth);
		CHECK(i < 2 || fabs(memory->plan->fast_share - truth) < 0.15);
		cool(memory);
	}
	/* So few that cold regions have less than the half of what they had. */
	for (page = 0; page < memory->capacity; page += 5)
		sample(memory, page, page + 1, 1);
	for (page = memory->capacity; page < PAGES; page += 8)
		sample(memory, page, page + 1, 1);
	look(memory);
	printf("# %.3f\n", memory->plan->fast_share);
	CHECK(memory->plan->fast_share < 0.7);
	destroy(memory);
}

/* Is it known what regions in focus have in the fast tier? */
static void check_known(const struct memory *memory)
{
	const struct focus *focus = &memory->policy->focus;
	struct area *area;
	u32 region, page;

	for (region = 0; region < REGIONS; region++) {
		const struct unit one = {
			.addr = 0x10000000 + ((u64)region << HTMM_REGION_SHIFT),
			.space = 3, .target = TARGET,
		};
		u64 samples[2] = {};

		if (!in_focus(memory, region * HUGE))
			continue;
		for (page = region * HUGE; page < (region + 1) * HUGE; page++)
			samples[memory->fast[page]] += memory->samples[page];
		CHECK(focus_region(focus, &one, &area));
		CHECK(area->fast_pages == fast_of(memory, region * HUGE, page));
		if (samples[0] + samples[1])
			CHECK(fabs(area->share - (double)samples[1] / (samples[0] + samples[1])) <
			      0.01);
	}
}

/* What is moved changes the share of its region at once; what is refused does not. */
static void check_moved(bool refused)
{
	struct memory *memory = make_large();
	u64 moves = 0;
	size_t n;
	u32 i;

	for (i = 0; i < 6; i++) {
		sample_regions(memory, 100, 120, 4);
		look(memory);
		moves += memory->plan->nr_moves;
		for (n = 0; refused && n < memory->plan->nr_moves; n++)
			policy_refused(memory->policy, &memory->plan->moves[n]);
		if (!refused)
			obey(memory);
		check_known(memory);
	}
	CHECK(moves > 1000);
	destroy(memory);
}

/* A page of a region that was listed earlier takes with it what it is known to have of its own. */
static void check_moved_later(void)
{
	struct memory *memory = make_large();
	struct policy_move move = { .space = 3, .target = TARGET, .pages = 1, .promote = true };
	struct unit page = { .space = 3, .target = TARGET };
	struct area *area;
	u32 region, nr = 0;
	float before;

	memory->policy->config.dry = true;
	for (nr = 0; nr < 6; nr++) {
		sample_by_chance(memory, 1);
		look(memory);
	}
	for (nr = 0, region = 32; region < REGIONS; region++) {
		page.addr = 0x10000000 + ((u64)region * HUGE << HTMM_PAGE_SHIFT);
		move.addr = page.addr;
		if (!focus_region(&memory->policy->focus, &page, &area) || area->share < 0 ||
		    area->looks)
			continue;
		before = area->share;
		move.samples = memory->samples[region * HUGE];
		focus_moved(&memory->policy->focus, &move, true);
		CHECK(area->share > before && area->share < before + 0.0045F);
		nr++;
	}
	printf("# %u regions that were listed earlier\n", nr);
	CHECK(nr > 10);
	destroy(memory);
}

static void test_moved(void)
{
	check_moved(false);
	check_moved(true);
	check_moved_later();
}

/* What cannot be moved stays where it is known to be. */
static void test_refused(void)
{
	struct memory *memory = make_large();
	u64 refused = 0;
	u32 i, n;

	for (i = 0; i < 12; i++) {
		sample_all(memory, 1);
		look(memory);
		CHECK(fabs(memory->plan->fast_share - 0.125) < 0.1);
		for (n = 0; n < memory->plan->nr_moves; n++)
			policy_refused(memory->policy, &memory->plan->moves[n]);
		refused += memory->plan->nr_moves;
	}
	CHECK(refused > 100);
	destroy(memory);
}

/*
 * At the first look at all of it after looks at parts, what was not in a part seems to have gained
 * all that it has, and to be new if it is in the fast tier.
 */
static void test_all_again(void)
{
	struct memory *memory = make_large();
	double share, saved;
	size_t i;

	for (i = 0; i < 8; i++) {
		sample_all(memory, 1);
		sample_regions(memory, 0, 32, 3);
		look(memory);
	}
	share = memory->plan->fast_share;
	saved = memory->plan->saved_s;
	memory->focused = false;
	sample_all(memory, 1);
	sample_regions(memory, 0, 32, 3);
	/* Of a program that now uses other pages: it is not known yet which. */
	sample_regions(memory, 100, 132, 30);
	look(memory);
	CHECK(memory->policy->now.nr == 64 * HUGE + 20 * (REGIONS - 64) &&
	      !memory->plan->nr_moves);
	CHECK(memory->plan->fast_share < 0 && memory->plan->saved_s == saved);
	for (i = 0; i < memory->policy->now.nr; i++)
		CHECK(!memory->policy->now.unit[i].fresh);
	sample_all(memory, 1);
	sample_regions(memory, 0, 32, 3);
	look(memory);
	CHECK(!memory->plan->nr_moves && near(memory->plan->fast_share, share, 0.01));
	destroy(memory);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_share),
		TAP_TEST(test_gains),
		TAP_TEST(test_left),
		TAP_TEST(test_begin),
		TAP_TEST(test_coolings),
		TAP_TEST(test_failed),
		TAP_TEST(test_within),
		TAP_TEST(test_rounding),
		TAP_TEST(test_moved),
		TAP_TEST(test_refused),
		TAP_TEST(test_all_again),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
