// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "command.h"
#include "signals.h"

static const int ends[] = { SIGINT, SIGTERM, SIGQUIT };

void signals_accept(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		signal(ends[i], SIG_DFL);
}

void signals_block(struct signals *signals)
{
	struct sigaction now;
	size_t i;

	signals_accept();
	sigemptyset(&signals->wait);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&signals->wait, ends[i]);
	/* nohup ignores SIGHUP on purpose. */
	if (!sigaction(SIGHUP, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaddset(&signals->wait, SIGHUP);
	/* If it were ignored, waiting for a child would not work. */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&signals->wait, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals->wait, &signals->old);
}

void signals_restore(const struct signals *signals)
{
	sigprocmask(SIG_SETMASK, &signals->old, NULL);
}

void signals_drop(const struct signals *signals)
{
	siginfo_t info;

	while (signals_wait(signals, 0, &info))
		;
	signals_restore(signals);
}

void signals_ready(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	int fd;

	if (!path)
		return;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof(to));
	close(fd);
}

int signals_wait(const struct signals *signals, unsigned int ms, siginfo_t *info)
{
	const struct timespec timeout = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000L,
	};
	int signal = sigtimedwait(&signals->wait, info, &timeout);

	return signal > 0 ? signal : 0;
}

int signals_fd(struct signals *signals, int another)
{
	int fd;

	sigaddset(&signals->wait, another);
	sigprocmask(SIG_BLOCK, &signals->wait, NULL);
	fd = signalfd(-1, &signals->wait, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}
