// SPDX-License-Identifier: GPL-2.0
#include "message.h"
#include "proc_tree.h"

/* The most processes to read: reading takes time, and is itself sampled. */
#define EACH_MOST	64

int proc_tree_join(struct proc_tree *tree, struct session *session, pid_t pid,
		   struct htmm_error *err)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = pid };
	struct htmm_error *why = &tree->alone;

	tree->pid = pid;
	if (!pid || session->all || session->start.nr_targets)
		return 0;
	if (cgroup_make(&tree->cgroup, why) || cgroup_enter(&tree->cgroup, pid, why) ||
	    htmm_target_cgroup(&target, tree->cgroup.path, why))
		cgroup_remove(&tree->cgroup);
	return session_add_target(session, &target, err);
}

void proc_tree_report(const struct proc_tree *tree)
{
	if (tree->alone.code)
		notice("sampling process %d alone, not its children: %s", tree->pid,
		       tree->alone.what);
	else if (*tree->cgroup.path && verbosity.verbose)
		notice("sampling process %d and all its children, in the cgroup %s", tree->pid,
		       tree->cgroup.path);
}

void proc_tree_each(const struct proc_tree *tree, void (*call)(void *value, pid_t pid),
		    void *value)
{
	if (*tree->cgroup.path)
		cgroup_each(&tree->cgroup, EACH_MOST, call, value);
	else
		call(value, tree->pid);
}

void proc_tree_leave(struct proc_tree *tree)
{
	cgroup_remove(&tree->cgroup);
}
