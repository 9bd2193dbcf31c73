// SPDX-License-Identifier: GPL-2.0
/*
 * Every operation, with each of its allocations and user copies failing in turn. The kernel
 * fails the n-th of these for a thread that asks for it in /proc/PID/fail-nth, if fault
 * injection is built in.
 */
#include <fcntl.h>
#include <poll.h>
#include "check.h"
#include "child.h"
#include "files.h"
#include "invariants.h"
#include "nth.h"
#include "records.h"

#define PAGES		8
#define CHANNELS	256
#define HOT_PAGES	16
/* Samples that are fed: more than one batch of the call. */
#define FED		300

static void __attribute__((constructor)) fail_nth_require(void)
{
	nth_require();
}

FIXTURE(fail_nth) {
	struct htmm_target_info targets[HTMM_MAX_TARGETS];
	int added;
	int fd;
	int nth;
	struct source fault;
	struct request req;
	__u64 cpus;
	void *mem;
	struct stats before;
	struct htmm_channel_info channels[CHANNELS];
	struct htmm_page pages[HOT_PAGES];
	char module[4096];
	const char *file;
	struct htmm_feed_sample fed[FED];
	__u32 fed_event;
	__u32 nr_fed;
	__u64 fed_before;
	int parts;
	int wholes;
};

FIXTURE_SETUP(fail_nth)
{
	ASSERT_EQ(0, nth_everything());
	self->nth = open(NTH_FILE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->nth);
	source_every_fault(&self->fault);
	request_init(&self->req, &self->fault.event);
	request_add_target(&self->req, getpid());
	self->req.arg.ring_pages = 1;
	self->req.arg.max_bytes = 1 << 20;
	self->req.arg.flags = HTMM_START_SERVED;
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(fail_nth) { check_closed(_metadata, self->fd); }

static int start(FIXTURE_DATA(fail_nth) *self)
{
	return device_start(self->fd, &self->req);
}

/* Without the calls that compare all results: a sweep makes them once. */
static int stop_unseen(FIXTURE_DATA(fail_nth) *self)
{
	return device_stop_unseen(self->fd);
}

static int cool(FIXTURE_DATA(fail_nth) *self)
{
	return device_cool(self->fd, 0);
}

static int reset(FIXTURE_DATA(fail_nth) *self)
{
	return device_reset(self->fd);
}

static int get_targets(FIXTURE_DATA(fail_nth) *self)
{
	int ret = device_targets(self->fd, self->targets);

	return ret < 0 ? ret : 0;
}

static int add_target(FIXTURE_DATA(fail_nth) *self)
{
	int ret = device_add_target(self->fd, HTMM_TARGET_ALL, 0);

	self->added = ret;
	return ret < 0 ? ret : 0;
}

static int set(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		.capacity_pages = 5,
		.period = 3,
	};

	return device_set(self->fd, &set, self->req.error);
}

static int remove_target(FIXTURE_DATA(fail_nth) *self)
{
	return device_remove_target(self->fd, self->added);
}

static int shut(FIXTURE_DATA(fail_nth) *self)
{
	return close(self->fd) ? -errno : 0;
}

static int get_info(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_info info;

	return device_info(self->fd, &info);
}

static int get_hist(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_histogram hist;

	return device_hist(self->fd, HTMM_UNIT_PAGE, &hist);
}

static int get_hit_ratio(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_hit_ratio ratio;

	return device_hit_ratio(self->fd, HTMM_UNIT_PAGE, 0, &ratio);
}

/* With pages that were seen, so that something is summed up. */
static int get_placement(FIXTURE_DATA(fail_nth) *self)
{
	static struct placement placement;

	return device_placement(self->fd, 0, &placement);
}

static int get_served(FIXTURE_DATA(fail_nth) *self)
{
	struct served served;

	return device_served(self->fd, 0, &served);
}

static int get_residents(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_list_pages arg = {
		LIST_ROOM(self->pages, HOT_PAGES),
		.flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE,
		.order = HTMM_ORDER_COLDEST,
	};

	return device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &arg);
}

/*
 * Reads into memory that is already mapped, as its page faults would otherwise take the
 * failures.
 */
static int get_stats(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_stats stats = {
		.size = sizeof(stats),
		.channels = (uintptr_t)self->channels,
		.nr_channels = CHANNELS,
		.channel_size = sizeof(self->channels[0]),
		.event_size = sizeof(struct htmm_event),
	};

	return device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats);
}

static int get_hot_pages(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_list_pages arg = { LIST_ROOM(self->pages, HOT_PAGES), .pid = getpid() };

	return device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &arg);
}

