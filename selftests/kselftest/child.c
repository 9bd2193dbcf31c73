// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "child.h"
#include "files.h"

int child_start(struct child *child, int (*body)(int sock, void *arg), void *arg)
{
	int socks[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, socks))
		return -errno;
	child->pid = fork();
	if (!child->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(socks[0]);
		_exit(body(socks[1], arg));
	}
	close(socks[1]);
	child->sock = socks[0];
	return child->pid < 0 ? -errno : 0;
}

int child_post(int sock)
{
	return send(sock, "", 1, MSG_NOSIGNAL) == 1 ? 0 : -EPIPE;
}

int child_await(int sock)
{
	char byte;

	return read(sock, &byte, 1) == 1 ? 0 : -EPIPE;
}

bool child_told(int sock)
{
	char byte;

	return recv(sock, &byte, 1, MSG_DONTWAIT) == 1;
}

/* What a worker process does. */
struct trade {
	void (*work)(void *arg);
	void *arg;
};

/* The first call is a rehearsal: it takes all page faults that later calls do not need. */
static int serve(int sock, void *arg)
{
	const struct trade *trade = arg;
	bool rehearsed = false;

	while (!child_await(sock)) {
		if (rehearsed)
			trade->work(trade->arg);
		rehearsed = true;
		if (child_post(sock))
			return 1;
	}
	return 0;
}

int child_do(struct child *child)
{
	int ret = child_post(child->sock);

	return ret ? ret : child_await(child->sock);
}

int child_worker(struct child *child, void (*work)(void *arg), void *arg)
{
	struct trade trade = { work, arg };
	int ret = child_start(child, serve, &trade);

	return ret ? ret : child_do(child);
}

bool child_ended(const struct child *child)
{
	siginfo_t info = {};

	return waitid(P_PID, child->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

int child_join(struct child *child)
{
	int status;

	close(child->sock);
	if (waitpid(child->pid, &status, 0) != child->pid)
		return -errno;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

int child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	return child_join(child);
}

void *child_share(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

void child_offer_itself(void)
{
	file_write("/proc/self/oom_score_adj", "1000");
}

char child_state(const struct child *child)
{
	char path[64], line[512], state = '\0';

	snprintf(path, sizeof(path), "/proc/%d/stat", child->pid);
	file_read(path, line, sizeof(line));
	sscanf(line, "%*d (%*[^)]) %c", &state);
	return state;
}
