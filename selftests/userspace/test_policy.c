// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages `htmmctl tier` moves: what each rule of the policy does, and that it does not happen
 * with the rule turned off.
 */
#include <math.h>
#include "policy/predict.h"
#include "policy/rules.h"
#include "policy_memory.h"

/* The hot pages come, in place of pages without samples, and then nothing moves any more. */
static void test_hot_pages_come(void)
{
	struct memory *memory = make(4000, 0);

	work(memory, 2000, 2500, 4, 4);
	CHECK(fast_of(memory, 2000, 2500) == 500);
	CHECK(used(memory) == CAPACITY);
	CHECK(memory->plan->nr_moves == 0);
	CHECK(memory->plan->fast_share == 1);
	destroy(memory);
}

/* Of more hot pages than fit, those with the most. */
static u64 best_in(u32 off)
{
	struct memory *memory = make(4000, off);
	u64 best;
	u32 i;

	for (i = 0; i < 6; i++) {
		sample(memory, 1000, 2000, 9);
		sample(memory, 2000, 4000, 2);
		look(memory);
		obey(memory);
	}
	best = fast_of(memory, 1000, 2000);
	destroy(memory);
	return best;
}

static void test_best_pages_come(void)
{
	CHECK(best_in(0) == 1000);
}

/* What would leave the fast tier gains more than some of the slow tier. */
static void test_candidates(void)
{
	struct memory *memory = make(4000, 0);

	sample(memory, 0, CAPACITY, 4);
	sample(memory, 1100, 1200, 9);
	sample(memory, 1200, 1500, 1);
	CHECK(look(memory)->candidates == 100);
	/* Four to seven samples are one class. */
	CHECK(memory->plan->threshold >= 4 && memory->plan->threshold < 8);
	destroy(memory);
}

/* Pages that are sampled once in a while, each another one: counts are chance. */
static u64 moves_by_chance(u32 off)
{
	struct memory *memory = make(4000, off);
	u64 moves = 0;
	u32 i, n;

	for (i = 0; i < 24; i++) {
		for (n = 0; n < 1500; n++) {
			u32 page = tap_below(4000);

			sample(memory, page, page + 1, 1);
		}
		look(memory);
		obey(memory);
		if (i % 4 == 3)
			cool(memory);
		if (i >= 4)
			moves += memory->plan->promoted_pages;
	}
	destroy(memory);
	return moves;
}

/* Pages are read in order, each at one time and never again. */
static u64 moves_of_stream(u32 off)
{
	struct memory *memory = make(4000, off);
	u64 moves = 0;
	u32 i;

	for (i = 0; i < 40; i++) {
		u32 from = i * 75 + 1000;

		sample(memory, from, from + 75, 6);
		look(memory);
		obey(memory);
		if (i % 5 == 4)
			cool(memory);
		moves += memory->plan->promoted_pages;
	}
	destroy(memory);
	return moves;
}

static void test_predict(void)
{
	u64 with = moves_by_chance(bit(POLICY_BURST));
	u64 without = moves_by_chance(bit(POLICY_BURST) | bit(POLICY_PREDICT));

	printf("# by chance: %llu moves, %llu without the rule\n", with, without);
	CHECK(with < 400 && without > 1200);
	with = moves_of_stream(0);
	without = moves_of_stream(bit(POLICY_PREDICT));
	printf("# of a stream: %llu moves, %llu without the rule\n", with, without);
	CHECK(with < 500 && without > 1000);
}

/* Where more is in use than may be, the coldest pages leave, as many as are too many. */
static void test_limit(void)
{
	struct memory *memory = make(4000, 0);

	memset(memory->fast, true, CAPACITY + 7);
	sample(memory, 0, 100, 3);
	sample(memory, 107, CAPACITY + 7, 3);
	look(memory);
	CHECK(memory->plan->nr_moves == 7 && memory->plan->forced_pages == 7);
	CHECK(memory->plan->moves[0].addr == 0x10000000 + (100ULL << HTMM_PAGE_SHIFT));
	obey(memory);
	CHECK(used(memory) == CAPACITY && fast_of(memory, 100, 107) == 0);
	sample(memory, 0, 100, 3);
	sample(memory, 107, CAPACITY + 7, 3);
	CHECK(look(memory)->nr_moves == 0);
	destroy(memory);
}

