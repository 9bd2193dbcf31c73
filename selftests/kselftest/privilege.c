// SPDX-License-Identifier: GPL-2.0
/* Who may use /dev/htmm: capabilities, other users, 32-bit programs. */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include "check.h"
#include "child.h"
#include "records.h"

#define NOBODY		65534
#define ALL_CAPS	(~0ULL)
#define DEBUGFS		"/sys/kernel/debug/htmm"
#define TRACING		"/sys/kernel/tracing"

FIXTURE(privilege) {
	int fd;
	struct source source;
	struct request req;
};

FIXTURE_SETUP(privilege)
{
	source_find(&self->source, ACCESS_FAULT);
	request_init(&self->req, &self->source.event);
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(privilege)
{
	close(self->fd);
}

static int caps_keep(__u64 caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= caps;
	data[1].effective &= caps >> 32;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* A session exists, so every other ioctl would succeed otherwise. */
static void check_refused(struct __test_metadata *_metadata, int fd, struct request *req)
{
	struct htmm_histogram hist;
	struct htmm_info info;
	static struct pages pages;
	static struct stats stats;
	int nr, ret;

	/* Includes numbers that have no ioctl. */
	for (nr = 0; nr < 256; nr++) {
		if (_IO(HTMM_IOC_TYPE, nr) == HTMM_IOC_GET_INFO)
			continue;
		ret = device_ioctl(fd, _IO(HTMM_IOC_TYPE, nr), NULL);
		EXPECT_TRUE(ret == -EPERM || ret == -ENOTTY) {
			TH_LOG("ioctl %d returned %d", nr, ret);
		}
	}
	EXPECT_EQ(-EPERM, device_start(fd, req));
	EXPECT_EQ(-EPERM, device_ioctl(fd, HTMM_IOC_START, NULL));
	EXPECT_EQ(-EPERM, stats_read(fd, &stats));
	EXPECT_EQ(-EPERM, pages_read(fd, &pages));
	EXPECT_EQ(-EPERM, device_hist(fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(-EPERM, device_cool(fd, 0));
	EXPECT_EQ(-EPERM, device_set_capacity(fd, 0, 1));
	EXPECT_EQ(-EPERM, device_set_period(fd, 0, 1009));
	EXPECT_EQ(-EPERM, device_reset(fd));
	EXPECT_EQ(-EPERM, device_stop(fd));
	EXPECT_EQ(-EPERM, stream_join(fd, 0, 0));
	EXPECT_EQ(-ENOTTY, device_ioctl(fd, NO_SUCH_IOCTL, NULL));
	EXPECT_EQ(0, device_info(fd, &info));
	EXPECT_EQ(HTMM_STATE_RUNNING, info.state);
	EXPECT_LT(0, info.ring_pages);
	/* These take locks that sampling takes, too. */
	EXPECT_EQ(0, info.nr_cpus);
	EXPECT_EQ(0, info.ring_bytes);
	EXPECT_EQ(0, info.table_bytes);
	EXPECT_EQ(0, info.drain_pid);
}

static void check_permitted(struct __test_metadata *_metadata, int fd, struct request *req)
{
	struct htmm_histogram hist;
	static struct pages pages;

	EXPECT_EQ(0, device_start(fd, req));
	EXPECT_EQ(0, pages_read(fd, &pages));
	EXPECT_EQ(0, device_hist(fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(0, device_cool(fd, 0));
	EXPECT_EQ(0, device_set_capacity(fd, 0, 1));
	/* Without CAP_SYS_NICE there is a budget, which chooses the periods. */
	EXPECT_EQ(-EBUSY, device_set_period(fd, 0, 1009));
	EXPECT_EQ(0, device_reset(fd));
	EXPECT_EQ(0, device_stop(fd));
	EXPECT_EQ(0, stream_join(fd, 0, 0));
}

static void become_nobody(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(NOBODY, NOBODY, NOBODY));
	ASSERT_EQ(0, setresuid(NOBODY, NOBODY, NOBODY));
}

/* root opened the fd, but an open fd must not be enough. */
TEST_F(privilege, other_user)
{
	ASSERT_START(self);
	become_nobody(_metadata);
	check_refused(_metadata, self->fd, &self->req);
	EXPECT_EQ(-EACCES, device_open());
}

/* That the file is a reader of the stream must not be enough either. */
TEST_F(privilege, stream_of_another_user)
{
	struct tally tally = {};
	int reader = device_open();

	ASSERT_LE(0, reader);
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	ASSERT_EQ(0, stream_join(reader, 0, 0));
	ASSERT_START(self);
	access_pages(&self->source, access_map(16), 16, 1);
	EXPECT_LT(0, records_read(reader, 4096, &tally));
	access_pages(&self->source, access_map(16), 16, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_NE(0, stream_poll(reader) & POLLIN);
	become_nobody(_metadata);
	EXPECT_EQ(-EPERM, records_read(reader, 4096, &tally));
	EXPECT_EQ(POLLERR, stream_poll(reader));
	EXPECT_EQ(-EPERM, stream_join(reader, 0, 0));
	close(reader);
}

static int file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

TEST_F(privilege, files_of_another_user)
{
	static const char * const files[] = {
		DEBUGFS, DEBUGFS "/status", DEBUGFS "/stats", DEBUGFS "/hist",
		DEBUGFS "/hot_pages", DEBUGFS "/targets", TRACING, TRACING "/trace_pipe",
		TRACING "/events/htmm/htmm_sample/id",
	};
	char text[256];
	int hot, fd;
	size_t i;

	ASSERT_START(self);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		fd = file_open(files[i]);
		ASSERT_LE(0, fd) {
			TH_LOG("%s: %s", files[i], strerror(-fd));
		}
		close(fd);
	}
	hot = file_open(DEBUGFS "/hot_pages");
	become_nobody(_metadata);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		EXPECT_EQ(-EACCES, file_open(files[i])) {
			TH_LOG("%s", files[i]);
		}
	}
	/* root opened it; still, addresses are not for everyone. */
	EXPECT_EQ(-1, read(hot, text, sizeof(text)));
	EXPECT_EQ(EPERM, errno);
	close(hot);
}

/* A tracepoint on all CPUs, opened as perf does it. */
static int tracepoint_open(const char *id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = atoi(id),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

TEST_F(privilege, tracepoint_of_another_user)
{
	char id[16] = "";
	int fd;

	fd = file_open(TRACING "/events/htmm/htmm_sample/id");
	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, id, sizeof(id) - 1));
	close(fd);
	fd = tracepoint_open(id);
	ASSERT_LE(0, fd);
	close(fd);
	become_nobody(_metadata);
	fd = tracepoint_open(id);
	EXPECT_TRUE(fd == -EPERM || fd == -EACCES) {
		TH_LOG("returned %d", fd);
	}
}

TEST_F(privilege, root_without_the_capability)
{
	char text[256];
	int fd;

	ASSERT_START(self);
	ASSERT_EQ(0, caps_keep(ALL_CAPS & ~(1ULL << CAP_PERFMON) & ~(1ULL << CAP_SYS_ADMIN)));
	check_refused(_metadata, self->fd, &self->req);
	fd = file_open(DEBUGFS "/hot_pages");
	EXPECT_EQ(-1, read(fd, text, sizeof(text)));
	EXPECT_EQ(EPERM, errno);
	close(fd);
}

TEST_F(privilege, perfmon_alone)
{
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	check_permitted(_metadata, self->fd, &self->req);
}

TEST_F(privilege, sys_admin_alone)
{
	ASSERT_EQ(0, caps_keep(1ULL << CAP_SYS_ADMIN));
	check_permitted(_metadata, self->fd, &self->req);
}

/* How many pages of a list are on a known node; each of the others has @flag or not. */
static size_t pages_placed(struct __test_metadata *_metadata, int fd, __u32 flag)
{
	const struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT, .min_samples = 1 };
	size_t i, placed = 0;
	static struct pages pages;

	ASSERT_EQ(0, pages_list(fd, &request, 100, &pages));
	EXPECT_LE(64, pages.nr);
	for (i = 0; i < pages.nr; i++) {
		EXPECT_EQ(flag, pages.page[i].flags & HTMM_PAGE_HIDDEN);
		placed += pages.page[i].node != HTMM_NODE_UNKNOWN;
	}
	return placed;
}

/* What is in memory, sampled or not, is for those who may trace processes. */
TEST_F(privilege, page_tables)
{
	struct htmm_list_pages
		resident = { .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_TABLE },
		node = { .flags = HTMM_LIST_NODE },
		others = { .flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE | HTMM_LIST_OTHERS,
			   .order = HTMM_ORDER_TABLE };
	struct source every;
	struct placement placement;
	static struct pages pages;

	source_every_fault(&every);
	request_init(&self->req, &every.event);
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	access_pages(&every, access_map(64), 64, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_PTRACE));
	EXPECT_LE(60, pages_placed(_metadata, self->fd, 0));
	ASSERT_EQ(0, pages_list(self->fd, &resident, 1000, &pages));
	EXPECT_EQ(0, device_placement(self->fd, 0, &placement));

	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	EXPECT_EQ(0, pages_placed(_metadata, self->fd, HTMM_PAGE_HIDDEN));
	EXPECT_EQ(-EPERM, pages_list(self->fd, &resident, 1000, &pages));
	EXPECT_EQ(-EPERM, pages_list(self->fd, &node, 1000, &pages));
	EXPECT_EQ(-EPERM, pages_list(self->fd, &others, 1000, &pages));
	EXPECT_EQ(-EPERM, device_placement(self->fd, 0, &placement));
}

/* The request is refused with a message that contains @hint. */
static void refused(struct __test_metadata *_metadata, FIXTURE_DATA(privilege) *self,
		    const char *hint)
{
	EXPECT_EQ(-EPERM, device_start(self->fd, &self->req));
	EXPECT_SAYS(self->req.error, hint);
	check_idle(_metadata);
}

/* The request is accepted; nothing of its session is left. */
static void accepted(struct __test_metadata *_metadata, FIXTURE_DATA(privilege) *self)
{
	ASSERT_START(self);
	EXPECT_EQ(0, device_stop(self->fd));
	close(self->fd);
	ASSERT_LE(0, self->fd = device_open());
}

/* What is fed costs ksampled time, and nothing limits how much is fed. */
TEST_F(privilege, feeding)
{
	self->req.events[0] = (struct htmm_event) { .type = HTMM_TYPE_FEED, .period = 1 };
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_NICE));
	accepted(_metadata, self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	refused(_metadata, self, "CAP_SYS_NICE");
}

