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

static u16 htmm_misc(struct pt_regs *regs)
{
	u16 misc = user_mode(regs) ? PERF_RECORD_MISC_USER :
				     PERF_RECORD_MISC_KERNEL;

	return htmm_exact_ip(regs) ? misc | PERF_RECORD_MISC_EXACT_IP : misc;
}

static void htmm_fill(struct htmm_sample *s, const struct htmm_sampler *sampler,
		      u64 time, u32 target,
		      const struct perf_event *event,
		      const struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	*s = (struct htmm_sample) {
		.ip = data->sample_flags & PERF_SAMPLE_IP ?
			data->ip : instruction_pointer(regs),
		.addr = data->addr,
		.time = time,
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
		.misc = htmm_misc(regs),
	};
}

/*
 * Check one sample and put it in the ring.
 *
 * data->addr is valid only if sample_flags says so: for operations without an address AMD
 * IBS leaves it uninitialized.
 */
static enum htmm_drop htmm_capture(struct htmm_sampler *sampler, u64 time,
				   const struct perf_event *event,
				   const struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	u32 target = htmm_filter_match(sampler->filter);
	struct htmm_sample sample;
	u64 *slot;

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
	if (data->addr >= TASK_SIZE_MAX)
		return HTMM_DROP_KERNEL_ADDR;
	/* After exit_mm(), or a kernel thread: no address space. */
	if (!current->mm)
		return HTMM_DROP_STALE;

	slot = htmm_ring_reserve(&sampler->ring);
	if (!slot)
		return HTMM_DROP_RING_FULL;

	htmm_fill(&sample, sampler, time, target, event, data, regs);
	htmm_record_write(slot, sampler->sample_type, &sample);

	/*
	 * Post only exactly at the watermark: a woken ksampled empties the ring, so one
	 * wake-up is enough. A record that finds the ring full posts again in
	 * htmm_overflow(), in case this wake-up was lost.
	 */
	if (htmm_ring_commit(&sampler->ring) == sampler->ring.watermark)
		irq_work_queue(&sampler->work);
	return HTMM_DROP_NONE;
}

/**
 * htmm_overflow - perf's overflow handler of every event of the module
 * @event: the event; overflow_handler_context is its struct htmm_sampler
 * @data: the sample, as filled by the PMU's driver
 * @regs: registers at the sample
 *
 * Context: NMI for hardware events; any for software events, with interrupts
 * on or off. Runs on the CPU of the sampler.
 */
void htmm_overflow(struct perf_event *event, struct perf_sample_data *data,
		   struct pt_regs *regs)
{
	struct htmm_sampler *sampler = event->overflow_handler_context;
	u64 time = local_clock();
	enum htmm_drop drop;

	local64_inc(&sampler->overflows);
	if (in_nmi())
		local64_inc(&sampler->in_nmi);
	if (event->hw.interrupts == HTMM_THROTTLED)
		local64_inc(&sampler->throttled);

	/*
	 * The reserved slot belongs to the handler that this one interrupted on the same
	 * CPU, so a plain flag is enough.
	 */
	if (READ_ONCE(sampler->busy)) {
		local64_inc(&sampler->dropped[HTMM_DROP_NESTED]);
		return;
	}
	WRITE_ONCE(sampler->busy, true);
	barrier();

	drop = htmm_capture(sampler, time, event, data, regs);
	if (drop != HTMM_DROP_NONE)
		local64_inc(&sampler->dropped[drop]);
	if (drop == HTMM_DROP_RING_FULL)
		irq_work_queue(&sampler->work);

	barrier();
	WRITE_ONCE(sampler->busy, false);
	local64_add(local_clock() - time, &sampler->handler_ns);
}
