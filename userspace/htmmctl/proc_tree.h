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

/**
 * proc_tree_join() - add a command to a session, unless the user has named other targets
 * @tree: filled
 * @session: the session, not started
 * @pid: process of the command, which has not begun; 0: does nothing
 * @err: the error
 *
 * Makes a cgroup for it if possible, so that its children are sampled, too.
 *
 * Return: 0 or a negative errno; call proc_tree_leave() in both cases.
 */
int proc_tree_join(struct proc_tree *tree, struct session *session, pid_t pid,
		   struct htmm_error *err);

/**
 * proc_tree_report() - tell the user if the children are not sampled
 * @tree: the tree
 */
void proc_tree_report(const struct proc_tree *tree);

/**
 * proc_tree_each() - call a function for its present processes, up to a limit
 * @tree: the tree
 * @call: called for each
 * @value: passed to @call
 */
void proc_tree_each(const struct proc_tree *tree, void (*call)(void *value, pid_t pid),
		    void *value);

/**
 * proc_tree_leave() - remove the cgroup; processes in it move to the parent
 * @tree: the tree; may be all zero
 */
void proc_tree_leave(struct proc_tree *tree);

#endif /* HTMMCTL_PROC_TREE_H */
