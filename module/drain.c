// SPDX-License-Identifier: GPL-2.0
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include "drain.h"
#include "stream.h"
#include "trace.h"

/* Wakes ksampled on behalf of an overflow handler. */
static void htmm_drain_wake(struct irq_work *work)
{
	struct htmm_wake *wake =
		container_of(work, struct htmm_sampler, work)->wake;

	if (!atomic_xchg(&wake->pending, 1))
		atomic64_inc(&wake->wakeups);
	wake_up(&wake->queue);
}

/* What a record counts: how many times the unit its period is, rounded. */
static u32 htmm_drain_weight(const struct htmm_drain *drain, const u64 *slot)
{
	u64 unit = drain->weight_unit;
	u64 period;

	if (!unit)
		return 1;
	period = htmm_record_period(slot, drain->sample_type);
	return clamp_t(u64, div64_u64(period + unit / 2, unit), 1, U32_MAX);
}

/* Takes up to @room records out of one ring into the batch. */
static u32 htmm_drain_ring(struct htmm_drain *drain,
			   struct htmm_sampler *sampler, u32 fill, u32 room)
{
	struct htmm_access *access = &drain->accesses[fill];
	u32 i, n;
	void *first;
	const u64 *slot;

	n = min(htmm_ring_peek(&sampler->ring, &first), room);
	for (i = 0; i < n; i++) {
		slot = first + i * sampler->ring.slot_size;
		access[i] = (struct htmm_access) {
			.addr = htmm_record_addr(slot, drain->sample_type),
			.cookie = htmm_record_cookie(slot, drain->sample_type),
			.pid = htmm_record_pid(slot),
			.weight = htmm_drain_weight(drain, slot),
		};
		drain->origin[fill + i] = sampler;
	}
	if (n) {
		htmm_stream_offer(sampler->index, first, n,
				  sampler->ring.slot_size);
		htmm_ring_consume(&sampler->ring, n);
	}
	return n;
}

/*
 * Gathers a batch from all rings, beginning with another one each time, so that
 * a busy CPU cannot keep the others waiting. A ring is left when it is empty or the
 * batch is full, and not before: a look at a ring ends at the end of its memory,
 * with more behind it. So a batch that is not full has emptied all rings.
 */
static u32 htmm_drain_gather(struct htmm_drain *drain)
{
	u32 fill = 0, visited, n;

	for (visited = 0; visited < drain->nr_samplers; visited++) {
		do {
			n = htmm_drain_ring(drain, drain->samplers[drain->next],
					    fill, HTMM_HOTNESS_BATCH - fill);
			fill += n;
		} while (n && fill < HTMM_HOTNESS_BATCH);
		if (++drain->next == drain->nr_samplers)
			drain->next = 0;
		if (fill == HTMM_HOTNESS_BATCH)
			break;
	}
	return fill;
}

/* Books what became of each record under the sampler it came from. */
static void htmm_drain_account(struct htmm_drain *drain, u32 n)
{
	struct htmm_sampler *sampler;
	u32 i;

	for (i = 0; i < n; i++) {
		sampler = drain->origin[i];
		if (drain->drops[i] != HTMM_NR_DROPS) {
			sampler->discarded[drain->drops[i]]++;
			continue;
		}
		sampler->counted++;
		trace_htmm_sample(sampler->cpu, sampler->index,
				  drain->accesses[i].pid, drain->accesses[i].addr,
				  drain->accesses[i].weight);
	}
}

/* Tells of what was dropped since the last time, by the overflow handler as well. */
static void htmm_drain_trace_drops(struct htmm_drain *drain)
{
	struct htmm_sampler *sampler;
	unsigned int i, reason;
	u64 drops;

	if (!trace_htmm_drop_enabled())
		return;
	for (i = 0; i < drain->nr_samplers; i++) {
		sampler = drain->samplers[i];
		for (reason = 0; reason < HTMM_NR_DROPS; reason++) {
			drops = local64_read(&sampler->dropped[reason]) +
				sampler->discarded[reason];
			if (drops == sampler->told[reason])
				continue;
			trace_htmm_drop(sampler->cpu, sampler->index, reason,
					drops - sampler->told[reason]);
			sampler->told[reason] = drops;
		}
	}
}

/* Drains one batch. Returns true if it was full, so that more may be waiting. */
static bool htmm_drain_batch(struct htmm_drain *drain)
{
	u32 n;

	mutex_lock(&drain->lock);
	n = htmm_drain_gather(drain);
	if (n) {
		htmm_hotness_add(drain->hotness, drain->accesses, n,
				 drain->drops);
		htmm_drain_account(drain, n);
		drain->batches++;
	}
	htmm_drain_trace_drops(drain);
	mutex_unlock(&drain->lock);
	return n == HTMM_HOTNESS_BATCH;
}

