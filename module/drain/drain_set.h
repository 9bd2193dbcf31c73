/* SPDX-License-Identifier: GPL-2.0 */
/* The crew: all drain threads of a session, each with rings of its own. */
#ifndef HTMM_DRAIN_SET_H
#define HTMM_DRAIN_SET_H

#include <linux/mutex.h>
#include "base/config.h"
#include "sample/sampler_set.h"
#include "track/tracker_set.h"

struct htmm_drain;

/**
 * struct htmm_crew - the consumers of all rings of a session
 * @roster: where samples go; its lock covers the samplers' counters
 * @fleet: whose rings they are
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @weight_unit: the period that counts 1; 0: each sample does
 * @interval: the longest that a thread waits, in jiffies
 * @nr: threads
 * @drains: the threads
 * @round_lock: protects @rounds and @emptied
 * @rounds: times that all threads have emptied their rings
 * @emptied: threads that have done so since, a bit for each
 */
struct htmm_crew {
	struct htmm_roster *roster;
	struct htmm_fleet *fleet;
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
 * struct htmm_crew_stats - totals of all threads
 * @batches: batches drained
 * @wakeups: times a ring's watermark woke a thread
 * @cpu_ns: CPU time used, in nanoseconds
 */
struct htmm_crew_stats {
	u64 batches;
	u64 wakeups;
	u64 cpu_ns;
};

int htmm_crew_init(struct htmm_crew *crew, const struct htmm_config *config,
		   struct htmm_fleet *fleet, struct htmm_roster *roster);
int htmm_crew_start(struct htmm_crew *crew, const struct htmm_config *config,
		    struct htmm_error *err);
void htmm_crew_stop(struct htmm_crew *crew);
int htmm_crew_reset(struct htmm_crew *crew, struct htmm_members *old);
void htmm_crew_destroy(struct htmm_crew *crew);

void htmm_crew_round(struct htmm_crew *crew, unsigned int thread, u64 round);

/**
 * htmm_crew_rounds - which round it is
 * @crew: the crew
 *
 * Return: for htmm_crew_round(), asked before a thread looks at its rings.
 */
static inline u64 htmm_crew_rounds(const struct htmm_crew *crew)
{
	return READ_ONCE(crew->rounds);
}

void htmm_crew_get_stats(struct htmm_crew *crew, struct htmm_crew_stats *stats);
u32 htmm_crew_pid(const struct htmm_crew *crew, unsigned int thread);

#endif /* HTMM_DRAIN_SET_H */
