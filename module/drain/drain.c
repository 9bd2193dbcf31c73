// SPDX-License-Identifier: GPL-2.0
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include "base/alloc.h"
#include "base/compat.h"
#include "base/trace.h"
#include "core/source.h"
#include "drain.h"
#include "stream/stream.h"

/* Wake ksampled on behalf of an overflow handler. */
static void htmm_drain_wake(struct irq_work *work)
{
	struct htmm_wake *wake =
		container_of(work, struct htmm_sampler, work)->wake;

	if (!atomic_xchg(&wake->pending, 1))
		atomic64_inc(&wake->wakeups);
	wake_up(&wake->queue);
}

/*
 * The weight of a record: its period divided by the weight unit, rounded. Periods seldom
 * change, so the division is seldom needed.
 */
static u32 htmm_drain_weight(struct htmm_drain *drain, u64 period)
{
	u64 unit = drain->common->weight_unit;

	if (period != drain->period) {
		drain->period = period;
		drain->weight = clamp_t(u64, div64_u64(period + unit / 2, unit), 1, U32_MAX);
	}
	return drain->weight;
}

/*
 * Take samples from @slot on, at most @n, as long as they are of the same run as the
 * first. Returns how many they are. Not inline: all that the loop needs is in registers.
 */
static noinline u32 htmm_drain_take_run(struct htmm_drain *drain, const u64 *slot, u32 n,
					struct htmm_table_sample *sample)
{
	const struct htmm_record_layout layout = drain->common->layout;
	const u64 cookie = slot[layout.cookie], target = slot[layout.cookie + 1];
	const u64 *end = slot + n * layout.words;
	const struct htmm_table_sample *first = sample;
	const u32 pid = htmm_record_pid(slot);

	for (; slot != end && htmm_record_pid(slot) == pid &&
	     slot[layout.cookie] == cookie && slot[layout.cookie + 1] == target;
	     slot += layout.words, sample++)
		htmm_batch_put(sample, slot[layout.addr]);
	return sample - first;
}

/* The weights of the samples of @n records. */
static void htmm_drain_weigh(struct htmm_drain *drain, const u64 *slot, u32 n,
			     struct htmm_table_sample *sample)
{
	const struct htmm_record_layout layout = drain->common->layout;
	u32 i;

	for (i = 0; i < n; i++, slot += layout.words)
		sample[i].weight = htmm_drain_weight(drain, slot[layout.period]);
}

/* What served the samples of @n records. Few values follow each other in turn. */
static void htmm_drain_take_sources(struct htmm_drain *drain, const u64 *slot, u32 n,
				    u8 *source)
{
	const struct htmm_record_layout layout = drain->common->layout;
	u32 i;

	for (i = 0; i < n; i++, slot += layout.words) {
		/* The last field before the cookie. */
		u64 data_src = slot[layout.cookie - 1];

		if (data_src != drain->data_src) {
			drain->data_src = data_src;
			drain->source = htmm_source_of(data_src);
		}
		source[i] = drain->source;
	}
}

/* Add @n records of a ring to the batch. */
static void htmm_drain_take(struct htmm_drain *drain, u32 source, const u64 *slot, u32 n)
{
	const struct htmm_record_layout layout = drain->common->layout;
	struct htmm_batch *batch = &drain->batch;
	struct htmm_table_sample *sample;
	u32 length;

	for (; n; n -= length, slot += length * layout.words) {
		sample = &batch->samples[batch->n];
		length = htmm_drain_take_run(drain, slot, n, sample);
		if (drain->common->weight_unit)
			htmm_drain_weigh(drain, slot, length, sample);
		if (drain->common->has_source)
			htmm_drain_take_sources(drain, slot, length,
						&batch->source[batch->n]);
		batch->run[batch->runs++] = (struct htmm_run) {
			.cookie = slot[layout.cookie],
			.pid = htmm_record_pid(slot),
			.target = slot[layout.cookie + 1],
			.source = source,
			.start = batch->n,
		};
		batch->n += length;
		batch->run[batch->runs].start = batch->n;
	}
}

/* Move records from one ring to the batch, as many as there is room for. */
static u32 htmm_drain_ring(struct htmm_drain *drain, u32 source)
{
	struct htmm_sampler *sampler = drain->samplers[source];
	void *first;
	u32 n;

	if (!htmm_sampler_has_ring(sampler))
		return 0;
	n = min(htmm_ring_peek(&sampler->ring, &first), HTMM_BATCH - drain->batch.n);
	if (!n)
		return 0;
	htmm_drain_take(drain, source, first, n);
	htmm_stream_offer(sampler->index, first, n, sampler->ring.slot_size);
	htmm_ring_consume(&sampler->ring, n);
	return n;
}

/*
 * Gather a batch from all rings. Each batch begins with a different ring, so that a busy
 * CPU does not delay the others. Read each ring until it is empty or the batch is full: one
 * htmm_ring_peek() ends where the ring's memory ends, and more records may follow. So if
 * the batch is not full, all rings were emptied.
 */
