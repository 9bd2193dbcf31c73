// SPDX-License-Identifier: GPL-2.0
/* Looks at a part of the memory: which regions the policy chooses. */
#include "policy/rules.h"
#include "policy_memory.h"

/* Regions that are new in focus at a look, while little is moved: drawn ones, and found ones. */
#define DRAWN		16
#define FOUND		16

/* Ranges rise, and neighbours are one; no more is listed than was promised. */
static void check_ranges(const struct memory *memory)
{
	ssize_t i;

	CHECK(memory->policy->now.nr <= POLICY_LARGE_PAGES);
	for (i = 0; i < memory->nr_ranges; i++) {
		const struct policy_range *range = &memory->range[i];

		CHECK(range->pid == 77 && range->space == 3 && range->target == TARGET);
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

/* Slow regions that are used are found, and take the room of fast ones that are not. */
static void test_moves(void)
{
	struct memory *memory = make_large();
	u32 i, hot;

	for (i = 200; i < 220; i++)
		sample(memory, i * HUGE, i * HUGE + 1, 1);
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
	CHECK(drawn > 15 * 20 && drawn > 8 * hot / 4);
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

/* Nobody may be there to look at, or nobody that is visible. */
static void test_nobody(void)
{
	struct memory *memory = make_large();
	u32 page;

	for (page = 0; page < PAGES; page++)
		memory->fast[page] = false;
	look(memory);
	CHECK(!memory->nr_ranges && !memory->plan->nr_moves && memory->plan->fast_share < 0);
	CHECK(memory->policy->focus.most == 64);
	memory->hidden = 100 * HUGE;
	sample_regions(memory, 100, 101, 50);
	look(memory);
	CHECK(!memory->nr_ranges);
	destroy(memory);
}

/* A region that has most of the samples does not make its neighbours likely. */
static void test_heavy(void)
{
	struct memory *memory = make_large();
	u32 i, region, light = 0;

	memory->hand = memory->capacity;
	for (i = 0; i < 10; i++) {
		sample_regions(memory, 40, 42, 100);
		for (region = 42; region < REGIONS; region++)
			sample(memory, region * HUGE, region * HUGE + 1, 50);
		memory->hand = memory->capacity;
		look(memory);
		if (i > 1)
			light += focused_regions(memory, 42, REGIONS);
	}
	printf("# %u light regions in 8 looks\n", light);
	CHECK(light > 8 && light < 8 * DRAWN);
	destroy(memory);
}

/* What was hot long ago is not looked at any more. */
static void test_old(void)
{
	struct memory *memory = make_large();
	u32 i, nr = 0;

	memory->policy->config.dry = true;
	sample_regions(memory, 100, 200, 20);
	look(memory);
	for (i = 0; i < 30; i++) {
		sample_regions(memory, 40, 60, 10);
		look(memory);
		if (i > 20)
			nr += focused_regions(memory, 100, 200);
	}
	printf("# %u regions that were hot, in 9 looks\n", nr);
	CHECK(nr < 9);
	destroy(memory);
}

/* Regions without samples are looked at twice, too. */
static void test_unsampled(void)
{
	struct memory *memory = make_large();
	bool before[128] = {}, twice[128] = {};
	u32 i, region, seen = 0;

	memory->policy->config.dry = true;
	memory->capacity = 128 * HUGE;
	for (i = 0; i < memory->capacity; i++)
		memory->fast[i] = true;
	for (i = 0; i < 6; i++) {
		sample_regions(memory, 200, 201, 9);
		look(memory);
		for (region = 0; region < 128; region++) {
			const bool now = in_focus(memory, region * HUGE);

			CHECK(!before[region] || twice[region] || now);
			twice[region] = before[region] && now;
			before[region] = now;
			seen += twice[region];
		}
	}
	CHECK(seen > 16);
	destroy(memory);
}

/* Two targets with two address spaces each, one after the other: four ranges. */
static void test_spaces(void)
{
	struct policy *policy = policy_new(&usual);
	struct htmm_page region[4 * 4], found[4 * 4];
	const struct policy_range *range;
	struct policy_look at = {
		.regions = region, .nr_regions = ARRAY_SIZE(region), .found = found,
		.nr_found = ARRAY_SIZE(found), .capacity = 1000, .samples = 1,
	};
	u32 i;

	CHECK(policy);
	/* The last one first. */
	for (i = 0; i < ARRAY_SIZE(region); i++) {
		const u32 nr = ARRAY_SIZE(region) - 1 - i;

		region[i] = (struct htmm_page) {
			.addr = (u64)(1 + nr) << HTMM_REGION_SHIFT, .pid = 70 + nr / 4,
			.space = 1 + (nr / 4 + 1) / 2, .target = 1 + nr / 8,
			.samples = 100,
			.mapping_shift = HTMM_REGION_SHIFT,
		};
		found[i] = region[i];
		found[i].mapping_shift = HTMM_PAGE_SHIFT;
	}
	CHECK(policy_focus(policy, &at, &range) == 4);
	for (i = 0; i < 4; i++) {
		CHECK(range[i].start == (u64)(1 + 4 * i) << HTMM_REGION_SHIFT);
		CHECK(range[i].end == (u64)(5 + 4 * i) << HTMM_REGION_SHIFT);
		CHECK(range[i].pid == 70 + i && range[i].space == 1 + (i + 1) / 2 &&
		      range[i].target == 1 + i / 2);
	}
	policy_free(policy);
}

/* There are always at least 64 regions, and at most 256. */
static void test_limits(void)
{
	struct memory *memory = make_large();
	struct focus *focus = &memory->policy->focus;
	u32 i;

	sample_all(memory, 1);
	look(memory);
	for (i = 0; i < 9; i++)
		focus_adapt(focus, PAGES);
	CHECK(focus->most == 256);
	for (i = 0; i < 9; i++)
		focus_adapt(focus, 0);
	CHECK(focus->most == 64);
	destroy(memory);
}

/* Regions of 2 MiB of a process, from @addr on, each with some samples. */
static size_t add_regions(struct htmm_page *region, u64 addr, u32 pid, u32 nr, u32 samples)
{
	u32 i;

	for (i = 0; i < nr; i++)
		region[i] = (struct htmm_page) {
			.addr = addr + ((u64)i << HTMM_REGION_SHIFT), .pid = pid, .space = pid,
			.target = 1, .samples = samples, .mapping_shift = HTMM_REGION_SHIFT,
		};
	return nr;
}

/* One resident page of the fast tier in each region of the ranges of a process, but for a few. */
static size_t list_ranges(struct htmm_page *page, const struct policy_range *range, ssize_t nr,
			  u32 pid)
{
	size_t found = 0;
	u64 addr;

	for (; nr > 0; nr--, range++)
		for (addr = range->start; range->pid == pid && addr < range->end;
		     addr += 1 << HTMM_REGION_SHIFT)
			if (addr >> HTMM_REGION_SHIFT & 15 || pid != 77)
				page[found++] = (struct htmm_page) {
				.addr = addr, .pid = pid, .space = pid, .target = 1,
				.mapping_shift = HTMM_PAGE_SHIFT,
			};
	return found;
}

/*
 * At each look there is another process with pages in the fast tier, which exits before the next
 * one. What was known of them does not pile up; of a process that only does nothing, it is kept.
 */
static void test_exits(void)
{
	static struct htmm_page regions[500], found[400], fast[300];
	struct policy *policy = policy_new(&usual);
	u64 total = 0;
	u32 i, n, idle = 0, known = 0;

	CHECK(policy);
	for (i = 0; i < 200; i++) {
		struct policy_look look = {
			.focused = true, .regions = regions, .found = found, .fast = fast,
			.capacity = 100000, .used = 90000, .period = 499, .seconds = i + 1,
		};
		const struct policy_range *range;
		ssize_t nr;

		look.nr_regions = add_regions(regions, 1ULL << 32, 77, 100, 10 * (i + 1));
		look.nr_regions += add_regions(regions + 100, 1ULL << 34, 1000 + i, 300, 2);
		look.nr_found = add_regions(found, 1ULL << 34, 1000 + i, 300, 0);
		/* It was seen once, and has no samples. */
		if (!i)
			look.nr_found += add_regions(found + 300, 1ULL << 36, 88, 20, 0);
		for (n = 0; n < look.nr_found; n++)
			found[n].mapping_shift = HTMM_PAGE_SHIFT;
		total += 1600;
		look.samples = total;
		nr = policy_focus(policy, &look, &range);
		CHECK(nr >= 0);
		look.nr_found = 0;
		look.nr_fast = list_ranges(fast, range, nr, 77);
		look.nr_fast += list_ranges(fast + look.nr_fast, range, nr, 88);
		CHECK(policy_look(policy, &look));
	}
	for (n = 0; n < policy->focus.now.nr; n++) {
		idle += policy->focus.now.unit[n].pid == 88;
		known += policy->focus.now.unit[n].pid == 77 && policy->focus.area[n].fast_pages;
	}
	printf("# %zu regions, %u of the idle one, %u known of the other one\n",
	       policy->focus.now.nr, idle, known);
	CHECK(policy->focus.now.nr < 3000 && idle == 20 && known > 80);
	policy_free(policy);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_few),
		TAP_TEST(test_moves),
		TAP_TEST(test_known),
		TAP_TEST(test_scattered),
		TAP_TEST(test_hidden),
		TAP_TEST(test_more),
		TAP_TEST(test_nobody),
		TAP_TEST(test_heavy),
		TAP_TEST(test_old),
		TAP_TEST(test_unsampled),
		TAP_TEST(test_spaces),
		TAP_TEST(test_limits),
		TAP_TEST(test_exits),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
