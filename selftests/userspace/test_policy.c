// SPDX-License-Identifier: GPL-2.0
/*
 * The policy of `htmmctl tier`, with scripted samples: what each rule does, and that it does
 * not happen with the rule turned off.
 */
#include <math.h>
#include <stdlib.h>
#include "policy/policy.h"
#include "policy/predict.h"
#include "test.h"

#define PAGES		4096
#define HUGE		512U
/* The fast tier of most tests, and what is kept free of it (1/256). */
#define CAPACITY	1024U

/**
 * struct memory - a machine's pages and what they have
 * @policy: the policy
 * @samples: of each page
 * @fast: is it in the fast tier?
 * @pages: the last page that exists
 * @capacity: pages of the fast tier
 * @shift: size of the mappings
 * @total: samples counted
 * @coolings: how often counts were halved
 * @seconds: since the start
 * @slow_cut: slow pages with at most so many samples are not listed
 * @fast_cut: fast pages with more samples are not listed; 0: all are
 * @slow_list: for a look
 * @fast_list: for a look
 * @regions: for a look
 * @plan: of the last look
 */
struct memory {
	struct policy *policy;
	u32 samples[PAGES];
	bool fast[PAGES];
	u32 pages;
	u64 capacity;
	u32 shift;
	u64 total;
	u64 coolings[2];
	double seconds;
	u32 slow_cut;
	u32 fast_cut;
	struct htmm_page slow_list[PAGES];
	struct htmm_page fast_list[PAGES];
	struct htmm_page regions[PAGES / HUGE];
	const struct policy_plan *plan;
};

static const struct policy_config usual = { .gap_ns = 170, .copy_ns = 5000 };

static u32 bit(enum policy_rule rule)
{
	return 1U << rule;
}

/* The first pages are in the fast tier, which they fill. */
static struct memory *make_with(u32 pages, u32 off)
{
	struct memory *memory = calloc(1, sizeof(*memory));
	struct policy_config config = usual;
	u32 page;

	CHECK(memory);
	config.off = off;
	memory->policy = policy_new(&config);
	CHECK(memory->policy);
	memory->pages = pages;
	memory->capacity = CAPACITY;
	memory->shift = HTMM_PAGE_SHIFT;
	for (page = 0; page < CAPACITY; page++)
		memory->fast[page] = true;
	return memory;
}

/* Of a program that does not allocate: all of the fast tier is for its pages. */
static struct memory *make(u32 pages, u32 off)
{
	return make_with(pages, off | bit(POLICY_RESERVE));
}

static void destroy(struct memory *memory)
{
	policy_free(memory->policy);
	free(memory);
}

static void sample(struct memory *memory, u32 from, u32 to, u32 times)
{
	for (; from < to; from++) {
		memory->samples[from] += times;
		memory->total += times;
	}
}

static void cool(struct memory *memory)
{
	u32 page;

	for (page = 0; page < memory->pages; page++)
		memory->samples[page] /= 2;
	memory->coolings[1]++;
}

static int by_samples(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? -1 : 1;
	return x->addr < y->addr ? -1 : 1;
}

static int by_samples_down(const void *a, const void *b)
{
	return by_samples(b, a);
}

static u64 used(const struct memory *memory)
{
	u64 nr = 0;
	u32 page;

	for (page = 0; page < memory->pages; page++)
		nr += memory->fast[page];
	return nr;
}

static size_t list_regions(struct memory *memory)
{
	u32 page;

	for (page = 0; page < memory->pages; page++) {
		struct htmm_page *region = &memory->regions[page / HUGE];

		if (page % HUGE == 0)
			*region = (struct htmm_page) {
				.addr = 0x10000000 + ((u64)page << HTMM_PAGE_SHIFT), .pid = 77,
				.target = 1, .space = 3, .mapping_shift = HTMM_REGION_SHIFT,
			};
		region->samples += memory->samples[page];
	}
	return (memory->pages + HUGE - 1) / HUGE;
}