/* One pass. Returns true if there is more to do at once. */
static bool htmm_drain_pass(struct htmm_drain *drain)
{
	bool more;

	/*
	 * Before the rings are read, so that a wake-up for a record that this
	 * pass does not see is not lost: pairs with atomic_xchg() in
	 * htmm_drain_wake().
	 */
	atomic_xchg(&drain->wake.pending, 0);
	more = htmm_drain_batch(drain);
	if (!more)
		htmm_stream_round();
	more |= htmm_hotness_tidy(drain->hotness);
	WRITE_ONCE(drain->cpu_ns, current->se.sum_exec_runtime);
	return more;
}

static int ksampled(void *arg)
{
	struct htmm_drain *drain = arg;

	set_freezable();
	while (!kthread_should_stop()) {
		if (htmm_drain_pass(drain)) {
			cond_resched();
			try_to_freeze();
			continue;
		}
		wait_event_freezable_timeout(drain->wake.queue,
					     atomic_read(&drain->wake.pending) ||
					     kthread_should_stop(),
					     drain->interval);
	}

	/* The events are gone: what is in the rings now is all there is. */
	while (htmm_drain_batch(drain))
		cond_resched();
	WRITE_ONCE(drain->cpu_ns, current->se.sum_exec_runtime);
	return 0;
}

/**
 * htmm_drain_init - prepare a drain that has no thread yet
 * @drain: the drain; its hotness, samplers, sample_type and interval are set
 *
 * No event may have been created for the samplers, which learn here how to wake
 * the thread.
 */
void htmm_drain_init(struct htmm_drain *drain)
{
	unsigned int i;

	init_waitqueue_head(&drain->wake.queue);
	atomic_set(&drain->wake.pending, 0);
	atomic64_set(&drain->wake.wakeups, 0);
	mutex_init(&drain->lock);

	for (i = 0; i < drain->nr_samplers; i++) {
		drain->samplers[i]->wake = &drain->wake;
		init_irq_work(&drain->samplers[i]->work, htmm_drain_wake);
	}
}

/**
 * htmm_drain_start - start ksampled
 * @drain: a prepared drain
 * @cpus: CPUs it may use; empty: those of any kernel thread
 * @nice: its nice value, -20 to 19
 * @err: on failure, the reason
 *
 * Context: process, may sleep.
 * Return: 0, or the errno of kthread_create().
 */
int htmm_drain_start(struct htmm_drain *drain, const struct cpumask *cpus,
		     int nice, struct htmm_error *err)
{
	struct task_struct *task;

	task = kthread_create(ksampled, drain, "ksampled");
	if (IS_ERR(task))
		return htmm_fail(err, PTR_ERR(task),
				 "cannot create the thread ksampled");

	set_user_nice(task, nice);
	/*
	 * Unless told otherwise it stays off isolated CPUs, as kernel threads do.
	 * CPUs may have gone offline since the mask was checked: any will do then.
	 */
	if (!cpumask_empty(cpus) && set_cpus_allowed_ptr(task, cpus))
		pr_warn("htmm: ksampled may run on any CPU: the CPUs asked for are offline\n");
	drain->task = task;
	drain->pid = get_task_pid(task, PIDTYPE_PID);
	wake_up_process(task);
	return 0;
}

/**
 * htmm_drain_stop - drain what is left and end ksampled
 * @drain: the drain; does nothing if it was never started
 *
 * Every event must have been released, and no handler may be running.
 *
 * Context: process, may sleep.
 */
void htmm_drain_stop(struct htmm_drain *drain)
{
	if (!drain->task)
		return;
	kthread_stop(drain->task);
	drain->task = NULL;
}

/**
 * htmm_drain_reset - set every counter to zero and forget all pages
 * @drain: the drain, running or stopped
 *
 * Context: process, may sleep. Takes @drain->lock, so that pages and counters
 * begin again at the same sample.
 */
void htmm_drain_reset(struct htmm_drain *drain)
{
	unsigned int i;

	mutex_lock(&drain->lock);
	htmm_hotness_reset(drain->hotness);
	for (i = 0; i < drain->nr_samplers; i++)
		htmm_sampler_reset(drain->samplers[i]);
	drain->batches = 0;
	atomic64_set(&drain->wake.wakeups, 0);
	mutex_unlock(&drain->lock);
}

/**
 * htmm_drain_destroy - forget a drain
 * @drain: a stopped drain
 */
void htmm_drain_destroy(struct htmm_drain *drain)
{
	put_pid(drain->pid);
	mutex_destroy(&drain->lock);
}
