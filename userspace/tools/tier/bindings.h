/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that policies of its process bind to nodes (mbind(2), set_mempolicy(2), numactl). */
#ifndef TIER_BINDINGS_H
#define TIER_BINDINGS_H

#include <htmm/htmm.h>
#include <sys/types.h>

/* Processes that are remembered at the same time, each at one of so many places. */
#define BINDINGS_SLOTS	512
#define BINDINGS_PLACES	8

/**
 * struct binding - the memory of a process from an address up to that of the next one
 * @start: the address
 * @nodes: the nodes that it is bound to; NULL: it may be on any
 */
struct binding {
	__u64 start;
	struct htmm_cpus *nodes;
};

/**
 * struct bound_process - what is bound of a process
 * @pid: the process
 * @space: its address space: exec() has made another one, as has a new process of that number
 * @nr: number of @binding
 * @binding: by address
 * @times: how many times as long as reading it took it is not read again
 * @due: when to read it again, in seconds of the monotonic clock
 */
struct bound_process {
	pid_t pid;
	__u32 space;
	size_t nr;
	struct binding *binding;
	unsigned int times;
	double due;
};

/**
 * struct bindings - what is bound of some processes
 * @slot: a process, at one of the places from that on that its pid says
 */
struct bindings {
	struct bound_process slot[BINDINGS_SLOTS];
};

/**
 * bindings_of() - tell to which nodes a page is bound
 * @bindings: all zero, or used before
 * @pid: its process
 * @space: its address space, as the module numbers it
 * @addr: its address
 *
 * Reads the policies of the process in /proc, if it was not done lately: what a process binds later
 * is seen after 200 to 800 times as long as reading them takes, but where 200 times are less than a
 * minute, after a minute at most. What cannot be read binds nothing.
 * The nodes that its cpuset allows are not looked at: move_pages(2) does it.
 *
 * Return: the nodes, until the next call; NULL: it may be on any.
 */
const struct htmm_cpus *bindings_of(struct bindings *bindings, pid_t pid, __u32 space, __u64 addr);

/**
 * bindings_free() - free the memory
 * @bindings: the bindings; all zero after it
 */
void bindings_free(struct bindings *bindings);

#endif /* TIER_BINDINGS_H */
