/* SPDX-License-Identifier: GPL-2.0 */
/* What perf.data needs to know about a process, from /proc. */
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
 * @offset: its offset in the file
 * @ino: inode of the file; 0: no file
 * @maj: major number of its device
 * @min: minor number of its device
 * @prot: PROT_*
 * @flags: MAP_SHARED or MAP_PRIVATE
 * @name: file, or a name in brackets, or ""
 * @identified: its build id was looked up
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
 * struct proc_program - where exec() placed a program
 * @code_start: the first address of its code
 * @code_end: the first after it
 * @stack_start: start of its stack, below arguments and environment
 *
 * These never change until the next exec(). All are 0 if the kernel hides them, or the
 * process has exited.
 */
struct proc_program {
	__u64 code_start;
	__u64 code_end;
	__u64 stack_start;
};

/**
 * struct proc_stat - identity of a process
 * @ppid: its parent
 * @started: start time, in clock ticks since boot: tells apart processes that had the same pid
 * @program: what it runs: tells apart programs before and after exec()
 */
struct proc_stat {
	__u32 ppid;
	__u64 started;
	struct proc_program program;
};

/* These read /proc, or a replacement at @proc. They return 0 or a negative errno. */
int proc_stat_read(const char *proc, __u32 pid, struct proc_stat *stat);
int proc_comm_read(const char *proc, __u32 pid, __u32 tid, char comm[PROC_COMM_MAX]);
/* Free the mappings with proc_maps_free(). */
int proc_maps_read(const char *proc, __u32 pid, struct proc_maps *maps);

void proc_maps_free(struct proc_maps *maps);

/* The mapping of an address, or NULL. */
struct proc_mapping *proc_maps_find(const struct proc_maps *maps, __u64 addr);

#endif /* PERFDATA_PROC_H */
