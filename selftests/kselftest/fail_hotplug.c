// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that comes while everything is sampled, with each of the allocations for its
 * rings and events failing in turn. A worker of the kernel makes them, nobody knows
 * beforehand which: all that may be the one get the n-th failure, and count only what
 * they allocate for us.
 */
#include <dirent.h>
#include <fcntl.h>
#include "check.h"
#include "nth.h"

#define PAGES		8
#define MAX_CPUS	64
#define MAX_WORKERS	256
/* Looks at the session, 2 ms apart, before what should come is missed. */
#define PATIENCE	15000
/* Times in a row that the work may go to a worker that has just been made. */
#define MOST_MISSES	20
/* The CPUs for work that is bound to none. */
#define WORKERS_FILE	"/sys/devices/virtual/workqueue/cpumask"
/* The module's work when a CPU has come or gone. */
#define WORK		"htmm_sampler_set_work"

static void __attribute__((constructor)) fail_hotplug_require(void)
{
	nth_require();
}

/**
 * struct worker - a thread of the kernel that may run our work
 * @pid: the thread
 * @nth: its fail-nth
 */
struct worker {
	pid_t pid;
	int nth;
};

/* What became of the n-th chance to fail. */
enum outcome {
	FIRED,		/* it failed */
	SPARED,		/* there were fewer */
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

static int workers_put(const char *cpus)
{
	int fd = open(WORKERS_FILE, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, cpus, strlen(cpus)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/*
 * Workers may use CPUs that are there: when one comes others do the work, unless it is
 * not for them.
 */
static int workers_stay(struct _test_data_fail_hotplug *self)
{
	int fd = open(WORKERS_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	char cpu[32];

	if (fd < 0)
		return -errno;
	n = read(fd, self->workers_before, sizeof(self->workers_before) - 1);
	close(fd);
	if (n < 0)
		return -errno;
	snprintf(cpu, sizeof(cpu), "%llx", 1ULL << self->cpus[0]);
	return workers_put(cpu);
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
	/* Two events, of a PMU and of the kernel itself: they are made differently. */
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	if (source_find(&fault, ACCESS_FAULT))
		request_add_event(&self->req, &fault.event);
	self->req.arg.ring_pages = 1;
	self->mem = access_map(PAGES);
	ASSERT_NE(NULL, self->mem);
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
	ASSERT_EQ(0, workers_stay(self));
}

FIXTURE_TEARDOWN(fail_hotplug)
{
	EXPECT_EQ(0, workers_put(self->workers_before));
	EXPECT_EQ(0, nth_only_below(NULL));
	EXPECT_EQ(0, cpu_set_online(self->late, true));
	check_idle(_metadata);
}

/* One of those for work that is bound to no CPU? */
static bool is_worker(pid_t pid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
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
		/* It may be over already. */
		if (worker->nth < 0)
			continue;
		nth_arm(worker->nth, nth);
		ASSERT_GT(MAX_WORKERS, ++self->nr_workers);
	}
	closedir(dir);
	ASSERT_LT(0, self->nr_workers);
}

static enum outcome workers_disarm(struct _test_data_fail_hotplug *self,
				   unsigned int nth)
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

/* The channels of the CPU whose events are there. */
static int events_active(struct _test_data_fail_hotplug *self)
{
	struct htmm_channel channel;
	int event, active = 0;

	for (event = 0; event < self->req.arg.nr_events; event++)
		if (!device_channel(self->fd, self->late, event, &channel))
			active += !!(channel.flags & HTMM_CHANNEL_ACTIVE);
	return active;
}

static __u32 cpus_failed(struct __test_metadata *_metadata,
			 struct _test_data_fail_hotplug *self)
{
	struct stats stats;

	EXPECT_EQ(0, stats_read(self->fd, &stats));
	stats_free(&stats);
	return stats.s.cpus_failed;
}

static __u32 cpus_sampled(struct __test_metadata *_metadata,
			  struct _test_data_fail_hotplug *self)
{
	struct htmm_info info;

	EXPECT_EQ(0, device_info(self->fd, &info));
	return info.nr_cpus;
}

static void depart(struct __test_metadata *_metadata,
		   struct _test_data_fail_hotplug *self)
{
	int tries = 0;

	ASSERT_EQ(0, cpu_set_online(self->late, false));
	while (cpus_sampled(_metadata, self) == self->nr_cpus) {
		ASSERT_GT(PATIENCE, ++tries);
		usleep(2000);
	}
	EXPECT_EQ(0, events_active(self));
}

/*
 * The CPU comes. True if it is sampled, with all events; false if the session says that
 * it is not, with none.
 */
static bool arrive(struct __test_metadata *_metadata,
		   struct _test_data_fail_hotplug *self)
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

/* What is accessed on a CPU is sampled there. */
static void check_sampled(struct __test_metadata *_metadata,
			  struct _test_data_fail_hotplug *self, int cpu)
{
	struct htmm_channel before, after;

	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &before));
	ASSERT_EQ(0, cpu_pin(cpu));
	access_pages(&self->source, self->mem, PAGES, 1000);
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &after));
	EXPECT_LT(before.counters.overflows, after.counters.overflows) {
		TH_LOG("CPU %d", cpu);
	}
}

static void begin(struct __test_metadata *_metadata,
		  struct _test_data_fail_hotplug *self)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_start(self->fd, &self->req)) {
		TH_LOG("%s", self->req.error);
	}
}

static void finish(struct __test_metadata *_metadata,
		   struct _test_data_fail_hotplug *self)
{
	struct stats stats;

	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	check_stats(_metadata, &stats);
	stats_free(&stats);
	close(self->fd);
	check_idle(_metadata);
}

/* The CPU was not there yet when the session began, or goes and comes again. */
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
	/* Next time nothing fails, and nothing reminds of it. */
	depart(_metadata, self);
	EXPECT_TRUE(arrive(_metadata, self));
	check_sampled(_metadata, self, self->late);
	finish(_metadata, self);
	return outcome;
}

/* Ends with the first time that nothing failed. */
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
