/* SPDX-License-Identifier: GPL-2.0 */
/* What happened in a session between two looks at it; numbers only, no terminal. */
#ifndef TOP_ACTIVITY_H
#define TOP_ACTIVITY_H

#include "htmmctl/view.h"
#include "mapping/mapping.h"

/**
 * struct flow - overflows and what became of them, per second
 * @overflows: overflows delivered to the module
 * @counted: samples added to the hot-page table
 * @filtered: samples of tasks outside all targets
 * @lost: samples of targets that were lost: the sum of the other @drops
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

/* Samples lost, as a percentage of all samples of targets. */
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
 * struct activity - activity between two looks
 * @seconds: time between the two looks; all rates are averages over it
 * @since_start: this is the first look at this session, which began @seconds ago
 * @total: all events together
 * @events: each event, in the order of the session
 * @nr_events: how many there are
 * @cost: the recent cost of sampling, in percent of the time of the CPUs sampled
 * @budget: the highest cost allowed, in percent; negative: no budget
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
 * @activity: filled; old contents are ignored
 * @was: the earlier one, or all zero; ignored if it is of another session
 * @now: the later one
 *
 * A counter that is smaller now was reset, so it started at zero.
 */
void activity_between(struct activity *activity, const struct results *was,
		      const struct results *now);

/* Sort order of the mappings. */
enum order { ORDER_SAMPLES, ORDER_PAGES, ORDER_HOT, ORDER_PID, ORDER_NAME, NR_ORDERS };

/**
 * order_name() - the name of an order
 * @order: the order
 *
 * Return: a word.
 */
const char *order_name(enum order order);

/**
 * mappings_choose() - filter and sort mappings
 * @maps: the mappings; those that stay are moved to the front
 * @nr: how many there are
 * @order: what to sort by; largest numbers first, but pids and names ascending
 * @filter: part of the mapping's name, the command or the pid, upper or lower case; ""
 *	keeps all
 *
 * Return: how many stay.
 */
size_t mappings_choose(struct mapping *maps, size_t nr, enum order order, const char *filter);

#endif /* TOP_ACTIVITY_H */
