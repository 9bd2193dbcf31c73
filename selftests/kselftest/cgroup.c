// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cgroup.h"

#define MOUNT	"/sys/fs/cgroup"

bool cgroup_possible(void)
{
	return !access(MOUNT "/cgroup.procs", W_OK);
}

int cgroup_make(struct cgroup *cgroup, const struct cgroup *parent, const char *name)
{
	int len = snprintf(cgroup->path, sizeof(cgroup->path),
			   "%s/htmm-test-%s-%d", parent ? parent->path : MOUNT,
			   name, getpid());

	if (len >= sizeof(cgroup->path))
		return -ENAMETOOLONG;
	if (mkdir(cgroup->path, 0755))
		return -errno;
	cgroup->dir = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return cgroup->dir < 0 ? -errno : 0;
}

static int enter(const char *path, pid_t pid)
{
	char file[300];
	int fd, ret;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = dprintf(fd, "%d", pid) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int cgroup_enter(const struct cgroup *cgroup, pid_t pid)
{
	return enter(cgroup->path, pid);
}

int cgroup_leave(pid_t pid)
{
	return enter(MOUNT, pid);
}

int cgroup_remove(struct cgroup *cgroup)
{
	int tries, ret = 0;

	if (!*cgroup->path)
		return 0;
	if (cgroup->dir >= 0)
		close(cgroup->dir);
	/* A process that was reaped may still be leaving its cgroup. */
	for (tries = 0; tries < 1500; tries++) {
		ret = rmdir(cgroup->path) ? -errno : 0;
		if (ret != -EBUSY)
			break;
		usleep(20000);
	}
	*cgroup->path = '\0';
	return ret;
}
