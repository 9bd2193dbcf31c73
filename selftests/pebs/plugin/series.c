// SPDX-License-Identifier: GPL-2.0
/*
 * The ground truth over time: a line for each process and interval. Time begins with the
 * first miss that is counted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "series.h"

#define INTERVAL_NS	100000000LL
/* The clock is looked at once in so many misses. */
#define LOOK		1024
#define PROCESSES	256

static struct process {
	__u64 tgid;
	__u64 local;
	__u64 remote;
} processes[PROCESSES];

static unsigned int nr_processes;
static struct process *last;
static FILE *file;
static __s64 origin, next;

bool series_open(const char *path)
{
	file = fopen(path, "we");
	if (!file) {
		fprintf(stderr, "pebs plugin: cannot write the series to %s: %s\n", path,
			strerror(errno));
		return false;
	}
	fputs("ns,tgid,local_misses,remote_misses\n", file);
	return true;
}

void series_start(void)
{
	host_clock_bias();
}

static struct process *find(__u64 tgid)
{
	if (last && last->tgid == tgid)
		return last;
	for (unsigned int i = 0; i < nr_processes; i++)
		if (processes[i].tgid == tgid)
			return last = &processes[i];
	if (nr_processes == PROCESSES)
		host_fail("the series has room for %d processes", PROCESSES);
	last = &processes[nr_processes++];
	last->tgid = tgid;
	return last;
}

/* Those that had no misses have no line, and lose their place. */
static void write_lines(__s64 now)
{
	for (unsigned int i = 0; i < nr_processes; i++)
		fprintf(file, "%lld,%llu,%llu,%llu\n", now - origin, processes[i].tgid,
			processes[i].local, processes[i].remote);
	memset(processes, 0, sizeof(processes));
	nr_processes = 0;
	last = NULL;
}

/* QEMU tells the time only between two blocks. */
static void look(void *cpu, void *unused)
{
	__s64 now = host_clock();

	(void)cpu;
	(void)unused;
	if (!origin) {
		origin = now;
		next = now + INTERVAL_NS;
	} else if (now >= next) {
		write_lines(now);
		next += INTERVAL_NS;
		if (next <= now)
			next = now + INTERVAL_NS;
	}
}

void series_count(unsigned int vcpu, __u64 tgid, bool remote)
{
	static unsigned int until_look;
	struct process *process = find(tgid);

	if (remote)
		process->remote++;
	else
		process->local++;
	if (until_look--)
		return;
	until_look = LOOK - 1;
	host_run_later(vcpu, look);
}

bool series_close(void)
{
	if (nr_processes)
		write_lines(next);
	return !ferror(file) && !fclose(file);
}
