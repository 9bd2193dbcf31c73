/* SPDX-License-Identifier: GPL-2.0 */
/* What sampling costs, and the periods that keep it within its budget. */
#ifndef HTMM_BUDGET_H
#define HTMM_BUDGET_H

#include <linux/workqueue.h>
#include "core/period.h"
#include "drain/drain_set.h"
#include "sample/sampler_set.h"

/**
 * struct htmm_cost - what sampling has cost since the start
 * @handler_ns: time in overflow handlers, in nanoseconds
 * @overflows: interrupts, each of which costs something outside the handler
 * @drain_ns: CPU time of the drain threads, in nanoseconds
 * @time_ns: the time itself, summed over the CPUs sampled, in nanoseconds
 */
struct htmm_cost {
	u64 handler_ns;
	u64 overflows;
	u64 drain_ns;
	u64 time_ns;
};

/**
 * struct htmm_budget - watches the cost and, if asked to, moves the periods
 * @samplers: whose events
 * @drains: whose threads
 * @work: looks every @interval
 * @interval: in jiffies
 * @last: cost at the last look
 * @last_time: when that was
 * @prev: what earlier looks saw, of each event
 * @cost_ppm: cost of the last window, in millionths of the CPU time
 * @changes: times that a period was changed
 *
 * Everything is written by @work alone; the last two are read by anyone.
 */
struct htmm_budget {
	struct htmm_sampler_set *samplers;
	struct htmm_drain_set *drains;
	struct delayed_work work;
	unsigned long interval;
	struct htmm_cost last;
	ktime_t last_time;
	struct htmm_period_prev prev[HTMM_MAX_EVENTS];
	u32 cost_ppm;
	u64 changes;
};

void htmm_budget_start(struct htmm_budget *budget, struct htmm_sampler_set *samplers,
		       struct htmm_drain_set *drains);
void htmm_budget_stop(struct htmm_budget *budget);

#endif /* HTMM_BUDGET_H */
