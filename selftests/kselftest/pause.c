// SPDX-License-Identifier: GPL-2.0
/* A pause: nothing is counted, and neither its time nor its cost belongs to the session. */
#include <pthread.h>
#include "check.h"
#include "files.h"

#define PAGES		64
#define MAX_CPUS	64

FIXTURE(pause) {
	int fd;
	struct source source;
	struct request req;
	char error[HTMM_ERROR_LEN];
	void *mem;
	int away;
};

FIXTURE_SETUP(pause)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(pause)
{
	if (self->away)
		cpu_set_online(self->away, true);
	check_closed(_metadata, self->fd);
}

static int change(int fd, __u32 flags)
{
	char error[HTMM_ERROR_LEN];
	struct htmm_set set = { .flags = flags };

	return device_set(fd, &set, error);
}

static struct htmm_stats look(struct __test_metadata *_metadata, struct _test_data_pause *self)
{
	static struct stats stats;

	EXPECT_EQ(0, stats_read(self->fd, &stats));
	return stats.s;
}

static struct htmm_info info(struct __test_metadata *_metadata, struct _test_data_pause *self)
{
	struct htmm_info info;

	EXPECT_EQ(0, device_info(self->fd, &info));
	return info;
}

static bool paused(struct __test_metadata *_metadata, struct _test_data_pause *self)
{
	return info(_metadata, self).session_flags & HTMM_START_PAUSED;
}

/* Samples of this program's pages. */
static __u64 counted(struct _test_data_pause *self)
{
	return device_samples(self->fd, getpid(), self->mem, PAGES * PAGE);
}

static void touch(struct _test_data_pause *self)
{
	access_pages(&self->source, self->mem, PAGES, 1);
}

TEST_F(pause, nothing_is_counted)
{
	struct htmm_stats before, after;
	char line[32];
	int cpu;

	ASSERT_LT(0, cpus_allowed(&cpu, 1));
	ASSERT_START(self);
	EXPECT_FALSE(paused(_metadata, self));
	touch(self);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	EXPECT_TRUE(paused(_metadata, self));
	/* Not all machines have debugfs. */
	if (!file_read("/sys/kernel/debug/htmm/status", line, sizeof(line)))
		EXPECT_STREQ("state paused", line);
	EXPECT_FALSE(device_active(self->fd, cpu, 0));
	/* What was in the rings is counted, and nothing more, not even as filtered. */
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(PAGES, counted(self));
	before = look(_metadata, self);
	touch(self);
	ASSERT_EQ(0, device_settle(self->fd));
	after = look(_metadata, self);
	EXPECT_EQ(before.total.overflows, after.total.overflows);
	EXPECT_EQ(PAGES, counted(self));

	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	EXPECT_FALSE(paused(_metadata, self));
	EXPECT_TRUE(device_active(self->fd, cpu, 0));
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(2 * PAGES, counted(self));
}

/* What waits in a ring when a pause begins is counted, even if the session ends in the pause. */
TEST_F(pause, rings_are_counted)
{
	self->req.arg.drain_interval_ms = 10000;
	self->req.arg.ring_pages = 128;
	ASSERT_START(self);
	touch(self);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(PAGES, counted(self));
}

TEST_F(pause, time_stands_still)
{
	struct htmm_info before, after;
	__u64 begin, wall, least;
	int tries = 2000;

	begin = now_ns();
	ASSERT_START(self);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	before = info(_metadata, self);
	EXPECT_LT(0, before.elapsed_ns);
	least = now_ns();
	do {
		ASSERT_LT(0, --tries);
		usleep(1000);
	} while (look(_metadata, self).stats[HTMM_STAT_PAUSED_NS] < 20000000);
	after = info(_metadata, self);
	EXPECT_EQ(before.elapsed_ns, after.elapsed_ns);
	/* Paused already: neither time begins again. */
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	EXPECT_EQ(before.elapsed_ns, info(_metadata, self).elapsed_ns);
	least = now_ns() - least;
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	EXPECT_LE(least, look(_metadata, self).stats[HTMM_STAT_PAUSED_NS]);
	EXPECT_LT(before.elapsed_ns, info(_metadata, self).elapsed_ns);
	/* It runs already: its time goes on. */
	before = info(_metadata, self);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	EXPECT_LT(before.elapsed_ns, info(_metadata, self).elapsed_ns);
	ASSERT_EQ(0, device_stop(self->fd));
	wall = now_ns() - begin;
	after = info(_metadata, self);
	EXPECT_GE(wall, after.elapsed_ns + look(_metadata, self).stats[HTMM_STAT_PAUSED_NS]);
}

