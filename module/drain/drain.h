/* SPDX-License-Identifier: GPL-2.0 */
/* ksampled, the drain thread: it moves samples from the rings to the tables. */
#ifndef HTMM_DRAIN_H
#define HTMM_DRAIN_H

#include <linux/completion.h>
#include "base/config.h"
#include "base/stats.h"
#include "core/batch.h"
#include "sample/channel_set.h"
#include "track/page_list.h"
#include "track/target_set.h"

struct mem_cgroup;

/**
 * struct htmm_drain - the consumer of all rings of a session
 * @targets: destination of the samples; their lock also protects the channels' counters
 * @channels: the channels of the rings
 * @memcg: the memory cgroup charged for the thread's allocations
 * @cpus: CPUs that it may use; empty: the default CPUs of kernel threads
 * @interval: the longest that it waits, in jiffies
 * @served: samples are counted by what served them
 * @task: the thread, or NULL when it does not run
 * @pid: its pid, kept after it has ended; NULL if it never ran
 * @running: completed when the thread runs and has set its CPU affinity
 * @wake: wait queue of the thread
 * @next: channel that the next batch begins with
 * @tidy: progress of its housekeeping
 * @next_look: number of the target that the next look for freed memory begins with
 * @look_ns: time left for such looks, in nanoseconds; below 0 if they took too long
 * @looked: when @look_ns was computed, in nanoseconds
 * @busy_ns: its CPU time, without that in pauses in which it found no records
 * @stats: what it counts, by enum htmm_stat
 * @spares: pages for the tables; kept from batch to batch
 * @batch: the current batch; the ring of a run is an index of its channel
 *
 * From @next on, all is written by the thread only; @busy_ns and @stats are read without a lock.
 */
struct htmm_drain {
	struct htmm_target_set *targets;
	struct htmm_channel_set *channels;
	struct mem_cgroup *memcg;
	const struct cpumask *cpus;
	unsigned long interval;
	bool served;
	struct task_struct *task;
	struct pid *pid;
	struct completion running;
	struct htmm_wake wake;
	unsigned int next;
	struct htmm_tidy tidy;
	u32 next_look;
	s64 look_ns;
	u64 looked;
	u64 busy_ns;
	u64 stats[HTMM_NR_STATS];
	struct htmm_pages spares;
	struct htmm_batch batch;
};

void htmm_drain_init(struct htmm_drain *drain, const struct htmm_config *config,
		     struct htmm_channel_set *channels, struct htmm_target_set *targets,
		     struct mem_cgroup *memcg);
int htmm_drain_start(struct htmm_drain *drain, int nice, struct htmm_error *err);
void htmm_drain_stop(struct htmm_drain *drain);
int htmm_drain_reset(struct htmm_drain *drain, struct htmm_target_list *old);

#endif /* HTMM_DRAIN_H */
