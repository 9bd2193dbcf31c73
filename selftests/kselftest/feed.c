// SPDX-License-Identifier: GPL-2.0
/* Samples that user space hands in are counted as all others, each in one counter. */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "cgroup.h"
#include "check.h"
#include "child.h"

#define PAGES		40
#define KERNEL		0xffff888000000000ULL
#define NOBODY		4194303
/* Of all pages, if each has as many as its number, from 1. */
#define SAMPLES		(PAGES * (PAGES + 1) / 2)

FIXTURE(feed) {
	int fd;
	struct request req;
	struct htmm_feed_sample samples[SAMPLES];
};

/* The pages: they have memory, or a session soon forgets them. */
static char *heap;

static void feed_event(struct request *req)
{
	const struct htmm_event event = {
		.type = HTMM_TYPE_FEED, .period = 7, .name = "fed",
	};

	request_init(req, &event);
}

/* Page number i is sampled i times, in turn with the others as far as it goes. */
static void fill(struct htmm_feed_sample *samples, pid_t pid)
{
	int page, round, n = 0;

	for (round = 1; round <= PAGES; round++)
		for (page = round; page <= PAGES; page++)
			samples[n++] = (struct htmm_feed_sample) {
				.addr = (uintptr_t)heap + page * PAGE + round,
				.pid = pid,
				.tid = pid,
			};
}

FIXTURE_SETUP(feed)
{
	heap = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	ASSERT_NE(MAP_FAILED, heap);
	memset(heap, 1, (PAGES + 1) * PAGE);
	ASSERT_LE(0, self->fd = device_open());
	feed_event(&self->req);
	fill(self->samples, getpid());
}

FIXTURE_TEARDOWN(feed)
{
	check_closed(_metadata, self->fd);
}

/* Hands in samples with one call. Returns how many were taken, or a negative errno. */
static int feed_some(int fd, __u32 flags, const struct htmm_feed_sample *samples, __u32 n)
{
	struct htmm_feed feed = {
		.size = sizeof(feed),
		.flags = flags,
		.samples = (uintptr_t)samples,
		.nr_samples = n,
		.sample_size = sizeof(*samples),
	};
	int ret = device_ioctl(fd, HTMM_IOC_FEED, &feed);

	return ret < 0 ? ret : (int)(n - feed.nr_samples);
}

/* Hands in all of them, however long it takes. */
static int feed_all(int fd, __u32 flags, const struct htmm_feed_sample *samples, __u32 n)
{
	__u32 done = 0;
	int ret;

	while (done < n) {
		ret = feed_some(fd, flags, samples + done, n - done);
		if (ret < 0 && ret != -EAGAIN)
			return ret;
		if (ret < 0)
			usleep(1000);
		else
			done += ret;
	}
	return 0;
}

/* Each page has as many samples as @times its number. */
static void check_pages(struct __test_metadata *_metadata, int fd, pid_t pid, __u64 times)
{
	static struct pages pages;
	int i;

	ASSERT_EQ(0, pages_read(fd, &pages));
	for (i = 1; i <= PAGES; i++)
		EXPECT_EQ(i * times, pages_samples(&pages, pid, heap + i * PAGE, PAGE)) {
			TH_LOG("page %d", i);
		}
	EXPECT_EQ(SAMPLES * times, pages_total(&pages, pid));
}

static struct htmm_counters totals(struct __test_metadata *_metadata, int fd)
{
	static struct stats stats;

	EXPECT_EQ(0, stats_read(fd, &stats));
	return stats.s.total;
}

TEST_F(feed, page_for_page)
{
	struct htmm_counters total;

	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(2 * SAMPLES, total.overflows);
	EXPECT_EQ(2 * SAMPLES, total.counted);
	EXPECT_EQ(0, total.nmi);
	check_pages(_metadata, self->fd, getpid(), 2);
}

TEST_F(feed, addresses)
{
	struct htmm_counters total;

	self->samples[0].addr = 0;
	self->samples[1].addr = KERNEL;
	self->samples[2].addr = KERNEL + PAGE;
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(SAMPLES, total.overflows);
	EXPECT_EQ(1, total.drops[HTMM_DROP_NO_ADDR]);
	EXPECT_EQ(2, total.drops[HTMM_DROP_KERNEL_ADDR]);
	EXPECT_EQ(SAMPLES - 3, total.counted);
}

