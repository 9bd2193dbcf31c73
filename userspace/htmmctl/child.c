// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "child.h"
#include "message.h"

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

int child_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_not_executed(const struct child *child, const char *name, int error)
{
	struct htmm_error err = {};

	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	htmm_error_set(&err, error, error == ENOENT ? "check its name and PATH" : NULL,
		       "cannot execute '%s': %s", name, strerror(error));
	print_error(&err);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

void child_abandon(struct child *child)
{
	close(child->pipe);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
}
