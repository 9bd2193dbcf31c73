// SPDX-License-Identifier: GPL-2.0
/* What moves have saved is known: where each page would be without them, and what it gains. */
#include <math.h>
#include "policy/rules.h"
#include "policy_memory.h"

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

/* What pages gain whose count is too small for the list is known of their regions. */
static void test_saved_unlisted(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	/* Both parts of the fast tier have samples before pages leave it. */
	work(memory, 0, CAPACITY, 1, 1);
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

/* Also if there are only so few samples that none of these is listed. */
static void test_saved_few(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	work(memory, 0, CAPACITY, 1, 1);
	work(memory, 2000, 2800, 5, 4);
	CHECK(fast_of(memory, 2000, 2800) == 800 && knows(memory, 0.000001));
	memory->slow_cut = 100;
	for (i = 0; i < 20; i++) {
		u32 page = 40 * i;

		/* All pages of these regions have left, or not. */
		CHECK(!fast_of(memory, page, page + 20));
		sample(memory, page, page + 20, 1);
		sample(memory, 1100 + i, 1101 + i, 9);
		look(memory);
	}
	printf("# %.4f s, %.4f s\n", memory->plan->saved_s, memory->saved * GAP_S);
	CHECK(knows(memory, 0.01));
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

static const struct htmm_page one_page = {
	.addr = 1 << 30, .pid = 77, .samples = 8, .space = 3,
};

static const struct policy_move one_move = {
	.addr = 1 << 30, .space = 3, .samples = 4, .pages = 1,
};

/* What the share would be without moves, if all sampled pages are listed. */
static double share_of(struct origins *origins, const struct units *now, double samples,
		       double share, const struct focus *focus)
{
	const struct policy_look look = {};

	return origins_share(origins, &look, now, true, samples, share, focus);
}

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
	CHECK(share_of(&origins, &now, 8, 1, NULL) == 1);
	origins_moved(&origins, &move, true, 0);
	CHECK(!origins_fast(&origins, now.unit));
	CHECK(share_of(&origins, &now, 8, 1, NULL) == 0);
	origins_moved(&origins, &move, false, 0);
	CHECK(share_of(&origins, &now, 8, 1, NULL) == 1);
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
		CHECK(!share_of(&origins, &now, 8, 1, NULL));
	}
	/* In 600 s there are 1,200 of them. */
	CHECK(origins.nr >= 1200 && origins.size <= 8192);
	origins_free(&origins);
	units_free(&now);
}

/* A page of the region of the tests, of which it is page number @nr. */
static struct htmm_page page_nr(u32 nr)
{
	struct htmm_page page = one_page;

	page.addr += (u64)nr << HTMM_PAGE_SHIFT;
	return page;
}

/* Two regions, their samples, and pages of the first one. */
struct two_regions {
	struct origins origins;
	struct htmm_page region[2];
	struct policy_look look;
	struct units now;
	struct htmm_page page[3];
};

/* Pages @from to @to, without @to, leave the fast tier; @ahead: to keep room. */
static void leave(struct two_regions *two, u32 from, u32 to, bool ahead)
{
	for (; from < to; from++) {
		const struct policy_move move = {
			.addr = page_nr(from).addr, .space = 3, .pages = 1, .ahead = ahead,
		};

		origins_moved(&two->origins, &move, false, 0);
	}
}

/*
 * 64 pages of a region leave the fast tier, half of them to keep room, and 2 of the next one. Then
 * they have 48 and 20 samples more.
 */
static void make_two(struct two_regions *two)
{
	u32 i;

	*two = (struct two_regions) {
		.look = { .regions = two->region, .nr_regions = 2 },
	};
	for (i = 0; i < 2; i++) {
		two->region[i] = page_nr(512 * i);
		two->region[i].mapping_shift = 21;
		two->region[i].samples = 10 - 4 * i;
	}
	for (i = 0; i < 3; i++)
		two->page[i] = page_nr(100 * i);
	CHECK(!units_reset(&two->now, 512));
	leave(two, 0, 32, true);
	leave(two, 32, 64, false);
	leave(two, 600, 602, false);
	origins_looked(&two->origins, &two->look);
	two->region[0].samples += 48;
	two->region[1].samples += 20;
}

/* What would be the fast tier's of so many samples, without moves. */
static double fast_of_two(struct two_regions *two, double samples, bool told)
{
	return samples * origins_share(&two->origins, &two->look, &two->now, told, samples, 0,
				       NULL);
}