static void htmm_drain_gather(struct htmm_drain *drain)
{
	u32 visited;

	htmm_batch_begin(&drain->batch);
	for (visited = 0; visited < drain->nr_samplers; visited++) {
		while (drain->batch.n < HTMM_BATCH && htmm_drain_ring(drain, drain->next))
			;
		if (++drain->next == drain->nr_samplers)
			drain->next = 0;
		if (drain->batch.n == HTMM_BATCH)
			break;
	}
}

/* Drop samples of a target that was removed meanwhile. */
static void htmm_drain_drop(struct htmm_batch *batch, u32 first, u32 n)
{
	const struct htmm_run *run;
	u32 i;

	for (i = first; i < first + n; i++) {
		run = &batch->run[i];
		htmm_batch_drop(batch, run->start, htmm_batch_length(run),
				HTMM_DROP_REMOVED);
	}
}

/* Count the samples of a run by what served them. */
static void htmm_drain_served_run(struct htmm_drain *drain, struct htmm_tracker *tracker,
				  const struct htmm_run *run)
{
	const struct htmm_sampler *sampler = drain->samplers[run->source];
	const struct htmm_batch *batch = &drain->batch;
	u64 sum[HTMM_NR_SOURCES] = {};
	atomic64_t *samples;
	u32 i, source;

	if (!drain->common->has_source && !drain->common->weight_unit)
		sum[HTMM_SOURCE_UNKNOWN] = htmm_batch_length(run);
	else
		for (i = run->start; i < run[1].start; i++) {
			source = drain->common->has_source ? batch->source[i] :
				 HTMM_SOURCE_UNKNOWN;
			sum[source] += batch->samples[i].weight;
		}
	samples = htmm_served_of(tracker->served, htmm_cpu_node(sampler->cpu), sampler->index);
	for (source = 0; source < HTMM_NR_SOURCES; source++)
		if (sum[source])
			atomic64_add(sum[source], &samples[source]);
}

static void htmm_drain_served(struct htmm_drain *drain, struct htmm_tracker *tracker,
			      u32 first, u32 n)
{
	const struct htmm_batch *batch = &drain->batch;
	u32 i;

	for (i = first; i < first + n; i++)
		htmm_drain_served_run(drain, tracker, &batch->run[i]);
}

/* Pass each target its part of the batch. */
static void htmm_drain_add(struct htmm_drain *drain)
{
	struct htmm_batch *batch = &drain->batch;
	struct htmm_tracker *tracker;
	u32 first, n;

	htmm_batch_by_target(batch);
	for (first = 0; first < batch->runs; first += n) {
		n = htmm_batch_part(batch, first);
		tracker = htmm_tracker_set_find(drain->common->trackers,
						batch->run[first].target);
		if (!tracker) {
			htmm_drain_drop(batch, first, n);
			continue;
		}
		if (drain->common->served)
			htmm_drain_served(drain, tracker, first, n);
		htmm_tracker_add(tracker, batch, first, n);
	}
}

/* Account each record of a run, counted or dropped, to its sampler. */
static void htmm_drain_account_each(struct htmm_drain *drain, const struct htmm_run *run)
{
	struct htmm_sampler *sampler = drain->samplers[run->source];
	const struct htmm_batch *batch = &drain->batch;
	const struct htmm_table_sample *sample;
	enum htmm_drop drop;
	u32 i;

	for (i = run->start; i < run[1].start; i++) {
		drop = htmm_batch_dropped(batch, i);
		if (drop != HTMM_DROP_NONE) {
			sampler->discarded[drop]++;
			continue;
		}
		sampler->counted++;
		sample = &batch->samples[i];
		trace_htmm_sample(sampler->cpu, sampler->index, run->pid,
				  htmm_batch_addr(sample), sample->weight, run->target);
	}
}

static void htmm_drain_account(struct htmm_drain *drain)
{
	const struct htmm_batch *batch = &drain->batch;
	const struct htmm_run *run;

	for (run = batch->run; run < batch->run + batch->runs; run++) {
		if (batch->dropped || trace_htmm_sample_enabled())
			htmm_drain_account_each(drain, run);
		else
			drain->samplers[run->source]->counted += htmm_batch_length(run);
	}
}

/* Report drops since the last call, including those of the overflow handler. */
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

/* Drain one batch. Returns true if it was full: more records may be waiting then. */
static bool htmm_drain_batch(struct htmm_drain *drain)
{
	struct htmm_tracker_set *trackers = drain->common->trackers;

	/* Allocating may take long, so do it without the lock that others wait for. */
	htmm_pages_fill(&drain->batch.spares, HTMM_BATCH_SPARES);
	down_read(&trackers->lock);
	htmm_drain_gather(drain);
	if (drain->batch.n) {
		htmm_drain_add(drain);
		htmm_drain_account(drain);
		WRITE_ONCE(drain->batches, drain->batches + 1);
	}
	htmm_drain_trace_drops(drain);
	up_read(&trackers->lock);
	return drain->batch.n == HTMM_BATCH;
}

