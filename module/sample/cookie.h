/* SPDX-License-Identifier: GPL-2.0 */
/* What tells apart the programs that run under one pid, one after the other. */
#ifndef HTMM_COOKIE_H
#define HTMM_COOKIE_H

#include <linux/bitops.h>
#include <linux/sched.h>

/**
 * htmm_cookie - tell the address space of a task from its neighbours
 * @task: current, or any task under RCU
 *
 * A process is known by its pid and the time it began, a program in it by the
 * number of exec() calls.
 *
 * Context: any, NMI included.
 */
static inline u64 htmm_cookie(const struct task_struct *task)
{
	return READ_ONCE(task->group_leader)->start_boottime ^
	       rol64(READ_ONCE(task->self_exec_id), 48);
}

#endif /* HTMM_COOKIE_H */
