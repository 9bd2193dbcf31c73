// SPDX-License-Identifier: GPL-2.0
/* The session: who starts it, who ends it, and what can be read at what time. */
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include "check.h"
#include "child.h"

#define PAGES		16
#define DEBUGFS		"/sys/kernel/debug/htmm/"

FIXTURE(lifecycle) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
};

FIXTURE_SETUP(lifecycle)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(lifecycle) { check_closed(_metadata, self->fd); }

static __u64 samples(struct __test_metadata *_metadata, int fd)
{
	static struct stats stats;

	EXPECT_EQ(0, stats_read(fd, &stats));
	return stats.s.stats[HTMM_STAT_SAMPLES];
}

static void touch(struct _test_data_lifecycle *self)
{
	access_pages(&self->source, self->mem, PAGES, 1);
}

TEST_F(lifecycle, results_stay_until_close)
{
	struct htmm_info info, later;
	static struct pages before, pages;
	int other = device_open();
	__u64 counted;

	ASSERT_START(self);
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
	counted = samples(_metadata, self->fd);
	EXPECT_LE(PAGES, counted);
	ASSERT_EQ(0, pages_read(self->fd, &before));
	EXPECT_LE(PAGES, before.nr);

	/* A stopped session counts nothing more, not even time, and tells everybody the same. */
	ASSERT_EQ(0, device_info(other, &info));
	EXPECT_EQ(0, info.drain_pid);
	EXPECT_EQ(0, info.ring_bytes);
	touch(self);
	EXPECT_EQ(counted, samples(_metadata, other));
	ASSERT_EQ(0, pages_read(other, &pages));
	ASSERT_EQ(before.nr, pages.nr);
	EXPECT_EQ(0, memcmp(before.page, pages.page, pages.nr * sizeof(*pages.page)));
	ASSERT_EQ(0, device_info(other, &later));
	EXPECT_EQ(0, memcmp(&info, &later, sizeof(info)));

	close(self->fd);
	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
	EXPECT_EQ(-ENODATA, pages_read(other, &pages));
	self->fd = other;
}

TEST_F(lifecycle, one_session_at_a_time)
{
	int other = device_open();
	struct htmm_info first, second;

	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &first));
	EXPECT_EQ(-EBUSY, device_start(self->fd, &self->req));
	EXPECT_NE('\0', self->req.error[0]);
	EXPECT_EQ(-EBUSY, device_start(other, &self->req));
	/* Neither attempt changed it, nor does the close of the other fd. */
	close(other);
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_LE(PAGES, samples(_metadata, self->fd));
	/* A new session replaces the results. */
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &second));
	EXPECT_EQ(first.session + 1, second.session);
}

/* Closing an fd whose session was replaced does not end the new one. */
TEST_F(lifecycle, close_of_an_old_session)
{
	int other = device_open();

	ASSERT_START(self);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_start(other, &self->req));
	close(self->fd);
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	self->fd = other;
}

TEST_F(lifecycle, without_a_session)
{
	struct htmm_histogram hist;
	static struct pages pages;
	static struct stats stats;

	EXPECT_EQ(-EALREADY, device_stop(self->fd));
	EXPECT_EQ(-ENODATA, device_cool(self->fd, 0));
	EXPECT_EQ(-ENODATA, device_reset(self->fd));
	EXPECT_EQ(-ENODATA, stats_read(self->fd, &stats));
	EXPECT_EQ(-ENODATA, pages_read(self->fd, &pages));
	EXPECT_EQ(-ENODATA, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	ASSERT_START(self);
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(-EALREADY, device_stop(self->fd));
}

/* A refused start keeps the results of the previous session. */
TEST_F(lifecycle, refused_start_keeps_results)
{
	__u64 before;

	ASSERT_START(self);
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	before = samples(_metadata, self->fd);
	self->req.events[0].type = 0x7ffffff0;
	EXPECT_EQ(-ENOENT, device_start(self->fd, &self->req));
	EXPECT_EQ(before, samples(_metadata, self->fd));
}

TEST_F(lifecycle, close_ends_sampling)
{
	ASSERT_START(self);
	touch(self);
	close(self->fd);
	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
	self->fd = device_open();
}

static int start_and_wait(int sock, void *arg)
{
	struct _test_data_lifecycle *self = arg;

	close(self->fd);
	self->fd = device_open();
	if (device_start(self->fd, &self->req))
		return 1;
	touch(self);
	child_post(sock);
	pause();
	return 0;
}

TEST_F(lifecycle, kill_ends_sampling)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, start_and_wait, self));
	ASSERT_EQ(0, child_await(child.sock));
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
}

