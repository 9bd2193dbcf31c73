/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mailbox between the emulated PEBS unit and its guest driver.
 *
 * The mailbox is guest RAM that the kernel was told not to use ("memmap=1M$0x30000000").
 * The driver maps it with memremap(), the QEMU plugin through the host pointer of the same
 * RAM; control words are ordinary stores.
 *
 * Who writes what: every word of a slot belongs to one vCPU. The driver writes
 * it only on that CPU with interrupts off, the plugin only on that vCPU's
 * thread. As a vCPU runs either guest code or the plugin, never both, no slot
 * needs a lock or an atomic. The header's guest words may be read by any vCPU;
 * each is one naturally aligned 64-bit word.
 */
#ifndef PEBS_MAILBOX_H
#define PEBS_MAILBOX_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif

#include "ibs.h"

#define PEBS_MBOX_ADDR		0x30000000UL	/* guest-physical */
#define PEBS_MBOX_SIZE		0x100000UL
#define PEBS_MBOX_MAGIC		0x554d455342455004ULL	/* last byte: version */

#define PEBS_HEADER_SIZE	0x1000
#define PEBS_SLOT_SIZE		0x5000
#define PEBS_MAX_CPUS		32
#define PEBS_COUNTERS		8
#define PEBS_RECORDS		256

/**
 * enum pebs_kind - what an access was; each access is of exactly one kind
 * @PEBS_LOAD_HIT: load that hit the last-level cache
 * @PEBS_LOAD_LOCAL: load served by local DRAM
 * @PEBS_LOAD_REMOTE: load served by remote DRAM
 * @PEBS_LOAD_LOCAL_PMM: load served by local persistent memory
 * @PEBS_LOAD_REMOTE_PMM: load served by remote persistent memory
 * @PEBS_STORE_HIT: store that hit the last-level cache and the STLB
 * @PEBS_STORE_MISS: store that missed the cache only, wherever its memory is
 * @PEBS_STORE_HIT_STLB_MISS: store that missed the STLB only
 * @PEBS_STORE_MISS_STLB_MISS: store that missed both
 * @PEBS_KINDS: number of kinds
 *
 * An event is a set of kinds: the driver, not the plugin, knows Intel's codes.
 */
enum pebs_kind {
	PEBS_LOAD_HIT,
	PEBS_LOAD_LOCAL,
	PEBS_LOAD_REMOTE,
	PEBS_LOAD_LOCAL_PMM,
	PEBS_LOAD_REMOTE_PMM,
	PEBS_STORE_HIT,
	PEBS_STORE_MISS,
	PEBS_STORE_HIT_STLB_MISS,
	PEBS_STORE_MISS_STLB_MISS,
	PEBS_KINDS
};

/**
 * struct pebs_range - half-open range of guest-physical addresses
 * @start: first byte
 * @end: byte after the last; an empty range has @end <= @start
 */
struct pebs_range {
	__u64 start;
	__u64 end;
};

/**
 * struct pebs_header - the mailbox's first page
 * @magic: PEBS_MBOX_MAGIC once the plugin has mapped the mailbox
 * @ncpus: number of vCPUs the plugin serves
 * @truth: guest: non-zero while accesses enter the ground truth
 * @profile: guest: non-zero while the kernel's instructions enter the profile; the number
 *	of the section they belong to
 * @remote: plugin option: memory of another node for all CPUs
 * @pmem: guest or plugin option: persistent or CXL memory, of no node with CPUs
 */
struct pebs_header {
	__u64 magic;
	__u64 ncpus;
	__u64 truth;
	__u64 profile;
	struct pebs_range remote;
	struct pebs_range pmem;
};

/**
 * struct pebs_counter - one counter of one vCPU
 * @match: guest: bitmask of enum pebs_kind that count
 * @reload: guest: period; 0 counts without ever overflowing
 * @left: accesses until the next overflow, >= 1; the plugin counts it down and
 *	reloads it, the guest sets it while the counter is stopped or in its NMI
 * @count: plugin: matching accesses since the guest last cleared it
 * @overflows: plugin: overflows since the guest last cleared it
 * @reserved: zero
 */
struct pebs_counter {
	__u64 match;
	__u64 reload;
	__u64 left;
	__u64 count;
	__u64 overflows;
	__u64 reserved[3];
};

/**
 * struct pebs_record - what the unit knows of the access that overflowed
 * @ip: virtual address of the instruction
 * @addr: virtual address of the data
 * @phys: guest-physical address of the data, 0 if unknown
 * @seq: the vCPU's @overflows up to and with this one, lost ones included
 * @status: bitmask of the counters that overflowed on this access
 * @kind: enum pebs_kind
 * @reserved: zero
 */
struct pebs_record {
	__u64 ip;
	__u64 addr;
	__u64 phys;
	__u64 seq;
	__u32 status;
	__u32 kind;
	__u64 reserved[3];
};

/**
 * struct pebs_slot - the unit of one vCPU
 * @active: guest: non-zero while the CPU is online and the driver loaded;
 *	nothing of this vCPU is counted otherwise
 * @tgid: guest: process that runs on the CPU
 * @enabled: guest: bitmask of running counters
 * @head: plugin: records written
 * @tail: guest: records consumed
 * @overflows: plugin: overflows of all counters
 * @overruns: plugin: overflows lost because the record buffer was full
 * @nmis: plugin: interrupts raised
 * @unmapped: plugin: accesses outside the RAM the plugin knows (device memory);
 *	they count as misses of local DRAM and bypass the cache
 * @near: guest: memory of the CPU's own node; all other but @pmem is remote. Empty: all is near
 * @reserved: zero
 * @counter: the counters
 * @record: record ring, @head and @tail modulo PEBS_RECORDS
 */
struct pebs_slot {
	__u64 active;
	__u64 tgid;
	__u64 enabled;
	__u64 head;
	__u64 tail;
	__u64 overflows;
	__u64 overruns;
	__u64 nmis;
	__u64 unmapped;
	struct pebs_range near;
	__u64 reserved[5];
	struct pebs_counter counter[PEBS_COUNTERS];
	struct pebs_record record[PEBS_RECORDS];
};

/**
 * union pebs_cpu_area - what a vCPU has, with room to grow
 * @slot: its PEBS unit
 * @ibs: its IBS unit
 * @bytes: makes the area PEBS_SLOT_SIZE long
 */
union pebs_cpu_area {
	struct {
		struct pebs_slot slot;
		struct ibs_unit ibs;
	};
	__u8 bytes[PEBS_SLOT_SIZE];
};

/**
 * struct pebs_mbox - the whole mailbox
 * @header: global words
 * @header_page: makes the slots page-aligned
 * @cpu: areas of the vCPUs, by their number
 */
struct pebs_mbox {
	union {
		struct pebs_header header;
		__u8 header_page[PEBS_HEADER_SIZE];
	};
	union pebs_cpu_area cpu[PEBS_MAX_CPUS];
};

static_assert(sizeof(struct pebs_counter) == 64, "counter layout");
static_assert(sizeof(struct pebs_record) == 64, "record layout");
static_assert(sizeof(union pebs_cpu_area) == PEBS_SLOT_SIZE, "slot layout");
static_assert(sizeof(struct pebs_mbox) <= PEBS_MBOX_SIZE, "mailbox layout");

#endif /* PEBS_MAILBOX_H */
