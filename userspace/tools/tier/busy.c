// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <unistd.h>
#include "busy.h"

/* There are 100 ticks in a second. */
#define LEAST_S	0.1

void busy_read(struct busy *busy, const char *line, double seconds)
{
	unsigned long long user, nice, system, irq, softirq, steal;
	__u64 ticks;

	/* Idle time, and time of waiting for a disk, are between them. */
	if (sscanf(line, "cpu %llu %llu %llu %*u %*u %llu %llu %llu", &user, &nice, &system, &irq,
		   &softirq, &steal) != 6)
		return;
	ticks = user + nice + system + irq + softirq + steal;
	if (busy->ticks && seconds < busy->seconds + LEAST_S)
		return;
	if (busy->ticks)
		busy->cpus = (double)(ticks - busy->ticks) / sysconf(_SC_CLK_TCK) /
			     (seconds - busy->seconds);
	busy->ticks = ticks;
	busy->seconds = seconds;
}
