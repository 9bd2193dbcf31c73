// SPDX-License-Identifier: GPL-2.0
/*
 * What may change while a session runs: capacities and periods. Counts stay, and a refused
 * call changes nothing.
 */
#include "check.h"
#include "child.h"
#include "files.h"

#define NR	64

FIXTURE(set) {
	int fd;
	struct source source;
	struct request req;
	char error[HTMM_ERROR_LEN];
	void *mem;
};

FIXTURE_SETUP(set)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	self->req.arg.max_bytes = 1 << 20;
	ASSERT_NE(NULL, self->mem = access_map(NR));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(set) { check_closed(_metadata, self->fd); }

/* A budget changes a period to a prime number, which no loop has as its length. */
TEST_F(set, periods_of_a_budget)
{
	struct htmm_channel_info channel[2];
	static struct stats stats;
	int tries = 1000, i, cpu;

	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	self->req.events[0].period = 16;
	self->req.events[0].max_period = 1ULL << 62;
	request_add_event(&self->req, &self->req.events[0]);
	self->req.events[1].period = 13;
	self->req.arg.flags = HTMM_START_BUDGET;
	/* Exceeded by far, but not so far that periods are too long to be made prime. */
	self->req.arg.budget_ppm = 1000;
	self->req.arg.budget_interval_ms = 10;
	self->req.arg.drain_interval_ms = 10000;
	ASSERT_START(self);
	do {
		ASSERT_LT(0, --tries);
		access_pages(&self->source, self->mem, NR, 1);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	} while (stats.s.stats[HTMM_STAT_PERIOD_CHANGES] < 2);
	ASSERT_EQ(0, device_stop(self->fd));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, device_channel(self->fd, cpu, i, &channel[i]));
	EXPECT_LT(16, channel[0].period);
	EXPECT_LT(13, channel[1].period);
	for (i = 2; i < 13; i++) {
		EXPECT_NE(0, channel[0].period % i);
		EXPECT_NE(0, channel[1].period % i);
	}
}

/* The period now; and that it has not passed @least since the start. */
static __u64 period_of(struct __test_metadata *_metadata, struct _test_data_set *self, int cpu,
		       __u64 least)
{
	struct htmm_channel_info channel = {};

	EXPECT_EQ(0, device_channel(self->fd, cpu, 0, &channel));
	EXPECT_LE(least, channel.period);
	return channel.period;
}

/* Without a budget the period stays; one that allows everything makes it the shortest. */
TEST_F(set, periods_without_cost)
{
	int tries = 2000, times, cpu;
	struct htmm_info info;
	static struct stats stats;

	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	/* No multiple of 16, which would stay one, and above the shortest. */
	self->req.events[0].period = 61;
	self->req.events[0].min_period = 7;
	self->req.arg.budget_interval_ms = 10;
	/*
	 * ksampled does not run: while the host takes the CPU from it, its CPU time goes on, and
	 * may be more than the whole window.
	 */
	self->req.arg.drain_interval_ms = 10000;
	ASSERT_START(self);
	do {
		usleep(10000);
		ASSERT_EQ(0, device_info(self->fd, &info));
	} while (info.elapsed_ns < 100000000);
	EXPECT_EQ(61, period_of(_metadata, self, cpu, 61));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_PERIOD_CHANGES]);
	ASSERT_EQ(0, device_stop(self->fd));

	self->req.arg.flags = HTMM_START_BUDGET;
	self->req.arg.budget_ppm = 1000000;
	ASSERT_START(self);
	while (period_of(_metadata, self, cpu, 7) > 7) {
		ASSERT_LT(0, --tries);
		usleep(5000);
	}
	for (times = 0; times < 10; times++) {
		usleep(10000);
		EXPECT_EQ(7, period_of(_metadata, self, cpu, 7));
	}
}

/* Sample with a PMU that has the periods of AMD's IBS; without it, skip. */
static bool use_ibs(struct _test_data_set *self)
{
	int type = file_number("/sys/bus/event_source/devices/ibs_emu/type");

	if (type < 0 || !source_find(&self->source, ACCESS_STORE))
		return false;
	self->source.event.type = type;
	request_init(&self->req, &self->source.event);
	return true;
}

