// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver of the emulated PEBS unit (see ../README.md). For tests only: it presents
 * the QEMU plugin to the kernel as a PMU for raw events.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/io.h>
#include <linux/mmzone.h>
#include <linux/module.h>

#include "model.h"
#include "pebs_emu.h"

struct pebs_cpu __percpu *pebs_cpus;
static struct pebs_mbox *mbox;
static enum cpuhp_state cpuhp;
static struct pebs_range plugin_pmem;	/* as the plugin was told */
static bool ready;	/* parameters may use the mailbox; kernel_param_lock() */

static int pmem_node = NUMA_NO_NODE;
module_param(pmem_node, int, 0444);
MODULE_PARM_DESC(pmem_node, "NUMA node whose memory is persistent or CXL memory (default: as the plugin was told)");

static bool truth = true;

static int set_truth(const char *val, const struct kernel_param *kp)
{
	int err = param_set_bool(val, kp);

	if (!err && ready)
		WRITE_ONCE(mbox->header.truth, truth);
	return err;
}

static const struct kernel_param_ops truth_ops = {
	.set = set_truth,
	.get = param_get_bool,
};
module_param_cb(truth, &truth_ops, &truth, 0644);
MODULE_PARM_DESC(truth, "accesses enter the ground truth (default: Y)");

static unsigned long profile;

static int set_profile(const char *val, const struct kernel_param *kp)
{
	int err = param_set_ulong(val, kp);

	if (!err && ready)
		WRITE_ONCE(mbox->header.profile, profile);
	return err;
}

static const struct kernel_param_ops profile_ops = {
	.set = set_profile,
	.get = param_get_ulong,
};
module_param_cb(profile, &profile_ops, &profile, 0644);
MODULE_PARM_DESC(profile, "section of the profile that the kernel's instructions enter (0: none)");

/* Totals over all CPUs, as read-only parameters. */
static int get_total(char *buf, const struct kernel_param *kp)
{
	const char *name = kp->name;
	u64 total = 0;
	int cpu;

	if (!ready)
		return sysfs_emit(buf, "0\n");
	for_each_possible_cpu(cpu) {
		const struct pebs_cpu *pc = per_cpu_ptr(pebs_cpus, cpu);

		if (!strcmp(name, "overflows"))
			total += READ_ONCE(pc->slot->overflows);
		else if (!strcmp(name, "overruns"))
			total += READ_ONCE(pc->slot->overruns);
		else if (!strcmp(name, "unmapped"))
			total += READ_ONCE(pc->slot->unmapped);
		else if (!strcmp(name, "delivered"))
			total += READ_ONCE(pc->delivered);
		else
			total += READ_ONCE(pc->stale);
	}
	return sysfs_emit(buf, "%llu\n", total);
}

static const struct kernel_param_ops total_ops = { .get = get_total };
module_param_cb(overflows, &total_ops, NULL, 0444);
MODULE_PARM_DESC(overflows, "overflows of all counters; == delivered + stale + overruns");
module_param_cb(delivered, &total_ops, NULL, 0444);
MODULE_PARM_DESC(delivered, "overflows handed to perf");
module_param_cb(stale, &total_ops, NULL, 0444);
MODULE_PARM_DESC(stale, "overflows dropped because the event was already stopped");
module_param_cb(overruns, &total_ops, NULL, 0444);
MODULE_PARM_DESC(overruns, "overflows lost because the record buffer was full");
module_param_cb(unmapped, &total_ops, NULL, 0444);
MODULE_PARM_DESC(unmapped, "accesses to device memory");

static int map_mailbox(void)
{
	int cpu;

	mbox = memremap(PEBS_MBOX_ADDR, PEBS_MBOX_SIZE, MEMREMAP_WB);
	if (!mbox) {
		pr_err("cannot map the mailbox; boot with memmap=%luM$%#lx\n",
		       PEBS_MBOX_SIZE >> 20, PEBS_MBOX_ADDR);
		return -ENOMEM;
	}
	if (mbox->header.magic != PEBS_MBOX_MAGIC) {
		pr_err("no emulated PEBS unit of this version; run QEMU with its plugin\n");
		goto err_unmap;
	}
	if (mbox->header.ncpus < nr_cpu_ids) {
		pr_err("the unit serves %llu CPUs, this kernel may have %u; boot with nr_cpus=%llu\n",
		       mbox->header.ncpus, nr_cpu_ids, mbox->header.ncpus);
		goto err_unmap;
	}
	plugin_pmem = mbox->header.pmem;
	for_each_possible_cpu(cpu) {
		struct pebs_cpu *pc = per_cpu_ptr(pebs_cpus, cpu);

		pc->slot = &mbox->cpu[cpu].slot;
		/* The slot is inactive, so the plugin does not use it. */
		memset(pc->slot, 0, sizeof(*pc->slot));
		pc->ibs = &mbox->cpu[cpu].ibs;
		memset(pc->ibs, 0, sizeof(*pc->ibs));
	}
	return 0;

err_unmap:
	memunmap(mbox);
	mbox = NULL;
	return -ENODEV;
}

