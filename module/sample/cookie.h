/* SPDX-License-Identifier: GPL-2.0 */
/* Cookies, which distinguish programs that run one after the other with the same pid. */
#ifndef HTMM_COOKIE_H
#define HTMM_COOKIE_H

#include <linux/bitops.h>
#include <linux/sched.h>

/*
 * The address space of a task: current, or any task under RCU. A process is identified by its
 * pid and its start time, a program in it by the number of exec() calls. Context: any, NMI
 * included.
 */
static inline u64 htmm_cookie(const struct task_struct *task)
{
	return READ_ONCE(task->group_leader)->start_boottime ^
	       rol64(READ_ONCE(task->self_exec_id), 48);
}

#endif /* HTMM_COOKIE_H */
