// SPDX-License-Identifier: GPL-2.0
/*
 * What the parts of an overflow cost: the driver can stop before any of them, and measure
 * the rest. With QEMU's -icount the CPU's counter tells instructions.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/module.h>
#include <asm/msr.h>

#include "pebs_emu.h"

static unsigned int price_stop;
module_param(price_stop, uint, 0644);
MODULE_PARM_DESC(price_stop, "1: drop records when the NMI comes, 2: before perf is called, 3: perf calls a handler that does nothing (0: none of these)");

static bool price_measure;
module_param(price_measure, bool, 0644);
MODULE_PARM_DESC(price_measure, "measure the calls of perf (default: N)");

static atomic64_t ticks;

static int get_ticks(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%lld\n", (long long)atomic64_read(&ticks));
}

static const struct kernel_param_ops ticks_ops = { .get = get_ticks };
module_param_cb(price_ticks, &ticks_ops, NULL, 0444);
MODULE_PARM_DESC(price_ticks, "ticks of the CPU's counter in calls that were measured");

enum pebs_price_stop pebs_price_stop(void)
{
	return READ_ONCE(price_stop);
}

static void do_nothing(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
}

static int call(pebs_overflow_fn *overflow, struct pebs_sample *sample)
{
	u64 start;
	int ret;

	if (!READ_ONCE(price_measure))
		return overflow(sample->event, &sample->data, &sample->regs);
	start = rdtsc();
	ret = overflow(sample->event, &sample->data, &sample->regs);
	atomic64_add(rdtsc() - start, &ticks);
	return ret;
}

int pebs_price_overflow(pebs_overflow_fn *overflow, struct pebs_sample *sample)
{
	struct perf_event *event = sample->event;
	perf_overflow_handler_t handler = event->overflow_handler;
	int ret;

	switch (pebs_price_stop()) {
	case PEBS_STOP_NOWHERE:
		return call(overflow, sample);
	case PEBS_STOP_HANDLER:
		break;
	default:
		return 0;
	}
	/* Only this CPU calls the event's handler, and it is here. */
	WRITE_ONCE(event->overflow_handler, do_nothing);
	ret = call(overflow, sample);
	WRITE_ONCE(event->overflow_handler, handler);
	return ret;
}
