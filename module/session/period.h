/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choice of the sampling period, so that the cost of sampling stays within a budget.
 *
 * The cost of sampling is nearly proportional to the number of samples, hence to 1 / period. So
 * a period multiplied by cost / budget meets the budget at the next check, if the load does not
 * change. A cost above the budget is corrected at once and in full. For a cost below it, each
 * check lowers the period by a factor of at most two, because a load that has dropped often
 * rises again, and no further than the median of the last three checks, because a single check
 * that saw little load would make the next one exceed the budget. Between the two there is a
 * range in which the period does not change.
 *
 * Periods are prime numbers, so that sampling does not get in step with the loops of a program.
 */
#ifndef HTMM_PERIOD_H
#define HTMM_PERIOD_H

#include "core/deps.h"

/* Limits of the range of costs in which the period stays, in percent of the budget. */
#define HTMM_BUDGET_LOW		75
#define HTMM_BUDGET_HIGH	105
/* Cost that a correction aims at, in percent of the budget: inside that range. */
#define HTMM_BUDGET_AIM		90
/* Largest factor by which the period is lowered in one step. */
#define HTMM_BUDGET_SHRINK	2

/* Larger periods are not made prime: trial division would take too long. */
#define HTMM_PRIME_MAX		0x100000000ULL

/**
 * struct htmm_period_range - allowed range of a period
 * @min: smallest period, at least 1
 * @max: largest period, at least @min
 * @step: choose multiples of this number; 0: choose primes
 */
struct htmm_period_range {
	u64 min;
	u64 max;
	u64 step;
};

/**
 * htmm_period_range_of() - the range in which a budget moves a period
 * @min: smallest period asked for, 1 to 2^63 - 1
 * @max: largest period asked for, @min to 2^63 - 1
 * @step: the PMU accepts only multiples of it; 0: any period
 *
 * Return: the range; its ends are multiples of @step. If there is none between @min and @max,
 * the next one above @min is the only period.
 */
struct htmm_period_range htmm_period_range_of(u64 min, u64 max, u64 step);

/**
 * struct htmm_period_prev - results of the previous checks of an event
 * @wanted: the periods that would have met the budget, the most recent check first; zero if
 *	there was no check
 *
 * Zeroed before the first check, then changed only by htmm_period_next().
 */
struct htmm_period_prev {
	u64 wanted[2];
};

/**
 * htmm_prime_at_least() - the smallest prime that is not below a number
 * @n: the number
 *
 * Context: any that may run for about 200 us.
 * Return: the prime; @n itself above HTMM_PRIME_MAX, where it need not be prime.
 */
u64 htmm_prime_at_least(u64 n);

/**
 * htmm_period_next() - compute the next period
 * @prev: previous checks of this event; this check is added
 * @period: the period until now
 * @range: its allowed range
 * @cost: cost of sampling since the last check, in any unit, below 2^56
 * @budget: allowed cost, in the same unit, below 2^56; 0: as low as possible
 *
 * After the load has grown or dropped by a factor of ten, the budget is met again after at
 * most 5 checks, and then the period stays.
 *
 * Return: the new period within @range, prime (or a multiple of its step) unless it
 * is an end of @range;
 * @period if the cost is close enough to the budget.
 */
u64 htmm_period_next(struct htmm_period_prev *prev, u64 period,
		     const struct htmm_period_range *range, u64 cost, u64 budget);

#endif /* HTMM_PERIOD_H */
