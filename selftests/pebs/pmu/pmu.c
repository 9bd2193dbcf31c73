// SPDX-License-Identifier: GPL-2.0
/* The emulated unit as a struct pmu: Intel's raw events on the CPU's counters. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>

#include "pebs_emu.h"

#define LOADS		(BIT(PEBS_LOAD_HIT) | LOAD_MISSES)
#define LOAD_MISSES	(BIT(PEBS_LOAD_LOCAL) | BIT(PEBS_LOAD_REMOTE) | \
			 BIT(PEBS_LOAD_LOCAL_PMM) | BIT(PEBS_LOAD_REMOTE_PMM))
#define STORES		(BIT(PEBS_STORE_HIT) | BIT(PEBS_STORE_MISS))

#define LOAD_LATENCY	0x01cd
#define MAX_LATENCY	0xffff

static const struct {
	u64 config;		/* umask and event select, as in IA32_PERFEVTSEL */
	u64 match;		/* bitmask of enum pebs_kind */
} encodings[] = {
	{ 0x81d0, LOADS },				/* MEM_INST_RETIRED.ALL_LOADS */
	{ 0x82d0, STORES },				/* MEM_INST_RETIRED.ALL_STORES */
	{ 0x20d1, LOAD_MISSES },			/* MEM_LOAD_RETIRED.L3_MISS */
	{ 0x80d1, BIT(PEBS_LOAD_LOCAL_PMM) },		/* MEM_LOAD_RETIRED.LOCAL_PMM */
	{ 0x01d3, BIT(PEBS_LOAD_LOCAL) },		/* MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM */
	{ 0x02d3, BIT(PEBS_LOAD_REMOTE) },		/* ... REMOTE_DRAM */
	{ 0x10d3, BIT(PEBS_LOAD_REMOTE_PMM) },		/* ... REMOTE_PMM */
	{ LOAD_LATENCY, LOADS },			/* MEM_TRANS_RETIRED.LOAD_LATENCY */
};

static bool generic;
module_param(generic, bool, 0644);
MODULE_PARM_DESC(generic, "take loads and their misses as perf's own hardware and cache events, too (default: N)");

#define L1D_LOADS	(PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			 PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)

/* The same unit under another name, with a dynamic type. */
static struct pmu named_pmu;
static struct pmu ibs_pmu;

/* The raw event that is meant; 0: none of this PMU. */
static u64 find_config(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == pebs_pmu.type || attr->type == named_pmu.type ||
	    attr->type == ibs_pmu.type)
		return attr->config;
	if (!READ_ONCE(generic))
		return 0;
	if (attr->type == PERF_TYPE_HARDWARE)
		return attr->config == PERF_COUNT_HW_CACHE_MISSES ? 0x20d1 : 0;
	if (attr->type == PERF_TYPE_HW_CACHE)
		return attr->config == L1D_LOADS ? 0x81d0 : 0;
	return 0;
}

static bool is_ours(const struct perf_event *event)
{
	u32 type = event->attr.type;

	return type == pebs_pmu.type || type == named_pmu.type || type == ibs_pmu.type ||
	       find_config(event);
}

static u64 find_match(u64 config)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(encodings); i++)
		if (encodings[i].config == config)
			return encodings[i].match;
	return 0;
}

static struct pebs_counter *counter_of(struct perf_event *event)
{
	return &this_cpu_ptr(pebs_cpus)->slot->counter[event->hw.idx];
}

/* A group must fit the counters, or it could never be scheduled. */
static bool group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int n = 1 + (leader != event && leader->pmu == event->pmu);

	if (leader == event)
		return true;
	for_each_sibling_event(sibling, leader)
		n += sibling->pmu == event->pmu;
	return n <= PEBS_COUNTERS;
}

