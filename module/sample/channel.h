/* SPDX-License-Identifier: GPL-2.0 */
/* One event on one CPU: its ring and its counters. */
#ifndef HTMM_CHANNEL_H
#define HTMM_CHANNEL_H

#include <linux/irq_work.h>
#include <linux/wait.h>
#include <asm/local64.h>
#include "base/error.h"
#include "core/record.h"
#include "core/ring.h"
#include "filter.h"

struct perf_event;

/**
 * struct htmm_wake - how a ring that has reached its watermark wakes ksampled
 * @queue: wait queue of the thread
 * @pending: set by the waker, cleared by the thread when it starts a pass
 * @wakeups: times @pending was set
 */
struct htmm_wake {
	wait_queue_head_t queue;
	atomic_t pending;
	atomic64_t wakeups;
};

/**
 * struct htmm_event_state - state of a perf event
 * @count: events counted
 * @time_enabled: nanoseconds it was enabled
 * @time_running: nanoseconds it was counting
 * @period: events between two samples
 * @precise_ip: the precision in effect
 * @active: it is on its PMU now
 * @large_pebs: large PEBS is on
 */
struct htmm_event_state {
	u64 count;
	u64 time_enabled;
	u64 time_running;
	u64 period;
	u32 precise_ip;
	bool active;
	bool large_pebs;
};

/**
 * struct htmm_channel - one event on one CPU
 * @event: the perf event, or NULL while its CPU is offline and after the session has
 *	stopped. Protected by &struct htmm_channel_set.lock; the overflow handler gets its
 *	own pointer from perf
 * @state: state of the event when last read, under the same lock
 * @prev: state accumulated from earlier events on the same CPU
 * @filter: targets whose samples pass
 * @wake: how to wake ksampled
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @user_only: the PMU cannot exclude the kernel, so the handler drops its samples; it samples
 *	instructions of all kinds
 * @min_level: what must have served a sample, or the handler drops it; 0: anything
 * @cpu: CPU number
 * @index: index of the event in the session
 * @mem: memory of @ring; NULL before the CPU is first online and after the session has stopped
 * @ring: records for ksampled
 * @overflows: times the handler was entered
 * @busy: a handler is running
 * @work: posts the wake-up from NMI context
 * @last: the cgroup of the last sample, and its target
 * @throttled: number of @overflows at which the event was throttled
 * @outside_nmi: overflows are not in NMI context: either all are or none
 * @handler_ns: estimate of the time in the handler, in nanoseconds: one of
 *	HTMM_TIMED_EVERY handlers is timed
 * @untimed: handlers until the next one that is timed
 * @dropped: records the handler did not put in the ring, by reason
 * @counted: records that ksampled added to a table
 * @discarded: records that ksampled did not add, by reason
 * @reported: part of @dropped and @discarded that the tracepoint has reported
 * @base: counters at the last RESET, subtracted when they are read
 *
 * @overflows to @dropped are written only on @cpu, by the handler; of an event that is fed, which
 * has no overflows, by htmm_feed() under the same lock as @event. Counters are local64_t, because a
 * nested handler may interrupt an increment. What each sample needs of them is in
 * one cache line. @counted to @reported are written only by ksampled, and @base by RESET, both
 * with &struct htmm_target_set.lock held.
 */
struct htmm_channel {
	struct perf_event *event;
	struct htmm_event_state state;
	struct htmm_event_state prev;
	const struct htmm_filter *filter;
	struct htmm_wake *wake;
	u64 sample_type;
	bool user_only;
	enum htmm_source min_level;
	unsigned int cpu;
	unsigned int index;
	void *mem;

	struct htmm_ring ring;

	local64_t overflows ____cacheline_aligned;
	bool busy;
	s32 untimed;
	local64_t handler_ns;
	struct irq_work work;
	struct htmm_filter_last last;
	bool outside_nmi;
	local64_t throttled;
	local64_t dropped[HTMM_NR_DROPS];

	u64 counted ____cacheline_aligned;
	u64 discarded[HTMM_NR_DROPS];
	u64 reported[HTMM_NR_DROPS];
	struct htmm_counters base;
};

/*
 * True from the time that the ring is ready until it is freed. A CPU that comes online during the
 * session gets its ring then.
 */
static inline bool htmm_channel_has_ring(const struct htmm_channel *channel)
{
	/* Pairs with the store-release in htmm_channel_make_ring(). */
	return smp_load_acquire(&channel->mem);
}

int htmm_channel_make_ring(struct htmm_channel *channel, size_t bytes);
void htmm_channel_free_ring(struct htmm_channel *channel);
void htmm_channel_read(const struct htmm_channel *channel, struct htmm_counters *counters);
void htmm_channel_reset(struct htmm_channel *channel);

#endif /* HTMM_CHANNEL_H */
