// SPDX-License-Identifier: GPL-2.0
/* What START accepts and refuses, and the messages for that. */
#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <linux/perf_event.h>
#include "check.h"
#include "child.h"
#include "files.h"

#define EVERYTHING	(~0ULL)
/* More CPUs than any kernel has. */
#define BITMAP_WORDS	512
/* Bytes allocated at a time. */
#define CHUNK		(8UL << 20)

FIXTURE(request) {
	int fd;
	struct source source;
	struct request req;
	__u64 cpus[BITMAP_WORDS + 1];
};

FIXTURE_SETUP(request)
{
	source_find(&self->source, ACCESS_FAULT);
	request_init(&self->req, &self->source.event);
	ASSERT_LE(0, self->fd = device_open());
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(request) { check_closed(_metadata, self->fd); }

/* Tells if there is a thread of that name. */
static bool thread_exists(const char *name)
{
	DIR *proc = opendir("/proc");
	char path[300], comm[32];
	struct dirent *entry;
	bool found = false;

	while (!found && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		found = !file_read(path, comm, sizeof(comm)) && !strcmp(comm, name);
	}
	closedir(proc);
	return found;
}

/* A thread that has ended is listed until the kernel releases it. */
static bool thread_goes(const char *name)
{
	int tries = 1000;

	while (thread_exists(name) && --tries)
		usleep(10000);
	return tries;
}

/* The request fails with @err, gives the reason in one line, and leaves nothing. */
#define refused(err, label) do {					\
	const char *what = (label);					\
									\
	EXPECT_EQ(-(err), device_start(self->fd, &self->req)) {		\
		TH_LOG("%s: %s", what, self->req.error);		\
	}								\
	EXPECT_REASON(self->req.error, what);				\
	check_idle(_metadata);						\
	request_init(&self->req, &self->source.event);			\
} while (0)

/* The request, valid except for one member, is refused. */
#define refused_with(err, member, value) do {				\
	self->req.member = (value);					\
	refused(err, #member " = " #value);				\
} while (0)

#define accepted_with(member, value) do {				\
	self->req.member = (value);					\
	EXPECT_EQ(0, device_start(self->fd, &self->req)) {		\
		TH_LOG(#member " = " #value ": %s", self->req.error);	\
	}								\
	EXPECT_EQ('\0', self->req.error[0]);				\
	EXPECT_EQ(0, device_stop(self->fd));		\
	close(self->fd);						\
	self->fd = device_open();					\
	request_init(&self->req, &self->source.event);			\
} while (0)

TEST_F(request, reserved_members)
{
	refused_with(EOPNOTSUPP, arg.flags, HTMM_START_KEEP << 1);
	refused_with(EOPNOTSUPP, arg.flags, ~0U);
	self->req.arg.session = 1;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_START, &self->req.arg));
	self->req.arg.session = 0;
	refused_with(EOPNOTSUPP, arg.__reserved, 1);
	refused_with(EOPNOTSUPP, events[0].flags, 1);
	refused_with(EINVAL, events[0].min_level, HTMM_SOURCE_SLOW + 1);
	request_add_target(&self->req, getpid());
	refused_with(EOPNOTSUPP, targets[0].flags, 1);
	request_add_target(&self->req, getpid());
	request_add_target(&self->req, getpid());
	refused_with(ERANGE, targets[0].max_bytes, 4096);
	request_add_target(&self->req, getpid());
	refused_with(ERANGE, targets[0].max_bytes, 1ULL << 63);
}

TEST_F(request, event_members)
{
	refused_with(EINVAL, events[0].period, 0);
	refused_with(ERANGE, events[0].period, 1ULL << 63);
	refused_with(ERANGE, events[0].period, EVERYTHING);
	refused_with(EINVAL, events[0].precise_ip, 4);
	memset(self->req.events[0].name, 'x', HTMM_EVENT_NAME_LEN);
	refused(EINVAL, "a name without an end");
	strcpy(self->req.events[0].name, "a\nb");
	refused(EINVAL, "a name of two lines");

	accepted_with(events[0].period, (1ULL << 63) - 1);
	/* 1000 times as much, its longest period by default, does not fit in 64 bits. */
	accepted_with(events[0].period, 1ULL << 58);
	accepted_with(events[0].period, 1);
	memset(self->req.events[0].name, 'x', HTMM_EVENT_NAME_LEN - 1);
	accepted_with(events[0].name[HTMM_EVENT_NAME_LEN - 1], '\0');
	accepted_with(events[0].name[0], '\0');
}