static void unmap_mailbox(void)
{
	mbox->header.pmem = plugin_pmem;
	memunmap(mbox);
	mbox = NULL;
}

static int set_range(struct pebs_range *range, int nid)
{
	if (nid == NUMA_NO_NODE)
		return 0;
	if (nid < 0 || nid >= MAX_NUMNODES || !node_online(nid)) {
		pr_err("there is no node %d\n", nid);
		return -EINVAL;
	}
	range->start = PFN_PHYS(node_start_pfn(nid));
	range->end = PFN_PHYS(node_end_pfn(nid));
	return 0;
}

/* The first node without CPUs. */
static int cxl_node(void)
{
	int nid;

	for_each_online_node(nid)
		if (!node_state(nid, N_CPU))
			return nid;
	return NUMA_NO_NODE;
}

/* Each CPU's own memory, and that of no CPU. */
static int set_ranges(void)
{
	int cpu, err;

	if (pebs_model->cxl && pmem_node == NUMA_NO_NODE)
		pmem_node = cxl_node();

	for_each_possible_cpu(cpu) {
		err = set_range(&per_cpu_ptr(pebs_cpus, cpu)->slot->near, cpu_to_node(cpu));
		if (err)
			return err;
	}
	return set_range(&mbox->header.pmem, pmem_node);
}

static int cpu_online_cb(unsigned int cpu)
{
	struct pebs_cpu *pc = per_cpu_ptr(pebs_cpus, cpu);

	WRITE_ONCE(pc->slot->enabled, 0);
	WRITE_ONCE(pc->slot->active, 1);
	return 0;
}

static int cpu_offline_cb(unsigned int cpu)
{
	WRITE_ONCE(per_cpu_ptr(pebs_cpus, cpu)->slot->active, 0);
	return 0;
}

static int start_cpus(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/pebs_emu:online",
				cpu_online_cb, cpu_offline_cb);
	if (ret < 0)
		return ret;
	cpuhp = ret;
	return 0;
}

static void set_ready(bool value)
{
	kernel_param_lock(THIS_MODULE);
	ready = value;
	if (ready)
		WRITE_ONCE(mbox->header.truth, truth);
	kernel_param_unlock(THIS_MODULE);
}

static int __init pebs_emu_init(void)
{
	int err = pebs_model_init();

	if (err)
		return err;
	pebs_cpus = alloc_percpu(struct pebs_cpu);
	if (!pebs_cpus)
		return -ENOMEM;
	err = map_mailbox();
	if (err)
		goto err_free_cpus;
	err = set_ranges();
	if (err)
		goto err_unmap_mailbox;
	err = pebs_tgid_init();
	if (err)
		goto err_unmap_mailbox;
	err = start_cpus();
	if (err)
		goto err_exit_tgid;
	err = pebs_drain_init();
	if (err)
		goto err_stop_cpus;
	err = pebs_pmu_register();
	if (err)
		goto err_exit_drain;
	set_ready(true);
	return 0;

err_exit_drain:
	pebs_nest_exit();
	pebs_drain_exit();
err_stop_cpus:
	cpuhp_remove_state(cpuhp);
err_exit_tgid:
	pebs_tgid_exit();
err_unmap_mailbox:
	unmap_mailbox();
err_free_cpus:
	free_percpu(pebs_cpus);
	return err;
}

static void __exit pebs_emu_exit(void)
{
	set_ready(false);
	pebs_nest_exit();
	pebs_pmu_unregister();
	pebs_drain_exit();
	cpuhp_remove_state(cpuhp);
	pebs_tgid_exit();
	unmap_mailbox();
	free_percpu(pebs_cpus);
}

module_init(pebs_emu_init);
module_exit(pebs_emu_exit);
MODULE_DESCRIPTION("Guest driver of the emulated PEBS unit (test only)");
MODULE_LICENSE("GPL");
