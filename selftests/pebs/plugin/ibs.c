// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's IBS. A counter of ops, or of cycles, runs over all code, the kernel's, too. When it
 * has reached its end, the next op is tagged, whatever it is. When that op has ended, which is
 * when the next one begins, it becomes a sample and raises an NMI; until the guest has taken
 * the sample, nothing is counted. With the filter for L3 misses an op that is none is
 * forgotten, and the counter begins again.
 *
 * An instruction is one op. A cycle is one for each op, and what an access waits.
 */
#include "host.h"
#include "ibs.h"
#include "stall.h"

/* Caches of a core, direct-mapped: 32 KiB and 512 KiB. */
#define LINE_SHIFT	6
#define L1_LINES	512
#define L2_LINES	8192

/* Cycles that an access waits. */
#define L1_CYCLES	4
#define L2_CYCLES	14
#define L3_CYCLES	47
#define MEMORY_CYCLES	300

/* Every so many tagged ops the unit did not get the address of the data, or the instruction's. */
#define NO_ADDR_EVERY	61
#define NO_RIP_EVERY	509

/**
 * struct core - the part of a vCPU's unit that the guest does not see
 * @live: an op is tagged, and has not ended
 * @rip: its address
 * @addr: virtual address of its data
 * @phys: guest-physical address of its data
 * @flags: what it was so far
 * @random: state of the random numbers
 * @l1: the lines in its caches, + 1
 * @l2: likewise
 */
struct core {
	bool live;
	__u64 rip;
	__u64 addr;
	__u64 phys;
	__u64 flags;
	__u32 random;
	__u64 l1[L1_LINES];
	__u64 l2[L2_LINES];
};

static struct pebs_mbox *mbox;
static struct core cores[PEBS_MAX_CPUS];
static __u32 assist;

void ibs_init(struct pebs_mbox *from, __u32 assist_ns)
{
	assist = assist_ns;
	mbox = from;
}

static __u32 random_bits(struct core *core)
{
	core->random = core->random * 1664525 + 1013904223;
	return core->random >> 16 & EMU_IBS_RANDOM;
}

/* The tagged op has ended. */
static void end_op(unsigned int vcpu, struct core *core, struct ibs_unit *unit)
{
	core->live = false;
	if (unit->ctl & EMU_IBS_L3MISS && !(core->flags & EMU_IBS_L3_MISS)) {
		unit->discarded++;
		unit->count = random_bits(core);
		return;
	}
	unit->rip = core->rip;
	unit->flags = core->flags;
	if (unit->tagged % NO_RIP_EVERY == 0)
		unit->flags |= EMU_IBS_RIP_INVALID;
	if (unit->tagged % NO_ADDR_EVERY == 0)
		unit->flags &= ~(__u64)(EMU_IBS_ADDR | EMU_IBS_PHYS);
	if (unit->flags & EMU_IBS_ADDR)
		unit->addr = core->addr;
	if (unit->flags & EMU_IBS_PHYS)
		unit->phys = core->phys;
	unit->count = random_bits(core);
	unit->ctl |= EMU_IBS_VALID;
	unit->nmis++;
	stall(vcpu, assist);
	host_raise_nmi(vcpu);
}

static void on_op(unsigned int vcpu, void *ip)
{
	struct ibs_unit *unit = &mbox->cpu[vcpu].ibs;
	struct core *core = &cores[vcpu];

	if ((unit->ctl & (EMU_IBS_ENABLED | EMU_IBS_VALID)) != EMU_IBS_ENABLED) {
		/* What was tagged when the guest stopped the unit. */
		unit->discarded += core->live;
		core->live = false;
		return;
	}
	if (core->live) {
		end_op(vcpu, core, unit);
		if (unit->ctl & EMU_IBS_VALID)
			return;
	}
	if (++unit->count < unit->max)
		return;
	unit->tagged++;
	core->live = true;
	core->rip = (uintptr_t)ip;
	core->flags = 0;
}

/* Is it in a core's cache? It is then. */
static bool look_up(__u64 *lines, unsigned int nr, __u64 phys)
{
	__u64 line = (phys >> LINE_SHIFT) + 1, *at = &lines[line % nr];
	bool hit = *at == line;

	*at = line;
	return hit;
}

static void tag_access(struct core *core, const struct ibs_access *access, __u64 misses)
{
	core->flags |= access->store ? EMU_IBS_STORE : EMU_IBS_LOAD;
	/* The unit has registers for one access of an op. */
	if (core->flags & EMU_IBS_ADDR)
		return;
	core->flags |= EMU_IBS_ADDR | misses;
	core->addr = access->addr;
	if (misses & EMU_IBS_L3_MISS)
		core->flags |= (access->remote ? EMU_IBS_REMOTE : 0) |
			       (access->slow ? EMU_IBS_SLOW : 0);
	if (access->phys == HOST_NO_PHYS)
		return;
	core->flags |= EMU_IBS_PHYS;
	core->phys = access->phys;
}

void ibs_access(const struct ibs_access *access)
{
	struct ibs_unit *unit = &mbox->cpu[access->vcpu].ibs;
	struct core *core = &cores[access->vcpu];
	bool l1 = look_up(core->l1, L1_LINES, access->phys);
	bool l2 = look_up(core->l2, L2_LINES, access->phys);
	unsigned int cycles = L1_CYCLES;
	__u64 misses = 0;

	/* The last-level cache is shared: what another core has thrown out is gone here, too. */
	if (access->miss) {
		misses = EMU_IBS_L1_MISS | EMU_IBS_L2_MISS | EMU_IBS_L3_MISS;
		cycles = MEMORY_CYCLES;
	} else if (!l1) {
		misses = EMU_IBS_L1_MISS | (l2 ? 0 : EMU_IBS_L2_MISS);
		cycles = l2 ? L2_CYCLES : L3_CYCLES;
	}
	if (core->live && core->rip == access->ip)
		tag_access(core, access, misses);
	else if (!(unit->ctl & (EMU_IBS_OPS | EMU_IBS_VALID)))
		unit->count += cycles;
}

/* Of the kernel's data no cache is known: all is served by the first one. */
static void on_kernel_access(unsigned int vcpu, __u32 info, __u64 vaddr, void *ip)
{
	struct core *core = &cores[vcpu];
	struct ibs_access access = {
		.vcpu = vcpu,
		.addr = vaddr,
		.store = host_rw(info) & QEMU_PLUGIN_MEM_W,
	};

	if (!core->live || core->rip != (uintptr_t)ip)
		return;
	access.phys = host_phys(info, vaddr);
	tag_access(core, &access, 0);
}

void ibs_translate(struct qemu_plugin_insn *insn, __u64 ip, bool kernel)
{
	void *arg = (void *)(uintptr_t)ip;

	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_op, QEMU_PLUGIN_CB_NO_REGS, arg);
	if (kernel)
		qemu_plugin_register_vcpu_mem_cb(insn, on_kernel_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, arg);
}
