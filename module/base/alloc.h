/* SPDX-License-Identifier: GPL-2.0 */
/* How and where memory is allocated. */
#ifndef HTMM_ALLOC_H
#define HTMM_ALLOC_H

#include <linux/gfp.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

/*
 * Do not invoke the OOM killer for the module's data. vmalloc() obeys __GFP_NORETRY for the
 * pages, but not for its page tables, which take 1/512 of their size. The memory is charged
 * to the memory cgroup of the process that started the session; code that allocates on
 * behalf of a session enters that cgroup first.
 */
#define HTMM_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* For use under a lock that others wait for: the allocation does not sleep. */
#define HTMM_GFP_LOCKED	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/* The first online node if the firmware gives no node for the CPU. */
static inline int htmm_cpu_node(unsigned int cpu)
{
	int node = cpu_to_node(cpu);

	return node == NUMA_NO_NODE ? first_online_node : node;
}

#endif /* HTMM_ALLOC_H */
