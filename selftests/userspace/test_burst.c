// SPDX-License-Identifier: GPL-2.0
/* Bursts of the policy: how it sees that a program goes to other pages, and what it does then. */
#include <math.h>
#include "policy/pace.h"
#include "policy/rules.h"
#include "policy_memory.h"

static void jump(struct memory *memory)
{
	work(memory, 1100, 1600, 6, 8);
	CHECK(fast_of(memory, 1100, 1600) == 500);
	sample(memory, 2100, 2600, 6);
	look(memory);
}

/*
 * When the program goes to other pages, they come at the next look: most of what this one shows was
 * before.
 */
static void test_burst(void)
{
	struct memory *memory = make(4000, 0), *without = make(4000, bit(POLICY_BURST));

	jump(memory);
	CHECK(memory->plan->burst && memory->plan->cool && !memory->plan->nr_moves);
	sample(memory, 2100, 2600, 6);
	look(memory);
	CHECK(memory->plan->burst && memory->plan->promoted_pages == 500);
	CHECK(memory->policy->recent_s == 1 && memory->policy->recent_samples == 3000);
	obey(memory);
	sample(memory, 2100, 2600, 6);
	look(memory);
	CHECK(!memory->plan->cool && !memory->plan->nr_moves);

	jump(without);
	CHECK(!without->plan->burst && !without->plan->cool);
	destroy(memory);
	destroy(without);
}

/* If moves have lost so much that they may be what has changed, nothing is forgotten. */
static void test_burst_lost(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 1100, 1600, 6, 8);
	policy_spent(memory->policy, 5);
	sample(memory, 2100, 2600, 6);
	look(memory);
	CHECK(memory->plan->cool && !rule_balance(memory->policy));
	CHECK(memory->policy->recent_s > 1 && memory->plan->held[POLICY_HELD_BALANCE] == 500);
	destroy(memory);
}

/* At the begin of a phase no page leaves for new ones: what is hot is not known. */
static void test_burst_reserve(void)
{
	struct memory *memory = make_with(4000, 0);

	work(memory, 1100, 1600, 6, 8);
	memory->policy->reserve.pages = 400;
	sample(memory, 2100, 2600, 6);
	look(memory);
	CHECK(memory->plan->cool && memory->plan->reserve && !memory->plan->nr_moves);
	sample(memory, 2100, 2600, 6);
	CHECK(look(memory)->ahead_pages);
	destroy(memory);
}

/* Of what is hot at the first look of a phase, some is by chance, as at the first look of all. */
static void test_burst_expects(void)
{
	struct memory *memory = make(4000, 0);

	jump(memory);
	sample(memory, 2100, 2400, 20);
	look(memory);
	CHECK(memory->plan->promoted_pages == 300);
	obey(memory);
	sample(memory, 2100, 2400, 4);
	look(memory);
	CHECK(rule_trust(memory->policy) > 0.9);
	destroy(memory);
}

/*
 * Pages that came a moment ago leave when the program goes to other pages. Each look is a quarter
 * of a second after the one before.
 */
static void test_burst_soon(void)
{
	struct memory *memory = make(PAGES, 0);
	u32 i;

	for (i = 0; i < 10; i++) {
		u32 from = i < 5 ? 1100 : 2300;

		sample(memory, from, from + 1000, 6);
		look(memory);
		CHECK(memory->plan->cool == (i == 5));
		obey(memory);
		memory->seconds -= 0.75;
		CHECK(i != 4 || fast_of(memory, 1100, 2100) == 1000);
	}
	CHECK(fast_of(memory, 2300, 3300) == 1000);
	destroy(memory);
}

/* A program that takes turns: what left a moment ago comes back, as soon as it is hot again. */
static void test_turns(void)
{
	struct memory *memory = make(PAGES, 0);
	u32 i, bursts = 0;

	for (i = 0; i < 20; i++) {
		u32 from = i / 5 % 2 ? 2300 : 1100;

		sample(memory, from, from + 1000, 6);
		look(memory);
		bursts += memory->plan->cool;
		obey(memory);
		memory->seconds -= 0.75;
		CHECK(i % 5 != 4 || fast_of(memory, from, from + 1000) == 1000);
	}
	CHECK(bursts == 3);
	destroy(memory);
}

/*
 * The program uses @hot to @hot + 500 first, and then others, until what it used first is as cold
 * as what it never used; how many of these 500 are left when it needs room again.
 */
