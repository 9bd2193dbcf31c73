// SPDX-License-Identifier: GPL-2.0
/* The record stream: what is read, by which reader, and what is lost. */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <linux/perf_event.h>
#include "check.h"
#include "child.h"
#include "records.h"

/* Milliseconds that anything takes at most. */
#define PATIENCE	20000
#define PAGES		64
#define SAMPLE_BYTES	(sizeof(struct perf_event_header) + sizeof(struct sample))

FIXTURE(stream) {
	int fd;		/* starts and stops */
	int reader;	/* reads, without waiting by default */
	struct source source;
	struct request req;
	struct tally *tally;
	void *mem;
};

FIXTURE_SETUP(stream)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	self->req.arg.sample_type = RECORDS_SAMPLE_TYPE;
	self->tally = calloc(2, sizeof(*self->tally));
	ASSERT_NE(NULL, self->tally);
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_LE(0, self->reader = device_open());
	ASSERT_EQ(0, fcntl(self->reader, F_SETFL, O_NONBLOCK));
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(stream)
{
	close(self->reader);
	close(self->fd);
	check_idle(_metadata);
}

static void touch(FIXTURE_DATA(stream) *self, size_t rounds)
{
	access_pages(&self->source, self->mem, PAGES, rounds);
}

/* The same, but no ring ever has to hold more than eight rounds. */
static void touch_slowly(struct __test_metadata *_metadata,
			 FIXTURE_DATA(stream) *self, size_t rounds)
{
	size_t some;

	for (; rounds; rounds -= some) {
		some = rounds < 8 ? rounds : 8;
		touch(self, some);
		ASSERT_EQ(0, device_settle(self->fd));
	}
}

/* More than the smallest buffer of a stream holds. */
static void touch_much(void *self)
{
	touch(self, 8);
}

/* For a stopped session and a reader that has read all of it. */
static void check_tally(struct __test_metadata *_metadata,
			FIXTURE_DATA(stream) *self, int reader,
			const struct tally *tally)
{
	struct htmm_stream report;
	static struct stats stats;
	const __u64 *drops;

	ASSERT_EQ(0, stream_report(reader, &report));
	EXPECT_EQ(HTMM_STREAM_ENDED, report.state);
	EXPECT_EQ(0, report.waiting_bytes);
	EXPECT_EQ(0, tally->unknown);
	EXPECT_EQ(0, tally->disorder);
	EXPECT_EQ(report.offered, report.delivered + report.lost);
	EXPECT_EQ(report.delivered, tally_samples(tally));
	EXPECT_EQ(report.lost, tally_lost(tally));
	EXPECT_EQ(!report.lost, !tally->losses);

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	drops = stats.s.total.drops;
	EXPECT_EQ(report.offered, stats.s.total.counted +
		  drops[HTMM_DROP_STALE] + drops[HTMM_DROP_TABLE_FULL]);
}

TEST_F(stream, a_file_that_is_no_reader)
{
	struct tally *tally = self->tally;

	EXPECT_EQ(-EINVAL, records_read(self->fd, PAGE, tally));
	EXPECT_EQ(POLLERR, stream_poll(self->fd));
	ASSERT_START(self);
	EXPECT_EQ(-EINVAL, records_read(self->fd, PAGE, tally));
	EXPECT_EQ(POLLERR, stream_poll(self->fd));
}

