// SPDX-License-Identifier: GPL-2.0
/* From the unit's NMI and records to perf overflows. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#include "model.h"
#include "pebs_emu.h"

#define NMI_NAME	"pebs_emu"

/* perf fills these in from the data address. */
#define SAMPLE_ADDR_TYPE	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | \
				 PERF_SAMPLE_DATA_PAGE_SIZE)

static pebs_overflow_fn *overflow;

/* What perf is told of each kind of access; the latencies are invented. */
static const struct {
	u64 op;
	u64 lvl;
	u64 lvl_num;
	u64 remote;
	unsigned int latency;
} sources[PEBS_KINDS] = {
	[PEBS_LOAD_HIT] = {
		PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3,
		PERF_MEM_LVLNUM_L3, 0, 40,
	},
	[PEBS_LOAD_LOCAL] = {
		PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM,
		PERF_MEM_LVLNUM_RAM, 0, 250,
	},
	[PEBS_LOAD_REMOTE] = {
		PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_RAM1,
		PERF_MEM_LVLNUM_RAM, PERF_MEM_REMOTE_REMOTE, 400,
	},
	[PEBS_LOAD_LOCAL_PMM] = {
		PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM,
		PERF_MEM_LVLNUM_PMEM, 0, 800,
	},
	[PEBS_LOAD_REMOTE_PMM] = {
		PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_RAM1,
		PERF_MEM_LVLNUM_PMEM, PERF_MEM_REMOTE_REMOTE, 1000,
	},
	[PEBS_STORE_HIT] = {
		PERF_MEM_OP_STORE, PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3,
		PERF_MEM_LVLNUM_L3, 0, 40,
	},
	[PEBS_STORE_MISS] = {
		PERF_MEM_OP_STORE, PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3,
		PERF_MEM_LVLNUM_ANY_CACHE, 0, 250,
	},
	[PEBS_STORE_HIT_STLB_MISS] = {
		PERF_MEM_OP_STORE, PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3,
		PERF_MEM_LVLNUM_L3, 0, 60,
	},
	[PEBS_STORE_MISS_STLB_MISS] = {
		PERF_MEM_OP_STORE, PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3,
		PERF_MEM_LVLNUM_ANY_CACHE, 0, 270,
	},
};

u64 pebs_slower(u64 cycles)
{
	unsigned int kind;
	u64 kinds = 0;

	for (kind = 0; kind < PEBS_KINDS; kind++)
		if (sources[kind].latency > cycles)
			kinds |= BIT(kind);
	return kinds;
}

static union perf_mem_data_src level_src(unsigned int kind)
{
	return (union perf_mem_data_src) {
		.mem_op = sources[kind].op,
		.mem_lvl = sources[kind].lvl,
		.mem_lvl_num = sources[kind].lvl_num,
		.mem_remote = sources[kind].remote,
		.mem_snoop = PERF_MEM_SNOOP_NONE,
		.mem_lock = PERF_MEM_LOCK_NA,
		.mem_dtlb = PERF_MEM_TLB_NA,
		.mem_blk = PERF_MEM_BLK_NA,
	};
}

/*
 * As precise_datala_hsw() of the kernel: what is known is the operation, and whether a store
 * hit the first cache.
 */
static union perf_mem_data_src operation_src(unsigned int kind)
{
	union perf_mem_data_src src = { .val = PERF_MEM_NA };

	src.mem_op = sources[kind].op;
	if (src.mem_op == PERF_MEM_OP_STORE)
		src.mem_lvl = PERF_MEM_LVL_L1 |
			      (sources[kind].lvl & (PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS));
	return src;
}

static union perf_mem_data_src data_src(const struct pebs_event *what, unsigned int kind)
{
	if (what->flags & PEBS_EVENT_LEVEL)
		return level_src(kind);
	if (what->flags & PEBS_EVENT_OPERATION)
		return operation_src(kind);
	return (union perf_mem_data_src) { .val = PERF_MEM_NA };
}

