// SPDX-License-Identifier: GPL-2.0
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "base/alloc.h"
#include "base/compat.h"
#include "base/trace.h"
#include "drain.h"
#include "stream/stream.h"

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
	u64 unit = drain->common->weight_unit;
	u64 period;

	if (!unit)
		return 1;
	period = htmm_record_period(slot, drain->common->sample_type);
	return clamp_t(u64, div64_u64(period + unit / 2, unit), 1, U32_MAX);
}

/* Takes up to @room records out of one ring into the batch. */
static u32 htmm_drain_ring(struct htmm_drain *drain,
			   struct htmm_sampler *sampler, u32 fill, u32 room)
{
	struct htmm_access *access = &drain->batch.access[fill];
	u64 sample_type = drain->common->sample_type;
	u32 i, n;
	void *first;
	const u64 *slot;

	if (!htmm_sampler_has_ring(sampler))
		return 0;
	n = min(htmm_ring_peek(&sampler->ring, &first), room);
	for (i = 0; i < n; i++) {
		slot = first + i * sampler->ring.slot_size;
		access[i] = (struct htmm_access) {
			.addr = htmm_record_addr(slot, sample_type),
			.cookie = htmm_record_cookie(slot, sample_type),
			.pid = htmm_record_pid(slot),
			.weight = htmm_drain_weight(drain, slot),
			.target = htmm_record_target(slot, sample_type),
		};
		drain->source[fill + i] = sampler;
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
					    fill, HTMM_BATCH - fill);
			fill += n;
		} while (n && fill < HTMM_BATCH);
		if (++drain->next == drain->nr_samplers)
			drain->next = 0;
		if (fill == HTMM_BATCH)
			break;
	}
	return fill;
}

/* Samples of a target that was removed meanwhile. */
static void htmm_drain_drop(struct htmm_batch *batch, u32 start, u32 n)
{
	u32 i;

	for (i = start; i < start + n; i++)
		batch->drop[batch->order[i]] = HTMM_DROP_REMOVED;
}

/* Hands each target its part of the batch. */
static void htmm_drain_add(struct htmm_drain *drain)
{
	struct htmm_batch *batch = &drain->batch;
	struct htmm_tracker *tracker;
	u32 start, n, first;

	htmm_batch_by_target(batch);
	for (start = 0; start < batch->n; start += n) {
		n = htmm_batch_run(batch, start);
		first = batch->order[start];
		tracker = htmm_tracker_set_find(drain->common->trackers,
						batch->access[first].target);
		if (tracker)
			htmm_tracker_add(tracker, batch, start, n);
		else
			htmm_drain_drop(batch, start, n);
	}
}

/* Books what became of each record under the sampler it came from. */
static void htmm_drain_account(struct htmm_drain *drain)
{
	const struct htmm_batch *batch = &drain->batch;
	struct htmm_sampler *sampler;
	u32 i;

	for (i = 0; i < batch->n; i++) {
		sampler = drain->source[i];
		if (batch->drop[i] != HTMM_DROP_NONE) {
			sampler->discarded[batch->drop[i]]++;
			continue;
		}
		sampler->counted++;
		trace_htmm_sample(sampler->cpu, sampler->index,
				  batch->access[i].pid, batch->access[i].addr,
				  batch->access[i].weight,
				  batch->access[i].target);
	}
}

/* Reports what was dropped since the last time, by the overflow handler as well. */
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
			if (drops == sampler->reported[reason])
				continue;
			trace_htmm_drop(sampler->cpu, sampler->index, reason,
					drops - sampler->reported[reason]);
			sampler->reported[reason] = drops;
		}
	}
}

/* Drains one batch. Returns true if it was full, so that more may be waiting. */
static bool htmm_drain_batch(struct htmm_drain *drain)
{
	struct htmm_tracker_set *trackers = drain->common->trackers;
	u32 n;

	/* Memory may take its time: without the lock, which others wait for. */
	htmm_pages_fill(&drain->batch.spares, HTMM_BATCH_SPARES);
	down_read(&trackers->lock);
	n = htmm_drain_gather(drain);
	if (n) {
		drain->batch.n = n;
		htmm_drain_add(drain);
		htmm_drain_account(drain);
		WRITE_ONCE(drain->batches, drain->batches + 1);
	}
	htmm_drain_trace_drops(drain);
	up_read(&trackers->lock);
	return n == HTMM_BATCH;
}

static void htmm_drain_note_cpu(struct htmm_drain *drain)
{
	/* The tick adds to it meanwhile: it is as good before that as after. */
	WRITE_ONCE(drain->cpu_ns, data_race(current->se.sum_exec_runtime));
}

/*
 * A thread has emptied its rings since @round began. When the last of them has, the
 * record stream is told: what comes later is no older than what any ring held at the
 * last such moment.
 */
static void htmm_drain_round(const struct htmm_drain *drain, u64 round)
{
	struct htmm_drain_common *common = drain->common;

	mutex_lock(&common->round_lock);
	if (common->rounds == round) {
		common->emptied |= BIT_ULL(drain->index);
		if (hweight64(common->emptied) == common->nr) {
			htmm_stream_round();
			common->emptied = 0;
			/* Last: a look at a ring before counts for no later round. */
			WRITE_ONCE(common->rounds, common->rounds + 1);
		}
	}
	mutex_unlock(&common->round_lock);
}