/* A process that is not there, or is none of a program, has no pages. */
TEST_F(feed, processes)
{
	struct htmm_counters total;

	self->samples[0].pid = NOBODY;
	self->samples[1].pid = 0;
	/* kthreadd */
	self->samples[2].pid = 2;
	self->samples[2].tid = 2;
	/* A thread of another process: only the process counts. */
	self->samples[3].tid = getppid();
	self->samples[6].pid = NOBODY;
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(4, total.drops[HTMM_DROP_STALE]);
	EXPECT_EQ(SAMPLES - 4, total.counted);
}

static void give_to(struct htmm_feed_sample *sample, pid_t pid)
{
	sample->pid = pid;
	sample->tid = pid;
}

static int sleeper(int sock, void *arg)
{
	return child_await(sock);
}

TEST_F(feed, targets)
{
	struct htmm_counters total;
	struct child child;
	int i;

	ASSERT_EQ(0, child_start(&child, sleeper, NULL));
	for (i = 0; i < 10; i++)
		give_to(&self->samples[i], child.pid);
	/* No thread of the process that is named: it is the process's all the same. */
	self->samples[i].tid = child.pid;
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(10, total.drops[HTMM_DROP_FILTERED]);
	EXPECT_EQ(SAMPLES - 10, total.counted);
	child_kill(&child);
}

TEST_F(feed, cgroups)
{
	static struct htmm_target_info info[HTMM_MAX_TARGETS];
	struct cgroup cgroup = {};
	struct child child;
	int i;

	if (!cgroup_possible())
		SKIP(return, "no cgroup2 hierarchy");
	ASSERT_EQ(0, cgroup_make(&cgroup, NULL, "feed"));
	ASSERT_EQ(0, child_start(&child, sleeper, NULL));
	ASSERT_EQ(0, cgroup_enter(&cgroup, child.pid));
	for (i = 0; i < 10; i++)
		give_to(&self->samples[3 * i], child.pid);
	request_add_cgroup(&self->req, cgroup.dir);
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(2, device_targets(self->fd, info));
	EXPECT_EQ(10, info[0].stats[HTMM_STAT_SAMPLES]);
	EXPECT_EQ(SAMPLES - 10, info[1].stats[HTMM_STAT_SAMPLES]);
	child_kill(&child);
	EXPECT_EQ(0, cgroup_remove(&cgroup));
}

/* What process 1 of a pid namespace feeds is its own, and not that of the machine's first. */
static int first_process(void *arg)
{
	struct _test_data_feed *self = arg;

	fill(self->samples, getpid());
	return getpid() == 1 && !feed_all(self->fd, 0, self->samples, SAMPLES) ? 0 : 1;
}

TEST_F(feed, pid_namespace)
{
	static char stack[65536];
	pid_t pid;
	int status;

	/* Its pages go with it. */
	self->req.arg.flags |= HTMM_START_KEEP_EXITED;
	ASSERT_START(self);
	pid = clone(first_process, stack + sizeof(stack), CLONE_NEWPID | SIGCHLD, self);
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, device_stop(self->fd));
	check_pages(_metadata, self->fd, pid, 1);
}

/* Two programs of another time with one pid, which is that of a program of now. */
TEST_F(feed, foreign)
{
	static struct pages pages;
	int i;

	self->req.arg.flags |= HTMM_START_KEEP_EXITED;
	for (i = 0; i < SAMPLES; i++)
		self->samples[i].cookie = 1 + i % 2;
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, HTMM_FEED_FOREIGN, self->samples, SAMPLES));
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(SAMPLES, totals(_metadata, self->fd).counted);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_LT(PAGES, pages.nr);
	check_pages(_metadata, self->fd, getpid(), 1);
	ASSERT_EQ(0, device_stop(self->fd));
}

TEST_F(feed, foreign_is_of_no_process)
{
	self->req.arg.flags |= HTMM_START_KEEP_EXITED;
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, HTMM_FEED_FOREIGN, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(SAMPLES, totals(_metadata, self->fd).drops[HTMM_DROP_FILTERED]);
}