TEST_F(request, budget)
{
	refused_with(EINVAL, arg.budget_ppm, 1);
	self->req.arg.flags = HTMM_START_BUDGET;
	refused_with(ERANGE, arg.budget_ppm, 1000001);
	self->req.arg.flags = HTMM_START_BUDGET;
	refused_with(ERANGE, arg.interrupt_ns, 1000001);
	self->req.arg.flags = HTMM_START_BUDGET;
	refused_with(ERANGE, arg.budget_interval_ms, 9);
	self->req.arg.flags = HTMM_START_BUDGET;
	refused_with(ERANGE, arg.budget_interval_ms, 60001);
	refused_with(EINVAL, events[0].min_period, self->source.event.period + 1);
	refused_with(EINVAL, events[0].max_period, self->source.event.period - 1);
	refused_with(ERANGE, events[0].max_period, 1ULL << 63);

	self->req.arg.flags = HTMM_START_BUDGET;
	self->req.arg.interrupt_ns = 1000000;
	self->req.arg.budget_interval_ms = 10;
	accepted_with(arg.budget_ppm, 1000000);
	self->req.arg.flags = HTMM_START_BUDGET;
	self->req.events[0].min_period = 1;
	self->req.events[0].max_period = (1ULL << 63) - 1;
	accepted_with(arg.budget_interval_ms, 60000);
}

/* No PMU has such a type, or such a software event. */
TEST_F(request, events_that_no_pmu_takes)
{
	refused_with(ENOENT, events[0].type, 0x7ffffff0);
	refused_with(ENOENT, events[0].config, 0x7fffffff);
	/* A wrong event after a valid one. */
	request_add_event(&self->req, &self->source.event);
	refused_with(ENOENT, events[1].type, 0x7ffffff0);
}

TEST_F(request, raw_config_that_the_pmu_rejects)
{
	if (!source_find(&self->source, ACCESS_STORE))
		SKIP(return, "no PMU here samples stores");
	if (!self->source.exact)
		SKIP(return, "real PMUs take any raw config");
	request_init(&self->req, &self->source.event);
	refused_with(EINVAL, events[0].config, 0xffff);
	/* Only loads with a latency take a config1; and nothing takes a config2. */
	refused_with(EINVAL, events[0].config1, 3);
	refused_with(EINVAL, events[0].config2, 3);
	self->req.events[0].config = 0x1cd;
	accepted_with(events[0].config1, 3);
}

/* The second event is refused: the first must not stay on any CPU. */
TEST_F(request, all_or_nothing)
{
	int events, i;

	if (!source_find(&self->source, ACCESS_STORE))
		SKIP(return, "no PMU here samples stores");
	events = source_events(&self->source);
	if (events < 0)
		SKIP(return, "this PMU does not tell how many events it has");
	request_init(&self->req, &self->source.event);
	for (i = 0; i < 3; i++) {
		request_add_event(&self->req, &self->source.event);
		refused_with(ENOENT, events[1].type, 0x7ffffff0);
		EXPECT_EQ(events, source_events(&self->source));
	}
	ASSERT_START(self);
	EXPECT_LT(events, source_events(&self->source));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(events, source_events(&self->source));
}

TEST_F(request, ring)
{
	__u64 one = 1;

	refused_with(EINVAL, arg.ring_pages, 3);
	refused_with(EINVAL, arg.ring_pages, HTMM_MAX_RING_PAGES - 1);
	refused_with(ERANGE, arg.ring_pages, HTMM_MAX_RING_PAGES + 1);
	refused_with(ERANGE, arg.ring_pages, 2 * HTMM_MAX_RING_PAGES);
	refused_with(ERANGE, arg.ring_pages, ~0U);
	accepted_with(arg.ring_pages, 1);
	self->req.arg.cpus = (uintptr_t)&one;
	self->req.arg.cpus_size = sizeof(one);
	accepted_with(arg.ring_pages, HTMM_MAX_RING_PAGES);
}

/* Takes memory until only this much is left, and stays. */
static int hoard(int sock, void *left)
{
	char *mem;

	child_offer_itself();
	while (memory_available() > *(size_t *)left) {
		mem = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED)
			return 1;
		madvise(mem, CHUNK, MADV_HUGEPAGE);
		/* Not by single stores, which are slow on an emulated CPU. */
		if (madvise(mem, CHUNK, MADV_POPULATE_WRITE))
			return 1;
	}
	child_post(sock);
	return child_await(sock);
}

