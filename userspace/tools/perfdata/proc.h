/* SPDX-License-Identifier: GPL-2.0 */
/* What perf.data needs to know about a process, from /proc. */
#ifndef PERFDATA_PROC_H
#define PERFDATA_PROC_H

#include <linux/types.h>

/* Bytes of a thread's name, its NUL included. */
#define PROC_COMM_MAX	16

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

#endif /* PERFDATA_PROC_H */
