// SPDX-License-Identifier: GPL-2.0
/* Pages belong to a program, not to a pid: exit, exec(), reused pids. */
#include <fcntl.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <linux/sched.h>
#include "check.h"
#include "child.h"

#define PAGES		16
/* Number of processes at the same time. */
#define MANY		24
/* Processes that exit soon, and how often they are run. */
#define SHORT_CHILDREN	48
#define SHORT_ROUNDS	12
/* A kernel that checks itself notices the use of what is freed, and takes long to fork. */
#define FEW_ROUNDS	4
/* Regions that are removed in several steps. */
#define MANY_REGIONS	600
/* Samples that fill a ring of 64 pages to its watermark. */
#define WAKING		1040

FIXTURE(space) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
	void *regions;
};

FIXTURE_SETUP(space)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(space) { check_closed(_metadata, self->fd); }

static void touch(struct _test_data_space *self, int rounds)
{
	access_pages(&self->source, self->mem, PAGES, rounds);
}

static void touch_thrice(void *self)
{
	touch(self, 3);
}

/* Starts a child, samples it alone, and lets it touch its pages three times. */
static void sample_child(struct __test_metadata *_metadata,
			 struct _test_data_space *self, struct child *child)
{
	ASSERT_EQ(0, child_worker(child, touch_thrice, self));
	request_add_target(&self->req, child->pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(child));
}

static void await_samples(struct __test_metadata *_metadata, int fd, __u64 samples)
{
	static struct stats stats;

	ASSERT_SOON(!stats_read(fd, &stats) && stats.s.stats[HTMM_STAT_SAMPLES] >= samples);
}

TEST_F(space, exited_pages_are_kept)
{
	struct child child;
	static struct pages pages;
	static struct stats stats;
	size_t i;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	sample_child(_metadata, self, &child);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_EXITED]);
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_STALE]);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(3 * PAGES, pages_samples(&pages, child.pid, self->mem, PAGES * PAGE));
	for (i = 0; i < pages.nr; i++) {
		EXPECT_EQ(child.pid, pages.page[i].pid);
		EXPECT_EQ(pages.page[0].space, pages.page[i].space);
	}
}

/* The space of a process' pages; 0: it has no pages. */
static __u32 space_of(struct __test_metadata *_metadata, int fd, pid_t pid)
{
	static struct pages pages;
	__u32 space = 0;
	size_t i;

	ASSERT_EQ(0, pages_read(fd, &pages));
	for (i = 0; i < pages.nr; i++)
		if (pages.page[i].pid == pid)
			space = pages.page[i].space;
	return space;
}

/* If a number were reused at once, a reader could confuse two processes. */
TEST_F(space, numbers_are_not_used_again_soon)
{
	__u32 space, last = 0;
	struct child child;
	int i;

	ASSERT_START(self);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, child_worker(&child, touch_thrice, self));
		ASSERT_EQ(0, child_do(&child));
		ASSERT_SOON(space = space_of(_metadata, self->fd, child.pid));
		EXPECT_LT(last, space);
		last = space;
		child_kill(&child);
		ASSERT_SOON(!space_of(_metadata, self->fd, child.pid));
	}
}

TEST_F(space, exited_pages_are_marked)
{
	struct child child;
	static struct pages pages;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	sample_child(_metadata, self, &child);
	await_samples(_metadata, self->fd, 3 * PAGES);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	ASSERT_LT(0, pages.nr);
	EXPECT_EQ(0, pages.page[0].flags & HTMM_PAGE_EXITED);
	child_kill(&child);
	ASSERT_SOON(!pages_read(self->fd, &pages) && pages.nr &&
		    pages.page[0].flags & HTMM_PAGE_EXITED);
	EXPECT_EQ(child.pid, pages.page[0].pid);
}

TEST_F(space, exited_pages_leave)
{
	struct htmm_histogram hist;
	struct child child;
	static struct stats stats;
	static struct pages pages;
	__u64 tracked;

	sample_child(_metadata, self, &child);
	await_samples(_metadata, self->fd, 3 * PAGES);
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	tracked = hist.pages;
	EXPECT_LE(PAGES, tracked);
	child_kill(&child);
	ASSERT_SOON(!device_hist(self->fd, HTMM_UNIT_PAGE, &hist) && !hist.pages);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(0, pages.nr);
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LE(tracked, stats.s.stats[HTMM_STAT_EXITED]);
	EXPECT_LE(3 * PAGES, stats.s.stats[HTMM_STAT_SAMPLES]);
}

