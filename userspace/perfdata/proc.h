/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc says of a process, in as much detail as perf.data wants. */
#ifndef PERFDATA_PROC_H
#define PERFDATA_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Bytes of a thread's name, its NUL included. */
#define PROC_COMM_MAX	16

/**
 * struct proc_mapping - a mapping
 * @start: its first address
 * @end: the first address after it
 * @offset: where in the file it begins
 * @ino: inode of the file; 0: no file
 * @maj: major number of its device
 * @min: minor number of its device
 * @prot: PROT_*
 * @flags: MAP_SHARED or MAP_PRIVATE
 * @name: file, or a name in brackets, or ""
 * @identified: its build id was asked for
 */
struct proc_mapping {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 ino;
	__u32 maj;
	__u32 min;
	__u32 prot;
	__u32 flags;
	char *name;
	bool identified;
};

/**
 * struct proc_maps - all mappings of a process, by address
 * @map: the mappings
 * @nr: how many there are
 */
struct proc_maps {
	struct proc_mapping *map;
	size_t nr;
};

/**
 * struct proc_program - where exec() has put a program
 * @code_start: the first address of its code
 * @code_end: the first after it
 * @stack_start: where its stack begins, below its words and environment
 *
 * It stays there, whatever is mapped later. All are 0 if the kernel does not tell, and
 * when the process has exited.
 */
struct proc_program {
	__u64 code_start;
	__u64 code_end;
	__u64 stack_start;
};

/**
 * struct proc_stat - who a process is
 * @ppid: its parent
 * @started: when it began, in clock ticks since boot: tells processes apart that
 *	follow each other under one pid
 * @program: what it runs: tells programs apart that follow each other in one process
 */
struct proc_stat {
	__u32 ppid;
	__u64 started;
	struct proc_program program;
};

/* These read of /proc, or whatever stands in for it at @proc; 0 or a negative errno. */
int proc_stat_read(const char *proc, __u32 pid, struct proc_stat *stat);
int proc_comm_read(const char *proc, __u32 pid, __u32 tid, char comm[PROC_COMM_MAX]);
/* Give the mappings back with proc_maps_free(). */
int proc_maps_read(const char *proc, __u32 pid, struct proc_maps *maps);

void proc_maps_free(struct proc_maps *maps);

/* The mapping of an address, or NULL. */
struct proc_mapping *proc_maps_find(const struct proc_maps *maps, __u64 addr);

#endif /* PERFDATA_PROC_H */