static void touch(void *arg)
{
	FIXTURE_DATA(fail_nth) *self = arg;

	access_pages(&self->fault, self->mem, PAGES, 1);
}

static void reopen(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	close(self->fd);
	ASSERT_LE(0, self->fd = device_open());
}

/*
 * What invariants_hold() finds first, after each of many sessions: every overflow is in exactly
 * one counter, the totals are the sums, and all rings are empty.
 */
static void check_stats(struct __test_metadata *_metadata, const struct stats *stats)
{
	const struct htmm_counters *total = &stats->s.total;
	__u64 overflows = 0, counted = 0, drops = 0;
	__u32 i;

	ASSERT_NE(0, stats->s.nr_channels);
	for (i = 0; i < stats->s.nr_channels; i++) {
		const struct htmm_counters *c = &stats->channels[i].counters;

		EXPECT_EQ(c->overflows, c->counted + counters_drops(c));
		EXPECT_EQ(0, c->in_flight);
		overflows += c->overflows;
		counted += c->counted;
		drops += counters_drops(c);
	}
	EXPECT_EQ(total->overflows, overflows);
	EXPECT_EQ(total->counted, counted);
	EXPECT_EQ(counters_drops(total), drops);
	EXPECT_EQ(total->in_flight, 0);
	EXPECT_EQ(stats->s.stats[HTMM_STAT_SAMPLES], counted);
}

/* The running session still works, ends, and leaves only its results. */
static void finish(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	static struct stats stats;

	touch(self);
	ASSERT_EQ(0, stop_unseen(self));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	check_stats(_metadata, &stats);
	EXPECT_LE(PAGES, stats.s.stats[HTMM_STAT_SAMPLES]);
}

/**
 * struct sweep - an operation to repeat with each possible failure
 * @name: its name
 * @before: sets up the state before it
 * @run: the operation
 * @after: checks the state after @run returned @ret
 */
struct sweep {
	const char *name;
	void (*before)(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self);
	int (*run)(FIXTURE_DATA(fail_nth) *self);
	void (*after)(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret);
};

/*
 * Ends with the first run in which nothing failed. The operation may succeed despite a
 * failure, for example by another way to allocate. Returns the number of possible failures.
 */
static unsigned int sweep(struct __test_metadata *_metadata,
			  FIXTURE_DATA(fail_nth) *self,
			  const struct sweep *sweep)
{
	unsigned int nth = 0, refused = 0;
	bool fired;
	int ret;

	do {
		sweep->before(_metadata, self);
		nth_arm(self->nth, ++nth);
		ret = sweep->run(self);
		fired = nth_disarm(self->nth);
		if (ret) {
			refused++;
			EXPECT_TRUE(fired);
			EXPECT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
				TH_LOG("failure %u: %s", nth, strerror(-ret));
			}
		}
		sweep->after(_metadata, self, ret);
		ASSERT_TRUE(_metadata->exit_code == KSFT_PASS) {
			TH_LOG("at failure %u, returned %d", nth, ret);
		}
	} while (fired && nth < NTH_MOST);
	EXPECT_FALSE(fired);
	if (device_state() == HTMM_STATE_STOPPED)
		invariants_hold(self->fd);
	TH_LOG("%s: %u injection points, %u refusals", sweep->name, nth - 1, refused);
	return nth - 1;
}

static void be_idle(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	reopen(_metadata, self);
	check_idle(_metadata);
}

/* A failed start leaves everything as if it had not been called. */
static void after_start(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	if (ret) {
		check_idle(_metadata);
		ASSERT_EQ(0, start(self));
	}
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	finish(_metadata, self);
}

static const struct sweep start_when_idle = { "start", be_idle, start, after_start };

/* A request with all it can hold: events of two PMUs, targets, CPUs. */
TEST_F_TIMEOUT(fail_nth, start_with_everything, 600)
{
	struct source store;
	int cpus[64], nr = cpus_allowed(cpus, 64);

	while (nr--)
		self->cpus |= 1ULL << cpus[nr];
	self->req.arg.cpus = (uintptr_t)&self->cpus;
	self->req.arg.cpus_size = sizeof(self->cpus);
	self->req.arg.drain_cpus = (uintptr_t)&self->cpus;
	self->req.arg.drain_cpus_size = sizeof(self->cpus);
	request_add_target(&self->req, getppid());
	if (source_find(&store, ACCESS_STORE))
		request_add_event(&self->req, &store.event);
	EXPECT_LT(0, sweep(_metadata, self, &start_when_idle));
}

