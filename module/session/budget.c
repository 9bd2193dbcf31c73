// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/math64.h>
#include "base/compat.h"
#include "base/trace.h"
#include "budget.h"

/* Upper limit of the reported cost, as a multiple of the window: in ppm it fits in 32 bits. */
#define HTMM_MAX_COST	4000
/* Limit of htmm_period_next(). It is reached only if a clock is wrong. */
#define HTMM_MAX_SPENT	(BIT_ULL(56) - 1)

/*
 * The whole cost in a window: the time that handlers measured, a fixed time for entering and
 * leaving each interrupt, which a handler cannot measure, and the CPU time of ksampled.
 */
static u64 htmm_budget_spent(const struct htmm_budget *budget, const struct htmm_cost *now)
{
	const struct htmm_cost *last = &budget->last;
	u32 charge = budget->channels->config->start.interrupt_ns;

	return now->handler_ns - last->handler_ns +
	       (now->overflows - last->overflows) * charge + now->drain_ns - last->drain_ns;
}

/* Clamp first: a quotient of more than 64 bits would raise a divide exception. */
static u32 htmm_budget_ppm(u64 spent, u64 window)
{
	if (div_u64(spent, HTMM_MAX_COST) >= window)
		return U32_MAX;
	return mul_u64_u64_div_u64(spent, 1000000, window);
}

static void htmm_budget_measure(struct htmm_budget *budget, struct htmm_cost *cost, u64 now)
{
	struct htmm_channel_set *channels = budget->channels;
	unsigned int i;

	*cost = (struct htmm_cost) { .drain_ns = READ_ONCE(budget->drain->busy_ns) };
	mutex_lock(&channels->lock);
	for (i = 0; i < channels->nr_channels; i++) {
		cost->handler_ns += local64_read(&channels->channels[i]->handler_ns);
		cost->overflows += local64_read(&channels->channels[i]->overflows);
		cost->throttled += local64_read(&channels->channels[i]->throttled);
	}
	cost->overflows -= channels->idle;
	cost->time_ns = budget->last.time_ns + channels->nr_cpus * (now - budget->last_time);
	mutex_unlock(&channels->lock);
}

/* What was spent in a window up to @now; it is reported as the cost. */
static u64 htmm_budget_report(struct htmm_budget *budget, const struct htmm_cost *now)
{
	u64 spent = min(htmm_budget_spent(budget, now), HTMM_MAX_SPENT);
	u64 window = now->time_ns - budget->last.time_ns;

	if (window)
		WRITE_ONCE(budget->cost_ppm, htmm_budget_ppm(spent, window));
	return spent;
}

/*
 * Apply the same factor to each event, so that their proportions stay the same. While the kernel
 * throttles, samples cost little because it drops most of them. Shorter periods would not give
 * more samples, only samples from the time right after a tick. So no period is lowered then.
 */
static void htmm_budget_move(struct htmm_budget *budget, u64 spent, u64 allowed, bool throttled)
{
	const struct htmm_start *start = &budget->channels->config->start;
	const struct htmm_event *event;
	struct htmm_period_range range;
	u64 period, next;
	unsigned int i;

	for (i = 0; i < start->nr_events; i++) {
		event = &budget->channels->config->events[i];
		period = htmm_channel_set_period(budget->channels, i);
		range = htmm_period_range_of(event->min_period, event->max_period,
					     htmm_channel_set_step(budget->channels, i));
		if (throttled)
			range.min = max(range.min, period);
		next = htmm_period_next(&budget->prev[i], period, &range, spent, allowed);
		if (next == period || htmm_channel_set_set_period(budget->channels, i, next))
			continue;
		htmm_stat_add(budget->stats, HTMM_STAT_PERIOD_CHANGES, 1);
		trace_htmm_period(i, period, next, budget->cost_ppm, start->budget_ppm);
	}
}

static void htmm_budget_work(struct work_struct *work)
{
	struct htmm_budget *budget = container_of(work, struct htmm_budget, work.work);
	const struct htmm_start *start = &budget->channels->config->start;
	u64 time = htmm_channel_set_elapsed(budget->channels);
	u64 spent, window;
	struct htmm_cost now;

	/* After a pause, wait for enough of the time in which events count. */
	if ((s64)(time - budget->last_time) < (s64)jiffies_to_nsecs(budget->interval) / 2)
		goto out;
	htmm_budget_measure(budget, &now, time);
	spent = htmm_budget_report(budget, &now);
	window = now.time_ns - budget->last.time_ns;
	if (window && start->flags & HTMM_START_BUDGET)
		htmm_budget_move(budget, spent,
				 mul_u64_u64_div_u64(window, start->budget_ppm, 1000000),
				 now.throttled != budget->last.throttled);
	budget->last = now;
	budget->last_time = time;
out:
	queue_delayed_work(htmm_unbound_wq, &budget->work, budget->interval);
}

/* Start to measure the cost. @budget is zeroed. */
void htmm_budget_start(struct htmm_budget *budget, struct htmm_channel_set *channels,
		       struct htmm_drain *drain)
{
	budget->channels = channels;
	budget->drain = drain;
	budget->interval = msecs_to_jiffies(channels->config->start.budget_interval_ms);
	INIT_DELAYED_WORK(&budget->work, htmm_budget_work);
	queue_delayed_work(htmm_unbound_wq, &budget->work, budget->interval);
}

void htmm_budget_stop(struct htmm_budget *budget)
{
	cancel_delayed_work_sync(&budget->work);
}

/*
 * The session is stopped: from now on, report the cost of the whole session. The last window would
 * say nothing about work that was done before it.
 */
void htmm_budget_finish(struct htmm_budget *budget)
{
	struct htmm_cost all;

	htmm_budget_measure(budget, &all, htmm_channel_set_elapsed(budget->channels));
	budget->last = (struct htmm_cost) {};
	htmm_budget_report(budget, &all);
}