/* One pass. Returns true if there is more to do at once. */
static bool htmm_drain_pass(struct htmm_drain *drain)
{
	u64 round = READ_ONCE(drain->common->rounds);
	bool more;

	/*
	 * Before the rings are read, so that a wake-up for a record that this
	 * pass does not see is not lost: pairs with atomic_xchg() in
	 * htmm_drain_wake().
	 */
	atomic_xchg(&drain->wake.pending, 0);
	more = htmm_drain_batch(drain);
	if (!more)
		htmm_drain_round(drain, round);
	/* While there is much to drain, one target after the other. */
	more |= htmm_tracker_set_tidy(drain->common->trackers, drain->index,
				      &drain->next_target, !more);
	htmm_drain_note_cpu(drain);
	return more;
}

/*
 * Unless told otherwise a thread stays off isolated CPUs, as kernel threads do; one of
 * several stays on the node of its rings, too. CPUs may have gone offline since the mask
 * was checked: any will do then. By the thread itself: newer kernels give a thread their own
 * idea of where it belongs when it first runs.
 */
static void htmm_drain_place(const struct htmm_drain *drain)
{
	cpumask_var_t near;

	if (!cpumask_empty(drain->cpus)) {
		if (set_cpus_allowed_ptr(current, drain->cpus))
			pr_warn("htmm: ksampled may run on any CPU: the CPUs asked for are offline\n");
		return;
	}
	if (drain->common->nr == 1 || !alloc_cpumask_var(&near, GFP_KERNEL))
		return;
	if (htmm_housekeeping_cpus(near, cpumask_of_node(drain->node)))
		set_cpus_allowed_ptr(current, near);
	free_cpumask_var(near);
}

static int ksampled(void *arg)
{
	struct htmm_drain *drain = arg;

	htmm_drain_place(drain);
	/* What it allocates is the starter's. */
	set_active_memcg(drain->common->memcg);
	complete(&drain->running);
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
					     drain->common->interval);
	}

	/* The events are gone: what is in the rings now is all there is. */
	while (htmm_drain_batch(drain))
		cond_resched();
	htmm_drain_note_cpu(drain);
	set_active_memcg(NULL);
	return 0;
}

/**
 * htmm_drain_create - prepare a drain that has no thread and no rings yet
 * @common: what it shares with the session's other threads
 * @index: its number among them
 * @max_samplers: most rings that it may get
 * @node: the NUMA node that they will be on
 *
 * Context: process, may sleep.
 * Return: the drain, or NULL if there is no memory for it.
 */
struct htmm_drain *htmm_drain_create(struct htmm_drain_common *common, unsigned int index,
				     unsigned int max_samplers, int node)
{
	struct htmm_drain *drain;

	drain = kvzalloc_node(sizeof(*drain), HTMM_GFP, node);

	if (!drain)
		return NULL;
	drain->samplers = kvcalloc(max_samplers, sizeof(*drain->samplers),
				   GFP_KERNEL_ACCOUNT);
	if (!drain->samplers) {
		kvfree(drain);
		return NULL;
	}
	drain->common = common;
	drain->index = index;
	drain->node = node;
	init_completion(&drain->running);
	htmm_pages_init(&drain->batch.spares);
	init_waitqueue_head(&drain->wake.queue);
	return drain;
}

/**
 * htmm_drain_add_sampler - make a drain responsible for a ring
 * @drain: a drain whose thread does not run yet
 * @sampler: the ring's sampler, which has no event yet
 */
void htmm_drain_add_sampler(struct htmm_drain *drain, struct htmm_sampler *sampler)
{
	sampler->wake = &drain->wake;
	init_irq_work(&sampler->work, htmm_drain_wake);
	drain->samplers[drain->nr_samplers++] = sampler;
}

/**
 * htmm_drain_start - start the thread
 * @drain: a prepared drain
 * @cpus: as in the drain, for as long as the thread runs
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

	task = kthread_create_on_node(ksampled, drain, drain->node,
				      drain->common->nr > 1 ? "ksampled/%u" :
				      "ksampled", drain->index);
	if (IS_ERR(task))
		return htmm_fail(err, PTR_ERR(task),
				 "cannot create the thread ksampled");

	set_user_nice(task, nice);
	drain->cpus = cpus;
	drain->task = task;
	drain->pid = get_task_pid(task, PIDTYPE_PID);
	wake_up_process(task);
	/* One that is stopped before it runs never does, and would drain nothing. */
	wait_for_completion(&drain->running);
	return 0;
}

/**
 * htmm_drain_stop - drain what is left and end the thread
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
	htmm_pages_free(&drain->batch.spares);
}

/**
 * htmm_drain_reset - set the counters to zero
 * @drain: the drain, running or stopped
 *
 * Context: process; the lock of the trackers is held for writing.
 */
void htmm_drain_reset(struct htmm_drain *drain)
{
	WRITE_ONCE(drain->batches, 0);
	atomic64_set(&drain->wake.wakeups, 0);
}

/**
 * htmm_drain_destroy - free a drain
 * @drain: a stopped drain
 */
void htmm_drain_destroy(struct htmm_drain *drain)
{
	put_pid(drain->pid);
	kvfree(drain->samplers);
	kvfree(drain);
}