/* If there is no memory for the rings, the request is refused, and no process is killed. */
TEST_F(request, rings_kill_nobody)
{
	long rings = HTMM_MAX_EVENTS * sysconf(_SC_NPROCESSORS_ONLN);
	__u32 pages = HTMM_MAX_RING_PAGES;
	struct sysinfo info;
	struct child child;
	size_t all, left;

	ASSERT_EQ(0, sysinfo(&info));
	all = info.totalram * info.mem_unit;
	if (all >> 33)
		SKIP(return, "it takes long to fill so much memory");
	while (pages * rings > all / 4096 / 4)
		pages /= 2;
	left = pages * rings * 4096 / 3;
	ASSERT_EQ(0, child_start(&child, hoard, &left));
	ASSERT_EQ(0, child_await(child.sock));

	while (self->req.arg.nr_events < HTMM_MAX_EVENTS)
		request_add_event(&self->req, &self->source.event);
	refused_with(ENOMEM, arg.ring_pages, pages);
	EXPECT_EQ(0, child_post(child.sock));
	EXPECT_EQ(0, child_join(&child));
}

TEST_F(request, table)
{
	struct sysinfo info;

	ASSERT_EQ(0, sysinfo(&info));
	refused_with(ERANGE, arg.max_bytes, 1);
	refused_with(ERANGE, arg.max_bytes, info.totalram * info.mem_unit);
	refused_with(ERANGE, arg.max_bytes, EVERYTHING);
	accepted_with(arg.max_bytes, 1 << 20);
	accepted_with(arg.cooling_period, EVERYTHING);
	accepted_with(arg.adaptation_period, EVERYTHING);
	accepted_with(arg.capacity_pages, EVERYTHING);
}

TEST_F(request, thread)
{
	refused_with(ERANGE, arg.drain_nice, -21);
	refused_with(ERANGE, arg.drain_nice, 20);
	refused_with(ERANGE, arg.drain_nice, INT32_MIN);
	refused_with(ERANGE, arg.drain_interval_ms, 10001);
	refused_with(ERANGE, arg.drain_interval_ms, ~0U);
	accepted_with(arg.drain_nice, -20);
	accepted_with(arg.drain_nice, 19);
	accepted_with(arg.drain_interval_ms, 1);
	accepted_with(arg.drain_interval_ms, 10000);
	EXPECT_TRUE(thread_goes("ksampled"));
	ASSERT_START(self);
	EXPECT_TRUE(thread_exists("ksampled"));
}

TEST_F(request, nice_thread)
{
	struct htmm_info info;

	self->req.arg.drain_nice = 7;
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(7, getpriority(PRIO_PROCESS, info.drain_pid));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_TRUE(thread_goes("ksampled"));
}

TEST_F(request, sample_type)
{
	refused_with(EOPNOTSUPP, arg.sample_type, PERF_SAMPLE_CALLCHAIN);
	refused_with(EOPNOTSUPP, arg.sample_type, PERF_SAMPLE_PHYS_ADDR);
	refused_with(EOPNOTSUPP, arg.sample_type, EVERYTHING);
	accepted_with(arg.sample_type, PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
				       PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC);
	accepted_with(arg.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR);
}

/* Lives until it is told to end, or killed. */
static int idle(int sock, void *arg)
{
	return child_await(sock);
}

TEST_F(request, arrays)
{
	struct child children[HTMM_MAX_TARGETS];
	int i;

	refused_with(EINVAL, arg.nr_events, 0);
	refused_with(E2BIG, arg.nr_events, HTMM_MAX_EVENTS + 1);
	refused_with(E2BIG, arg.nr_events, ~0U);
	refused_with(E2BIG, arg.nr_targets, HTMM_MAX_TARGETS + 1);
	refused_with(E2BIG, arg.nr_targets, ~0U);
	refused_with(EFAULT, arg.events, 0);
	refused_with(EFAULT, arg.events, EVERYTHING - 7);
	refused_with(EINVAL, arg.event_size, 0);
	refused_with(EINVAL, arg.event_size, sizeof(struct htmm_event) - 1);
	self->req.arg.nr_targets = 1;
	refused_with(EFAULT, arg.targets, 0);
	request_add_target(&self->req, getpid());
	refused_with(EINVAL, arg.target_size, 0);
	request_add_target(&self->req, getpid());
	refused_with(EINVAL, arg.target_size, sizeof(struct htmm_target) - 1);

	for (i = 1; i < HTMM_MAX_EVENTS; i++)
		request_add_event(&self->req, &self->source.event);
	accepted_with(arg.nr_events, HTMM_MAX_EVENTS);
	/* Each one would have 16 MiB or more. */
	self->req.arg.max_bytes = 1 << 20;
	for (i = 0; i < HTMM_MAX_TARGETS; i++) {
		ASSERT_EQ(0, child_start(&children[i], idle, NULL));
		request_add_target(&self->req, children[i].pid);
	}
	accepted_with(arg.nr_targets, HTMM_MAX_TARGETS);
	for (i = 0; i < HTMM_MAX_TARGETS; i++)
		child_kill(&children[i]);
	/* Without targets, the array is not read. */
	self->req.arg.targets = 1;
	accepted_with(arg.target_size, 0);
}

