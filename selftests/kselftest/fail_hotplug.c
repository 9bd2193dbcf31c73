// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU comes online while all CPUs are sampled, and each allocation for its rings and
 * events fails in turn. A kernel worker makes them, and which one is not known before: all
 * candidates are told to fail the n-th time, counting only allocations made for this
 * module.
 */
#include <dirent.h>
#include <fcntl.h>
#include "check.h"
#include "files.h"
#include "nth.h"

#define PAGES		8
#define MAX_CPUS	64
#define MAX_WORKERS	256
/* Checks of the session, 2 ms apart, before giving up. */
#define PATIENCE	15000
/* How many times in a row a newly created worker may get the work. */
#define MOST_MISSES	20
/* The CPUs for work that is not bound to a CPU. */
#define WORKERS_FILE	"/sys/devices/virtual/workqueue/cpumask"
/* The module's work function for CPU hotplug. */
#define WORK		"htmm_channel_set_work"

static void __attribute__((constructor)) fail_hotplug_require(void)
{
	nth_require();
}

/**
 * struct worker - a kernel worker thread that may run the module's work
 * @pid: the thread
 * @nth: its fail-nth file
 */
struct worker {
	pid_t pid;
	int nth;
};

/* What happened to the n-th possible failure. */
enum outcome {
	FIRED,		/* it failed */
	SPARED,		/* there were fewer than n */
	MISSED,		/* another worker did the work */
};

FIXTURE(fail_hotplug) {
	int fd;
	int cpus[MAX_CPUS];
	int nr_cpus;
	int late;
	struct source source;
	struct request req;
	void *mem;
	char workers_before[128];
	struct worker workers[MAX_WORKERS];
	int nr_workers;
};

/*
 * Restricts workers to CPUs that stay online: otherwise a CPU that comes online brings its
 * own worker.
 */
static int workers_stay(struct _test_data_fail_hotplug *self)
{
	char cpu[32];
	int ret;

	ret = file_read(WORKERS_FILE, self->workers_before, sizeof(self->workers_before));
	snprintf(cpu, sizeof(cpu), "%llx", 1ULL << self->cpus[0]);
	return ret ?: file_write(WORKERS_FILE, cpu);
}

FIXTURE_SETUP(fail_hotplug)
{
	struct source fault;
	int ret;

	self->nr_cpus = cpus_allowed(self->cpus, MAX_CPUS);
	self->late = self->cpus[self->nr_cpus - 1];
	if (self->nr_cpus < 2 || !cpu_is_removable(self->late))
		SKIP(return, "no CPU can be taken offline here");
	ASSERT_EQ(0, nth_everything());
	ret = nth_only_below(WORK);
	if (ret == -ENOENT)
		SKIP(return, "failures cannot be restricted to " WORK "() here");
	ASSERT_EQ(0, ret);
	/* Two events, of a PMU and of the kernel itself: they are created in different ways. */
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	if (source_find(&fault, ACCESS_FAULT))
		request_add_event(&self->req, &fault.event);
	self->req.arg.ring_pages = 1;
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
	ASSERT_EQ(0, workers_stay(self));
}

FIXTURE_TEARDOWN(fail_hotplug)
{
	EXPECT_EQ(0, file_write(WORKERS_FILE, self->workers_before));
	EXPECT_EQ(0, nth_only_below(NULL));
	EXPECT_EQ(0, cpu_set_online(self->late, true));
	check_idle(_metadata);
}

