// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <htmm/device.h>
#include "live.h"
#include "source.h"

/* Between two looks into the rings. Samples of a process that exits meanwhile are stale. */
#define LOOK_NS		5000000

/* Samples that are handed in with one call. */
#define BATCH		4096

/**
 * struct feeder - the process that hands in samples
 * @session: what to sample, and once it has started its number; shared with those who start it
 * @peer: a socket to those: the feeder tells them if the events are open, and they tell it when the
 *	session runs
 * @fd: the device
 * @sources: the events
 */
struct feeder {
	const struct session *session;
	int peer;
	int fd;
	struct source_set sources;
};

/* One call of HTMM_IOC_FEED after the other. Returns 0 or a negative errno. */
static int hand_in(const struct feeder *feeder, struct htmm_feed *feed,
		   const struct htmm_feed_sample *samples, __u32 nr)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	feed->size = sizeof(*feed);
	feed->session = feeder->session->start.session;
	do {
		feed->samples = (__u64)(unsigned long)samples;
		feed->nr_samples = nr;
		if (ioctl(feeder->fd, HTMM_IOC_FEED, feed)) {
			if (errno != EAGAIN && errno != EINTR)
				return -errno;
			/* Meanwhile perf's rings take the samples. */
			feed->nr_samples = 0;
			nanosleep(&wait, NULL);
		}
		samples += samples ? feed->nr_samples : 0;
		nr -= feed->nr_samples;
	} while (nr);
	return 0;
}

/* Hands in what an event has. Returns 0 or a negative errno. */
static int feed_event(struct feeder *feeder, unsigned int event)
{
	static struct htmm_feed_sample samples[BATCH];
	struct htmm_feed feed = { .event = event, .sample_size = sizeof(*samples) };
	struct htmm_feed none = { .event = event, .flags = HTMM_FEED_LOST };
	__u64 lost;
	__u32 nr;
	int ret;

	do {
		lost = 0;
		nr = source_set_read(&feeder->sources, event, samples, BATCH, &lost);
		ret = nr ? hand_in(feeder, &feed, samples, nr) : 0;
		/* Even if none are lost: without samples, this tells that the session has ended. */
		if (!ret)
			ret = hand_in(feeder, &none, NULL, lost < UINT_MAX ? lost : UINT_MAX);
	} while (!ret && nr == BATCH);
	return ret;
}

static int feeder_open(struct feeder *feeder, struct htmm_error *err)
{
	struct rlimit files;

	/* Each event is a file or two on each CPU. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	feeder->fd = htmm_device_open(NULL, err);
	if (feeder->fd < 0)
		return feeder->fd;
	return source_set_open(&feeder->sources, &feeder->session->events,
			       &feeder->session->cpus, err);
}

/* The feeder's life. It ends when the session does, or if that does not start. */
static void feed_session(struct feeder *feeder)
{
	const struct timespec wait = { .tv_nsec = LOOK_NS };
	struct htmm_error err = {};
	unsigned int i;
	char runs;

	if (feeder_open(feeder, &err) && !err.code)
		err.code = EIO;
	send(feeder->peer, &err, sizeof(err), MSG_NOSIGNAL);
	if (err.code || recv(feeder->peer, &runs, sizeof(runs), 0) != sizeof(runs))
		return;
	source_set_enable(&feeder->sources);
	for (;;) {
		nanosleep(&wait, NULL);
		for (i = 0; i < feeder->session->events.nr; i++)
			if (feed_event(feeder, i))
				return;
	}
}

/*
 * Leaves the terminal and closes all files, as others may wait for their end: a reader of what the
 * command prints, or the module, which ends a session that is not detached when its starter closes
 * the device.
 */
static void leave(int peer)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(peer, STDIN_FILENO);
	close_range(1, ~0U, 0);
}

/* Waits for the feeder's end, however it comes, and ends the session if that still runs. */
static void guard(const struct session *session, int peer)
{
	struct feeder feeder = { .session = session, .peer = STDIN_FILENO };
	pid_t pid;
	int fd;

	leave(peer);
	pid = fork();
	if (!pid) {
		feed_session(&feeder);
		_exit(0);
	}
	close(STDIN_FILENO);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	fd = session->start.session ? htmm_device_open(NULL, NULL) : -1;
	if (fd >= 0)
		htmm_device_stop(fd, session->start.session, NULL);
}

/* Makes the processes. Returns 0 when the events are open, or a negative errno. */
static int fork_feeder(const struct session *session, int *peer, struct htmm_error *err)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return htmm_error_set(err, errno, NULL, "socketpair: %s", strerror(errno));
	*peer = ends[0];
	pid = fork();
	if (!pid) {
		guard(session, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0)
		return htmm_error_set(err, errno, NULL, "fork: %s", strerror(errno));
	if (recv(*peer, err, sizeof(*err), 0) != sizeof(*err))
		return htmm_error_set(err, EIO, NULL, "the process that opens events has ended");
	return -err->code;
}

/* For the module they are events that user space feeds. */
static void make_fed(struct htmm_event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		struct htmm_event fed = {
			.type = HTMM_TYPE_FEED, .period = list->event[i].period,
			.min_level = list->event[i].min_level,
		};

		memcpy(fed.name, list->event[i].name, sizeof(fed.name));
		list->event[i] = fed;
	}
}

int live_begin(struct session *session, int fd, __u32 flags, struct htmm_error *err)
{
	/* The guard sees the session's number as soon as there is one. */
	struct session *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char runs = 1;
	int ret, peer = -1;

	if (shared == MAP_FAILED)
		return no_memory(err);
	*shared = *session;
	if (session->start.flags & HTMM_START_BUDGET)
		ret = htmm_error_set(err, EINVAL, "choose a period with -c",
				     "a budget cannot change the period of events that are opened here");
	else
		ret = fork_feeder(shared, &peer, err);
	if (!ret) {
		make_fed(&shared->events);
		ret = session_start(shared, fd, flags, err);
	}
	/* Or else it ends when this end of the socket is closed. */
	if (!ret && send(peer, &runs, sizeof(runs), MSG_NOSIGNAL) != sizeof(runs)) {
		/* If it ended before the session began, its guard saw no session to end. */
		htmm_device_stop(fd, shared->start.session, NULL);
		ret = htmm_error_set(err, EIO, NULL, "the process that hands in samples has ended");
	}
	*session = *shared;
	munmap(shared, sizeof(*shared));
	if (peer >= 0)
		close(peer);
	return ret;
}
