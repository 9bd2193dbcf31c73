/* SPDX-License-Identifier: GPL-2.0 */
/* A command and all its children, as what is to be sampled. */
#ifndef CMD_PROC_TREE_H
#define CMD_PROC_TREE_H

#include "cgroup.h"
#include "session.h"

/**
 * struct proc_tree - a command's processes
 * @pid: the command
 * @cgroup: the cgroup that they have to themselves; empty: they have none
 * @alone: why the command is sampled without its children; empty if it is not
 */
struct proc_tree {
	pid_t pid;
	struct cgroup cgroup;
	struct htmm_error alone;
};

/**
 * proc_tree_join() - have a command sampled, unless the user has named someone else
 * @tree: filled
 * @session: the session, not started
 * @pid: the command, which has not begun; nothing is done for 0
 * @err: the error
 *
 * Makes a cgroup for it where that can be, so that its children are sampled, too.
 *
 * Return: 0 or a negative errno; proc_tree_leave() is for both.
 */
int proc_tree_join(struct proc_tree *tree, struct session *session, pid_t pid,
		   struct htmm_error *err);

/**
 * proc_tree_report() - tell the user who is sampled, as far as it is worth knowing
 * @tree: the tree
 */
void proc_tree_report(const struct proc_tree *tree);

/**
 * proc_tree_each() - look at its processes that are there now, not too many
 * @tree: the tree
 * @call: called for each
 * @value: handed on to @call
 */
void proc_tree_each(const struct proc_tree *tree, void (*call)(void *value, pid_t pid),
		    void *value);

/**
 * proc_tree_leave() - remove the cgroup; whoever lives goes to the one above
 * @tree: the tree; may be all zero
 */
void proc_tree_leave(struct proc_tree *tree);

#endif /* CMD_PROC_TREE_H */