/*
 * How many of seven pages that had to leave come back after so many seconds, with so many samples
 * each, when the program has gone to other pages in between, or has not.
 */
static u64 back_after(double seconds, bool changed, u32 samples, double copy_ns)
{
	struct memory *memory = make(4000, 0);
	u64 back;

	memset(memory->fast, true, CAPACITY + 7);
	sample(memory, 0, 100, 3);
	sample(memory, 107, CAPACITY + 7, 3);
	look(memory);
	obey(memory);
	CHECK(fast_of(memory, 100, 107) == 0);
	if (changed)
		memory->policy->burst.since = memory->seconds + 0.1;
	memory->seconds += seconds - 1;
	memory->policy->copy_ns = copy_ns;
	sample(memory, 0, CAPACITY, samples);
	look(memory);
	back = memory->plan->promoted_pages;
	CHECK(back + memory->plan->held[POLICY_HELD_NEW] == 7);
	CHECK(memory->plan->nr_demotions == back);
	destroy(memory);
	return back;
}

/* What has left comes back for a new phase, if that pays in as long as it was away. */
static void test_back(void)
{
	const struct policy_look at = { .period = 499 };
	struct memory *memory = make(4000, 0);
	struct unit unit = {
		.addr = 0x10000000, .pid = 77, .space = 3, .target = TARGET, .pages = 1,
		.samples = 9, .recent = 9, .gain = 3, .before = true,
	};

	/* Three samples stand for 255 us, and half of that is won in any case. */
	CHECK(back_after(1, true, 3, 50000) == 7 && back_after(1, true, 3, 80000) == 0);
	/* Twice the samples in a second, but in half of one. */
	CHECK(back_after(0.5, true, 3, 50000) == 7 && back_after(0.5, true, 3, 80000) == 0);
	CHECK(back_after(1, true, 2, 10000) == 0 && back_after(1, false, 3, 50000) == 0);
	CHECK(back_after(2.6, false, 2, 80000) == 7);

	/* Also within a burst; not if it was hot only until the last look. */
	memory->capacity = CAPACITY - 1;
	sample(memory, 1, CAPACITY, 1);
	CHECK(look(memory)->burst && memory->plan->nr_moves == 1);
	memory->policy->burst.since = memory->seconds + 0.1;
	memory->policy->seconds += 0.2;
	unit.class = predict_class(&unit);
	CHECK(rule_hysteresis(memory->policy, &at, &unit));
	unit.gain = 0;
	CHECK(!rule_hysteresis(memory->policy, &at, &unit));
	destroy(memory);
}

/* A page that was sampled once does not come, but when it is sampled again. */
static void test_hysteresis(void)
{
	struct memory *memory = make(4000, 0), *without = make(4000, bit(POLICY_HYSTERESIS));

	sample(memory, 0, 500, 3);
	look(memory);
	sample(memory, 0, 500, 3);
	sample(memory, 2000, 2100, 1);
	/* Others demote some: they were not in this tier at the look before. */
	memset(memory->fast + 600, false, 10 * sizeof(*memory->fast));
	sample(memory, 600, 610, 1);
	look(memory);
	CHECK(memory->plan->promoted_pages == 0);
	CHECK(memory->plan->held[POLICY_HELD_NEW] == 110);
	sample(memory, 0, 500, 3);
	sample(memory, 2000, 2100, 1);
	sample(memory, 600, 610, 1);
	CHECK(look(memory)->promoted_pages == 110);

	sample(without, 0, 500, 3);
	look(without);
	sample(without, 0, 500, 3);
	sample(without, 2000, 2100, 1);
	CHECK(look(without)->promoted_pages == 100);
	destroy(memory);
	destroy(without);
}

