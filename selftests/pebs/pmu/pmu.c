// SPDX-License-Identifier: GPL-2.0
/* The emulated unit as a struct pmu for each kind of cores: events on the CPU's counters. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>

#include "model.h"
#include "pebs_emu.h"

#define MAX_LATENCY	0xffff
#define ALL_COUNTERS	GENMASK(PEBS_COUNTERS - 1, 0)

static bool generic;
module_param(generic, bool, 0644);
MODULE_PARM_DESC(generic, "take loads and their misses as perf's own hardware and cache events, too (default: N)");

static unsigned long taken;
module_param(taken, ulong, 0644);
MODULE_PARM_DESC(taken, "bitmask of the counters that someone else has, as the NMI watchdog (default: 0)");

#define L1D_LOADS	(PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			 PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)

/* Of each kind of cores. */
static struct pmu core_pmus[PEBS_MAX_CORES];
/* The same unit under other names, with dynamic types. */
static struct pmu named_pmu;
static struct pmu ibs_pmu;

static bool is_hybrid(void)
{
	return pebs_model->cores[1].pmu;
}

static const struct pebs_cores *cores_of(const struct pmu *pmu)
{
	return &pebs_model->cores[pmu == &core_pmus[1]];
}

/* The large cores come first. */
static bool has_cpu(const struct pmu *pmu, unsigned int cpu)
{
	return !is_hybrid() || (pmu == &core_pmus[1]) == (cpu >= (num_possible_cpus() + 1) / 2);
}

/* The raw event that is meant; 0: none of this PMU. */
static u64 find_config(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == event->pmu->type)
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
	return (event->attr.type == event->pmu->type || find_config(event)) &&
	       (event->cpu < 0 || has_cpu(event->pmu, event->cpu));
}

static struct pebs_counter *counter_of(struct perf_event *event)
{
	return &this_cpu_ptr(pebs_cpus)->slot->counter[event->hw.idx];
}

/* Takes a counter that can count the event: the last one, as fewer events can use the first. */
static int take_counter(unsigned long *free, const struct perf_event *event)
{
	const struct pebs_event *what = event->pmu_private;
	unsigned long usable = *free & what->counters;
	int counter;

	if (!usable)
		return -EAGAIN;
	counter = __fls(usable);
	__clear_bit(counter, free);
	return counter;
}

static bool takes_counter(const struct perf_event *event, const struct pmu *pmu,
			  unsigned long *free)
{
	return event->pmu != pmu || take_counter(free, event) >= 0;
}

/* A group must fit the counters, or it could never be scheduled. */
static bool group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned long free = ALL_COUNTERS;

	if (leader == event)
		return true;
	if (!takes_counter(leader, event->pmu, &free))
		return false;
	for_each_sibling_event(sibling, leader)
		if (!takes_counter(sibling, event->pmu, &free))
			return false;
	return takes_counter(event, event->pmu, &free);
}

/* Is the event that it needs in its group? */
static bool beside_aux(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (leader == event || leader->attr.config == PEBS_AUX_EVENT)
		return leader != event;
	for_each_sibling_event(sibling, leader)
		if (sibling->attr.config == PEBS_AUX_EVENT)
			return true;
	return false;
}

static int pebs_pmu_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hwc = &event->hw;
	const struct pebs_event *what;

	if (!is_ours(event))
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	what = pebs_event_find(cores_of(event->pmu), find_config(event));
	if (!what || attr->config2)
		return -EINVAL;
	/* The kernel's driver takes cycles and ops to IBS, and finds nobody for other events. */
	if (pebs_model->zen && attr->precise_ip)
		return -ENOENT;
	if (attr->config1 > (what->flags & PEBS_EVENT_LATENCY ? MAX_LATENCY : 0))
		return -EINVAL;
	if (what->flags & PEBS_EVENT_AUX && attr->sample_type & PERF_SAMPLE_DATA_SRC &&
	    !beside_aux(event))
		return -ENODATA;
	event->pmu_private = (void *)what;
	if (event->cpu < 0 || !group_fits(event) || pebs_fault_refuses(event))
		return -EINVAL;
	if (pebs_fault_wants_no_guest(event))
		return -EOPNOTSUPP;

	/* Only user code is visible to the unit, so there is nothing else to count. */
	hwc->config = attr->exclude_user ? 0 : what->kinds & pebs_slower(attr->config1);
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
	unsigned long free = 0;
	int i;

	for (i = 0; i < PEBS_COUNTERS; i++)
		if (!cpu->event[i] && !(READ_ONCE(taken) >> i & 1))
			__set_bit(i, &free);
	i = take_counter(&free, event);
	if (i < 0)
		return i;
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

