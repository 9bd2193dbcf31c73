/* SPDX-License-Identifier: GPL-2.0 */
/* ksampled: the thread that carries samples from the rings to the table. */
#ifndef HTMM_DRAIN_H
#define HTMM_DRAIN_H

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include "error.h"
#include "hotness.h"
#include "sampler.h"

/**
 * struct htmm_drain - the consumer of all rings of a session
 * @task: ksampled, or NULL when it does not run
 * @pid: its pid, even after it has ended; NULL if it never ran
 * @wake: where it waits
 * @lock: held from taking a batch out of the rings until it is booked; protects
 *	the samplers' @counted, @discarded and @base
 * @hotness: where samples go
 * @samplers: whose rings it drains
 * @nr_samplers: elements in @samplers
 * @next: sampler that the next batch begins with
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @weight_unit: the period that counts 1; 0: each sample does
 * @interval: longest wait, in jiffies
 * @batches: batches drained
 * @cpu_ns: CPU time used, in nanoseconds
 * @accesses: the batch at work
 * @origin: for each of @accesses, the sampler it came from
 * @drops: for each of @accesses, what became of it
 */
struct htmm_drain {
	struct task_struct *task;
	struct pid *pid;
	struct htmm_wake wake;
	struct mutex lock;	/* a batch and its counters */
	struct htmm_hotness *hotness;
	struct htmm_sampler **samplers;
	unsigned int nr_samplers;
	unsigned int next;
	u64 sample_type;
	u64 weight_unit;
	unsigned long interval;
	u64 batches;
	u64 cpu_ns;
	struct htmm_access accesses[HTMM_HOTNESS_BATCH];
	struct htmm_sampler *origin[HTMM_HOTNESS_BATCH];
	enum htmm_drop drops[HTMM_HOTNESS_BATCH];
};

void htmm_drain_init(struct htmm_drain *drain);
int htmm_drain_start(struct htmm_drain *drain, const struct cpumask *cpus,
		     int nice, struct htmm_error *err);
void htmm_drain_stop(struct htmm_drain *drain);
void htmm_drain_reset(struct htmm_drain *drain);
void htmm_drain_destroy(struct htmm_drain *drain);

#endif /* HTMM_DRAIN_H */