static int pebs_pmu_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hwc = &event->hw;
	u64 config = find_config(event);

	if (!is_ours(event))
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (!find_match(config) || attr->config2)
		return -EINVAL;
	if (attr->config1 > (config == LOAD_LATENCY ? MAX_LATENCY : 0))
		return -EINVAL;
	if (event->cpu < 0 || !group_fits(event) || pebs_fault_refuses(event))
		return -EINVAL;
	if (pebs_fault_wants_no_guest(event))
		return -EOPNOTSUPP;

	/* Only user code is visible to the unit, so there is nothing else to count. */
	hwc->config = attr->exclude_user ? 0 : find_match(config);
	hwc->idx = -1;
	return 0;
}

static void update(struct perf_event *event)
{
	struct pebs_counter *counter = counter_of(event);
	struct hw_perf_event *hwc = &event->hw;
	u64 count = counter->count;
	u64 delta = count - local64_xchg(&hwc->prev_count, count);

	local64_add(delta, &event->count);
	if (is_sampling_event(event))
		local64_set(&hwc->period_left, counter->left);
}

/* perf asks for a new period by setting period_left to 0. */
static void set_period(struct perf_event *event, struct pebs_counter *counter)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);

	if (!is_sampling_event(event)) {
		counter->reload = 0;
		return;
	}
	if (left <= 0) {
		left = hwc->sample_period;
		local64_set(&hwc->period_left, left);
	}
	hwc->last_period = hwc->sample_period;
	counter->reload = hwc->sample_period;
	counter->left = left;
}

void pebs_pmu_rebase(struct pebs_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	struct pebs_counter *counter = &cpu->slot->counter[hwc->idx];
	s64 done = counter->reload - counter->left;

	if (hwc->state & PERF_HES_STOPPED || !is_sampling_event(event) ||
	    counter->reload == hwc->sample_period)
		return;
	counter->reload = hwc->sample_period;
	counter->left = max_t(s64, (s64)hwc->sample_period - done, 1);
}

static void pebs_pmu_start(struct perf_event *event, int flags)
{
	struct pebs_slot *slot = this_cpu_ptr(pebs_cpus)->slot;
	struct pebs_counter *counter = counter_of(event);

	if (!(event->hw.state & PERF_HES_STOPPED))
		return;
	set_period(event, counter);
	counter->match = event->hw.config;
	event->hw.state = 0;
	/* The plugin runs on the same thread, so program order is enough. */
	WRITE_ONCE(slot->enabled, slot->enabled | BIT(event->hw.idx));
	perf_event_update_userpage(event);
}

void pebs_pmu_stop(struct perf_event *event, int flags)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);
	struct pebs_slot *slot = cpu->slot;

	/* Samples taken before the stop belong to the event. */
	pebs_drain(cpu, NULL);
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	WRITE_ONCE(slot->enabled, slot->enabled & ~BIT(event->hw.idx));
	update(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int pebs_pmu_add(struct perf_event *event, int flags)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);
	unsigned int i;

	for (i = 0; i < PEBS_COUNTERS && cpu->event[i]; i++)
		;
	if (i == PEBS_COUNTERS)
		return -EAGAIN;
	event->hw.idx = i;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	memset(&cpu->slot->counter[i], 0, sizeof(cpu->slot->counter[i]));
	local64_set(&event->hw.prev_count, 0);
	cpu->event[i] = event;
	if (flags & PERF_EF_START)
		pebs_pmu_start(event, PERF_EF_RELOAD);
	return 0;
}

static void pebs_pmu_del(struct perf_event *event, int flags)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);

	pebs_pmu_stop(event, PERF_EF_UPDATE);
	cpu->event[event->hw.idx] = NULL;
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