static void free_two(struct two_regions *two)
{
	origins_free(&two->origins);
	units_free(&two->now);
}

/* What regions gain is divided among listed pages and others. */
static void test_rest(void)
{
	const double left = 63 / 509.0, other = 20 * 2 / 512.0;
	struct two_regions two;
	__u64 room = 1;

	make_two(&two);
	CHECK(near(fast_of_two(&two, 68, true), 48 * 64 / 512.0 + other, 0.000001));
	CHECK(!two.origins.room_won && near(two.origins.room_lost, 48 * 32 / 512.0, 0.000001));
	/* One that left is listed, one that was in the fast tier, and a new one. */
	units_add(&two.now, two.page, 1, false);
	units_add(&two.now, two.page + 1, 2, true);
	two.now.unit[0].gain = 8;
	two.now.unit[1].gain = 5;
	two.now.unit[2].gain = 3;
	two.now.unit[2].fresh = true;
	origins_listed(&two.origins, &two.now, 1, NULL, &room);
	CHECK(!room && !two.origins.room_lost);
	CHECK(near(fast_of_two(&two, 68, true), 8 + 5 + 32 * left + other, 0.000001));
	CHECK(two.origins.room_won == 3);
	CHECK(near(two.origins.room_lost, 8 + 32 * 31 / 509.0, 0.000001));
	/* Pages were listed before there were as many samples. */
	CHECK(near(fast_of_two(&two, 42, true), 8 + 5 + (32 * left + other) / 2, 0.000001));
	/* All are of listed ones, or more than regions have. */
	CHECK(near(fast_of_two(&two, 16, true), 13, 0.000001));
	CHECK(near(fast_of_two(&two, 200, true), 8 + 5 + 32 * left + other, 0.000001));
	/* A look without a share has no gains at all. */
	origins_listed(&two.origins, &two.now, 2, NULL, &room);
	CHECK(!two.origins.room_won && !two.origins.room_lost);
	/* What was counted now is not counted again. */
	origins_looked(&two.origins, &two.look);
	CHECK(near(fast_of_two(&two, 20, true), 13, 0.000001));
	free_two(&two);
}

/* After a cooling, it is divided as before: the samples of regions do not tell it. */
static void test_rest_halved(void)
{
	struct two_regions two;

	make_two(&two);
	CHECK(fast_of_two(&two, 68, false) == 0);
	CHECK(near(fast_of_two(&two, 68, true), 6 + 20 * 2 / 512.0, 0.000001));
	two.region[0].samples = 7;
	CHECK(near(fast_of_two(&two, 34, false), 3 + 20 / 512.0, 0.000001));
	CHECK(near(two.origins.room_lost, 1.5, 0.000001));
	free_two(&two);
}

/* Regions that were not there at the previous look had no samples; of new ones it is not known. */
static void test_rest_of_regions(void)
{
	struct two_regions two;
	__u64 room = 1;

	make_two(&two);
	two.look.nr_regions = 0;
	origins_looked(&two.origins, &two.look);
	two.look.nr_regions = 2;
	CHECK(near(fast_of_two(&two, 84, true), 58 * 64 / 512.0 + 26 * 2 / 512.0, 0.000001));
	free_two(&two);
	/* A new page of a third region, which has many samples. */
	make_two(&two);
	two.look.regions++;
	two.look.nr_regions = 1;
	two.region[1] = page_nr(4096);
	two.region[1].samples = 5000;
	two.page[0] = page_nr(4097);
	units_add(&two.now, two.page, 1, true);
	two.now.unit[0].fresh = true;
	two.look.regions = two.region;
	two.look.nr_regions = 2;
	origins_listed(&two.origins, &two.now, 1, NULL, &room);
	CHECK(!room && near(fast_of_two(&two, 48, true), 6, 0.000001));
	free_two(&two);
}