static struct attribute_group event_groups[PEBS_MAX_CORES] = {
	{ .name = "events" }, { .name = "events" },
};

static ssize_t max_precise_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, pebs_model->zen ? "0\n" : "3\n");
}
static DEVICE_ATTR_RO(max_precise);

static ssize_t pmu_name_show(struct device *dev,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", pebs_model->uarch);
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

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct pmu *pmu = dev_get_drvdata(dev);
	unsigned int cpu;
	int len = 0;

	for_each_online_cpu(cpu)
		if (has_cpu(pmu, cpu))
			len += sysfs_emit_at(buf, len, "%s%u", len ? "," : "", cpu);
	return len + sysfs_emit_at(buf, len, "\n");
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *cpus_attrs[] = {
	&dev_attr_cpus.attr,
	NULL
};

/* Only where there are several kinds of cores. */
static umode_t cpus_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return is_hybrid() ? attr->mode : 0;
}

static const struct attribute_group cpus_group = {
	.attrs = cpus_attrs,
	.is_visible = cpus_visible,
};

static const struct attribute_group *core_groups[PEBS_MAX_CORES][5] = {
	{ &format_group, &event_groups[0], &caps_group, &cpus_group, NULL },
	{ &format_group, &event_groups[1], &caps_group, &cpus_group, NULL },
};

/*
 * Not in a task's context: an event belongs to a CPU. (perf_hw_context would make the
 * kernel warn when the module is loaded a second time.)
 */
static const struct pmu unit = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
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
		.config = 0x01cd,
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

static struct pmu *registered[PEBS_MAX_CORES + 2];
static unsigned int nr_registered;

static int add_pmu(struct pmu *pmu, const char *name, int type)
{
	int err;

	/* Until it is registered, as 0 is the type of hardware events. */
	pmu->type = -1;
	err = perf_pmu_register(pmu, name, type);
	if (!err)
		registered[nr_registered++] = pmu;
	return err;
}

/* The first cores take raw events, all others have a type of their own. */
static int add_cores(unsigned int i)
{
	const struct pebs_cores *cores = &pebs_model->cores[i];
	struct pmu *pmu = &core_pmus[i];
	int err;

	*pmu = unit;
	event_groups[i].attrs = cores->aliases;
	pmu->attr_groups = core_groups[i];
	if (is_hybrid())
		pmu->capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE;
	err = add_pmu(pmu, cores->pmu, i ? -1 : PERF_TYPE_RAW);
	if (!err && !i && pmu->type != PERF_TYPE_RAW) {
		pr_err("another PMU took the raw events meanwhile\n");
		err = -EBUSY;
	}
	return err;
}

static int add_named(void)
{
	int err;

	named_pmu = unit;
	named_pmu.attr_groups = named_groups;
	named_pmu.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE;
	ibs_pmu = named_pmu;
	ibs_pmu.event_init = ibs_event_init;
	ibs_pmu.check_period = ibs_check_period;
	err = add_pmu(&named_pmu, "cpu_emu", -1);
	return err ?: add_pmu(&ibs_pmu, "ibs_emu", -1);
}

int pebs_pmu_register(void)
{
	int err;

	if (raw_events_taken()) {
		pr_err("this machine has a PMU for raw events; the emulated one is not needed\n");
		return -EBUSY;
	}
	err = add_cores(0);
	if (!err && pebs_model->zen)
		err = pebs_ibs_register();
	else if (!err)
		err = is_hybrid() ? add_cores(1) : add_named();
	if (err)
		pebs_pmu_unregister();
	return err;
}

void pebs_pmu_unregister(void)
{
	pebs_ibs_unregister();
	while (nr_registered)
		perf_pmu_unregister(registered[--nr_registered]);
}
