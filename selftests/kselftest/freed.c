// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a process gives back while it runs: its pages are forgotten, as many as there
 * were, and all others keep their counts. One page fault is one sample here.
 */
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "check.h"
#include "child.h"
#include "files.h"

#define INSTANCE	"/sys/kernel/tracing/instances/htmm_freed/"

/* Pages of an area: a region, and a part of the next one. */
#define PAGES		600UL
#define AREA		(PAGES * PAGE)
/* For pages that are freed so that it is seen when they are forgotten. */
#define SIGNAL		8UL
/* More pages than the child has of its own. */
#define OTHERS		50UL
/* A look comes twice a second at least, if the process has samples; this is for busy machines. */
#define TRIES		600
#define PAUSE		100000

/* Regions in which pages are used again all the time, at each other step of so many. */
#define CYCLED		8UL
#define CYCLE_PAUSE	500
/* Longer than it may take to use each once, and not as long as it takes to see a page as freed. */
#define STALL_NS	500000000

enum op {
	TOUCH, UNMAP, DONTNEED, ODD_DONTNEED, FREE, MOVE, HIDE, SHOW, EACH, EACH_DONTNEED, CYCLE,
};

/**
 * struct job - what the child does next
 * @op: what
 * @mem: where
 * @pages: number of pages there
 * @rounds: how often each is touched
 * @to: for MOVE: where to
 * @stop: for CYCLE: end
 * @stalls: for CYCLE: how often it took longer than STALL_NS to use each page once
 * @failed: it was not possible
 * @source: tells how to touch them
 */
struct job {
	enum op op;
	char *mem;
	size_t pages;
	size_t rounds;
	char *to;
	bool stop;
	unsigned int stalls;
	bool failed;
	struct source source;
};

FIXTURE(freed) {
	int fd;
	struct request req;
	struct child child;
	struct job *job;
	char *mem;
	char *other;
	char *signal;
	char *tick;
	char *regions;
};

/*
 * The second page of each region is given back and used again all the time. At each moment half of
 * them are absent.
 */
static int cycle(struct job *job)
{
	__u64 since = now_ns(), now;
	int ret = 0;
	size_t i;
	char *page;

	for (i = 0; !__atomic_load_n(&job->stop, __ATOMIC_RELAXED); i++) {
		page = job->mem + i % CYCLED * REGION + PAGE;
		if (i / CYCLED % 2)
			access_pages(&job->source, page, 1, 1);
		else
			ret |= madvise(page, PAGE, MADV_DONTNEED);
		usleep(CYCLE_PAUSE);
		if ((i + 1) % (2 * CYCLED))
			continue;
		now = now_ns();
		job->stalls += now - since > STALL_NS;
		since = now;
	}
	return ret;
}

static void work(void *arg)
{
	struct job *job = arg;
	size_t bytes = job->pages * PAGE, i;
	int ret = 0;

	switch (job->op) {
	case TOUCH:
		access_kept(&job->source, job->mem, job->pages, job->rounds);
		break;
	case UNMAP:
		ret = munmap(job->mem, bytes);
		break;
	case DONTNEED:
		ret = madvise(job->mem, bytes, MADV_DONTNEED);
		break;
	case ODD_DONTNEED:
		for (i = 1; i < job->pages; i += 2)
			ret |= madvise(job->mem + i * PAGE, PAGE, MADV_DONTNEED);
		break;
	case FREE:
		ret = madvise(job->mem, bytes, MADV_FREE);
		break;
	case MOVE:
		ret = mremap(job->mem, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, job->to) !=
		      job->to;
		break;
	case HIDE:
		ret = mprotect(job->mem, bytes, PROT_NONE);
		break;
	case SHOW:
		ret = mprotect(job->mem, bytes, PROT_READ | PROT_WRITE);
		break;
	case EACH:
		for (i = 0; i < CYCLED; i++)
			access_pages(&job->source, job->mem + i * REGION, job->pages, 1);
		break;
	case EACH_DONTNEED:
		for (i = 0; i < CYCLED; i++)
			ret |= madvise(job->mem + i * REGION, bytes, MADV_DONTNEED);
		break;
	case CYCLE:
		ret = cycle(job);
	}
	job->failed = ret;
}

