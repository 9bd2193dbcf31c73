// SPDX-License-Identifier: GPL-2.0
/* Targets: each has its own counts; they are added and removed while sampling runs. */
#include <fcntl.h>
#include <sys/mman.h>
#include "cgroup.h"
#include "check.h"
#include "child.h"
#include "files.h"

#define PAGES		32
/* Faults on each page when a worker is told to work. */
#define ROUNDS		4
#define SHARE		(PAGES * ROUNDS)
#define NR_WORKERS	4

/*
 * Each time it is told to work, a worker faults on the pages of its own area. Every fault
 * is a sample, so all counts are exact.
 */
FIXTURE(target) {
	int fd;
	struct source source;
	struct request req;
	char *mem;
	int ready;
	struct child workers[NR_WORKERS];
	struct cgroup outer;
	struct cgroup inner;
	struct htmm_target_info info[HTMM_MAX_TARGETS];
	struct stats stats;	/* of the stopped session */
};

static char *area(struct _test_data_target *self, int worker)
{
	return self->mem + worker * PAGES * PAGE;
}

static int work(int sock, void *arg)
{
	struct _test_data_target *self = arg;
	int mine = self->ready;

	while (!child_await(sock)) {
		access_pages(&self->source, area(self, mine), PAGES, ROUNDS);
		child_post(sock);
	}
	return 0;
}

FIXTURE_SETUP(target)
{
	source_every_fault(&self->source);
	ASSERT_NE(NULL, self->mem = access_map(NR_WORKERS * PAGES));
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->source.event);
	self->req.arg.max_bytes = 1 << 20;
	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	self->outer.dir = -1;
	self->inner.dir = -1;
	for (; self->ready < NR_WORKERS; self->ready++)
		ASSERT_EQ(0, child_start(&self->workers[self->ready], work, self));
}

FIXTURE_TEARDOWN(target)
{
	while (self->ready)
		child_kill(&self->workers[--self->ready]);
	EXPECT_EQ(0, cgroup_remove(&self->inner));
	EXPECT_EQ(0, cgroup_remove(&self->outer));
	close(self->fd);
	check_idle(_metadata);
}

/* Makes an outer and an inner cgroup; false if that is not possible here. */
static bool make_cgroups(struct __test_metadata *_metadata, struct _test_data_target *self)
{
	if (!cgroup_possible())
		return false;
	EXPECT_EQ(0, cgroup_make(&self->outer, NULL, "outer"));
	EXPECT_EQ(0, cgroup_make(&self->inner, &self->outer, "inner"));
	return self->inner.dir >= 0;
}

static void tell(struct __test_metadata *_metadata, struct _test_data_target *self, int worker)
{
	ASSERT_EQ(0, child_post(self->workers[worker].sock));
	ASSERT_EQ(0, child_await(self->workers[worker].sock));
}

static void tell_all(struct __test_metadata *_metadata, struct _test_data_target *self)
{
	int i;

	for (i = 0; i < NR_WORKERS; i++)
		tell(_metadata, self, i);
}

/* Ends the session and checks its statistics, which stay readable. */
static void stop(struct __test_metadata *_metadata, struct _test_data_target *self)
{
	const struct htmm_counters *total = &self->stats.s.total;

	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &self->stats));
	EXPECT_EQ(0, total->drops[HTMM_DROP_RING_FULL]);
	EXPECT_EQ(0, total->drops[HTMM_DROP_TABLE_FULL]);
}

/* What a target counted in the area of a worker. */
static __u64 counted(struct __test_metadata *_metadata,
		     struct _test_data_target *self, __u32 target, int worker)
{
	static struct pages pages;
	__u64 sum;
	size_t i;

	EXPECT_EQ(0, pages_read_target(self->fd, target, &pages));
	for (i = 0; target && i < pages.nr; i++)
		EXPECT_EQ(target, pages.page[i].target);
	sum = pages_samples(&pages, 0, area(self, worker), PAGES * PAGE);
	EXPECT_EQ(sum, pages_samples(&pages, self->workers[worker].pid,
				     area(self, worker), PAGES * PAGE));
	return sum;
}

