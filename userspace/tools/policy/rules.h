/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of the policy, one function each. */
#ifndef POLICY_RULES_H
#define POLICY_RULES_H

#include "balance.h"
#include "burst.h"
#include "focus.h"
#include "moved.h"
#include "origin.h"
#include "policy.h"
#include "predict.h"
#include "reserve.h"
#include "units.h"

/* CPU time that a sample takes. */
#define SAMPLE_NS	1500.0

/**
 * struct policy - a policy
 * @config: what it was made with
 * @now: what can be moved now
 * @old: what could be moved at the previous look
 * @predictor: what classes of pages gain
 * @seconds: time of the look
 * @coolings: of each target at the previous look
 * @halvings: of each target since the previous look
 * @samples: counted at the previous look
 * @others: samples of other processes at the previous look
 * @pages: of all regions at the look
 * @capacity: of the look
 * @cut: of the slow tier's list at the previous look
 * @focus: the regions whose pages are listed, if not all are
 * @focused: these are all that was listed
 * @widened: at the previous look they were, and now all is
 * @origins: which pages are not where they would be without moves
 * @room: pages of the fast tier that were demoted to keep room for new ones, and not used since
 * @balance: what was won and spent
 * @regions: all regions when they were last listed; @recent is the fast tier's part of their
 *	samples at the last look
 * @glanced: coolings of each target when they were last listed
 * @interval: seconds since the previous look
 * @exposure: in how many seconds so many samples usually come
 * @rate: how many usually come in a second
 * @all_rate: and of all processes
 * @stake: CPU time that all of them would take longer in a second if they used the slow tier only
 * @fading: what a gain of the previous look counts now
 * @recent_s: seconds in which recent gains were gained; 0: there are none, a phase has begun
 * @recent_samples: all samples of that time, old ones counting as little as in recent gains
 * @fast_pages: pages of the fast tier that are listed
 * @stayed: those that were there at the previous look
 * @freed: pages that were there then, did not leave by a move, and are not there now. Pages that
 *	lived for a short time have gained samples, too, but it is not known how many
 * @before_s: @recent_s as of the previous look; 0, too, if there was none
 * @before_samples: @recent_samples as of the previous look
 * @times: how many times longer than what was recent at the previous look @exposure is
 * @copy_ns: CPU time that moving one page takes, as measured
 * @expected: samples that promoted pages were expected to gain until the next look; those of older
 *	looks count less
 * @gained: samples that they have gained
 * @learnt: the predictor has learnt what follows a gain, since the last phase change
 * @tokens: pages that may be moved by the limit
 * @idle: there were hardly any samples at the previous look
 * @changed: policy_changed() has seen a phase change
 * @guessed: it has seen one if regions that had no samples yet are in the slow tier
 * @guessed_wrong: the look at them has seen none; so it does not guess until there is one
 * @burst: phase changes
 * @reserve: room for new pages
 * @moved: recent moves
 * @order: units in the order in which they are to be moved
 * @other_order: for sorting them
 * @order_room: room in @order and @other_order
 * @plan: the result
 */
struct policy {
	struct policy_config config;
	struct units now;
	struct units old;
	struct predictor predictor;
	double seconds;
	struct by_target coolings;
	struct by_target halvings;
	__u64 samples;
	__u64 others;
	__u64 pages;
	__u64 capacity;
	__u64 cut;
	struct focus focus;
	bool focused;
	bool widened;
	struct origins origins;
	__u64 room;
	struct balance balance;
	struct units regions;
	struct by_target glanced;
	double interval;
	double exposure;
	double rate;
	double all_rate;
	double stake;
	double fading;
	double recent_s;
	double recent_samples;
	__u64 fast_pages;
	__u64 stayed;
	__u64 freed;
	double before_s;
	double before_samples;
	double times;
	double copy_ns;
	double expected;
	double gained;
	bool learnt;
	double tokens;
	bool idle;
	bool changed;
	bool guessed;
	bool guessed_wrong;
	struct burst burst;
	struct reserve reserve;
	struct moved moved[MOVED_ROOM];
	__u32 *order;
	__u32 *other_order;
	size_t order_room;
	struct policy_plan plan;
};

/* Samples a second that a unit is expected to gain. */
static inline double unit_value(const struct policy *policy, const struct unit *unit)
{
	return policy->predictor.value[unit->class] * unit->pages;
}