TEST_F(stream, buffer_and_watermark)
{
	const struct {
		__u64 bytes;
		__u32 watermark;
		int ret;
	} wrong[] = {
		{ 1, 0, -ERANGE },
		{ HTMM_MIN_STREAM_BYTES / 2, 0, -ERANGE },
		{ HTMM_MAX_STREAM_BYTES * 2ULL, 0, -ERANGE },
		{ 1ULL << 32, 0, -ERANGE },
		{ HTMM_MIN_STREAM_BYTES + 8, 0, -EINVAL },
		{ 12288, 0, -EINVAL },
		{ 4096, 2049, -ERANGE },
		{ 0, (1 << 19) + 1, -ERANGE },
	};
	struct htmm_stream report;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(wrong[i].ret, stream_join(self->reader, wrong[i].bytes,
						    wrong[i].watermark)) {
			TH_LOG("%llu bytes, watermark %u", wrong[i].bytes, wrong[i].watermark);
		}
	}
	EXPECT_EQ(POLLERR, stream_poll(self->reader));

	ASSERT_EQ(0, stream_join(self->reader, 4096, 2048));
	EXPECT_EQ(0, stream_join(self->reader, 4096, 2048));
	EXPECT_EQ(-EBUSY, stream_join(self->reader, 8192, 0));
	EXPECT_EQ(-EBUSY, stream_join(self->reader, 0, 1));
	ASSERT_EQ(0, stream_report(self->reader, &report));
	EXPECT_EQ(4096, report.buffer_bytes);
	EXPECT_EQ(2048, report.watermark);
	EXPECT_EQ(HTMM_STREAM_WAITING, report.state);
	EXPECT_EQ(0, report.session);
	EXPECT_EQ(0, report.nr_events);
}

TEST_F(stream, defaults)
{
	struct htmm_stream report;

	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_EQ(0, stream_report(self->reader, &report));
	EXPECT_EQ(1 << 20, report.buffer_bytes);
	EXPECT_EQ(1, report.watermark);
}

TEST_F(stream, too_many_readers)
{
	int fd[HTMM_MAX_STREAMS], i;

	for (i = 0; i < HTMM_MAX_STREAMS; i++) {
		ASSERT_LE(0, fd[i] = device_open());
		ASSERT_EQ(0, stream_join(fd[i], 4096, 0));
	}
	EXPECT_EQ(-EUSERS, stream_join(self->reader, 4096, 0));
	close(fd[3]);
	EXPECT_EQ(0, stream_join(self->reader, 4096, 0));
	for (i = 0; i < HTMM_MAX_STREAMS; i++)
		if (i != 3)
			close(fd[i]);
}

/* The layout that the module reports is enough to decode the records. */
TEST_F(stream, layout)
{
	struct source store;
	__u64 ids[HTMM_MAX_EVENTS], ids_again[HTMM_MAX_EVENTS];
	struct htmm_stream report, again;
	struct htmm_info info;

	request_add_event(&self->req, &self->source.event);
	if (source_find(&store, ACCESS_STORE))
		request_add_event(&self->req, &store.event);
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	ASSERT_EQ(0, stream_report(self->reader, &report));
	ASSERT_EQ(0, stream_ids(self->reader, ids));
	EXPECT_EQ(HTMM_STREAM_RUNNING, report.state);
	EXPECT_EQ(info.session, report.session);
	EXPECT_EQ(RECORDS_SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER, report.sample_type);
	EXPECT_EQ(SAMPLE_BYTES, report.record_size);
	EXPECT_EQ(self->req.arg.nr_events, report.nr_events);
	EXPECT_NE(0, ids[0]);
	EXPECT_NE(ids[0], ids[1]);
	EXPECT_EQ(0, ids[HTMM_MAX_EVENTS - 1]);
	ASSERT_EQ(0, device_stop(self->fd));

	/* Who comes too late for a session does not get the next one instead. */
	close(self->reader);
	self->reader = device_open();
	again = (struct htmm_stream) { .size = sizeof(again), .session = info.session };
	EXPECT_EQ(-ESTALE, device_ioctl(self->reader, HTMM_IOC_STREAM, &again));
	/* Nor is the file a reader now, which would get it. */
	EXPECT_EQ(POLLERR, stream_poll(self->reader));
	/* The ids and the layout of the next session may differ. */
	self->req.arg.sample_type = 0;
	ASSERT_START(self);
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_EQ(0, stream_report(self->reader, &again));
	ASSERT_EQ(0, stream_ids(self->reader, ids_again));
	EXPECT_NE(ids[0], ids_again[0]);
	EXPECT_EQ(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
		  PERF_SAMPLE_IDENTIFIER, again.sample_type);
	EXPECT_EQ(8 * 5, again.record_size);
}

