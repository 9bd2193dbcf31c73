/* SPDX-License-Identifier: GPL-2.0 */
/* A command that waits for sampling to be on before it begins. */
#ifndef CMD_CHILD_H
#define CMD_CHILD_H

#include <sys/types.h>
#include <htmm/error.h>
#include "signals.h"

/* Exit statuses of shells for a command that cannot be run. */
#define EXIT_CANNOT_EXECUTE	126
#define EXIT_NOT_FOUND		127

/**
 * struct child - a command's process
 * @pid: its pid
 * @pipe: tells it to begin, and tells whether it could
 */
struct child {
	pid_t pid;
	int pipe;
};

/**
 * child_fork() - make the process of a command, which waits
 * @child: filled
 * @argv: the command
 * @signals: blocked ones, which the command is to have as before
 * @err: says why there is none
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
 * child_not_executed() - bury a command that could not be executed, and say so
 * @child: the child
 * @name: its name
 * @error: what child_begin() returned
 *
 * Return: the exit status.
 */
int child_not_executed(const struct child *child, const char *name, int error);

/**
 * child_abandon() - end a command that has not begun
 * @child: the child
 */
void child_abandon(struct child *child);

#endif /* CMD_CHILD_H */