TEST_F(pause, refusals)
{
	struct htmm_set set = {
		.flags = HTMM_SET_PAUSE | HTMM_SET_CAPACITY, .target = 7, .capacity_pages = 1,
	};

	EXPECT_EQ(-ENODATA, change(self->fd, HTMM_SET_PAUSE));
	ASSERT_START(self);
	EXPECT_EQ(-EINVAL, change(self->fd, HTMM_SET_PAUSE | HTMM_SET_RESUME));
	/* If another change is refused, it is not paused either. */
	EXPECT_EQ(-ENOENT, device_set(self->fd, &set, self->error));
	EXPECT_FALSE(paused(_metadata, self));
	set.target = 0;
	EXPECT_EQ(0, device_set(self->fd, &set, self->error));
	EXPECT_TRUE(paused(_metadata, self));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_FALSE(paused(_metadata, self));
	EXPECT_EQ(-ENODATA, change(self->fd, HTMM_SET_RESUME));
}

TEST_F(pause, from_the_start)
{
	self->req.arg.flags = HTMM_START_PAUSED;
	ASSERT_START(self);
	EXPECT_TRUE(paused(_metadata, self));
	touch(self);
	EXPECT_EQ(0, look(_metadata, self).total.overflows);
	EXPECT_EQ(0, info(_metadata, self).elapsed_ns);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	touch(self);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(PAGES, counted(self));

	ASSERT_START(self);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, info(_metadata, self).elapsed_ns);
	EXPECT_EQ(0, look(_metadata, self).stats[HTMM_STAT_SAMPLES]);
	EXPECT_LT(0, look(_metadata, self).stats[HTMM_STAT_PAUSED_NS]);
}

/* A CPU that comes online in a pause counts from its end on. */
TEST_F(pause, hotplug)
{
	int cpus[MAX_CPUS], nr = cpus_allowed(cpus, MAX_CPUS), cpu = cpus[nr - 1];
	struct htmm_info now;
	__u32 all;

	if (nr < 2 || !cpu_is_removable(cpu))
		SKIP(return, "no CPU can be taken offline here");
	self->away = cpu;
	ASSERT_START(self);
	all = info(_metadata, self).nr_cpus;
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_SOON((now = info(_metadata, self)).nr_cpus == all - 1);
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_SOON((now = info(_metadata, self)).nr_cpus == all);
	EXPECT_FALSE(device_active(self->fd, cpu, 0));
	ASSERT_EQ(0, cpu_pin(cpu));
	touch(self);
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(0, counted(self));
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	EXPECT_TRUE(device_active(self->fd, cpu, 0));
	touch(self);
	/* And one that is away when it ends counts when it is back. */
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	ASSERT_EQ(0, cpu_pin(cpus[0]));
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_SOON((now = info(_metadata, self)).nr_cpus == all - 1);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_SOON(device_active(self->fd, cpu, 0));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(PAGES, counted(self));
}

