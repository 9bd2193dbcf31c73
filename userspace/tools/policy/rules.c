// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "rules.h"

/* By what factor a page must be better than another. */
#define MARGIN	2.0
/* One sample may be chance. Two are enough, even if the first counts a little less. */
#define SURE_GAIN	1.2
/* Looks of a burst are so soon that what has just left may have two by chance. */
#define RETURN_GAIN	2.2
/*
 * Samples from a phase change to the previous look, for each page of the fast tier, from which
 * on a page without any is not used any more. The last look adds as many again.
 */
#define PHASE_SAMPLES	0.5
/* A huge page is in use if this part of it is. */
#define HUGE_PART	4
/* Samples a second of a CPU: after a phase change, while much is to be moved, and usually. */
#define MOST_SAMPLES	40000
#define MANY_SAMPLES	8000
#define FEW_SAMPLES	600
#define MOST_THIN	64
/* Samples may take this part of what is at stake, see struct policy. */
#define SAMPLES_PART	0.2
/* This part of what is expected is believed at least. */
#define LEAST_TRUST	0.1
/* As if so many samples had been expected and gained before: few promoted pages prove little. */
#define TRUST_SAMPLES	100
/* For how many seconds a move is expected to be of use, at most. */
#define USEFUL_MOST_S	600
/*
 * The next two or three looks of a burst come within so many times as long as the last one; which
 * was for another reason if it was so soon that this is less than a second.
 */
#define LOOKS_SOON	8
#define LOOKS_SOON_S	1.0
/* With so many samples for each page, hot pages have clearly more than others. */
#define LEARN_SAMPLES	2

/*
 * Is a page so hot that its return pays for both copies in as long as it was away? What leaves for
 * it is worth up to half as much; see rule_margin().
 */
static bool pays_back(const struct policy *policy, const struct policy_look *look,
		      const struct unit *unit, double away)
{
	const double won = policy->predictor.value[unit->class] * (1 - 1 / MARGIN);

	return unit->gain && unit->recent >= RETURN_GAIN &&
	       won * away * look->period * policy->config.gap_ns > 2 * policy->copy_ns;
}

/*
 * Did a page come to its tier before the phase change, and belongs in the other one since? With few
 * samples since then, many pages of the fast tier have gained nothing that are as hot as before.
 */
static bool of_earlier_phase(const struct policy *policy, const struct policy_look *look,
			     const struct unit *unit)
{
	const struct moved *moved = moved_find(policy->moved, unit, policy->seconds);
	const struct burst *burst = &policy->burst;

	if (!moved || moved->seconds >= (float)burst->since)
		return false;
	if (!unit->fast)
		return pays_back(policy, look, unit, policy->seconds - moved->seconds);
	return !unit->gain &&
	       policy->samples >= burst->since_samples + PHASE_SAMPLES * policy->capacity;
}

bool rule_hysteresis(const struct policy *policy, const struct policy_look *look,
		     const struct unit *unit)
{
	if (!rule_on(policy, POLICY_HYSTERESIS))
		return true;
	if (moved_back(policy->moved, unit, policy->seconds) &&
	    !of_earlier_phase(policy, look, unit))
		return false;
	/* The look before a phase change reflects a different workload. */
	return unit->before ||
	       (unit->fast ? policy->burst.looks && !policy->widened && !unit->gain :
			     unit->recent >= SURE_GAIN);
}

bool rule_margin(const struct policy *policy, const struct unit *in, double out)
{
	const double value = policy->predictor.value[in->class];

	return value > out * (rule_on(policy, POLICY_MARGIN) ? MARGIN : 1);
}

double rule_trust(const struct policy *policy)
{
	const double part = (policy->gained + TRUST_SAMPLES) / (policy->expected + TRUST_SAMPLES);

	return fmin(fmax(part, LEAST_TRUST), 1);
}

/*
 * What part of the expected gain of a second will be won in all, in seconds. Of what has lasted for
 * some time, nothing is known but that it is as likely to be in its first half as in its second
 * (Gott, Nature 1993); but if earlier moves have gained little, that seems to last no longer.
 */
static double useful_seconds(const struct policy *policy)
{
	const double part = rule_trust(policy), lasted = policy->seconds - policy->burst.since;

	return part * fmax(USEFUL_S, fmin(part * lasted, USEFUL_MOST_S));
}

/* Is so much won in so many seconds that the copies pay? */
static bool pays_in(const struct policy *policy, const struct policy_look *look, double seconds,
		    double won, unsigned int copies)
{
	return won * seconds * look->period * policy->config.gap_ns > copies * policy->copy_ns ||
	       !rule_on(policy, POLICY_PROFIT);
}

bool rule_profit(const struct policy *policy, const struct policy_look *look, double won,
		 unsigned int copies)
{
	return pays_in(policy, look, useful_seconds(policy), won, copies);
}

bool rule_soon(const struct policy *policy, const struct policy_look *look, double won,
	       unsigned int copies)
{
	const double soon = fmax(LOOKS_SOON * policy->interval, LOOKS_SOON_S);

	return !policy->burst.looks || policy->focused ||
	       pays_in(policy, look, soon, won, copies);
}

bool rule_balance(const struct policy *policy)
{
	return balance_left(&policy->balance) >= 0 || policy->config.dry ||
	       !rule_on(policy, POLICY_BALANCE);
}

__u64 rule_rate(struct policy *policy)
{
	double rate = policy->config.rate_pages, most;

	if (!policy->config.rate_pages)
		return UINT64_MAX;
	/* However low the rate, a huge page can take the place of another one, each as a whole. */
	most = fmax(2 * rate * policy->interval, 2 << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT));
	policy->tokens = fmin(policy->tokens + rate * policy->interval, most);
	return policy->tokens;
}

/* Must the policy still learn what pages gain, and would moves pay then? */
static bool learns(const struct policy *policy)
{
	return policy->samples - policy->burst.samples < LEARN_SAMPLES * policy->pages &&
	       burst_pays(&policy->burst);
}

unsigned int rule_thin(const struct policy *policy, bool much)
{
	const double busy = fmax(policy->balance.busy, 1);
	double enough = rule_balance(policy) && (much || learns(policy)) ? MANY_SAMPLES :
									   FEW_SAMPLES;
	unsigned int thin = 1;

	if (policy->burst.looks)
		enough = MOST_SAMPLES;
	enough *= busy;
	/* Of much memory, a look shows a part only: it takes many samples to know all of it. */
	if (!policy->focused)
		enough = fmin(enough, fmax(SAMPLES_PART * policy->stake * 1e9 / SAMPLE_NS,
					   FEW_SAMPLES * busy));
	while (rule_on(policy, POLICY_THIN) && policy->all_rate > enough * thin && thin < MOST_THIN)
		thin *= 2;
	return thin;
}

bool rule_huge(const struct policy *policy, const struct unit *unit)
{
	double part = unit->pages / HUGE_PART;

	if (unit->pages == 1 || !rule_on(policy, POLICY_HUGE))
		return true;
	/* How many subpages so many samples hit on average, if a quarter of all is in use. */
	return unit->used >= 0.9 * part * (1 - exp(-(double)unit->samples / part));
}