FIXTURE_SETUP(freed)
{
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_NE(NULL, self->job = child_share(PAGE));
	self->mem = access_map(PAGES);
	self->other = access_map(PAGES);
	self->signal = access_map(SIGNAL);
	ASSERT_NE(NULL, self->tick = access_map(1));
	ASSERT_NE(NULL, self->regions = access_reserve(CYCLED * REGION));
	source_every_fault(&self->job->source);
	ASSERT_EQ(0, child_worker(&self->child, work, self->job));
	request_init(&self->req, &self->job->source.event);
	request_add_target(&self->req, self->child.pid);
	self->req.arg.drain_interval_ms = 10;
	self->req.arg.ring_pages = 128;
}

FIXTURE_TEARDOWN(freed)
{
	if (self->child.pid)
		child_kill(&self->child);
	close(self->fd);
	/* If a test was ended by a failure. */
	rmdir(INSTANCE);
	check_idle(_metadata);
}

static void child_does(struct __test_metadata *_metadata, FIXTURE_DATA(freed) *self, enum op op,
		       char *mem, size_t pages)
{
	self->job->op = op;
	self->job->mem = mem;
	self->job->pages = pages;
	self->job->rounds = op == TOUCH ? self->job->rounds ?: 1 : 1;
	ASSERT_EQ(0, child_do(&self->child));
	ASSERT_FALSE(self->job->failed);
	self->job->rounds = 1;
}

/* Waits until @freed pages are forgotten, while the process has samples. */
static void await_freed(struct __test_metadata *_metadata, FIXTURE_DATA(freed) *self, __u64 freed)
{
	static struct stats stats;
	int tries = TRIES;

	do {
		child_does(_metadata, self, TOUCH, self->tick, 1);
		usleep(PAUSE);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	} while (stats.s.stats[HTMM_STAT_FREED] < freed && --tries);
	EXPECT_EQ(freed, stats.s.stats[HTMM_STAT_FREED]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_EVICTED] + stats.s.stats[HTMM_STAT_EXITED]);
}

/*
 * Waits until all memory was looked at twice: pages that are freed now are forgotten, and then
 * again. Before, @freed pages were.
 */
static void await_looks(struct __test_metadata *_metadata, FIXTURE_DATA(freed) *self, __u64 freed)
{
	int i;

	for (i = 1; i <= 2; i++) {
		child_does(_metadata, self, TOUCH, self->signal, SIGNAL);
		ASSERT_EQ(0, device_settle(self->fd));
		child_does(_metadata, self, DONTNEED, self->signal, SIGNAL);
		await_freed(_metadata, self, freed + i * SIGNAL);
	}
}

/* Samples of an area. */
static __u64 samples(FIXTURE_DATA(freed) *self, char *mem, size_t pages)
{
	return device_samples(self->fd, 0, mem, pages * PAGE);
}

static void start(struct __test_metadata *_metadata, FIXTURE_DATA(freed) *self)
{
	ASSERT_START(self);
	child_does(_metadata, self, TOUCH, self->other, PAGES);
	self->job->rounds = 4;
	child_does(_metadata, self, TOUCH, self->mem, PAGES);
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(PAGES, samples(self, self->other, PAGES));
	ASSERT_EQ(4 * PAGES, samples(self, self->mem, PAGES));
}

