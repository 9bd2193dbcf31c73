// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow handler: all code of the module that runs in NMI context.
 *
 * It takes no lock, allocates nothing, prints nothing, and wakes threads only through irq_work.
 */
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/uaccess.h>
#include "base/compat.h"
#include "core/source.h"
#include "cookie.h"
#include "perf_event.h"

/*
 * Reading the clock twice takes longer than the rest of a handler, so only one of this many is
 * timed. A prime number, or it might always be the one that wakes ksampled.
 */
#define HTMM_TIMED_EVERY	127
#define HTMM_TIMED_MAX_NS	(100 * NSEC_PER_USEC)

/* Handlers are compiled for the usual types of records, and once for all others. */
#define HTMM_ANY_TYPE		0

static u16 htmm_misc(struct pt_regs *regs)
{
	u16 misc = user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;

	return htmm_exact_ip(regs) ? misc | PERF_RECORD_MISC_EXACT_IP : misc;
}

/*
 * An address without the tag that a program may have put into bits of its pointer that the CPU
 * ignores (LAM). Without LAM no bit is ignored.
 */
static u64 htmm_untag(u64 addr)
{
	return current->mm ? addr & htmm_untag_mask(current->mm) : addr;
}

static enum htmm_source htmm_source(const struct perf_sample_data *data)
{
	return data->sample_flags & PERF_SAMPLE_DATA_SRC ?
		htmm_source_of(data->data_src.val) : HTMM_SOURCE_UNKNOWN;
}

/*
 * Why a sample is dropped; HTMM_DROP_NONE: it is not. @addr is its address, of which there is none
 * from @end on.
 *
 * data->addr is valid only if sample_flags says so: for operations without an address AMD
 * IBS leaves it uninitialized.
 */
static __always_inline enum htmm_drop htmm_check(const struct perf_sample_data *data,
						 struct pt_regs *regs, u32 target,
						 bool user_only, enum htmm_source min_level,
						 u64 addr, u64 end)
{
	if (!target)
		return HTMM_DROP_FILTERED;
	/*
	 * In a guest, addresses are guest addresses, and an overflow that KVM generates for
	 * the guest's PEBS has no address. Test this even if exclude_guest is set: not all
	 * PMUs obey it.
	 */
	if (current->flags & PF_VCPU)
		return HTMM_DROP_FILTERED;
	if (user_only && !user_mode(regs))
		return HTMM_DROP_KERNEL;
	if (!(data->sample_flags & PERF_SAMPLE_ADDR) || !addr)
		return user_only ? HTMM_DROP_NO_DATA : HTMM_DROP_NO_ADDR;
	/* IBS may not know the instruction: that of the interrupt may be the program's already. */
	if (addr >= end)
		return user_only ? HTMM_DROP_KERNEL : HTMM_DROP_KERNEL_ADDR;
	/* After exit_mm(), or a kernel thread: no address space. */
	if (!current->mm)
		return HTMM_DROP_STALE;
	if (min_level && htmm_source(data) < min_level)
		return HTMM_DROP_NEAR;
	return HTMM_DROP_NONE;
}

/* Write a record. What is constant costs nothing. */
static __always_inline void htmm_put(u64 *slot, u64 sample_type, u16 misc,
				     const struct htmm_channel *channel, u32 target,
				     const struct perf_event *event,
				     const struct perf_sample_data *data, u64 addr,
				     struct pt_regs *regs)
{
	const struct htmm_sample sample = {
		.ip = data->sample_flags & PERF_SAMPLE_IP ? data->ip : instruction_pointer(regs),
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
		.cpu = channel->cpu,
		.target = target,
		.misc = misc,
	};

	htmm_record_write(slot, sample_type, &sample);
}

static __always_inline void htmm_overflow_end(struct htmm_channel *channel)
{
	barrier();
	channel->busy = false;
}

