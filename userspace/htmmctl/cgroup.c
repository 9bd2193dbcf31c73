// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <htmm/htmm.h>
#include "cgroup.h"
#include "say.h"

/* Names that are tried: whoever had this process' pid may have left its cgroup behind. */
#define MAKE_TRIES	16
/* A process that has ended may take a moment to leave its cgroup. */
#define REMOVE_TRIES	50
#define REMOVE_MS	10

/* The part of this process' cgroup below the mount, as the kernel says it. */
static int own_path(char *path, size_t size, struct htmm_error *err)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[4200];
	int ret = -ENOENT;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3))
			continue;
		ret = snprintf(path, size, "%s", line + 3) < (int)size ? 0 : -ENAMETOOLONG;
	}
	if (file)
		fclose(file);
	if (ret)
		return htmm_error_set(err, -ret, NULL, "this process is in no cgroup of version 2");
	return 0;
}

/* Under a name that nobody has. */
static int make_below(struct cgroup *cgroup)
{
	char number[16] = "";
	int tries;

	for (tries = 1; ; tries++) {
		snprintf(cgroup->path, sizeof(cgroup->path), "%s/htmmctl-%d%s", cgroup->above,
			 getpid(), number);
		if (!mkdir(cgroup->path, 0755))
			return 0;
		if (errno != EEXIST || tries == MAKE_TRIES)
			return -1;
		snprintf(number, sizeof(number), ".%d", tries);
	}
}

int cgroup_make(struct cgroup *cgroup, struct htmm_error *err)
{
	char mount[256], own[3600];
	int ret;

	memset(cgroup, 0, sizeof(*cgroup));
	ret = htmm_cgroup_mount(mount, sizeof(mount), err);
	if (!ret)
		ret = own_path(own, sizeof(own), err);
	if (ret)
		return ret;
	/* The top one is "/". */
	snprintf(cgroup->above, sizeof(cgroup->above), "%s%s", mount, own[1] ? own : "");
	if (!make_below(cgroup))
		return 0;
	htmm_error_set(err, errno, NULL, "cannot make the cgroup %s: %s", cgroup->path,
		       strerror(errno));
	cgroup->path[0] = '\0';
	return -err->code;
}

/* Each write moves one process. */
static int move(const char *dir, pid_t pid)
{
	char path[4200];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = dprintf(fd, "%d\n", pid) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int cgroup_enter(const struct cgroup *cgroup, pid_t pid, struct htmm_error *err)
{
	int ret = move(cgroup->path, pid);

	if (!ret)
		return 0;
	return htmm_error_set(err, -ret, NULL, "cannot put a process in the cgroup %s: %s",
			      cgroup->path, strerror(-ret));
}

void cgroup_each(const struct cgroup *cgroup, unsigned int most,
		 void (*call)(void *value, pid_t pid), void *value)
{
	char path[4200];
	FILE *file;
	int pid;

	if (!*cgroup->path)
		return;
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup->path);
	file = fopen(path, "re");
	for (; file && most && fscanf(file, "%d", &pid) == 1; most--)
		call(value, pid);
	if (file)
		fclose(file);
}

static void move_up(void *value, pid_t pid)
{
	const struct cgroup *cgroup = value;

	move(cgroup->above, pid);
}

void cgroup_remove(struct cgroup *cgroup)
{
	const struct timespec moment = { .tv_nsec = REMOVE_MS * 1000000L };
	int tries;

	if (!*cgroup->path)
		return;
	for (tries = 0; rmdir(cgroup->path) && errno == EBUSY; tries++) {
		if (tries == REMOVE_TRIES) {
			notice("the cgroup %s is still in use; remove it with rmdir later",
			       cgroup->path);
			break;
		}
		cgroup_each(cgroup, -1U, move_up, cgroup);
		nanosleep(&moment, NULL);
	}
	cgroup->path[0] = '\0';
}
