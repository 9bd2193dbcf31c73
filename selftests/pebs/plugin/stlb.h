/* SPDX-License-Identifier: GPL-2.0 */
/* Second-level TLB of each vCPU, by which stores are told apart. */
#ifndef PEBS_STLB_H
#define PEBS_STLB_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * stlb_init() - build a TLB for each vCPU, empty
 * @entries: 4 KiB pages that it holds, a power of two times 12 ways; 0 for no TLB
 * @vcpus: number of vCPUs
 *
 * Return: false if the geometry is impossible or there is no memory.
 */
bool stlb_init(unsigned int entries, unsigned int vcpus);

/**
 * stlb_access() - look up a page, and add it if it is missing
 * @vcpu: the vCPU, which must be the running one
 * @tgid: whose address it is: entries of other processes stay, as with PCIDs
 * @vaddr: its address
 *
 * Return: true for a hit. Without a TLB nothing hits.
 */
bool stlb_access(unsigned int vcpu, __u64 tgid, __u64 vaddr);

#endif /* PEBS_STLB_H */