/* A stride larger than the module's: unknown members must be zero. */
TEST_F(request, wide_elements)
{
	struct {
		struct htmm_event event;
		__u64 beyond;
	} wide = { .event = self->source.event };

	self->req.arg.events = (uintptr_t)&wide;
	accepted_with(arg.event_size, sizeof(wide));
	wide.beyond = 1;
	self->req.arg.events = (uintptr_t)&wide;
	refused_with(E2BIG, arg.event_size, sizeof(wide));
}

/* A process that has exited, and numbers that the kernel reads as the same one. */
TEST_F(request, dead_or_impossible_target)
{
	struct child child;
	int status;

	child.pid = fork();
	ASSERT_LE(0, child.pid);
	if (!child.pid)
		_exit(0);
	ASSERT_EQ(child.pid, waitpid(child.pid, &status, 0));

	request_add_target(&self->req, child.pid);
	refused(ESRCH, "a process that has ended");
	request_add_target(&self->req, getpid());
	request_add_target(&self->req, child.pid);
	refused(ESRCH, "a process that has ended, behind one that lives");
	request_add_target(&self->req, 0);
	refused(ESRCH, "process 0");
	request_add_target(&self->req, getpid());
	refused_with(ESRCH, targets[0].id, (1ULL << 32) + getpid());
	request_add_target(&self->req, getpid());
	refused_with(ESRCH, targets[0].id, EVERYTHING);
	request_add_target(&self->req, getpid());
	refused_with(EOPNOTSUPP, targets[0].type, 0);
	request_add_target(&self->req, getpid());
	refused_with(EOPNOTSUPP, targets[0].type, ~0U);
	request_add_target(&self->req, getpid());
	refused_with(EBADF, targets[0].type, HTMM_TARGET_CGROUP);
	request_add_target(&self->req, getpid());
	refused_with(EINVAL, targets[0].type, HTMM_TARGET_ALL);
	request_add_target(&self->req, getpid());
	request_add_target(&self->req, getpid());
	refused(EEXIST, "the same process twice");
}

/* Both bitmaps of CPUs are read in the same way. */
FIXTURE(bitmap) {
	int fd;
	struct source source;
	struct request req;
	__u64 cpus[BITMAP_WORDS + 1];
};

FIXTURE_VARIANT(bitmap) {
	size_t pointer;
	size_t size;
};

FIXTURE_VARIANT_ADD(bitmap, cpus) {
	.pointer = offsetof(struct htmm_start, cpus),
	.size = offsetof(struct htmm_start, cpus_size),
};

FIXTURE_VARIANT_ADD(bitmap, drain_cpus) {
	.pointer = offsetof(struct htmm_start, drain_cpus),
	.size = offsetof(struct htmm_start, drain_cpus_size),
};

FIXTURE_SETUP(bitmap)
{
	source_find(&self->source, ACCESS_FAULT);
	request_init(&self->req, &self->source.event);
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(bitmap) { check_closed(_metadata, self->fd); }

#define set_bitmap(from, bytes) do {					\
	char *arg = (char *)&self->req.arg;				\
									\
	*(__u64 *)(arg + variant->pointer) = (uintptr_t)(from);	\
	*(__u32 *)(arg + variant->size) = (bytes);			\
} while (0)