/* Tells if it is a worker for work that is not bound to a CPU. */
static bool is_worker(pid_t pid)
{
	char path[64], name[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file_read(path, name, sizeof(name));
	return !strncmp(name, "kworker/u", 9);
}

static void workers_arm(struct __test_metadata *_metadata,
			struct _test_data_fail_hotplug *self, unsigned int nth)
{
	DIR *dir = opendir("/proc");
	struct worker *worker;
	struct dirent *entry;
	char path[64];

	ASSERT_NE(NULL, dir);
	self->nr_workers = 0;
	while ((entry = readdir(dir))) {
		worker = &self->workers[self->nr_workers];
		worker->pid = atoi(entry->d_name);
		if (!worker->pid || !is_worker(worker->pid))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/fail-nth", worker->pid);
		worker->nth = open(path, O_RDWR | O_CLOEXEC);
		/* The thread may have exited already. */
		if (worker->nth < 0)
			continue;
		nth_arm(worker->nth, nth);
		ASSERT_GT(MAX_WORKERS, ++self->nr_workers);
	}
	closedir(dir);
	ASSERT_LT(0, self->nr_workers);
}

static enum outcome workers_disarm(struct _test_data_fail_hotplug *self, unsigned int nth)
{
	enum outcome outcome = MISSED;
	const struct worker *worker;
	int left;

	while (self->nr_workers) {
		worker = &self->workers[--self->nr_workers];
		left = nth_left(worker->nth);
		nth_disarm(worker->nth);
		close(worker->nth);
		if (left == 0)
			outcome = FIRED;
		else if (left > 0 && left < nth && outcome == MISSED)
			outcome = SPARED;
	}
	return outcome;
}

/* The number of the CPU's channels with an active event. */
static int events_active(struct _test_data_fail_hotplug *self)
{
	int event, active = 0;

	for (event = 0; event < self->req.arg.nr_events; event++)
		active += device_active(self->fd, self->late, event);
	return active;
}

static __u32 cpus_failed(struct __test_metadata *_metadata, struct _test_data_fail_hotplug *self)
{
	static struct stats stats;

	EXPECT_EQ(0, stats_read(self->fd, &stats));
	return stats.s.stats[HTMM_STAT_CPUS_FAILED];
}

static __u32 cpus_sampled(struct __test_metadata *_metadata, struct _test_data_fail_hotplug *self)
{
	struct htmm_info info;

	EXPECT_EQ(0, device_info(self->fd, &info));
	return info.nr_cpus;
}

static void depart(struct __test_metadata *_metadata, struct _test_data_fail_hotplug *self)
{
	ASSERT_EQ(0, cpu_set_online(self->late, false));
	ASSERT_SOON(cpus_sampled(_metadata, self) != self->nr_cpus);
	EXPECT_EQ(0, events_active(self));
}

/*
 * Brings the CPU online. Returns true if it is sampled with all events; false if the
 * session reports that it is not, and it has no event.
 */
static bool arrive(struct __test_metadata *_metadata, struct _test_data_fail_hotplug *self)
{
	__u32 failed = cpus_failed(_metadata, self);
	int tries;

	EXPECT_EQ(0, cpu_set_online(self->late, true));
	for (tries = 0; tries < PATIENCE; tries++) {
		if (events_active(self) == self->req.arg.nr_events) {
			EXPECT_EQ(self->nr_cpus, cpus_sampled(_metadata, self));
			EXPECT_EQ(failed, cpus_failed(_metadata, self));
			return true;
		}
		if (cpus_failed(_metadata, self) != failed) {
			EXPECT_EQ(failed + 1, cpus_failed(_metadata, self));
			EXPECT_EQ(self->nr_cpus - 1, cpus_sampled(_metadata, self));
			EXPECT_EQ(0, events_active(self));
			return false;
		}
		usleep(2000);
	}
	EXPECT_GT(PATIENCE, tries) {
		TH_LOG("CPU %d was forgotten", self->late);
	}
	return false;
}

/* Accesses on a CPU are sampled there. */
static void check_sampled(struct __test_metadata *_metadata,
			  struct _test_data_fail_hotplug *self, int cpu)
{
	struct htmm_channel_info before, after;

	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &before));
	ASSERT_EQ(0, cpu_pin(cpu));
	access_pages(&self->source, self->mem, PAGES, 1000);
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &after));
	EXPECT_LT(before.counters.overflows, after.counters.overflows) {
		TH_LOG("CPU %d", cpu);
	}
}

static void begin(struct __test_metadata *_metadata, struct _test_data_fail_hotplug *self)
{
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_START(self);
}

static void finish(struct __test_metadata *_metadata, struct _test_data_fail_hotplug *self)
{
	ASSERT_EQ(0, device_stop(self->fd));
	close(self->fd);
	check_idle(_metadata);
}

/* The CPU was offline when the session began, or goes offline and comes back. */
static enum outcome attempt(struct __test_metadata *_metadata,
			    struct _test_data_fail_hotplug *self, bool first,
			    unsigned int nth, bool *sampled)
{
	enum outcome outcome;

	ASSERT_EQ(0, cpu_set_online(self->late, !first));
	begin(_metadata, self);
	workers_arm(_metadata, self, nth);
	if (!first)
		depart(_metadata, self);
	*sampled = arrive(_metadata, self);
	outcome = workers_disarm(self, nth);
	EXPECT_TRUE(*sampled || outcome == FIRED);

	check_sampled(_metadata, self, self->cpus[0]);
	if (*sampled)
		check_sampled(_metadata, self, self->late);
	/* The next time nothing fails, and no trace of the failure is left. */
	depart(_metadata, self);
	EXPECT_TRUE(arrive(_metadata, self));
	check_sampled(_metadata, self, self->late);
	finish(_metadata, self);
	return outcome;
}

/* Ends with the first run in which nothing failed. */
static void sweep(struct __test_metadata *_metadata,
		  struct _test_data_fail_hotplug *self, bool first,
		  const char *name)
{
	unsigned int nth = 1, refused = 0, misses = 0;
	enum outcome outcome;
	bool sampled;

	do {
		outcome = attempt(_metadata, self, first, nth, &sampled);
		ASSERT_TRUE(_metadata->exit_code == KSFT_PASS) {
			TH_LOG("at failure %u", nth);
		}
		misses = outcome == MISSED ? misses + 1 : 0;
		ASSERT_GT(MOST_MISSES, misses);
		nth += outcome == FIRED;
		refused += !sampled;
	} while (outcome != SPARED && nth < NTH_MOST);
	EXPECT_EQ(SPARED, outcome);
	EXPECT_LT(0, refused);
	TH_LOG("%s: %u injection points, %u times not sampled", name, nth - 1, refused);
}

TEST_F_TIMEOUT(fail_hotplug, first_arrival, 600)
{
	sweep(_metadata, self, true, "a CPU comes");
}

TEST_F_TIMEOUT(fail_hotplug, later_arrival, 600)
{
	sweep(_metadata, self, false, "a CPU goes and comes");
}
