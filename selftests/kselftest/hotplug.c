// SPDX-License-Identifier: GPL-2.0
/* CPUs go offline and come back while they are sampled. */
#include <sched.h>
#include "check.h"
#include "child.h"

#define PAGES		64
#define MAX_CPUS	64
/* A kernel that checks itself notices the use of what is freed, and takes long. */
#define CYCLES		(few_rounds() ? 6 : 20)

FIXTURE(hotplug) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
	int cpus[MAX_CPUS];
	int nr_cpus;
	int going;
	__u64 mask;
};

/* Two events, of a PMU and of the kernel itself: they are created in different ways. */
FIXTURE_SETUP(hotplug)
{
	struct source fault;

	self->nr_cpus = cpus_allowed(self->cpus, MAX_CPUS);
	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	self->going = self->cpus[self->nr_cpus - 1];
	if (!cpu_is_removable(self->going))
		SKIP(return, "no CPU can be taken offline here");
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	if (source_find(&fault, ACCESS_FAULT))
		request_add_event(&self->req, &fault.event);
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(hotplug)
{
	int i;

	for (i = 0; i < self->nr_cpus; i++)
		cpu_set_online(self->cpus[i], true);
	close(self->fd);
	check_idle(_metadata);
}

/* Samples one CPU instead of all. */
static void only(struct _test_data_hotplug *self, int cpu)
{
	self->mask = 1ULL << cpu;
	self->req.arg.cpus = (uintptr_t)&self->mask;
	self->req.arg.cpus_size = sizeof(self->mask);
}

/* Reads the channel of an event on a CPU; false if the session has none. */
static bool channel_read(struct __test_metadata *_metadata, int fd, int cpu,
			 int event, struct htmm_channel_info *channel)
{
	int ret = device_channel(fd, cpu, event, channel);

	EXPECT_TRUE(!ret || ret == -ENOENT);
	return !ret;
}

/* The module is notified of a CPU, and follows a moment later. */
static void await_active(struct __test_metadata *_metadata, struct _test_data_hotplug *self,
			 int cpu, bool active)
{
	int event;

	for (event = 0; event < self->req.arg.nr_events; event++)
		ASSERT_SOON(device_active(self->fd, cpu, event) == active);
}

/* Both events overflow on @cpu when this program works there. */
static void check_sampled(struct __test_metadata *_metadata,
			  struct _test_data_hotplug *self, int cpu)
{
	struct htmm_channel_info before[HTMM_MAX_EVENTS], after;
	struct source fault;
	int event;

	source_find(&fault, ACCESS_FAULT);
	for (event = 0; event < self->req.arg.nr_events; event++)
		ASSERT_TRUE(channel_read(_metadata, self->fd, cpu, event, &before[event]));
	ASSERT_EQ(0, cpu_pin(cpu));
	access_pages(&self->source, self->mem, PAGES, 100);
	access_pages(&fault, self->mem, PAGES, 4);
	for (event = 0; event < self->req.arg.nr_events; event++) {
		ASSERT_TRUE(channel_read(_metadata, self->fd, cpu, event, &after));
		EXPECT_LT(before[event].counters.overflows, after.counters.overflows) {
			TH_LOG("CPU %d event %d", cpu, event);
		}
		EXPECT_LT(before[event].count, after.count);
	}
	ASSERT_EQ(0, cpu_pin(self->cpus[0] == cpu ? self->cpus[1] : self->cpus[0]));
}

/* Takes the CPU offline and back. While it is offline nothing is counted on it. */
static void cycle(struct __test_metadata *_metadata, struct _test_data_hotplug *self, int cpu)
{
	struct htmm_channel_info away, still, back;

	ASSERT_EQ(0, cpu_set_online(cpu, false));
	await_active(_metadata, self, cpu, false);
	ASSERT_TRUE(channel_read(_metadata, self->fd, cpu, 0, &away));
	access_pages(&self->source, self->mem, PAGES, 100);
	ASSERT_TRUE(channel_read(_metadata, self->fd, cpu, 0, &still));
	EXPECT_EQ(away.counters.overflows, still.counters.overflows);
	EXPECT_EQ(away.count, still.count);
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	await_active(_metadata, self, cpu, true);
	/* The new event goes on from where the one before has ended. */
	ASSERT_TRUE(channel_read(_metadata, self->fd, cpu, 0, &back));
	EXPECT_LE(still.count, back.count);
	EXPECT_LT(still.time_enabled, back.time_enabled);
	EXPECT_LT(still.time_running, back.time_running);
}

static void check_totals(struct __test_metadata *_metadata, struct _test_data_hotplug *self)
{
	static struct stats stats;

	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_SAMPLES]);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_CPUS_FAILED]);
}

static int work(int sock, void *arg)
{
	struct _test_data_hotplug *self = arg;

	close(self->fd);
	child_post(sock);
	for (;;)
		access_pages(&self->source, self->mem, PAGES, 100);
	return 0;
}

