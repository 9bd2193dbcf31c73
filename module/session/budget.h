/* SPDX-License-Identifier: GPL-2.0 */
/* Measures the cost of sampling and adjusts the periods to a budget. */
#ifndef HTMM_BUDGET_H
#define HTMM_BUDGET_H

#include <linux/workqueue.h>
#include "drain/drain.h"
#include "sample/channel_set.h"
#include "period.h"

/**
 * struct htmm_cost - cost of sampling since the start
 * @handler_ns: time in overflow handlers, in nanoseconds
 * @overflows: number of interrupts, each of which also has a cost outside the handler
 * @throttled: number of interrupts at which the kernel throttled an event
 * @drain_ns: CPU time of ksampled, except in pauses, in nanoseconds
 * @time_ns: elapsed time, summed over the sampled CPUs, in nanoseconds
 */
struct htmm_cost {
	u64 handler_ns;
	u64 overflows;
	u64 throttled;
	u64 drain_ns;
	u64 time_ns;
};

/**
 * struct htmm_budget - measures the cost and, if requested, changes the periods
 * @channels: channels of the events
 * @drain: ksampled
 * @work: checks the cost every @interval
 * @interval: in jiffies
 * @last: cost at the last check
 * @last_time: time of the last check, in nanoseconds that the events were armed
 * @prev: previous checks of each event
 * @cost_ppm: cost of the last window, or after the end of the whole session, in millionths
 *	of the CPU time
 * @stats: what it counts, by enum htmm_stat
 *
 * All members are written only by @work and, after it has ended, by htmm_budget_finish().
 * @cost_ppm and @stats are read without a lock.
 */
struct htmm_budget {
	struct htmm_channel_set *channels;
	struct htmm_drain *drain;
	struct delayed_work work;
	unsigned long interval;
	struct htmm_cost last;
	u64 last_time;
	struct htmm_period_prev prev[HTMM_MAX_EVENTS];
	u32 cost_ppm;
	u64 stats[HTMM_NR_STATS];
};

void htmm_budget_start(struct htmm_budget *budget, struct htmm_channel_set *channels,
		       struct htmm_drain *drain);
void htmm_budget_stop(struct htmm_budget *budget);
void htmm_budget_finish(struct htmm_budget *budget);

#endif /* HTMM_BUDGET_H */
