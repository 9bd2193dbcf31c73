/* SPDX-License-Identifier: GPL-2.0 */
/* A cgroup for one command, so that its children can be told from all other processes. */
#ifndef HTMMCTL_CGROUP_H
#define HTMMCTL_CGROUP_H

#include <sys/types.h>
#include <htmm/error.h>

/**
 * struct cgroup - a cgroup that exists as long as a command runs
 * @path: its directory; empty: no cgroup
 * @above: directory of its parent cgroup
 * @lock: private: shows that its maker is alive
 */
struct cgroup {
	char path[4096];
	char above[4032];
	int lock;
};

/**
 * cgroup_make() - make a cgroup below this process' own
 * @cgroup: filled; empty if it fails
 * @err: says why it failed
 *
 * Removes empty cgroups there whose makers were killed.
 *
 * Return: 0 or a negative errno.
 */
int cgroup_make(struct cgroup *cgroup, struct htmm_error *err);

/**
 * cgroup_enter() - move a process into the cgroup
 * @cgroup: the cgroup
 * @pid: the process
 * @err: says why it failed
 *
 * Return: 0 or a negative errno.
 */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid, struct htmm_error *err);

/**
 * cgroup_each() - call a function for each process in the cgroup
 * @cgroup: the cgroup, or an empty one
 * @most: the most processes to call it for
 * @call: called for each
 * @value: passed to @call
 */
void cgroup_each(const struct cgroup *cgroup, unsigned int most,
		 void (*call)(void *value, pid_t pid), void *value);

/**
 * cgroup_remove() - remove the cgroup
 * @cgroup: the cgroup, or an empty one; processes still in it move to the parent cgroup
 */
void cgroup_remove(struct cgroup *cgroup);

#endif /* HTMMCTL_CGROUP_H */