/* One sample for each access, in order, with all members correct. */
TEST_F(stream, every_sample_from_the_first_on)
{
	const struct sample *last = &self->tally->last;
	__u64 ids[HTMM_MAX_EVENTS];
	size_t i, at = 0;
	int cpu;

	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	ASSERT_EQ(0, cpu_pin(cpu));
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	EXPECT_EQ(-EAGAIN, records_read(self->reader, PAGE, self->tally));
	EXPECT_EQ(0, stream_poll(self->reader));
	ASSERT_START(self);
	touch(self, 2);
	ASSERT_EQ(0, device_stop(self->fd));

	EXPECT_EQ(POLLIN | POLLHUP, stream_poll(self->reader));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	EXPECT_EQ(0, records_read(self->reader, PAGE, self->tally));
	EXPECT_EQ(POLLIN | POLLHUP, stream_poll(self->reader));
	check_tally(_metadata, self, self->reader, self->tally);
	EXPECT_EQ(0, tally_lost(self->tally));
	EXPECT_LT(0, self->tally->rounds);

	/* Other memory of this program has some faults, too. */
	for (i = 0; i < self->tally->nr_addr; i++)
		if ((self->tally->addr[i] & ~(PAGE - 1)) ==
		    (uintptr_t)self->mem + at % PAGES * PAGE)
			at++;
	EXPECT_EQ(2 * PAGES, at);

	ASSERT_EQ(0, stream_ids(self->reader, ids));
	EXPECT_EQ(ids[0], last->id);
	EXPECT_EQ(getpid(), last->pid);
	EXPECT_EQ(gettid(), last->tid);
	EXPECT_EQ(cpu, last->cpu);
	EXPECT_EQ(1, last->period);
	EXPECT_LT(0, last->time);
	EXPECT_NE(0, last->ip);
}

TEST_F(stream, whole_records_only)
{
	struct tally *tally = self->tally;

	ASSERT_EQ(0, stream_join(self->reader, 4096, 0));
	ASSERT_START(self);
	touch(self, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(-EINVAL, records_read(self->reader, SAMPLE_BYTES - 1, tally));
	EXPECT_EQ(SAMPLE_BYTES, records_read(self->reader, SAMPLE_BYTES, tally));
	/* The end of a round may be beside it. */
	EXPECT_LE(SAMPLE_BYTES, records_read(self->reader, 2 * SAMPLE_BYTES - 1, tally));
	EXPECT_EQ(2, tally_samples(tally));
	ASSERT_EQ(0, records_drain(self->reader, tally));
	check_tally(_metadata, self, self->reader, tally);
}

/* A failed read takes no records. */
TEST_F(stream, bad_memory)
{
	char *edge;

	edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)edge);
	ASSERT_EQ(0, munmap(edge + PAGE, PAGE));
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_START(self);
	touch(self, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(-1, read(self->reader, edge + PAGE, PAGE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->reader, edge + PAGE - 100, PAGE));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	check_tally(_metadata, self, self->reader, self->tally);
}

