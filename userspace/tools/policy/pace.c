// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "pace.h"

/* While few pages move, the list of the slow tier is 1/LISTED as long as the fast tier. */
#define LISTED		8
/* Larger counts are treated alike when the shortest list is chosen. */
#define LEAST_MOST	255
/* What part of the time of a CPU looks take: at most, while a limit is exceeded, and at least. */
#define LOOKS_MOST	0.2
#define LOOKS_FORCED	0.05
#define LOOKS_CALM	0.002
/*
 * Looks at parts of much memory may take that of up to LOOKS_CPUS CPUs: of one for each LOOKS_PARTS
 * parts that there are.
 */
#define LOOKS_CPUS	4
#define LOOKS_PARTS	4
/* What part of what is at stake they take at most, see struct policy. */
#define LOOKS_STAKE	0.4
/* What part of the time moves save at least, for computing. */
#define LEAST_WON	0.000001
/* A look at a part of much memory is worth the most if its moves save this many times its cost. */
#define LOOK_SAVES	3
/*
 * Moves that save a smaller part of the time are not worth many looks and samples. These may take
 * more than this: they are paid for once, and the savings stay. Where moves have not paid so far,
 * expected savings are mostly chance, so more of them is required.
 */
#define WORTH		0.003
#define WORTH_UNSURE	0.03
/* And a burst whose moves have not paid yet goes on only for this. */
#define WORTH_BURST	0.01
/* What part of the time lists of regions may take. */
#define GLANCES_PART	0.0025
/* The first look comes after FIRST_SAMPLES, or after so many seconds. */
#define FIRST_S		1.0
/* Samples between two coolings: for each page, and at least. */
#define COOLING_EACH	4
#define COOLING_LEAST	40000

/* The count from which on there are at most @most pages in the list of the slow tier. */
static __u32 least_of(const struct policy *policy, size_t most)
{
	const struct units *now = &policy->now;
	size_t nr[LEAST_MOST + 1] = {}, i, sum = 0;
	__u32 least;

	for (i = 0; i < now->nr_slow; i++)
		nr[now->unit[i].samples < LEAST_MOST ? now->unit[i].samples : LEAST_MOST]++;
	for (least = LEAST_MOST; least && sum + nr[least] <= most; least--)
		sum += nr[least];
	return least + 1;
}

/*
 * What to list next time: as many pages as fit, and fewer while moves would save little. A list
 * that was too long is cut to half of that, because more pages will have such counts by then.
 */
static void aim(struct policy *policy, const struct policy_look *look, bool much)
{
	struct policy_plan *plan = &policy->plan;
	size_t most = much ? look->capacity : look->capacity / LISTED;
	__u32 least = look->slow_cut + 1, lowest = much ? 2 : 1;
	unsigned int looks = policy->burst.looks;

	if (look->focused) {
		plan->least = 1;
		/* At the begin of a phase, it is not known yet what should move. */
		if (plan->cool)
			return;
		focus_adapt(&policy->focus, plan->promoted_pages + plan->held[POLICY_HELD_NEW] +
			    plan->held[POLICY_HELD_ROOM]);
		return;
	}
	plan->least = least > lowest ? least : lowest;
	if (policy->burst.looks)
		plan->least = looks > 1 && look->nr_slow > look->capacity ? least + 1 :
			      looks > 1 ? least : 1;
	else if (look->nr_slow > most)
		plan->least = least_of(policy, most / 2);
	else if (look->nr_slow < most / 4 && least > lowest)
		plan->least = least / 2 > lowest ? least / 2 : lowest;
}

void pace_plan(struct policy *policy, const struct policy_look *look)
{
	struct policy_plan *plan = &policy->plan;
	bool pays = burst_pays(&policy->burst), much;

	/* From samples a second to a part of the time. */
	plan->won *= look->period * policy->config.gap_ns / 1e9;
	if (!rule_balance(policy))
		policy->burst.looks = 0;
	much = plan->won >= (pays ? WORTH : WORTH_UNSURE);
	if (plan->won < (pays ? WORTH : WORTH_BURST) && policy->burst.looks > LEARNT_LOOKS &&
	    !look->focused)
		policy->burst.looks = 0;
	plan->burst = policy->burst.looks;
	plan->thin = rule_thin(policy, much);
	aim(policy, look, much);
}

