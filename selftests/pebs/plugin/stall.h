/* SPDX-License-Identifier: GPL-2.0 */
/* Time that an access takes: it is added to the machine's own clock. */
#ifndef PEBS_STALL_H
#define PEBS_STALL_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct latency - what an access costs beyond its instruction, in nanoseconds
 * @hit: one that the last-level cache serves
 * @local: one that misses it, to memory of the first node
 * @remote: the same, to memory of the other node
 * @assist: writing a PEBS record
 */
struct latency {
	__u32 hit;
	__u32 local;
	__u32 remote;
	__u32 assist;
};

/**
 * stall_wanted() - does anything cost time?
 * @latency: what does
 */
bool stall_wanted(const struct latency *latency);

/**
 * stall_init() - find the clock
 *
 * Context: the vCPU thread, between two blocks of guest code.
 * Does not return if QEMU does not run with -icount, or is not one whose clock
 * is known.
 */
void stall_init(void);

/**
 * stall() - let the machine's time go on
 * @vcpu: the vCPU that waits; all share the clock
 * @ns: how long, in nanoseconds
 *
 * Context: the vCPU thread; with -icount there is one for all vCPUs.
 */
void stall(unsigned int vcpu, __u32 ns);

#endif /* PEBS_STALL_H */
