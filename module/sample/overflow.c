// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow handler: all code of the module that runs in NMI context.
 *
 * It takes no lock, allocates nothing, prints nothing, and wakes threads only through
 * irq_work.
 */
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/uaccess.h>
#include "base/compat.h"
#include "cookie.h"
#include "overflow.h"
#include "sampler.h"

/*
 * Reading the clock twice takes longer than all the rest, so one of so many handlers is
 * timed. A prime number, or it might always be the one that wakes ksampled.
 */
#define HTMM_TIMED_EVERY	127
#define HTMM_TIMED_MAX_NS	(100 * NSEC_PER_USEC)

static u16 htmm_misc(struct pt_regs *regs)
{
	u16 misc = user_mode(regs) ? PERF_RECORD_MISC_USER :
				     PERF_RECORD_MISC_KERNEL;

	return htmm_exact_ip(regs) ? misc | PERF_RECORD_MISC_EXACT_IP : misc;
}

/*
 * Write a record. Of what is constant, the compiler leaves out all that such a record does
 * not need.
 */
static __always_inline void htmm_put(u64 *slot, u64 sample_type, u16 misc,
				     const struct htmm_sampler *sampler, u32 target,
				     const struct perf_event *event,
				     const struct perf_sample_data *data, u64 addr,
				     struct pt_regs *regs)
{
	const struct htmm_sample sample = {
		.ip = data->sample_flags & PERF_SAMPLE_IP ?
			data->ip : instruction_pointer(regs),
		.addr = addr,
		.time = sample_type & PERF_SAMPLE_TIME ? local_clock() : 0,
		.period = data->sample_flags & PERF_SAMPLE_PERIOD ?
			data->period : event->hw.last_period,
		.data_src = data->sample_flags & PERF_SAMPLE_DATA_SRC ?
			data->data_src.val : PERF_MEM_NA,
		.cookie = htmm_cookie(current),
		/* perf sets neither pid nor tid for its own handlers. */
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = sampler->cpu,
		.target = target,
		.misc = misc,
	};

	htmm_record_write(slot, sample_type, &sample);
}

/*
 * Most samples: of user code, of a precise event, in a ring that need not be looked at.
 * Returns false, and has done nothing, if a sample is not so. @sample_type is a constant.
 */
static __always_inline bool htmm_capture_type(struct htmm_sampler *sampler,
					      const u64 sample_type, u32 target,
					      const struct perf_event *event,
					      const struct perf_sample_data *data,
					      struct pt_regs *regs)
{
	if (!target || current->flags & PF_VCPU)
		return false;
	if (!user_mode(regs) || !htmm_exact_ip(regs))
		return false;
	if (!(data->sample_flags & PERF_SAMPLE_ADDR) || !data->addr ||
	    data->addr >= TASK_SIZE_MAX || !current->mm)
		return false;
	if (!htmm_ring_quiet(&sampler->ring))
		return false;
	htmm_put(htmm_ring_reserve_quiet(&sampler->ring), sample_type,
		 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP, sampler, target, event,
		 data, data->addr, regs);
	htmm_ring_commit_quiet(&sampler->ring);
	return true;
}

/* The same for any type of record for which there is a fast way, and any target. */
static __always_inline bool htmm_capture_plain(struct htmm_sampler *sampler, u32 target,
					       const struct perf_event *event,
					       const struct perf_sample_data *data,
					       struct pt_regs *regs)
{
	if (sampler->user_only)
		return false;
	if (sampler->sample_type == HTMM_SAMPLE_TYPE_MIN)
		return htmm_capture_type(sampler, HTMM_SAMPLE_TYPE_MIN, target, event, data,
					 regs);
	if (sampler->sample_type == HTMM_SAMPLE_TYPE_WEIGHTED)
		return htmm_capture_type(sampler, HTMM_SAMPLE_TYPE_WEIGHTED, target, event,
					 data, regs);
	if (sampler->sample_type == HTMM_SAMPLE_TYPE_SOURCE)
		return htmm_capture_type(sampler, HTMM_SAMPLE_TYPE_SOURCE, target, event, data,
					 regs);
	return false;
}

