/* SPDX-License-Identifier: GPL-2.0 */
/* The time of an access is added to the machine's own clock. */
#ifndef PEBS_STALL_H
#define PEBS_STALL_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct latency - what an access costs beyond its instruction, in nanoseconds
 * @hit: an access that the last-level cache serves
 * @local: an access that misses it, to memory of the first node
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
 * stall_wanted() - tell if any latency is not 0
 * @latency: the latencies
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
 * stall() - advance the machine's clock
 * @vcpu: the vCPU that waits; all share the clock
 * @ns: how long, in nanoseconds
 *
 * Context: the vCPU thread; with -icount there is one for all vCPUs.
 */
void stall(unsigned int vcpu, __u32 ns);

#endif /* PEBS_STALL_H */
