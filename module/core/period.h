/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often to sample, so that sampling costs what it may.
 *
 * The cost of sampling is close to proportional to the number of samples, hence to
 * 1 / period: a period that is scaled by cost / budget meets the budget at the next
 * look, if the load stays. Too much cost is answered at once and in full; room to
 * spare is used up in steps of two, because a load that has dropped often comes
 * back, and only as far as most of the last three looks saw it: one that happened
 * to see little would else send the next one over the budget. In between lies a band
 * in which nothing moves.
 *
 * Periods are prime, so that they do not beat with the loops of a program.
 */
#ifndef HTMM_CORE_PERIOD_H
#define HTMM_CORE_PERIOD_H

#include "deps.h"

/* The band in which the period stays, in percent of the budget. */
#define HTMM_BUDGET_LOW		75
#define HTMM_BUDGET_HIGH	105
/* Where a correction aims: inside the band, below the budget. */
#define HTMM_BUDGET_AIM		90
/* The most that the period shrinks at a time. */
#define HTMM_BUDGET_SHRINK	2

/* Periods above this one are not made prime: trial division would take long. */
#define HTMM_PRIME_MAX		0x100000000ULL

/**
 * struct htmm_period_range - where a period may go
 * @min: smallest period, at least 1
 * @max: largest period, at least @min
 * @step: choose multiples of this instead of primes; 0: primes
 */
struct htmm_period_range {
	u64 min;
	u64 max;
	u64 step;
};

/**
 * struct htmm_period_prev - what the looks before the current one saw of an event
 * @wanted: the periods that would have met the budget, the later look first; zero if
 *	there was none
 *
 * Zeroed before the first look, then left to htmm_period_next().
 */
struct htmm_period_prev {
	u64 wanted[2];
};

/**
 * htmm_prime_at_least() - the smallest prime that is not below a number
 * @n: the number
 *
 * Context: any that has some 200 us to spare.
 * Return: the prime; @n itself above HTMM_PRIME_MAX, where it need not be prime.
 */
u64 htmm_prime_at_least(u64 n);

/**
 * htmm_period_next() - the period to sample with from now on
 * @prev: of this event; the look is added to it
 * @period: the period until now
 * @range: where it may go
 * @cost: what sampling cost since the last look, in any unit, below 2^56
 * @budget: what it may cost, in the same unit, below 2^56; 0: as little as can be
 *
 * After a load has become ten times as high or as low, the budget is met again
 * after 5 looks at most, and then the period stays.
 *
 * Return: the new period within @range, prime (or a multiple of its step) unless it
 * is an end of @range;
 * @period if the cost is close enough to the budget.
 */
u64 htmm_period_next(struct htmm_period_prev *prev, u64 period,
		     const struct htmm_period_range *range, u64 cost, u64 budget);

#endif /* HTMM_CORE_PERIOD_H */