/*
 * An address without the tag that a program may have put into bits of its pointer that the CPU
 * ignores (LAM). Without LAM no bit is ignored.
 */
static u64 htmm_untag(u64 addr)
{
	return current->mm ? addr & htmm_untag_mask(current->mm) : addr;
}

/*
 * Check one sample and put it in the ring.
 *
 * data->addr is valid only if sample_flags says so: for operations without an address AMD
 * IBS leaves it uninitialized.
 */
static enum htmm_drop htmm_capture(struct htmm_sampler *sampler, u32 target,
				   const struct perf_event *event,
				   const struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	bool quiet = htmm_ring_quiet(&sampler->ring);
	u64 addr, *slot;
	u32 level;

	if (!target)
		return HTMM_DROP_FILTERED;
	/*
	 * In a guest, addresses are guest addresses, and an overflow that KVM generates for
	 * the guest's PEBS has no address. Test this even if exclude_guest is set: not all
	 * PMUs obey it.
	 */
	if (current->flags & PF_VCPU)
		return HTMM_DROP_FILTERED;
	if (sampler->user_only && !user_mode(regs))
		return HTMM_DROP_FILTERED;
	if (!(data->sample_flags & PERF_SAMPLE_ADDR) || !data->addr)
		return HTMM_DROP_NO_ADDR;
	addr = htmm_untag(data->addr);
	if (addr >= TASK_SIZE_MAX)
		return HTMM_DROP_KERNEL_ADDR;
	/* After exit_mm(), or a kernel thread: no address space. */
	if (!current->mm)
		return HTMM_DROP_STALE;

	slot = htmm_ring_reserve(&sampler->ring);
	if (!slot)
		return HTMM_DROP_RING_FULL;
	htmm_put(slot, sampler->sample_type, htmm_misc(regs), sampler, target, event, data,
		 addr, regs);

	/*
	 * Post at the watermark, and now and then above it: a woken ksampled empties the
	 * ring. A record that finds the ring full posts again in htmm_capture_any(), in
	 * case this wake-up was lost.
	 */
	level = htmm_ring_commit(&sampler->ring);
	if (!quiet && level >= sampler->ring.watermark)
		irq_work_queue(&sampler->work);
	return HTMM_DROP_NONE;
}

static void htmm_capture_any(struct htmm_sampler *sampler, u32 target,
			     const struct perf_event *event,
			     const struct perf_sample_data *data, struct pt_regs *regs)
{
	enum htmm_drop drop = htmm_capture(sampler, target, event, data, regs);

	if (drop != HTMM_DROP_NONE)
		local64_inc(&sampler->dropped[drop]);
	if (drop == HTMM_DROP_RING_FULL)
		irq_work_queue(&sampler->work);
}

static __always_inline void htmm_overflow_end(struct htmm_sampler *sampler)
{
	barrier();
	sampler->busy = false;
}

/* A sample that is not plain, or whose target is not quickly known. */
static noinline void htmm_overflow_any(struct perf_event *event,
				       struct perf_sample_data *data,
				       struct pt_regs *regs)
{
	struct htmm_sampler *sampler = event->overflow_handler_context;
	u32 target = htmm_filter_match(sampler->filter, &sampler->last);

	htmm_capture_any(sampler, target, event, data, regs);
	htmm_overflow_end(sampler);
}

/* A sample that may be of one of several targets. */
static noinline void htmm_overflow_match(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	struct htmm_sampler *sampler = event->overflow_handler_context;
	u32 target = htmm_filter_known(sampler->filter, &sampler->last);

	if (!target)
		local64_inc(&sampler->dropped[HTMM_DROP_FILTERED]);
	else if (target == HTMM_FILTER_UNKNOWN ||
		 !htmm_capture_plain(sampler, target, event, data, regs))
		return htmm_overflow_any(event, data, regs);
	htmm_overflow_end(sampler);
}

/*
 * A sample whose handler is timed, which stands for those that are not. The first two
 * readings of the clock tell what a reading costs, which those do not pay. What exceeds
 * HTMM_TIMED_MAX_NS is counted once: no handler takes so long, so the CPU was taken away
 * meanwhile, by a hypervisor or by the firmware.
 */
