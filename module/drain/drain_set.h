/* SPDX-License-Identifier: GPL-2.0 */
/* All drain threads of a session, each with its own rings. */
#ifndef HTMM_DRAIN_SET_H
#define HTMM_DRAIN_SET_H

#include "base/config.h"
#include "drain.h"
#include "sample/sampler_set.h"
#include "track/tracker_set.h"

struct mem_cgroup;

/**
 * struct htmm_drain_set - the consumers of all rings of a session
 * @common: data shared by the threads
 * @samplers: samplers of the rings
 * @nr: threads in @drains
 * @drains: the threads
 */
struct htmm_drain_set {
	struct htmm_drain_common common;
	struct htmm_sampler_set *samplers;
	unsigned int nr;
	struct htmm_drain *drains[HTMM_MAX_DRAIN_THREADS];
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
			struct htmm_sampler_set *samplers, struct htmm_tracker_set *trackers,
			struct mem_cgroup *memcg);
void htmm_drain_set_nodes(const struct htmm_drain_set *set, int *node);
int htmm_drain_set_start(struct htmm_drain_set *set, const struct htmm_config *config,
			 struct htmm_error *err);
void htmm_drain_set_stop(struct htmm_drain_set *set);
int htmm_drain_set_reset(struct htmm_drain_set *set, struct htmm_tracker_list *old);
void htmm_drain_set_destroy(struct htmm_drain_set *set);

void htmm_drain_set_get_stats(struct htmm_drain_set *set, struct htmm_drain_set_stats *stats);
u32 htmm_drain_set_pid(const struct htmm_drain_set *set, unsigned int thread);

#endif /* HTMM_DRAIN_SET_H */
