// SPDX-License-Identifier: GPL-2.0
#include "period.h"

static bool htmm_is_prime(u64 n)
{
	u64 divisor;

	if (n < 4)
		return n > 1;
	if (n % 2 == 0)
		return false;
	for (divisor = 3; divisor * divisor <= n; divisor += 2)
		if (n % divisor == 0)
			return false;
	return true;
}

u64 htmm_prime_at_least(u64 n)
{
	if (n > HTMM_PRIME_MAX)
		return n;
	while (!htmm_is_prime(n))
		n++;
	return n;
}

/* period * cost / aim without overflow, rounded up; U64_MAX if it is larger. */
static u64 htmm_period_scale(u64 period, u64 cost, u64 aim)
{
	u64 scaled;

	/* 32 bits of each are precise enough. */
	while (cost > U32_MAX || aim > U32_MAX) {
		cost >>= 1;
		aim >>= 1;
	}
	if (!aim || check_mul_overflow(period, cost, &scaled))
		return U64_MAX;
	return DIV64_U64_ROUND_UP(scaled, aim);
}

static u64 htmm_median(u64 a, u64 b, u64 c)
{
	return max(min(a, b), min(max(a, b), c));
}

/* The next period before it is limited to the range and made prime. */
static u64 htmm_period_wanted(struct htmm_period_prev *prev, u64 period, u64 percent, u64 budget)
{
	u64 wanted = htmm_period_scale(period, percent, budget * HTMM_BUDGET_AIM);
	u64 usual = max(wanted, htmm_median(wanted, prev->wanted[0], prev->wanted[1]));

	prev->wanted[1] = prev->wanted[0];
	prev->wanted[0] = wanted;
	if (!budget || percent > budget * HTMM_BUDGET_HIGH)
		return wanted;
	if (percent >= budget * HTMM_BUDGET_LOW ||
	    usual >= htmm_period_scale(period, HTMM_BUDGET_LOW, HTMM_BUDGET_AIM))
		return period;
	return max(usual, div64_u64(period, HTMM_BUDGET_SHRINK));
}

struct htmm_period_range htmm_period_range_of(u64 min, u64 max, u64 step)
{
	if (step) {
		min = DIV64_U64_ROUND_UP(min, step) * step;
		max = max_t(u64, min, div64_u64(max, step) * step);
	}
	return (struct htmm_period_range) { .min = min, .max = max, .step = step };
}

u64 htmm_period_next(struct htmm_period_prev *prev, u64 period,
		     const struct htmm_period_range *range, u64 cost, u64 budget)
{
	u64 next = htmm_period_wanted(prev, period, cost * 100, budget);

	if (next <= range->min)
		return range->min;
	if (next >= range->max)
		return range->max;
	if (next == period)
		return period;
	next = range->step ? DIV64_U64_ROUND_UP(next, range->step) * range->step :
			     htmm_prime_at_least(next);
	return min(next, range->max);
}
