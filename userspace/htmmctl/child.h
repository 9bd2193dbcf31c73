/* SPDX-License-Identifier: GPL-2.0 */
/* A child process that starts its command only when sampling is on. */
#ifndef HTMMCTL_CHILD_H
#define HTMMCTL_CHILD_H

#include <sys/types.h>
#include <htmm/error.h>
#include "signals.h"

/* Exit statuses of shells for a command that cannot be run. */
#define EXIT_CANNOT_EXECUTE	126
#define EXIT_NOT_FOUND		127

/**
 * struct child - a command's process
 * @pid: its pid
 * @pipe: tells the child to begin, and tells the parent if exec failed
 */
struct child {
	pid_t pid;
	int pipe;
};

/**
 * child_fork() - fork a process that waits before it executes a command
 * @child: filled
 * @argv: the command
 * @signals: the blocked signals; the command gets the old signal mask
 * @err: says why it failed
 *
 * Return: 0 or a negative errno.
 */
int child_fork(struct child *child, char **argv, const struct signals *signals,
	       struct htmm_error *err);

/**
 * child_begin() - let the command begin
 * @child: the child
 *
 * Return: 0, or the positive errno with which it could not be executed.
 */
int child_begin(struct child *child);

/**
 * child_status() - the exit status that a shell gives for a command
 * @status: from waitpid(2)
 */
int child_status(int status);

/**
 * child_not_executed() - reap a child that could not execute its command, and print the error
 * @child: the child
 * @name: its name
 * @error: what child_begin() returned
 *
 * Return: the exit status.
 */
int child_not_executed(const struct child *child, const char *name, int error);

/**
 * child_abandon() - end a child that has not begun its command
 * @child: the child
 */
void child_abandon(struct child *child);

#endif /* HTMMCTL_CHILD_H */