/* A drain thread that sleeps for long keeps no pages of exited processes in the table. */
TEST_F(space, many_leave_while_the_thread_sleeps)
{
	struct child children[MANY];
	static struct stats stats;
	int i;

	self->req.arg.drain_interval_ms = 1000;
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, child_worker(&children[i], touch_thrice, self));
	ASSERT_START(self);
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(0, child_do(&children[i]));
	}
	await_samples(_metadata, self->fd, MANY * 3 * PAGES);
	for (i = 0; i < MANY; i++)
		child_kill(&children[i]);
	ASSERT_SOON(!stats_read(self->fd, &stats) &&
		    stats.s.stats[HTMM_STAT_EXITED] >= MANY * PAGES);
}

/*
 * A process is sampled alone, and exits. Returns true if nothing was drained meanwhile, so
 * that all samples are still in the rings: a slow machine may take longer than the longest
 * interval.
 */
static bool exits_between_batches(struct __test_metadata *_metadata, struct _test_data_space *self)
{
	struct child child;
	static struct stats stats;

	self->req.arg.nr_targets = 0;
	sample_child(_metadata, self, &child);
	child_kill(&child);
	EXPECT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, device_stop(self->fd));
	return !stats.s.stats[HTMM_STAT_BATCHES];
}

/* Samples still in the ring when their process exits are stale. */
TEST_F(space, last_samples_are_stale)
{
	static struct stats stats;
	int tries = 10;

	self->req.arg.drain_interval_ms = 10000;
	while (!exits_between_batches(_metadata, self))
		ASSERT_LT(0, --tries);
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LE(3 * PAGES, stats.s.total.drops[HTMM_DROP_STALE]);
	EXPECT_GT(PAGES, stats.s.stats[HTMM_STAT_SAMPLES]);
	EXPECT_EQ(0, device_samples(self->fd, 0, self->mem, PAGES * PAGE));
}

static void touch_each(void *self)
{
	touch(self, 1);
}

/* Samples of @gone between those of @stays: true if all were in one ring at the same time. */
static bool exits_between_samples(struct __test_metadata *_metadata,
				  struct _test_data_space *self, struct child *stays)
{
	struct child gone;
	static struct stats stats;

	ASSERT_EQ(0, child_worker(stays, touch_each, self));
	ASSERT_EQ(0, child_worker(&gone, touch_thrice, self));
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(stays));
	ASSERT_EQ(0, child_do(&gone));
	child_kill(&gone);
	ASSERT_EQ(0, child_do(stays));
	EXPECT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, device_stop(self->fd));
	return !stats.s.stats[HTMM_STAT_BATCHES];
}

/* What is dropped takes nothing with it that comes after it in the batch. */
TEST_F(space, samples_after_stale_ones)
{
	struct child stays;
	static struct stats stats;
	int tries = 10, cpu;

	ASSERT_LE(1, cpus_allowed(&cpu, 1));
	ASSERT_EQ(0, cpu_pin(cpu));
	self->req.arg.drain_interval_ms = 10000;
	while (!exits_between_samples(_metadata, self, &stays)) {
		child_kill(&stays);
		ASSERT_LT(0, --tries);
	}
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LE(3 * PAGES, stats.s.total.drops[HTMM_DROP_STALE]);
	EXPECT_EQ(2 * PAGES, device_samples(self->fd, stays.pid, self->mem, PAGES * PAGE));
	child_kill(&stays);
}

/* First so often that ksampled is woken, then less often, but for more than two batches. */
static void touch_regions(void *self)
{
	const struct _test_data_space *it = self;
	static int calls;
	int i, nr = calls++ ? 900 : WAKING;

	for (i = 0; i < nr; i++)
		access_pages(&it->source, it->regions + i % MANY_REGIONS * REGION, 1, 1);
}

static void touch_and_wake(void *self)
{
	touch(self, WAKING / PAGES);
}

/*
 * What is added to an address space while it is removed would never be found again. A process
 * exits with samples in the ring; after the first batch of them its pages are removed in several
 * steps, and the others come in between. Nothing wakes ksampled but a ring at its watermark.
 */
