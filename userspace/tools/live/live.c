// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
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
#define LOOK_MS		5

/* The feeder needs far less for the rest, unless someone has stopped it. */
#define REST_MS		10000

/* What is handed in of a batch, in this order. */
enum part {
	PART_SAMPLES,
	PART_LOST,
	PART_THROTTLED,
	NR_PARTS
};

/**
 * struct hand - samples on their way, in memory that outlives the process that holds them
 * @full: the batch is complete, and not handed in yet
 * @batch: what was read from a ring
 * @part: a call for each part of it; the module writes there how much is left of it
 */
struct hand {
	bool full;
	struct batch batch;
	struct htmm_feed part[NR_PARTS];
};

/**
 * struct feeder - the process that hands in samples
 * @session: what to sample, and once it has started its number; shared with those who start it
 * @peer: a socket to those, to whom it tells if the events are open; they tell it when the session
 *	runs, and when to hand in the rest
 * @fd: the device
 * @sources: the events
 * @hand: what it does at the moment
 */
struct feeder {
	const struct session *session;
	int peer;
	int fd;
	struct source_set sources;
	struct hand *hand;
};

/* The socket of the session that this process has begun, as long as it needs it. */
static int peer_of_session = -1;

/* What is to be handed in of a batch that was read. */
static void hand_begin(const struct feeder *feeder)
{
	struct hand *hand = feeder->hand;
	const struct htmm_feed part = {
		.size = sizeof(part),
		.flags = HTMM_FEED_CPU,
		.session = feeder->session->start.session,
		.event = hand->batch.event,
		.cpu = hand->batch.cpu,
	};
	int i;

	for (i = 0; i < NR_PARTS; i++)
		hand->part[i] = part;
	hand->part[PART_SAMPLES].nr_samples = hand->batch.nr;
	hand->part[PART_LOST].nr_samples = hand->batch.lost;
	hand->part[PART_LOST].flags |= HTMM_FEED_LOST;
	hand->part[PART_THROTTLED].nr_samples = hand->batch.throttled;
	hand->part[PART_THROTTLED].flags |= HTMM_FEED_THROTTLED;
	__atomic_store_n(&hand->full, true, __ATOMIC_RELEASE);
}

/* Hands in what is left of a part. Returns 0 or a negative errno. */
static int hand_in_part(const struct feeder *feeder, struct htmm_feed *part)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	struct batch *batch = &feeder->hand->batch;

	while (part->nr_samples) {
		if (!(part->flags & (HTMM_FEED_LOST | HTMM_FEED_THROTTLED))) {
			part->samples = (__u64)(unsigned long)(batch->sample + batch->nr -
							       part->nr_samples);
			part->sample_size = sizeof(batch->sample[0]);
		} else {
			part->samples = 0;
			part->sample_size = 0;
		}
		if (!ioctl(feeder->fd, HTMM_IOC_FEED, part))
			continue;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		/* Meanwhile perf's rings take the samples. */
		nanosleep(&wait, NULL);
	}
	return 0;
}

/*
 * Hands in what the batch has, if it is full. If this process is killed, another one goes on where
 * it was: each step here is one store, or changes nothing when it is done again.
 */
static void hand_in(const struct feeder *feeder)
{
	struct hand *hand = feeder->hand;
	int i;

	if (!__atomic_load_n(&hand->full, __ATOMIC_ACQUIRE))
		return;
	source_set_take(&feeder->sources, &hand->batch);
	for (i = 0; i < NR_PARTS; i++) {
		if (!hand_in_part(feeder, &hand->part[i]) || i != PART_SAMPLES)
			continue;
		/* What is not taken is lost, which can be told when the session has ended. */
		hand->part[i].flags |= HTMM_FEED_LOST;
		hand_in_part(feeder, &hand->part[i]);
	}
	__atomic_store_n(&hand->full, false, __ATOMIC_RELEASE);
}

/* Hands in all that an event has on one CPU. */
static void feed_source(const struct feeder *feeder, unsigned int i)
{
	struct batch *batch = &feeder->hand->batch;

	do {
		source_set_read(&feeder->sources, i, batch);
		hand_begin(feeder);
		hand_in(feeder);
	} while (batch->nr == BATCH);
}