static void be_detached(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	struct stats *before = &self->before;

	if (device_state() != HTMM_STATE_STOPPED) {
		ASSERT_EQ(0, start(self));
		finish(_metadata, self);
	}
	/* The session does not belong to the fd: closing it does not end the session. */
	reopen(_metadata, self);
	ASSERT_EQ(0, stats_read(self->fd, before));
}

/* A failed start keeps the results of the previous session. */
static void after_replacing(struct __test_metadata *_metadata,
			    FIXTURE_DATA(fail_nth) *self, int ret)
{
	static struct stats now;

	if (ret) {
		ASSERT_EQ(0, stats_read(self->fd, &now));
		EXPECT_EQ(0, memcmp(&now.s.total, &self->before.s.total, sizeof(now.s.total)));
		EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
		ASSERT_EQ(0, start(self));
	}
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	finish(_metadata, self);
}

TEST_F_TIMEOUT(fail_nth, start_detached, 600)
{
	const struct sweep replacing = {
		"start in place of another", be_detached, start, after_replacing
	};

	self->req.arg.flags |= HTMM_START_DETACHED;
	EXPECT_LT(0, sweep(_metadata, self, &replacing));
	/* A session that belongs to an fd replaces it, and ends with the fd. */
	self->req.arg.flags &= ~HTMM_START_DETACHED;
	ASSERT_EQ(0, start(self));
}

static void be_running(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	if (device_state() != HTMM_STATE_RUNNING) {
		reopen(_metadata, self);
		ASSERT_EQ(0, start(self));
		touch(self);
	}
}

static void after_stop(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	if (!ret) {
		ASSERT_EQ(0, start(self));
	}
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	finish(_metadata, self);
}

TEST_F_TIMEOUT(fail_nth, stop, 600)
{
	const struct sweep stopping = { "stop", be_running, stop_unseen, after_stop };

	EXPECT_LT(0, sweep(_metadata, self, &stopping));
}

static void after_close(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	EXPECT_EQ(0, ret);
	check_idle(_metadata);
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_EQ(0, start(self));
	finish(_metadata, self);
}

TEST_F_TIMEOUT(fail_nth, close, 600)
{
	const struct sweep closing = { "close", be_running, shut, after_close };

	/* It should have no possible failure, as close() could not report one. */
	sweep(_metadata, self, &closing);
}

/* A call that does not start or stop anything leaves the running session running. */
static void after_reading(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
}

/* A target whose addition failed does not exist, and holds nothing. */
static void after_adding(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	EXPECT_EQ(ret ? 1 : 2, device_targets(self->fd, self->targets));
	if (!ret)
		EXPECT_EQ(0, remove_target(self));
}

static void have_two(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	be_running(_metadata, self);
	if (device_targets(self->fd, self->targets) == 1)
		ASSERT_EQ(0, add_target(self));
}

/* A target whose removal failed still exists. */
static void after_removing(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	EXPECT_EQ(ret ? 2 : 1, device_targets(self->fd, self->targets));
}

TEST_F_TIMEOUT(fail_nth, targets, 600)
{
	static const struct sweep adding = { "add a target", be_running, add_target, after_adding };
	static const struct sweep removing = {
		"remove a target", have_two, remove_target, after_removing
	};

	EXPECT_LT(4, sweep(_metadata, self, &adding));
	EXPECT_LT(0, sweep(_metadata, self, &removing));
	finish(_metadata, self);
}

static void be_unchanged(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	be_running(_metadata, self);
	ASSERT_EQ(0, device_set_capacity(self->fd, 0, 7));
	ASSERT_EQ(0, device_set_period(self->fd, 0, 1));
}

/* Both values changed, or none. */
static void after_setting(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	struct htmm_channel_info channel;
	struct htmm_info info;
	int cpu;

	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &channel));
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(ret ? 1 : 3, channel.period);
	EXPECT_EQ(ret ? 7 : 5, info.capacity_pages);
}

TEST_F_TIMEOUT(fail_nth, set, 600)
{
	static const struct sweep setting = { "set", be_unchanged, set, after_setting };

	EXPECT_LT(1, sweep(_metadata, self, &setting));
	ASSERT_EQ(0, device_set_period(self->fd, 0, 1));
	finish(_metadata, self);
}