/* The worker moves between CPUs: half of the time it is on the one that goes offline. */
TEST_F(hotplug, cycles)
{
	struct child worker;
	int i;

	ASSERT_EQ(0, child_start(&worker, work, self));
	ASSERT_EQ(0, child_await(worker.sock));
	ASSERT_START(self);
	check_sampled(_metadata, self, self->going);
	for (i = 0; i < CYCLES; i++) {
		cycle(_metadata, self, self->going);
		check_sampled(_metadata, self, self->going);
		ASSERT_TRUE(_metadata->exit_code == KSFT_PASS) {
			TH_LOG("in cycle %d", i);
		}
	}
	child_kill(&worker);
	check_totals(_metadata, self);
}

/*
 * The thread stays on the CPUs that were asked for: newer kernels choose those of threads
 * again when a CPU comes or goes.
 */
TEST_F(hotplug, drain_cpus_are_kept)
{
	const __u64 mask = 1ULL << self->cpus[0];
	struct htmm_info info;
	cpu_set_t cpus;
	int i;

	self->req.arg.drain_cpus = (uintptr_t)&mask;
	self->req.arg.drain_cpus_size = sizeof(mask);
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, sched_getaffinity(info.drain_pid, sizeof(cpus), &cpus));
		EXPECT_EQ(1, CPU_COUNT(&cpus));
		EXPECT_TRUE(CPU_ISSET(self->cpus[0], &cpus));
		ASSERT_EQ(0, cpu_set_online(self->going, i % 2));
	}
}

/* Includes the first CPU if the kernel lets it go offline. */
TEST_F(hotplug, every_cpu_in_turn)
{
	int i, cycles = 0;

	ASSERT_START(self);
	for (i = 0; i < self->nr_cpus; i++) {
		if (!cpu_is_removable(self->cpus[i]))
			continue;
		ASSERT_EQ(0, cpu_pin(self->cpus[i ? 0 : 1]));
		cycle(_metadata, self, self->cpus[i]);
		check_sampled(_metadata, self, self->cpus[i]);
		cycles++;
	}
	TH_LOG("%d of %d CPUs went and came", cycles, self->nr_cpus);
	check_totals(_metadata, self);
}

/* A budget of zero moves the period to its limit while the CPU is offline. */
TEST_F(hotplug, late_cpu_gets_the_current_period)
{
	const __u64 longest = self->source.event.period * 3;
	struct htmm_channel_info channel;
	int event;

	self->req.arg.flags = HTMM_START_BUDGET;
	self->req.arg.budget_interval_ms = 10;
	for (event = 0; event < self->req.arg.nr_events; event++)
		self->req.events[event].max_period =
			self->req.events[event].period * 3;
	ASSERT_EQ(0, cpu_set_online(self->going, false));
	ASSERT_START(self);
	ASSERT_SOON(channel_read(_metadata, self->fd, self->cpus[0], 0, &channel) &&
		    channel.period == longest);
	/* A CPU that was never online has no channel. */
	EXPECT_FALSE(channel_read(_metadata, self->fd, self->going, 0, &channel));

	ASSERT_EQ(0, cpu_set_online(self->going, true));
	await_active(_metadata, self, self->going, true);
	ASSERT_TRUE(channel_read(_metadata, self->fd, self->going, 0, &channel));
	EXPECT_EQ(longest, channel.period);
	check_sampled(_metadata, self, self->going);
	check_totals(_metadata, self);
}

/* The period was set while the CPU was offline, either since the start or later. */
TEST_F(hotplug, late_cpu_gets_the_period_that_was_set)
{
	const __u64 period = self->source.event.period;
	struct htmm_channel_info channel;
	int i;

	ASSERT_EQ(0, cpu_set_online(self->going, false));
	ASSERT_START(self);
	for (i = 2; i <= 3; i++) {
		ASSERT_EQ(0, device_set_period(self->fd, 0, i * period));
		ASSERT_EQ(0, cpu_set_online(self->going, true));
		await_active(_metadata, self, self->going, true);
		ASSERT_TRUE(channel_read(_metadata, self->fd, self->going, 0, &channel));
		EXPECT_EQ(i * period, channel.period);
		ASSERT_TRUE(channel_read(_metadata, self->fd, self->cpus[0], 0, &channel));
		EXPECT_EQ(i * period, channel.period);
		check_sampled(_metadata, self, self->going);
		ASSERT_EQ(0, cpu_set_online(self->going, false));
		await_active(_metadata, self, self->going, false);
	}
	check_totals(_metadata, self);
}