static u32 left_of(u32 hot)
{
	struct memory *memory = make(4000, 0);
	u32 left;

	work(memory, hot, hot + 500, 6, 8);
	work(memory, 2100, 2400, 6, 12);
	work(memory, 2500, 2700, 6, 12);
	CHECK(used(memory) == CAPACITY);
	CHECK(fast_of(memory, 2100, 2400) == 300 && fast_of(memory, 2500, 2700) == 200);
	left = fast_of(memory, hot, hot + 500);
	destroy(memory);
	return left;
}

/* Of pages that are not used, those leave first that never were: programs come back to others. */
static void test_used_once(void)
{
	CHECK(left_of(0) == 500 && left_of(500) == 500 && left_of(1100) == 500);
}

static u32 chance(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* A thousand samples of a thousand pages from @from on, with one in ten of any other page. */
static void sample_some(struct memory *memory, u32 from, u64 *state)
{
	u32 i;

	for (i = 0; i < 1000; i++) {
		u32 page = from + chance(state) % 1000;

		if (i % 10 == 0)
			page = chance(state) % 8000;
		sample(memory, page, page + 1, 1);
	}
}

/* How many pages that are hot were not in the fast tier, from the third look of a phase on. */
static u32 late_pages(u64 state)
{
	struct memory *memory = make(PAGES, 0);
	u32 i, late = 0;

	for (i = 0; i < 20; i++) {
		const u32 from = i < 8 ? 1100 : 2300;

		sample_some(memory, from, &state);
		look(memory);
		CHECK(memory->plan->cool == (i == 8));
		if (memory->plan->cool)
			cool(memory);
		obey(memory);
		late += i < 10 ? 0 : 1000 - fast_of(memory, from, from + 1000);
	}
	destroy(memory);
	return late;
}

/*
 * Pages that were hot before a phase change have as many counts as those that are hot now have soon
 * after it. They gain nothing more, but are not taken to be like these: so these come sooner.
 */
static void test_burst_earlier(void)
{
	u32 late = 0, i;

	for (i = 1; i <= 5; i++)
		late += late_pages(i);
	/* With all counts it would be 5148. */
	printf("# %u pages were late\n", late);
	CHECK(late < 4000);
}

/* Few samples miss many pages: those that came a moment ago stay. */
static void test_burst_unsure(void)
{
	struct memory *memory = make(PAGES, 0);
	u32 i;

	for (i = 0; i < 8; i++) {
		if (i < 5)
			sample(memory, 1100, 2100, 6);
		else
			sample(memory, 2300, 2450, 3);
		look(memory);
		CHECK(i != 6 || memory->plan->held[POLICY_HELD_ROOM] > 100);
		obey(memory);
		memory->seconds -= 0.75;
	}
	/* A few moves are forgotten: of pages that share a place in the table of moves. */
	CHECK(fast_of(memory, 1100, 2100) > 970);
	destroy(memory);
}

/* Nor does the look at which the change shows, however much hotter the new pages are. */
static void test_burst_unsure_at_first(void)
{
	struct memory *memory = make(PAGES, 0);
	u32 i;

	for (i = 0; i < 5; i++) {
		sample(memory, 1100, 2100, 6);
		look(memory);
		obey(memory);
		memory->seconds -= 0.75;
	}
	sample(memory, 2300, 2450, 20);
	CHECK(look(memory)->burst);
	obey(memory);
	CHECK(fast_of(memory, 1100, 2100) > 970);
	destroy(memory);
}

/* What the last look has promoted is fast when regions are listed after it. */
static void test_promoted_region(void)
{
	struct memory *memory = make(4000, 0);
	u32 i, before = 0;

	work(memory, 1024, 1536, 6, 8);
	for (i = 0; i < 8 && !before; i++) {
		sample(memory, 1024, 1536, 6);
		sample(memory, 2048, 2560, 1);
		look(memory);
		obey(memory);
		before = fast_of(memory, 2048, 2560);
	}
	CHECK(before > 400 && !memory->plan->burst);
	sample(memory, 1024, 1536, 1);
	sample(memory, 2048, 2560, 6);
	CHECK(!changed(memory));
	destroy(memory);
}

/* Regions that show a change begin a burst, though few of the look's samples are of it. */
static void test_burst_of_regions(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 1024, 1536, 6, 8);
	CHECK(!memory->plan->burst);
	sample(memory, 1024, 1536, 6);
	CHECK(!changed(memory));
	sample(memory, 2048, 2560, 1);
	CHECK(changed(memory));
	CHECK(look(memory)->fast_share > 0.8);
	CHECK(memory->plan->burst && memory->plan->cool && memory->plan->least == 1);
	/* Once. */
	sample(memory, 2048, 2560, 6);
	CHECK(!look(memory)->cool);
	destroy(memory);
}

