/* SPDX-License-Identifier: GPL-2.0 */
/* A cgroup of a command's own, so that its children are told from all others. */
#ifndef CMD_CGROUP_H
#define CMD_CGROUP_H

#include <sys/types.h>
#include <htmm/error.h>

/**
 * struct cgroup - a cgroup that exists as long as a command runs
 * @path: its directory; empty: there is none
 * @above: the directory of the one that it was made in
 * @lock: private: says that whoever made it is alive
 */
struct cgroup {
	char path[4096];
	char above[4032];
	int lock;
};

/**
 * cgroup_make() - make a cgroup below this process' own
 * @cgroup: filled; empty if it fails
 * @err: says why there is none
 *
 * Empty ones there whose makers were killed are removed.
 *
 * Return: 0 or a negative errno.
 */
int cgroup_make(struct cgroup *cgroup, struct htmm_error *err);

/**
 * cgroup_enter() - put a process there
 * @cgroup: the cgroup
 * @pid: the process
 * @err: says why it cannot be
 *
 * Return: 0 or a negative errno.
 */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid, struct htmm_error *err);

/**
 * cgroup_each() - look at the processes that are there now
 * @cgroup: the cgroup, or an empty one
 * @most: how many, at most
 * @call: called for each
 * @value: handed on to @call
 */
void cgroup_each(const struct cgroup *cgroup, unsigned int most,
		 void (*call)(void *value, pid_t pid), void *value);

/**
 * cgroup_remove() - remove the cgroup
 * @cgroup: the cgroup, or an empty one; processes that the command has left behind go
 *	back to the one above
 */
void cgroup_remove(struct cgroup *cgroup);

#endif /* CMD_CGROUP_H */
