/* SPDX-License-Identifier: GPL-2.0 */
/* Cookies, which distinguish programs that run one after the other with the same pid. */
#ifndef HTMM_COOKIE_H
#define HTMM_COOKIE_H

#include <linux/bitops.h>
#include <linux/sched.h>

/*
 * Identifies the address space of a task, together with its pid; the task is current, or any task
 * under RCU. The start time distinguishes processes with the same pid, and the number of exec()
 * calls distinguishes programs that run in one process. Context: any, NMI included.
 */
static inline u64 htmm_cookie(const struct task_struct *task)
{
	return READ_ONCE(task->group_leader)->start_boottime ^
	       rol64(READ_ONCE(task->self_exec_id), 48);
}

#endif /* HTMM_COOKIE_H */