/* A change in the middle of a burst is a new one, with all its samples. */
static void test_burst_again(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 1100, 1600, 6, 8);
	sample(memory, 2100, 2600, 6);
	CHECK(look(memory)->cool);
	obey(memory);
	sample(memory, 2100, 2600, 3);
	look(memory);
	obey(memory);
	sample(memory, 2100, 2900, 3);
	look(memory);
	obey(memory);
	CHECK(memory->plan->burst && !memory->plan->cool);
	sample(memory, 3100, 3600, 2);
	CHECK(look(memory)->cool && memory->plan->burst);
	destroy(memory);
}

/* Of what was counted before a cooling the pages have lost half: that is no change. */
static void test_burst_halved(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 1100, 1600, 6, 8);
	sample(memory, 1100, 1600, 6);
	cool(memory);
	sample(memory, 1100, 1600, 2);
	CHECK(look(memory)->fast_share < 0.7);
	CHECK(!memory->plan->burst);
	/* Most of it is gone: that is one all the same. */
	cool(memory);
	sample(memory, 2100, 2600, 8);
	CHECK(look(memory)->cool);
	destroy(memory);
}

/* Where nothing is won it ends as soon as that is known, and the next look is far. */
static void test_burst_in_vain(void)
{
	struct memory *memory = make(4000, 0);
	double first;

	sample(memory, 0, 2400, 1);
	CHECK(look(memory)->burst);
	first = wait_after(memory, 0.01);
	CHECK(first < 1.1);
	obey(memory);
	sample(memory, 0, 2400, 1);
	look(memory);
	CHECK(!memory->plan->burst && memory->plan->won < 0.01);
	CHECK(wait_after(memory, 0.01) > 3 * first);
	destroy(memory);
}

/* Does a burst go on if this part of the time can be won, and moves have raised a share of 0.2? */
static bool goes_on(double won, double share)
{
	struct memory *memory = make(4000, 0);
	const struct policy_look at = { .period = 499, .capacity = CAPACITY, .samples = 2400 };
	struct policy *policy = memory->policy;
	bool burst;

	sample(memory, 0, 2400, 1);
	CHECK(look(memory)->burst);
	policy->burst.looks = LEARNT_LOOKS + 1;
	policy->burst.first_share = 0.2;
	policy->burst.usual.share = share;
	policy->plan.won = won / GAP_S;
	pace_plan(policy, &at);
	burst = policy->plan.burst;
	destroy(memory);
	return burst;
}

/* Expected savings are mostly chance where moves have not paid yet: more of them is required. */
static void test_burst_not_paid(void)
{
	CHECK(!goes_on(0.0098, 0.2) && goes_on(0.0102, 0.2));
	CHECK(!goes_on(0.0098, 0.29) && goes_on(0.0098, 0.31));
	CHECK(!goes_on(0.0029, 0.31) && goes_on(0.0031, 0.31));
}

/* Looks of a burst, if there are samples of so many pages at each, and all is to be won. */
static u32 looks_of_burst(u32 pages, u32 times)
{
	struct memory *memory = make(4000, 0);
	u32 nr = 0;

	do {
		sample(memory, 2000, 2000 + pages, times);
		look(memory);
		CHECK(++nr < 40);
	} while (memory->plan->burst);
	destroy(memory);
	return nr;
}

/*
 * It lasts until there are six samples for each page of the fast tier, for two looks at least,
 * and for eight seconds at most.
 */
static void test_burst_samples(void)
{
	u32 few = looks_of_burst(300, 1), more = looks_of_burst(1250, 1);
	u32 many = looks_of_burst(1000, 8);

	printf("# %u looks, %u with more samples, %u with many\n", few, more, many);
	CHECK(few == 8 && more == 5 && many == 2);
}

/* So it does if the program does almost nothing any more. */
static void test_burst_idle(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	jump(memory);
	CHECK(memory->plan->burst);
	for (i = 1; i < 12; i++) {
		sample(memory, 2100, 2200, i % 2);
		CHECK(look(memory)->burst == (i < 8));
	}
	destroy(memory);
}

