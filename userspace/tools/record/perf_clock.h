/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of samples, local_clock() of the kernel, which no system call reads. */
#ifndef RECORD_PERF_CLOCK_H
#define RECORD_PERF_CLOCK_H

#include <linux/types.h>

/**
 * perf_clock_ahead() - compare the clock of samples with CLOCK_MONOTONIC
 * @ahead: set to what is to be added to a CLOCK_MONOTONIC time, in nanoseconds
 *
 * Return: 0 or a negative errno.
 */
int perf_clock_ahead(__s64 *ahead);

#endif /* RECORD_PERF_CLOCK_H */
