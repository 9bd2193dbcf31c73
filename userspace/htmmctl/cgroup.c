// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <htmm/htmm.h>
#include "cgroup.h"
#include "message.h"

/* The cgroups made here have this prefix, then the pid of their maker. */
#define PREFIX		"htmmctl-"
/* Names to try: an earlier process with the same pid may have left its cgroup behind. */
#define MAKE_TRIES	16
/* A process that has ended may take a moment to leave its cgroup. */
#define REMOVE_TRIES	50
#define REMOVE_MS	10

/* Reads the path of this process' cgroup below the mount. */
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

/* The maker of a cgroup holds this lock while it lives; the kernel releases it on any exit. */
static int lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Removes cgroups whose makers were killed; those with processes in them stay for now. */
static void remove_leftovers(const char *above)
{
	const size_t len = strlen(PREFIX);
	DIR *dir = opendir(above);
	struct dirent *entry;
	char path[4400];
	int fd;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, len) ||
		    strspn(entry->d_name + len, "0123456789.") != strlen(entry->d_name + len))
			continue;
		snprintf(path, sizeof(path), "%s/%s", above, entry->d_name);
		fd = lock(path);
		if (fd < 0)
			continue;
		rmdir(path);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

/* Makes it under a name that is not in use. */
static int make_below(struct cgroup *cgroup)
{
	char number[16] = "";
	int tries;

	for (tries = 1; tries <= MAKE_TRIES; tries++) {
		snprintf(cgroup->path, sizeof(cgroup->path), "%s/" PREFIX "%d%s", cgroup->above,
			 getpid(), number);
		snprintf(number, sizeof(number), ".%d", tries);
		if (mkdir(cgroup->path, 0755)) {
			if (errno == EEXIST)
				continue;
			return -1;
		}
		cgroup->lock = lock(cgroup->path);
		/* Before it was locked, another process may have removed it as a leftover. */
		if (cgroup->lock >= 0 && !access(cgroup->path, F_OK))
			return 0;
		if (cgroup->lock >= 0)
			close(cgroup->lock);
	}
	return -1;
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
	/* The path of the root cgroup is "/". */
	snprintf(cgroup->above, sizeof(cgroup->above), "%s%s", mount, own[1] ? own : "");
	remove_leftovers(cgroup->above);
	if (!make_below(cgroup))
		return 0;
	htmm_error_set(err, errno, NULL, "cannot make the cgroup %s: %s", cgroup->path,
		       strerror(errno));
	cgroup->path[0] = '\0';
	return -err->code;
}

/* Each write to cgroup.procs moves one process. */
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
	close(cgroup->lock);
	cgroup->path[0] = '\0';
}