/* Below the watermark poll() waits, but a nonblocking read takes all. */
TEST_F(stream, watermark)
{
	ASSERT_EQ(0, stream_join(self->reader, 1 << 20, 1 << 19));
	ASSERT_START(self);
	touch(self, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(0, stream_poll(self->reader));
	EXPECT_EQ(-EAGAIN, records_drain(self->reader, self->tally));
	EXPECT_LE(PAGES, tally_samples(self->tally));
	/* Each sample has 72 bytes; more than half a mebibyte is needed. */
	touch_slowly(_metadata, self, (1 << 19) / SAMPLE_BYTES / PAGES + 1);
	EXPECT_EQ(POLLIN, stream_poll(self->reader));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	check_tally(_metadata, self, self->reader, self->tally);
	EXPECT_EQ(0, tally_lost(self->tally));
}

/* A reader that does not read loses records, is told how many, and then loses no more. */
TEST_F(stream, losses_are_told)
{
	struct tally *tally = self->tally;
	struct htmm_stream report;
	struct child child;
	int tries = PATIENCE;
	__u64 lost;

	/* This process' own page faults would be lost, too, while it reads. */
	ASSERT_EQ(0, child_worker(&child, touch_much, self));
	self->req.targets[0].id = child.pid;
	ASSERT_EQ(0, stream_join(self->reader, 4096, 0));
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, stream_report(self->reader, &report));
	EXPECT_LT(0, report.lost);
	EXPECT_LT(4096 - 3 * SAMPLE_BYTES, report.waiting_bytes);
	lost = report.lost;

	/* As soon as there is room, and not only with the next sample. */
	while (tally_lost(tally) < lost) {
		ASSERT_LT(0, --tries);
		ASSERT_EQ(-EAGAIN, records_drain(self->reader, tally));
		usleep(1000);
	}
	EXPECT_EQ(lost, tally_lost(tally));

	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, tally));
	EXPECT_LT(1, tally->losses);
	check_tally(_metadata, self, self->reader, tally);
	EXPECT_EQ(0, child_join(&child));
}

/* Reads one sample, and the ends of rounds before it: there are as many as ksampled is quick. */
static int read_sample(FIXTURE_DATA(stream) *self)
{
	int got;

	do {
		got = records_read(self->reader, SAMPLE_BYTES, self->tally);
	} while (got == sizeof(struct perf_event_header));
	return got;
}

/* Losses of each event have its own id. */
TEST_F(stream, losses_by_event)
{
	struct tally *tally = self->tally;
	int i;

	request_add_event(&self->req, &self->source.event);
	ASSERT_EQ(0, stream_join(self->reader, 4096, 0));
	ASSERT_START(self);
	/* A round that ends among the samples that are read one by one. */
	access_pages(&self->source, self->mem, 1, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	touch(self, 8);
	ASSERT_EQ(0, device_settle(self->fd));
	/* Room for a sample, but not for one and the losses of both events before it. */
	for (i = 0; i < 40; i++) {
		EXPECT_EQ(SAMPLE_BYTES, read_sample(self));
		touch(self, 1);
		ASSERT_EQ(0, device_settle(self->fd));
	}
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, tally));
	check_tally(_metadata, self, self->reader, tally);
	EXPECT_LT(0, tally->lost[0]);
	EXPECT_LT(0, tally->lost[1]);
	EXPECT_EQ(tally->samples[0] + tally->lost[0], tally->samples[1] + tally->lost[1]);
}

/* One reader does not read; the other misses nothing, and ksampled is not delayed. */
TEST_F(stream, two_readers)
{
	struct tally *slow = &self->tally[1];
	static struct stats stats;
	int lazy;

	ASSERT_LE(0, lazy = device_open());
	ASSERT_EQ(0, stream_join(self->reader, 1 << 22, 0));
	ASSERT_EQ(0, stream_join(lazy, 4096, 0));
	ASSERT_START(self);
	touch_slowly(_metadata, self, 64);
	ASSERT_EQ(0, device_stop(self->fd));

	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	check_tally(_metadata, self, self->reader, self->tally);
	EXPECT_EQ(0, tally_lost(self->tally));
	ASSERT_EQ(0, records_drain(lazy, slow));
	check_tally(_metadata, self, lazy, slow);
	EXPECT_LT(0, tally_lost(slow));
	EXPECT_EQ(tally_samples(self->tally), tally_samples(slow) + tally_lost(slow));

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_RING_FULL]);
	close(lazy);
}

static void touch_once(void *self)
{
	touch(self, 1);
}