/* Nor may others feed the session of one who may. */
TEST_F(privilege, feeding_a_session_of_others)
{
	struct htmm_feed_sample sample = {};
	struct htmm_feed feed = {
		.size = sizeof(feed), .samples = (uintptr_t)&sample, .nr_samples = 1,
		.sample_size = sizeof(sample),
	};

	self->req.events[0] = (struct htmm_event) { .type = HTMM_TYPE_FEED, .period = 1 };
	ASSERT_START(self);
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	EXPECT_EQ(-EPERM, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* As for any thread: a nice value that setpriority() would refuse is refused. */
TEST_F(privilege, nice_of_the_threads)
{
	const struct rlimit some = { 25, 25 };

	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_RESOURCE));
	self->req.arg.drain_nice = 19;
	accepted(_metadata, self);
	self->req.arg.drain_nice = 0;
	accepted(_metadata, self);
	self->req.arg.drain_nice = -1;
	refused(_metadata, self, "CAP_SYS_NICE");
	refused(_metadata, self, "of 21");
	ASSERT_EQ(0, setrlimit(RLIMIT_NICE, &some));
	self->req.arg.drain_nice = -6;
	refused(_metadata, self, "of 26");
	self->req.arg.drain_nice = -5;
	accepted(_metadata, self);
}

