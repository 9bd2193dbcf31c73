/* SPDX-License-Identifier: GPL-2.0 */
/* One event on one CPU: its ring, and where its overflows went. */
#ifndef HTMM_SAMPLER_H
#define HTMM_SAMPLER_H

#include <linux/irq_work.h>
#include <linux/wait.h>
#include <asm/local64.h>
#include "base/error.h"
#include "core/record.h"
#include "core/ring.h"
#include "filter.h"

struct perf_event;

/**
 * struct htmm_wake - how a ring past its watermark wakes a drain thread
 * @queue: where the thread waits
 * @pending: set by the waker, cleared by the thread when it starts a pass
 * @wakeups: times @pending was set
 */
struct htmm_wake {
	wait_queue_head_t queue;
	atomic_t pending;
	atomic64_t wakeups;
};

/**
 * struct htmm_event_state - what perf made of an event
 * @count: events counted
 * @time_enabled: nanoseconds it was enabled
 * @time_running: nanoseconds it really counted
 * @period: events between two samples
 * @precise_ip: the precision that perf gives it
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
 * struct htmm_sampler - one event on one CPU
 * @event: the perf event, or NULL while its CPU is offline and after the end.
 *	Protected by &struct htmm_sampler_set.lock; the overflow handler gets its own pointer
 *	from perf
 * @state: what perf said of the event when last asked, under the same lock
 * @prev: of that, what earlier events on the same CPU came to
 * @filter: whose samples pass
 * @wake: how to wake its drain thread
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @user_only: the PMU cannot leave out the kernel: the handler does
 * @cpu: CPU number
 * @index: index of the event in the session
 * @mem: memory of @ring; NULL before the CPU is first online and after the end
 * @ring: records on their way to the drain thread
 * @work: posts the wake-up from NMI context
 * @busy: a handler is at work
 * @overflows: times the handler was entered
 * @throttled: of these, how many found the event throttled
 * @in_nmi: and how many were in NMI context
 * @handler_ns: time in the handler, in nanoseconds
 * @dropped: records the handler did not put in the ring, by reason
 * @counted: records its drain thread added to a table
 * @discarded: records its drain thread did not add, by reason
 * @reported: of @dropped and @discarded, what the tracepoint has reported
 * @base: what to subtract from all counters since the last RESET
 *
 * @overflows to @dropped are written on @cpu alone, by the handler; local64_t,
 * because a nested handler may interrupt an increment. @counted to @reported are
 * written by its drain thread alone, under &struct htmm_tracker_set.lock held for
 * reading, which covers @base too: held for writing.
 */
struct htmm_sampler {
	struct perf_event *event;
	struct htmm_event_state state;
	struct htmm_event_state prev;
	const struct htmm_filter *filter;
	struct htmm_wake *wake;
	u64 sample_type;
	bool user_only;
	unsigned int cpu;
	unsigned int index;
	void *mem;

	struct htmm_ring ring;

	struct irq_work work ____cacheline_aligned;
	bool busy;
	local64_t overflows;
	local64_t throttled;
	local64_t in_nmi;
	local64_t handler_ns;
	local64_t dropped[HTMM_NR_DROPS];

	u64 counted ____cacheline_aligned;
	u64 discarded[HTMM_NR_DROPS];
	u64 reported[HTMM_NR_DROPS];
	struct htmm_counters base;
};

/**
 * htmm_sampler_has_ring - does a CPU that may come late have its ring by now?
 * @sampler: the sampler
 *
 * Context: any.
 * Return: true from when the ring is ready until it is freed.
 */
static inline bool htmm_sampler_has_ring(const struct htmm_sampler *sampler)
{
	/* Pairs with the store-release in htmm_sampler_make_ring(). */
	return smp_load_acquire(&sampler->mem);
}

struct htmm_sampler *htmm_sampler_create(unsigned int cpu, unsigned int index,
					 u64 sample_type);
int htmm_sampler_make_ring(struct htmm_sampler *sampler, size_t bytes);
void htmm_sampler_free_ring(struct htmm_sampler *sampler);
void htmm_sampler_destroy(struct htmm_sampler *sampler);
void htmm_sampler_read(const struct htmm_sampler *sampler,
		       struct htmm_counters *counters);
void htmm_sampler_reset(struct htmm_sampler *sampler);

#endif /* HTMM_SAMPLER_H */
