/* SPDX-License-Identifier: GPL-2.0 */
/* What went on in a session between two looks at it: plain numbers, no terminal. */
#ifndef TOP_ACTIVITY_H
#define TOP_ACTIVITY_H

#include "cmd/event_mode.h"
#include "cmd/mapping.h"
#include "cmd/results.h"

/**
 * struct flow - overflows, and where they went, in each second
 * @overflows: overflows delivered to the module
 * @counted: samples added to the hot-page table
 * @filtered: samples of tasks that are no targets
 * @lost: samples that were wanted: the sum of the other @drops
 * @throttled: overflows at which the kernel was throttling the event
 * @drops: samples not counted, by enum htmm_drop
 */
struct flow {
	double overflows;
	double counted;
	double filtered;
	double lost;
	double throttled;
	double drops[HTMM_DROP_SLOTS];
};

/* Samples lost, as a percentage of those that were wanted. */
static inline double lost_percent(const struct flow *flow)
{
	const double wanted = flow->overflows - flow->filtered;

	return wanted > 0 ? 100 * flow->lost / wanted : 0;
}

/**
 * struct event_activity - one event on all its CPUs
 * @flow: its overflows
 * @mode: how it runs now
 */
struct event_activity {
	struct flow flow;
	struct event_mode mode;
};

/**
 * struct activity - what went on
 * @seconds: between the two looks; all others are averages over them
 * @since_start: there was no earlier look at this session: it began @seconds ago
 * @total: all events together
 * @events: each event, in the order of the session
 * @nr_events: how many there are
 * @cost: what sampling cost lately, in percent of the time of the CPUs sampled
 * @budget: what it may cost, in percent; negative: there is no budget
 * @handlers: time in handlers, in percent of the time of the CPUs sampled
 * @ksampled: CPU time of ksampled, in percent of one CPU
 */
struct activity {
	double seconds;
	bool since_start;
	struct flow total;
	struct event_activity events[HTMM_MAX_EVENTS];
	unsigned int nr_events;
	double cost;
	double budget;
	double handlers;
	double ksampled;
};

/**
 * activity_between() - compare two looks at a session
 * @activity: filled from nothing
 * @was: the earlier one, or all zero; one at another session is as good as none
 * @now: the later one
 *
 * What is smaller now than it was has been reset, and so began at zero.
 */
void activity_between(struct activity *activity, const struct results *was,
		      const struct results *now);

/* By what mappings are listed. */
enum order { ORDER_SAMPLES, ORDER_PAGES, ORDER_HOT, ORDER_PID, ORDER_NAME, NR_ORDERS };

/**
 * order_name() - how an order is called
 * @order: the order
 *
 * Return: a word.
 */
const char *order_name(enum order order);

/**
 * mappings_choose() - keep the mappings that are asked for, in the order asked for
 * @maps: the mappings; those that stay are moved to the front
 * @nr: how many there are
 * @order: by what to sort; the largest number first, but pids and names from the smallest
 * @filter: part of the mapping's name, the command or the pid, in any case; "" keeps all
 *
 * Return: how many stay.
 */
size_t mappings_choose(struct mapping *maps, size_t nr, enum order order, const char *filter);

#endif /* TOP_ACTIVITY_H */
