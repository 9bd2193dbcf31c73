// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the resources of a session: no more than its starter could get in other ways.
 * CAP_PERFMON, which every call requires, permits only observation, not the use of resources.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "base/compat.h"
#include "session.h"

/*
 * Ring memory allowed without privilege, for each CPU, in KiB: the default of
 * perf_event_mlock_kb. The current value is not exported to modules.
 */
#define HTMM_FREE_RING_KIB	(512 + PAGE_SIZE / 1024)

/*
 * Fill in what the caller has left out but may not leave open: without CAP_SYS_NICE ksampled runs
 * on the caller's CPUs, and a budget limits the cost, even if the periods become very long.
 */
void htmm_privilege_defaults(struct htmm_config *config)
{
	struct htmm_start *start = &config->start;
	unsigned int i;

	/* To select a default is not a use of the privilege, so it is not audited. */
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE))
		return;
	/* Without isolated CPUs, as other kernel threads. */
	if (cpumask_empty(config->drain_cpus) &&
	    !htmm_housekeeping_cpus(config->drain_cpus, current->cpus_ptr))
		cpumask_copy(config->drain_cpus, current->cpus_ptr);
	if (!(start->flags & HTMM_START_BUDGET) && !start->budget_ppm) {
		start->flags |= HTMM_START_BUDGET;
		start->budget_ppm = HTMM_USER_BUDGET_PPM;
	}
	for (i = 0; i < start->nr_events; i++)
		if (!config->events[i].max_period && config->events[i].type != HTMM_TYPE_FEED)
			config->events[i].max_period = S64_MAX;
}

/* The same rule as perf's for its rings. */
static int htmm_privilege_check_rings(const struct htmm_config *config, struct htmm_error *err)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) / 1024, kib = 0;
	unsigned int cpu;

	for_each_cpu_and(cpu, config->cpus, cpu_online_mask)
		kib += (u64)config->start.nr_events * config->start.ring_pages * 4;
	if (rlimit(RLIMIT_MEMLOCK) == RLIM_INFINITY ||
	    kib <= limit + HTMM_FREE_RING_KIB * num_online_cpus() || capable(CAP_IPC_LOCK))
		return 0;
	return htmm_fail(err, -EPERM,
			 "rings of %llu KiB: more than %lu KiB a CPU and RLIMIT_MEMLOCK, %llu KiB, takes CAP_IPC_LOCK: raise the limit (ulimit -l), or ask for fewer ring_pages",
			 kib, HTMM_FREE_RING_KIB, limit);
}

/*
 * Whoever started a session without a budget may use the CPU time that its periods cost, but not
 * more. Returns 0 or -EPERM.
 */
int htmm_privilege_check_period(const struct htmm_event *event, unsigned int index,
				u64 period, struct htmm_error *err)
{
	if (period >= event->period || capable(CAP_SYS_NICE))
		return 0;
	return htmm_fail(err, -EPERM,
			 "event %u: a period below %llu, with which it was started, takes CAP_SYS_NICE",
			 index, event->period);
}

/*
 * A cooling visits each region of a table once, and an adaptation reads the histograms. The limits
 * are the numbers of samples that take as long to count. 0 is the default, which is seldom below.
 */
int htmm_privilege_check_cooling(const struct htmm_start *start, u64 max_bytes,
				 struct htmm_error *err)
{
	const u64 least = max_bytes / HTMM_USER_COOLING_BYTES;

	if (!start->cooling_period || start->cooling_period >= least || capable(CAP_SYS_NICE))
		return 0;
	return htmm_fail(err, -EPERM,
			 "cooling_period is %llu: below %llu, a sample for each %u bytes of max_bytes, it takes CAP_SYS_NICE",
			 start->cooling_period, least, HTMM_USER_COOLING_BYTES);
}

/*
 * A cooling on request, at time @now in ns. It is brief for the caller, and keeps ksampled as busy
 * as any: it is allowed as often as the shortest cooling_period ends if a sample is counted each
 * 128 ns. Returns 0 or -EBUSY.
 */