/* Hands in the rest, or if the session has ended counts it. */
static void feed_rest(const struct feeder *feeder)
{
	unsigned int i;

	source_set_enable(&feeder->sources, false);
	for (i = 0; i < feeder->sources.nr; i++) {
		feed_source(feeder, i);
		source_set_read_missed(&feeder->sources, i, &feeder->hand->batch);
		hand_begin(feeder);
		hand_in(feeder);
	}
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
	feeder->hand = mmap(NULL, sizeof(*feeder->hand), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (feeder->hand == MAP_FAILED)
		return no_memory(err);
	return source_set_open(&feeder->sources, &feeder->session->events,
			       &feeder->session->cpus, err);
}

static bool session_runs(const struct feeder *feeder)
{
	struct htmm_info info;

	return !htmm_device_info(feeder->fd, &info, NULL) && info.state == HTMM_STATE_RUNNING &&
	       info.session == feeder->session->start.session;
}

/* Looks into the rings until it is asked for the rest, or the session ends. Returns if asked. */
static bool feed_session(const struct feeder *feeder)
{
	struct pollfd peer = { .fd = feeder->peer, .events = POLLIN };
	unsigned int i;
	char asked;

	if (source_set_map(&feeder->sources) ||
	    recv(feeder->peer, &asked, sizeof(asked), 0) != sizeof(asked))
		return false;
	source_set_enable(&feeder->sources, true);
	while (session_runs(feeder)) {
		if (poll(&peer, 1, LOOK_MS) > 0) {
			if (recv(feeder->peer, &asked, sizeof(asked), 0) == sizeof(asked)) {
				feed_rest(feeder);
				return true;
			}
			/* Those who started the session have left it alone. */
			peer.fd = -1;
		}
		for (i = 0; i < feeder->sources.nr; i++)
			feed_source(feeder, i);
	}
	feed_rest(feeder);
	return false;
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

/* Whatever becomes of the feeder, its samples are counted, and the session ends with it. */
static void wait_for_feeder(const struct feeder *feeder, pid_t pid)
{
	int status;
	const char done = 0;

	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status) && feeder->session->start.session) {
		hand_in(feeder);
		feed_rest(feeder);
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		/* Those who asked for the rest stop the session, and may remove the module then. */
		close(feeder->fd);
		send(feeder->peer, &done, sizeof(done), MSG_NOSIGNAL);
	} else if (feeder->session->start.session) {
		htmm_device_stop(feeder->fd, feeder->session->start.session, NULL);
	}
}

/* Opens the events, and looks after the process that hands in their samples. */
static void guard(const struct session *session, int peer)
{
	struct feeder feeder = { .session = session, .peer = STDIN_FILENO };
	struct htmm_error err = {};
	pid_t pid = -1;

	leave(peer);
	if (!feeder_open(&feeder, &err)) {
		pid = fork();
		if (!pid)
			_exit(!feed_session(&feeder));
		if (pid < 0)
			htmm_error_set(&err, errno, NULL, "fork: %s", strerror(errno));
	} else if (!err.code) {
		err.code = EIO;
	}
	send(feeder.peer, &err, sizeof(err), MSG_NOSIGNAL);
	if (pid > 0)
		wait_for_feeder(&feeder, pid);
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
	/* Who ends the session as it was started asks for the rest first. */
	if (!ret && !(flags & HTMM_START_DETACHED))
		peer_of_session = peer;
	else if (peer >= 0)
		close(peer);
	return ret;
}

int live_end(const struct session *session, int fd, struct htmm_error *err)
{
	struct pollfd peer = { .fd = peer_of_session, .events = POLLIN };
	const char rest = 1;

	/* If the processes have ended, the samples are counted, and the session has ended, too. */
	if (send(peer.fd, &rest, sizeof(rest), MSG_NOSIGNAL) == sizeof(rest))
		poll(&peer, 1, REST_MS);
	return session_stop(session, fd, err);
}