/* The fast tier has pages that are nearly as good: not worth it. */
static u64 promoted_against(u32 off, u32 fast_gain, u32 slow_gain)
{
	struct memory *memory = make(1100, off);
	u64 promoted = 0;
	u32 i;

	for (i = 0; i < 5; i++) {
		sample(memory, 0, CAPACITY, fast_gain);
		sample(memory, 1050, 1090, slow_gain);
		promoted += look(memory)->promoted_pages;
		obey(memory);
	}
	destroy(memory);
	return promoted;
}

static void test_margin(void)
{
	CHECK(promoted_against(0, 4, 6) == 0 && promoted_against(0, 4, 7) == 0);
	CHECK(promoted_against(0, 4, 10) == 40);
	CHECK(promoted_against(bit(POLICY_MARGIN), 4, 6) >= 40);
}

/* Copies that take longer than what is won with them. */
static struct memory *make_at_cost(u32 off, double copy_ns)
{
	/* As if so many pages had been moved, for nothing. */
	struct memory *memory = make(4000, off | bit(POLICY_BALANCE));

	policy_copied(memory->policy, 1, copy_ns);
	policy_copied(memory->policy, 1, copy_ns);
	policy_copied(memory->policy, 1000000, 1000000 * copy_ns);
	return memory;
}

static u64 promoted_at_cost(u32 off, double copy_ns)
{
	struct memory *memory = make_at_cost(off, copy_ns);
	u64 promoted;

	work(memory, 2000, 2100, 2, 4);
	promoted = fast_of(memory, 2000, 2100);
	destroy(memory);
	return promoted;
}

static void test_profit(void)
{
	/* 2 samples a second x 8 s x 499 x 170 ns: 1.4 ms. */
	CHECK(promoted_at_cost(0, 100000) == 100);
	CHECK(promoted_at_cost(0, 5e6) == 0);
	CHECK(promoted_at_cost(bit(POLICY_PROFIT), 5e6) == 100);
}

/* Copies that take long pay where the same pages were hot for long; not soon after a change. */
static void test_lasting(void)
{
	struct memory *memory = make_at_cost(0, 5e6);
	u32 looks;

	work(memory, 2000, 2100, 2, 12);
	CHECK(!fast_of(memory, 2000, 2100));
	for (looks = 12; !fast_of(memory, 2000, 2100) && looks < 100; looks++)
		work(memory, 2000, 2100, 2, 1);
	printf("# promoted after %u s\n", looks);
	CHECK(looks > 16 && looks < 60 && fast_of(memory, 2000, 2100) == 100);
	work(memory, 2000, 2100, 3, 10);
	work(memory, 3000, 3100, 3, 1);
	CHECK(memory->plan->burst && memory->policy->burst.began > looks);
	work(memory, 3000, 3100, 2, 10);
	CHECK(!fast_of(memory, 3000, 3100));
	work(memory, 3000, 3100, 2, 50);
	CHECK(fast_of(memory, 3000, 3100) == 100);
	destroy(memory);
}

/*
 * Promotes pages that pay for themselves at once, and that keep gaining, or stop. Then others,
 * which gain a 64th of that. Returns how many of the latter are promoted. After two measurements
 * with their weights, a copy is taken for 0.44 of @copy_ns.
 */
static u64 promoted_after(bool kept, double copy_ns)
{
	struct memory *memory = make(4000, bit(POLICY_PREDICT) | bit(POLICY_BURST) |
					   bit(POLICY_BALANCE));
	u64 promoted;
	u32 i;

	policy_copied(memory->policy, 1000000, 1000000 * copy_ns);
	policy_copied(memory->policy, 1000000, 1000000 * copy_ns);
	work(memory, 1500, 1600, 256, 2);
	CHECK(fast_of(memory, 1500, 1600) == 100);
	for (i = 0; i < 2; i++) {
		if (kept)
			sample(memory, 1500, 1600, 256);
		sample(memory, 2000, 2100, 4);
		look(memory);
		obey(memory);
	}
	promoted = fast_of(memory, 2000, 2100);
	destroy(memory);
	return promoted;
}

/* How much a move must promise depends on what earlier moves have kept. */
static void test_trust(void)
{
	CHECK(promoted_after(true, 400000) == 100);
	CHECK(promoted_after(false, 400000) == 0);
	/* However little they have kept. */
	CHECK(promoted_after(false, 50000) == 100);
}

