/* SPDX-License-Identifier: GPL-2.0 */
/* Clocks as one number. */
#ifndef HTMMCTL_CLOCK_H
#define HTMMCTL_CLOCK_H

#include <time.h>
#include <linux/types.h>

/* Nanoseconds of a clock. */
static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Milliseconds of the clock that nobody sets. */
static inline __u64 now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

#endif /* HTMMCTL_CLOCK_H */
