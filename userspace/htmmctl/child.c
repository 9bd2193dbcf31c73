// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "child.h"

/* The cgroups made here have this prefix, then the pid of their maker. */
#define PREFIX		"htmmctl-"
/* Names to try: an earlier process with the same pid may have left its cgroup behind. */
#define MAKE_TRIES	16
/* A process that has ended may take a moment to leave its cgroup. */
#define REMOVE_TRIES	50
#define REMOVE_MS	10
/* The most processes to look at: reading takes time, and is itself sampled. */
#define EACH_MOST	64

/* Runs in the child. If the parent dies first, the command never starts. */
static void wait_and_execute(int pipe, char **argv, const struct signals *signals)
{
	char go;
	int error;
	ssize_t got;

	do {
		got = read(pipe, &go, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(EXIT_CANNOT_EXECUTE);

	signals_restore(signals);
	execvp(argv[0], argv);
	error = errno;
	if (write(pipe, &error, sizeof(error)) < 0)
		error = errno;
	_exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE);
}

int child_fork(struct child *child, char **argv, const struct signals *signals,
	       struct htmm_error *err)
{
	int ends[2];

	/* A successful exec closes it; so the parent learns of it. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return htmm_error_set(err, errno, NULL, "cannot make a socket pair: %s",
				      strerror(errno));
	child->pid = fork();
	if (child->pid < 0) {
		htmm_error_set(err, errno, NULL, "cannot fork: %s", strerror(errno));
		close(ends[0]);
		close(ends[1]);
		child->pid = 0;
		return -err->code;
	}
	if (!child->pid) {
		close(ends[0]);
		wait_and_execute(ends[1], argv, signals);
	}
	close(ends[1]);
	child->pipe = ends[0];
	return 0;
}

/* Reads the path of this process' cgroup below the mount. */
static int own_cgroup(char *path, size_t size, struct htmm_error *err)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[4200];
	int ret = -ENOENT;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "0::", 3))
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

/* Makes a cgroup under a name that is not in use. */
static int make_below(struct child *child)
{
	char number[16] = "";
	int tries;

	for (tries = 1; tries <= MAKE_TRIES; tries++) {
		snprintf(child->cgroup, sizeof(child->cgroup), "%s/" PREFIX "%d%s", child->above,
			 getpid(), number);
		snprintf(number, sizeof(number), ".%d", tries);
		if (mkdir(child->cgroup, 0755)) {
			if (errno == EEXIST)
				continue;
			return -1;
		}
		child->lock = lock(child->cgroup);
		/* Before it was locked, another process may have removed it as a leftover. */
		if (child->lock >= 0 && !access(child->cgroup, F_OK))
			return 0;
		if (child->lock >= 0)
			close(child->lock);
	}
	return -1;
}

/* Makes a cgroup below this process' own, and removes empty ones whose makers were killed. */
static int make_cgroup(struct child *child, struct htmm_error *err)
{
	char mount[256], own[3600];
	int ret = htmm_cgroup_mount(mount, sizeof(mount), err);

	if (!ret)
		ret = own_cgroup(own, sizeof(own), err);
	if (ret)
		return ret;
	/* The path of the root cgroup is "/". */
	snprintf(child->above, sizeof(child->above), "%s%s", mount, own[1] ? own : "");
	remove_leftovers(child->above);
	if (!make_below(child))
		return 0;
	htmm_error_set(err, errno, NULL, "cannot make the cgroup %s: %s", child->cgroup,
		       strerror(errno));
	child->cgroup[0] = '\0';
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

static int enter_cgroup(struct child *child, struct htmm_target *target, struct htmm_error *err)
{
	int ret = make_cgroup(child, err);

	if (ret)
		return ret;
	ret = move(child->cgroup, child->pid);
	if (ret)
		return htmm_error_set(err, -ret, NULL, "cannot put a process in the cgroup %s: %s",
				      child->cgroup, strerror(-ret));
	return htmm_target_cgroup(target, child->cgroup, err);
}

int child_join(struct child *child, struct session *session, struct htmm_error *err)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = child->pid };

	if (!child->pid || session->all || session->start.nr_targets)
		return 0;
	if (enter_cgroup(child, &target, &child->alone))
		child_leave(child);
	return session_add_target(session, &target, err);
}

int child_begin(struct child *child)
{
	int error = 0;
	ssize_t got = -1;

	if (send(child->pipe, "g", 1, MSG_NOSIGNAL) == 1) {
		do {
			got = read(child->pipe, &error, sizeof(error));
		} while (got < 0 && errno == EINTR);
	}
	close(child->pipe);
	return got == sizeof(error) ? error : 0;
}

void child_report(const struct child *child)
{
	if (child->alone.code)
		notice("sampling process %d alone, not its children: %s", child->pid,
		       child->alone.what);
	else if (*child->cgroup && verbosity.verbose)
		notice("sampling process %d and all its children, in the cgroup %s", child->pid,
		       child->cgroup);
}

static void each_in_cgroup(const struct child *child, unsigned int most,
			   void (*call)(void *value, pid_t pid), void *value)
{
	char path[4200];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "%s/cgroup.procs", child->cgroup);
	file = fopen(path, "re");
	for (; file && most && fscanf(file, "%d", &pid) == 1; most--)
		call(value, pid);
	if (file)
		fclose(file);
}

void child_each(const struct child *child, void (*call)(void *value, pid_t pid), void *value)
{
	if (*child->cgroup)
		each_in_cgroup(child, EACH_MOST, call, value);
	else
		call(value, child->pid);
}

int child_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void reap(const struct child *child)
{
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int child_not_executed(const struct child *child, const char *name, int error)
{
	struct htmm_error err = {};

	reap(child);
	htmm_error_set(&err, error, error == ENOENT ? "check its name and PATH" : NULL,
		       "cannot execute '%s': %s", name, strerror(error));
	print_error(&err);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

void child_abandon(struct child *child)
{
	close(child->pipe);
	reap(child);
	child->pid = 0;
}

static void move_up(void *value, pid_t pid)
{
	const struct child *child = value;

	move(child->above, pid);
}

void child_leave(struct child *child)
{
	const struct timespec moment = { .tv_nsec = REMOVE_MS * 1000000L };
	int tries;

	if (!*child->cgroup)
		return;
	for (tries = 0; rmdir(child->cgroup) && errno == EBUSY; tries++) {
		if (tries == REMOVE_TRIES) {
			notice("the cgroup %s is still in use; remove it with rmdir later",
			       child->cgroup);
			break;
		}
		each_in_cgroup(child, -1U, move_up, child);
		nanosleep(&moment, NULL);
	}
	close(child->lock);
	child->cgroup[0] = '\0';
}