/* One second passes; what is known then. */
static struct policy_look list(struct memory *memory)
{
	struct policy_look at = {
		.slow = memory->slow_list, .fast = memory->fast_list,
		.regions = memory->regions, .nr_regions = list_regions(memory),
		.capacity = memory->capacity, .used = used(memory),
		.slow_samples = memory->total, .samples = memory->total,
		.coolings = memory->coolings, .nr_coolings = 2, .period = 499,
		.slow_cut = memory->slow_cut, .fast_cut = memory->fast_cut,
	};
	u32 page;

	for (page = 0; page < memory->pages; page++) {
		const struct htmm_page one = {
			.addr = 0x10000000 + ((u64)page << HTMM_PAGE_SHIFT), .pid = 77,
			.samples = memory->samples[page], .target = 1, .space = 3,
			.node = !memory->fast[page], .mapping_shift = memory->shift,
		};

		if (memory->fast[page] && memory->fast_cut && one.samples > memory->fast_cut)
			continue;
		if (memory->fast[page])
			memory->fast_list[at.nr_fast++] = one;
		else if (one.samples > memory->slow_cut)
			memory->slow_list[at.nr_slow++] = one;
	}
	qsort(memory->fast_list, at.nr_fast, sizeof(struct htmm_page), by_samples);
	qsort(memory->slow_list, at.nr_slow, sizeof(struct htmm_page), by_samples_down);
	memory->seconds += 1;
	at.seconds = memory->seconds;
	return at;
}

/* Is another look needed? */
static bool changed(struct memory *memory)
{
	struct policy_look at = list(memory);

	return policy_changed(memory->policy, &at);
}

static const struct policy_plan *look(struct memory *memory)
{
	struct policy_look at = list(memory);

	memory->plan = policy_look(memory->policy, &at);
	CHECK(memory->plan);
	return memory->plan;
}

/* Does what the last plan says. */
static void obey(struct memory *memory)
{
	size_t i;
	u32 n;

	for (i = 0; i < memory->plan->nr_moves; i++) {
		const struct policy_move *move = &memory->plan->moves[i];
		u32 page = (move->addr - 0x10000000) >> HTMM_PAGE_SHIFT;

		CHECK(move->pid == 77 && move->space == 3 && move->target == 1);
		CHECK(move->promote == (i >= memory->plan->nr_demotions));
		for (n = 0; n < move->pages; n++) {
			CHECK(memory->fast[page + n] != move->promote);
			memory->fast[page + n] = move->promote;
		}
	}
	CHECK(used(memory) <= memory->capacity);
}

static u64 fast_of(const struct memory *memory, u32 from, u32 to)
{
	u64 nr = 0;

	for (; from < to; from++)
		nr += memory->fast[from];
	return nr;
}

/* Looks and moves, a few samples for pages @from to @to each time. */
static void work(struct memory *memory, u32 from, u32 to, u32 times, u32 looks)
{
	while (looks--) {
		sample(memory, from, to, times);
		look(memory);
		obey(memory);
	}
}

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
	sample(memory, 0, CAPACITY, 3);
	CHECK(look(memory)->nr_moves == 0);
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
static u64 promoted_at_cost(u32 off, double copy_ns)
{
	struct memory *memory = make(4000, off);
	u64 promoted;

	policy_copied(memory->policy, 1, copy_ns);
	policy_copied(memory->policy, 1, copy_ns);
	policy_copied(memory->policy, 1000000, 1000000 * copy_ns);
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
	struct memory *memory = make_at_rate(300);

	CHECK(look(memory)->budget == 300);
	CHECK(look(memory)->budget == 600);
	CHECK(look(memory)->budget == 600);
	destroy(memory);
}

static void jump(struct memory *memory)
{
	work(memory, 1100, 1600, 6, 8);
	CHECK(fast_of(memory, 1100, 1600) == 500);
	sample(memory, 2100, 2600, 6);
	look(memory);
}

