// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include "perfdata/proc.h"

/*
 * Starts at the state: the parent is the 2nd field, the start time the 20th; code and stack
 * are the 24th to 26th.
 */
#define STAT_FORMAT	" %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u " \
			"%*d %*d %*d %*d %*d %*d %llu %*u %*d %*u %llu %llu %llu"
#define STAT_FIELDS	5

int proc_stat_read(const char *proc, __u32 pid, struct proc_stat *stat)
{
	char path[PATH_MAX], text[1024];
	unsigned long long started, code[2], stack;
	unsigned int ppid;
	size_t got;
	FILE *file;
	char *end;

	snprintf(path, sizeof(path), "%s/%u/stat", proc, pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	got = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[got] = '\0';
	/* The name is in parentheses, and may itself contain them. */
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, STAT_FORMAT, &ppid, &started, &code[0], &code[1],
			   &stack) != STAT_FIELDS)
		return -ESRCH;
	stat->ppid = ppid;
	stat->started = started;
	stat->program = (struct proc_program) { code[0], code[1], stack };
	return 0;
}

int proc_comm_read(const char *proc, __u32 pid, __u32 tid, char comm[PROC_COMM_MAX])
{
	memset(comm, 0, PROC_COMM_MAX);
	return htmm_read_line(comm, PROC_COMM_MAX, "%s/%u/task/%u/comm", proc, pid, tid);
}