/* Each target's histogram fits its pages, and the histogram of all is their sum. */
static void check_sums(struct __test_metadata *_metadata, struct _test_data_target *self)
{
	struct htmm_histogram hist, all;
	__u64 samples = 0, pages = 0, bins[HTMM_NR_BINS] = {};
	int i, b, nr = device_targets(self->fd, self->info);

	ASSERT_LE(1, nr);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, device_target_hist(self->fd, self->info[i].number,
						HTMM_UNIT_PAGE, &hist));
		EXPECT_EQ(self->info[i].pages, hist.pages);
		EXPECT_EQ(self->info[i].stats[HTMM_STAT_SAMPLES], hist.samples);
		samples += hist.samples;
		pages += hist.pages;
		for (b = 0; b < HTMM_NR_BINS; b++)
			bins[b] += hist.bins[b];
	}
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &all));
	EXPECT_EQ(samples, all.samples);
	EXPECT_EQ(pages, all.pages);
	EXPECT_EQ(0, memcmp(bins, all.bins, sizeof(bins)));
	EXPECT_EQ(samples, self->stats.s.stats[HTMM_STAT_SAMPLES]);
}

TEST_F(target, each_its_own)
{
	__u32 t;
	int i;

	for (i = 0; i < NR_WORKERS - 1; i++)
		request_add_target(&self->req, self->workers[i].pid);
	ASSERT_START(self);
	tell_all(_metadata, self);
	stop(_metadata, self);
	for (t = 1; t < NR_WORKERS; t++)
		for (i = 0; i < NR_WORKERS; i++)
			EXPECT_EQ(t == i + 1 ? SHARE : 0, counted(_metadata, self, t, i)) {
				TH_LOG("target %u worker %d", t, i);
			}
	EXPECT_EQ(0, counted(_metadata, self, 0, NR_WORKERS - 1));
	EXPECT_LE(SHARE, self->stats.s.total.drops[HTMM_DROP_FILTERED]);
	check_sums(_metadata, self);
}

/* A process is found before a cgroup, an inner cgroup before an outer one, all tasks last. */
TEST_F(target, overlaps)
{
	__u32 t;
	int i;

	if (!make_cgroups(_metadata, self))
		SKIP(return, "no cgroups of version 2 here");
	ASSERT_EQ(0, cgroup_enter(&self->inner, self->workers[1].pid));
	ASSERT_EQ(0, cgroup_enter(&self->outer, self->workers[2].pid));
	ASSERT_EQ(0, cgroup_enter(&self->inner, self->workers[3].pid));
	self->req.targets[0].type = HTMM_TARGET_ALL;
	self->req.arg.nr_targets = 1;
	/* In this order, the last one is not the deepest. */
	request_add_cgroup(&self->req, self->inner.dir);
	request_add_cgroup(&self->req, self->outer.dir);
	request_add_target(&self->req, self->workers[3].pid);
	ASSERT_START(self);
	tell_all(_metadata, self);
	stop(_metadata, self);
	/* One worker after another, in the order of the targets. */
	for (t = 1; t <= NR_WORKERS; t++)
		for (i = 0; i < NR_WORKERS; i++)
			EXPECT_EQ(t == i + 1 ? SHARE : 0, counted(_metadata, self, t, i)) {
				TH_LOG("target %u worker %d", t, i);
			}
	EXPECT_EQ(0, self->stats.s.total.drops[HTMM_DROP_FILTERED]);
	check_sums(_metadata, self);
}

/* Children are in their parent's cgroup, or below it. */
static int beget(int sock, void *arg)
{
	struct _test_data_target *self = arg;
	struct child child;
	int i;

	child_await(sock);
	for (i = 0; i < 8; i++) {
		if (child_start(&child, work, self) || child_post(child.sock) ||
		    child_await(child.sock) || child_kill(&child) != 137)
			return 1;
	}
	child_post(sock);
	child_await(sock);
	return 0;
}