TEST_F(bitmap, refused)
{
	self->cpus[0] = 1;
	set_bitmap(self->cpus, 1);
	refused(EINVAL, "a bitmap of 1 byte");
	set_bitmap(self->cpus, 12);
	refused(EINVAL, "a bitmap of 12 bytes");
	set_bitmap(self->cpus, ~7U);
	refused(ERANGE, "a bitmap of 4 GiB");
	set_bitmap(NULL, 8);
	refused(EFAULT, "a bitmap at NULL");
	self->cpus[0] = 0;
	set_bitmap(self->cpus, 8);
	refused(ENODEV, "an empty bitmap");
	self->cpus[0] = 1;
	self->cpus[BITMAP_WORDS - 1] = 1ULL << 63;
	set_bitmap(self->cpus, BITMAP_WORDS * 8);
	refused(ERANGE, "CPU 32767");
}

TEST_F(bitmap, accepted)
{
	int cpus[1];
	__u64 bit;

	ASSERT_EQ(1, cpus_allowed(cpus, 1));
	bit = 1ULL << cpus[0] % 64;
	self->cpus[cpus[0] / 64] = bit;
	set_bitmap(self->cpus, BITMAP_WORDS * 8);
	ASSERT_START(self);
}

TEST_F(bitmap, cpu_is_offline)
{
	int cpus[1024], nr = cpus_allowed(cpus, 1024);
	int cpu = cpus[nr - 1];

	if (nr < 2 || cpu_set_online(cpu, false))
		SKIP(return, "no CPU here can be taken offline");
	self->cpus[cpu / 64] = 1ULL << cpu % 64;
	set_bitmap(self->cpus, BITMAP_WORDS * 8);
	refused(ENODEV, "a CPU that is offline");
	ASSERT_EQ(0, cpu_set_online(cpu, true));
}

/* Reads the kernel's list of nodes with CPUs, such as "0-1,3". */
static bool node_has_cpus(int node)
{
	FILE *file = fopen("/sys/devices/system/node/has_cpu", "r");
	int first, last;
	bool has = !file && !node;	/* a kernel without NUMA */

	while (file && !has && fscanf(file, "%d", &first) == 1) {
		last = first;
		fscanf(file, "-%d", &last);
		fscanf(file, ",");
		has = first <= node && node <= last;
	}
	if (file)
		fclose(file);
	return has;
}

/* 4 KiB pages of the nodes with CPUs, or of all nodes. */
static __u64 present_pages(bool all)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	__u64 pages, sum = 0;
	char line[256];
	int node = 0;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Node %d", &node);
		if (sscanf(line, " present %llu", &pages) == 1 && (all || node_has_cpus(node)))
			sum += pages;
	}
	if (file)
		fclose(file);
	return sum * (sysconf(_SC_PAGESIZE) / 4096);
}

TEST_F(request, capacity_is_of_nodes_with_cpus)
{
	struct htmm_info info;

	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(present_pages(false), info.capacity_pages);
	if (present_pages(false) == present_pages(true))
		SKIP(return, "all nodes have CPUs here");
}

TEST_F(request, defaults)
{
	struct htmm_info info;

	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(HTMM_STATE_RUNNING, info.state);
	EXPECT_EQ(32, info.ring_pages);
	EXPECT_EQ(0, info.cooling_period);
	EXPECT_EQ(100000, info.adaptation_period);
	EXPECT_LE(16 << 20, info.max_bytes);
	EXPECT_EQ(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR, info.sample_type);
	EXPECT_EQ(1, info.nr_events);
	EXPECT_EQ(1, info.nr_targets);
	EXPECT_EQ(getpid(), info.owner);
	EXPECT_NE(0, info.drain_pid);
	EXPECT_EQ(0, getpriority(PRIO_PROCESS, info.drain_pid));
	EXPECT_NE(0, info.session);
	EXPECT_EQ(info.nr_cpus * 32 * 4096, info.ring_bytes);
}

/* The message goes only into the buffer. */
TEST_F(request, buffer_for_the_reason)
{
	char small[32];

	memset(small, 'x', sizeof(small));
	self->req.arg.error = (uintptr_t)small;
	self->req.arg.error_size = 16;
	self->req.arg.nr_events = 0;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
	EXPECT_LT(0, strnlen(small, 16));
	EXPECT_GT(16, strnlen(small, 16));
	EXPECT_EQ('x', small[16]);

	memset(small, 'x', sizeof(small));
	self->req.arg.error_size = 0;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
	EXPECT_EQ('x', small[0]);
	self->req.arg.error_size = HTMM_ERROR_LEN;
	self->req.arg.error = 0;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
	self->req.arg.error = 8;
	EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
}
