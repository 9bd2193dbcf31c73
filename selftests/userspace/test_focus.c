// SPDX-License-Identifier: GPL-2.0
/* Looks at a part of the memory: which regions the policy chooses, and what it learns of them. */
#include <math.h>
#include "policy/rules.h"
#include "policy_memory.h"

#define REGIONS		(PAGES / HUGE)
/* Regions that are new in focus at a look, while little is moved: drawn ones, and found ones. */
#define DRAWN		16
#define FOUND		16

/* Of 256 regions, the first 32 are in the fast tier. */
static struct memory *make_large(void)
{
	struct memory *memory = make(PAGES, 0);
	u32 page;

	memory->focused = true;
	memory->capacity = 32 * HUGE;
	for (page = 0; page < memory->capacity; page++)
		memory->fast[page] = true;
	return memory;
}

static void sample_regions(struct memory *memory, u32 from, u32 to, u32 times)
{
	sample(memory, from * HUGE, to * HUGE, times);
}

/* Each region has samples, and the slow tier @times times as many in each. */
static void sample_all(struct memory *memory, u32 times)
{
	u32 region;

	for (region = 0; region < REGIONS; region++)
		sample(memory, region * HUGE, region * HUGE + 20, region < 32 ? 2 : 2 * times);
}

static u32 focused_regions(const struct memory *memory, u32 from, u32 to)
{
	u32 nr = 0;

	for (; from < to; from++)
		nr += in_focus(memory, from * HUGE);
	return nr;
}

/* Ranges rise, and neighbours are one; no more is listed than was promised. */
static void check_ranges(const struct memory *memory)
{
	ssize_t i;

	CHECK(memory->policy->now.nr <= POLICY_LARGE_PAGES);
	for (i = 0; i < memory->nr_ranges; i++) {
		const struct policy_range *range = &memory->range[i];

		CHECK(range->pid == 77 && range->space == 3 && range->target == 1);
		CHECK(range->start < range->end && !(range->start % (HUGE << HTMM_PAGE_SHIFT)) &&
		      !(range->end % (HUGE << HTMM_PAGE_SHIFT)));
		CHECK(!i || range[-1].end < range->start);
	}
}

/* However much memory there is, a look is at few regions; for two looks, then at others. */
static void test_few(void)
{
	struct memory *memory = make_large();
	u32 before = 0, both, region, i, ages[REGIONS] = {}, seen = 0;

	for (i = 0; i < 12; i++) {
		sample_all(memory, 1);
		look(memory);
		check_ranges(memory);
		both = focused_regions(memory, 0, REGIONS);
		CHECK(both <= 2 * (DRAWN + FOUND) && both >= DRAWN && (!i || both > before / 2));
		for (region = 0; region < REGIONS; region++) {
			CHECK(ages[region] != 1 || in_focus(memory, region * HUGE));
			ages[region] = in_focus(memory, region * HUGE) ? ages[region] + 1 : 0;
			seen += ages[region] == 1;
		}
		before = both;
	}
	printf("# %u regions were in focus, one after the other\n", seen);
	CHECK(seen > 12 * DRAWN);
	destroy(memory);
}

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

static void test_share(void)
{
	check_share_alike();
	check_share(1);
	check_share(5);
	check_share(0);
}

/* Slow regions that are used are found, and take the room of fast ones that are not. */
static void test_moves(void)
{
	struct memory *memory = make_large();
	u32 i, hot;

	for (i = 0; i < 30; i++) {
		sample_regions(memory, 100, 120, 4);
		look(memory);
		check_ranges(memory);
		obey(memory);
	}
	hot = fast_of(memory, 100 * HUGE, 120 * HUGE);
	printf("# %u of %u hot pages\n", hot, 20 * HUGE);
	CHECK(hot > 19 * HUGE && memory->plan->fast_share > 0.95);
	/* Other pages are hot: their regions are chosen at once. */
	sample_regions(memory, 200, 220, 4);
	CHECK(changed(memory));
	look(memory);
	CHECK(memory->plan->burst && focused_regions(memory, 200, 220) > 5);
	for (i = 0; i < 30; i++) {
		sample_regions(memory, 200, 220, 4);
		look(memory);
		obey(memory);
	}
	CHECK(fast_of(memory, 200 * HUGE, 220 * HUGE) > 19 * HUGE);
	destroy(memory);
}

/* Hot regions of the fast tier are hardly ever drawn, once it is known where they are. */
static void test_known(void)
{
	struct memory *memory = make_large();
	u32 i, hot = 0, drawn = 0;

	memory->hand = memory->capacity;
	for (i = 0; i < 40; i++) {
		sample_regions(memory, 0, 32, 4);
		sample_regions(memory, 100, 132, 1);
		look(memory);
		if (i < 20)
			continue;
		drawn += focused_regions(memory, 100, 132);
		hot += focused_regions(memory, 0, 8);
	}
	printf("# %u of the slow tier, %u of a quarter of the fast one\n", drawn, hot);
	CHECK(drawn > 20 * 20);
	destroy(memory);
}

/* A hot page in each region: these are found among the hottest, wherever they are. */
static void test_scattered(void)
{
	u32 region, i, hot[2] = {}, with;

	for (with = 0; with < 2; with++) {
		struct memory *memory = make_large();

		memory->hottest = with;
		for (i = 0; i < 4; i++) {
			sample_all(memory, 1);
			for (region = 32; region < REGIONS; region++)
				sample(memory, region * HUGE + 77, region * HUGE + 78, 50);
			look(memory);
			obey(memory);
		}
		for (region = 32; region < REGIONS; region++)
			hot[with] += memory->fast[region * HUGE + 77];
		destroy(memory);
	}
	printf("# %u without the hottest, %u with them\n", hot[0], hot[1]);
	CHECK(hot[0] < 150 && hot[1] == REGIONS - 32);
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
	CHECK(fabs(pages) < 0.05 * DRAWN * HUGE);
	destroy(memory);
}

/* The pages of a process that is not visible cannot be listed, nor moved. */
static void test_hidden(void)
{
	struct memory *memory = make_large();
	u32 i;

	memory->hidden = 100 * HUGE;
	for (i = 0; i < 10; i++) {
		sample_regions(memory, 100, 101, 50);
		sample_regions(memory, 101, 104, 1);
		look(memory);
		CHECK(!in_focus(memory, 100 * HUGE));
	}
	destroy(memory);
}

/* While much is moved, more regions are looked at; after that fewer again. */
static void test_more(void)
{
	struct memory *memory = make_large();
	size_t most = 0;
	u32 i;

	for (i = 0; i < 40; i++) {
		sample_regions(memory, 100, 128, 4);
		look(memory);
		obey(memory);
		if (memory->policy->focus.most > most)
			most = memory->policy->focus.most;
	}
	printf("# %zu regions, and %zu in the end\n", most, memory->policy->focus.most);
	CHECK(most >= 128 && memory->policy->focus.most == 64);
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

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_few),
		TAP_TEST(test_share),
		TAP_TEST(test_moves),
		TAP_TEST(test_known),
		TAP_TEST(test_scattered),
		TAP_TEST(test_gains),
		TAP_TEST(test_left),
		TAP_TEST(test_hidden),
		TAP_TEST(test_more),
		TAP_TEST(test_coolings),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
