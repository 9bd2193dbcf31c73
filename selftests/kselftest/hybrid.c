// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs with two kinds of cores, each with a PMU that refuses the other's CPUs: a CPU has the
 * events that it takes.
 */
#include <linux/perf_event.h>
#include "check.h"
#include "files.h"

#define PMUS		"/sys/bus/event_source/devices/"
#define ALL_LOADS	0x81d0
#define PERIOD		61
#define PAGES		64
#define ROUNDS		1000
#define MAX_CPUS	64
/* Checks, 2 ms apart, before giving up. */
#define PATIENCE	15000

FIXTURE(hybrid) {
	int fd;
	struct request req;
	struct source loads;
	void *mem;
	int cpus[MAX_CPUS];
	int nr_cpus;
};

static struct htmm_event loads_of(const char *pmu)
{
	struct htmm_event event = { .config = ALL_LOADS, .period = PERIOD, .precise_ip = 2 };
	char path[96];

	snprintf(path, sizeof(path), PMUS "%s/type", pmu);
	event.type = file_number(path);
	snprintf(event.name, sizeof(event.name), "%s", pmu);
	return event;
}

FIXTURE_SETUP(hybrid)
{
	struct htmm_event core, atom;

	self->nr_cpus = cpus_allowed(self->cpus, MAX_CPUS);
	if (access(PMUS "cpu_atom", F_OK) || self->nr_cpus < 2)
		SKIP(return, "all CPUs are of one kind");
	core = loads_of("cpu_core");
	atom = loads_of("cpu_atom");
	self->loads = (struct source) { .kind = ACCESS_LOAD, .event = core };
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &core);
	request_add_event(&self->req, &atom);
}

FIXTURE_TEARDOWN(hybrid)
{
	int i;

	for (i = 0; i < self->nr_cpus; i++)
		cpu_set_online(self->cpus[i], true);
	close(self->fd);
	check_idle(_metadata);
}

/* The emulated CPU has the small cores in its second half. */
static int event_of(const struct _test_data_hybrid *self, int i)
{
	return i >= (self->nr_cpus + 1) / 2;
}

static void load_on(struct __test_metadata *_metadata, struct _test_data_hybrid *self, int cpu)
{
	ASSERT_EQ(0, cpu_pin(cpu));
	access_pages(&self->loads, self->mem, PAGES, ROUNDS);
}

/* One session counts on all CPUs, */
TEST_F(hybrid, each_cpu_has_its_event)
{
	const __u64 each = PAGES * ROUNDS / PERIOD;
	static struct pages pages;
	struct htmm_channel_info channel;
	struct htmm_info info;
	int i;

	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(self->nr_cpus, info.nr_cpus);
	for (i = 0; i < self->nr_cpus; i++)
		load_on(_metadata, self, self->cpus[i]);
	ASSERT_EQ(0, device_stop(self->fd));
	for (i = 0; i < self->nr_cpus; i++) {
		int event = event_of(self, i);

		ASSERT_EQ(0, device_channel(self->fd, self->cpus[i], event, &channel));
		EXPECT_NEAR(each, channel.counters.counted, each / 20);
		EXPECT_EQ(-ENOENT, device_channel(self->fd, self->cpus[i], !event, &channel));
	}
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_NEAR(self->nr_cpus * each,
		    pages_samples(&pages, getpid(), self->mem, PAGES * 4096UL),
		    self->nr_cpus * each / 100);
}

/* also on one that comes back, */
TEST_F(hybrid, a_cpu_comes_back)
{
	int i = self->nr_cpus - 1, event = event_of(self, i), tries = PATIENCE;
	struct htmm_channel_info before, after;

	if (!cpu_is_removable(self->cpus[i]))
		SKIP(return, "the CPU cannot be taken offline");
	ASSERT_START(self);
	ASSERT_EQ(0, cpu_set_online(self->cpus[i], false));
	ASSERT_EQ(0, cpu_set_online(self->cpus[i], true));
	do {
		usleep(2000);
		ASSERT_EQ(0, device_channel(self->fd, self->cpus[i], event, &before));
	} while (!(before.flags & HTMM_CHANNEL_ACTIVE) && --tries);
	load_on(_metadata, self, self->cpus[i]);
	ASSERT_EQ(0, device_channel(self->fd, self->cpus[i], event, &after));
	EXPECT_LE(before.count + PAGES * ROUNDS, after.count);
	EXPECT_EQ(-ENOENT, device_channel(self->fd, self->cpus[i], !event, &after));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* unless an event has no CPU, or a CPU no event. */
TEST_F(hybrid, refused)
{
	__u64 mask = 1ULL << self->cpus[0];

	self->req.arg.cpus = (uintptr_t)&mask;
	self->req.arg.cpus_size = sizeof(mask);
	EXPECT_EQ(-ENOENT, device_start(self->fd, &self->req));
	EXPECT_NE(NULL, strstr(self->req.error, "event 1 'cpu_atom'"));
	EXPECT_NE(NULL, strstr(self->req.error, "taken by no CPU"));
	self->req.arg.cpus = 0;
	self->req.arg.cpus_size = 0;
	self->req.arg.nr_events = 1;
	EXPECT_EQ(-ENOENT, device_start(self->fd, &self->req));
	EXPECT_NE(NULL, strstr(self->req.error, "no PMU of this CPU"));
	self->req.arg.nr_events = 2;
	self->req.events[1] = self->req.events[0];
	EXPECT_EQ(-ENOENT, device_start(self->fd, &self->req));
	EXPECT_NE(NULL, strstr(self->req.error, "takes any of the 2 events"));
}
