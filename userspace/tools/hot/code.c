// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "code.h"
#include "htmmctl/child.h"
#include "htmmctl/command.h"

/*
 * Starts another program of this package, which is in the same directory. @fd: what @end, its stdin
 * or stdout, is to be. Returns its pid, or a negative errno.
 */
static pid_t begin(const char *name, char **argv, int fd, int end)
{
	posix_spawn_file_actions_t actions;
	ssize_t len;
	char path[PATH_MAX];
	char *slash;
	pid_t pid;
	int ret;

	len = readlink("/proc/self/exe", path, sizeof(path) - 32);
	if (len < 0)
		return -errno;
	path[len] = '\0';
	slash = strrchr(path, '/');
	sprintf(slash + 1, "htmmctl-%s", name);
	ret = posix_spawn_file_actions_init(&actions);
	if (ret)
		return -ret;
	ret = posix_spawn_file_actions_adddup2(&actions, fd, end);
	if (!ret)
		ret = posix_spawn(&pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return ret ? -ret : pid;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return child_status(status);
}

static int failed(const char *name, int error)
{
	struct htmm_error err = {};

	htmm_error_set(&err, -error, "install the package htmm-tools anew",
		       "cannot run htmmctl %s: %s", name, strerror(-error));
	return print_error(&err);
}

int code_print(const struct code_config *config)
{
	char seconds[32], number[32];
	char *record[8] = { "htmmctl record", "-q", "--join", seconds, "-o", "-", NULL };
	char *report[10] = { "htmmctl report", "-i", "-", "--part", "functions", "-n", number };
	char **more = report + 7;
	int pipes[2], status, reported;
	pid_t from, to;

	snprintf(seconds, sizeof(seconds), "%u.%03u", config->ms / 1000, config->ms % 1000);
	snprintf(number, sizeof(number), "%lld", config->max);
	if (config->json)
		*more++ = "--json";
	if (verbosity.quiet)
		*more++ = "-q";
	if (pipe2(pipes, O_CLOEXEC))
		return failed("record", -errno);
	to = begin("report", report, pipes[0], STDIN_FILENO);
	if (to < 0)
		return failed("report", to);
	close(pipes[0]);
	from = begin("record", record, pipes[1], STDOUT_FILENO);
	status = from < 0 ? failed("record", from) : wait_for(from);
	/* It would only say that there are no records. */
	if (status)
		kill(to, SIGTERM);
	close(pipes[1]);
	reported = wait_for(to);
	return status ? status : reported;
}