TEST_F(target, children_in_a_cgroup)
{
	struct child parent;
	static struct pages pages;

	if (!make_cgroups(_metadata, self))
		SKIP(return, "no cgroups of version 2 here");
	/* Children work in an area that no worker uses. */
	self->ready = NR_WORKERS - 1;
	child_kill(&self->workers[self->ready]);
	ASSERT_EQ(0, child_start(&parent, beget, self));
	ASSERT_EQ(0, cgroup_enter(&self->inner, parent.pid));
	request_add_cgroup(&self->req, self->outer.dir);
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(parent.sock));
	tell(_metadata, self, 0);
	ASSERT_EQ(0, child_await(parent.sock));
	ASSERT_EQ(0, child_post(parent.sock));
	EXPECT_EQ(0, child_join(&parent));
	stop(_metadata, self);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(8 * SHARE, pages_samples(&pages, 0, area(self, NR_WORKERS - 1), PAGES * PAGE));
	EXPECT_EQ(0, pages_samples(&pages, 0, area(self, 0), PAGES * PAGE));
}

TEST_F(target, added_and_removed)
{
	struct htmm_info before, after;
	int i, number, last = 1;

	request_add_target(&self->req, self->workers[0].pid);
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &before));
	for (i = 0; i < 20; i++) {
		number = device_add_target(self->fd, HTMM_TARGET_TGID, self->workers[1].pid);
		/* Numbers increase, and are never reused. */
		ASSERT_EQ(++last, number);
		tell(_metadata, self, 0);
		tell(_metadata, self, 1);
		tell(_metadata, self, 2);
		/* Half of the time, all samples are still in the rings. */
		if (i % 2)
			usleep(100000);
		ASSERT_EQ(0, device_remove_target(self->fd, number));
		EXPECT_EQ(-ENOENT, device_remove_target(self->fd, number));
	}
	ASSERT_EQ(1, device_targets(self->fd, self->info));
	ASSERT_EQ(0, device_info(self->fd, &after));
	EXPECT_EQ(1, after.nr_targets);
	/* The first target's table has grown since, by no more than one batch needs. */
	EXPECT_EQ(self->info[0].bytes, after.table_bytes);
	stop(_metadata, self);
	EXPECT_EQ(20 * SHARE, counted(_metadata, self, 0, 0));
	EXPECT_EQ(0, counted(_metadata, self, 0, 1));
	EXPECT_EQ(0, counted(_metadata, self, 0, 2));
	TH_LOG("%llu samples counted, %llu removed", self->stats.s.stats[HTMM_STAT_SAMPLES],
	       self->stats.s.total.drops[HTMM_DROP_REMOVED]);
	/* Samples drained in time were counted, the others dropped. */
	EXPECT_LE(40 * SHARE, self->stats.s.stats[HTMM_STAT_SAMPLES] +
		  self->stats.s.total.drops[HTMM_DROP_REMOVED]);
}

/* Without targets nothing is counted; a target can be removed after the stop, too. */
/* Does ksampled wait for the next interval? Its first pass may come after the start. */
static bool sleeps(struct _test_data_target *self)
{
	struct htmm_info info = {};

	return !device_info(self->fd, &info) &&
	       child_state(&(struct child){ .pid = info.drain_pid }) == 'S';
}

