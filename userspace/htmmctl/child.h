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

/*
 * Forks a process that waits before it executes a command. The command gets the old signal
 * mask. Returns 0 or a negative errno.
 */
int child_fork(struct child *child, char **argv, const struct signals *signals,
	       struct htmm_error *err);

/*
 * Lets the command begin. Returns 0, or the positive errno with which it could not be executed.
 */
int child_begin(struct child *child);

/* The exit status that a shell gives for a command. */
int child_status(int status);

/*
 * Reaps a child that could not execute its command, and prints the error. Returns the exit
 * status.
 */
int child_not_executed(const struct child *child, const char *name, int error);

/* Ends a child that has not begun its command. */
void child_abandon(struct child *child);

#endif /* HTMMCTL_CHILD_H */