/* A blocking read returns as soon as there is a record, and at the end. */
TEST_F(stream, waiting)
{
	struct tally *tally = self->tally;
	struct child child;

	ASSERT_EQ(0, fcntl(self->reader, F_SETFL, 0));
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_EQ(0, child_worker(&child, touch_once, self));
	self->req.targets[0].id = child.pid;
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(child.sock));
	EXPECT_LT(0, records_read(self->reader, 1 << 20, tally));
	ASSERT_EQ(0, child_await(child.sock));
	while (tally_samples(tally) < PAGES)
		ASSERT_LT(0, records_read(self->reader, 1 << 20, tally));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, tally));
	check_tally(_metadata, self, self->reader, tally);
	child_kill(&child);
}

static void ignore(int signal)
{
}

TEST_F(stream, waiting_ends_with_a_signal)
{
	const struct itimerval soon = {
		.it_value.tv_usec = 50000,
		.it_interval.tv_usec = 50000,
	};
	const struct itimerval never = {};
	struct sigaction action = { .sa_handler = ignore };

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, fcntl(self->reader, F_SETFL, 0));
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	EXPECT_EQ(-EINTR, records_read(self->reader, PAGE, self->tally));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

static int wait_for_the_end(int sock, void *arg)
{
	FIXTURE_DATA(stream) *self = arg;
	struct pollfd end = { .fd = self->reader };

	child_post(sock);
	return poll(&end, 1, -1) != 1 || end.revents != POLLHUP;
}

/* A poll without events does not report records, but the end. */
TEST_F(stream, waiting_for_the_end_alone)
{
	struct child child;

	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_START(self);
	ASSERT_EQ(0, child_start(&child, wait_for_the_end, self));
	ASSERT_EQ(0, child_await(child.sock));
	ASSERT_SOON(child_state(&child) == 'S');
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, child_join(&child));
}

/* A reader belongs to one session and does not get the next one. */
TEST_F(stream, the_next_session)
{
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_START(self);
	touch(self, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_START(self);
	touch(self, 4);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	EXPECT_LE(PAGES, tally_samples(self->tally));
	EXPECT_GT(4 * PAGES, tally_samples(self->tally));
	EXPECT_EQ(0, tally_lost(self->tally));
}

TEST_F(stream, a_reader_that_comes_late)
{
	ASSERT_START(self);
	touch(self, 4);
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	touch(self, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	EXPECT_LE(PAGES, tally_samples(self->tally));
	EXPECT_GT(4 * PAGES, tally_samples(self->tally));
}

TEST_F(stream, reset_changes_nothing)
{
	struct htmm_stream report;

	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_START(self);
	touch(self, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_reset(self->fd));
	touch(self, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	EXPECT_LE(2 * PAGES, tally_samples(self->tally));
	ASSERT_EQ(0, stream_report(self->reader, &report));
	EXPECT_EQ(report.offered, tally_samples(self->tally));
}

/* The file that started the session stops it, and then reads the end. */
TEST_F(stream, one_file_for_all)
{
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, stream_join(self->fd, 0, 0));
	ASSERT_START(self);
	touch(self, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->fd, self->tally));
	check_tally(_metadata, self, self->fd, self->tally);
}

/* When the owner closes, its session and results go, and the reader gets the end. */
TEST_F(stream, the_owner_goes)
{
	ASSERT_EQ(0, stream_join(self->reader, 0, 0));
	ASSERT_START(self);
	touch(self, 1);
	close(self->fd);
	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
	EXPECT_EQ(POLLIN | POLLHUP, stream_poll(self->reader));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	EXPECT_LE(PAGES, tally_samples(self->tally));
	self->fd = device_open();
}

static int busy(int sock, void *arg)
{
	FIXTURE_DATA(stream) *self = arg;

	for (;;)
		touch(self, 1);
	return 0;
}

/* What is lost among the samples of a round is told in its place. */
TEST_F(stream, losses_within_a_round)
{
	struct tally *tally = self->tally;
	struct child child;

	ASSERT_EQ(0, child_start(&child, busy, self));
	self->req.targets[0].id = child.pid;
	ASSERT_EQ(0, fcntl(self->reader, F_SETFL, 0));
	ASSERT_EQ(0, stream_join(self->reader, 4096, 0));
	ASSERT_START(self);
	/* One by one: the buffer is full again and again while ksampled adds samples. */
	while (tally->resumed < 10 && !tally->disorder)
		ASSERT_LT(0, records_read(self->reader, SAMPLE_BYTES, tally));
	child_kill(&child);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, tally));
	check_tally(_metadata, self, self->reader, tally);
	TH_LOG("%llu samples, %llu lost in %llu places", tally_samples(tally), tally_lost(tally),
	       tally->losses);
}