/* A sample counts its period divided by the event's, and what served it. */
TEST_F(feed, periods_and_sources)
{
	const union perf_mem_data_src remote = {
		.mem_op = PERF_MEM_OP_LOAD, .mem_lvl_num = PERF_MEM_LVLNUM_RAM, .mem_remote = 1,
	};
	static struct served served;
	int i;

	for (i = 0; i < SAMPLES; i++)
		self->samples[i].period = 3 * 7;
	/* As many as the event says. */
	self->samples[0].period = 0;
	for (i = 0; i < 10; i++)
		self->samples[i].data_src = remote.val;
	self->req.arg.flags |= HTMM_START_WEIGHT_PERIOD | HTMM_START_SERVED;
	self->req.arg.sample_type |= PERF_SAMPLE_DATA_SRC;
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &served));
	EXPECT_EQ(3 * SAMPLES - 2, served_samples(&served, 0, -1));
	EXPECT_EQ(3 * 10 - 2, served_samples(&served, 0, HTMM_SOURCE_REMOTE));
}

/* More than a ring holds: the call tells how many were taken. */
TEST_F(feed, a_full_ring)
{
	__u64 taken = 0;
	int ret, calls;

	self->req.arg.ring_pages = 1;
	self->req.arg.drain_interval_ms = 1000;
	ASSERT_START(self);
	for (calls = 0; calls < 200; calls++) {
		ret = feed_some(self->fd, 0, self->samples, SAMPLES);
		if (ret == -EAGAIN)
			continue;
		ASSERT_LT(0, ret);
		ASSERT_GE(SAMPLES, ret);
		taken += ret;
	}
	ASSERT_EQ(0, device_stop(self->fd));
	/* The drain thread waits for a second, or for a quarter of the ring. */
	EXPECT_GT(200 * SAMPLES, taken);
	EXPECT_EQ(taken, totals(_metadata, self->fd).overflows);
	EXPECT_EQ(taken, totals(_metadata, self->fd).counted);
}

/* What the caller has lost is an overflow as others, also if it tells so when all is over. */
TEST_F(feed, lost)
{
	struct htmm_feed lost = {
		.size = sizeof(lost), .flags = HTMM_FEED_LOST, .nr_samples = 1000,
	};
	struct htmm_counters total;

	ASSERT_START(self);
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &lost));
	EXPECT_EQ(0, lost.nr_samples);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	lost.nr_samples = ~0U;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &lost));
	ASSERT_EQ(0, device_stop(self->fd));
	lost.nr_samples = 5;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &lost));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(1005ULL + ~0U + SAMPLES, total.overflows);
	EXPECT_EQ(1005ULL + ~0U, total.drops[HTMM_DROP_RING_FULL]);
	EXPECT_EQ(SAMPLES, total.counted);
	EXPECT_EQ(0, total.nmi);
	EXPECT_EQ(0, total.throttled);
}

/* How often the kernel has throttled the caller's event: no overflow is added. */
TEST_F(feed, throttled)
{
	struct htmm_feed throttled = {
		.size = sizeof(throttled), .flags = HTMM_FEED_THROTTLED, .nr_samples = 3,
	};
	struct htmm_counters total;

	ASSERT_START(self);
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &throttled));
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	throttled.nr_samples = 4;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &throttled));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(7, total.throttled);
	EXPECT_EQ(SAMPLES, total.overflows);
	EXPECT_EQ(SAMPLES, total.counted);
}

/* Samples are counted on the CPU that they are of, not on that of the call; the last is none. */
TEST_F(feed, cpus)
{
	static struct stats stats;
	struct htmm_feed feed = {
		.size = sizeof(feed), .flags = HTMM_FEED_CPU,
		.samples = (uintptr_t)self->samples, .sample_size = sizeof(self->samples[0]),
	};
	__u32 i, nr_cpus, sum = 0;

	ASSERT_START(self);
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	nr_cpus = stats.s.nr_channels;
	for (i = 0; i < nr_cpus; i++) {
		feed.cpu = stats.channels[i].cpu;
		feed.nr_samples = i + 1;
		ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
		ASSERT_EQ(0, feed.nr_samples);
		sum += i + 1;
	}
	feed.cpu = 1 << 20;
	feed.nr_samples = nr_cpus;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	feed = (struct htmm_feed) {
		.size = sizeof(feed), .flags = HTMM_FEED_CPU | HTMM_FEED_LOST,
		.nr_samples = 100, .cpu = stats.channels[0].cpu,
	};
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(100, stats.channels[0].counters.drops[HTMM_DROP_RING_FULL]);
	EXPECT_EQ(sum + nr_cpus + 100, stats.s.total.overflows);
	/* That of no CPU went to one of them. */
	for (i = 0; i < nr_cpus; i++)
		EXPECT_LE(i + 1, stats.channels[i].counters.counted);
}

