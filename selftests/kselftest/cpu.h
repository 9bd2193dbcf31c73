/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPU a test runs on, and which there are. */
#ifndef KSFT_CPU_H
#define KSFT_CPU_H

#include <stdbool.h>

/* CPUs that this program may use, in ascending order; returns their number. */
int cpus_allowed(int *cpus, int room);
/* These return 0 or a negative errno. */
int cpu_pin(int cpu);
/* Nothing ordinary runs on the CPU of a caller with priority. */
int cpu_priority(bool on);
/* Can a CPU be taken offline here? Some kernels keep the first. */
bool cpu_is_removable(int cpu);
int cpu_set_online(int cpu, bool on);

#endif /* KSFT_CPU_H */
