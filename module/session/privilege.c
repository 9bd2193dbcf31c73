// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the resources of a session: no more than its starter could get by other means.
 * CAP_PERFMON, which every call requires, permits observation only, not the use of
 * resources.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "privilege.h"

/*
 * Ring memory allowed without privilege, for each CPU, in KiB: the default of
 * perf_event_mlock_kb. The current value is not exported to modules.
 */
#define HTMM_FREE_RING_KIB	(512 + PAGE_SIZE / 1024)

/* The same rule as in setpriority(). The default nice value needs no privilege. */
static int htmm_privilege_check_nice(const struct htmm_start *start,
				     struct htmm_error *err)
{
	if (start->drain_nice >= 0 || can_nice(current, start->drain_nice))
		return 0;
	return htmm_fail(err, -EPERM,
			 "drain_nice is %d: below 0 it takes CAP_SYS_NICE, or a limit RLIMIT_NICE (ulimit -e) of %d",
			 start->drain_nice, MAX_NICE + 1 - start->drain_nice);
}

/*
 * Test the caller's affinity, which is always within its cpuset: the cpuset is not exported
 * to modules.
 */
static int htmm_privilege_check_cpus(const struct cpumask *drain_cpus,
				     struct htmm_error *err)
{
	if (cpumask_subset(drain_cpus, current->cpus_ptr) || capable(CAP_SYS_NICE))
		return 0;
	return htmm_fail(err, -EPERM,
			 "drain_cpus has CPUs on which the caller may not run: it takes CAP_SYS_NICE, or an affinity (taskset) and a cpuset with them");
}

/* The same rule as perf's for its rings. */
static int htmm_privilege_check_rings(const struct htmm_config *config,
				      struct htmm_error *err)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) / 1024, kib = 0;
	unsigned int cpu;

	for_each_cpu_and(cpu, config->cpus, cpu_online_mask)
		kib += (u64)config->start.nr_events * config->start.ring_pages * 4;
	if (rlimit(RLIMIT_MEMLOCK) == RLIM_INFINITY ||
	    kib <= limit + HTMM_FREE_RING_KIB * num_online_cpus() ||
	    capable(CAP_IPC_LOCK))
		return 0;
	return htmm_fail(err, -EPERM,
			 "rings of %llu KiB: more than %lu KiB a CPU and RLIMIT_MEMLOCK, %llu KiB, takes CAP_IPC_LOCK: raise the limit (ulimit -l), or ask for fewer ring_pages",
			 kib, HTMM_FREE_RING_KIB, limit);
}

/**
 * htmm_privilege_check - may the caller start this session?
 * @config: the configuration, checked
 * @err: on failure, the limit and how to raise it
 *
 * Memory is limited separately: it is charged to the caller's memory cgroup.
 *
 * Context: process context of the caller.
 * Return: 0 or -EPERM.
 */
int htmm_privilege_check(const struct htmm_config *config, struct htmm_error *err)
{
	int ret;

	ret = htmm_privilege_check_nice(&config->start, err);
	if (!ret)
		ret = htmm_privilege_check_cpus(config->drain_cpus, err);
	if (!ret)
		ret = htmm_privilege_check_rings(config, err);
	return ret;
}
