// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "busy.h"

/* There are 100 ticks in a second. */
#define LEAST_S		0.1
#define LEAST_CPUS	0.001

void busy_read(struct busy *busy, const char *line, double seconds)
{
	unsigned long long user, nice, system, irq, softirq;
	__u64 ticks;

	/* Idle time, and time of waiting for a disk, are between them. */
	if (sscanf(line, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice, &system, &irq,
		   &softirq) != 5)
		return;
	ticks = user + nice + system + irq + softirq;
	if (busy->ticks && seconds < busy->seconds + LEAST_S)
		return;
	if (busy->ticks)
		busy->cpus = fmax((double)(ticks - busy->ticks) / sysconf(_SC_CLK_TCK) /
				  (seconds - busy->seconds), LEAST_CPUS);
	busy->ticks = ticks;
	busy->seconds = seconds;
}
