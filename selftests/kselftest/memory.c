// SPDX-License-Identifier: GPL-2.0
/* Which cgroup is charged for a session's memory, and what it gives back under memory pressure. */
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cgroup.h"
#include "check.h"
#include "child.h"
#include "files.h"

#define MIB		(1UL << 20)
/* Touched pages of each region: more than its entry holds, so that it needs a block. */
#define TOUCHED		20
#define COLD_REGIONS	1500
/* Where a few have to do. */
#define FEW_REGIONS	500
#define COLD_STEP	100
#define HOT_REGIONS	16
#define FEW_SAMPLES	100
/* Of empty cgroups, added while the session runs. */
#define LATER_TARGETS	60
/* What a process that fills the memory takes at a time. */
#define CHUNK		(16 * MIB)

static int cgroup_set(const struct cgroup *cgroup, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", cgroup->path, name);
	return file_write(path, text);
}

/* Reads a number from a file of a cgroup; -1 if it has none. */
static long cgroup_get(const struct cgroup *cgroup, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", cgroup->path, name);
	return file_number(path);
}

FIXTURE(memory) {
	int fd;
	struct source source;
	struct request req;
	struct cgroup cgroup;
	int cold_regions;
};

FIXTURE_SETUP(memory)
{
	self->cold_regions = few_rounds() ? FEW_REGIONS : COLD_REGIONS;
	if (!cgroup_possible() || file_write("/sys/fs/cgroup/cgroup.subtree_control", "+memory"))
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, cgroup_make(&self->cgroup, NULL, "memory"));
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(memory)
{
	close(self->fd);
	cgroup_leave(0);
	EXPECT_EQ(0, cgroup_remove(&self->cgroup));
	check_idle(_metadata);
}

/* Requests this many rings of the largest size. */
static void ask_for_rings(struct _test_data_memory *self, int nr_events)
{
	self->req.arg.ring_pages = HTMM_MAX_RING_PAGES;
	while (self->req.arg.nr_events < nr_events)
		request_add_event(&self->req, &self->source.event);
}

/* Rings of 128 MiB with a limit of 32 MiB: a message, and no process is killed. */
TEST_F(memory, limit_is_heeded)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long killed = file_value("/proc/vmstat", "oom_kill");

	ASSERT_EQ(0, cgroup_set(&self->cgroup, "memory.max", "33554432"));
	ask_for_rings(self, 8 / cpus ?: 1);
	ASSERT_EQ(0, cgroup_enter(&self->cgroup, 0));
	EXPECT_EQ(-ENOMEM, device_start(self->fd, &self->req)) {
		TH_LOG("%s", self->req.error);
	}
	EXPECT_NE(NULL, strstr(self->req.error, "memory.max"));
	EXPECT_NE(NULL, strstr(self->req.error, "ring_pages"));
	EXPECT_EQ(killed, file_value("/proc/vmstat", "oom_kill"));
	/* The memory that it had allocated is freed. */
	EXPECT_GT(8 * MIB, cgroup_get(&self->cgroup, "memory.current"));
	check_idle(_metadata);
}

/*
 * Has the caller's cgroup charged on each CPU. A CPU refers to the last cgroup that was charged
 * there, even if that one is removed, until another is.
 */
static int charge_on_each_cpu(void)
{
	int cpus[CPU_SETSIZE];
	int nr = cpus_allowed(cpus, CPU_SETSIZE);
	cpu_set_t before;
	int i, err = 0;
	void *page;

	if (sched_getaffinity(0, sizeof(before), &before))
		return -errno;
	for (i = 0; i < nr && !err; i++) {
		err = cpu_pin(cpus[i]);
		page = mmap(NULL, PAGE, PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE, -1,
			    0);
		if (page == MAP_FAILED)
			err = -errno;
		else
			munmap(page, PAGE);
	}
	if (sched_setaffinity(0, sizeof(before), &before))
		return -errno;
	return err;
}