TEST_F(space, samples_while_pages_are_removed)
{
	struct child child, other;
	static struct stats stats;
	struct htmm_histogram hist;
	int cpu;

	ASSERT_NE(NULL, self->regions = access_reserve(MANY_REGIONS * REGION));
	ASSERT_LE(1, cpus_allowed(&cpu, 1));
	ASSERT_EQ(0, cpu_pin(cpu));
	self->req.arg.drain_interval_ms = HTMM_MAX_DRAIN_MS;
	self->req.arg.ring_pages = 64;
	ASSERT_EQ(0, child_worker(&child, touch_regions, self));
	ASSERT_EQ(0, child_worker(&other, touch_and_wake, self));
	request_add_target(&self->req, child.pid);
	request_add_target(&self->req, other.pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&child));
	await_samples(_metadata, self->fd, MANY_REGIONS);
	ASSERT_EQ(0, child_do(&child));
	child_kill(&child);
	ASSERT_EQ(0, child_do(&other));
	ASSERT_SOON(!stats_read(self->fd, &stats) &&
		    stats.s.stats[HTMM_STAT_EXITED] >= MANY_REGIONS);
	EXPECT_EQ(0, device_target_hist(self->fd, 1, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(0, hist.pages);
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_LT(0, stats.s.total.drops[HTMM_DROP_STALE]);
	child_kill(&other);
}

/*
 * Without address randomization, a shell that executes itself faults at the same addresses
 * twice.
 */
static int exec_twice(int sock, void *arg)
{
	personality(ADDR_NO_RANDOMIZE);
	child_await(sock);
	execl("/bin/sh", "sh", "-c", "exec /bin/sh -c :", NULL);
	return 1;
}

TEST_F(space, exec_begins_a_new_space)
{
	size_t i, j, twice = 0;
	struct child child;
	static struct pages pages;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	ASSERT_EQ(0, child_start(&child, exec_twice, NULL));
	request_add_target(&self->req, child.pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(child.sock));
	EXPECT_EQ(0, child_join(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	ASSERT_LT(20, pages.nr);
	for (i = 0; i < pages.nr; i++) {
		EXPECT_EQ(child.pid, pages.page[i].pid);
		for (j = 0; j < i; j++) {
			if (pages.page[i].addr != pages.page[j].addr)
				continue;
			EXPECT_NE(pages.page[i].space, pages.page[j].space);
			twice++;
		}
	}
	EXPECT_LT(10, twice) {
		TH_LOG("two programs share their pages");
	}
}

/* exec() closes them one by one, while the process has new memory and its old identity. */
#define CLOSED_FILES	(kernel_checks_itself() ? 4000 : 32000)

static int exec_slowly(int sock, void *arg)
{
	const int nr = CLOSED_FILES;
	const struct rlimit files = { nr + 64, nr + 64 };
	int i;

	if (setrlimit(RLIMIT_NOFILE, &files))
		return 1;
	for (i = 0; i < nr; i++)
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			return 1;
	child_post(sock);
	child_await(sock);
	touch(arg, 1);
	child_post(sock);
	child_await(sock);
	execl("/bin/true", "true", NULL);
	return 1;
}

static void locate_while_it_executes(struct __test_metadata *_metadata,
				     struct _test_data_space *self)
{
	const struct htmm_list_pages residents = {
		.flags = HTMM_LIST_RESIDENT,
		.order = HTMM_ORDER_TABLE,
	};
	size_t i, there, lists = 0;
	struct child child;
	static struct pages pages;

	ASSERT_EQ(0, child_start(&child, exec_slowly, self));
	ASSERT_EQ(0, child_await(child.sock));
	self->req.arg.nr_targets = 0;
	request_add_target(&self->req, child.pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(child.sock));
	ASSERT_EQ(0, child_await(child.sock));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, child_post(child.sock));
	do {
		ASSERT_EQ(0, pages_list(self->fd, &residents, 4096, &pages));
		for (i = 0, there = 0; i < pages.nr; i++)
			there += pages.page[i].addr - (uintptr_t)self->mem < PAGES * PAGE;
		ASSERT_EQ(pages.nr ? PAGES : 0, there) {
			TH_LOG("list %zu: %zu pages, first %#llx", lists, pages.nr,
			       pages.page[0].addr);
		}
		lists += !!pages.nr;
	} while (!child_ended(&child));
	EXPECT_LT(0, lists);
	EXPECT_EQ(0, child_join(&child));
}

/* Where pages are is told of a program, or not at all: never of the one that comes after it. */
TEST_F(space, exec_while_pages_are_located)
{
	int round;

	for (round = 0; round < (few_rounds() ? 1 : 10); round++)
		locate_while_it_executes(_metadata, self);
}

/* A child with a chosen pid, which touches its pages and exits. */
static int touch_as(struct _test_data_space *self, pid_t pid, int rounds)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};
	pid_t child = syscall(SYS_clone3, &args, sizeof(args));
	int status;

	if (child < 0)
		return -errno;
	if (!child) {
		touch(self, rounds);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status ? 0 : -ECHILD;
}

/* A pid that was just free. */
static pid_t free_pid(void)
{
	struct child child = { .pid = fork() };

	if (!child.pid)
		_exit(0);
	waitpid(child.pid, NULL, 0);
	return child.pid;
}

TEST_F(space, pid_used_again)
{
	__u64 counts[3] = {};
	static struct pages pages;
	pid_t pid = free_pid();
	int nr = 0, ret;
	size_t i;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	ASSERT_START(self);
	ret = touch_as(self, pid, 3);
	if (ret)
		SKIP(return, "a pid cannot be chosen: %s", strerror(-ret));
	ASSERT_EQ(0, touch_as(self, pid, 5));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr && nr < 3; i++) {
		if (pages.page[i].pid == pid && pages.page[i].addr == (uintptr_t)self->mem)
			counts[nr++] = pages.page[i].samples;
	}
	EXPECT_EQ(2, nr);
	EXPECT_EQ(5, counts[0]);
	EXPECT_EQ(3, counts[1]);
}

