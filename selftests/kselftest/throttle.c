// SPDX-License-Identifier: GPL-2.0
/* The kernel throttles an event that overflows too often; the module counts this. */
#include <time.h>
#include "check.h"
#include "files.h"

#define PAGES		64
#define SYSCTL		"/proc/sys/kernel/perf_"
#define MAX_RATE	SYSCTL "event_max_sample_rate"
#define CPU_PERCENT	SYSCTL "cpu_time_max_percent"
/* Samples per second that any event reaches in a test, on any machine. */
#define LOW_RATE	"10"

FIXTURE(throttle) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
	char rate[32];
	char percent[32];
};

/* The kernel accepts a rate only while it may lower it by itself. */
static int rate_set(const char *rate)
{
	int ret = file_write(CPU_PERCENT, "25");

	return ret ?: file_write(MAX_RATE, rate);
}

FIXTURE_SETUP(throttle)
{
	ASSERT_EQ(0, file_read(MAX_RATE, self->rate, sizeof(self->rate)));
	ASSERT_EQ(0, file_read(CPU_PERCENT, self->percent, sizeof(self->percent)));
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(throttle)
{
	close(self->fd);
	EXPECT_EQ(0, rate_set(self->rate));
	EXPECT_EQ(0, file_write(CPU_PERCENT, self->percent));
	check_idle(_metadata);
}

/* How often events were throttled while this program accessed memory. */
static __u64 throttled(struct __test_metadata *_metadata, struct _test_data_throttle *self)
{
	static struct stats stats;
	__u64 sum = 0;
	__u32 i;

	EXPECT_EQ(0, device_start(self->fd, &self->req)) {
		TH_LOG("%s", self->req.error);
	}
	access_pages(&self->source, self->mem, PAGES, 2000);
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(0, stats.s.total.counted);
	for (i = 0; i < stats.s.nr_channels; i++) {
		const struct htmm_counters *c = &stats.channels[i].counters;

		EXPECT_LE(c->throttled, c->overflows);
		sum += c->throttled;
	}
	EXPECT_EQ(stats.s.total.throttled, sum);
	return sum;
}

TEST_F(throttle, counted)
{
	static struct stats stats;

	ASSERT_EQ(0, rate_set(LOW_RATE));
	EXPECT_LT(0, throttled(_metadata, self));
	ASSERT_EQ(0, device_reset(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.total.throttled);
}

TEST_F(throttle, none_below_the_limit)
{
	ASSERT_EQ(0, rate_set("1000000"));
	EXPECT_EQ(0, throttled(_metadata, self));
}

/*
 * While the kernel throttles, the cost is low whatever the period: a budget that is not used
 * up must not lower it.
 */
TEST_F(throttle, budget_keeps_the_period)
{
	struct htmm_event *event = &self->req.events[0];
	const time_t end = time(NULL) + 4;
	static struct stats stats;
	__u32 i;

	event->min_period = 11;
	self->req.arg.flags |= HTMM_START_BUDGET;
	self->req.arg.budget_ppm = 500000;
	self->req.arg.budget_interval_ms = 500;
	ASSERT_EQ(0, rate_set(LOW_RATE));
	ASSERT_START(self);
	while (time(NULL) < end)
		access_pages(&self->source, self->mem, PAGES, 100);
	EXPECT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(8, stats.s.total.throttled);
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_PERIOD_CHANGES]);
	for (i = 0; i < stats.s.nr_channels; i++)
		EXPECT_EQ(event->period, stats.channels[i].period);
	EXPECT_EQ(0, device_stop(self->fd));
}
