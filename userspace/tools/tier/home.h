/* SPDX-License-Identifier: GPL-2.0 */
/* The nodes that are nearest to where a process runs. */
#ifndef TIER_HOME_H
#define TIER_HOME_H

#include <sys/types.h>
#include "tiers.h"

/**
 * struct cpu_node - a node with CPUs
 * @cpus: its CPUs
 * @nearest: of each tier, the nodes that are nearest to it
 */
struct cpu_node {
	struct htmm_cpus cpus;
	struct htmm_cpus nearest;
};

/* No more threads of a process are looked at: to look at thousands would take long. */
#define HOME_THREADS	64

/**
 * struct homes - what is near to what
 * @nr: number of @node
 * @node: all nodes with CPUs
 * @pid: the process of which @home is; 0: of none
 * @home: the nodes that are nearest to where it runs
 */
struct homes {
	unsigned int nr;
	struct cpu_node *node;
	pid_t pid;
	struct htmm_cpus home;
};

/**
 * homes_read() - read the distances between nodes
 * @homes: all zero
 * @tiers: the tiers
 *
 * Without memory, or if the kernel does not tell all distances, no node is near to any process.
 */
void homes_read(struct homes *homes, const struct tiers *tiers);

/**
 * home_of() - tell which nodes are nearest to where a process runs
 * @homes: the distances
 * @pid: the process
 *
 * A node of a tier is one of them if the process may have memory there (cpuset), and for some CPU
 * that one of its first HOME_THREADS threads may use, no other node of this tier is nearer. So a
 * program that is bound to the CPUs of a socket has that socket's memory, and one that may run
 * anywhere has all. It is looked up again when another process was asked for, or after
 * homes_forget().
 *
 * Return: the nodes, until the next call; none if it is not known.
 */
const struct htmm_cpus *home_of(struct homes *homes, pid_t pid);

/**
 * homes_forget() - look up again where processes run
 * @homes: the distances
 */
void homes_forget(struct homes *homes);

/**
 * homes_free() - free the memory
 * @homes: the distances
 */
void homes_free(struct homes *homes);

#endif /* TIER_HOME_H */