/* A new process with a target's old pid is not the target. */
TEST_F(space, pid_of_a_target_used_again)
{
	struct child child;
	static struct stats stats;
	int ret;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	sample_child(_metadata, self, &child);
	child_kill(&child);
	ret = touch_as(self, child.pid, 5);
	if (ret)
		SKIP(return, "a pid cannot be chosen: %s", strerror(-ret));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(3 * PAGES, device_samples(self->fd, 0, self->mem, PAGES * PAGE));
	EXPECT_LE(5 * PAGES, stats.s.total.drops[HTMM_DROP_FILTERED]);
}

/* Runs as the first process of a pid namespace, and reads the session outside. */
static int look_from_inside(int sock, void *arg)
{
	struct _test_data_space *self = arg;
	struct htmm_info info;
	static struct pages pages;
	int bad = 0;

	child_await(sock);
	touch(self, 3);
	child_post(sock);
	child_await(sock);
	bad |= (getpid() != 1) << 0;
	bad |= (device_info(self->fd, &info) || info.owner) << 1;
	bad |= (!!pages_read(self->fd, &pages)) << 2;
	bad |= (pages_samples(&pages, 1, self->mem, PAGES * PAGE) != 3 * PAGES) << 3;
	/* The process outside touched the same pages, but has no pid here. */
	bad |= (pages_samples(&pages, 0, self->mem, PAGES * PAGE) != 5 * PAGES) << 4;
	return bad;
}

TEST_F(space, pids_are_the_readers)
{
	struct child child;
	static struct pages pages;

	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces here");
	ASSERT_EQ(0, child_start(&child, look_from_inside, self));
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(child.sock));
	ASSERT_EQ(0, child_await(child.sock));
	touch(self, 2);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(3 * PAGES, pages_samples(&pages, child.pid, self->mem, PAGES * PAGE));
	EXPECT_EQ(2 * PAGES, pages_samples(&pages, getpid(), self->mem, PAGES * PAGE));
	ASSERT_EQ(0, child_post(child.sock));
	EXPECT_EQ(0, child_join(&child));
}

/* Pids in a request are those of the caller's namespace, too. */
static int sample_itself(int sock, void *arg)
{
	struct _test_data_space *self = arg;
	static struct pages pages;
	int bad = 0;

	request_add_target(&self->req, getpid());
	bad |= (getpid() != 1) << 0;
	bad |= (!!device_start(self->fd, &self->req)) << 1;
	touch(self, 3);
	bad |= (!!device_stop(self->fd)) << 2;
	bad |= (!!pages_read(self->fd, &pages)) << 3;
	bad |= (pages_samples(&pages, 1, self->mem, PAGES * PAGE) != 3 * PAGES) << 4;
	return bad;
}