/* Is the rule turned on? */
static inline bool rule_on(const struct policy *policy, enum policy_rule rule)
{
	return !(policy->config.off & 1U << rule);
}

/**
 * rule_hysteresis() - was a unit the same at the previous look?
 * @policy: the policy
 * @look: what is known
 * @unit: the unit
 *
 * Two looks have to agree (FlexMem, ATC 2024; ARMS). What was moved a moment ago stays, unless the
 * program has gone to other pages since.
 */
bool rule_hysteresis(const struct policy *policy, const struct policy_look *look,
		     const struct unit *unit);

/**
 * rule_margin() - is one value clearly better than another?
 * @policy: the policy
 * @in: the unit to promote
 * @out: value of what would have to leave
 *
 * By a factor, as in FlexMem and ARMS: where all pages are alike, some seem better by chance.
 */
bool rule_margin(const struct policy *policy, const struct unit *in, double out);

/**
 * rule_trust() - what part of what moves are expected to gain comes true
 * @policy: the policy
 *
 * By what earlier moves were expected to gain, and have gained.
 *
 * Return: from 0.1 to 1.
 */
double rule_trust(const struct policy *policy);

/**
 * rule_profit() - will the time won be more than the copies take?
 * @policy: the policy
 * @look: what is known
 * @won: samples a second for each page, in the fast instead of the slow tier
 * @copies: copies for each page
 *
 * Samples times period times latency gap against the price of the copies (ARMS). If promoted pages
 * have gained less than was expected of them, as where a program streams, less is expected of
 * others, too. It is won for as long as the same pages have been hot already, but for eight seconds
 * at least.
 */
bool rule_profit(const struct policy *policy, const struct policy_look *look, double won,
		 unsigned int copies);

/**
 * rule_soon() - may a move not wait for the next looks of a burst?
 * @policy: the policy
 * @look: what is known
 * @won: samples a second for each page, in the fast instead of the slow tier
 * @copies: copies for each page
 *
 * These looks come soon and tell much more. A page that needs longer to pay for its copies loses
 * little by waiting for them, and most of such pages are then known to be cold. Of much memory, the
 * next looks are at other parts.
 *
 * Return: true if it pays until then, or if there is no burst.
 */
bool rule_soon(const struct policy *policy, const struct policy_look *look, double won,
	       unsigned int copies);

/**
 * rule_balance() - have moves and looks not cost more than they have won?
 * @policy: the policy
 *
 * Whatever each move was expected to gain, all of them together may lose time: where a program uses
 * its memory in turns, what leaves the fast tier is what will be used next. See balance_left().
 *
 * While they do, pages are only moved back to where they would be without any move.
 */
bool rule_balance(const struct policy *policy);

/**
 * rule_rate() - how many pages this look may move
 * @policy: the policy
 *
 * What the user wants, as with kernel.numa_balancing_promote_rate_limit_MBps.
 *
 * Return: pages.
 */
__u64 rule_rate(struct policy *policy);

/**
 * rule_thin() - how many samples to take
 * @policy: the policy
 * @much: moving pages would save enough time
 *
 * Sampling costs a program some 1.5 us for each sample. After a phase change all depends on
 * them, so they may take a twentieth of the time; while something is to be won 1.2 %, else
 * 0.1 %: what is settled changes slowly, or is seen to change with few samples, too.
 *
 * What is to be won is itself known only from samples. So where moves have paid, the 1.2 % go on
 * until there are two samples for each page of all regions: with fewer, many pages seem alike
 * that are not; with more, the share rises no further. Where a program streams, moves do not
 * pay, and there is nothing to learn.
 *
 * A program that seldom misses has little to win: a fifth of what is at stake is the most that
 * samples may take, but for 600 in a second.
 *
 * Periods are those of all processes, so the samples of all must be few enough for the CPUs.
 *
 * Return: n, if one of n samples is enough.
 */
unsigned int rule_thin(const struct policy *policy, bool much);

/**
 * rule_huge() - may a unit be promoted whole?
 * @policy: the policy
 * @unit: the unit
 *
 * Only if a quarter of a huge page is in use; otherwise it would waste room. (MEMTIS splits such
 * pages, but a process cannot split those of another one.) Samples are few, so the number of
 * subpages with samples is compared with the number expected if a quarter were in use.
 */
bool rule_huge(const struct policy *policy, const struct unit *unit);

#endif /* POLICY_RULES_H */