TEST_F_TIMEOUT(fail_nth, while_running, 600)
{
	static const struct sweep running[] = {
		{ "get info", be_running, get_info, after_reading },
		{ "get statistics", be_running, get_stats, after_reading },
		{ "get a histogram", be_running, get_hist, after_reading },
		{ "get the hit ratio", be_running, get_hit_ratio, after_reading },
		{ "get hot pages", be_running, get_hot_pages, after_reading },
		{ "get placement", be_running, get_placement, after_reading },
		{ "get what served", be_running, get_served, after_reading },
		{ "get resident pages", be_running, get_residents, after_reading },
		{ "get targets", be_running, get_targets, after_reading },
		{ "cool", be_running, cool, after_reading },
		{ "reset", be_running, reset, after_reading },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(running); i++)
		EXPECT_LT(0, sweep(_metadata, self, &running[i]));
	finish(_metadata, self);
}

static int feed(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_feed feed = {
		.size = sizeof(feed),
		.event = self->fed_event,
		.samples = (uintptr_t)self->fed,
		.nr_samples = FED,
		.sample_size = sizeof(self->fed[0]),
	};
	int ret = device_ioctl(self->fd, HTMM_IOC_FEED, &feed);

	self->nr_fed = ret ? 0 : FED - feed.nr_samples;
	return ret;
}

static __u64 fed_so_far(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_channel_info *channel = self->channels;
	__u64 sum = 0;
	int i;

	get_stats(self);
	for (i = 0; i < CHANNELS; i++, channel++)
		sum += channel->event == self->fed_event ? channel->counters.overflows : 0;
	return sum;
}

static void before_feeding(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	be_running(_metadata, self);
	/* The rings have room for all. */
	ASSERT_EQ(0, device_settle(self->fd));
	self->fed_before = fed_so_far(self);
}

/* What the call says that it took was taken. Only if that cannot be copied, nobody knows. */
static void after_feeding(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	const __u64 fed = fed_so_far(self) - self->fed_before;

	if (ret != -EFAULT || fed != FED)
		EXPECT_EQ(self->nr_fed, fed);
	self->parts += fed && fed < FED;
	self->wholes += fed == FED;
}

TEST_F_TIMEOUT(fail_nth, feed, 600)
{
	static const struct sweep feeding = { "feed", before_feeding, feed, after_feeding };
	const struct htmm_event event = { .type = HTMM_TYPE_FEED, .period = 1, .name = "fed" };
	int i;

	self->req.arg.ring_pages = 8;
	self->fed_event = self->req.arg.nr_events;
	request_add_event(&self->req, &event);
	for (i = 0; i < FED; i++)
		self->fed[i] = (struct htmm_feed_sample) {
			.addr = (uintptr_t)self->mem + i % PAGES * PAGE,
			.pid = getpid(),
			.tid = getpid(),
		};
	EXPECT_LT(2, sweep(_metadata, self, &feeding));
	/* The second batch could not be read, once. */
	EXPECT_EQ(1, self->parts);
	EXPECT_LT(0, self->wholes);
	finish(_metadata, self);
}

static int join(FIXTURE_DATA(fail_nth) *self)
{
	return stream_join(self->fd, 1 << 16, 0);
}

/* The file becomes a reader or stays as it was; the call can be repeated. */
static void after_joining(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	if (ret != -EFAULT)
		EXPECT_EQ(ret ? POLLERR : 0, stream_poll(self->fd));
	EXPECT_EQ(0, join(self));
	EXPECT_EQ(0, stream_poll(self->fd));
}

TEST_F_TIMEOUT(fail_nth, stream_join, 600)
{
	const struct sweep joining = { "join the stream", be_idle, join, after_joining };

	EXPECT_LT(0, sweep(_metadata, self, &joining));
}

static void be_streaming(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	reopen(_metadata, self);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, join(self));
	ASSERT_EQ(0, start(self));
	touch(self);
	ASSERT_EQ(0, device_settle(self->fd));
}

/* Reads into mapped memory, as above. */
static int read_stream(FIXTURE_DATA(fail_nth) *self)
{
	return read(self->fd, self->channels, sizeof(self->channels)) < 0 ?
		-errno : 0;
}

/* After a failed read, the same records can be read again. */
static void after_streaming(struct __test_metadata *_metadata,
			    FIXTURE_DATA(fail_nth) *self, int ret)
{
	struct htmm_stream report;

	ASSERT_EQ(0, stream_report(self->fd, &report));
	EXPECT_EQ(0, report.lost);
	EXPECT_LE(PAGES, report.delivered);
	if (ret) {
		EXPECT_LE(PAGES * report.record_size, report.waiting_bytes);
		EXPECT_EQ(0, read_stream(self));
	}
	finish(_metadata, self);
}