/* Its periods stay multiples of 16, whatever the request says. */
TEST_F(set, periods_of_an_ibs_budget)
{
	struct htmm_event *event = &self->req.events[0];
	int tries = 2000, cpu;
	static struct stats stats;
	__u64 period;

	if (!use_ibs(self))
		SKIP(return, "no PMU here has the periods of IBS");
	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	event->period = 37;
	event->min_period = 37;
	event->max_period = 1ULL << 40;
	self->req.arg.flags = HTMM_START_BUDGET;
	/* More than the threads cost without samples. */
	self->req.arg.budget_ppm = 20000;
	self->req.arg.budget_interval_ms = 60000;
	ASSERT_START(self);
	EXPECT_EQ(32, period_of(_metadata, self, cpu, 32));
	ASSERT_EQ(0, device_stop(self->fd));
	self->req.arg.budget_interval_ms = 50;
	ASSERT_START(self);
	do {
		ASSERT_LT(0, --tries);
		access_pages(&self->source, self->mem, NR, 10);
		period = period_of(_metadata, self, cpu, 32);
	} while (period <= 48);
	EXPECT_EQ(0, period % 16);
	/* Without samples the period becomes the shortest: the first multiple above 37. */
	while (period_of(_metadata, self, cpu, 32) > 48) {
		ASSERT_LT(0, --tries);
		usleep(20000);
	}
	EXPECT_EQ(48, period_of(_metadata, self, cpu, 48));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	/* Once longer, and once shorter. */
	EXPECT_LE(2, stats.s.stats[HTMM_STAT_PERIOD_CHANGES]);
	ASSERT_EQ(0, device_stop(self->fd));
}

/* What perf would round without a word on older kernels is refused on all. */
TEST_F(set, period_of_ibs)
{
	struct htmm_set set = { .flags = HTMM_SET_PERIOD, .period = 1601 };
	int cpu;

	if (!use_ibs(self))
		SKIP(return, "no PMU here has the periods of IBS");
	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	ASSERT_START(self);
	EXPECT_EQ(-EINVAL, device_set(self->fd, &set, self->error));
	EXPECT_SAYS(self->error, "multiples of 16, not a period of 1601");
	set.period = 1616;
	EXPECT_EQ(0, device_set(self->fd, &set, self->error));
	EXPECT_EQ(1616, period_of(_metadata, self, cpu, 1616));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* The new capacity and its threshold are set, and all else is as before. Returns the threshold. */
static __u32 check_capacity(struct __test_metadata *_metadata,
			    struct _test_data_set *self, __u64 capacity,
			    const struct htmm_histogram *before)
{
	struct htmm_histogram hist, regions;
	static struct pages pages;
	__u64 hot = 0;
	size_t i;

	EXPECT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(capacity, hist.capacity_pages);
	check_thresholds(_metadata, &hist);
	EXPECT_EQ(0, memcmp(before->bins, hist.bins, sizeof(hist.bins)));
	EXPECT_EQ(before->samples, hist.samples);
	EXPECT_EQ(before->pages, hist.pages);
	EXPECT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++)
		hot += !!(pages.page[i].flags & HTMM_PAGE_HOT);
	EXPECT_EQ(hist.hot_pages, hot);
	EXPECT_GE(capacity, hot);
	EXPECT_EQ(0, device_hist(self->fd, HTMM_UNIT_REGION, &regions));
	EXPECT_EQ(capacity / 512, regions.capacity_pages);
	check_thresholds(_metadata, &regions);
	return hist.hot_threshold;
}

/* 16 pages in bin 1, 8 in bin 2, and so on: 192 faults. */
static void touch_unevenly(void *arg)
{
	struct _test_data_set *self = arg;
	size_t i;

	for (i = 0; i < 6; i++)
		access_pages(&self->source, self->mem, NR >> (i + 1), 1 << i);
}

/*
 * Up and down through every threshold of this histogram. Adaptations are so rare that only
 * the call itself can move the threshold.
 */
TEST_F(set, capacity_moves_the_threshold)
{
	static const __u64 capacities[] = {
		512, 40, 20, 8, 3, 1, 8, 20, 3, 512, 100000, 1,
	};
	struct htmm_histogram before;
	static struct stats stats;
	struct child child;
	__u32 seen = 0;
	size_t i;

	/* This process would have page faults of its own while it reads. */
	ASSERT_EQ(0, child_worker(&child, touch_unevenly, self));
	self->req.targets[0].id = child.pid;
	self->req.arg.adaptation_period = 150;
	self->req.arg.capacity_pages = 100;
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &before));
	ASSERT_LE(1, before.samples / 150);
	for (i = 0; i < ARRAY_SIZE(capacities); i++) {
		ASSERT_EQ(0, device_set_capacity(self->fd, 0, capacities[i]));
		seen |= 1U << check_capacity(_metadata, self, capacities[i], &before);
	}
	/* The test would prove nothing if the threshold could not move. */
	EXPECT_LE(4, __builtin_popcount(seen));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	/* Each change adapts, and so does the stop. */
	EXPECT_EQ(before.samples / 150 + ARRAY_SIZE(capacities) + 1,
		  stats.s.stats[HTMM_STAT_ADAPTATIONS]);
	EXPECT_EQ(0, child_join(&child));
}

