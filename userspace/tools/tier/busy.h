/* SPDX-License-Identifier: GPL-2.0 */
/* How many CPUs are busy: with what the processes do, or with something else. */
#ifndef TIER_BUSY_H
#define TIER_BUSY_H

#include <linux/types.h>

/**
 * struct busy - CPU time until now
 * @ticks: of all CPUs, in 1/sysconf(_SC_CLK_TCK) s
 * @seconds: when this was read
 * @cpus: how many were busy before, on average; 0: that is not known
 */
struct busy {
	__u64 ticks;
	double seconds;
	double cpus;
};

/**
 * busy_read() - note how many CPUs were busy since the last call
 * @busy: all zero before the first call
 * @line: the first line of /proc/stat
 * @seconds: the time
 *
 * In less than a tenth of a second there are too few ticks: @busy stays as it is.
 */
void busy_read(struct busy *busy, const char *line, double seconds);

#endif /* TIER_BUSY_H */