/*
 * Waits until no more cgroups than these are removed but still in use. Returns how many are,
 * or a negative errno.
 */
static long dying_cgroups(long most)
{
	int tries = 300;
	long dying;
	int err;

	do {
		/* Pages that are free but for a CPU's list of pages to handle count, too. */
		err = file_write("/proc/sys/vm/drop_caches", "1") ?: charge_on_each_cpu();
		if (err)
			return err;
		dying = file_value("/sys/fs/cgroup/cgroup.stat", "nr_dying_descendants");
	} while (dying > most && --tries && !usleep(100000));
	return dying;
}

struct payment {
	struct cgroup cgroup;
	struct _test_data_memory *self;
};

static int pay(int sock, void *arg)
{
	struct payment *payment = arg;

	return cgroup_enter(&payment->cgroup, 0) ||
	       device_start(payment->self->fd, &payment->self->req);
}

/* Cgroups that have paid for a session can be freed when both are gone. */
TEST_F(memory, payers_may_go)
{
	struct payment payment = { .self = self };
	struct child child;
	long before;
	int i;

	/* Not by the first payer to get there: the pages of this program are paid for here. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	ASSERT_EQ(0, cgroup_enter(&self->cgroup, 0));
	before = dying_cgroups(0);
	ASSERT_LE(0, before);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, cgroup_make(&payment.cgroup, NULL, "payer"));
		/* A process of its own, as it pays for each page that it writes to meanwhile. */
		ASSERT_EQ(0, child_start(&child, pay, &payment));
		ASSERT_EQ(0, child_join(&child));
		ASSERT_EQ(0, cgroup_remove(&payment.cgroup));
		ASSERT_EQ(0, device_stop(self->fd));
		close(self->fd);
		ASSERT_LE(0, self->fd = device_open());
	}
	EXPECT_EQ(before, dying_cgroups(before));
}

static __u64 table_bytes(struct __test_metadata *_metadata, int fd)
{
	static struct htmm_target_info targets[HTMM_MAX_TARGETS];

	EXPECT_LE(1, device_targets(fd, targets));
	return targets[0].bytes;
}

/* Reads a few pages of each region, all mapped to the zero page. */
static void touch_regions(struct _test_data_memory *self, char *mem, int regions, int rounds)
{
	int i;

	for (i = 0; i < regions; i++)
		access_pages(&self->source, mem + i * REGION, TOUCHED, rounds);
}

/*
 * The rings have room for a step's samples, however late they are drained. A few may always
 * be left: with so short a period, asking is sampled, too.
 */
static void touch_in_steps(struct __test_metadata *_metadata, struct _test_data_memory *self,
			   char *mem, int regions, int step, int rounds)
{
	int i;

	for (i = 0; i < regions; i += step) {
		touch_regions(self, mem + i * REGION, step, rounds);
		ASSERT_EQ(0, device_drained(self->fd, FEW_SAMPLES));
	}
}

static char *map_regions(int regions)
{
	char *mem = access_reserve(regions * REGION);

	if (mem)
		madvise(mem, regions * REGION, MADV_HUGEPAGE);
	return mem;
}

