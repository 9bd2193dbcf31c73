/* SPDX-License-Identifier: GPL-2.0 */
/* The emulated IBS unit: every so many ops, one is tagged and becomes a sample. */
#ifndef PEBS_PLUGIN_IBS_H
#define PEBS_PLUGIN_IBS_H

#include <linux/types.h>
#include <stdbool.h>

#include "../mailbox.h"
#include "qemu.h"

/**
 * struct ibs_access - a load or store
 * @vcpu: the vCPU
 * @ip: virtual address of the instruction
 * @addr: virtual address of the data
 * @phys: guest-physical address, or HOST_NO_PHYS
 * @store: it is a store
 * @miss: it missed the last-level cache
 * @remote: its memory is of another node
 * @slow: its memory is persistent or CXL memory
 */
struct ibs_access {
	unsigned int vcpu;
	__u64 ip;
	__u64 addr;
	__u64 phys;
	bool store;
	bool miss;
	bool remote;
	bool slow;
};

/**
 * ibs_init() - begin with the first block of guest code
 * @mbox: the mailbox
 * @assist_ns: what a sample costs, for stall()
 */
void ibs_init(struct pebs_mbox *mbox, __u32 assist_ns);

/**
 * ibs_translate() - have an instruction counted as an op
 * @insn: the instruction
 * @ip: its virtual address
 * @kernel: it is of the kernel: its loads and stores are looked at here, too
 */
void ibs_translate(struct qemu_plugin_insn *insn, __u64 ip, bool kernel);

/**
 * ibs_access() - show the unit a load or store of user code
 * @access: the access
 *
 * Context: the vCPU's thread, after the instruction has begun.
 */
void ibs_access(const struct ibs_access *access);

#endif /* PEBS_PLUGIN_IBS_H */
