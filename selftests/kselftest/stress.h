/* SPDX-License-Identifier: GPL-2.0 */
/* Load that runs while sessions start and stop. */
#ifndef KSFT_STRESS_H
#define KSFT_STRESS_H

#include <stdatomic.h>
#include <stdint.h>
#include "access.h"
#include "cgroup.h"

/**
 * struct feats - how often each kind of load was done, by all processes
 * @cycles: CPUs that went offline and came back
 * @forks: processes that were forked, and ran or exec'ed
 * @wraps: times that pids wrapped around
 * @reads: rounds of reading all interfaces
 * @records: bytes of the record stream
 * @targets: targets added to or removed from a running session
 * @settings: capacities and periods changed of a running session
 * @taken: MiB of memory that were taken, to have too little
 * @away: not a count: the module is being removed, and its device must be closed
 */
struct feats {
	atomic_ulong cycles;
	atomic_ulong forks;
	atomic_ulong wraps;
	atomic_ulong reads;
	atomic_ulong records;
	atomic_ulong targets;
	atomic_ulong settings;
	atomic_ulong taken;
	atomic_bool away;
};

/**
 * struct role - a process that makes one kind of load until it is killed
 * @random: state of its random numbers, not 0
 * @cpu: the CPU that comes and goes
 * @source: what is sampled
 * @cgroup: some processes are in it
 * @feats: in shared memory
 */
struct role {
	uint64_t random;
	int cpu;
	struct source source;
	struct cgroup cgroup;
	struct feats *feats;
};

uint64_t role_random(struct role *role, unsigned int limit);

/* Bodies for child_start(); the argument is a struct role. */
int role_work(int sock, void *arg);
int role_switch_cpu(int sock, void *arg);
int role_churn(int sock, void *arg);
int role_read(int sock, void *arg);
int role_follow_stream(int sock, void *arg);
int role_change_targets(int sock, void *arg);
int role_flood_memory(int sock, void *arg);

#endif /* KSFT_STRESS_H */
