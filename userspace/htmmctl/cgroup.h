/* SPDX-License-Identifier: GPL-2.0 */
/* A cgroup for one command, which separates its children from all other processes. */
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

/*
 * Makes a cgroup below this process' own. @cgroup is empty if that fails. Removes empty cgroups
 * there whose makers were killed. Returns 0 or a negative errno.
 */
int cgroup_make(struct cgroup *cgroup, struct htmm_error *err);

/* Moves a process into the cgroup. Returns 0 or a negative errno. */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid, struct htmm_error *err);

/* Calls a function for each process in the cgroup. @cgroup may be empty. */
void cgroup_each(const struct cgroup *cgroup, unsigned int most,
		 void (*call)(void *value, pid_t pid), void *value);

/* Removes the cgroup. @cgroup may be empty; processes still in it move to the parent cgroup. */
void cgroup_remove(struct cgroup *cgroup);

#endif /* HTMMCTL_CGROUP_H */
