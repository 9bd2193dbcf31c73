// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"

#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define MAX_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"

void bail_out(const char *what, const char *name)
{
	printf("Bail out! cannot %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

bool fail(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	return false;
}

void write_number(const char *path, unsigned long value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%lu\n", value) < 0 || fclose(file))
		bail_out("write", path);
}

__u64 read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	__u64 value = 0;

	if (!file || fscanf(file, "%llu", &value) != 1)
		bail_out("read", path);
	fclose(file);
	return value;
}

__u64 max_rate(void)
{
	return read_number(MAX_RATE);
}

/*
 * The kernel accepts a rate only while it may lower it by itself, and an emulated CPU is so
 * slow that it would.
 */
void set_max_rate(unsigned long rate)
{
	write_number(MAX_PERCENT, 25);
	write_number(MAX_RATE, rate);
	write_number(MAX_PERCENT, 0);
}

void set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	write_number(path, online);
}

void pin(int cpu)
{
	char name[16];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	snprintf(name, sizeof(name), "CPU %d", cpu);
	if (sched_setaffinity(0, sizeof(set), &set))
		bail_out("run on", name);
}