/* Write a record that may be unusual, or for which the consumer has to be looked at. */
static noinline void htmm_overflow_write(struct perf_event *event, struct perf_sample_data *data,
					 struct pt_regs *regs, u32 target)
{
	struct htmm_channel *channel = event->overflow_handler_context;
	bool quiet = htmm_ring_quiet(&channel->ring);
	u64 *slot = htmm_ring_reserve(&channel->ring);

	if (slot) {
		htmm_put(slot, channel->sample_type, htmm_misc(regs), channel, target, event,
			 data, htmm_untag(data->addr), regs);
		/*
		 * Post at the watermark, and now and then above it: a woken ksampled empties
		 * the ring.
		 */
		if (htmm_ring_commit(&channel->ring) >= channel->ring.watermark && !quiet)
			irq_work_queue(&channel->work);
	} else {
		local64_inc(&channel->dropped[HTMM_DROP_RING_FULL]);
		/* Again, in case the wake-up was lost. */
		irq_work_queue(&channel->work);
	}
	htmm_overflow_end(channel);
}

/*
 * Put a sample in the ring or count why not. Nearly all are of user code, of a precise event, in
 * a ring that need not be looked at. Whatever is called is called as the last step, so that no
 * registers have to be saved before it is known that they are needed.
 */
static __always_inline void htmm_overflow_take(struct htmm_channel *channel,
					       struct perf_event *event,
					       struct perf_sample_data *data,
					       struct pt_regs *regs, const u64 type, u32 target)
{
	const bool any = type == HTMM_ANY_TYPE;
	const u64 end = TASK_SIZE_MAX;
	/* With a tag it looks like an address of the kernel. */
	u64 addr = likely(data->addr < end) ? data->addr : htmm_untag(data->addr);
	enum htmm_drop drop = htmm_check(data, regs, target, any && channel->user_only,
					 any ? channel->min_level : 0, addr, end);

	if (unlikely(drop != HTMM_DROP_NONE)) {
		local64_inc(&channel->dropped[drop]);
		htmm_overflow_end(channel);
		return;
	}
	if (unlikely(any || !user_mode(regs) || !htmm_exact_ip(regs) ||
		     !htmm_ring_quiet(&channel->ring))) {
		htmm_overflow_write(event, data, regs, target);
		return;
	}
	htmm_put(htmm_ring_reserve_quiet(&channel->ring), type,
		 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP, channel, target, event, data,
		 addr, regs);
	htmm_ring_commit_quiet(&channel->ring);
	htmm_overflow_end(channel);
}

/*
 * A sample whose handler is timed, which stands for those that are not. The first two
 * readings of the clock tell what a reading costs, which those do not pay. What exceeds
 * HTMM_TIMED_MAX_NS is counted once: no handler takes so long, so the CPU was taken away
 * meanwhile, by a hypervisor or by the firmware.
 */
static __always_inline void htmm_overflow_timed(struct perf_event *event,
						struct perf_sample_data *data,
						struct pt_regs *regs, const u64 type)
{
	struct htmm_channel *channel = event->overflow_handler_context;
	u64 start = local_clock(), begin = local_clock(), end;
	s64 other;

	channel->untimed = HTMM_TIMED_EVERY - 1;
	htmm_overflow_take(channel, event, data, regs, type,
			   htmm_filter_match(channel->filter, &channel->last, current));
	end = local_clock();
	other = clamp_t(s64, end - begin - (begin - start), 0, HTMM_TIMED_MAX_NS);
	local64_add(end - start + other * (HTMM_TIMED_EVERY - 1), &channel->handler_ns);
}

/* A sample whose target has to be looked for. */
static noinline void htmm_overflow_find(struct perf_event *event, struct perf_sample_data *data,
					struct pt_regs *regs)
{
	struct htmm_channel *channel = event->overflow_handler_context;

	htmm_overflow_take(channel, event, data, regs, HTMM_ANY_TYPE,
			   htmm_filter_match(channel->filter, &channel->last, current));
}