TEST_F_TIMEOUT(fail_nth, stream_read, 600)
{
	const struct sweep streaming = {
		"read the stream", be_streaming, read_stream, after_streaming
	};

	EXPECT_LT(0, sweep(_metadata, self, &streaming));
}

static void be_unloaded(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self)
{
	close(self->fd);
	ASSERT_EQ(0, module_unload());
}

static int load(FIXTURE_DATA(fail_nth) *self)
{
	return module_load(self->module);
}

/* A module that cannot be loaded leaves nothing behind, and can be loaded later. */
static void after_loading(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) *self, int ret)
{
	if (ret) {
		EXPECT_NE(0, access("/sys/module/htmm", F_OK));
		EXPECT_NE(0, access("/dev/htmm", F_OK));
		EXPECT_NE(0, access("/sys/kernel/debug/htmm", F_OK));
		ASSERT_EQ(0, load(self));
	}
	ASSERT_LE(0, self->fd = device_open());
	check_idle(_metadata);
}

TEST_F_TIMEOUT(fail_nth, load, 600)
{
	const struct sweep loading = { "load", be_unloaded, load, after_loading };

	if (!module_find(self->module, sizeof(self->module)))
		SKIP(return, "no module to load: set HTMM_KO");
	ASSERT_EQ(0, nth_only_below("do_init_module"));
	EXPECT_LT(0, sweep(_metadata, self, &loading));
	ASSERT_EQ(0, nth_only_below(NULL));
	/* All shrinkers are asked: one that a failed module has left would be a jump to nowhere. */
	be_unloaded(_metadata, self);
	ASSERT_EQ(0, file_write("/proc/sys/vm/drop_caches", "2"));
	ASSERT_EQ(0, load(self));
	ASSERT_LE(0, self->fd = device_open());
}

static int read_debugfs(FIXTURE_DATA(fail_nth) *self)
{
	char text[256];
	ssize_t n;
	int fd;

	snprintf(text, sizeof(text), "/sys/kernel/debug/htmm/%s", self->file);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, text, sizeof(text));
	} while (n > 0);
	n = n < 0 ? -errno : 0;
	close(fd);
	return n;
}

TEST_F_TIMEOUT(fail_nth, debugfs, 600)
{
	static const char * const file[] = {
		"status", "stats", "hist", "hot_pages", "targets",
	};
	struct sweep reading = { NULL, be_running, read_debugfs, after_reading };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(file); i++) {
		self->file = file[i];
		reading.name = file[i];
		EXPECT_LT(0, sweep(_metadata, self, &reading));
	}
	finish(_metadata, self);
}

/* The fail-nth file of ksampled: the table grows in that thread. */
static int drain_nth(FIXTURE_DATA(fail_nth) *self)
{
	struct htmm_info info;
	char path[64];
	int ret;

	ret = device_info(self->fd, &info);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/proc/%u/fail-nth", info.drain_pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/*
 * A sample for which there is no memory is counted as dropped. Each run has a new session
 * with an empty table. The sampled process sleeps until the failure is armed, as this
 * program's own page faults would fill the table before.
 */
TEST_F_TIMEOUT(fail_nth, record, 600)
{
	unsigned int nth = 0, dropped = 0;
	struct child child;
	static struct stats stats;
	__u64 full;
	bool fired;
	int drain;

	/* The child must not have the device open. */
	close(self->fd);
	ASSERT_EQ(0, child_worker(&child, touch, self));
	ASSERT_LE(0, self->fd = device_open());
	self->req.targets[0].id = child.pid;
	do {
		be_idle(_metadata, self);
		ASSERT_EQ(0, start(self));
		drain = drain_nth(self);
		ASSERT_LE(0, drain);
		nth_arm(drain, ++nth);
		ASSERT_EQ(0, child_do(&child));
		ASSERT_EQ(0, device_settle(self->fd));
		fired = nth_disarm(drain);
		close(drain);

		ASSERT_EQ(0, stop_unseen(self));
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		check_stats(_metadata, &stats);
		full = stats.s.total.drops[HTMM_DROP_TABLE_FULL];
		dropped += !!full;
		EXPECT_LE(PAGES, stats.s.stats[HTMM_STAT_SAMPLES] + full);
	} while (fired && nth < NTH_MOST);
	ASSERT_FALSE(fired);
	invariants_hold(self->fd);
	EXPECT_LT(0, dropped);
	TH_LOG("record: %u injection points, %u with samples dropped", nth - 1, dropped);
	EXPECT_EQ(0, child_join(&child));
}
