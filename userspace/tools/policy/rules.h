/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of the policy, one function each. */
#ifndef POLICY_RULES_H
#define POLICY_RULES_H

#include "policy.h"
#include "predict.h"
#include "units.h"

/* Of a burst, after so many looks it is known what pages gain, and with it what is to be won. */
#define LEARNT_LOOKS	2
/* Places of pages that were moved, of which the ping-pong brake knows. */
#define MOVED_ROOM	65536

/**
 * struct moved - a move that was planned
 * @hash: of the unit's place
 * @seconds: when
 * @promoted: the direction
 * @refused: it could not be moved
 * @before: it could not be moved at an earlier look
 */
struct moved {
	__u64 hash;
	float seconds;
	bool promoted;
	bool refused;
	bool before;
};

/**
 * struct usual - the share of the fast tier, as it usually is
 * @looks: looks that it is known of
 * @share: its mean
 * @spread: mean distance of values below the mean
 */
struct usual {
	__u32 looks;
	double share;
	double spread;
};

/**
 * struct policy - a policy
 * @config: what it was made with
 * @looks: number of looks
 * @units: what can be moved now, and at the previous look; the parity of @looks tells which
 *	is which
 * @predictor: what classes of pages gain
 * @value: for each class: expected samples a second for a page of 4 KiB
 * @rank: classes by @value, the highest first
 * @position: index of each class in @rank
 * @seconds: time of the look
 * @coolings: of each target at the previous look
 * @halvings: of each target since the previous look
 * @slow_samples: when the slow tier was listed for the previous look
 * @samples: when the fast one was
 * @pages: of all regions at the look
 * @capacity: of the look
 * @cut: of the slow tier's list at the previous look
 * @regions: all regions when they were last listed; @recent is the fast tier's part of their
 *	samples at the last look
 * @glanced: coolings of each target when they were last listed
 * @interval: seconds since the previous look
 * @exposure: in how many seconds so many samples usually come
 * @rate: how many usually come in a second
 * @fading: what a gain of the previous look counts now
 * @recent_s: seconds in which recent gains were gained
 * @times: how many times longer than what was recent at the previous look @exposure is
 * @copy_ns: what moving one page takes, as measured
 * @tokens: pages that may be moved by the limit
 * @usual: to see phase changes
 * @first_share: share of the fast tier before anything was moved
 * @changed: policy_changed() has seen a phase change
 * @burst: looks of the burst so far, that which saw the phase change included; 0: there is none
 * @last_burst: when it began
 * @burst_samples: samples until then
 * @pause: seconds after which the next one may begin
 * @moved: recent moves, a hash table
 * @order: units in the order in which they are to be moved
 * @order_room: room in @order
 * @plan: the result
 */
struct policy {
	struct policy_config config;
	__u32 looks;
	struct units units[2];
	struct predictor predictor;
	double value[PREDICT_CLASSES];
	__u16 rank[PREDICT_CLASSES];
	__u16 position[PREDICT_CLASSES];
	double seconds;
	__u64 coolings[HTMM_MAX_TARGETS + 1];
	__u32 halvings[HTMM_MAX_TARGETS + 1];
	__u64 slow_samples;
	__u64 samples;
	__u64 pages;
	__u64 capacity;
	__u64 cut;
	struct units regions;
	__u64 glanced[HTMM_MAX_TARGETS + 1];
	double interval;
	double exposure;
	double rate;
	double fading;
	double recent_s;
	double times;
	double copy_ns;
	double tokens;
	struct usual usual;
	double first_share;
	bool changed;
	unsigned int burst;
	double last_burst;
	__u64 burst_samples;
	double pause;
	struct moved moved[MOVED_ROOM];
	__u32 *order;
	size_t order_room;
	struct policy_plan plan;
};

/* Is the rule turned on? */
static inline bool rule_on(const struct policy *policy, enum policy_rule rule)
{
	return !(policy->config.off & 1U << rule);
}

