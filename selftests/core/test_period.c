// SPDX-License-Identifier: GPL-2.0
/* Period control with simulated loads. */
#include "period.h"
#include "tap.h"

#define WINDOW	1000000000ULL	/* nanoseconds between two looks */
#define SAMPLE	2500		/* nanoseconds that a sample costs */
#define BUDGET	(WINDOW / 100)
/* Percent of the budget between which nothing is changed; not the header's own numbers. */
#define LOW	75
#define HIGH	105

static const struct htmm_period_range wide = { .min = 199, .max = 10000019 };

/* The cost of a window with @events events, sampled every @period. */
static u64 cost_of(u64 events, u64 period)
{
	return events / period * SAMPLE;
}

/* The whole state of a controller. */
struct control {
	u64 period;
	struct htmm_period_prev prev;
};

static struct control begin(u64 period)
{
	return (struct control) { .period = period };
}

static void look(struct control *c, u64 cost, u64 budget)
{
	c->period = htmm_period_next(&c->prev, c->period, &wide, cost, budget);
}

/* Makes @n steps at a steady load; returns the result. */
static struct control settle(struct control c, u64 events, u64 budget, int n)
{
	while (n--)
		look(&c, cost_of(events, c.period), budget);
	return c;
}

static bool met(struct control c, u64 events)
{
	u64 cost = cost_of(events, c.period);

	return cost * 100 <= BUDGET * HIGH &&
	       cost * 100 >= BUDGET * LOW;
}

static bool prime(u64 n)
{
	u64 d;

	for (d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n > 1;
}

static void primes(void)
{
	u64 n, last = 2;

	CHECK(htmm_prime_at_least(0) == 2);
	for (n = 0; n < 20000; n++) {
		u64 next = htmm_prime_at_least(n);

		CHECK(next >= n && prime(next));
		/* No prime was skipped. */
		CHECK(next == last || last < n);
		last = next;
	}
	CHECK(htmm_prime_at_least(HTMM_PRIME_MAX + 2) == HTMM_PRIME_MAX + 2);
}

static void load_ten_times_as_high_is_met_within_5(void)
{
	u64 events;

	for (events = 20000000; events < 1000000000; events = events * 5 / 4) {
		struct control c = settle(begin(wide.min), events, BUDGET, 40);

		CHECK(met(c, events));
		CHECK(met(settle(c, events * 10, BUDGET, 5), events * 10));
		/* Raised at once: one step is enough to stay within the budget. */
		c = settle(c, events * 10, BUDGET, 1);
		CHECK(cost_of(events * 10, c.period) <= BUDGET);
	}
}

static void load_ten_times_as_low_is_met_within_5(void)
{
	u64 events;

	for (events = 200000000; events < 10000000000; events = events * 5 / 4) {
		struct control c = settle(begin(wide.min), events, BUDGET, 40);

		CHECK(met(settle(c, events / 10, BUDGET, 5), events / 10));
		/* Lowered slowly. */
		CHECK(settle(c, events / 10, BUDGET, 2).period >= c.period / 2);
	}
}

static void steady_load_does_not_oscillate(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		u64 events = 1000000 + tap_random() % 10000000000;
		struct control c = settle(begin(wide.min + tap_below(100000)),
					  events, BUDGET, 30);

		CHECK(settle(c, events, BUDGET, 1).period == c.period);
		CHECK(settle(c, events, BUDGET, 10).period == c.period);
	}
}

static void noise_within_the_band_moves_nothing(void)
{
	u64 events = 500000000;
	struct control c = settle(begin(wide.min), events, BUDGET, 30);
	u64 period = c.period;
	int i;

	for (i = 0; i < 1000; i++) {
		c = settle(c, events / 100 * (90 + tap_below(21)), BUDGET, 1);
		CHECK(c.period == period);
	}
}

#define WRONG_LOOKS	10000

/**
 * struct outcome - results with a wrongly measured cost
 * @over: steps after which the true cost was above 120 % of the budget
 * @spent: the total true cost, in percent of the budget
 */
struct outcome {
	int over;
	u64 spent;
};

/* The load is steady, and each step measures @percent() of its true cost. */
static struct outcome mislead(u64 (*percent)(void), bool forget)
{
	const u64 events = 500000000;
	struct control c = settle(begin(wide.min), events, BUDGET, 30);
	struct outcome out = { };
	u64 cost;
	int i;

	for (i = 0; i < WRONG_LOOKS; i++) {
		cost = cost_of(events, c.period);
		look(&c, cost / 100 * percent(), BUDGET);
		if (forget)
			c = begin(c.period);
		cost = cost_of(events, c.period);
		out.over += cost * 100 > BUDGET * 120;
		out.spent += cost;
	}
	out.spent /= BUDGET / 100 * WRONG_LOOKS;
	return out;
}

/* Between 60 and 160 %, low values as likely as high ones. */
static u64 uneven(void)
{
	u64 more = 100 + tap_below(61);

	return tap_below(2) ? more : 10000 / more;
}

/* As if the CPU was taken away in the middle of a handler. */
static u64 spiked(void)
{
	return tap_below(10) ? 100 : 2000;
}

/* As if only a small part of a window was measured. */
static u64 dipped(void)
{
	return tap_below(10) ? 100 : 20;
}

/* Past measurements reduce errors: without them, wrong ones do at least twice the harm. */
static void wrong_looks_seldom_exceed_the_budget(void)
{
	static const struct {
		const char *name;
		u64 (*percent)(void);
	} kinds[] = {
		{ "uneven", uneven }, { "spiked", spiked }, { "dipped", dipped },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct outcome with = mislead(kinds[i].percent, false);
		struct outcome without = mislead(kinds[i].percent, true);

		printf("# %s: %d of %d over (%d without a prev), %llu %% spent (%llu)\n",
		       kinds[i].name, with.over, WRONG_LOOKS, without.over,
		       (unsigned long long)with.spent,
		       (unsigned long long)without.spent);
		CHECK(with.over <= without.over / 2);
		/* It still samples enough. */
		CHECK(with.spent <= 100 && with.spent >= 33);
	}
}