TEST_F(lifecycle, detached)
{
	struct htmm_info info;
	struct child child;

	self->req.arg.flags = HTMM_START_DETACHED;
	ASSERT_EQ(0, child_start(&child, start_and_wait, self));
	ASSERT_EQ(0, child_await(child.sock));
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(HTMM_START_DETACHED, info.session_flags);

	/* Another program goes on with the session, stops it, and reads it. */
	touch(self);
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_LE(PAGES, samples(_metadata, self->fd));
	close(self->fd);
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());

	/* Its results are dropped when a session that belongs to an fd starts. */
	self->fd = device_open();
	self->req.arg.flags = 0;
	ASSERT_START(self);
}

/* Whoever ends the session, its results stay until another one starts. */
TEST_F(lifecycle, kept)
{
	struct child child;
	__u64 counted;
	int i;

	self->req.arg.flags = HTMM_START_KEEP;
	ASSERT_EQ(0, child_start(&child, start_and_wait, self));
	ASSERT_EQ(0, child_await(child.sock));
	touch(self);
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
	counted = samples(_metadata, self->fd);
	EXPECT_LE(PAGES, counted);
	EXPECT_EQ(-EALREADY, device_stop(self->fd));

	/* Files that are closed later may have the address of the one that started it. */
	for (i = 0; i < 100; i++)
		close(device_open());
	EXPECT_EQ(counted, samples(_metadata, self->fd));
	EXPECT_EQ(0, device_reset(self->fd));
	EXPECT_EQ(0, samples(_metadata, self->fd));
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());

	/* One that was stopped before stays, too. */
	ASSERT_START(self);
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	close(self->fd);
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
	self->fd = device_open();
	EXPECT_LE(PAGES, samples(_metadata, self->fd));
	self->req.arg.flags = 0;
	ASSERT_START(self);
}

static void check_forgotten(struct __test_metadata *_metadata, int fd)
{
	const struct htmm_counters none = {};
	struct htmm_histogram hist;
	static struct stats stats;
	static struct pages pages;
	__u32 i;

	ASSERT_EQ(0, stats_read(fd, &stats));
	EXPECT_EQ(0, memcmp(&stats.s.total, &none, sizeof(none)));
	for (i = 0; i < stats.s.nr_channels; i++)
		EXPECT_EQ(0, memcmp(&stats.channels[i].counters, &none, sizeof(none)));
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_SAMPLES]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_COOLINGS]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_ADAPTATIONS]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_EVICTED]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_EXITED]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_WAKEUPS]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_BATCHES]);
	ASSERT_EQ(0, pages_read(fd, &pages));
	EXPECT_EQ(0, pages.nr);
	ASSERT_EQ(0, device_hist(fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(0, hist.pages);
}

/* Only a ring that fills wakes ksampled, however slow the machine is. */
TEST_F(lifecycle, reset_of_results)
{
	static struct stats stats;

	self->req.arg.ring_pages = 1;
	self->req.arg.drain_interval_ms = 10000;
	ASSERT_START(self);
	/* Enough for the rings of all CPUs on which this may come to run. */
	access_pages(&self->source, self->mem, PAGES, 40);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_cool(self->fd, 0));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LE(PAGES, stats.s.stats[HTMM_STAT_SAMPLES]);
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_WAKEUPS]);
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_BATCHES]);
	ASSERT_EQ(0, device_reset(self->fd));
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
	check_forgotten(_metadata, self->fd);
}

/* All counters are reset at the same sample: pages and counters stay consistent. */
TEST_F(lifecycle, reset_while_sampling)
{
	static struct stats stats;
	static struct pages pages;
	int i;

	self->req.arg.drain_interval_ms = 1;
	ASSERT_START(self);
	for (i = 0; i < 20; i++) {
		touch(self);
		ASSERT_EQ(0, device_reset(self->fd));
		EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	}
	/* RESET counts samples left in the rings afterwards, so empty the rings first. */
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_reset(self->fd));
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES], pages_total(&pages, 0));
	EXPECT_GE(2 * PAGES, stats.s.stats[HTMM_STAT_SAMPLES]);
	EXPECT_EQ(PAGES, pages_samples(&pages, getpid(), self->mem, PAGES * PAGE));
}

/* A sample waits in a ring for one interval at most. */
TEST_F(lifecycle, results_while_sampling)
{
	self->req.arg.drain_interval_ms = 20;
	ASSERT_START(self);
	touch(self);
	ASSERT_SOON(samples(_metadata, self->fd) >= PAGES);
}