/* While no CPU of the session is online, no PMU can check the period. */
TEST_F(hotplug, set_while_all_are_away)
{
	const __u64 period = self->source.event.period * 3;
	struct htmm_channel_info channel;

	only(self, self->going);
	ASSERT_START(self);
	ASSERT_EQ(0, cpu_set_online(self->going, false));
	await_active(_metadata, self, self->going, false);
	ASSERT_EQ(0, device_set_period(self->fd, 0, period));
	ASSERT_EQ(0, cpu_set_online(self->going, true));
	await_active(_metadata, self, self->going, true);
	ASSERT_TRUE(channel_read(_metadata, self->fd, self->going, 0, &channel));
	EXPECT_EQ(period, channel.period);
	check_sampled(_metadata, self, self->going);
	check_totals(_metadata, self);
}

/* A new CPU is not sampled unless it was requested. */
TEST_F(hotplug, subset_stays_a_subset)
{
	struct htmm_channel_info channel;

	only(self, self->cpus[0]);
	ASSERT_EQ(0, cpu_set_online(self->going, false));
	ASSERT_START(self);
	ASSERT_EQ(0, cpu_set_online(self->going, true));
	check_sampled(_metadata, self, self->cpus[0]);
	ASSERT_EQ(0, cpu_pin(self->going));
	access_pages(&self->source, self->mem, PAGES, 100);
	EXPECT_FALSE(channel_read(_metadata, self->fd, self->going, 0, &channel));
	check_totals(_metadata, self);
}

/* The session stays when its last CPU goes offline, and goes on when it comes back. */
TEST_F(hotplug, all_of_a_subset)
{
	struct htmm_info info;

	only(self, self->going);
	ASSERT_START(self);
	check_sampled(_metadata, self, self->going);
	ASSERT_EQ(0, cpu_set_online(self->going, false));
	await_active(_metadata, self, self->going, false);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(HTMM_STATE_RUNNING, info.state);
	EXPECT_EQ(0, info.nr_cpus);
	ASSERT_EQ(0, cpu_set_online(self->going, true));
	await_active(_metadata, self, self->going, true);
	check_sampled(_metadata, self, self->going);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(1, info.nr_cpus);
	check_totals(_metadata, self);
}

TEST_F(hotplug, stop_while_away)
{
	ASSERT_START(self);
	check_sampled(_metadata, self, self->going);
	ASSERT_EQ(0, cpu_set_online(self->going, false));
	check_totals(_metadata, self);
	ASSERT_EQ(0, cpu_set_online(self->going, true));
	ASSERT_START(self);
	check_sampled(_metadata, self, self->going);
	check_totals(_metadata, self);
}

#define COMINGS		(few_rounds() ? 2 : 8)
#define READERS		3

/* Reads the statistics until it is told to end. Fails if totals are not the sum of channels. */
static int read_sums(int sock, void *arg)
{
	int fd = device_open(), ret = 0;
	static struct stats stats;
	__u64 overflows;
	__u32 i;

	child_post(sock);
	while (!ret && !child_told(sock)) {
		if (stats_read(fd, &stats))
			return 1;
		for (i = 0, overflows = 0; i < stats.s.nr_channels; i++)
			overflows += stats.channels[i].counters.overflows;
		if (overflows != stats.s.total.overflows)
			ret = 2;
	}
	return ret;
}

/* Faults on the CPU that comes, as soon as it is there. */
static int fault_there(int sock, void *arg)
{
	struct _test_data_hotplug *self = arg;
	struct source fault;

	source_every_fault(&fault);
	child_post(sock);
	while (cpu_pin(self->going))
		;
	for (;;)
		access_pages(&fault, self->mem, PAGES, 100);
	return 0;
}

/* A CPU is sampled for the first time while the statistics are read. */
static void come(struct __test_metadata *_metadata, struct _test_data_hotplug *self)
{
	struct child reader[READERS], worker;
	int i;

	ASSERT_EQ(0, cpu_set_online(self->going, false));
	ASSERT_START(self);
	ASSERT_EQ(0, child_start(&worker, fault_there, self));
	ASSERT_EQ(0, child_await(worker.sock));
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, child_start(&reader[i], read_sums, NULL));
		ASSERT_EQ(0, child_await(reader[i].sock));
	}
	ASSERT_EQ(0, cpu_set_online(self->going, true));
	await_active(_metadata, self, self->going, true);
	for (i = 0; i < READERS; i++)
		child_post(reader[i].sock);
	for (i = 0; i < READERS; i++)
		EXPECT_EQ(0, child_join(&reader[i]));
	child_kill(&worker);
	check_totals(_metadata, self);
}

TEST_F(hotplug, totals_while_a_cpu_comes)
{
	int i;

	/* With three CPUs, there are channels of one after it. */
	self->going = self->cpus[self->nr_cpus / 2];
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	while (self->req.arg.nr_events < HTMM_MAX_EVENTS)
		request_add_event(&self->req, &self->source.event);
	for (i = 0; i < COMINGS; i++)
		come(_metadata, self);
}
