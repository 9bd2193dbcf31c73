/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Phase changes. When the fast tier's share of the samples drops by more than it usually varies,
 * the program uses other pages than before: the next looks come soon and with more samples, and
 * earlier counts are halved once more. This goes on until there are some samples for each page of
 * the fast tier: with fewer, many cold pages have by chance as many as hot ones. It ends after
 * eight seconds in any case, because so many samples slow the program down.
 */
#ifndef POLICY_BURST_H
#define POLICY_BURST_H

#include "balance.h"
#include "policy.h"

/* After one look more than these the policy knows what pages gain, and what moves would save. */
#define LEARNT_LOOKS	2

/**
 * struct usual - the share of the fast tier, as it usually is
 * @looks: how many looks it is the mean of
 * @share: its mean
 * @spread: mean distance of values below the mean
 */
struct usual {
	__u32 looks;
	double share;
	double spread;
};

/**
 * struct burst - the burst of looks after a phase change
 * @off: there are none
 * @usual: to see phase changes
 * @first_share: share of the fast tier before anything was moved
 * @looks: looks of the burst so far, that which saw the phase change included; 0: there is none
 * @since: since when the program has used the same pages, as far as that is seen
 * @since_samples: samples until then
 * @began: when the last burst began
 * @samples: samples until then
 * @pause: seconds after which the next one may begin
 * @won: what moves had won when it began
 * @spent: and what was spent until then
 */
struct burst {
	bool off;
	struct usual usual;
	double first_share;
	unsigned int looks;
	double since;
	__u64 since_samples;
	double began;
	__u64 samples;
	double pause;
	double won;
	double spent;
};

/**
 * burst_begin() - the program uses other pages than before
 * @burst: the burst
 * @seconds: the time
 * @samples: samples until now
 * @balance: what was won and spent until now
 *
 * A burst costs much, which pays only if the program goes on using these pages. So if moves have
 * won less since the last one than twice what was spent, the next one waits twice as long, up to
 * five minutes.
 *
 * Return: false if it is too soon.
 */
bool burst_begin(struct burst *burst, double seconds, __u64 samples, const struct balance *balance);

/**
 * burst_look() - see a phase change, or the end of a burst
 * @burst: the burst
 * @look: what is known
 * @samples: number of samples since the last look
 * @share: share of these that were of the fast tier; below 0: unknown
 * @changed: regions have shown a phase change
 * @halved: there was a cooling since the last look. What was counted between the last lists and
 *	it was halved with the rest, so that the pages seem to have gained less than there were
 *	samples: the fewer of these, the less. So only a large drop is one.
 * @balance: what was won and spent until now
 *
 * Return: true if a burst begins.
 */
bool burst_look(struct burst *burst, const struct policy_look *look, __u64 samples, double share,
		bool changed, bool halved, const struct balance *balance);

/**
 * burst_drop() - is less served by the fast tier than usual?
 * @burst: the burst
 * @samples: number of samples
 * @share: share of these that were of the fast tier
 *
 * Return: true if it is less by more than it usually varies.
 */
bool burst_drop(const struct burst *burst, __u64 samples, double share);

/**
 * burst_pays() - have moves raised the share of the fast tier?
 * @burst: the burst
 *
 * Return: true if it is 1.5 times what the first look saw. If this was already much, it cannot
 * be: then the policy only looks and samples less.
 */
bool burst_pays(const struct burst *burst);

/**
 * burst_wait() - how many samples to wait for before the next look of a burst
 * @burst: the burst
 * @samples: samples until now
 * @capacity: pages of the fast tier
 *
 * As many as there were since it began: fewer tell little more, and a look takes as long however
 * many are new.
 */
double burst_wait(const struct burst *burst, __u64 samples, __u64 capacity);

#endif /* POLICY_BURST_H */