static __u64 capacity_of(struct __test_metadata *_metadata,
			 struct _test_data_set *self, __u32 number)
{
	struct htmm_target_info info[HTMM_MAX_TARGETS] = {};
	int nr = device_targets(self->fd, info), i;

	for (i = 0; i < nr; i++)
		if (info[i].number == number)
			return info[i].capacity_pages;
	EXPECT_EQ(number, 0);
	return 0;
}

static __u64 capacity_of_session(struct __test_metadata *_metadata, struct _test_data_set *self)
{
	struct htmm_info info;

	EXPECT_EQ(0, device_info(self->fd, &info));
	return info.capacity_pages;
}

#define capacities(session, first, second) do {				\
	EXPECT_EQ((session), capacity_of_session(_metadata, self));	\
	EXPECT_EQ((first), capacity_of(_metadata, self, 1));		\
	EXPECT_EQ((second), capacity_of(_metadata, self, 2));		\
} while (0)

/* The session's capacity applies to targets without one of their own. */
TEST_F(set, whose_capacity)
{
	struct htmm_hit_ratio ratio;
	struct htmm_histogram hist;
	__u64 all;

	ASSERT_START(self);
	all = capacity_of_session(_metadata, self);
	ASSERT_EQ(0, device_stop(self->fd));

	self->req.arg.capacity_pages = 1000;
	request_add_target(&self->req, getppid());
	self->req.targets[1].capacity_pages = 50;
	ASSERT_START(self);
	capacities(1000, 1000, 50);
	ASSERT_EQ(0, device_set_capacity(self->fd, 0, 2000));
	capacities(2000, 2000, 50);
	ASSERT_EQ(0, device_set_capacity(self->fd, 2, 70));
	capacities(2000, 2000, 70);
	ASSERT_EQ(0, device_set_capacity(self->fd, 1, 30));
	capacities(2000, 30, 70);
	ASSERT_EQ(0, device_set_capacity(self->fd, 0, 3000));
	capacities(3000, 30, 70);
	ASSERT_EQ(0, device_set_capacity(self->fd, 2, 0));
	capacities(3000, 30, 3000);
	/* For both together, the session's capacity. */
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(3000, hist.capacity_pages);
	ASSERT_EQ(0, device_hit_ratio(self->fd, HTMM_UNIT_PAGE, 0, &ratio));
	EXPECT_EQ(3000, ratio.capacity_pages);
	ASSERT_EQ(0, device_target_hist(self->fd, 1, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(30, hist.capacity_pages);
	/* RESET drops pages, but keeps capacities. */
	ASSERT_EQ(0, device_reset(self->fd));
	capacities(3000, 30, 3000);
	ASSERT_EQ(0, device_set_capacity(self->fd, 0, 0));
	capacities(all, 30, all);
	/* A target added later gets it, too. */
	ASSERT_EQ(0, device_set_capacity(self->fd, 0, 4000));
	ASSERT_EQ(3, device_add_target(self->fd, HTMM_TARGET_ALL, 0));
	EXPECT_EQ(4000, capacity_of(_metadata, self, 3));
}

#define refused(errno_, what) do {					\
	EXPECT_EQ(-(errno_), device_set(self->fd, &set, self->error)) {	\
		TH_LOG("%s: %s", what, self->error);			\
	}								\
	EXPECT_REASON(self->error, what);				\
} while (0)

/* Each is refused together with a valid capacity, which must not change then. */
TEST_F(set, refusals)
{
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		.capacity_pages = 5,
		.period = 3,
	};
	const struct htmm_set right = set;
	struct htmm_channel_info channel;
	int cpu;

	refused(ENODATA, "no session");
	self->req.arg.capacity_pages = 1000;
	ASSERT_START(self);
	set.flags = 0;
	refused(EINVAL, "no flag");
	set.flags = HTMM_SET_CAPACITY;
	refused(EINVAL, "a period without its flag");
	set.flags = HTMM_SET_PERIOD;
	refused(EINVAL, "a capacity without its flag");
	set = (struct htmm_set) { .flags = HTMM_SET_PERIOD, .period = 3, .target = 1 };
	refused(EINVAL, "a target without its flag");
	set = (struct htmm_set) { .flags = HTMM_SET_CAPACITY, .event = 1 };
	refused(EINVAL, "an event without its flag");
	set = right;
	set.target = 2;
	refused(ENOENT, "no such target");
	set = right;
	set.event = 1;
	refused(ENOENT, "no such event");
	/* Not an event of zeroes, which no PMU has. */
	EXPECT_SAYS(self->error, "the session has no event 1");
	set.event = ~0U;
	refused(ENOENT, "no event ever");
	set = right;
	set.period = 0;
	refused(EINVAL, "no period");
	set.period = 1ULL << 63;
	refused(ERANGE, "a long period");
	set.period = ~0ULL;
	refused(ERANGE, "the longest period");
	set = right;
	set.flags |= HTMM_SET_PAUSE | HTMM_SET_RESUME;
	refused(EINVAL, "both");
	set.flags = 0x10;
	EXPECT_EQ(-EOPNOTSUPP, device_set(self->fd, &set, self->error));
	set = right;
	set.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, device_set(self->fd, &set, self->error));

	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &channel));
	EXPECT_EQ(1, channel.period);
	EXPECT_EQ(1000, capacity_of_session(_metadata, self));
	set = right;
	EXPECT_EQ(0, device_set(self->fd, &set, self->error));
	EXPECT_EQ('\0', self->error[0]);
	ASSERT_EQ(0, device_channel(self->fd, cpu, 0, &channel));
	EXPECT_EQ(3, channel.period);
	EXPECT_EQ(5, capacity_of_session(_metadata, self));
	set.period = (1ULL << 63) - 1;
	EXPECT_EQ(0, device_set(self->fd, &set, self->error));

	ASSERT_EQ(0, device_stop(self->fd));
	refused(ENODATA, "a session that has stopped");
}