/* A ring above its watermark is drained before the interval ends. */
TEST_F(lifecycle, watermark_wakes_the_thread)
{
	static struct stats stats;
	time_t start;

	self->req.arg.drain_interval_ms = 10000;
	/* Room for all samples even if the thread is late, as faults are not repeated. */
	self->req.arg.ring_pages = 16;
	ASSERT_START(self);
	start = time(NULL);
	access_pages(&self->source, self->mem, PAGES, 40);
	ASSERT_SOON(!stats_read(self->fd, &stats) &&
		    stats.s.stats[HTMM_STAT_SAMPLES] >= 10 * PAGES);
	EXPECT_GT(9, time(NULL) - start);
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_WAKEUPS]);
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_BATCHES]);
}

static const char * const files[] = {
	"status", "stats", "hist", "hot_pages", "targets",
};

/* Reads a whole file; returns its length or a negative errno. */
static int file_read(const char *name, char *text, size_t room)
{
	char path[64];
	size_t fill = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), DEBUGFS "%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + fill, room - 1 - fill)) > 0)
		fill += n;
	close(fd);
	text[fill] = '\0';
	return n < 0 ? -errno : (int)fill;
}

static void check_files(struct __test_metadata *_metadata, const char *state)
{
	char text[16384], want[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		EXPECT_LE(0, file_read(files[i], text, sizeof(text))) {
			TH_LOG("%s while %s", files[i], state);
		}
		snprintf(want, sizeof(want), "state %s\n", state);
		if (!i || !strcmp(state, "idle")) {
			EXPECT_EQ(0, strncmp(want, text, strlen(want))) {
				TH_LOG("%s: %s", files[i], text);
			}
		}
	}
}

TEST_F(lifecycle, debugfs)
{
	char text[16384], want[64];

	if (access(DEBUGFS "status", R_OK))
		SKIP(return, "no debugfs at /sys/kernel/debug");
	check_files(_metadata, "idle");
	ASSERT_START(self);
	touch(self);
	check_files(_metadata, "running");
	ASSERT_EQ(0, device_stop(self->fd));
	check_files(_metadata, "stopped");

	ASSERT_LT(0, file_read("hot_pages", text, sizeof(text)));
	snprintf(want, sizeof(want), "addr %p samples 1 pid %d space", self->mem, getpid());
	EXPECT_NE(NULL, strstr(text, want));
	ASSERT_LT(0, file_read("stats", text, sizeof(text)));
	snprintf(want, sizeof(want), "samples %llu\n",
		 (unsigned long long)samples(_metadata, self->fd));
	EXPECT_NE(NULL, strstr(text, want));
	EXPECT_NE(NULL, strstr(text, "name page-fault"));
}

struct loop {
	struct _test_data_lifecycle *self;
	int failures;
	int cycles;
};

static void *start_and_stop(void *arg)
{
	struct loop *loop = arg;

	while (loop->cycles--) {
		loop->failures += !!device_start(loop->self->fd, &loop->self->req);
		touch(loop->self);
		/* The other thread may change what is to be compared. */
		loop->failures += !!device_stop_unseen(loop->self->fd);
	}
	return NULL;
}

/* Everything can be read at any time, whatever other threads do. */
TEST_F(lifecycle, readers_beside_start_and_stop)
{
	struct loop loop = { .self = self, .cycles = 30 };
	char text[16384];
	struct htmm_histogram hist;
	int fd = device_open(), reads = 0;
	pthread_t thread;
	size_t i;
	int ret;

	if (access(DEBUGFS "status", R_OK))
		SKIP(return, "no debugfs at /sys/kernel/debug");
	ASSERT_EQ(0, pthread_create(&thread, NULL, start_and_stop, &loop));
	while (pthread_tryjoin_np(thread, NULL)) {
		for (i = 0; i < ARRAY_SIZE(files); i++) {
			ret = file_read(files[i], text, sizeof(text));
			ASSERT_LE(0, ret);
		}
		ret = device_hist(fd, HTMM_UNIT_PAGE, &hist);
		ASSERT_TRUE(!ret || ret == -ENODATA);
		ret = device_reset(fd);
		ASSERT_TRUE(!ret || ret == -ENODATA);
		ret = device_cool(fd, 0);
		ASSERT_TRUE(!ret || ret == -ENODATA);
		reads++;
	}
	EXPECT_EQ(0, loop.failures);
	EXPECT_LT(10, reads);
	close(fd);
}