TEST_F(target, the_last_one_goes)
{
	int number;

	/* Its samples are still in the rings when the target is removed. */
	self->req.arg.drain_interval_ms = 10000;
	ASSERT_START(self);
	ASSERT_SOON(sleeps(self));
	tell(_metadata, self, 0);
	ASSERT_EQ(0, device_remove_target(self->fd, 1));
	tell(_metadata, self, 1);
	EXPECT_EQ(0, device_targets(self->fd, self->info));
	number = device_add_target(self->fd, HTMM_TARGET_TGID, self->workers[2].pid);
	EXPECT_EQ(2, number);
	tell(_metadata, self, 2);
	stop(_metadata, self);
	EXPECT_LE(SHARE, self->stats.s.total.drops[HTMM_DROP_REMOVED]);
	EXPECT_EQ(SHARE, counted(_metadata, self, 0, 2));
	EXPECT_EQ(0, counted(_metadata, self, 0, 1));
	EXPECT_EQ(-ENODATA, device_add_target(self->fd, HTMM_TARGET_TGID, getpid()));
	EXPECT_EQ(0, device_remove_target(self->fd, 2));
	EXPECT_EQ(0, counted(_metadata, self, 0, 2));
	/* The totals of removed targets stay until a reset. */
	ASSERT_EQ(0, stats_read(self->fd, &self->stats));
	EXPECT_LE(SHARE, self->stats.s.stats[HTMM_STAT_SAMPLES]);
	ASSERT_EQ(0, device_reset(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.s.stats[HTMM_STAT_SAMPLES]);
}

TEST_F(target, moves_from_one_to_another)
{
	if (!make_cgroups(_metadata, self))
		SKIP(return, "no cgroups of version 2 here");
	request_add_cgroup(&self->req, self->outer.dir);
	request_add_cgroup(&self->req, self->inner.dir);
	ASSERT_START(self);
	tell(_metadata, self, 0);
	ASSERT_EQ(0, cgroup_enter(&self->outer, self->workers[0].pid));
	tell(_metadata, self, 0);
	tell(_metadata, self, 0);
	ASSERT_EQ(0, cgroup_enter(&self->inner, self->workers[0].pid));
	tell(_metadata, self, 0);
	ASSERT_EQ(3, device_add_target(self->fd, HTMM_TARGET_TGID, self->workers[0].pid));
	tell(_metadata, self, 0);
	tell(_metadata, self, 0);
	tell(_metadata, self, 0);
	stop(_metadata, self);
	EXPECT_EQ(2 * SHARE, counted(_metadata, self, 1, 0));
	EXPECT_EQ(1 * SHARE, counted(_metadata, self, 2, 0));
	EXPECT_EQ(3 * SHARE, counted(_metadata, self, 3, 0));
	EXPECT_EQ(6 * SHARE, counted(_metadata, self, 0, 0));
	check_sums(_metadata, self);
}

TEST_F(target, cooled_alone)
{
	request_add_target(&self->req, self->workers[0].pid);
	request_add_target(&self->req, self->workers[1].pid);
	ASSERT_START(self);
	tell(_metadata, self, 0);
	tell(_metadata, self, 1);
	stop(_metadata, self);
	EXPECT_EQ(-ENOENT, device_cool(self->fd, 3));
	ASSERT_EQ(0, device_cool(self->fd, 2));
	EXPECT_EQ(SHARE, counted(_metadata, self, 1, 0));
	EXPECT_EQ(SHARE / 2, counted(_metadata, self, 2, 1));
	ASSERT_EQ(0, device_cool(self->fd, 0));
	EXPECT_EQ(SHARE / 2, counted(_metadata, self, 1, 0));
	EXPECT_EQ(SHARE / 4, counted(_metadata, self, 2, 1));
	ASSERT_EQ(2, device_targets(self->fd, self->info));
	EXPECT_EQ(1, self->info[0].stats[HTMM_STAT_COOLINGS]);
	EXPECT_EQ(2, self->info[1].stats[HTMM_STAT_COOLINGS]);
}

/* The thresholds of each target fit its own capacity. */
TEST_F(target, capacities)
{
	struct htmm_histogram hist;
	static struct pages pages;
	size_t i;

	request_add_target(&self->req, self->workers[0].pid);
	request_add_target(&self->req, self->workers[1].pid);
	self->req.targets[0].capacity_pages = 1;
	self->req.targets[1].max_bytes = 2 << 20;
	ASSERT_START(self);
	tell(_metadata, self, 0);
	tell(_metadata, self, 1);
	stop(_metadata, self);
	ASSERT_EQ(0, device_target_hist(self->fd, 1, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(1, hist.capacity_pages);
	EXPECT_GE(1, hist.hot_pages);
	ASSERT_EQ(0, device_target_hist(self->fd, 2, HTMM_UNIT_PAGE, &hist));
	EXPECT_LE(PAGES, hist.hot_pages);
	EXPECT_EQ(1, hist.hot_threshold);
	/* In a list of both, each page is hot or not by those of its target. */
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++) {
		if (pages.page[i].addr - (uintptr_t)self->mem < 2 * PAGES * PAGE) {
			EXPECT_EQ(pages.page[i].target == 2,
				  !!(pages.page[i].flags & HTMM_PAGE_HOT));
		}
	}
	ASSERT_EQ(2, device_targets(self->fd, self->info));
	EXPECT_EQ(1 << 20, self->info[0].max_bytes);
	EXPECT_EQ(2 << 20, self->info[1].max_bytes);
	/* RESET drops pages, but keeps limits. */
	ASSERT_EQ(0, device_reset(self->fd));
	ASSERT_EQ(2, device_targets(self->fd, self->info));
	EXPECT_EQ(0, self->info[1].pages);
	EXPECT_EQ(1 << 20, self->info[0].max_bytes);
	EXPECT_EQ(2 << 20, self->info[1].max_bytes);
}

TEST_F(target, the_dead_stay_listed)
{
	if (!make_cgroups(_metadata, self))
		SKIP(return, "no cgroups of version 2 here");
	request_add_target(&self->req, self->workers[NR_WORKERS - 1].pid);
	request_add_cgroup(&self->req, self->inner.dir);
	ASSERT_START(self);
	tell_all(_metadata, self);
	ASSERT_EQ(2, device_targets(self->fd, self->info));
	EXPECT_EQ(1, self->info[0].number);
	EXPECT_EQ(HTMM_TARGET_TGID, self->info[0].type);
	EXPECT_EQ(self->workers[NR_WORKERS - 1].pid, self->info[0].id);
	EXPECT_STREQ("target", self->info[0].name);
	EXPECT_EQ(0, self->info[0].flags);
	EXPECT_EQ(HTMM_TARGET_CGROUP, self->info[1].type);
	EXPECT_STREQ(self->inner.path + strlen("/sys/fs/cgroup"), self->info[1].name);
	EXPECT_EQ(0, self->info[1].flags);

	self->ready = NR_WORKERS - 1;
	child_kill(&self->workers[self->ready]);
	ASSERT_EQ(0, cgroup_remove(&self->inner));
	ASSERT_EQ(2, device_targets(self->fd, self->info));
	EXPECT_EQ(HTMM_TARGET_INFO_DEAD, self->info[0].flags);
	EXPECT_EQ(HTMM_TARGET_INFO_DEAD, self->info[1].flags);
	/* A new cgroup of the same name is a different one. */
	ASSERT_EQ(0, cgroup_make(&self->inner, &self->outer, "inner"));
	ASSERT_EQ(0, cgroup_enter(&self->inner, self->workers[0].pid));
	tell(_metadata, self, 0);
	stop(_metadata, self);
	EXPECT_EQ(SHARE, counted(_metadata, self, 1, NR_WORKERS - 1));
	EXPECT_EQ(0, counted(_metadata, self, 2, 0));
}

/* Housekeeping gets to every target: pages of exited processes leave each of them. */
TEST_F(target, the_exited_leave_every_target)
{
	int i;

	self->req.arg.flags = 0;
	for (i = 0; i < NR_WORKERS; i++)
		request_add_target(&self->req, self->workers[i].pid);
	ASSERT_START(self);
	tell_all(_metadata, self);
	ASSERT_SOON(device_targets(self->fd, self->info) == NR_WORKERS &&
		    self->info[NR_WORKERS - 1].pages >= PAGES);
	while (self->ready)
		child_kill(&self->workers[--self->ready]);
	for (i = 0; i < NR_WORKERS; i++)
		ASSERT_SOON(device_targets(self->fd, self->info) == NR_WORKERS &&
			    !self->info[i].pages);
}

static int stay(int sock, void *arg)
{
	child_post(sock);
	return child_await(sock);
}

/* Data on processes needs memory, too, and counts against a target's limit. */
TEST_F(target, address_spaces)
{
	const __u64 most = 32;
	struct child child[most + 1];
	static struct stats stats;
	__u64 i;

	self->req.arg.max_bytes = most << 10;
	ASSERT_START(self);
	for (i = 0; i <= most; i++) {
		ASSERT_EQ(0, child_start(&child[i], stay, NULL));
		ASSERT_EQ(0, child_await(child[i].sock));
	}
	ASSERT_EQ(0, device_stop(self->fd));
	for (i = 0; i <= most; i++)
		child_kill(&child[i]);
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(0, stats.s.total.drops[HTMM_DROP_SPACES_FULL]);
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_TABLE_FULL]);
	ASSERT_EQ(1, device_targets(self->fd, self->info));
	EXPECT_EQ(most, self->info[0].spaces);
	EXPECT_LT(0, self->info[0].space_bytes);
	EXPECT_GE(self->req.arg.max_bytes / 4, self->info[0].space_bytes);
}