TEST_F(privilege, cpus_of_the_threads)
{
	int cpus[2];
	__u64 mask;

	if (cpus_allowed(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, cpu_pin(cpus[0]));
	self->req.arg.drain_cpus = (uintptr_t)&mask;
	self->req.arg.drain_cpus_size = sizeof(mask);
	mask = 1ULL << cpus[1];
	accepted(_metadata, self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	refused(_metadata, self, "taskset");
	mask |= 1ULL << cpus[0];
	refused(_metadata, self, "CAP_SYS_NICE");
	mask = 1ULL << cpus[0];
	accepted(_metadata, self);
}

static void expect_cpus_of_thread(struct __test_metadata *_metadata, int fd,
				  const cpu_set_t *expected)
{
	struct htmm_info info;
	cpu_set_t cpus;

	EXPECT_EQ(0, device_info(fd, &info));
	EXPECT_EQ(0, sched_getaffinity(info.drain_pid, sizeof(cpus), &cpus));
	EXPECT_TRUE(CPU_EQUAL(expected, &cpus)) {
		TH_LOG("the thread may use %d CPUs, not %d", CPU_COUNT(&cpus), CPU_COUNT(expected));
	}
}

/* Left out, they are the caller's CPUs, except for one who may use others. */
TEST_F(privilege, default_cpus_of_the_threads)
{
	cpu_set_t all, own;
	int cpus[2];

	if (cpus_allowed(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	ASSERT_EQ(0, cpu_pin(cpus[1]));
	ASSERT_START(self);
	expect_cpus_of_thread(_metadata, self->fd, &all);
	ASSERT_EQ(0, device_stop(self->fd));
	close(self->fd);
	self->fd = device_open();
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	ASSERT_START(self);
	CPU_ZERO(&own);
	CPU_SET(cpus[1], &own);
	expect_cpus_of_thread(_metadata, self->fd, &own);
	EXPECT_EQ(0, device_stop(self->fd));
}

/* What a caller without CAP_SYS_NICE gets who does not speak of the cost. */
TEST_F(privilege, default_budget)
{
	struct htmm_info info;

	ASSERT_START(self);
	EXPECT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(0, info.session_flags & HTMM_START_BUDGET);
	ASSERT_EQ(0, device_stop(self->fd));
	close(self->fd);
	self->fd = device_open();
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	ASSERT_START(self);
	EXPECT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(HTMM_START_BUDGET, info.session_flags & HTMM_START_BUDGET);
	EXPECT_EQ(HTMM_USER_BUDGET_PPM, info.budget_ppm);
	EXPECT_EQ(0, device_stop(self->fd));
}

/* A lower budget than the default is not replaced by it. */
TEST_F(privilege, own_budget)
{
	struct htmm_info info;

	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	self->req.arg.flags |= HTMM_START_BUDGET;
	self->req.arg.budget_ppm = 701;
	ASSERT_START(self);
	EXPECT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(701, info.budget_ppm);
	EXPECT_EQ(0, device_stop(self->fd));
	self->req.arg.budget_ppm = 0;
	ASSERT_START(self);
	EXPECT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(0, info.budget_ppm);
	EXPECT_EQ(0, device_stop(self->fd));
}

/* Everything that keeps a budget from limiting the cost. */
TEST_F(privilege, limits_of_the_budget)
{
	struct htmm_start *arg = &self->req.arg;

	arg->flags |= HTMM_START_BUDGET;
	arg->budget_ppm = HTMM_USER_MAX_BUDGET_PPM + 1;
	arg->budget_interval_ms = HTMM_USER_MAX_BUDGET_MS + 1;
	self->req.events[0].max_period = self->req.events[0].period * 7;
	accepted(_metadata, self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	refused(_metadata, self, "above 250000 it takes CAP_SYS_NICE");
	arg->budget_ppm--;
	refused(_metadata, self, "above 1000 it takes CAP_SYS_NICE");
	arg->budget_interval_ms--;
	refused(_metadata, self, "event 0: a max_period");
	self->req.events[0].max_period = 0;
	accepted(_metadata, self);
}

/* Coolings and adaptations take the time of the drain thread, too. */
TEST_F(privilege, periods_of_the_threads)
{
	struct htmm_start *arg = &self->req.arg;

	arg->max_bytes = 32 << 20;
	arg->cooling_period = 1;
	arg->adaptation_period = 1;
	accepted(_metadata, self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	refused(_metadata, self, "below 524288, a sample for each 64 bytes");
	arg->cooling_period = (32 << 20) / HTMM_USER_COOLING_BYTES - 1;
	refused(_metadata, self, "cooling_period");
	arg->cooling_period++;
	refused(_metadata, self, "adaptation_period is 1: below 1000");
	arg->adaptation_period = HTMM_USER_MIN_ADAPTATION;
	accepted(_metadata, self);
	/* A target's own table may be larger. */
	request_add_target(&self->req, getpid());
	self->req.targets[0].max_bytes = 33 << 20;
	refused(_metadata, self, "below 540672");
}

static int waits(int sock, void *unused)
{
	(void)unused;
	child_post(sock);
	pause();
	return 0;
}

/* So may that of a target which is added later. */
TEST_F(privilege, cooling_of_a_later_target)
{
	struct htmm_target target = {
		.type = HTMM_TARGET_TGID,
		.max_bytes = 33 << 20,
	};
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};
	struct child child;

	self->req.arg.max_bytes = 32 << 20;
	self->req.arg.cooling_period = (32 << 20) / HTMM_USER_COOLING_BYTES;
	request_add_target(&self->req, getpid());
	ASSERT_EQ(0, child_start(&child, waits, NULL));
	target.id = child.pid;
	ASSERT_START(self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	EXPECT_EQ(-EPERM, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	target.max_bytes = 32 << 20;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(0, device_stop(self->fd));
	child_kill(&child);
}

/* So does a cooling on request, whichever target it is for; a refused one is none. */
TEST_F(privilege, coolings_on_request)
{
	const __u64 wait = (160 << 20) * (__u64)HTMM_USER_COOL_NS;
	static struct stats stats;
	__u64 begin;
	int ret;

	self->req.arg.max_bytes = 160 << 20;
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	begin = now_ns();
	EXPECT_EQ(0, device_cool(self->fd, 0));
	EXPECT_EQ(0, device_cool(self->fd, 0));
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	do {
		ret = device_cool(self->fd, 1);
	} while (ret == -EBUSY);
	EXPECT_EQ(0, ret);
	EXPECT_LE(wait, now_ns() - begin);
	EXPECT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(3, stats.s.stats[HTMM_STAT_COOLINGS]);
	EXPECT_EQ(0, device_stop(self->fd));
}

/* Who says that interrupts cost nothing has no budget. */
TEST_F(privilege, cost_of_an_interrupt)
{
	self->req.arg.interrupt_ns = 1;
	accepted(_metadata, self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	refused(_metadata, self, "interrupt_ns is 1: below 2000");
	self->req.arg.interrupt_ns = 1999;
	refused(_metadata, self, "interrupt_ns is 1999: below 2000");
	self->req.arg.interrupt_ns = 2000;
	accepted(_metadata, self);
	self->req.arg.interrupt_ns = 0;
	accepted(_metadata, self);
}

/* Who may use the CPU time that the periods cost said so at the start. */
TEST_F(privilege, period_of_a_session)
{
	struct htmm_event *event = &self->req.events[0];

	event->period = 1009;
	ASSERT_START(self);
	EXPECT_EQ(0, device_set_period(self->fd, 0, 11));
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	EXPECT_EQ(-EPERM, device_set_period(self->fd, 0, 1008));
	EXPECT_EQ(0, device_set_period(self->fd, 0, 2003));
	EXPECT_EQ(0, device_set_period(self->fd, 0, 1009));
	EXPECT_EQ(-EINVAL, device_set_period(self->fd, 0, 0));
	EXPECT_EQ(0, device_stop(self->fd));
}

/* The default budget holds even where each page fault is a sample at first. */
TEST_F(privilege, cost_within_the_default_budget)
{
	void *mem = access_map(256);
	static struct stats stats;
	int tries = 20000;

	ASSERT_NE(NULL, mem);
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	self->req.arg.budget_interval_ms = 100;
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	ASSERT_START(self);
	do {
		ASSERT_LT(0, --tries);
		access_pages(&self->source, mem, 256, 1);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	} while (!stats.s.stats[HTMM_STAT_PERIOD_CHANGES] ||
		 stats.s.cost_ppm > HTMM_USER_BUDGET_PPM);
	EXPECT_LT(0, stats.s.total.counted);
	EXPECT_EQ(0, device_stop(self->fd));
}

/* perf's rule: 516 KiB for each CPU plus RLIMIT_MEMLOCK, without limit for CAP_IPC_LOCK. */
TEST_F(privilege, memory_of_the_rings)
{
	const struct rlimit none = { 0, 0 };

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
	self->req.arg.ring_pages = 256;
	accepted(_metadata, self);
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	refused(_metadata, self, "ulimit -l");
	refused(_metadata, self, "CAP_IPC_LOCK");
	/* Each event has rings: two of 256 KiB fit where two of 512 do not. */
	self->req.arg.ring_pages = 128;
	request_add_event(&self->req, &self->req.events[0]);
	refused(_metadata, self, "ulimit -l");
	self->req.arg.ring_pages = 64;
	accepted(_metadata, self);
	self->req.arg.nr_events = 1;
	self->req.arg.ring_pages = 128;
	close(self->fd);
	self->fd = device_open();
	accepted(_metadata, self);
}

/* The limit is in bytes, what is told of it in KiB: half a ring more for each CPU is not enough. */
TEST_F(privilege, memory_within_a_limit)
{
	const __u64 cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit = { 508 * 1024 * cpus, 508 * 1024 * cpus };

	self->req.arg.ring_pages = 256;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	accepted(_metadata, self);
	limit.rlim_cur = 507 * 1024 * cpus;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	refused(_metadata, self, "ulimit -l");
}

#ifdef __x86_64__

/* The number of ioctl() in the 32-bit table. */
#define NR32_IOCTL	54
#define NR32_GETPID	20

/* Makes a system call as a 32-bit program does. */
static int syscall32(int nr, __u32 a, __u32 b, __u32 c)
{
	int ret;

	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static int try_syscall32(int sock, void *arg)
{
	return syscall32(NR32_GETPID, 0, 0, 0) != getpid();
}

static bool has_syscall32(void)
{
	struct child child;

	return !child_start(&child, try_syscall32, NULL) && !child_join(&child);
}

/* A 32-bit program can only point below 4 GiB. */
struct low {
	struct request req;
	struct htmm_session_id stop;
	struct htmm_target_id cool;
	struct htmm_info info;
	struct htmm_histogram hist;
	struct htmm_stats stats;
	struct htmm_channel_info channel;
	struct htmm_list_pages list;
	struct htmm_page page;
};

static int ioctl32(int fd, unsigned int cmd, void *arg)
{
	return syscall32(NR32_IOCTL, fd, cmd, (uintptr_t)arg);
}

TEST_F(privilege, program_of_32_bits)
{
	struct low *low;
	void *mem;

	if (!has_syscall32())
		SKIP(return, "this kernel runs no 32-bit programs");
	low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)low);
	ASSERT_NE(NULL, mem = access_map(16));
	source_every_fault(&self->source);
	request_init(&low->req, &self->source.event);
	request_add_target(&low->req, getpid());
	low->stop.size = sizeof(low->stop);
	low->cool.size = sizeof(low->cool);

	EXPECT_EQ(-ENOTTY, ioctl32(self->fd, NO_SUCH_IOCTL, &low->stop));
	EXPECT_EQ(-EFAULT, ioctl32(self->fd, HTMM_IOC_STOP, NULL));
	EXPECT_EQ(-EALREADY, ioctl32(self->fd, HTMM_IOC_STOP, &low->stop));
	EXPECT_EQ(-ENODATA, ioctl32(self->fd, HTMM_IOC_COOL, &low->cool));
	ASSERT_EQ(0, ioctl32(self->fd, HTMM_IOC_START, &low->req.arg)) {
		TH_LOG("%s", low->req.error);
	}
	low->req.arg.session = 0;
	EXPECT_EQ(-EBUSY, ioctl32(self->fd, HTMM_IOC_START, &low->req.arg));
	access_pages(&self->source, mem, 16, 1);
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_STOP, &low->stop));

	low->info.size = sizeof(low->info);
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_INFO, &low->info));
	EXPECT_EQ(HTMM_STATE_STOPPED, low->info.state);
	EXPECT_EQ(getpid(), low->info.owner);
	low->hist.size = sizeof(low->hist);
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_HIST, &low->hist));
	EXPECT_LE(16, low->hist.pages);
	EXPECT_LE(16, low->hist.bins[1]);
	low->stats = (struct htmm_stats) {
		.size = sizeof(low->stats),
		.channels = (uintptr_t)&low->channel,
		.nr_channels = 1,
		.channel_size = sizeof(low->channel),
	};
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_STATS, &low->stats));
	EXPECT_LE(16, low->stats.total.counted);
	EXPECT_EQ(1, low->channel.period);
	low->list = (struct htmm_list_pages) {
		.size = sizeof(low->list),
		.pages = (uintptr_t)&low->page,
		.nr_pages = 1,
		.page_size = sizeof(low->page),
	};
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_LIST_PAGES, &low->list));
	EXPECT_EQ(1, low->list.nr_pages);
	EXPECT_EQ(getpid(), low->page.pid);
}

#endif /* __x86_64__ */
