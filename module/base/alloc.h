/* SPDX-License-Identifier: GPL-2.0 */
/* How and where memory is allocated. */
#ifndef HTMM_ALLOC_H
#define HTMM_ALLOC_H

#include <linux/gfp.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

/*
 * Memory for knowing what is hot is not worth killing anyone for. vmalloc() heeds that
 * for the pages, though not for its page tables, which are a 512th of them. It is charged to
 * the memory cgroup of who has started the session, which callers on behalf of others enter.
 */
#define HTMM_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* Under a lock that others wait for: do not wait for memory. */
#define HTMM_GFP_LOCKED	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/**
 * htmm_cpu_node - the NUMA node that a CPU is on
 * @cpu: a possible CPU
 *
 * Return: the node; the first one for a CPU that the firmware says nothing of.
 */
static inline int htmm_cpu_node(unsigned int cpu)
{
	int node = cpu_to_node(cpu);

	return node == NUMA_NO_NODE ? first_online_node : node;
}

#endif /* HTMM_ALLOC_H */
