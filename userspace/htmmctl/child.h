/* SPDX-License-Identifier: GPL-2.0 */
/* A command that starts when sampling is on, as what is sampled: with all its children. */
#ifndef HTMMCTL_CHILD_H
#define HTMMCTL_CHILD_H

#include <sys/types.h>
#include "session.h"
#include "signals.h"

/* Exit statuses of shells for a command that cannot be run. */
#define EXIT_CANNOT_EXECUTE	126
#define EXIT_NOT_FOUND		127

/**
 * struct child - a command and its cgroup
 * @pid: its process; 0: none
 * @pipe: tells the process to begin, and tells the parent if exec failed
 * @cgroup: directory of a cgroup with only this process and its children; empty: none
 * @above: directory of its parent cgroup
 * @lock: private: shows that the cgroup's maker is alive
 * @alone: why the command is sampled without its children; empty if they are sampled, too
 */
struct child {
	pid_t pid;
	int pipe;
	char cgroup[4096];
	char above[4032];
	int lock;
	struct htmm_error alone;
};

/*
 * Forks a process that waits before it executes a command. The command gets the old signal
 * mask. Returns 0 or a negative errno.
 */
int child_fork(struct child *child, char **argv, const struct signals *signals,
	       struct htmm_error *err);

/*
 * Adds a command that has not begun to a session, unless the user has named other targets. Makes
 * a cgroup for it if possible, so that its children are sampled, too. Does nothing without a
 * process. Returns 0 or a negative errno; call child_leave() in both cases.
 */
int child_join(struct child *child, struct session *session, struct htmm_error *err);

/*
 * Lets the command begin. Returns 0, or the positive errno with which it could not be executed.
 */
int child_begin(struct child *child);

/* Tells the user if its children are not sampled. */
void child_report(const struct child *child);

/* Calls a function for it and its children, up to a limit. */
void child_each(const struct child *child, void (*call)(void *value, pid_t pid), void *value);

/* The exit status that a shell gives for a command. */
int child_status(int status);

/*
 * Reaps a child that could not execute its command, and prints the error. Returns the exit
 * status.
 */
int child_not_executed(const struct child *child, const char *name, int error);

/* Ends a child that has not begun its command. */
void child_abandon(struct child *child);

/* Removes the cgroup; processes in it move to the parent cgroup. @child may be all zero. */
void child_leave(struct child *child);

#endif /* HTMMCTL_CHILD_H */