int htmm_privilege_check_cool(const struct htmm_target_table *target, u64 now)
{
	if (now - target->cooled_ns >= target->max_bytes * HTMM_USER_COOL_NS ||
	    capable(CAP_SYS_NICE))
		return 0;
	return -EBUSY;
}

/*
 * May the caller start this session? @err names the limit and how to raise it. Memory is limited
 * separately: it is charged to the caller's memory cgroup. Returns 0 or -EPERM.
 */
int htmm_privilege_check(const struct htmm_config *config, struct htmm_error *err)
{
	const struct htmm_start *start = &config->start;
	u64 bytes = start->max_bytes;
	unsigned int i;
	int ret;

	/* The same rule as in setpriority(). The default nice value needs no privilege. */
	if (!(start->drain_nice >= 0 || can_nice(current, start->drain_nice)))
		return htmm_fail(err, -EPERM,
				 "drain_nice is %d: below 0 it takes CAP_SYS_NICE, or a limit RLIMIT_NICE (ulimit -e) of %d",
				 start->drain_nice, MAX_NICE + 1 - start->drain_nice);
	/* The affinity is always within the cpuset, which is not exported to modules. */
	if (!(cpumask_subset(config->drain_cpus, current->cpus_ptr) || capable(CAP_SYS_NICE)))
		return htmm_fail(err, -EPERM,
				 "drain_cpus has CPUs on which the caller may not run: it takes CAP_SYS_NICE, or an affinity (taskset) and a cpuset with them");

	/* A budget limits the cost only if it is small, checked often, and can move periods. */
	if (start->budget_ppm > HTMM_USER_MAX_BUDGET_PPM && !capable(CAP_SYS_NICE))
		return htmm_fail(err, -EPERM, "budget_ppm is %u: above %u it takes CAP_SYS_NICE",
				 start->budget_ppm, HTMM_USER_MAX_BUDGET_PPM);
	if (start->budget_interval_ms > HTMM_USER_MAX_BUDGET_MS && !capable(CAP_SYS_NICE))
		return htmm_fail(err, -EPERM,
				 "budget_interval_ms is %u: above %u it takes CAP_SYS_NICE",
				 start->budget_interval_ms, HTMM_USER_MAX_BUDGET_MS);
	for (i = 0; i < start->nr_events; i++) {
		/* Nothing limits how fast samples are fed, and so what ksampled has to count. */
		if (config->events[i].type == HTMM_TYPE_FEED && !capable(CAP_SYS_NICE))
			return htmm_fail(err, -EPERM,
					 "event %u: to feed samples takes CAP_SYS_NICE", i);
		if (config->events[i].max_period != S64_MAX && !capable(CAP_SYS_NICE))
			return htmm_fail(err, -EPERM,
					 "event %u: a max_period takes CAP_SYS_NICE: leave it out, so that the budget can keep the cost low",
					 i);
	}

	/* The budget charges it for each sample. */
	if (start->interrupt_ns < HTMM_USER_MIN_INTERRUPT_NS && !capable(CAP_SYS_NICE))
		return htmm_fail(err, -EPERM, "interrupt_ns is %u: below %u it takes CAP_SYS_NICE",
				 start->interrupt_ns, HTMM_USER_MIN_INTERRUPT_NS);
	for (i = 0; i < start->nr_targets; i++)
		bytes = max_t(u64, bytes, config->targets[i].max_bytes);
	ret = htmm_privilege_check_cooling(start, bytes, err);
	if (ret)
		return ret;
	if (start->adaptation_period < HTMM_USER_MIN_ADAPTATION && !capable(CAP_SYS_NICE))
		return htmm_fail(err, -EPERM,
				 "adaptation_period is %llu: below %u it takes CAP_SYS_NICE",
				 start->adaptation_period, HTMM_USER_MIN_ADAPTATION);
	return htmm_privilege_check_rings(config, err);
}
