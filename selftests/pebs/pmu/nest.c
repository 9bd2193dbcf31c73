// SPDX-License-Identifier: GPL-2.0
/*
 * Injected nesting: enters an overflow handler again while it runs, as an NMI does to the
 * handler of a software event. A probe on a function that the handler calls passes the same
 * overflow two more times: the first of them must not end what the handler has begun. These
 * overflows are not counted as "delivered".
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

#include "pebs_emu.h"

static unsigned long fault_nested;
module_param(fault_nested, ulong, 0644);
MODULE_PARM_DESC(fault_nested, "every Nth overflow that reaches nest_at is nested twice (0: none)");

static atomic64_t hits, nested;
static struct kprobe probe;
static char symbol[KSYM_NAME_LEN];

static int on_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct pebs_sample *sample = this_cpu_read(pebs_cpus->sample);
	unsigned long every = READ_ONCE(fault_nested);

	if (!sample || sample->nested || !every ||
	    atomic64_inc_return(&hits) % every)
		return 0;
	sample->nested = true;
	atomic64_add(2, &nested);
	pebs_overflow(sample);
	pebs_overflow(sample);
	return 0;
}

static void remove_probe(void)
{
	if (!symbol[0])
		return;
	unregister_kprobe(&probe);
	symbol[0] = '\0';
}

static int set_nest_at(const char *val, const struct kernel_param *kp)
{
	int err;

	/* Neither before init nor during exit, which would leave the probe behind. */
	if (THIS_MODULE->state != MODULE_STATE_LIVE)
		return -EBUSY;
	remove_probe();
	if (strscpy(symbol, skip_spaces(val), sizeof(symbol)) < 0) {
		symbol[0] = '\0';
		return -ENAMETOOLONG;
	}
	strim(symbol);
	if (!symbol[0])
		return 0;
	probe = (struct kprobe) { .symbol_name = symbol, .pre_handler = on_hit };
	err = register_kprobe(&probe);
	if (err) {
		pr_err("cannot probe %s: error %d\n", symbol, err);
		symbol[0] = '\0';
	}
	return err;
}

static int get_nest_at(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", symbol);
}

static const struct kernel_param_ops nest_at_ops = {
	.set = set_nest_at,
	.get = get_nest_at,
};
module_param_cb(nest_at, &nest_at_ops, NULL, 0644);
MODULE_PARM_DESC(nest_at, "function, called by an overflow handler, to nest in (empty: none)");

static int get_nested(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&nested));
}

static const struct kernel_param_ops nested_ops = { .get = get_nested };
module_param_cb(injected_nested, &nested_ops, NULL, 0444);
MODULE_PARM_DESC(injected_nested, "overflows nested so far");

void pebs_nest_exit(void)
{
	kernel_param_lock(THIS_MODULE);
	remove_probe();
	kernel_param_unlock(THIS_MODULE);
}
