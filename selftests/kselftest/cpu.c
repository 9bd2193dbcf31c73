// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "cpu.h"

unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC + now.tv_nsec;
}

int cpus_allowed(int *cpus, int room)
{
	cpu_set_t set;
	int cpu, n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE && n < room; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return n;
}

int cpu_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int cpu_priority(bool on)
{
	const struct sched_param param = { .sched_priority = on };

	return sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param) ?
		-errno : 0;
}

static int cpu_open(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return open(path, O_WRONLY | O_CLOEXEC);
}

bool cpu_is_removable(int cpu)
{
	int fd = cpu_open(cpu);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int cpu_set_online(int cpu, bool on)
{
	int fd = cpu_open(cpu);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}