/* memory.current includes a session's memory: rings, directory, and tables as they grow. */
TEST_F(memory, starter_pays)
{
	__u64 rings, before, started, grown, table, small;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char *mem = map_regions(COLD_REGIONS);

	if (!source_find(&self->source, ACCESS_LOAD))
		SKIP(return, "no PMU here samples loads");
	self->source.event.period = 3;
	request_init(&self->req, &self->source.event);
	self->req.arg.ring_pages = 1024;
	self->req.arg.max_bytes = 64 * MIB;
	request_add_target(&self->req, getpid());
	ASSERT_NE(NULL, mem);
	ASSERT_EQ(0, cgroup_enter(&self->cgroup, 0));
	touch_regions(self, mem, COLD_REGIONS, 1);
	before = cgroup_get(&self->cgroup, "memory.current");
	ASSERT_START(self);
	started = cgroup_get(&self->cgroup, "memory.current");
	rings = cpus * 1024 * PAGE;
	small = table_bytes(_metadata, self->fd);
	EXPECT_NEAR(rings + small, started - before, MIB);
	touch_in_steps(_metadata, self, mem, COLD_REGIONS, COLD_STEP, 7);
	grown = cgroup_get(&self->cgroup, "memory.current");
	table = table_bytes(_metadata, self->fd);
	TH_LOG("rings %llu KiB, table %llu, then %llu KiB; charged %llu, then %llu KiB",
	       rings >> 10, small >> 10, table >> 10, (started - before) >> 10,
	       (grown - before) >> 10);
	/* More than the tolerance of what follows. */
	EXPECT_LT(small + 768 * 1024, table);
	EXPECT_LE(table - small, grown - started + 512 * 1024);
	EXPECT_NEAR(rings + table, grown - before, MIB + MIB / 2);
	ASSERT_EQ(0, device_stop(self->fd));
	close(self->fd);
	self->fd = device_open();
	EXPECT_NEAR(before, cgroup_get(&self->cgroup, "memory.current"), MIB + MIB / 2);
}

/* Targets that are added, or made anew by a reset, are charged to the session's cgroup, too. */
TEST_F(memory, starter_pays_for_later_targets)
{
	static struct cgroup others[LATER_TARGETS];
	struct htmm_info info;
	__u64 before, added, bytes;
	int i;

	self->req.arg.max_bytes = 4 * MIB;
	request_add_target(&self->req, getpid());
	ASSERT_EQ(0, cgroup_enter(&self->cgroup, 0));
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	ASSERT_EQ(0, cgroup_leave(0));
	before = cgroup_get(&self->cgroup, "memory.current");
	bytes = info.table_bytes;
	for (i = 0; i < LATER_TARGETS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "target%d", i);
		ASSERT_EQ(0, cgroup_make(&others[i], NULL, name));
		ASSERT_EQ(i + 2, device_add_target(self->fd, HTMM_TARGET_CGROUP, others[i].dir));
	}
	ASSERT_EQ(0, device_info(self->fd, &info));
	bytes = info.table_bytes - bytes;
	added = cgroup_get(&self->cgroup, "memory.current");
	TH_LOG("tables of %d targets: %llu KiB, charged %lld", LATER_TARGETS, bytes >> 10,
	       (long long)(added - before) >> 10);
	/*
	 * Far more than the tolerance, which is for what each CPU has charged in advance. A target
	 * has more than its table.
	 */
	EXPECT_LT(4 * MIB, bytes);
	EXPECT_LE(before + bytes, added + MIB);
	ASSERT_EQ(0, device_reset(self->fd));
	EXPECT_NEAR(added, cgroup_get(&self->cgroup, "memory.current"), MIB);
	ASSERT_EQ(0, device_stop(self->fd));
	for (i = 0; i < LATER_TARGETS; i++)
		EXPECT_EQ(0, cgroup_remove(&others[i]));
}

/* Counts the tracked pages in a range of regions. */
static size_t pages_tracked(const struct pages *pages, const char *mem, int regions)
{
	__u64 first = (uintptr_t)mem, end = first + regions * REGION;
	size_t i, n = 0;

	for (i = 0; i < pages->nr; i++)
		n += pages->page[i].addr >= first && pages->page[i].addr < end;
	return n;
}

struct tracked {
	size_t cold;
	size_t hot;
	__u64 samples;		/* of both */
	__u64 bytes;		/* of the table */
};