/*
 * How many CPUs' part of the time looks may take. Pages must have time to get samples from one look
 * at them to the next, so looks may follow each other faster only if they are at other pages.
 */
static double looks_cpus(const struct policy *policy)
{
	const struct focus *focus = &policy->focus;
	const double most = fmin(policy->balance.busy, LOOKS_CPUS);

	if (!policy->focused || !focus->most)
		return 1;
	return fmax(fmin(most, (double)focus->now.nr / focus->most / LOOKS_PARTS), 1);
}

/*
 * Possible savings grow from look to look, so waiting loses half of them on average. This loss and
 * the cost of looks have the smallest sum when they are equal. They grow by what samples tell: if
 * fewer are taken from now on, it takes as much longer.
 */
static double wait_for_more(const struct policy *policy, double cost, unsigned int thin)
{
	const double interval = policy->exposure * thin;

	return sqrt(2 * cost * interval / fmax(policy->plan.won, LEAST_WON));
}

/* Of much memory a look shows a part only. The next part is there at once, and saves as much. */
static double wait_for_next_part(const struct policy *policy, double cost)
{
	const double saved = fmax(policy->plan.won, LEAST_WON) * USEFUL_S * rule_trust(policy);

	return cost / LOOKS_MOST / looks_cpus(policy) * fmax(LOOK_SAVES * cost / saved, 1);
}

/*
 * Moves never save more than what is at stake, whatever the program does next, so looks may only
 * take a part of that. Of much memory, what a look takes does not depend on how much there is.
 */
static double wait_for_stake(const struct policy *policy, double cost)
{
	return policy->focused ? 0 : cost / (LOOKS_STAKE * policy->stake);
}

double policy_wait(const struct policy *policy, double cost, unsigned int thin)
{
	const struct policy_plan *plan = &policy->plan;
	const double looks = looks_cpus(policy);
	const bool loses = !rule_balance(policy);
	double wait;

	/*
	 * The rate of samples may rise, so a burst waits at most twice as long as the last time.
	 * Before there are any, it is seen when they come; see policy_changed().
	 */
	if (policy->burst.looks && policy->samples)
		wait = fmin(burst_wait(&policy->burst, policy->samples, policy->capacity) *
			    thin / fmax(policy->rate, 1), 2 * policy->interval);
	else
		wait = wait_for_more(policy, cost, thin);
	wait = fmax(wait, wait_for_stake(policy, cost));
	/* Unless not even what this part shows may be moved now. */
	if (policy->focused && !plan->held[POLICY_HELD_RATE] && !policy->config.dry)
		wait = fmin(wait, wait_for_next_part(policy, cost));
	wait = fmin(wait, reserve_wait(&policy->reserve, policy->interval, cost));
	/* Unless where pages are now is what loses time: then some go back. */
	if (loses && policy->balance.lately >= 0)
		wait = balance_wait(&policy->balance, cost);
	else if (loses)
		wait = fmin(wait, balance_wait(&policy->balance, cost));
	/* A program that had more than its limit will soon have more again. */
	if (plan->forced_pages)
		wait = fmin(wait, cost / LOOKS_FORCED);

	return fmin(fmax(wait, cost / LOOKS_MOST / looks), cost / LOOKS_CALM / looks);
}

bool policy_begins(struct policy *policy, __u64 samples, double seconds)
{
	/* If the program did nothing at first, samples come faster than the mean says. */
	if (!samples) {
		policy->seconds = seconds;
		policy->burst.since = seconds;
	}
	return samples >= FIRST_SAMPLES || seconds >= FIRST_S;
}

__u64 policy_cooling_period(__u64 pages)
{
	return pages * COOLING_EACH > COOLING_LEAST ? pages * COOLING_EACH : COOLING_LEAST;
}

double policy_glance_wait(double cost)
{
	return cost / GLANCES_PART;
}
