/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups of version 2 for the duration of a test. */
#ifndef KSFT_CGROUP_H
#define KSFT_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct cgroup - a cgroup made by the test
 * @path: its directory; empty: none
 * @dir: the directory, open
 */
struct cgroup {
	char path[256];
	int dir;
};

/* Tells if there is a cgroup2 hierarchy in which cgroups can be made. */
bool cgroup_possible(void);
/*
 * Makes a cgroup in @parent, or in the root cgroup if that is NULL. Returns 0 or a negative
 * errno.
 */
int cgroup_make(struct cgroup *cgroup, const struct cgroup *parent, const char *name);
/* Moves a process into the cgroup; 0: the caller. */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid);
/* Moves it back to the root cgroup. */
int cgroup_leave(pid_t pid);
/* Removes the directory, which may hold no process; closes it too. */
int cgroup_remove(struct cgroup *cgroup);

#endif /* KSFT_CGROUP_H */
