// SPDX-License-Identifier: GPL-2.0
/* Period control: simulated loads of which a program could be made. */
#include "budget.h"
#include "tap.h"

#define WINDOW	1000000000ULL	/* nanoseconds between two looks */
#define SAMPLE	2500		/* nanoseconds that a sample costs */
#define BUDGET	(WINDOW / 100)

static const struct htmm_budget_range wide = { .min = 199, .max = 10000019 };

/* What a window costs in which @events happen, sampled every @period. */
static u64 cost_of(u64 events, u64 period)
{
	return events / period * SAMPLE;
}

/* Looks @n times at a steady load; returns the period after that. */
static u64 settle(u64 period, u64 events, u64 budget, int n)
{
	while (n--)
		period = htmm_budget_period(period, &wide,
					    cost_of(events, period), budget);
	return period;
}

static bool met(u64 period, u64 events)
{
	u64 cost = cost_of(events, period);

	return cost * 100 <= BUDGET * HTMM_BUDGET_HIGH &&
	       cost * 100 >= BUDGET * HTMM_BUDGET_LOW;
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
		/* No prime was passed over. */
		CHECK(next == last || last < n);
		last = next;
	}
	CHECK(htmm_prime_at_least(HTMM_PRIME_MAX + 2) == HTMM_PRIME_MAX + 2);
}

static void load_ten_times_as_high_is_met_within_5(void)
{
	u64 events;

	for (events = 20000000; events < 1000000000; events = events * 5 / 4) {
		u64 period = settle(wide.min, events, BUDGET, 40);

		CHECK(met(period, events));
		CHECK(met(settle(period, events * 10, BUDGET, 5), events * 10));
		/* Raised at once: one look is enough not to exceed the budget. */
		period = settle(period, events * 10, BUDGET, 1);
		CHECK(cost_of(events * 10, period) <= BUDGET);
	}
}

static void load_ten_times_as_low_is_met_within_5(void)
{
	u64 events;

	for (events = 200000000; events < 10000000000; events = events * 5 / 4) {
		u64 period = settle(wide.min, events, BUDGET, 40);

		CHECK(met(settle(period, events / 10, BUDGET, 5), events / 10));
		/* Lowered slowly. */
		CHECK(settle(period, events / 10, BUDGET, 1) >= period / 2);
	}
}

static void steady_load_does_not_oscillate(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		u64 events = 1000000 + tap_random() % 10000000000;
		u64 period = settle(wide.min + tap_below(100000), events,
				    BUDGET, 30);

		CHECK(settle(period, events, BUDGET, 1) == period);
		CHECK(settle(period, events, BUDGET, 10) == period);
	}
}

static void noise_within_the_band_moves_nothing(void)
{
	u64 events = 500000000, period = settle(wide.min, events, BUDGET, 30);
	int i;

	for (i = 0; i < 1000; i++) {
		u64 noisy = events / 100 * (90 + tap_below(21));

		CHECK(htmm_budget_period(period, &wide, cost_of(noisy, period),
					 BUDGET) == period);
	}
}

static void bursts_cost_one_window_each(void)
{
	u64 period = settle(wide.min, 10000000, BUDGET, 30);
	int i, over = 0;

	/* One window in four is a hundred times as busy. */
	for (i = 0; i < 400; i++) {
		u64 events = i % 4 ? 10000000 : 1000000000;

		over += cost_of(events, period) * 100 >
			BUDGET * HTMM_BUDGET_HIGH;
		period = settle(period, events, BUDGET, 1);
	}
	CHECK(over <= 100);
}

static void idle_returns_to_the_smallest_period(void)
{
	CHECK(settle(wide.max, 0, BUDGET, 30) == wide.min);
	CHECK(settle(wide.max, 0, BUDGET, 1) >= wide.max / 2);
}

static void no_budget_and_tiny_budgets_sample_as_little_as_can_be(void)
{
	CHECK(settle(wide.min, 1000000000, 0, 1) == wide.max);
	CHECK(settle(wide.min, 0, 0, 1) == wide.max);
	CHECK(settle(wide.max, 1000000000, 0, 10) == wide.max);
	CHECK(settle(wide.min, 1000000000, 1, 2) == wide.max);
	CHECK(settle(wide.max, 1000000000, 1, 10) == wide.max);
}

static void steps_are_kept_to(void)
{
	const struct htmm_budget_range range = {
		.min = 1600, .max = 1600000, .step = 16,
	};
	u64 period = 1600;
	int i;

	for (i = 0; i < 1000; i++) {
		period = htmm_budget_period(period, &range,
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
		struct htmm_budget_range range = {
			.min = low,
			.max = low + (tap_random() >> (40 + tap_below(24))),
		};
		u64 period = range.min + tap_random() % (range.max - range.min + 1);
		u64 cost = tap_random() >> (8 + tap_below(56));
		u64 budget = tap_random() >> (8 + tap_below(56));
		u64 next = htmm_budget_period(period, &range, cost, budget);

		CHECK(next >= range.min && next <= range.max);
		CHECK(next == period || next == range.min || next == range.max ||
		      prime(next));
		/* Never the wrong way, but for the way to the next prime. */
		CHECK(cost <= budget || next >= period);
		CHECK(cost > budget || !budget || next <= period ||
		      prime(next) || next == range.max);
	}
}

static const struct tap_test tests[] = {
	TAP_TEST(primes),
	TAP_TEST(load_ten_times_as_high_is_met_within_5),
	TAP_TEST(load_ten_times_as_low_is_met_within_5),
	TAP_TEST(steady_load_does_not_oscillate),
	TAP_TEST(noise_within_the_band_moves_nothing),
	TAP_TEST(bursts_cost_one_window_each),
	TAP_TEST(idle_returns_to_the_smallest_period),
	TAP_TEST(no_budget_and_tiny_budgets_sample_as_little_as_can_be),
	TAP_TEST(steps_are_kept_to),
	TAP_TEST(any_input_gives_a_period_in_range),
};

int main(void)
{
	return tap_main(tests, ARRAY_SIZE(tests));
}