static __always_inline void htmm_overflow_match(struct perf_event *event,
						struct perf_sample_data *data,
						struct pt_regs *regs, const u64 type)
{
	struct htmm_channel *channel = event->overflow_handler_context;
	u32 target = htmm_filter_known(channel->filter, &channel->last, current);

	if (unlikely(target == HTMM_FILTER_UNKNOWN))
		htmm_overflow_find(event, data, regs);
	else
		htmm_overflow_take(channel, event, data, regs, type, target);
}

/* Count an overflow. Returns false if the sample is dropped. */
static __always_inline bool htmm_overflow_begin(struct htmm_channel *channel,
						const struct perf_event *event)
{
	local64_inc(&channel->overflows);
	if (unlikely(!in_nmi()))
		WRITE_ONCE(channel->outside_nmi, true);
	if (unlikely(event->hw.interrupts == HTMM_THROTTLED))
		local64_inc(&channel->throttled);

	/*
	 * The reserved slot belongs to the handler that this one interrupted on the same
	 * CPU, so a plain flag is enough.
	 */
	if (unlikely(channel->busy)) {
		local64_inc(&channel->dropped[HTMM_DROP_NESTED]);
		return false;
	}
	channel->busy = true;
	barrier();
	return true;
}

/*
 * The handler for records of @type: @match looks for the target if there are several, @timed
 * measures. Both are called as the last step, too.
 */
static __always_inline void htmm_overflow(struct perf_event *event,
					  struct perf_sample_data *data, struct pt_regs *regs,
					  const u64 type, perf_overflow_handler_t match,
					  perf_overflow_handler_t timed)
{
	struct htmm_channel *channel = event->overflow_handler_context;
	u32 target;

	if (!htmm_overflow_begin(channel, event))
		return;
	target = htmm_filter_only(channel->filter);
	if (unlikely(--channel->untimed < 0))
		timed(event, data, regs);
	else if (!target)
		match(event, data, regs);
	else
		htmm_overflow_take(channel, event, data, regs, type, target);
}

#define HTMM_HANDLER(handler, type)							\
static noinline void handler##_timed(struct perf_event *event,				\
				     struct perf_sample_data *data, struct pt_regs *regs) \
{											\
	htmm_overflow_timed(event, data, regs, type);					\
}											\
											\
static noinline void handler##_match(struct perf_event *event,				\
				     struct perf_sample_data *data, struct pt_regs *regs) \
{											\
	htmm_overflow_match(event, data, regs, type);					\
}											\
											\
static void handler(struct perf_event *event, struct perf_sample_data *data,		\
		    struct pt_regs *regs)						\
{											\
	htmm_overflow(event, data, regs, type, handler##_match, handler##_timed);	\
}

HTMM_HANDLER(htmm_overflow_min, HTMM_SAMPLE_TYPE_MIN)
HTMM_HANDLER(htmm_overflow_weighted, HTMM_SAMPLE_TYPE_WEIGHTED)
HTMM_HANDLER(htmm_overflow_source, HTMM_SAMPLE_TYPE_SOURCE)
HTMM_HANDLER(htmm_overflow_any, HTMM_ANY_TYPE)

/**
 * htmm_overflow_handler - perf's overflow handler of an event
 * @sample_type: PERF_SAMPLE_* bits of its records
 * @picky: it has samples that are to be dropped: of the kernel, or of near memory
 *
 * The event's overflow_handler_context is its struct htmm_channel. The handler runs on the
 * CPU of the channel, in NMI context for hardware events; for software events in any, with
 * interrupts on or off.
 *
 * Return: the handler.
 */
perf_overflow_handler_t htmm_overflow_handler(u64 sample_type, bool picky)
{
	if (!picky && sample_type == HTMM_SAMPLE_TYPE_MIN)
		return htmm_overflow_min;
	if (!picky && sample_type == HTMM_SAMPLE_TYPE_WEIGHTED)
		return htmm_overflow_weighted;
	if (!picky && sample_type == HTMM_SAMPLE_TYPE_SOURCE)
		return htmm_overflow_source;
	return htmm_overflow_any;
}