/* The next look is when there are twice as many samples, but some in any case. */
static void test_burst_wait(void)
{
	struct memory *memory = make(4000, 0);

	sample(memory, 2000, 2300, 1);
	look(memory);
	CHECK(fabs(wait_after(memory, 0.005) - 1) < 0.01);
	sample(memory, 2000, 2300, 2);
	look(memory);
	CHECK(memory->plan->burst);
	CHECK(fabs(wait_after(memory, 0.01) - 1.5) < 0.01);
	memory->policy->stake = 10;
	/* The cost of looks limits it both ways. */
	CHECK(fabs(wait_after(memory, 0.4) - 2) < 0.01);
	CHECK(fabs(wait_after(memory, 0.0002) - 0.1) < 0.01);
	destroy(memory);
}

/*
 * Bursts in 48 looks, each of which costs so many seconds, when the program goes to other pages
 * each @every looks.
 */
static u32 bursts(u32 every, double cost)
{
	struct memory *memory = make(4000, 0);
	u32 nr = 0, i;

	for (i = 0; i < 48; i++) {
		u32 from = 1100 + i / every % 5 * 500;

		sample(memory, from, from + 500, 6);
		nr += look(memory)->cool;
		policy_spent(memory->policy, cost);
		obey(memory);
	}
	destroy(memory);
	return nr;
}

/* Bursts become rare if they do not pay. */
static void test_burst_pause(void)
{
	/* Three thousand samples save 0.25 s. Of three looks, nothing moves before the second. */
	CHECK(bursts(12, 0) == 3 && bursts(12, 0.2) == 3 && bursts(12, 0.35) < 3);
	CHECK(bursts(3, 0) == 14 && bursts(3, 0.035) == 14 && bursts(3, 0.15) <= 6);
}

/* However seldom they have paid, there is another one after five minutes. */
static void test_burst_minutes(void)
{
	struct memory *memory = make(4000, 0);
	u32 nr = 0, i;

	for (i = 0; i < 48; i++) {
		u32 from = 1100 + i / 4 % 5 * 500;

		sample(memory, from, from + 500, 6);
		nr += look(memory)->cool;
		policy_spent(memory->policy, 1);
		obey(memory);
		memory->seconds += i % 4 == 3 ? 301 : 0;
	}
	CHECK(nr == 10 && memory->policy->burst.pause == 300);
	destroy(memory);
}

/* If more pages with samples than fit were listed, a burst asks for those with more. */
static void test_long_list(void)
{
	struct memory *memory = make(4000, 0), *few = make(4000, 0);

	sample(memory, 0, 2400, 1);
	CHECK(look(memory)->burst && memory->plan->least == 2);
	sample(few, 0, 1900, 1);
	CHECK(look(few)->burst && few->plan->least == 1);
	destroy(memory);
	destroy(few);
}

/* How many phase changes are seen if the slow tier gets this part of the samples for once? */
static bool seen_at(u32 slow)
{
	struct memory *memory = make(4000, 0);
	bool seen;
	u32 i;

	for (i = 0; i < 20; i++) {
		sample(memory, 0, CAPACITY, 4);
		look(memory);
	}
	sample(memory, 0, CAPACITY - slow, 4);
	sample(memory, 2000, 2000 + slow, 4);
	seen = look(memory)->cool;
	destroy(memory);
	return seen;
}

/* Programs alternate between pages: only a change of a large part of them is a phase change. */
static void test_drop(void)
{
	CHECK(!seen_at(CAPACITY * 3 / 10) && seen_at(CAPACITY * 4 / 10));
}

/* Samples of regions tell when the program goes to other pages, before the next look. */
static void test_changed(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	for (i = 0; i < 6; i++) {
		sample(memory, 0, CAPACITY, 4);
		sample(memory, 2000, 2900, i == 0);
		look(memory);
	}
	cool(memory);
	for (i = 0; i < 3; i++) {
		sample(memory, 0, CAPACITY, 4);
		CHECK(!changed(memory));
	}
	/* Half of the new samples are of the slow tier, though few of all since the look. */
	sample(memory, 0, CAPACITY, 1);
	sample(memory, 2048, 2900, 1);
	CHECK(changed(memory));
	/* Too few to tell. */
	sample(memory, 2048, 2247, 1);
	CHECK(!changed(memory));
	sample(memory, 2048, 2049, 1);
	CHECK(changed(memory));
	destroy(memory);
}

/*
 * Regions need not be listed where they cannot show a change: at first, and where the fast tier
 * serves little. What is served less than that is no phase change, as to a look.
 */