static void count_tracked(struct __test_metadata *_metadata, struct _test_data_memory *self,
			  const char *mem, struct tracked *tracked)
{
	/* A call that begins with the hottest page reads the whole table: few calls. */
	const struct htmm_list_pages all = { .order = HTMM_ORDER_HOTTEST, .min_samples = 1 };
	static struct pages pages;

	ASSERT_EQ(0, pages_list(self->fd, &all, self->cold_regions * TOUCHED, &pages));
	tracked->cold = pages_tracked(&pages, mem, self->cold_regions);
	tracked->hot = pages_tracked(&pages, mem + self->cold_regions * REGION, HOT_REGIONS);
	tracked->samples = pages_samples(&pages, 0, mem,
					 (self->cold_regions + HOT_REGIONS) * REGION);
	tracked->bytes = table_bytes(_metadata, self->fd);
}

static void touch_hot(struct __test_metadata *_metadata, struct _test_data_memory *self, char *mem)
{
	touch_in_steps(_metadata, self, mem + self->cold_regions * REGION, HOT_REGIONS, 1, 300);
}

/*
 * Starts a session, and touches many regions seldom and some often. Returns them, or NULL.
 * @empty: bytes of the table before
 */
static char *track_regions(struct __test_metadata *_metadata, struct _test_data_memory *self,
			   struct tracked *tracked, __u64 *empty)
{
	char *mem = map_regions(self->cold_regions + HOT_REGIONS);

	self->source.event.period = 3;
	request_init(&self->req, &self->source.event);
	self->req.arg.max_bytes = 16 * MIB;
	self->req.arg.cooling_period = ~0ULL;
	self->req.arg.ring_pages = 256;
	request_add_target(&self->req, getpid());
	EXPECT_NE(NULL, mem);
	EXPECT_EQ(0, device_start(self->fd, &self->req)) {
		TH_LOG("%s", self->req.error);
		return NULL;
	}
	*empty = table_bytes(_metadata, self->fd);
	touch_in_steps(_metadata, self, mem, self->cold_regions, COLD_STEP, 7);
	touch_hot(_metadata, self, mem);
	count_tracked(_metadata, self, mem, tracked);
	EXPECT_LT(self->cold_regions * TOUCHED / 2, tracked->cold);
	EXPECT_LT(HOT_REGIONS * TOUCHED / 2, tracked->hot);
	return mem;
}

/* Number of pages that were evicted from the only target's table. */
static __u64 evicted(struct __test_metadata *_metadata, int fd)
{
	static struct htmm_target_info targets[HTMM_MAX_TARGETS];

	EXPECT_EQ(1, device_targets(fd, targets));
	return targets[0].stats[HTMM_STAT_EVICTED];
}

/*
 * A kernel that reclaims memory, for a full node or because it is asked to drop its caches,
 * gets what the tables do not use, and no counts.
 */
TEST_F(memory, reclaim_takes_no_counts)
{
	struct tracked before, after;
	int i, tries = 5000;
	__u64 empty, now;
	char *mem;

	if (!source_find(&self->source, ACCESS_LOAD))
		SKIP(return, "no PMU here samples loads");
	mem = track_regions(_metadata, self, &before, &empty);
	ASSERT_NE(NULL, mem);
	ASSERT_EQ(0, file_write("/proc/sys/vm/drop_caches", "2"));
	count_tracked(_metadata, self, mem, &after);
	EXPECT_EQ(before.cold, after.cold);
	EXPECT_EQ(before.hot, after.hot);
	EXPECT_EQ(0, evicted(_metadata, self->fd));

	for (i = 0; i < HTMM_NR_BINS; i++)
		ASSERT_EQ(0, device_cool(self->fd, 0));
	/* What has cooled to zero is forgotten a little at a time. */
	do {
		usleep(2000);
		ASSERT_EQ(0, file_write("/proc/sys/vm/drop_caches", "2"));
		now = table_bytes(_metadata, self->fd);
	} while (now - empty > (before.bytes - empty) / 4 && --tries);
	TH_LOG("bytes of the table %llu, %llu, then %llu", empty, before.bytes, now);
	EXPECT_NE(0, tries);
	EXPECT_EQ(0, evicted(_metadata, self->fd));
}

