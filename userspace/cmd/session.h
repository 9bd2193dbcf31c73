/* SPDX-License-Identifier: GPL-2.0 */
/* What to sample, from the options of `start` and `run`. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <htmm/htmm.h>
#include "options.h"

/**
 * struct session - a session to be started
 * @events: what to sample
 * @period: period of the events that name none; 0: their own defaults
 * @targets: whose accesses; cgroups among them are open files
 * @nr_targets: how many of @targets are in use
 * @all: of all processes; no targets then
 * @cpus: CPUs to sample; empty: all
 * @drain_cpus: CPUs for the drain threads; empty: any
 * @ring_pages: pages of a ring; 0: default
 * @capacity: bytes of the fast tier; 0: default
 * @max_pages: most pages tracked; 0: bounded by @max_bytes
 * @max_bytes: most memory of the table, in bytes; 0: default
 * @cooling_period: samples between coolings; 0: default
 * @adaptation_period: samples between adaptations; 0: default
 * @drain_threads: drain threads; 0: default
 * @drain_nice: nice value of the drain threads
 * @drain_interval: milliseconds; 0: default
 * @budget_ppm: what sampling may cost, in millionths of CPU time; -1: no budget
 * @budget_interval: milliseconds between looks at the cost; 0: default
 * @interrupt_cost: nanoseconds of an interrupt outside the handler; 0: default
 * @sample_type: PERF_SAMPLE_* bits that records have besides those they always have
 * @weight_period: samples count as much as their period; with a budget they do anyway
 * @no_weight_period: each sample counts 1, also with a budget
 */
struct session {
	struct htmm_event_list events;
	__s64 period;
	struct htmm_target targets[HTMM_MAX_TARGETS];
	__u32 nr_targets;
	bool all;
	struct htmm_cpus cpus;
	struct htmm_cpus drain_cpus;
	__s64 ring_pages;
	__s64 capacity;
	__s64 max_pages;
	__s64 max_bytes;
	__s64 cooling_period;
	__s64 adaptation_period;
	__s64 drain_threads;
	__s64 drain_nice;
	__s64 drain_interval;
	__s64 budget_ppm;
	__s64 budget_interval;
	__s64 interrupt_cost;
	__u64 sample_type;
	bool weight_period;
	bool no_weight_period;
};

/* Number of options that target_opts() fills in: no end is among them. */
#define TARGET_OPTS	3

/**
 * target_opts() - make the options that say who is sampled
 * @session: where their values go
 * @opts: the first of a table
 */
void target_opts(struct session *session, struct opt opts[TARGET_OPTS]);

/* Number of options in the table that session_opts() fills, its end included. */
#define SESSION_OPTS	(TARGET_OPTS + 19)

/**
 * session_opts() - make the options that describe a session
 * @session: where their values go
 * @opts: the table
 */
void session_opts(struct session *session, struct opt opts[SESSION_OPTS]);

/**
 * session_check() - check that the options go together
 * @session: the session
 * @err: says which do not
 *
 * Return: 0 or -EINVAL.
 */
int session_check(const struct session *session, struct htmm_error *err);

/**
 * session_finish() - fill in the events and periods that were left out
 * @session: the session
 */
void session_finish(struct session *session);

/**
 * session_add_target() - sample a process or a cgroup
 * @session: the session
 * @target: it; a cgroup's file becomes the session's
 * @err: says if there are too many
 *
 * Return: 0 or -E2BIG.
 */
int session_add_target(struct session *session, const struct htmm_target *target,
		       struct htmm_error *err);

/**
 * session_start() - start a session
 * @session: the session, finished
 * @fd: the device
 * @flags: HTMM_START_*
 * @err: says why it did not start
 *
 * Return: 0 or a negative errno.
 */
int session_start(struct session *session, int fd, __u32 flags, struct htmm_error *err);

#endif /* CMD_SESSION_H */
