/* SPDX-License-Identifier: GPL-2.0 */
/* A drain thread, ksampled: it moves samples from its rings to the tables. */
#ifndef HTMM_DRAIN_H
#define HTMM_DRAIN_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include "base/error.h"
#include "sample/sampler.h"
#include "track/batch.h"
#include "track/tracker_set.h"

/**
 * struct htmm_drain_common - data shared by all drain threads of a session
 * @trackers: destination of the samples; its lock also protects the samplers' counters
 * @memcg: the memory cgroup charged for the threads' allocations
 * @layout: where records have their fields
 * @weight_unit: period of a sample with weight 1; 0: each sample has weight 1
 * @served: samples are counted by what served them
 * @has_source: records tell what that was
 * @interval: the longest that a thread waits, in jiffies
 * @nr: threads
 * @round_lock: protects @rounds and @emptied
 * @rounds: number of times that all threads have emptied their rings
 * @emptied: bit mask of the threads that have emptied their rings since then
 */
struct htmm_drain_common {
	struct htmm_tracker_set *trackers;
	struct mem_cgroup *memcg;
	struct htmm_record_layout layout;
	u64 weight_unit;
	bool served;
	bool has_source;
	unsigned long interval;
	unsigned int nr;
	struct mutex round_lock;	/* what follows */
	u64 rounds;
	u64 emptied;
};

/**
 * struct htmm_drain - the consumer of some rings of a session
 * @common: data shared with the session's other threads
 * @index: its number in the session; also the number of the shard that it tidies
 * @node: NUMA node of its first ring
 * @cpus: CPUs that it may use; empty: the default CPUs of kernel threads, limited to @node
 *	if there are several drain threads
 * @task: the thread, or NULL when it does not run
 * @pid: its pid, kept after it has ended; NULL if it never ran
 * @running: completed when the thread runs and has set its CPU affinity
 * @wake: wait queue of the thread
 * @samplers: samplers whose rings it drains
 * @nr_samplers: elements in @samplers
 * @next: sampler that the next batch begins with
 * @tidy: how far its housekeeping has come
 * @next_look: number of the target that the next look for freed memory begins with
 * @look_from: since when time for such looks has been saved up, in nanoseconds
 * @look_ns: what looks have taken, in nanoseconds
 * @batches: batches drained; under the lock of the trackers
 * @cpu_ns: CPU time used, in nanoseconds
 * @period: the period of the last sample, if samples are weighted
 * @weight: the weight of such samples
 * @data_src: what the last sample was served by, if records tell that
 * @source: its meaning
 * @batch: the current batch; the source of a run is an index in @samplers
 */
struct htmm_drain {
	struct htmm_drain_common *common;
	unsigned int index;
	int node;
	const struct cpumask *cpus;
	struct task_struct *task;
	struct pid *pid;
	struct completion running;
	struct htmm_wake wake;
	struct htmm_sampler **samplers;
	unsigned int nr_samplers;
	unsigned int next;
	struct htmm_tidy tidy;
	u32 next_look;
	u64 look_from;
	u64 look_ns;
	u64 batches;
	u64 cpu_ns;
	u64 period;
	u32 weight;
	u64 data_src;
	enum htmm_source source;
	struct htmm_batch batch;
};

struct htmm_drain *htmm_drain_create(struct htmm_drain_common *common, unsigned int index,
				     unsigned int max_samplers, int node);
void htmm_drain_add_sampler(struct htmm_drain *drain, struct htmm_sampler *sampler);
int htmm_drain_start(struct htmm_drain *drain, const struct cpumask *cpus,
		     int nice, struct htmm_error *err);
void htmm_drain_stop(struct htmm_drain *drain);
void htmm_drain_reset(struct htmm_drain *drain);
void htmm_drain_destroy(struct htmm_drain *drain);

#endif /* HTMM_DRAIN_H */
