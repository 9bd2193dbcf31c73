// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's IBS of ops as the PMU "ibs_op". What arch/x86/events/amd/ibs.c of Linux 6.12 does with
 * registers is done with the mailbox here; what an event may be and what perf is told of a
 * sample is the same.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/segment.h>

#include "model.h"
#include "pebs_emu.h"

#define NMI_NAME	"ibs_emu"

/* Of an event's config. */
#define CONFIG_L3MISSONLY	BIT_ULL(16)
#define CONFIG_CNT_CTL		BIT_ULL(19)
#define CONFIG_MAX_CNT		(0xffffULL | 0x7fULL << 20)

#define MIN_PERIOD	16
#define MAX_PERIOD	0x7fffff0

/**
 * struct ibs_cpu - the driver's side of one CPU's unit
 * @unit: its registers
 * @event: the event that uses it; there can be one
 * @nmis: interrupts of the unit that were seen
 * @samples: samples handed to perf
 * @stale: samples of an event that was stopped already, or that perf did not ask for
 * @kernel: of @samples, those of the kernel's instructions, as the address of the instruction or
 *	that of its data tells
 * @no_addr: of @samples, those of a program's instructions whose data has no address
 */
struct ibs_cpu {
	struct ibs_unit *unit;
	struct perf_event *event;
	u64 nmis;
	u64 samples;
	u64 stale;
	u64 kernel;
	u64 no_addr;
};

static DEFINE_PER_CPU(struct ibs_cpu, ibs_cpus);

/* It tells more of what served an access, and can leave out what did not miss the L3. */
static bool is_zen4(void)
{
	return pebs_model->zen >= 4;
}

/* Totals over all CPUs, as read-only parameters; @arg is where to find one. */
static u64 total(size_t offset, bool of_unit)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct ibs_cpu *ibs = per_cpu_ptr(&ibs_cpus, cpu);
		const void *from = of_unit ? (const void *)ibs->unit : ibs;

		sum += from ? READ_ONCE(*(const u64 *)(from + offset)) : 0;
	}
	return sum;
}

static int get_total(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%llu\n", total((size_t)kp->arg, false));
}

static int get_unit_total(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%llu\n", total((size_t)kp->arg, true));
}

static const struct kernel_param_ops total_ops = { .get = get_total };
static const struct kernel_param_ops unit_ops = { .get = get_unit_total };

#define TOTAL(name, ops, type, text) \
	module_param_cb(ibs_##name, ops, (void *)offsetof(type, name), 0444); \
	MODULE_PARM_DESC(ibs_##name, text)

/* tagged == discarded + samples + stale, and one under way on each CPU. */
TOTAL(tagged, &unit_ops, struct ibs_unit, "ops tagged");
TOTAL(discarded, &unit_ops, struct ibs_unit, "tagged ops filtered out or cut by a stop");
TOTAL(samples, &total_ops, struct ibs_cpu, "samples handed to perf");
TOTAL(stale, &total_ops, struct ibs_cpu, "samples that came too late");
TOTAL(kernel, &total_ops, struct ibs_cpu, "of ibs_samples, those of the kernel");
TOTAL(no_addr, &total_ops, struct ibs_cpu, "of ibs_samples: user ones without address");

static struct pmu ibs_pmu;

static int ibs_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 known = CONFIG_MAX_CNT | CONFIG_CNT_CTL | (is_zen4() ? CONFIG_L3MISSONLY : 0);
	u64 config = event->attr.config;

	if (event->attr.type != ibs_pmu.type)
		return -ENOENT;
	if (config & ~known)
		return -EINVAL;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (event->cpu < 0)
		return -EINVAL;
	if (event->group_leader != event && event->group_leader->pmu == event->pmu)
		return -EINVAL;
	if (hwc->sample_period) {
		if (config & CONFIG_MAX_CNT)
			return -EINVAL;
		/* The driver means to refuse other periods, but looks at the wrong member. */
		hwc->sample_period = max_t(u64, hwc->sample_period & ~15ULL, MIN_PERIOD);
	} else {
		hwc->sample_period = (config & 0xffff) << 4 | (config & 0x7f << 20);
		event->attr.sample_period = hwc->sample_period;
		config &= ~CONFIG_MAX_CNT;
	}
	if (!hwc->sample_period)
		return -EINVAL;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
	hwc->config = config;
	return 0;
}

/* Returns whether the period of perf has ended; the unit's own may be shorter. */
static bool set_period(struct hw_perf_event *hwc, u64 *max)
{
	s64 left = local64_read(&hwc->period_left), period = hwc->sample_period;
	bool ended = left < MIN_PERIOD;

	if (ended) {
		left = left <= -period ? period : left + period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = period;
	}
	if (left > MAX_PERIOD)
		left = clamp_t(s64, left - MAX_PERIOD, MIN_PERIOD, MAX_PERIOD);
	local64_set(&hwc->prev_count, 0);
	*max = left & ~15ULL;
	return ended;
}

/* Of a sample that is taken, what it counts for is the period, not what the counter says. */
static void update(struct perf_event *event, u64 count)
{
	u64 delta = count - local64_xchg(&event->hw.prev_count, count);

	local64_add(delta, &event->count);
	local64_sub(delta, &event->hw.period_left);
}

static void enable(struct perf_event *event, struct ibs_unit *unit, u64 max, u64 count)
{
	u64 config = event->hw.config;

	unit->max = max;
	unit->count = count;
	barrier();
	WRITE_ONCE(unit->ctl, EMU_IBS_ENABLED | (config & CONFIG_CNT_CTL ? EMU_IBS_OPS : 0) |
		   (config & CONFIG_L3MISSONLY ? EMU_IBS_L3MISS : 0));
}

static void ibs_start(struct perf_event *event, int flags)
{
	u64 max;

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		return;
	event->hw.state = 0;
	set_period(&event->hw, &max);
	enable(event, this_cpu_ptr(&ibs_cpus)->unit, max, 0);
	perf_event_update_userpage(event);
}

static void ibs_stop(struct perf_event *event, int flags)
{
	struct ibs_unit *unit = this_cpu_ptr(&ibs_cpus)->unit;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	WRITE_ONCE(unit->ctl, 0);
	barrier();
	update(event, unit->count);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int ibs_add(struct perf_event *event, int flags)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);

	if (cpu->event)
		return -ENOSPC;
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	cpu->event = event;
	if (flags & PERF_EF_START)
		ibs_start(event, PERF_EF_RELOAD);
	return 0;
}