static void htmm_drain_note_cpu(struct htmm_drain *drain)
{
	/* The timer tick may add to it concurrently; either value is good enough. */
	WRITE_ONCE(drain->cpu_ns, data_race(current->se.sum_exec_runtime));
}

/*
 * A thread has emptied its rings since @round began. When all threads have done so, mark
 * the end of a round in the record stream: later records are not older than the records
 * that any ring held at the end of the previous round.
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
			/*
			 * Last: rings that were emptied before this do not count for the
			 * next round.
			 */
			WRITE_ONCE(common->rounds, common->rounds + 1);
		}
	}
	mutex_unlock(&common->round_lock);
}

/*
 * Looks for freed memory take at most this part of the time, saved up for so long; and no more
 * CPU time than all else that the thread does, as the budget may be small.
 */
#define HTMM_LOOK_PART		100
#define HTMM_LOOK_SAVED		(100 * NSEC_PER_MSEC)
/* With less saved up than for one step there is no look. */
#define HTMM_LOOK_LEAST		(50 * NSEC_PER_USEC)

/* No step takes longer. */
#define HTMM_LOOK_LONGEST	((u64)(10 * NSEC_PER_MSEC))

/* Look for freed memory for as long as there is time for it. */
static void htmm_drain_look(struct htmm_drain *drain)
{
	u64 begin = ktime_get_ns(), took = 0, time;
	bool more = true;

	if (begin < drain->look_from || 2 * drain->look_ns > drain->cpu_ns)
		return;
	drain->look_from = max(drain->look_from, begin - HTMM_LOOK_SAVED);
	time = (begin - drain->look_from) / HTMM_LOOK_PART;
	if (time < HTMM_LOOK_LEAST)
		return;
	while (more && took < time) {
		more = htmm_tracker_set_look(drain->common->trackers, &drain->next_look);
		took = ktime_get_ns() - begin;
	}
	/* It may have been preempted. */
	took = min(took, HTMM_LOOK_LONGEST);
	drain->look_ns += took;
	drain->look_from += took * HTMM_LOOK_PART;
}

/* One pass. Returns true if there is more to do immediately. */
static bool htmm_drain_pass(struct htmm_drain *drain)
{
	u64 round = READ_ONCE(drain->common->rounds);
	bool more;

	/*
	 * Clear this before the rings are read, so that a wake-up for a record that this
	 * pass does not see is not lost: pairs with atomic_xchg() in htmm_drain_wake().
	 */
	atomic_xchg(&drain->wake.pending, 0);
	more = htmm_drain_batch(drain);
	if (!more)
		htmm_drain_round(drain, round);
	/* While there are more records to drain, tidy only one target in each pass. */
	more |= htmm_tracker_set_tidy(drain->common->trackers, drain->index,
				      &drain->tidy, !more);
	/* The others may be asleep. */
	if (!drain->index)
		htmm_drain_look(drain);
	htmm_drain_note_cpu(drain);
	return more;
}

/*
 * Set the CPUs of a drain thread. By default it does not run on isolated CPUs, like other
 * kernel threads; if there are several threads, each also stays on the node of its rings.
 * If the CPUs have gone offline since the mask was checked, use any CPU. The thread calls
 * this itself, because newer kernels set the affinity of a kernel thread when it first
 * runs.
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
	/* Charge allocations to the cgroup that started the session. */
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

	/* The events are released, so no more records come. */
	while (htmm_drain_batch(drain))
		cond_resched();
	htmm_drain_note_cpu(drain);
	set_active_memcg(NULL);
	return 0;
}

/**
 * htmm_drain_create - create a drain without a thread and without rings
 * @common: data shared with the session's other threads
 * @index: its number in the session
 * @max_samplers: limit of its rings
 * @node: NUMA node of its rings
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
	drain->weight = 1;
	drain->common = common;
	drain->index = index;
	drain->node = node;
	drain->tidy.due = jiffies;
	init_completion(&drain->running);
	htmm_pages_init(&drain->batch.spares);
	init_waitqueue_head(&drain->wake.queue);
	return drain;
}

/**
 * htmm_drain_add_sampler - assign a ring to a drain
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
 * @cpus: CPUs it may use, see &struct htmm_drain.cpus; must stay valid while the thread
 *	runs
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
	int node;

	/*
	 * From 6.14 on the kernel sets the CPUs of a thread that has a node again when a CPU
	 * comes online. CPUs that were asked for may be isolated, so that
	 * kthread_affine_preferred() is no way to keep them.
	 */
	node = cpumask_empty(cpus) ? drain->node : NUMA_NO_NODE;
	task = kthread_create_on_node(ksampled, drain, node,
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
	/* A kthread that is stopped before it first runs never runs, and would not drain. */
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