static noinline void htmm_overflow_timed(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	struct htmm_sampler *sampler = event->overflow_handler_context;
	u64 start = local_clock(), begin = local_clock(), end;
	u32 target = htmm_filter_match(sampler->filter, &sampler->last);
	s64 other;

	if (!htmm_capture_plain(sampler, target, event, data, regs))
		htmm_capture_any(sampler, target, event, data, regs);
	sampler->untimed = HTMM_TIMED_EVERY - 1;
	end = local_clock();
	other = clamp_t(s64, end - begin - (begin - start), 0, HTMM_TIMED_MAX_NS);
	local64_add(end - start + other * (HTMM_TIMED_EVERY - 1), &sampler->handler_ns);
	htmm_overflow_end(sampler);
}

/* Count an overflow. Returns false if the sample is dropped. */
static __always_inline bool htmm_overflow_begin(struct htmm_sampler *sampler,
						const struct perf_event *event)
{
	local64_inc(&sampler->overflows);
	if (unlikely(!in_nmi()))
		local64_inc(&sampler->outside_nmi);
	if (unlikely(event->hw.interrupts == HTMM_THROTTLED))
		local64_inc(&sampler->throttled);

	/*
	 * The reserved slot belongs to the handler that this one interrupted on the same
	 * CPU, so a plain flag is enough.
	 */
	if (unlikely(sampler->busy)) {
		local64_inc(&sampler->dropped[HTMM_DROP_NESTED]);
		return false;
	}
	sampler->busy = true;
	barrier();
	return true;
}

/*
 * Whatever is called from here is called as the last step, so that no registers have to be
 * saved before it is known that they are needed.
 */
static __always_inline void htmm_overflow_type(struct perf_event *event,
					       struct perf_sample_data *data,
					       struct pt_regs *regs, const u64 sample_type)
{
	struct htmm_sampler *sampler = event->overflow_handler_context;
	u32 target;

	if (!htmm_overflow_begin(sampler, event))
		return;
	target = htmm_filter_only(sampler->filter);
	if (unlikely(--sampler->untimed < 0))
		htmm_overflow_timed(event, data, regs);
	else if (!target)
		htmm_overflow_match(event, data, regs);
	else if (htmm_capture_type(sampler, sample_type, target, event, data, regs))
		htmm_overflow_end(sampler);
	else
		htmm_overflow_any(event, data, regs);
}

/* The handlers: each for the type of the session's records. */
static void htmm_overflow_min(struct perf_event *event, struct perf_sample_data *data,
			      struct pt_regs *regs)
{
	htmm_overflow_type(event, data, regs, HTMM_SAMPLE_TYPE_MIN);
}

static void htmm_overflow_weighted(struct perf_event *event, struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	htmm_overflow_type(event, data, regs, HTMM_SAMPLE_TYPE_WEIGHTED);
}

static void htmm_overflow_source(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	htmm_overflow_type(event, data, regs, HTMM_SAMPLE_TYPE_SOURCE);
}

static void htmm_overflow(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct htmm_sampler *sampler = event->overflow_handler_context;

	if (!htmm_overflow_begin(sampler, event))
		return;
	if (unlikely(--sampler->untimed < 0))
		htmm_overflow_timed(event, data, regs);
	else
		htmm_overflow_match(event, data, regs);
}

/**
 * htmm_overflow_handler - perf's overflow handler of an event
 * @sample_type: PERF_SAMPLE_* bits of its records
 * @user_only: its samples of the kernel have to be dropped
 *
 * The event's overflow_handler_context is its struct htmm_sampler. The handler runs on the
 * CPU of the sampler, in NMI context for hardware events; for software events in any, with
 * interrupts on or off.
 *
 * Return: the handler.
 */
perf_overflow_handler_t htmm_overflow_handler(u64 sample_type, bool user_only)
{
	if (!user_only && sample_type == HTMM_SAMPLE_TYPE_MIN)
		return htmm_overflow_min;
	if (!user_only && sample_type == HTMM_SAMPLE_TYPE_WEIGHTED)
		return htmm_overflow_weighted;
	if (!user_only && sample_type == HTMM_SAMPLE_TYPE_SOURCE)
		return htmm_overflow_source;
	return htmm_overflow;
}
