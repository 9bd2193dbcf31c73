/* SPDX-License-Identifier: GPL-2.0 */
/* What the unit needs from QEMU beyond the plugin interface. */
#ifndef PEBS_HOST_H
#define PEBS_HOST_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "../mailbox.h"
#include "qemu.h"

/* Physical address of memory that host_phys() cannot place. */
#define HOST_NO_PHYS	(~0ULL)

/**
 * host_fail() - report why the unit cannot work, and end QEMU
 * @fmt: printf() format of one sentence
 */
noreturn void host_fail(const char *fmt, ...);

/**
 * host_bind() - find the QEMU functions that the unit calls
 *
 * Return: false, with the reason on stderr, if this QEMU is not one the unit
 * knows.
 */
bool host_bind(void);

/**
 * host_map_mailbox() - map the mailbox and learn where guest RAM is
 *
 * Context: a vCPU thread, once the machine is built.
 * Return: the mailbox. Does not return if the guest has no RAM there.
 */
struct pebs_mbox *host_map_mailbox(void);

/**
 * host_rw() - direction of an access
 * @info: from the memory callback
 *
 * Return: QEMU_PLUGIN_MEM_R, _W, or both for an atomic read-modify-write.
 */
static inline unsigned int host_rw(__u32 info)
{
	return (info >> 16) & QEMU_PLUGIN_MEM_RW;
}

/**
 * host_phys() - guest-physical address of the access being called back
 * @info: from the memory callback
 * @vaddr: from the memory callback
 *
 * Return: the address, or HOST_NO_PHYS for device memory.
 */
__u64 host_phys(__u32 info, __u64 vaddr);

/**
 * host_raise_nmi() - raise an NMI, taken at the end of the running block
 * @index: the vCPU, which must be the calling thread's
 */
void host_raise_nmi(unsigned int index);

/**
 * host_clock() - the machine's time with -icount, in nanoseconds
 *
 * Context: the vCPU thread, between two blocks of guest code.
 */
__s64 host_clock(void);

/**
 * host_clock_bias() - nanoseconds by which that time is ahead of the instructions
 *
 * Return: the address of QEMU's variable. Does not return without -icount.
 */
__s64 *host_clock_bias(void);

/**
 * host_recheck_timers() - make QEMU check its timers at the end of the block
 * @index: the vCPU, which must be the running one
 */
void host_recheck_timers(unsigned int index);

/**
 * host_run_later() - run a function between this block of guest code and the next
 * @index: the vCPU, which must be the running one
 * @work: the function; ignores its arguments
 */
void host_run_later(unsigned int index, void (*work)(void *cpu, void *data));

#endif /* PEBS_HOST_H */