/* Hot pages gain @first before the first look; then all pages gain a sample, and these @then. */
static double trust_after(u32 first, u32 then)
{
	struct memory *memory = make(4000, bit(POLICY_BALANCE));
	double trust;

	work(memory, 1500, 1600, first, 1);
	CHECK(fast_of(memory, 1500, 1600) == 100);
	sample(memory, 0, 4000, 1);
	sample(memory, 1500, 1600, then - 1);
	look(memory);
	trust = rule_trust(memory->policy);
	printf("# %u samples, then %u: %.3f\n", first, then, trust);
	destroy(memory);
	return trust;
}

/* The first samples of the hottest pages are partly chance, and not expected to come again. */
static void test_trust_at_first(void)
{
	CHECK(trust_after(40, 40) == 1 && trust_after(40, 8) == 1);
	/* All pages of the regions count for the mean: 4,096. */
	CHECK(near(trust_after(40, 1), 200 / (100 + 600 * 4000 / 4096.0), 0.001));
	CHECK(near(trust_after(3, 1), 200 / (100 + 300.0), 0.05));
}

/* In a burst, what has gained nothing may leave the fast tier; not what is not known. */
static void test_unknown_stays(void)
{
	struct memory *memory = make(4000, 0);
	const struct policy_look at = { .period = 499 };
	const struct unit unit = { .fast = true };

	sample(memory, 0, 2000, 1);
	CHECK(look(memory)->burst && rule_hysteresis(memory->policy, &at, &unit));
	memory->policy->widened = true;
	CHECK(!rule_hysteresis(memory->policy, &at, &unit));
	destroy(memory);
}

/* So much less than two copies take is won in @seconds that it does not pay, or more. */
static void check_soon(const struct memory *memory, double seconds)
{
	const struct policy_look at = { .period = 499 };
	const double least = 2 * usual.copy_ns / (499 * usual.gap_ns) / seconds;

	CHECK(!rule_soon(memory->policy, &at, 0.99 * least, 2));
	CHECK(rule_soon(memory->policy, &at, 1.01 * least, 2));
}

/* In a burst, what pays only after its next looks may wait for them. */
static void test_soon(void)
{
	static const struct policy_look at = { .period = 499 };
	static const double times[] = { 1, 0.5, 0.25, 0.0625 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		struct memory *memory = make(4000, 0);

		memory->seconds = times[i] - 1;
		sample(memory, 0, 2000, 1);
		CHECK(look(memory)->burst);
		check_soon(memory, fmax(8 * times[i], 1));
		memory->policy->focused = true;
		CHECK(rule_soon(memory->policy, &at, 0, 2));
		memory->policy->focused = false;
		sample(memory, 0, 2000, 10);
		CHECK(!look(memory)->burst && rule_soon(memory->policy, &at, 0, 2));
		destroy(memory);
	}
}

static void check_kept(const struct memory *memory, u64 pages, u32 gain)
{
	const struct policy *policy = memory->policy;

	CHECK(policy->gained == (double)pages * gain);
	CHECK(pages ? policy->expected > 0 : policy->expected == 0);
}

/* Only what promoted pages gain tells what moves have kept, and not for long. */
static void test_kept(void)
{
	struct memory *memory = make(4000, bit(POLICY_PREDICT) | bit(POLICY_BURST));
	u32 i;

	/* Pages that have to leave go on gaining. */
	memory->capacity -= 300;
	for (i = 0; i < 3; i++) {
		sample(memory, 0, CAPACITY, 3);
		CHECK(look(memory)->forced_pages == (i ? 0 : 300));
		check_kept(memory, 0, 0);
		obey(memory);
	}
	/* Planned twice, and done once. */
	sample(memory, 1500, 1600, 64);
	look(memory);
	for (i = 0; i < 2; i++) {
		sample(memory, 1500, 1600, 64);
		CHECK(look(memory)->promoted_pages == 100);
		check_kept(memory, 0, 0);
	}
	obey(memory);
	sample(memory, 1500, 1600, 7);
	look(memory);
	check_kept(memory, 100, 7);
	for (i = 0; i < 10; i++)
		look(memory);
	CHECK(memory->policy->gained < 1 && memory->policy->expected < 10);
	destroy(memory);
}

