/* SPDX-License-Identifier: GPL-2.0 */
/* The processes of a recording to which its samples are limited. */
#ifndef PERFDATA_PIDS_H
#define PERFDATA_PIDS_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>

#define PERFDATA_PIDS_MAX	64

/**
 * struct perfdata_pids - processes
 * @pid: their ids
 * @nr: how many there are; 0: all are wanted
 */
struct perfdata_pids {
	__u32 pid[PERFDATA_PIDS_MAX];
	unsigned int nr;
};

/**
 * perfdata_pids_add() - add a process, as a part of an option
 * @to: &struct perfdata_pids, the processes so far
 * @text: its id
 * @err: says what is wrong with it
 *
 * Return: 0, -E2BIG, or as htmm_parse_number().
 */
int perfdata_pids_add(void *to, const char *text, struct htmm_error *err);

/* Is a process wanted? */
bool perfdata_pids_want(const struct perfdata_pids *pids, __u32 pid);

#endif /* PERFDATA_PIDS_H */