TEST_F(feed, refused)
{
	struct htmm_feed feed = {
		.size = sizeof(feed), .samples = (uintptr_t)self->samples, .nr_samples = 1,
		.sample_size = sizeof(self->samples[0]),
	};
	struct htmm_feed bad;

	EXPECT_EQ(-ENODATA, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	ASSERT_START(self);
#define REFUSED(error, member, value) do {					\
	bad = feed;								\
	bad.member = value;							\
	EXPECT_EQ(-(error), device_ioctl(self->fd, HTMM_IOC_FEED, &bad));	\
} while (0)
	REFUSED(EINVAL, event, 1);
	REFUSED(EINVAL, event, HTMM_MAX_EVENTS);
	REFUSED(EINVAL, event, ~0U);
	REFUSED(EINVAL, flags, HTMM_FEED_FOREIGN);
	REFUSED(EINVAL, flags, HTMM_FEED_LOST);
	REFUSED(EINVAL, flags, HTMM_FEED_THROTTLED);
	REFUSED(EOPNOTSUPP, flags, 2 * HTMM_FEED_CPU);
	REFUSED(EINVAL, cpu, 1);
	REFUSED(EINVAL, sample_size, sizeof(self->samples[0]) - 1);
	REFUSED(E2BIG, sample_size, 4097);
	REFUSED(EFAULT, samples, 8);
	REFUSED(ESTALE, session, 1 << 30);
	self->samples[0].cookie = 1;
	REFUSED(EINVAL, event, 0);
	self->samples[0].cookie = 0;
	self->samples[0].period = 1ULL << 63;
	REFUSED(EINVAL, event, 0);
	self->samples[0].period = 0;
	feed.nr_samples = 0;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, totals(_metadata, self->fd).overflows);
	feed.nr_samples = 1;
	EXPECT_EQ(-ENODATA, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
}

/* A call that cannot tell how many it took takes none. */
TEST_F(feed, a_read_only_argument)
{
	struct htmm_feed *feed = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, feed);
	*feed = (struct htmm_feed) {
		.size = sizeof(*feed), .samples = (uintptr_t)self->samples,
		.nr_samples = SAMPLES, .sample_size = sizeof(self->samples[0]),
	};
	ASSERT_START(self);
	ASSERT_EQ(0, mprotect(feed, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, HTMM_IOC_FEED, feed));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, totals(_metadata, self->fd).overflows);
	ASSERT_EQ(0, munmap(feed, PAGE));
}

/* What came before a bad sample is taken, or part of it; the next call says what is wrong. */
TEST_F(feed, a_bad_sample)
{
	int ret, taken = 0;

	self->samples[SAMPLES - 1].cookie = 1;
	ASSERT_START(self);
	while ((ret = feed_some(self->fd, 0, self->samples + taken, SAMPLES - taken)) != -EINVAL) {
		ASSERT_TRUE(ret > 0 || ret == -EAGAIN);
		taken += ret > 0 ? ret : 0;
	}
	EXPECT_LT(0, taken);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(taken, totals(_metadata, self->fd).overflows);
	EXPECT_EQ(taken, totals(_metadata, self->fd).counted);
}

