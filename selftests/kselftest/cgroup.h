/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups of version 2 that last as long as a test. */
#ifndef KSFT_CGROUP_H
#define KSFT_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct cgroup - a cgroup that the test has made
 * @path: its directory; empty: none
 * @dir: the directory, open
 */
struct cgroup {
	char path[256];
	int dir;
};

/* Is there a hierarchy of version 2 here in which cgroups can be made? */
bool cgroup_possible(void);
/* Makes a cgroup in @parent, or at the top if that is NULL. 0 or a negative errno. */
int cgroup_make(struct cgroup *cgroup, const struct cgroup *parent, const char *name);
/* Puts a process there; 0: the caller. */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid);
/* Back to the top. */
int cgroup_leave(pid_t pid);
/* Removes the directory, which may hold no process; closes it too. */
int cgroup_remove(struct cgroup *cgroup);

#endif /* KSFT_CGROUP_H */
