// SPDX-License-Identifier: GPL-2.0
/*
 * Injected faults: invalid samples as real hardware sometimes produces, to test the code
 * that receives them. Each fault is due at every Nth sample; if two are due at the same
 * one, the first below is injected.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "pebs_emu.h"

/* An address in the direct map of kernel memory. */
#define KERNEL_ADDR	0xffff888000001000ULL
/* A value that a stack may contain where no valid address was written. */
#define GARBAGE_ADDR	0x00005eadbeef5000ULL

static unsigned long fault_noaddr;
module_param(fault_noaddr, ulong, 0644);
MODULE_PARM_DESC(fault_noaddr, "every Nth sample has a stray address that is not flagged valid (0: none)");

static unsigned long fault_kernel;
module_param(fault_kernel, ulong, 0644);
MODULE_PARM_DESC(fault_kernel, "every Nth sample has a kernel address (0: none)");

static unsigned long fault_zero;
module_param(fault_zero, ulong, 0644);
MODULE_PARM_DESC(fault_zero, "every Nth sample has address 0, flagged valid (0: none)");

static unsigned long fault_guest;
module_param(fault_guest, ulong, 0644);
MODULE_PARM_DESC(fault_guest, "every Nth overflow comes while the task runs a guest (0: none)");

static unsigned long fault_mode;
module_param(fault_mode, ulong, 0644);
MODULE_PARM_DESC(fault_mode, "every Nth sample is one of kernel mode (0: none)");

static unsigned long period_step;
module_param(period_step, ulong, 0644);
MODULE_PARM_DESC(period_step, "periods of new events must be multiples of it (0: any)");

static int fixed_period_cpu = -1;
module_param(fixed_period_cpu, int, 0644);
MODULE_PARM_DESC(fixed_period_cpu, "CPU on which no event can change its period (-1: none)");

static bool no_exclude_guest;
module_param(no_exclude_guest, bool, 0644);
MODULE_PARM_DESC(no_exclude_guest, "new events cannot leave out guests (default: N)");

static bool no_exclude_kernel;
module_param(no_exclude_kernel, bool, 0644);
MODULE_PARM_DESC(no_exclude_kernel, "new events cannot leave out the kernel, as of AMD IBS (default: N)");

static bool exclude_guest_only;
module_param(exclude_guest_only, bool, 0644);
MODULE_PARM_DESC(exclude_guest_only, "new events must leave out guests, as beside a mediated vPMU (default: N)");

bool pebs_fault_refuses(const struct perf_event *event)
{
	unsigned long step = READ_ONCE(period_step);

	if (event->attr.exclude_guest && READ_ONCE(no_exclude_guest))
		return true;
	if (event->attr.exclude_kernel && READ_ONCE(no_exclude_kernel))
		return true;
	return step && event->attr.sample_period % step;
}

bool pebs_fault_wants_no_guest(const struct perf_event *event)
{
	return !event->attr.exclude_guest && READ_ONCE(exclude_guest_only);
}

int pebs_fault_check_period(struct perf_event *event, u64 period)
{
	return event->cpu == READ_ONCE(fixed_period_cpu) ? -EINVAL : 0;
}

static atomic64_t samples;
static atomic64_t noaddr, kernel, zero, guest, overflows, mode, modes;

static int get_count(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(kp->arg));
}

static const struct kernel_param_ops count_ops = { .get = get_count };
module_param_cb(injected_noaddr, &count_ops, &noaddr, 0444);
MODULE_PARM_DESC(injected_noaddr, "samples given a stray address so far");
module_param_cb(injected_kernel, &count_ops, &kernel, 0444);
MODULE_PARM_DESC(injected_kernel, "samples given a kernel address so far");
module_param_cb(injected_zero, &count_ops, &zero, 0444);
MODULE_PARM_DESC(injected_zero, "samples given address 0 so far");

module_param_cb(injected_mode, &count_ops, &mode, 0444);
MODULE_PARM_DESC(injected_mode, "samples of kernel mode so far");
module_param_cb(injected_guest, &count_ops, &guest, 0444);
MODULE_PARM_DESC(injected_guest, "overflows that came while the task ran a guest so far");

static bool due(u64 sample, unsigned long every)
{
	return every && sample % every == 0;
}

void pebs_fault_spoil(struct perf_sample_data *data)
{
	u64 sample = atomic64_inc_return(&samples);

	if (due(sample, READ_ONCE(fault_noaddr))) {
		data->addr = GARBAGE_ADDR;
		data->sample_flags &= ~(u64)PERF_SAMPLE_ADDR;
		atomic64_inc(&noaddr);
	} else if (due(sample, READ_ONCE(fault_kernel))) {
		data->addr = KERNEL_ADDR;
		atomic64_inc(&kernel);
	} else if (due(sample, READ_ONCE(fault_zero))) {
		data->addr = 0;
		atomic64_inc(&zero);
	}
}

bool pebs_fault_of_kernel(void)
{
	if (!due(atomic64_inc_return(&modes), READ_ONCE(fault_mode)))
		return false;
	atomic64_inc(&mode);
	return true;
}

/*
 * Only the task itself changes its flags, and they are restored before the interrupted code
 * continues.
 */
bool pebs_fault_enter_guest(void)
{
	if (!due(atomic64_inc_return(&overflows), READ_ONCE(fault_guest)) ||
	    current->flags & PF_VCPU)
		return false;
	current->flags |= PF_VCPU;
	atomic64_inc(&guest);
	return true;
}

void pebs_fault_exit_guest(bool entered)
{
	if (entered)
		current->flags &= ~PF_VCPU;
}