/* A budget controls the periods; a capacity can still be changed. */
TEST_F(set, budget)
{
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		.capacity_pages = 5,
		.period = 1,
	};

	self->req.arg.capacity_pages = 1000;
	self->req.arg.flags = HTMM_START_BUDGET;
	ASSERT_START(self);
	refused(EBUSY, "a budget");
	EXPECT_EQ(1000, capacity_of_session(_metadata, self));
	EXPECT_EQ(0, device_set_capacity(self->fd, 0, 5));
	EXPECT_EQ(5, capacity_of_session(_metadata, self));
}
#undef refused

FIXTURE(period) {
	int fd;
	int cpu;
	struct source source;
	struct request req;
	void *mem;
};

FIXTURE_VARIANT(period) {
	enum access_kind kind;
	__u64 from;
	__u64 to;
};

FIXTURE_VARIANT_ADD(period, shorter_of_faults) { ACCESS_FAULT, 61, 7 };
FIXTURE_VARIANT_ADD(period, longer_of_faults) { ACCESS_FAULT, 7, 61 };
FIXTURE_VARIANT_ADD(period, shorter_of_stores) { ACCESS_STORE, 10007, 1009 };
FIXTURE_VARIANT_ADD(period, longer_of_stores) { ACCESS_STORE, 1009, 10007 };