/* Lets the next process have that pid. 0 or a negative errno. */
static int next_pid(pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid - 1);
	return file_write("/proc/sys/kernel/ns_last_pid", text);
}

/* A process that gets the pid of an exited target has no target, or a new one. */
TEST_F(target, a_pid_used_again)
{
	struct child *worker = &self->workers[NR_WORKERS - 1];
	pid_t pid = worker->pid;
	int tries;

	request_add_target(&self->req, pid);
	ASSERT_START(self);
	tell(_metadata, self, NR_WORKERS - 1);
	self->ready = NR_WORKERS - 1;
	child_kill(worker);
	for (tries = 0; tries < 100; tries++) {
		if (next_pid(pid))
			SKIP(return, "this kernel does not let us choose a pid");
		ASSERT_EQ(0, child_start(worker, work, self));
		if (worker->pid == pid)
			break;
		child_kill(worker);
	}
	self->ready = NR_WORKERS;
	ASSERT_EQ(pid, worker->pid);
	tell(_metadata, self, NR_WORKERS - 1);
	/* The same pid is another target now. */
	ASSERT_EQ(2, device_add_target(self->fd, HTMM_TARGET_TGID, pid));
	tell(_metadata, self, NR_WORKERS - 1);
	stop(_metadata, self);
	EXPECT_EQ(SHARE, counted(_metadata, self, 1, NR_WORKERS - 1));
	EXPECT_EQ(SHARE, counted(_metadata, self, 2, NR_WORKERS - 1));
	ASSERT_EQ(2, device_targets(self->fd, self->info));
	EXPECT_EQ(HTMM_TARGET_INFO_DEAD, self->info[0].flags);
	EXPECT_EQ(0, self->info[1].flags);
}