static void ibs_del(struct perf_event *event, int flags)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);

	ibs_stop(event, PERF_EF_UPDATE);
	cpu->event = NULL;
	perf_event_update_userpage(event);
}

/* As in the driver: counts are those of the last sample. */
static void ibs_read(struct perf_event *event)
{
}

#define SRC(field, value)	PERF_MEM_S(field, value)
#define LEVEL(value)		(SRC(LVL, value) | SRC(LVL, HIT))
#define FAR			(SRC(REMOTE, REMOTE) | SRC(HOPS, 1))

/* What served an access of these EMU_IBS_* flags. Of stores IBS tells only the core's caches. */
static u64 level(u64 flags)
{
	if (!(flags & EMU_IBS_L1_MISS))
		return LEVEL(L1) | SRC(LVLNUM, L1);
	if (!(flags & EMU_IBS_L2_MISS))
		return LEVEL(L2) | SRC(LVLNUM, L2);
	if (!(flags & EMU_IBS_LOAD))
		return SRC(LVL, NA) | SRC(LVLNUM, NA);
	if (!(flags & EMU_IBS_L3_MISS))
		return is_zen4() ? LEVEL(L3) | SRC(LVLNUM, L3) :
			LEVEL(L3) | SRC(LVL, REM_CCE1) | SRC(LVLNUM, ANY_CACHE);
	/* Older models take it for DRAM. */
	if (flags & EMU_IBS_SLOW && is_zen4())
		return SRC(LVLNUM, CXL) | (flags & EMU_IBS_REMOTE ? FAR : 0);
	if (flags & EMU_IBS_REMOTE)
		return LEVEL(REM_RAM1) | SRC(LVLNUM, RAM) | FAR;
	return LEVEL(LOC_RAM) | SRC(LVLNUM, RAM);
}

/* What is not known is not written, and has the value that the stack had there. */
static void fill(struct perf_sample_data *data, u64 type, const struct ibs_unit *unit)
{
	u64 flags = unit->flags;

	data->data_src.val = PERF_MEM_NA;
	data->data_src.mem_op = flags & EMU_IBS_LOAD ? PERF_MEM_OP_LOAD :
				flags & EMU_IBS_STORE ? PERF_MEM_OP_STORE : PERF_MEM_OP_NA;
	if (!(flags & (EMU_IBS_LOAD | EMU_IBS_STORE)))
		return;
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.mem_lvl = 0;
		data->data_src.mem_lvl_num = 0;
		data->data_src.val |= level(flags);
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE && flags & EMU_IBS_L1_MISS && flags & EMU_IBS_LOAD) {
		data->weight.full = flags & EMU_IBS_L3_MISS ? 300 : 40;
		data->sample_flags |= type & PERF_SAMPLE_WEIGHT_TYPE;
	}
	if (type & PERF_SAMPLE_ADDR && flags & EMU_IBS_ADDR) {
		data->addr = unit->addr;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (type & PERF_SAMPLE_PHYS_ADDR && flags & EMU_IBS_PHYS) {
		data->phys_addr = unit->phys;
		data->sample_flags |= PERF_SAMPLE_PHYS_ADDR;
	}
}

