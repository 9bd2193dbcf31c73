/* SPDX-License-Identifier: GPL-2.0 */
/* A command and all its children as what is sampled. */
#ifndef HTMMCTL_PROC_TREE_H
#define HTMMCTL_PROC_TREE_H

#include "cgroup.h"
#include "session.h"

/**
 * struct proc_tree - a command's processes
 * @pid: the command
 * @cgroup: a cgroup with only these processes; empty: none
 * @alone: why the command is sampled without its children; empty if its children are
 *	sampled, too
 */
struct proc_tree {
	pid_t pid;
	struct cgroup cgroup;
	struct htmm_error alone;
};

/*
 * Adds a command to a session, unless the user has named other targets. @pid: process of the
 * command, which has not begun; 0: does nothing. Makes a cgroup for it if possible, so that its
 * children are sampled, too. Returns 0 or a negative errno; call proc_tree_leave() in both
 * cases.
 */
int proc_tree_join(struct proc_tree *tree, struct session *session, pid_t pid,
		   struct htmm_error *err);

/* Tells the user if the children are not sampled. */
void proc_tree_report(const struct proc_tree *tree);

/* Calls a function for its present processes, up to a limit. */
void proc_tree_each(const struct proc_tree *tree, void (*call)(void *value, pid_t pid),
		    void *value);

/* Removes the cgroup; processes in it move to the parent. @tree may be all zero. */
void proc_tree_leave(struct proc_tree *tree);

#endif /* HTMMCTL_PROC_TREE_H */