/* When the program goes to other pages they come at once. */
static void test_burst(void)
{
	struct memory *memory = make(4000, 0), *without = make(4000, bit(POLICY_BURST));

	jump(memory);
	CHECK(memory->plan->burst && memory->plan->cool);
	CHECK(memory->plan->promoted_pages == 500);
	obey(memory);
	sample(memory, 2100, 2600, 6);
	look(memory);
	CHECK(memory->plan->burst && !memory->plan->cool && !memory->plan->nr_moves);

	jump(without);
	CHECK(!without->plan->burst && !without->plan->cool);
	destroy(memory);
	destroy(without);
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
		obey(memory);
		memory->seconds -= 0.75;
	}
	CHECK(memory->plan->held[POLICY_HELD_ROOM] > 100);
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
	first = policy_wait(memory->policy, 0.01);
	CHECK(first < 1.1);
	obey(memory);
	sample(memory, 0, 2400, 1);
	look(memory);
	CHECK(!memory->plan->burst && memory->plan->won < 0.01);
	CHECK(policy_wait(memory->policy, 0.01) > 3 * first);
	destroy(memory);
}

/* A sample in a long time promises less than one in a short time. */
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
	CHECK(won > 400 && won < 550);
	destroy(memory);
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

/* The next look is when there are twice as many samples, but some in any case. */
static void test_burst_wait(void)
{
	struct memory *memory = make(4000, 0);

	sample(memory, 2000, 2300, 1);
	look(memory);
	CHECK(fabs(policy_wait(memory->policy, 0.1) - 1) < 0.01);
	sample(memory, 2000, 2300, 2);
	look(memory);
	CHECK(memory->plan->burst);
	CHECK(fabs(policy_wait(memory->policy, 0.1) - 1.5) < 0.01);
	/* The cost of looks limits it both ways. */
	CHECK(fabs(policy_wait(memory->policy, 0.4) - 2) < 0.01);
	CHECK(fabs(policy_wait(memory->policy, 0.0002) - 0.1) < 0.01);
	destroy(memory);
}

/* The more is won, the sooner is the next look; what it costs delays it, but less than twice. */
static void test_wait(void)
{
	struct memory *memory = make(4000, 0);
	double little, much;

	work(memory, 2000, 2300, 20, 6);
	sample(memory, 2000, 2300, 20);
	sample(memory, 3000, 3020, 9);
	look(memory);
	little = policy_wait(memory->policy, 0.01);
	obey(memory);
	sample(memory, 2000, 2300, 20);
	sample(memory, 3000, 3020, 9);
	sample(memory, 3100, 3180, 9);
	look(memory);
	much = policy_wait(memory->policy, 0.01);
	printf("# %.2f s, and %.2f s to win %.3f\n", little, much, memory->plan->won);
	CHECK(!memory->plan->burst && much < 0.6 * little);
	CHECK(policy_wait(memory->policy, 0.04) > 1.9 * much);
	CHECK(policy_wait(memory->policy, 0.04) < 2.1 * much);
	/* Lists of regions take a four-hundredth of the time. */
	CHECK(fabs(policy_glance_wait(0.01) - 4) < 0.000001);
	destroy(memory);
}

/* Bursts in 48 looks, when the program goes to other pages each @every looks. */
static u32 bursts(u32 every)
{
	struct memory *memory = make(4000, 0);
	u32 nr = 0, i;

	for (i = 0; i < 48; i++) {
		u32 from = 1100 + i / every % 5 * 500;

		sample(memory, from, from + 500, 6);
		nr += look(memory)->cool;
		obey(memory);
	}
	destroy(memory);
	return nr;
}

