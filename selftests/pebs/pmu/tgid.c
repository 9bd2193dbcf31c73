// SPDX-License-Identifier: GPL-2.0
/* Tells the unit which process runs, for its ground truth. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "pebs_emu.h"

static struct tracepoint *sched_switch;

/* Runs before the switch; no user code runs on this CPU until it is done. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	WRITE_ONCE(this_cpu_ptr(pebs_cpus)->slot->tgid, next->tgid);
}

/* The tracepoint is not exported by name, but it is in the list of all. */
static void find_sched_switch(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch = tp;
}

static void tell_current(void *unused)
{
	on_switch(NULL, false, NULL, current, 0);
}

int pebs_tgid_init(void)
{
	int err;

	for_each_kernel_tracepoint(find_sched_switch, NULL);
	if (!sched_switch) {
		pr_err("this kernel has no sched_switch tracepoint\n");
		return -ENOENT;
	}
	err = tracepoint_probe_register(sched_switch, on_switch, NULL);
	if (!err)
		on_each_cpu(tell_current, NULL, 1);
	return err;
}

void pebs_tgid_exit(void)
{
	tracepoint_probe_unregister(sched_switch, on_switch, NULL);
	tracepoint_synchronize_unregister();
}