static void set_ip(struct pt_regs *regs, const struct ibs_unit *unit)
{
	if (unit->flags & EMU_IBS_RIP_INVALID) {
		regs->flags &= ~PERF_EFLAGS_EXACT;
		return;
	}
	regs->cs = (s64)unit->rip < 0 ? __KERNEL_CS : __USER_CS;
	regs->ip = unit->rip;
	regs->flags |= PERF_EFLAGS_EXACT;
}

/* Returns non-zero if the event must stop. */
static int deliver(struct ibs_cpu *cpu, struct perf_event *event, const struct pt_regs *regs)
{
	struct pebs_sample sample;

	sample.event = event;
	sample.nested = false;
	sample.regs = *regs;
	set_ip(&sample.regs, cpu->unit);
	perf_sample_data_init(&sample.data, 0, event->hw.last_period);
	/* A stray address, which nothing says is valid. */
	sample.data.addr = cpu->unit->addr;
	fill(&sample.data, event->attr.sample_type, cpu->unit);
	cpu->samples++;
	if (!user_mode(&sample.regs) ||
	    (cpu->unit->flags & EMU_IBS_ADDR && cpu->unit->addr >= TASK_SIZE_MAX))
		cpu->kernel++;
	else if (!(cpu->unit->flags & EMU_IBS_ADDR))
		cpu->no_addr++;
	return pebs_overflow(&sample);
}

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	struct perf_event *event = cpu->event;
	struct ibs_unit *unit = cpu->unit;
	u64 max, count = 0;
	bool ended;

	if (cpu->nmis == unit->nmis)
		return NMI_DONE;
	cpu->nmis = unit->nmis;
	if (!event || event->hw.state & PERF_HES_STOPPED || !(unit->ctl & EMU_IBS_VALID)) {
		cpu->stale++;
		return NMI_HANDLED;
	}
	update(event, unit->max);
	ended = set_period(&event->hw, &max);
	if (event->hw.config & CONFIG_CNT_CTL)
		count = unit->count & EMU_IBS_RANDOM;
	if (!ended) {
		cpu->stale++;
	} else if (deliver(cpu, event, regs)) {
		/* Its count was taken above. */
		unit->count = 0;
		ibs_stop(event, 0);
		return NMI_HANDLED;
	}
	enable(event, unit, max, count);
	perf_event_update_userpage(event);
	return NMI_HANDLED;
}

PMU_FORMAT_ATTR(cnt_ctl, "config:19");
PMU_FORMAT_ATTR(l3missonly, "config:16");

static umode_t of_zen4(struct kobject *kobj, struct attribute *attr, int i)
{
	return is_zen4() ? attr->mode : 0;
}

static ssize_t zen4_ibs_extensions_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	return sysfs_emit(buf, "1\n");
}
static DEVICE_ATTR_RO(zen4_ibs_extensions);

static umode_t format_mode(struct kobject *kobj, struct attribute *attr, int i)
{
	return attr == &format_attr_cnt_ctl.attr ? attr->mode : of_zen4(kobj, attr, i);
}

static struct attribute *format_attrs[] = {
	&format_attr_cnt_ctl.attr,
	&format_attr_l3missonly.attr,
	NULL
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
	.is_visible = format_mode,
};

static struct attribute *caps_attrs[] = {
	&dev_attr_zen4_ibs_extensions.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
	.is_visible = of_zen4,
};

static const struct attribute_group *attr_groups[] = {
	&format_group,
	&caps_group,
	NULL
};

static struct pmu ibs_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_invalid_context,
	.attr_groups	= attr_groups,
	.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
	.event_init	= ibs_event_init,
	.add		= ibs_add,
	.del		= ibs_del,
	.start		= ibs_start,
	.stop		= ibs_stop,
	.read		= ibs_read,
};

int pebs_ibs_register(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(&ibs_cpus, cpu)->unit = per_cpu_ptr(pebs_cpus, cpu)->ibs;
	err = register_nmi_handler(NMI_LOCAL, nmi_handler, 0, NMI_NAME);
	if (err)
		return err;
	err = perf_pmu_register(&ibs_pmu, "ibs_op", -1);
	if (err)
		unregister_nmi_handler(NMI_LOCAL, NMI_NAME);
	return err;
}

void pebs_ibs_unregister(void)
{
	if (!pebs_model->zen)
		return;
	perf_pmu_unregister(&ibs_pmu);
	unregister_nmi_handler(NMI_LOCAL, NMI_NAME);
}