/* Pages that left were freed, and there are new ones in the fast tier: no more than all is lost. */
static void test_rest_freed(void)
{
	struct htmm_page pages[448];
	struct two_regions two;
	u32 i;

	make_two(&two);
	leave(&two, 64, 512, false);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = page_nr(i);
	units_add(&two.now, pages, ARRAY_SIZE(pages), true);
	CHECK(near(fast_of_two(&two, 68, true), 48 + 20 * 2 / 512.0, 0.000001));
	CHECK(!two.origins.room_lost);
	/* What these gain is not won by the room that they had left for. */
	two.now.unit[3].gain = 9;
	CHECK(near(fast_of_two(&two, 68, true), 9 + 39 + 20 * 2 / 512.0, 0.000001));
	CHECK(!two.origins.room_won && !two.origins.room_lost);
	/* All are listed, but the region has more samples. */
	for (i = 0; i < 64; i++)
		pages[i] = page_nr(448 + i);
	units_add(&two.now, pages, 64, true);
	CHECK(near(fast_of_two(&two, 68, true), 9 + 20 * 2 / 512.0, 0.000001));
	free_two(&two);
}

/* A page that could not be moved is where it is for the same reason as before. */
static void test_room_refused(void)
{
	struct policy_move move = { .addr = page_nr(0).addr, .space = 3, .pages = 1 };
	struct two_regions two;

	make_two(&two);
	units_add(&two.now, two.page, 1, true);
	two.now.unit[0].gain = 7;
	/* The first one left to keep room, came back, and another one was promoted. */
	move.promote = true;
	origins_moved(&two.origins, &move, true, 0);
	origins_moved(&two.origins, &move, true, 0);
	fast_of_two(&two, 68, true);
	CHECK(!two.origins.room_won);
	move.promote = false;
	move.ahead = true;
	origins_moved(&two.origins, &move, false, 0);
	origins_moved(&two.origins, &move, true, 0);
	fast_of_two(&two, 68, true);
	CHECK(!two.origins.room_won);
	free_two(&two);
}

/* All pages of a huge page have left with it. */
static void test_rest_huge(void)
{
	struct policy_move move = one_move;
	struct two_regions two;

	make_two(&two);
	move.pages = 512;
	origins_moved(&two.origins, &move, true, 0);
	move.addr = page_nr(512).addr;
	origins_moved(&two.origins, &move, false, 0);
	origins_looked(&two.origins, &two.look);
	two.region[0].samples += 30;
	two.region[1].samples += 40;
	CHECK(fast_of_two(&two, 70, true) == 40);
	move.promote = true;
	origins_moved(&two.origins, &move, true, 0);
	CHECK(fast_of_two(&two, 70, true) == 0);
	free_two(&two);
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
	CHECK(near(share_of(&origins, &now, 8, 0.75, &focus), 0.75 - 0.375 * 6 / 8, 0));
	/* This is known for as long as the region is used. */
	for (i = 0; i < 1000; i++) {
		origins_listed(&origins, &now, 50.0 * i, &focus, &room);
		CHECK(near(share_of(&origins, &now, 8, 0.75, &focus), 0.75 - 0.28125, 0));
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
	CHECK(near(share_of(&origins, &now, 8, 1, &focus), 1 - (0.25 + 0.125) * 6 / 8, 0));
	area[0].looks = 2;
	area[0].noted = false;
	area[0].gain[true] = 40;
	area[0].gain[false] = 40;
	now.unit[0].gain = 20;
	origins_listed(&origins, &now, 50001, &focus, &room);
	CHECK(near(share_of(&origins, &now, 8, 1, &focus), 1 - 0.25 * 6 / 8, 0));
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
	CHECK(near(share_of(&origins, &now, 8, 1, &focus), 1, 0.000001));
	origins_free(&origins);
	units_free(&focus.now);
	units_free(&now);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_saved),
		TAP_TEST(test_saved_unlisted),
		TAP_TEST(test_saved_few),
		TAP_TEST(test_saved_in_focus),
		TAP_TEST(test_few_counts),
		TAP_TEST(test_saved_by_chance),
		TAP_TEST(test_not_moved),
		TAP_TEST(test_new_pages),
		TAP_TEST(test_more_new_pages),
		TAP_TEST(test_new_in_focus),
		TAP_TEST(test_less_room),
		TAP_TEST(test_no_room),
		TAP_TEST(test_origins),
		TAP_TEST(test_forgotten),
		TAP_TEST(test_rest),
		TAP_TEST(test_rest_halved),
		TAP_TEST(test_rest_of_regions),
		TAP_TEST(test_rest_freed),
		TAP_TEST(test_room_refused),
		TAP_TEST(test_rest_huge),
		TAP_TEST(test_unlisted),
		TAP_TEST(test_share_in_focus),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