static void fill(struct pebs_cpu *cpu, struct perf_sample_data *data, struct perf_event *event,
		 const struct pebs_record *record)
{
	const struct pebs_event *what = event->pmu_private;
	u64 type = event->attr.sample_type;

	perf_sample_data_init(data, 0, event->hw.last_period);
	if (!(what->flags & PEBS_EVENT_STALE))
		cpu->addr = record->addr;
	if (type & SAMPLE_ADDR_TYPE && !(what->flags & PEBS_EVENT_NO_ADDR)) {
		data->addr = cpu->addr;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src = data_src(what, record->kind);
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE) {
		data->weight.full = sources[record->kind].latency;
		data->sample_flags |= type & PERF_SAMPLE_WEIGHT_TYPE;
	}
	pebs_fault_spoil(data);
}

/*
 * The interrupt comes at the end of the block that overflowed; after a system call or a
 * fault that is in the kernel. But the access was made by user code.
 */
static void set_regs(struct pt_regs *regs, const struct pt_regs *interrupted,
		     u64 ip)
{
	if (interrupted && user_mode((struct pt_regs *)interrupted)) {
		*regs = *interrupted;
	} else {
		memset(regs, 0, sizeof(*regs));
		regs->cs = __USER_CS;
		regs->ss = __USER_DS;
	}
	regs->ip = ip;
	regs->flags |= PERF_EFLAGS_EXACT;
}

int pebs_overflow(struct pebs_sample *sample)
{
	return pebs_price_overflow(overflow, sample);
}

static void deliver(struct pebs_cpu *cpu, unsigned int counter,
		    const struct pebs_record *record,
		    const struct pt_regs *interrupted)
{
	struct perf_event *event = cpu->event[counter];
	struct pebs_sample sample;
	bool guest;

	if (!event || event->hw.state & PERF_HES_STOPPED) {
		cpu->stale++;
		return;
	}
	cpu->delivered++;
	event->hw.last_period = cpu->slot->counter[counter].reload;
	sample.event = event;
	sample.nested = false;
	set_regs(&sample.regs, interrupted, record->ip);
	if (pebs_fault_of_kernel())
		sample.regs.cs = __KERNEL_CS;
	fill(cpu, &sample.data, event, record);
	cpu->sample = &sample;
	guest = pebs_fault_enter_guest();
	if (pebs_overflow(&sample))
		pebs_pmu_stop(event, 0);
	pebs_fault_exit_guest(guest);
	cpu->sample = NULL;
}

/* The period may have been changed by an overflow (frequency mode). */
static void rebase_all(struct pebs_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < PEBS_COUNTERS; i++)
		if (cpu->event[i])
			pebs_pmu_rebase(cpu, cpu->event[i]);
}

void pebs_drain(struct pebs_cpu *cpu, struct pt_regs *regs)
{
	struct pebs_slot *slot = cpu->slot;

	if (cpu->draining || slot->tail == slot->head)
		return;
	WRITE_ONCE(cpu->draining, true);
	barrier();
	for (; slot->tail != slot->head; slot->tail++) {
		struct pebs_record record = slot->record[slot->tail % PEBS_RECORDS];
		unsigned long status = record.status;
		unsigned int counter;

		for_each_set_bit(counter, &status, PEBS_COUNTERS)
			deliver(cpu, counter, &record, regs);
	}
	rebase_all(cpu);
	barrier();
	WRITE_ONCE(cpu->draining, false);
}

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);

	/* Raised NMIs merge while one is pending, so they cannot be counted. */
	if (cpu->nmis == cpu->slot->nmis)
		return NMI_DONE;
	cpu->nmis = cpu->slot->nmis;
	if (pebs_price_stop() == PEBS_STOP_ENTRY)
		cpu->slot->tail = cpu->slot->head;
	pebs_drain(cpu, regs);
	return NMI_HANDLED;
}

/* perf_event_overflow() is not exported: PMUs are built in, except in tests. */
static int find_overflow(void)
{
	struct kprobe probe = { .symbol_name = "perf_event_overflow" };
	int err = register_kprobe(&probe);

	if (err) {
		pr_err("cannot look up %s: error %d\n", probe.symbol_name, err);
		return err;
	}
	overflow = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

int pebs_drain_init(void)
{
	int err = find_overflow();

	return err ?: register_nmi_handler(NMI_LOCAL, nmi_handler, 0, NMI_NAME);
}

void pebs_drain_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, NMI_NAME);
}