static void pebs_pmu_read(struct perf_event *event)
{
	update(event);
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(ldlat, "config1:0-15");

static struct attribute *format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_umask.attr,
	&format_attr_ldlat.attr,
	NULL
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

/* The events that "perf mem" and "perf c2c" look for. */
static struct perf_pmu_events_attr mem_loads = {
	.attr.attr = { .name = "mem-loads", .mode = 0444 },
	.attr.show = perf_event_sysfs_show,
	.event_str = "event=0xcd,umask=0x1,ldlat=3",
};

static struct perf_pmu_events_attr mem_stores = {
	.attr.attr = { .name = "mem-stores", .mode = 0444 },
	.attr.show = perf_event_sysfs_show,
	.event_str = "event=0xd0,umask=0x82",
};

static struct attribute *event_attrs[] = {
	&mem_loads.attr.attr,
	&mem_stores.attr.attr,
	NULL
};

static const struct attribute_group event_group = {
	.name = "events",
	.attrs = event_attrs,
};

static ssize_t max_precise_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "3\n");
}
static DEVICE_ATTR_RO(max_precise);

static ssize_t pmu_name_show(struct device *dev,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "pebs_emu\n");
}
static DEVICE_ATTR_RO(pmu_name);

static struct attribute *caps_attrs[] = {
	&dev_attr_max_precise.attr,
	&dev_attr_pmu_name.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

static const struct attribute_group *attr_groups[] = {
	&format_group,
	&event_group,
	&caps_group,
	NULL
};

/*
 * Not in a task's context: an event belongs to a CPU. (perf_hw_context would make the
 * kernel warn when the module is loaded a second time.)
 */
struct pmu pebs_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.attr_groups = attr_groups,
	.event_init = pebs_pmu_event_init,
	.add = pebs_pmu_add,
	.del = pebs_pmu_del,
	.start = pebs_pmu_start,
	.stop = pebs_pmu_stop,
	.read = pebs_pmu_read,
	.check_period = pebs_fault_check_period,
};

/* As AMD's driver does: it clears the low bits of a period without a word, */
static int ibs_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	int err = pebs_pmu_event_init(event);

	if (err || !is_sampling_event(event))
		return err;
	hwc->sample_period = max_t(u64, hwc->sample_period & ~15ULL, 16);
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
	return 0;
}

/* but from Linux 6.15 on it takes no such period later. */
static int ibs_check_period(struct perf_event *event, u64 period)
{
	return period % 16 ? -EINVAL : pebs_fault_check_period(event, period);
}

static const struct attribute_group *named_groups[] = {
	&format_group,
	NULL
};

/* perf does not refuse a second PMU of the same type, but would not work with it. */
static bool raw_events_taken(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = LOAD_LATENCY,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask),
						 NULL, NULL, NULL);
	if (PTR_ERR(event) == -ENOENT)
		return false;
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return true;
}

int pebs_pmu_register(void)
{
	int err;

	if (raw_events_taken()) {
		pr_err("this machine has a PMU for raw events; the emulated one is not needed\n");
		return -EBUSY;
	}
	named_pmu = pebs_pmu;
	named_pmu.attr_groups = named_groups;
	named_pmu.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE;
	/* Until it is registered, as 0 is the type of hardware events. */
	named_pmu.type = -1;
	ibs_pmu = named_pmu;
	ibs_pmu.event_init = ibs_event_init;
	ibs_pmu.check_period = ibs_check_period;
	err = perf_pmu_register(&pebs_pmu, "cpu", PERF_TYPE_RAW);
	if (err)
		return err;
	if (pebs_pmu.type != PERF_TYPE_RAW) {
		pr_err("another PMU took the raw events meanwhile\n");
		err = -EBUSY;
		goto err_unregister;
	}
	err = perf_pmu_register(&named_pmu, "cpu_emu", -1);
	if (err)
		goto err_unregister;
	err = perf_pmu_register(&ibs_pmu, "ibs_emu", -1);
	if (err)
		goto err_unregister_named;
	return 0;

err_unregister_named:
	perf_pmu_unregister(&named_pmu);
err_unregister:
	perf_pmu_unregister(&pebs_pmu);
	return err;
}

void pebs_pmu_unregister(void)
{
	perf_pmu_unregister(&ibs_pmu);
	perf_pmu_unregister(&named_pmu);
	perf_pmu_unregister(&pebs_pmu);
}
