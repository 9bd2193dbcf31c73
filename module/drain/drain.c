// SPDX-License-Identifier: GPL-2.0
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/timekeeping.h>
#include "base/alloc.h"
#include "base/trace.h"
#include "drain.h"
#include "stream/stream.h"

/* Wake ksampled on behalf of an overflow handler. */
static void htmm_drain_wake(struct irq_work *work)
{
	struct htmm_wake *wake = container_of(work, struct htmm_channel, work)->wake;

	if (!atomic_xchg(&wake->pending, 1))
		atomic64_inc(&wake->wakeups);
	wake_up(&wake->queue);
}

/* Move records from one ring to the batch, as many as there is room for. */
static u32 htmm_drain_ring(struct htmm_drain *drain, u32 ring)
{
	struct htmm_channel *channel = drain->channels->channels[ring];
	void *first;
	u32 n;

	if (!htmm_channel_has_ring(channel))
		return 0;
	n = min(htmm_ring_peek(&channel->ring, &first), HTMM_BATCH - drain->batch.n);
	if (!n)
		return 0;
	htmm_batch_take(&drain->batch, ring, first, n);
	htmm_stream_offer(channel->index, first, n, channel->ring.slot_size);
	htmm_ring_consume(&channel->ring, n);
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
	for (visited = 0; visited < drain->channels->nr_channels; visited++) {
		while (drain->batch.n < HTMM_BATCH && htmm_drain_ring(drain, drain->next))
			;
		if (++drain->next == drain->channels->nr_channels)
			drain->next = 0;
		if (drain->batch.n == HTMM_BATCH)
			break;
	}
}

/* Count the samples of a run by what served them. */
static void htmm_drain_served(struct htmm_drain *drain, struct htmm_target_table *target,
			      const struct htmm_run *run)
{
	const struct htmm_channel *channel = drain->channels->channels[run->ring];
	const struct htmm_batch *batch = &drain->batch;
	const struct htmm_table_sample *sample = &batch->samples[run->start];
	const struct htmm_table_sample *end = &batch->samples[run[1].start];
	const u8 *served_by = &batch->served_by[run->start];
	const bool has_source = batch->has_source;
	u32 source = HTMM_SOURCE_UNKNOWN;
	u64 *samples;

	samples = htmm_served_of(target->served, htmm_cpu_node(channel->cpu), channel->index);
	if (!has_source && !batch->weight_unit) {
		samples[source] += end - sample;
		return;
	}
	for (; sample != end; sample++) {
		if (has_source)
			source = *served_by++;
		samples[source] += sample->weight;
	}
}

/* Pass each target its part of the batch; drop the samples of one that was removed meanwhile. */
static void htmm_drain_add(struct htmm_drain *drain)
{
	struct htmm_batch *batch = &drain->batch;
	struct htmm_target_table *target;
	const struct htmm_run *run;
	u32 first, n, i;

	htmm_batch_sort(batch);
	for (first = 0; first < batch->runs; first += n) {
		n = htmm_batch_part(batch, first);
		run = &batch->run[first];
		target = xa_load(&drain->targets->by_number, run->target);
		if (!target) {
			htmm_batch_drop(batch, run->start, run[n].start - run->start,
					HTMM_DROP_REMOVED);
			continue;
		}
		for (i = 0; drain->served && i < n; i++)
			htmm_drain_served(drain, target, &run[i]);
		htmm_target_add(target, batch, first, n, &drain->spares);
	}
}