static struct memory *make_at_rate(u64 rate)
{
	struct policy_config config = usual;
	struct memory *memory = make(4000, 0);

	config.rate_pages = rate;
	config.off = bit(POLICY_RESERVE);
	policy_free(memory->policy);
	memory->policy = policy_new(&config);
	CHECK(memory->policy);
	return memory;
}

static u64 moves_at_rate(u64 rate)
{
	struct memory *memory = make_at_rate(rate);
	u64 moves = 0;
	u32 i;

	for (i = 0; i < 2; i++) {
		sample(memory, 2000, 2900, 5);
		look(memory);
		obey(memory);
		CHECK(memory->plan->promoted_pages + memory->plan->demoted_pages <=
		      memory->plan->budget);
		moves += memory->plan->promoted_pages + memory->plan->demoted_pages;
	}
	destroy(memory);
	return moves;
}

static void test_rate(void)
{
	/* Two seconds' worth, and promotions come in pairs with demotions. */
	CHECK(moves_at_rate(300) == 600);
	CHECK(moves_at_rate(0) == 1800);
}

/* Moves that were not made may be made later, but only those of the last two looks. */
static void test_saved(void)
{
	struct memory *memory = make_at_rate(600);

	CHECK(look(memory)->budget == 600);
	CHECK(look(memory)->budget == 1200);
	CHECK(look(memory)->budget == 1200);
	destroy(memory);
}

/* However low the rate, a hot huge page takes the place of a cold one in the end. */
static void test_huge_at_rate(void)
{
	struct memory *memory = make_at_rate(100);
	u32 i;

	memory->shift = HTMM_REGION_SHIFT;
	for (i = 0; i < 12; i++) {
		sample(memory, 0, HUGE, 5);
		sample(memory, 3 * HUGE, 4 * HUGE, 5);
		look(memory);
		CHECK(memory->plan->budget <= 2 * HUGE);
		CHECK(i > 8 || !memory->plan->nr_moves);
		obey(memory);
	}
	CHECK(fast_of(memory, 3 * HUGE, 4 * HUGE) == HUGE);
	CHECK(!fast_of(memory, HUGE, 2 * HUGE) && fast_of(memory, 0, HUGE) == HUGE);
	destroy(memory);
}

/* A sample in a long time promises less than one in a short time, unless all are alike. */
static void test_longer(void)
{
	struct memory *memory = make(4000, bit(POLICY_MARGIN) | bit(POLICY_PROFIT));
	double won;

	sample(memory, 1100, 1600, 1);
	look(memory);
	/* One of two gets another sample in a second, but the next ones have waited for longer. */
	sample(memory, 1100, 1350, 1);
	sample(memory, 1600, 2600, 1);
	won = look(memory)->won / (499 * 170 / 1e9);
	printf("# %f samples a second are won\n", won);
	/* 649 if they were, and 455 if each went on as it was. */
	CHECK(won > 615 && won < 635);
	destroy(memory);
}

/* Two huge pages, one used all over and one in a few places, as often. */
static void run_huge(struct memory *memory)
{
	u32 i, page;

	memory->shift = HTMM_REGION_SHIFT;
	memory->capacity = 2 * HUGE + HUGE / 2;
	for (page = 0; page < PAGES; page++)
		memory->fast[page] = page < 2 * HUGE;
	for (i = 0; i < 5; i++) {
		for (page = 0; page < 400; page++) {
			u32 at = 3 * HUGE + tap_below(HUGE), other = 5 * HUGE + page % 20;

			sample(memory, at, at + 1, 1);
			sample(memory, other, other + 1, 1);
		}
		look(memory);
		obey(memory);
	}
}