FIXTURE_SETUP(period)
{
	if (!source_find(&self->source, variant->kind))
		SKIP(return, "no PMU here samples this");
	if (!self->source.exact)
		SKIP(return, "this PMU is not exact");
	self->source.event.period = variant->from;
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	self->req.arg.ring_pages = 64;
	self->req.arg.max_bytes = 1 << 20;
	ASSERT_NE(NULL, self->mem = access_map(NR));
	ASSERT_EQ(1, cpus_allowed(&self->cpu, 1));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(period) { check_closed(_metadata, self->fd); }

/* Accesses to one page, on one CPU where nothing else runs. */
static void access_alone(struct __test_metadata *_metadata,
			 struct _test_data_period *self, int page, size_t n)
{
	ASSERT_EQ(0, cpu_pin(self->cpu));
	ASSERT_EQ(0, cpu_priority(true));
	access_pages(&self->source, self->mem + page * PAGE, 1, n);
	ASSERT_EQ(0, cpu_priority(false));
}

static __u64 samples_of(struct _test_data_period *self, int page)
{
	return device_samples(self->fd, getpid(), self->mem + page * PAGE, PAGE);
}

#define MANY	40

static __u64 check_period(struct __test_metadata *_metadata,
			  struct _test_data_period *self, __u64 period)
{
	static struct stats stats;
	__u32 i;

	EXPECT_EQ(0, stats_read(self->fd, &stats));
	for (i = 0; i < stats.s.nr_channels; i++)
		EXPECT_EQ(period, stats.channels[i].period);
	return stats.s.nr_channels;
}

/*
 * The number of samples fits each period, before and after. At the change perf takes one
 * sample at once, and may end the old period first.
 */
TEST_F(period, samples)
{
	ASSERT_START(self);
	EXPECT_LE(1, check_period(_metadata, self, variant->from));
	access_alone(_metadata, self, 0, MANY * variant->from);
	ASSERT_EQ(0, device_set_period(self->fd, 0, variant->to));
	EXPECT_LE(1, check_period(_metadata, self, variant->to));
	access_alone(_metadata, self, 1, variant->from + variant->to);
	access_alone(_metadata, self, 2, MANY * variant->to);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_NEAR(MANY, samples_of(self, 0), 1);
	EXPECT_NEAR(MANY, samples_of(self, 2), 1);
}

/*
 * With weights, samples taken before the change keep their weight, even if they are still
 * in the ring; and no weight is less than 1.
 */
TEST_F(period, weights)
{
	const __u64 unit = variant->from < variant->to ? variant->from : variant->to;
	const __u64 most = (variant->from + variant->to) / unit;

	self->req.arg.flags = HTMM_START_WEIGHT_PERIOD;
	self->req.arg.drain_interval_ms = 10000;
	self->req.events[0].min_period = unit;
	ASSERT_START(self);
	access_alone(_metadata, self, 0, MANY * variant->from);
	EXPECT_EQ(-ERANGE, device_set_period(self->fd, 0, unit - 1));
	EXPECT_LE(1, check_period(_metadata, self, variant->from));
	ASSERT_EQ(0, device_set_period(self->fd, 0, variant->to));
	access_alone(_metadata, self, 1, variant->from + variant->to);
	access_alone(_metadata, self, 2, MANY * variant->to);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_NEAR(MANY * ((variant->from + unit / 2) / unit), samples_of(self, 0), most);
	EXPECT_NEAR(MANY * ((variant->to + unit / 2) / unit), samples_of(self, 2), most);
}

FIXTURE(refusing) {
	int fd;
	int cpus[2];
	struct source source;
	struct request req;
	struct htmm_set set;
	char error[HTMM_ERROR_LEN];
};

FIXTURE_SETUP(refusing)
{
	if (!source_find(&self->source, ACCESS_STORE) || source_set_parameter("period_step", "16"))
		SKIP(return, "no PMU here refuses on request");
	if (cpus_allowed(self->cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	self->source.event.period = 1600;
	request_init(&self->req, &self->source.event);
	self->req.arg.capacity_pages = 1000;
	self->set = (struct htmm_set) {
		.flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		.capacity_pages = 5,
		.period = 3200,
	};
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_START(self);
}

FIXTURE_TEARDOWN(refusing)
{
	source_set_parameter("period_step", "0");
	source_set_parameter("fixed_period_cpu", "-1");
	close(self->fd);
	check_idle(_metadata);
}

/* On every CPU, together with the capacity. */
static void check_both(struct __test_metadata *_metadata,
		       struct _test_data_refusing *self, __u64 period, __u64 pages)
{
	struct htmm_channel_info channel;
	struct htmm_info info;
	int i;

	for (i = 0; i < ARRAY_SIZE(self->cpus); i++) {
		ASSERT_EQ(0, device_channel(self->fd, self->cpus[i], 0, &channel));
		EXPECT_EQ(period, channel.period);
		EXPECT_NE(0, channel.flags & HTMM_CHANNEL_ACTIVE);
	}
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(pages, info.capacity_pages);
}

/* perf does not ask the PMU when a period is changed. */
TEST_F(refusing, what_start_refuses)
{
	self->set.period = 1601;
	EXPECT_EQ(-EINVAL, device_set(self->fd, &self->set, self->error));
	EXPECT_SAYS(self->error, "period 1601");
	check_both(_metadata, self, 1600, 1000);
	self->set.period = 1616;
	EXPECT_EQ(0, device_set(self->fd, &self->set, self->error));
	check_both(_metadata, self, 1616, 5);
}

/* The first CPU already has the new period when the last one refuses. */
TEST_F(refusing, half_way)
{
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%d", self->cpus[1]);
	ASSERT_EQ(0, source_set_parameter("fixed_period_cpu", cpu));
	EXPECT_EQ(-EINVAL, device_set(self->fd, &self->set, self->error));
	EXPECT_NE(NULL, strstr(self->error, "3200; all have 1600, as before")) {
		TH_LOG("%s", self->error);
	}
	check_both(_metadata, self, 1600, 1000);
	ASSERT_EQ(0, source_set_parameter("fixed_period_cpu", "-1"));
	EXPECT_EQ(0, device_set(self->fd, &self->set, self->error));
	check_both(_metadata, self, 3200, 5);
}