/* The root is a cgroup, too, and every process is in it. */
TEST_F(target, the_root_cgroup)
{
	int dir = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ASSERT_LE(0, dir);
	request_add_cgroup(&self->req, dir);
	ASSERT_START(self);
	tell(_metadata, self, 0);
	stop(_metadata, self);
	EXPECT_EQ(SHARE, counted(_metadata, self, 1, 0));
	close(dir);
}

#define MANY		48

static void fault_once(void *arg)
{
	struct _test_data_target *self = arg;

	access_pages(&self->source, self->mem, PAGES, 1);
}

/* So many that some of them have the same place in any table of hashes. */
TEST_F(target, many)
{
	struct child children[MANY];
	int i;

	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(0, child_worker(&children[i], fault_once, self));
		request_add_target(&self->req, children[i].pid);
	}
	ASSERT_START(self);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, child_do(&children[i]));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(MANY, device_targets(self->fd, self->info));
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(children[i].pid, self->info[i].id);
		EXPECT_LE(PAGES, self->info[i].stats[HTMM_STAT_SAMPLES]);
		child_kill(&children[i]);
	}
}

/* Free memory that the kernel gives out next has something in it. */
static void soil_memory(void)
{
	const size_t bytes = 8 << 20;
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return;
	memset(mem, 0xa5, bytes);
	munmap(mem, bytes);
}

/* Members that the module does not set are zero, whatever the memory had before. */
TEST_F(target, tells_no_old_memory)
{
	struct htmm_target_info *info = &self->info[0];
	static struct stats stats;
	size_t i;
	int try;

	/* Not this process, whose faults need not be sampled. */
	request_add_target(&self->req, self->workers[0].pid);
	ASSERT_START(self);
	for (try = 0; try < 4; try++) {
		soil_memory();
		ASSERT_EQ(1, device_targets(self->fd, self->info));
		ASSERT_EQ(0, info->flags);
		ASSERT_EQ(0, info->__reserved);
		for (i = HTMM_NR_DROPS; i < HTMM_DROP_SLOTS; i++)
			ASSERT_EQ(0, info->drops[i]);
		for (i = strlen(info->name); i < sizeof(info->name); i++)
			ASSERT_EQ(0, info->name[i]);
		soil_memory();
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		for (i = 0; i < stats.s.nr_channels; i++) {
			ASSERT_EQ(0, stats.channels[i].flags & ~(HTMM_CHANNEL_ACTIVE |
								 HTMM_CHANNEL_LARGE_PEBS));
			ASSERT_EQ(0, stats.channels[i].counters.drops[HTMM_DROP_SLOTS - 1]);
		}
	}
}
