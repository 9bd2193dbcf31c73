/* SPDX-License-Identifier: GPL-2.0 */
/* The CPU on which a test runs, and which CPUs exist. */
#ifndef KSFT_CPU_H
#define KSFT_CPU_H

#include <stdbool.h>

#define NSEC	1000000000ULL
/* Nanoseconds since some time in the past. */
unsigned long long now_ns(void);
/* CPUs that this program may use, in ascending order; returns their number. */
int cpus_allowed(int *cpus, int room);
/* These return 0 or a negative errno. */
int cpu_pin(int cpu);
/* With priority, no ordinary task runs on the caller's CPU. */
int cpu_priority(bool on);
/* Tells if a CPU can be taken offline; some kernels keep the first one online. */
bool cpu_is_removable(int cpu);
int cpu_set_online(int cpu, bool on);

#endif /* KSFT_CPU_H */