TEST_F(space, target_is_the_callers)
{
	struct child child;

	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces here");
	ASSERT_EQ(0, child_start(&child, sample_itself, self));
	EXPECT_EQ(0, child_join(&child));
}

/* The smallest number of address spaces that a session can be limited to. */
#define FEW_SPACES	64

/* How often more processes are run than that; a kernel that checks itself takes long to fork. */
static int rounds(void)
{
	return few_rounds() ? 1 : 2;
}

static int touch_once(int sock, void *arg)
{
	struct _test_data_space *self = arg;

	close(self->fd);
	touch(self, 1);
	return 0;
}

/* Runs more processes, one after another, than there can be address spaces. */
static void run_children(struct __test_metadata *_metadata, struct _test_data_space *self)
{
	struct child child;
	int i;

	for (i = 0; i < FEW_SPACES + 16; i++) {
		ASSERT_EQ(0, child_start(&child, touch_once, self));
		ASSERT_EQ(0, child_join(&child));
	}
	ASSERT_EQ(0, device_settle(self->fd));
}

static void start_keeping(struct __test_metadata *_metadata, struct _test_data_space *self)
{
	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	self->req.arg.max_bytes = FEW_SPACES << 10;
	self->req.arg.cooling_period = ~0ULL;
	self->req.arg.drain_interval_ms = 5;
	ASSERT_START(self);
}

/* Number of address spaces of the session's only target. */
static __u64 spaces_of(struct __test_metadata *_metadata, int fd)
{
	static struct htmm_target_info targets[HTMM_MAX_TARGETS];

	EXPECT_EQ(1, device_targets(fd, targets));
	return targets[0].spaces;
}

static void check_nothing_full(struct __test_metadata *_metadata, struct _test_data_space *self)
{
	static struct stats stats;

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_TABLE_FULL]);
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_SPACES_FULL]);
}

/* The memory for an exited process is freed with its last page. */
TEST_F(space, kept_ones_leave_with_their_last_page)
{
	int round, i;

	start_keeping(_metadata, self);
	for (round = 0; round < rounds(); round++) {
		run_children(_metadata, self);
		for (i = 0; i < 32; i++)
			ASSERT_EQ(0, device_cool(self->fd, 0));
		/* Other processes may be sampled meanwhile, but fewer than this. */
		ASSERT_SOON(spaces_of(_metadata, self->fd) <= FEW_SPACES / 4);
	}
	check_nothing_full(_metadata, self);
}

/* Without cooling, exited processes with the fewest samples make room. */
TEST_F(space, kept_ones_make_room)
{
	static struct pages pages;
	int round;

	start_keeping(_metadata, self);
	for (round = 0; round < rounds(); round++) {
		run_children(_metadata, self);
		check_nothing_full(_metadata, self);
	}
	EXPECT_LT(FEW_SPACES / 2, spaces_of(_metadata, self->fd));
	EXPECT_GE(FEW_SPACES, spaces_of(_metadata, self->fd));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_LT(0, pages.nr);
}

/* Runs children, one after another, whose samples are drained when they have exited. */
static void run_short_children(struct __test_metadata *_metadata,
			       struct _test_data_space *self, int nr)
{
	int status;
	pid_t pid;

	while (nr--) {
		pid = fork();
		if (!pid) {
			touch(self, 1);
			_exit(0);
		}
		ASSERT_LT(0, pid);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
}

/* A process that has exited while its first samples are counted is kept, with its pages. */
TEST_F(space, kept_while_processes_exit)
{
	static struct stats stats;
	int rounds = few_rounds() ? FEW_ROUNDS : SHORT_ROUNDS;
	int round;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	self->req.arg.drain_interval_ms = 1;
	ASSERT_START(self);
	for (round = 0; round < rounds; round++) {
		ASSERT_EQ(0, device_reset(self->fd));
		run_short_children(_metadata, self, SHORT_CHILDREN);
		ASSERT_EQ(0, device_settle(self->fd));
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		EXPECT_EQ(0, stats.s.stats[HTMM_STAT_EXITED]);
		EXPECT_EQ(SHORT_CHILDREN * PAGES,
			  device_samples(self->fd, 0, self->mem, PAGES * PAGE));
	}
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
}