/* Account each record of a run, counted or dropped, to its channel. */
static void htmm_drain_account_each(struct htmm_drain *drain, const struct htmm_run *run)
{
	struct htmm_channel *channel = drain->channels->channels[run->ring];
	const struct htmm_batch *batch = &drain->batch;
	const struct htmm_table_sample *sample;
	enum htmm_drop drop;
	u32 i;

	for (i = run->start; i < run[1].start; i++) {
		drop = htmm_batch_dropped(batch, i);
		if (drop != HTMM_DROP_NONE) {
			channel->discarded[drop]++;
			continue;
		}
		channel->counted++;
		sample = &batch->samples[i];
		trace_htmm_sample(channel->cpu, channel->index, run->pid,
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
			drain->channels->channels[run->ring]->counted += htmm_batch_length(run);
	}
}

/* Report drops since the last call, including those of the overflow handler. */
static void htmm_drain_trace_drops(struct htmm_drain *drain)
{
	struct htmm_channel *channel;
	unsigned int i, reason;
	u64 drops;

	if (!trace_htmm_drop_enabled())
		return;
	for (i = 0; i < drain->channels->nr_channels; i++) {
		channel = drain->channels->channels[i];
		for (reason = 0; reason < HTMM_NR_DROPS; reason++) {
			drops = local64_read(&channel->dropped[reason]) +
				channel->discarded[reason];
			if (drops == channel->reported[reason])
				continue;
			trace_htmm_drop(channel->cpu, channel->index, reason,
					drops - channel->reported[reason]);
			channel->reported[reason] = drops;
		}
	}
}

/* Drain one batch. Returns true if it was full: more records may be waiting then. */
static bool htmm_drain_batch(struct htmm_drain *drain)
{
	/* Allocating may take long, so do it without the lock that others wait for. */
	htmm_pages_fill(&drain->spares, HTMM_BATCH_PAGES);
	mutex_lock(&drain->targets->lock);
	htmm_drain_gather(drain);
	if (drain->batch.n) {
		htmm_drain_add(drain);
		htmm_drain_account(drain);
		htmm_stat_add(drain->stats, HTMM_STAT_BATCHES, 1);
	}
	htmm_drain_trace_drops(drain);
	mutex_unlock(&drain->targets->lock);
	return drain->batch.n == HTMM_BATCH;
}

static void htmm_drain_note_cpu(struct htmm_drain *drain)
{
	/* The timer tick may add to it concurrently; either value is good enough. */
	u64 took = data_race(current->se.sum_exec_runtime) - drain->stats[HTMM_STAT_DRAIN_NS];

	htmm_stat_add(drain->stats, HTMM_STAT_DRAIN_NS, took);
	if (drain->batch.n || !READ_ONCE(drain->channels->paused))
		WRITE_ONCE(drain->busy_ns, drain->busy_ns + took);
}

/* Looks for freed memory take at most this part of the time, plus this long for each sample. */
#define HTMM_LOOK_PART		1000
#define HTMM_LOOK_SAMPLE	1
/* Look when there is time for a step; save up time for no more than a few steps. */
#define HTMM_LOOK_LEAST		(50 * NSEC_PER_USEC)
#define HTMM_LOOK_MOST		NSEC_PER_MSEC
/* No step takes longer: the thread was preempted. */
#define HTMM_LOOK_LONGEST	(10 * NSEC_PER_MSEC)

/* Look for freed memory for as long as there is time for it. */
static void htmm_drain_look(struct htmm_drain *drain)
{
	u64 begin = ktime_get_ns(), took = 0;
	bool more = true;
	s64 time;

	time = drain->look_ns + (begin - drain->looked) / HTMM_LOOK_PART +
	       drain->batch.n * HTMM_LOOK_SAMPLE;
	time = min_t(s64, time, HTMM_LOOK_MOST);
	drain->look_ns = time;
	drain->looked = begin;
	if (time < HTMM_LOOK_LEAST)
		return;
	while (more && took < time) {
		more = htmm_target_set_look(drain->targets, &drain->next_look, begin + took);
		took = ktime_get_ns() - begin;
	}
	/* If there is nothing to look at now, try again when there is time for another step. */
	drain->look_ns = more ? time - (s64)min_t(u64, took, HTMM_LOOK_LONGEST) : 0;
}

/* One pass. Returns true if there is more to do immediately. */
static bool htmm_drain_pass(struct htmm_drain *drain)
{
	bool more;

	/*
	 * Clear this before the rings are read, so that a wake-up for a record that this
	 * pass does not see is not lost: pairs with atomic_xchg() in htmm_drain_wake().
	 */
	atomic_xchg(&drain->wake.pending, 0);
	more = htmm_drain_batch(drain);
	/*
	 * All rings were emptied: records that come later in the stream are not older than
	 * those that any ring held at the end of the previous round.
	 */
	if (!more)
		htmm_stream_round();
	/* While there are more records to drain, tidy only one target in each pass. */
	more |= htmm_target_set_tidy(drain->targets, &drain->tidy, !more);
	htmm_drain_look(drain);
	htmm_drain_note_cpu(drain);
	return more;
}

static int ksampled(void *arg)
{
	struct htmm_drain *drain = arg;

	/*
	 * By default it does not run on isolated CPUs, like other kernel threads. This is done
	 * here, because newer kernels set a thread's affinity when it first runs.
	 */
	if (!cpumask_empty(drain->cpus) && set_cpus_allowed_ptr(current, drain->cpus))
		pr_warn("htmm: the drain thread may run on any CPU: those asked for are offline\n");
	/* Charge allocations to the cgroup that started the session. */
	set_active_memcg(drain->memcg);
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
					     kthread_should_stop(), drain->interval);
	}

	/* The events are released, so no more records come. */
	while (htmm_drain_batch(drain))
		cond_resched();
	htmm_drain_note_cpu(drain);
	set_active_memcg(NULL);
	return 0;
}

