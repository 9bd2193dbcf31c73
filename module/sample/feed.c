// SPDX-License-Identifier: GPL-2.0
/*
 * What the overflow handler does with a sample, for samples that user space has taken: by a
 * counter of its own, or by reading a recording.
 */
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "base/compat.h"
#include "core/source.h"
#include "channel.h"
#include "cookie.h"
#include "feed.h"

/**
 * struct htmm_origin - the thread that a sample is of
 * @pid: its process as the caller knows it
 * @tid: the thread as the caller knows it
 * @cookie: htmm_cookie() of its address space
 * @nr: its process in the initial pid namespace
 * @thread: the thread there; U32_MAX, as with perf, if it has exited
 * @target: number of the target it matches; 0: none
 * @ignored: bits of an address that its CPU ignores (LAM)
 * @drop: why its samples are dropped; HTMM_DROP_NONE: they are not
 */
struct htmm_origin {
	u32 pid;
	u32 tid;
	u64 cookie;
	u32 nr;
	u32 thread;
	u32 target;
	u64 ignored;
	enum htmm_drop drop;
};

/* A task that runs no program any more, or never did, has no address space. */
static bool htmm_origin_set_space(struct htmm_origin *origin, struct task_struct *task)
{
	struct mm_struct *mm;

	task_lock(task);
	mm = task->flags & PF_KTHREAD ? NULL : task->mm;
	if (mm)
		origin->ignored = ~htmm_untag_mask(mm);
	task_unlock(task);
	return mm;
}

/* Look a thread up among those that the caller sees. */
static void htmm_origin_find(struct htmm_origin *origin, struct htmm_channel *channel)
{
	struct task_struct *leader, *task;

	origin->drop = HTMM_DROP_STALE;
	rcu_read_lock();
	leader = pid_task(find_vpid(origin->pid), PIDTYPE_TGID);
	if (!leader)
		goto out;
	task = pid_task(find_vpid(origin->tid), PIDTYPE_PID);
	if (task && !same_thread_group(task, leader))
		task = NULL;
	origin->nr = leader->tgid;
	origin->thread = task ? task->pid : U32_MAX;
	origin->cookie = htmm_cookie(leader);
	/* Either the thread or the main thread may have exited before the other. */
	if (!(task && htmm_origin_set_space(origin, task)) &&
	    !htmm_origin_set_space(origin, leader))
		goto out;
	preempt_disable();
	origin->target = htmm_filter_match(channel->filter, &channel->last, task ?: leader);
	preempt_enable();
	origin->drop = origin->target ? HTMM_DROP_NONE : HTMM_DROP_FILTERED;
out:
	rcu_read_unlock();
}

/* A process of another time or machine can only be of the target of all tasks. */
static void htmm_origin_take(struct htmm_origin *origin, const struct htmm_channel *channel,
			     u64 cookie)
{
	const struct htmm_filter_set *set;

	rcu_read_lock_sched();
	set = rcu_dereference_sched(channel->filter->set);
	origin->target = set ? set->all : 0;
	rcu_read_unlock_sched();
	origin->nr = origin->pid;
	origin->thread = origin->tid;
	origin->cookie = cookie;
	origin->drop = origin->target ? HTMM_DROP_NONE : HTMM_DROP_FILTERED;
}

/* The same checks as in the overflow handler. */
static enum htmm_drop htmm_feed_check(const struct htmm_channel *channel,
				      const struct htmm_origin *origin, u64 addr, u64 data_src)
{
	if (origin->drop != HTMM_DROP_NONE)
		return origin->drop;
	if (!addr)
		return HTMM_DROP_NO_ADDR;
	if (addr >= TASK_SIZE_MAX)
		return HTMM_DROP_KERNEL_ADDR;
	if (channel->min_level && htmm_source_of(data_src) < channel->min_level)
		return HTMM_DROP_NEAR;
	return HTMM_DROP_NONE;
}

static void htmm_feed_write(u64 *slot, const struct htmm_channel *channel,
			    const struct htmm_origin *origin,
			    const struct htmm_feed_sample *from, u64 addr, u64 data_src)
{
	const struct htmm_sample sample = {
		.ip = from->ip,
		.addr = addr,
		.time = from->time,
		.period = from->period ?: channel->event->attr.sample_period,
		.data_src = data_src,
		.cookie = origin->cookie,
		.pid = origin->nr,
		.tid = origin->thread,
		.cpu = channel->cpu,
		.target = origin->target,
		.misc = PERF_RECORD_MISC_USER,
	};

	htmm_record_write(slot, channel->sample_type, &sample);
}

/*
 * Put samples in the channel's ring, or count why not. @foreign: their processes are of another
 * time or machine, and their cookies come with them. Under &struct htmm_channel_set.lock, which
 * makes the caller the ring's only producer.
 *
 * Context: the process whose pid namespace the samples' pids are of.
 *
 * Returns how many were taken: fewer than @n if the ring is full.
 */
u32 htmm_feed(struct htmm_channel *channel, const struct htmm_feed_sample *samples, u32 n,
	      bool foreign)
{
	struct htmm_origin origin = {};
	const struct htmm_feed_sample *from;
	bool known = false;
	enum htmm_drop drop;
	u32 i, level = 0;
	u64 *slot, addr, data_src;

	for (i = 0; i < n; i++) {
		from = &samples[i];
		slot = htmm_ring_reserve(&channel->ring);
		if (!slot)
			break;
		if (!known || from->pid != origin.pid || from->tid != origin.tid ||
		    (foreign && from->cookie != origin.cookie)) {
			origin = (struct htmm_origin) { .pid = from->pid, .tid = from->tid };
			if (foreign)
				htmm_origin_take(&origin, channel, from->cookie);
			else
				htmm_origin_find(&origin, channel);
			known = true;
		}
		local64_inc(&channel->overflows);
		addr = from->addr & ~origin.ignored;
		data_src = from->data_src ?: PERF_MEM_NA;
		drop = htmm_feed_check(channel, &origin, addr, data_src);
		if (drop != HTMM_DROP_NONE) {
			local64_inc(&channel->dropped[drop]);
			continue;
		}
		htmm_feed_write(slot, channel, &origin, from, addr, data_src);
		level = htmm_ring_commit(&channel->ring);
	}
	if (i < n || level >= channel->ring.watermark)
		irq_work_queue(&channel->work);
	return i;
}

/* Count @n samples without looking at them. Under &struct htmm_channel_set.lock. */
void htmm_feed_drop(struct htmm_channel *channel, u32 n, enum htmm_drop drop)
{
	local64_add(n, &channel->overflows);
	local64_add(n, &channel->dropped[drop]);
}