/* What was hottest is unmapped: then the rest fits the fast tier. */
TEST_F(freed, unmapped)
{
	struct htmm_histogram hist;

	self->req.arg.capacity_pages = PAGES + OTHERS;
	start(_metadata, self);
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(PAGES, hist.hot_pages);
	EXPECT_EQ(2, hist.hot_threshold);
	child_does(_metadata, self, UNMAP, self->mem, PAGES);
	await_freed(_metadata, self, PAGES);
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(0, samples(self, self->mem, PAGES));
	EXPECT_EQ(PAGES, samples(self, self->other, PAGES));
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_LT(PAGES, hist.pages);
	EXPECT_GT(PAGES + OTHERS, hist.pages);
	EXPECT_EQ(hist.pages, hist.hot_pages);
	EXPECT_EQ(1, hist.hot_threshold);
	ASSERT_EQ(0, device_stop(self->fd));
}

/* Every other page is given back, and the end of the mapping unmapped. */
TEST_F(freed, partly)
{
	const size_t left = 513;

	start(_metadata, self);
	child_does(_metadata, self, ODD_DONTNEED, self->mem, PAGES);
	await_freed(_metadata, self, PAGES / 2);
	EXPECT_EQ(2 * PAGES, samples(self, self->mem, PAGES));
	EXPECT_EQ(4, samples(self, self->mem + 2 * PAGE, 1));
	EXPECT_EQ(0, samples(self, self->mem + 3 * PAGE, 1));
	child_does(_metadata, self, UNMAP, self->other + left * PAGE, PAGES - left);
	await_freed(_metadata, self, PAGES / 2 + PAGES - left);
	await_looks(_metadata, self, PAGES / 2 + PAGES - left);
	EXPECT_EQ(left, samples(self, self->other, PAGES));
	EXPECT_EQ(2 * PAGES, samples(self, self->mem, PAGES));
	/* What is used again begins with no count. */
	child_does(_metadata, self, TOUCH, self->mem + PAGE, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(1, samples(self, self->mem + PAGE, 1));
	ASSERT_EQ(0, device_stop(self->fd));
}

/*
 * Beside a page that was freed, others of its region are given back and used again all the time:
 * each has a sample between any two looks, and is not forgotten.
 */
TEST_F(freed, used_again)
{
	static struct stats stats;
	int tries = TRIES;
	size_t i;

	ASSERT_START(self);
	child_does(_metadata, self, EACH, self->regions, 2);
	child_does(_metadata, self, EACH_DONTNEED, self->regions, 1);
	self->job->op = CYCLE;
	ASSERT_EQ(0, child_post(self->child.sock));
	do {
		usleep(PAUSE);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	} while (stats.s.stats[HTMM_STAT_FREED] < CYCLED && --tries);
	__atomic_store_n(&self->job->stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, child_await(self->child.sock));
	ASSERT_FALSE(self->job->failed);
	if (self->job->stalls)
		TH_LOG("the process stood still %u times", self->job->stalls);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_LE(CYCLED, stats.s.stats[HTMM_STAT_FREED]);
	/* When a busy host stops the process, those that are absent seem to be freed: once. */
	EXPECT_GE(CYCLED * (1 + self->job->stalls), stats.s.stats[HTMM_STAT_FREED]);
	for (i = 0; i < CYCLED; i++)
		EXPECT_EQ(0, samples(self, self->regions + i * REGION, 1));
}

/* All pages are given back, but the mapping stays; and they move to another mapping. */
TEST_F(freed, given_back_and_moved)
{
	start(_metadata, self);
	child_does(_metadata, self, DONTNEED, self->mem, PAGES);
	await_freed(_metadata, self, PAGES);
	EXPECT_EQ(0, samples(self, self->mem, PAGES));
	self->job->to = self->mem;
	child_does(_metadata, self, MOVE, self->other, PAGES);
	await_freed(_metadata, self, 2 * PAGES);
	EXPECT_EQ(0, samples(self, self->other, PAGES));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* Memory that cannot be accessed, or may be taken away, is not freed. */
TEST_F(freed, hidden_is_kept)
{
	start(_metadata, self);
	child_does(_metadata, self, HIDE, self->mem, PAGES);
	child_does(_metadata, self, FREE, self->other, PAGES);
	await_looks(_metadata, self, 0);
	EXPECT_EQ(4 * PAGES, samples(self, self->mem, PAGES));
	EXPECT_EQ(PAGES, samples(self, self->other, PAGES));
	/* Unlike what is freed behind a protection. */
	child_does(_metadata, self, DONTNEED, self->mem, PAGES);
	await_freed(_metadata, self, 2 * SIGNAL + PAGES);
	child_does(_metadata, self, SHOW, self->mem, PAGES);
	ASSERT_EQ(0, device_stop(self->fd));
}

/**
 * struct mover - moves pages of another process to and fro
 * @pid: the process
 * @mem: its pages
 * @moves: pages that have moved
 * @stop: it ends
 */
struct mover {
	pid_t pid;
	char *mem;
	unsigned long moves;
	int stop;
};

static void move_pages_on(void *arg)
{
	static int to[PAGES], status[PAGES];
	struct mover *mover = arg;
	static void *addr[PAGES];
	int node = 0;
	size_t i;

	while (!__atomic_load_n(&mover->stop, __ATOMIC_RELAXED)) {
		node = !node;
		for (i = 0; i < PAGES; i++) {
			addr[i] = mover->mem + i * PAGE;
			to[i] = node;
			status[i] = -1;
		}
		syscall(SYS_move_pages, mover->pid, PAGES, addr, to, status, MPOL_MF_MOVE);
		for (i = 0; i < PAGES; i++)
			mover->moves += status[i] == node;
	}
}

/* Let the kernel take long for each page, so that at any moment many of them are being moved. */
static void move_slowly(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, file_write(INSTANCE "events/migrate/set_migration_pte/trigger",
				"stacktrace"));
	ASSERT_EQ(0, file_write(INSTANCE "events/migrate/remove_migration_pte/trigger",
				"stacktrace"));
}

/* Pages are unmapped while they are moved, some of them at each look. */
TEST_F(freed, moved_between_nodes)
{
	struct mover *mover = child_share(PAGE);
	struct child child;

	ASSERT_NE(NULL, mover);
	mover->pid = self->child.pid;
	mover->mem = self->mem;
	start(_metadata, self);
	move_slowly(_metadata);
	ASSERT_EQ(0, child_worker(&child, move_pages_on, mover));
	ASSERT_EQ(0, child_post(child.sock));
	await_looks(_metadata, self, 0);
	await_looks(_metadata, self, 2 * SIGNAL);
	__atomic_store_n(&mover->stop, 1, __ATOMIC_RELAXED);
	ASSERT_EQ(0, child_await(child.sock));
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	EXPECT_EQ(0, rmdir(INSTANCE));
	EXPECT_LT(4 * PAGES, mover->moves);
	TH_LOG("%lu pages moved", mover->moves);
	EXPECT_EQ(4 * PAGES, samples(self, self->mem, PAGES));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* A session that keeps what exited processes had does so, and forgets what others free. */
TEST_F(freed, exited_is_kept)
{
	struct child child;

	self->req.arg.flags |= HTMM_START_KEEP_EXITED;
	ASSERT_EQ(0, child_worker(&child, work, self->job));
	request_add_target(&self->req, child.pid);
	start(_metadata, self);
	self->job->op = TOUCH;
	self->job->mem = self->mem;
	self->job->pages = PAGES;
	self->job->rounds = 2;
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	await_looks(_metadata, self, 0);
	EXPECT_EQ(6 * PAGES, samples(self, self->mem, PAGES));
	child_does(_metadata, self, UNMAP, self->mem, PAGES);
	await_freed(_metadata, self, 2 * SIGNAL + PAGES);
	EXPECT_EQ(2 * PAGES, samples(self, self->mem, PAGES));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* A stopped session stays as it is. */
TEST_F(freed, after_the_end)
{
	start(_metadata, self);
	ASSERT_EQ(0, device_stop(self->fd));
	child_does(_metadata, self, UNMAP, self->mem, PAGES);
	usleep(3000000);
	EXPECT_EQ(4 * PAGES, samples(self, self->mem, PAGES));
}