/* The smallest period that any event can have: a sample with it has weight 1. */
static u64 htmm_drain_weight_unit(const struct htmm_config *config)
{
	u64 unit = U64_MAX;
	unsigned int i;

	if (!(config->start.flags & HTMM_START_WEIGHT_PERIOD))
		return 0;
	for (i = 0; i < config->start.nr_events; i++)
		unit = min_t(u64, unit, config->events[i].min_period);
	return unit;
}

/*
 * Prepare a drain without a thread. @channels have no events yet; @targets are not accessed yet;
 * @memcg is charged for the thread's allocations.
 */
void htmm_drain_init(struct htmm_drain *drain, const struct htmm_config *config,
		     struct htmm_channel_set *channels, struct htmm_target_set *targets,
		     struct mem_cgroup *memcg)
{
	const struct htmm_start *start = &config->start;
	unsigned int i;

	drain->targets = targets;
	drain->channels = channels;
	drain->memcg = memcg;
	drain->cpus = config->drain_cpus;
	drain->interval = msecs_to_jiffies(start->drain_interval_ms);
	drain->served = start->flags & HTMM_START_SERVED;
	drain->tidy.due = jiffies;
	init_completion(&drain->running);
	init_waitqueue_head(&drain->wake.queue);
	htmm_pages_init(&drain->spares);
	drain->batch.weight_unit = htmm_drain_weight_unit(config);
	drain->batch.has_source = drain->served && start->sample_type & PERF_SAMPLE_DATA_SRC;
	htmm_batch_init(&drain->batch, start->sample_type);
	for (i = 0; i < channels->nr_channels; i++) {
		channels->channels[i]->wake = &drain->wake;
		init_irq_work(&channels->channels[i]->work, htmm_drain_wake);
	}
}

/* Start the thread. Returns 0, or the errno of kthread_create(). May sleep. */
int htmm_drain_start(struct htmm_drain *drain, int nice, struct htmm_error *err)
{
	struct task_struct *task = kthread_create(ksampled, drain, "ksampled");

	if (IS_ERR(task))
		return htmm_fail(err, PTR_ERR(task), "cannot create the thread ksampled");

	set_user_nice(task, nice);
	drain->task = task;
	drain->pid = get_task_pid(task, PIDTYPE_PID);
	wake_up_process(task);
	/* A kthread that is stopped before it first runs never runs, and would not drain. */
	wait_for_completion(&drain->running);
	return 0;
}

/*
 * Drain what is left and end the thread, if it was started. Every event has been released, and no
 * handler is running. May sleep.
 */
void htmm_drain_stop(struct htmm_drain *drain)
{
	if (!drain->task)
		return;
	kthread_stop(drain->task);
	drain->task = NULL;
	htmm_pages_free(&drain->spares);
}

/*
 * Set every counter to zero and forget all pages, at the same sample. @old gets the old
 * targets, for htmm_target_list_put() without a lock. The set of targets does not change
 * meanwhile. Returns 0, or -ENOMEM, with nothing changed. May sleep.
 */
int htmm_drain_reset(struct htmm_drain *drain, struct htmm_target_list *old)
{
	struct htmm_channel_set *channels = drain->channels;
	unsigned int i;
	int ret;

	ret = htmm_target_set_renew(drain->targets, old);
	if (ret)
		return ret;

	mutex_lock(&drain->targets->lock);
	htmm_target_set_replace(drain->targets, old);
	for (i = 0; i < channels->nr_channels; i++)
		htmm_channel_reset(channels->channels[i]);
	WRITE_ONCE(drain->stats[HTMM_STAT_BATCHES], 0);
	atomic64_set(&drain->wake.wakeups, 0);
	mutex_unlock(&drain->targets->lock);
	return 0;
}