static void one_low_look_moves_nothing(void)
{
	u64 events;

	for (events = 200000000; events < 10000000000; events = events * 5 / 4) {
		struct control c = settle(begin(wide.min), events, BUDGET, 40);

		CHECK(settle(c, 0, BUDGET, 1).period == c.period);
		CHECK(settle(c, 0, BUDGET, 2).period < c.period);
	}
}

/* A load that changes by less than the step of a correction. */
static void small_changes_are_corrected(void)
{
	static const u64 events[] = { 13000000, 10000000, 7000000, 10000000, 12000000 };
	struct control c = settle(begin(wide.min), 10000000, BUDGET, 40);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		c = settle(c, events[i], BUDGET, 40);
		CHECK(met(c, events[i]));
	}
}

static void bursts_cost_one_window_each(void)
{
	struct control c = settle(begin(wide.min), 10000000, BUDGET, 30);
	int i, over = 0;

	/* One window in four is a hundred times as busy. */
	for (i = 0; i < 400; i++) {
		u64 events = i % 4 ? 10000000 : 1000000000;

		over += cost_of(events, c.period) * 100 >
			BUDGET * HIGH;
		c = settle(c, events, BUDGET, 1);
	}
	CHECK(over <= 100);
}

static void idle_returns_to_the_smallest_period(void)
{
	CHECK(settle(begin(wide.max), 0, BUDGET, 30).period == wide.min);
	CHECK(settle(begin(wide.max), 0, BUDGET, 1).period >= wide.max / 2);
}

static void no_budget_and_tiny_budgets_sample_as_little_as_can_be(void)
{
	CHECK(settle(begin(wide.min), 1000000000, 0, 1).period == wide.max);
	CHECK(settle(begin(wide.min), 0, 0, 1).period == wide.max);
	CHECK(settle(begin(wide.max), 1000000000, 0, 10).period == wide.max);
	CHECK(settle(begin(wide.min), 1000000000, 1, 2).period == wide.max);
	CHECK(settle(begin(wide.max), 1000000000, 1, 10).period == wide.max);
}

static void steps_are_kept_to(void)
{
	const struct htmm_period_range range = {
		.min = 1600, .max = 1600000, .step = 16,
	};
	struct htmm_period_prev prev = { };
	u64 period = 1600;
	int i;

	for (i = 0; i < 1000; i++) {
		period = htmm_period_next(&prev, period, &range,
					  tap_below(2 * BUDGET), BUDGET);
		CHECK(period % 16 == 0);
		CHECK(period >= range.min && period <= range.max);
	}
}

static void any_input_gives_a_period_in_range(void)
{
	int i;

	for (i = 0; i < 100000; i++) {
		u64 low = 1 + (tap_random() >> (40 + tap_below(24)));
		struct htmm_period_range range = {
			.min = low,
			.max = low + (tap_random() >> (40 + tap_below(24))),
		};
		u64 period = range.min + tap_random() % (range.max - range.min + 1);
		u64 cost = tap_random() >> (8 + tap_below(56));
		u64 budget = tap_random() >> (8 + tap_below(56));
		struct htmm_period_prev prev = {
			{ tap_random() >> tap_below(64),
			  tap_random() >> tap_below(64) }
		};
		u64 next = htmm_period_next(&prev, period, &range, cost, budget);

		CHECK(next >= range.min && next <= range.max);
		CHECK(next == period || next == range.min || next == range.max ||
		      prime(next));
		/* Never in the wrong direction, except to the next prime. */
		CHECK(cost <= budget || next >= period);
		CHECK(cost > budget || !budget || next <= period ||
		      prime(next) || next == range.max);
	}
}

static bool range_is(u64 min, u64 max, u64 step, u64 first, u64 last)
{
	struct htmm_period_range range = htmm_period_range_of(min, max, step);

	return range.min == first && range.max == last && range.step == step;
}

static void ends_are_multiples_of_the_step(void)
{
	CHECK(range_is(37, 1000, 0, 37, 1000));
	CHECK(range_is(37, 1000, 16, 48, 992));
	CHECK(range_is(48, 992, 16, 48, 992));
	CHECK(range_is(1, 15, 16, 16, 16));
	/* None is between these. */
	CHECK(range_is(17, 31, 16, 32, 32));
	CHECK(range_is(1, U64_MAX, 16, 16, U64_MAX - 15));
}

static const struct tap_test tests[] = {
	TAP_TEST(primes),
	TAP_TEST(load_ten_times_as_high_is_met_within_5),
	TAP_TEST(load_ten_times_as_low_is_met_within_5),
	TAP_TEST(steady_load_does_not_oscillate),
	TAP_TEST(noise_within_the_band_moves_nothing),
	TAP_TEST(wrong_looks_seldom_exceed_the_budget),
	TAP_TEST(one_low_look_moves_nothing),
	TAP_TEST(small_changes_are_corrected),
		TAP_TEST(bursts_cost_one_window_each),
	TAP_TEST(idle_returns_to_the_smallest_period),
	TAP_TEST(no_budget_and_tiny_budgets_sample_as_little_as_can_be),
	TAP_TEST(steps_are_kept_to),
	TAP_TEST(ends_are_multiples_of_the_step),
	TAP_TEST(any_input_gives_a_period_in_range),
};

int main(void)
{
	return tap_main(tests, ARRAY_SIZE(tests));
}
