/* SPDX-License-Identifier: GPL-2.0 */
/* The set: all drain threads of a session, each with rings of its own. */
#ifndef HTMM_DRAIN_SET_H
#define HTMM_DRAIN_SET_H

#include <linux/mutex.h>
#include "base/config.h"
#include "sample/sampler_set.h"
#include "track/tracker_set.h"

struct htmm_drain;

/**
 * struct htmm_drain_set - the consumers of all rings of a session
 * @trackers: where samples go; its lock covers the samplers' counters
 * @samplers: whose rings they are
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @weight_unit: the period that counts 1; 0: each sample does
 * @interval: the longest that a thread waits, in jiffies
 * @nr: threads
 * @drains: the threads
 * @round_lock: protects @rounds and @emptied
 * @rounds: times that all threads have emptied their rings
 * @emptied: threads that have done so since, a bit for each
 */
struct htmm_drain_set {
	struct htmm_tracker_set *trackers;
	struct htmm_sampler_set *samplers;
	u64 sample_type;
	u64 weight_unit;
	unsigned long interval;
	unsigned int nr;
	struct htmm_drain *drains[HTMM_MAX_DRAIN_THREADS];
	struct mutex round_lock;	/* what follows */
	u64 rounds;
	u64 emptied;
};

/**
 * struct htmm_drain_set_stats - totals of all threads
 * @batches: batches drained
 * @wakeups: times a ring's watermark woke a thread
 * @cpu_ns: CPU time used, in nanoseconds
 */
struct htmm_drain_set_stats {
	u64 batches;
	u64 wakeups;
	u64 cpu_ns;
};

int htmm_drain_set_init(struct htmm_drain_set *set, const struct htmm_config *config,
			struct htmm_sampler_set *samplers, struct htmm_tracker_set *trackers);
int htmm_drain_set_start(struct htmm_drain_set *set, const struct htmm_config *config,
			 struct htmm_error *err);
void htmm_drain_set_stop(struct htmm_drain_set *set);
int htmm_drain_set_reset(struct htmm_drain_set *set, struct htmm_members *old);
void htmm_drain_set_destroy(struct htmm_drain_set *set);

void htmm_drain_set_round(struct htmm_drain_set *set, unsigned int thread, u64 round);

/**
 * htmm_drain_set_rounds - which round it is
 * @set: the set
 *
 * Return: for htmm_drain_set_round(), asked before a thread looks at its rings.
 */
static inline u64 htmm_drain_set_rounds(const struct htmm_drain_set *set)
{
	return READ_ONCE(set->rounds);
}

void htmm_drain_set_get_stats(struct htmm_drain_set *set, struct htmm_drain_set_stats *stats);
u32 htmm_drain_set_pid(const struct htmm_drain_set *set, unsigned int thread);

#endif /* HTMM_DRAIN_SET_H */