/* Samples that are handed in during a pause are not wanted, but each has its counter. */
TEST_F(pause, fed)
{
	const struct htmm_event event = { .type = HTMM_TYPE_FEED, .period = 7, .name = "fed" };
	const struct htmm_feed_sample sample = {
		.addr = (uintptr_t)self->mem, .pid = getpid(), .tid = getpid(),
	};
	struct htmm_feed feed = {
		.size = sizeof(feed), .samples = (uintptr_t)&sample, .nr_samples = 1,
		.sample_size = sizeof(sample),
	};
	struct htmm_feed lost = {
		.size = sizeof(lost), .flags = HTMM_FEED_LOST, .nr_samples = 5,
	};
	struct htmm_feed many = {
		.size = sizeof(many), .flags = HTMM_FEED_LOST, .nr_samples = 1000000,
	};
	struct htmm_counters total;
	struct htmm_stats all;
	struct htmm_info now;

	request_init(&self->req, &event);
	self->req.arg.interrupt_ns = 1000000;
	ASSERT_START(self);
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	feed.nr_samples = 1;
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	EXPECT_EQ(0, feed.nr_samples);
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &many));
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_FEED, &lost));
	ASSERT_EQ(0, device_stop(self->fd));
	feed.nr_samples = 1;
	EXPECT_EQ(-ENODATA, device_ioctl(self->fd, HTMM_IOC_FEED, &feed));
	all = look(_metadata, self);
	total = all.total;
	EXPECT_EQ(1, total.counted);
	EXPECT_EQ(1000001, total.drops[HTMM_DROP_FILTERED]);
	EXPECT_EQ(5, total.drops[HTMM_DROP_RING_FULL]);
	EXPECT_EQ(1000007, total.overflows);
	/* Six interrupts of a millisecond, and none of the pause. */
	now = info(_metadata, self);
	EXPECT_GT(100000000, all.cost_ppm / 1000 * now.elapsed_ns / 1000 * now.nr_cpus);
}

static __u64 period(struct __test_metadata *_metadata, struct _test_data_pause *self, int cpu)
{
	struct htmm_channel_info channel = {};

	EXPECT_EQ(0, device_channel(self->fd, cpu, 0, &channel));
	return channel.period;
}

/* A budget that allows everything makes the period the shortest, but not in a pause. */
TEST_F(pause, budget_waits)
{
	int cpu;

	ASSERT_LT(0, cpus_allowed(&cpu, 1));
	self->req.events[0].period = 61;
	self->req.events[0].min_period = 7;
	self->req.arg.flags = HTMM_START_BUDGET | HTMM_START_PAUSED;
	self->req.arg.budget_ppm = 1000000;
	self->req.arg.budget_interval_ms = 10;
	ASSERT_START(self);
	ASSERT_SOON(look(_metadata, self).stats[HTMM_STAT_PAUSED_NS] > 200000000);
	EXPECT_EQ(61, period(_metadata, self, cpu));
	ASSERT_EQ(0, change(self->fd, HTMM_SET_RESUME));
	ASSERT_SOON(period(_metadata, self, cpu) == 7);
}

/* The cost of the session is that of its own time. */
TEST_F(pause, cost)
{
	struct htmm_stats all;
	struct htmm_info now;
	__u64 spent, least;

	self->req.arg.interrupt_ns = 1000000;
	ASSERT_START(self);
	touch(self);
	ASSERT_EQ(0, change(self->fd, HTMM_SET_PAUSE));
	now = info(_metadata, self);
	ASSERT_SOON(look(_metadata, self).stats[HTMM_STAT_PAUSED_NS] > 4 * now.elapsed_ns);
	ASSERT_EQ(0, device_stop(self->fd));
	all = look(_metadata, self);
	spent = all.total.overflows * self->req.arg.interrupt_ns;
	least = spent * 1000 / (now.elapsed_ns * now.nr_cpus / 1000);
	EXPECT_LE(least, all.cost_ppm + 1ULL) {
		TH_LOG("%llu overflows in %llu ns", all.total.overflows, now.elapsed_ns);
	}
}

static void *toggle(void *arg)
{
	int *stop = arg, fd = device_open(), ret = 0, i;

	for (i = 0; !__atomic_load_n(stop, __ATOMIC_RELAXED); i++) {
		ret = change(fd, i % 2 ? HTMM_SET_RESUME : HTMM_SET_PAUSE);
		if (ret && ret != -ENODATA)
			break;
		ret = 0;
	}
	close(fd);
	return (void *)(long)ret;
}

/* Pauses at any time of sessions that start, count and stop. */
TEST_F(pause, races)
{
	pthread_t thread[2];
	int i, stop = 0;
	void *ret;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, toggle, &stop));
	for (i = 0; i < (few_rounds() ? 5 : 20); i++) {
		self->req.arg.flags = i % 2 ? HTMM_START_PAUSED : 0;
		ASSERT_START(self);
		touch(self);
		ASSERT_EQ(0, device_stop(self->fd));
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &ret));
		EXPECT_EQ(NULL, ret);
	}
}