/**
 * rule_predict() - find what each class will gain, from what it was seen to gain
 * @policy: the policy, with the present units and their gains
 *
 * Counts decay by halving and order the pages (MEMTIS, SOSP 2023). But the best of many equal
 * pages are lucky ones, and a program that streams leaves counts behind, so what a count is
 * worth is measured (in the spirit of Robbins' empirical Bayes estimator; streaming is where
 * reviewers of the kernel's pghot series saw promotion hurt). Turned off, the count alone
 * tells.
 */
void rule_predict(struct policy *policy);

/**
 * rule_hysteresis() - was a unit the same at the previous look?
 * @policy: the policy
 * @unit: the unit
 *
 * Two looks have to agree (FlexMem, ATC 2024; ARMS).
 */
bool rule_hysteresis(const struct policy *policy, const struct unit *unit);

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
 * rule_profit() - will the time won be more than the copies take?
 * @policy: the policy
 * @look: what is known
 * @won: samples a second for each page, in the fast instead of the slow tier
 * @copies: copies for each page
 *
 * Samples times period times latency gap against the price of the copies (ARMS).
 */
bool rule_profit(const struct policy *policy, const struct policy_look *look, double won,
		 unsigned int copies);

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
 * rule_burst() - see a phase change
 * @policy: the policy
 * @look: what is known
 * @share: share of the samples of the fast tier since the last look
 *
 * When the share drops by more than it usually varies, the program uses other pages than
 * before: the next looks come soon and with more samples, and counts of the past are halved
 * once more. This goes on until there are some samples for each page of the fast tier: with
 * less, many hot pages have no more of them than lucky cold ones. It ends after eight seconds in
 * any case: no other time costs the program as much.
 */
void rule_burst(struct policy *policy, const struct policy_look *look, double share);

/**
 * rule_begin_burst() - the program uses other pages than before
 * @policy: the policy
 * @samples: samples until now
 *
 * A burst costs much, which pays only if the program goes on using these pages. So each one
 * that follows another one soon makes the next one wait twice as long.
 *
 * Return: false if it is too soon.
 */
bool rule_begin_burst(struct policy *policy, __u64 samples);

/**
 * rule_burst_wait() - when to look again in a burst
 * @policy: the policy, after a look
 *
 * When there are twice as many samples as now: fewer tell little more, and a look takes as long
 * however many are new. The rate of samples may rise, so it is not put off more than twice as
 * long as the last time.
 *
 * Return: in how many seconds.
 */
double rule_burst_wait(const struct policy *policy);

/**
 * rule_drop() - is less served by the fast tier than usual?
 * @policy: the policy
 * @samples: number of samples
 * @share: share of these that were of the fast tier
 *
 * Return: true if it is less by more than it usually varies.
 */
bool rule_drop(const struct policy *policy, __u64 samples, double share);

/**
 * rule_pays() - have moves raised the share of the fast tier?
 * @policy: the policy
 *
 * Return: true if it is 1.5 times what the first look saw. If this was already much, it cannot
 * be: then the policy only looks and samples less.
 */
bool rule_pays(const struct policy *policy);

/**
 * rule_thin() - how many samples to take
 * @policy: the policy
 * @much: something is to be won by moving
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
 * Return: one of so many samples is enough.
 */
unsigned int rule_thin(const struct policy *policy, bool much);

/**
 * rule_huge() - may a unit be promoted whole?
 * @policy: the policy
 * @unit: the unit
 *
 * Whole if a quarter of a huge page is in use, else it would take room for nothing (MEMTIS
 * splits such pages, which nobody can do for another process). Samples are few, so the number
 * of subpages that have samples is compared with what a quarter in use would show.
 */
bool rule_huge(const struct policy *policy, const struct unit *unit);

/**
 * moved_find() - look up the last move of a unit
 * @policy: the policy
 * @unit: the unit
 *
 * Return: the move, or NULL if there was none not long ago.
 */
const struct moved *moved_find(const struct policy *policy, const struct unit *unit);

/**
 * rule_pingpong() - was a unit moved the other way not long ago?
 * @policy: the policy
 * @unit: the unit
 */
bool rule_pingpong(const struct policy *policy, const struct unit *unit);

#endif /* POLICY_RULES_H */