/* Those whose data came from nearer are dropped, as those of a PMU. */
TEST_F(feed, min_level)
{
	const union perf_mem_data_src local = {
		.mem_op = PERF_MEM_OP_LOAD, .mem_lvl_num = PERF_MEM_LVLNUM_RAM,
	};
	struct htmm_counters total;
	int i;

	for (i = 0; i < 10; i++)
		self->samples[i].data_src = local.val;
	self->req.events[0].min_level = HTMM_SOURCE_LOCAL;
	ASSERT_START(self);
	ASSERT_EQ(0, feed_all(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(10, total.counted);
	EXPECT_EQ(SAMPLES - 10, total.drops[HTMM_DROP_NEAR]);
}

/* Nobody here takes these samples. */
TEST_F(feed, its_period)
{
	struct htmm_set set = {
		.size = sizeof(set), .flags = HTMM_SET_PERIOD, .period = 1000,
	};
	static struct stats stats;

	ASSERT_START(self);
	EXPECT_EQ(-EOPNOTSUPP, device_ioctl(self->fd, HTMM_IOC_SET, &set));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(self->req.events[0].period, stats.channels[0].period);
	ASSERT_EQ(0, device_stop(self->fd));
}

/* Only those of this type are fed. */
TEST_F(feed, other_events)
{
	struct htmm_feed feed = {
		.size = sizeof(feed), .samples = (uintptr_t)self->samples, .nr_samples = 1,
		.sample_size = sizeof(self->samples[0]), .event = 1,
	};
	struct source source;

	ASSERT_TRUE(source_find(&source, ACCESS_FAULT));
	request_add_event(&self->req, &source.event);
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	EXPECT_EQ(SAMPLES, feed_some(self->fd, 0, self->samples, SAMPLES));
	ASSERT_EQ(0, device_stop(self->fd));
}

#define FEEDERS		4

/* Feeds whatever session there is until it is killed. */
static int feeder(int sock, void *arg)
{
	struct _test_data_feed *self = arg;
	int ret;

	fill(self->samples, getpid());
	child_post(sock);
	for (;;) {
		ret = feed_some(self->fd, 0, self->samples, SAMPLES);
		if (ret < 0 && ret != -EAGAIN && ret != -ENODATA)
			return 1;
	}
}

static void no_op(int signal)
{
}

/* Samples of no process: they fill no ring, so the call takes them all, for minutes. */
static int feed_nothing(int sock, void *arg)
{
	const struct sigaction action = { .sa_handler = no_op };
	const size_t bytes = UINT32_MAX * sizeof(struct htmm_feed_sample);
	struct htmm_feed *feed = arg;
	void *zeros = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);
	int fd = device_open();

	if (zeros == MAP_FAILED || sigaction(SIGUSR1, &action, NULL))
		return 1;
	feed->samples = (uintptr_t)zeros;
	return device_ioctl(fd, HTMM_IOC_FEED, feed) ? 1 : 0;
}

/* The module takes so many at a time. */
#define BATCH		256

/*
 * A signal ends the call at once, and what was handed in is counted: as much as the argument says,
 * which others see, too.
 */
static void end_in_the_middle(struct __test_metadata *_metadata, struct _test_data_feed *self,
			      int signal, int status)
{
	struct htmm_feed *feed = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct htmm_counters total;
	__u64 most = UINT32_MAX;
	struct child child;

	ASSERT_NE(MAP_FAILED, feed);
	*feed = (struct htmm_feed) {
		.size = sizeof(*feed), .nr_samples = UINT32_MAX,
		.sample_size = sizeof(self->samples[0]),
	};
	ASSERT_START(self);
	ASSERT_EQ(0, child_start(&child, feed_nothing, feed));
	ASSERT_SOON(totals(_metadata, self->fd).overflows > 1000);
	EXPECT_FALSE(child_ended(&child));
	kill(child.pid, signal);
	/*
	 * Statistics are read under a lock, and a signal ends the feeder's wait for it, too. So
	 * only one test looks at them: there, the batch in which the signal came is the last one.
	 */
	if (signal == SIGKILL)
		most = totals(_metadata, self->fd).overflows + BATCH;
	/* A call that goes on would do so for minutes. */
	ASSERT_SOON(child_ended(&child));
	EXPECT_EQ(status, child_join(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	total = totals(_metadata, self->fd);
	EXPECT_EQ(total.overflows, total.drops[HTMM_DROP_STALE]);
	EXPECT_GE(most, total.overflows);
	EXPECT_EQ(total.overflows, UINT32_MAX - feed->nr_samples);
	ASSERT_EQ(0, munmap(feed, PAGE));
}

TEST_F(feed, killed_in_the_middle)
{
	end_in_the_middle(_metadata, self, SIGKILL, 128 + SIGKILL);
}

/* A page fault ends with SIGKILL, but not with a signal that has a handler. */
TEST_F(feed, a_signal_in_the_middle)
{
	end_in_the_middle(_metadata, self, SIGUSR1, 0);
}

/* Feeds samples of no process, which are dropped, until it is killed. */
static int feed_stale(int sock, void *arg)
{
	static const struct htmm_feed_sample none[100];
	struct _test_data_feed *self = arg;

	child_post(sock);
	for (;;)
		if (feed_some(self->fd, 0, none, 100) < 0)
			return 1;
}

/* A reset beside a feeder: none of these samples was in an NMI, before and after it. */
TEST_F(feed, reset_beside)
{
	struct htmm_counters total;
	struct child child;
	/* Where CPUs run one after another, each waits for the feeder's turn. */
	int i, rounds = few_rounds() ? 200 : 2000;

	ASSERT_START(self);
	ASSERT_EQ(0, child_start(&child, feed_stale, self));
	ASSERT_EQ(0, child_await(child.sock));
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, device_reset(self->fd));
		total = totals(_metadata, self->fd);
		ASSERT_EQ(0, total.nmi);
	}
	EXPECT_FALSE(child_ended(&child));
	child_kill(&child);
	ASSERT_EQ(0, device_stop(self->fd));
}

/* Each session has what was handed in while it ran: device_stop() looks whether it adds up. */
TEST_F(feed, sessions_come_and_go)
{
	struct child child[FEEDERS];
	__u64 counted = 0;
	int i;

	self->req.arg.flags |= HTMM_START_KEEP_EXITED;
	for (i = 0; i < FEEDERS; i++) {
		ASSERT_EQ(0, child_start(&child[i], feeder, self));
		ASSERT_EQ(0, child_await(child[i].sock));
	}
	for (i = 0; i < 20; i++) {
		ASSERT_START(self);
		ASSERT_SOON(totals(_metadata, self->fd).counted);
		/* In the middle of a call, most likely. */
		if (i == 10)
			child_kill(&child[0]);
		ASSERT_EQ(0, device_stop(self->fd));
		counted += totals(_metadata, self->fd).counted;
	}
	EXPECT_LT(20, counted);
	for (i = 1; i < FEEDERS; i++) {
		EXPECT_FALSE(child_ended(&child[i]));
		child_kill(&child[i]);
	}
}

/* As many as FEED_SAMPLES says, of all feeders together. */
static __u64 feed_samples(void)
{
	const char *text = getenv("FEED_SAMPLES");

	return text ? strtoull(text, NULL, 0) : 50 * FEEDERS * SAMPLES;
}

/* Hands in its share, whichever sessions take it. */
static int feed_share(int sock, void *arg)
{
	struct _test_data_feed *self = arg;
	__u64 left = feed_samples() / FEEDERS;
	int ret, done = 0;

	fill(self->samples, getpid());
	while (left) {
		ret = feed_some(self->fd, 0, self->samples + done,
				left < SAMPLES - done ? left : SAMPLES - done);
		if (ret < 0 && ret != -EAGAIN && ret != -ENODATA)
			return 1;
		if (ret < 0)
			usleep(1000);
		done = ret > 0 ? (done + ret) % SAMPLES : done;
		left -= ret > 0 ? ret : 0;
	}
	/* A session forgets the pages of those that have exited. */
	child_post(sock);
	return child_await(sock);
}

static bool all_told(const struct child *child, bool *told)
{
	bool all = true;
	int i;

	for (i = 0; i < FEEDERS; i++) {
		told[i] = told[i] || child_told(child[i].sock);
		all = all && told[i];
	}
	return all;
}

/*
 * What many hand in while sessions begin and end is counted once, in one of them;
 * device_stop() looks whether each adds up.
 */
TEST_F_TIMEOUT(feed, each_in_one_session, 3600)
{
	const __u64 all = feed_samples() / FEEDERS * FEEDERS;
	__u64 overflows = 0, counted = 0;
	bool told[FEEDERS] = {}, end;
	struct child child[FEEDERS];
	struct htmm_counters total;
	int i, sessions = 0;

	for (i = 0; i < FEEDERS; i++)
		ASSERT_EQ(0, child_start(&child[i], feed_share, self));
	do {
		ASSERT_START(self);
		do {
			end = all_told(child, told);
			usleep(1000);
		} while (!end && totals(_metadata, self->fd).counted < all / 20);
		ASSERT_EQ(0, device_stop(self->fd));
		total = totals(_metadata, self->fd);
		overflows += total.overflows;
		counted += total.counted;
		sessions++;
	} while (!end);
	for (i = 0; i < FEEDERS; i++) {
		EXPECT_EQ(0, child_post(child[i].sock));
		EXPECT_EQ(0, child_join(&child[i]));
	}
	TH_LOG("%llu samples, %d sessions", all, sessions);
	EXPECT_EQ(all, overflows);
	EXPECT_EQ(all, counted);
	EXPECT_LT(2, sessions);
}

TEST_F(feed, an_event_with_a_config)
{
	self->req.events[0].config = 1;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
	EXPECT_SAYS(self->req.error, "no config");
	self->req.events[0].config = 0;
	self->req.events[0].precise_ip = 1;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
	self->req.events[0].precise_ip = 0;
	self->req.events[0].max_period = 8;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
	EXPECT_SAYS(self->req.error, "one period");
	self->req.events[0].max_period = 0;
}