static void test_huge(void)
{
	struct memory *memory = make(PAGES, 0), *without = make(PAGES, bit(POLICY_HUGE));

	run_huge(memory);
	CHECK(fast_of(memory, 3 * HUGE, 4 * HUGE) == HUGE);
	CHECK(fast_of(memory, 5 * HUGE, 6 * HUGE) == 0);
	CHECK(memory->plan->held[POLICY_HELD_HUGE] == HUGE);
	run_huge(without);
	CHECK(fast_of(without, 5 * HUGE, 6 * HUGE) == HUGE);
	destroy(memory);
	destroy(without);
}

/* A page that could not be moved is not tried at the next looks, but later. */
static void test_refused(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	sample(memory, 2000, 2001, 50);
	look(memory);
	sample(memory, 2000, 2001, 50);
	look(memory);
	CHECK(memory->plan->promoted_pages == 1);
	policy_refused(memory->policy, &memory->plan->moves[memory->plan->nr_moves - 1]);
	sample(memory, 2000, 2001, 50);
	look(memory);
	CHECK(!memory->plan->promoted_pages);
	CHECK(memory->plan->held[POLICY_HELD_STUCK] == 1);
	for (i = 0; i < 12 && !memory->plan->promoted_pages; i++) {
		sample(memory, 2000, 2001, 50);
		look(memory);
	}
	CHECK(memory->plan->promoted_pages == 1);
	destroy(memory);
}

/* What was demoted a moment ago does not come back for a sample or two. */
static void test_pingpong(void)
{
	struct memory *memory = make(4000, 0);
	u64 moved = 0, back = 0;
	u32 i, n;

	for (i = 0; i < 40; i++) {
		sample(memory, 1100, 1900, 3);
		for (n = 0; n < 400; n++) {
			u32 page = tap_below(1000);

			sample(memory, page, page + 1, 1);
		}
		look(memory);
		obey(memory);
		if (i % 4 == 3)
			cool(memory);
		moved += memory->plan->promoted_pages + memory->plan->demoted_pages;
		back += memory->plan->pingpong_pages;
	}
	printf("# %llu moves, %llu of them back\n", moved, back);
	CHECK(moved >= 1600 && back * 20 < moved);
	CHECK(fast_of(memory, 1100, 1900) == 800);
	destroy(memory);
}

/* Nothing, no samples, no fast tier: no moves, no trouble. */
static void test_nothing(void)
{
	struct memory *memory = make(0, 0);

	memory->capacity = 0;
	CHECK(look(memory)->nr_moves == 0);
	CHECK(look(memory)->fast_share < 0);
	memory->pages = 2000;
	sample(memory, 1100, 1900, 3);
	look(memory);
	sample(memory, 1100, 1900, 3);
	CHECK(look(memory)->promoted_pages == 0);
	destroy(memory);
}

/* Each rule, and each reason not to promote, has a name. */
static void test_names(void)
{
	unsigned int i;

	for (i = 0; i < POLICY_NR_RULES; i++)
		CHECK(policy_rule_names[i] && *policy_rule_names[i]);
	for (i = 0; i < POLICY_NR_HELD; i++)
		CHECK(policy_held_name(i) && *policy_held_name(i));
	CHECK(!policy_held_name(POLICY_NR_HELD));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_hot_pages_come),
		TAP_TEST(test_best_pages_come),
		TAP_TEST(test_candidates),
		TAP_TEST(test_predict),
		TAP_TEST(test_limit),
		TAP_TEST(test_back),
		TAP_TEST(test_hysteresis),
		TAP_TEST(test_margin),
		TAP_TEST(test_profit),
		TAP_TEST(test_lasting),
		TAP_TEST(test_trust),
		TAP_TEST(test_trust_at_first),
		TAP_TEST(test_unknown_stays),
		TAP_TEST(test_soon),
		TAP_TEST(test_kept),
		TAP_TEST(test_rate),
		TAP_TEST(test_saved),
		TAP_TEST(test_huge_at_rate),
		TAP_TEST(test_longer),
		TAP_TEST(test_huge),
		TAP_TEST(test_refused),
		TAP_TEST(test_pingpong),
		TAP_TEST(test_nothing),
		TAP_TEST(test_names),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