static void test_watches(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	CHECK(!policy_watches(memory->policy));
	for (i = 0; i < 6; i++) {
		sample(memory, 0, 100, 1);
		sample(memory, 2000, 3000, 1);
		look(memory);
		CHECK(!policy_watches(memory->policy));
	}
	sample(memory, 2000, 3000, 4);
	CHECK(!changed(memory));
	destroy(memory);
	memory = make(4000, 0);
	for (i = 0; i < 6; i++) {
		sample(memory, 0, CAPACITY, 1);
		sample(memory, 2000, 2900, i == 0);
		look(memory);
		CHECK(policy_watches(memory->policy) == (i > 1));
	}
	sample(memory, 2048, 2900, 4);
	CHECK(changed(memory));
	destroy(memory);
}

/* A program whose pages are all in the fast tier, and then another region, of this tier or not. */
static struct memory *make_new_region(u64 room, bool fast)
{
	struct memory *memory = make(2048, 0);
	u32 i;

	memory->capacity += room;
	for (i = 0; i < 6; i++) {
		sample(memory, 0, CAPACITY, 4);
		look(memory);
	}
	memory->pages = 2560;
	memory->capacity = CAPACITY + 512;
	for (i = 2048; i < 2560; i++)
		memory->fast[i] = fast;
	return memory;
}

/* In which tier new memory is only a look can tell, however often regions are listed before it. */
static void test_new_region(void)
{
	struct memory *memory = make_new_region(512, true);
	u32 i;

	for (i = 0; i < 3; i++) {
		sample(memory, 0, CAPACITY, 1);
		sample(memory, 2048, 2560, 4);
		CHECK(!changed(memory));
	}
	look(memory);
	CHECK(!memory->plan->cool);
	/* Now it is known. */
	sample(memory, 2048, 2560, 1);
	CHECK(!changed(memory));
	sample(memory, 1024, 2048, 1);
	CHECK(changed(memory));
	destroy(memory);
}

/* After some looks at the usual pages there is one more region: is it thought to be slow? */
static bool guesses_next(struct memory *memory, u32 from)
{
	u32 i;

	for (i = 0; i < 8; i++) {
		sample(memory, 0, CAPACITY, 4);
		look(memory);
	}
	memory->pages = from + HUGE;
	sample(memory, from, from + HUGE, 1);
	return changed(memory);
}

/* But if the fast tier was full, it is probably slow, and a look is worth its time; once. */
static void test_new_region_when_full(void)
{
	struct memory *memory = make_new_region(0, true);

	sample(memory, 2048, 2347, 1);
	CHECK(!changed(memory));
	sample(memory, 2048, 2049, 1);
	CHECK(changed(memory));
	look(memory);
	CHECK(!memory->plan->cool);
	/* It was wrong. What is new next time is not thought to be slow. */
	memory->capacity = CAPACITY;
	look(memory);
	memory->pages = 3072;
	sample(memory, 2560, 3072, 1);
	CHECK(!changed(memory));
	/* A look sees that it is. From then on it may be guessed again. */
	look(memory);
	CHECK(memory->plan->cool);
	CHECK(guesses_next(memory, 3072));
	destroy(memory);

	memory = make_new_region(0, false);
	sample(memory, 2048, 2560, 2);
	CHECK(changed(memory));
	look(memory);
	CHECK(memory->plan->cool);
	/* It was right, and the looks after that, which are due, do not make it wrong. */
	memory->capacity = CAPACITY;
	CHECK(guesses_next(memory, 2560));
	destroy(memory);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_burst),
		TAP_TEST(test_burst_lost),
		TAP_TEST(test_burst_reserve),
		TAP_TEST(test_burst_expects),
		TAP_TEST(test_burst_soon),
		TAP_TEST(test_burst_earlier),
		TAP_TEST(test_burst_unsure),
		TAP_TEST(test_burst_unsure_at_first),
		TAP_TEST(test_promoted_region),
		TAP_TEST(test_burst_of_regions),
		TAP_TEST(test_burst_again),
		TAP_TEST(test_burst_halved),
		TAP_TEST(test_burst_in_vain),
		TAP_TEST(test_burst_not_paid),
		TAP_TEST(test_burst_samples),
		TAP_TEST(test_burst_idle),
		TAP_TEST(test_burst_wait),
		TAP_TEST(test_burst_pause),
		TAP_TEST(test_burst_minutes),
		TAP_TEST(test_long_list),
		TAP_TEST(test_drop),
		TAP_TEST(test_changed),
		TAP_TEST(test_watches),
		TAP_TEST(test_new_region),
		TAP_TEST(test_new_region_when_full),
		TAP_TEST(test_turns),
		TAP_TEST(test_used_once),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