/* Readers that leave take nothing from the one that stays. */
TEST_F(stream, one_of_two_leaves)
{
	int other[2];

	ASSERT_LE(0, other[0] = device_open());
	ASSERT_LE(0, other[1] = device_open());
	ASSERT_EQ(0, stream_join(other[0], 4096, 0));
	ASSERT_EQ(0, stream_join(self->reader, 1 << 20, 0));
	ASSERT_EQ(0, stream_join(other[1], 4096, 0));
	ASSERT_START(self);
	touch_slowly(_metadata, self, 1);
	close(other[0]);
	touch_slowly(_metadata, self, 2);
	close(other[1]);
	touch_slowly(_metadata, self, 4);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	EXPECT_LE(7 * PAGES, tally_samples(self->tally));
	EXPECT_EQ(0, tally_lost(self->tally));
	check_tally(_metadata, self, self->reader, self->tally);
}

/* Readers open and close, some during a read, while many samples come. */
TEST_F(stream, closing_under_load)
{
	struct child child[2];
	int i, fd;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, child_start(&child[i], busy, self));
		self->req.targets[i] = self->req.targets[0];
		self->req.targets[i].id = child[i].pid;
	}
	self->req.arg.nr_targets = 2;
	ASSERT_START(self);
	for (i = 0; i < 200; i++) {
		ASSERT_LE(0, fd = device_open());
		ASSERT_EQ(0, stream_join(fd, i % 3 ? 4096 : 65536, 0));
		if (i % 2)
			ASSERT_LT(0, records_read(fd, 65536, self->tally));
		close(fd);
	}
	EXPECT_EQ(0, self->tally->unknown);
	for (i = 0; i < 2; i++)
		child_kill(&child[i]);
	ASSERT_EQ(0, device_stop(self->fd));
}

/*
 * Two events on all CPUs, with a reader that is fast or slow: all counts add up, and
 * records after a round are not older than those before the previous round.
 */
TEST_F(stream, everything_under_load)
{
	struct child child[3];
	struct source store;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, child_start(&child[i], busy, self));
		self->req.targets[i] = self->req.targets[0];
		self->req.targets[i].id = child[i].pid;
	}
	self->req.arg.nr_targets = 3;
	if (source_find(&store, ACCESS_STORE))
		request_add_event(&self->req, &store.event);
	ASSERT_EQ(0, fcntl(self->reader, F_SETFL, 0));
	ASSERT_EQ(0, stream_join(self->reader, 65536, 8192));
	ASSERT_START(self);
	for (i = 0; i < 100; i++)
		ASSERT_LT(0, records_read(self->reader, 65536, self->tally));
	for (i = 0; i < 3; i++)
		child_kill(&child[i]);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, records_drain(self->reader, self->tally));
	check_tally(_metadata, self, self->reader, self->tally);
	EXPECT_LT(0, self->tally->rounds);
	TH_LOG("%llu samples, %llu lost, %llu rounds",
	       tally_samples(self->tally), tally_lost(self->tally),
	       self->tally->rounds);
}