/* Takes memory until the kernel kills it, in the cgroup if one is given. */
static int hog(int sock, void *cgroup)
{
	char *mem;

	child_offer_itself();
	if (cgroup && cgroup_enter(cgroup, 0))
		return 1;
	child_post(sock);
	for (;;) {
		mem = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED)
			return 2;
		madvise(mem, CHUNK, MADV_HUGEPAGE);
		/* Not by single stores, which are slow on an emulated CPU. */
		madvise(mem, CHUNK, MADV_POPULATE_WRITE);
	}
}

#define NR_OTHER_VICTIMS	16

/*
 * The kernel considers memory free as soon as it is unmapped, and kills other processes if it
 * needs some before huge pages of the first are freed: this takes long on a kernel that checks
 * itself, and wherever the CPU of the machine is taken away meanwhile. Not the test, then.
 */
static int other_victim(int sock, void *unused)
{
	(void)unused;
	child_offer_itself();
	child_post(sock);
	pause();
	return 0;
}

/*
 * Lets a process take all memory until it is killed. A session that runs goes on counting
 * meanwhile, and no count is lost.
 */
static void check_hog(struct __test_metadata *_metadata, struct _test_data_memory *self,
		      char *mem, struct cgroup *cgroup, bool running)
{
	struct child child, others[NR_OTHER_VICTIMS];
	struct tracked before, after;
	int i, rounds = 0, killed = 0;

	count_tracked(_metadata, self, mem, &before);
	for (i = 0; i < NR_OTHER_VICTIMS; i++) {
		ASSERT_EQ(0, child_start(&others[i], other_victim, NULL));
		ASSERT_EQ(0, child_await(others[i].sock));
	}
	ASSERT_EQ(0, child_start(&child, hog, cgroup));
	ASSERT_EQ(0, child_await(child.sock));
	do {
		if (running)
			touch_hot(_metadata, self, mem);
		else
			usleep(10000);
		rounds++;
	} while (!child_ended(&child));
	EXPECT_EQ(128 + SIGKILL, child_join(&child));
	for (i = 0; i < NR_OTHER_VICTIMS; i++) {
		killed += child_ended(&others[i]);
		child_kill(&others[i]);
	}
	count_tracked(_metadata, self, mem, &after);
	TH_LOG("%s, %s: %d rounds, %llu samples, then %llu; %d others killed",
	       cgroup ? "cgroup" : "system", running ? "running" : "stopped", rounds,
	       before.samples, after.samples, killed);
	EXPECT_EQ(before.cold, after.cold);
	EXPECT_EQ(before.hot, after.hot);
	EXPECT_LE(before.samples, after.samples);
	EXPECT_EQ(running, before.samples < after.samples);
	EXPECT_EQ(0, evicted(_metadata, self->fd));
}

/* Who takes all memory is killed, and takes no counts of a session, running or stopped. */
TEST_F(memory, hog_takes_no_counts)
{
	struct tracked tracked;
	/* Filling memory takes long. */
	bool each = !few_rounds();
	struct cgroup cgroup;
	__u64 empty;
	char *mem;

	if (!source_find(&self->source, ACCESS_LOAD))
		SKIP(return, "no PMU here samples loads");
	ASSERT_EQ(0, cgroup_make(&cgroup, NULL, "hog"));
	ASSERT_EQ(0, cgroup_set(&cgroup, "memory.max", "67108864"));
	mem = track_regions(_metadata, self, &tracked, &empty);
	ASSERT_NE(NULL, mem);
	check_hog(_metadata, self, mem, &cgroup, true);
	if (each)
		check_hog(_metadata, self, mem, NULL, true);
	ASSERT_EQ(0, device_stop(self->fd));
	if (each)
		check_hog(_metadata, self, mem, &cgroup, false);
	check_hog(_metadata, self, mem, NULL, false);
	EXPECT_EQ(0, cgroup_remove(&cgroup));
}