/* A burst does not pay if the program does not stay with its pages. */
static void test_burst_pause(void)
{
	u32 seldom = bursts(12), often = bursts(3);

	printf("# %u bursts for 3 changes, %u for 15\n", seldom, often);
	CHECK(seldom == 3);
	CHECK(often >= 2 && often <= 6);
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

/* What is not in the list of the fast tier is the best of it, and takes its room. */
static void test_fast_cut(void)
{
	struct memory *memory = make(4000, 0);
	u32 i;

	memory->fast_cut = 5;
	for (i = 0; i < 3; i++) {
		sample(memory, 100, CAPACITY, 20);
		sample(memory, 2000, 2120, 9);
		sample(memory, 2500, 2800, 1);
		look(memory);
	}
	CHECK(memory->plan->candidates == 420 && memory->plan->held[POLICY_HELD_ROOM] == 320);
	CHECK(memory->plan->promoted_pages == 100 && memory->plan->demoted_pages == 100);
	obey(memory);
	CHECK(fast_of(memory, 0, 100) == 0 && fast_of(memory, 2000, 2120) == 100);
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

/* A look at a few samples is not worth it, unless time passes. */
static void test_begins(void)
{
	struct memory *memory = make(4000, 0);

	CHECK(!policy_begins(memory->policy, 1999, 0.9));
	CHECK(policy_begins(memory->policy, 2000, 0));
	CHECK(policy_begins(memory->policy, 0, 1));
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
	CHECK(fabs(policy_wait(memory->policy, 0.1) - 1) < 0.01);
	destroy(memory);
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
	sample(memory, 2048, 2148, 1);
	CHECK(!changed(memory));
	sample(memory, 2048, 2448, 1);
	CHECK(changed(memory));
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

/* What pages with two recent samples will gain, after 2,000 with one have gained @gain each. */
static double value_after(u32 gain)
{
	struct unit one = { .samples = 1, .recent = 1, .pages = 1 };
	struct unit two = { .samples = 2, .recent = 2, .pages = 1 };
	struct predictor predictor = {};
	u32 i;

	one.class = predict_class(&one);
	two.class = predict_class(&two);
	CHECK(one.class != two.class);
	for (i = 0; i < 2000; i++)
		predict_learn(&predictor, &one, gain, 1);
	predict_values(&predictor, 1);
	return predictor.value[two.class];
}

/* Pages that are read one after the other: nobody had two samples, yet what to expect is known. */
static void test_persistence(void)
{
	CHECK(value_after(0) < 0.2);
	CHECK(value_after(1) > 1 && value_after(1) < 3);
	CHECK(value_after(5) > 1 && value_after(5) < 3.5);
}

/* A program's new pages: the kernel puts them where there is room. */
static void allocate(struct memory *memory, u32 pages)
{
	u64 room = memory->capacity > used(memory) ? memory->capacity - used(memory) : 0;
	u32 page;

	CHECK(memory->pages + pages <= PAGES);
	for (page = memory->pages; page < memory->pages + pages; page++)
		memory->fast[page] = page < memory->pages + room;
	memory->pages += pages;
}

/*
 * At each of @looks looks there are @pages new pages with @times samples, and @old samples of each
 * old page of the fast tier. Returns how many of the last new pages are in it.
 */
static u64 allocating(struct memory *memory, u32 looks, u32 pages, u32 times, u32 old)
{
	u32 last = memory->pages;

	while (looks--) {
		last = memory->pages;
		allocate(memory, pages);
		sample(memory, last, last + pages, times);
		sample(memory, 0, CAPACITY, old);
		look(memory);
		obey(memory);
	}
	return fast_of(memory, last, last + pages);
}

/* Room is made for new pages before they come, as much as they take. */
static void test_reserve(void)
{
	struct memory *memory = make_with(1100, 0), *without = make(1100, 0);
	u32 i;

	CHECK(allocating(memory, 5, 120, 6, 0) == 120);
	CHECK(allocating(memory, 9, 120, 6, 0) == 120);
	CHECK(memory->plan->reserve >= 180 && memory->plan->ahead_pages == 120);
	CHECK(used(memory) + memory->plan->reserve <= CAPACITY);
	CHECK(allocating(without, 14, 120, 6, 0) == 0 && !without->plan->reserve);
	/* When no more come, the room is for the others again. */
	for (i = 0; i < 12; i++) {
		work(memory, 1100, 2780, 3, 1);
		CHECK(used(memory) + memory->plan->reserve <= CAPACITY);
	}
	CHECK(memory->plan->reserve == CAPACITY / 256);
	CHECK(used(memory) == CAPACITY - CAPACITY / 256);
	destroy(memory);
	destroy(without);
}

/* No more than half of the fast tier is kept free, however much is allocated. */
static void test_reserve_most(void)
{
	struct memory *memory = make_with(1100, 0);

	allocating(memory, 4, 700, 6, 0);
	CHECK(memory->plan->reserve <= CAPACITY / 2);
	CHECK(used(memory) >= CAPACITY / 2);
	destroy(memory);
}

/* Pages that gain more than new ones stay, until new ones gain more. */
static void test_reserve_pays(void)
{
	struct memory *memory = make_with(1100, 0);

	allocating(memory, 8, 120, 1, 9);
	CHECK(fast_of(memory, 0, CAPACITY) > 1000 && memory->plan->ahead_pages < 20);
	CHECK(allocating(memory, 14, 120, 40, 9) == 120);
	destroy(memory);
	/* Without any samples of them, too. */
	memory = make_with(1100, 0);
	allocating(memory, 8, 120, 0, 9);
	CHECK(fast_of(memory, 0, CAPACITY) > 1000 && memory->plan->ahead_pages < 20);
	destroy(memory);
}

/* A huge page is too much for a small tier to keep free. */
static void test_reserve_huge(void)
{
	struct memory *memory = make_with(1536, 0);

	memory->shift = HTMM_REGION_SHIFT;
	sample(memory, 0, 1536, 3);
	look(memory);
	CHECK(!memory->plan->reserve && !memory->plan->nr_moves);
	destroy(memory);
}

/* What leaves is only planned, so a full tier with one new page a look has taken only this one. */
static void test_reserve_planned(void)
{
	struct memory *memory = make_with(2000, 0);
	u32 i;

	for (i = 0; i < 12; i++) {
		memory->fast[CAPACITY + i] = true;
		memory->capacity = used(memory);
		sample(memory, CAPACITY + i, CAPACITY + i + 1, 6);
		look(memory);
	}
	CHECK(memory->plan->reserve <= CAPACITY / 256);
	destroy(memory);
}

/* The next look is before the room is used up. */
static void test_reserve_wait(void)
{
	struct memory *memory = make_with(1100, 0);
	double wait;

	allocating(memory, 14, 120, 6, 0);
	wait = policy_wait(memory->policy, 0.01);
	printf("# %.2f s\n", wait);
	CHECK(!memory->plan->burst && wait > 0.7 && wait < 0.9);
	work(memory, 1100, 2780, 3, 12);
	CHECK(policy_wait(memory->policy, 0.01) > 2);
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
		TAP_TEST(test_hysteresis),
		TAP_TEST(test_margin),
		TAP_TEST(test_profit),
		TAP_TEST(test_rate),
		TAP_TEST(test_saved),
		TAP_TEST(test_burst),
		TAP_TEST(test_burst_soon),
		TAP_TEST(test_burst_unsure),
		TAP_TEST(test_burst_unsure_at_first),
		TAP_TEST(test_burst_of_regions),
		TAP_TEST(test_burst_again),
		TAP_TEST(test_burst_halved),
		TAP_TEST(test_longer),
		TAP_TEST(test_burst_in_vain),
		TAP_TEST(test_burst_samples),
		TAP_TEST(test_burst_wait),
		TAP_TEST(test_wait),
		TAP_TEST(test_burst_pause),
		TAP_TEST(test_huge),
		TAP_TEST(test_refused),
		TAP_TEST(test_pingpong),
		TAP_TEST(test_slow_cut),
		TAP_TEST(test_fast_cut),
		TAP_TEST(test_least),
		TAP_TEST(test_much),
		TAP_TEST(test_long_list),
		TAP_TEST(test_begins),
		TAP_TEST(test_late),
		TAP_TEST(test_drop),
		TAP_TEST(test_changed),
		TAP_TEST(test_thin),
		TAP_TEST(test_learn),
		TAP_TEST(test_pays),
		TAP_TEST(test_persistence),
		TAP_TEST(test_reserve),
		TAP_TEST(test_reserve_most),
		TAP_TEST(test_reserve_pays),
		TAP_TEST(test_reserve_huge),
		TAP_TEST(test_reserve_planned),
		TAP_TEST(test_reserve_wait),
		TAP_TEST(test_nothing),
		TAP_TEST(test_names),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
