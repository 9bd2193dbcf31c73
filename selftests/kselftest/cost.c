// SPDX-License-Identifier: GPL-2.0
/* What sampling is said to cost: handlers, a charge for each interrupt, and ksampled. */
#include "check.h"
#include "cpu.h"

#define PAGES		64
#define ROUNDS		4
/* Milliseconds between two looks at the cost: all accesses are made in the first ones. */
#define WINDOW_MS	800
/* On a busy machine the accesses may take longer than a window, several times in turn. */
#define TRIES		20

/* Which part the cost mostly consists of. */
enum part { CHARGE, DRAIN, HANDLER };

FIXTURE(cost) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
	int cpus[2];
	int nr_cpus;
};

FIXTURE_VARIANT(cost) {
	enum part part;
	__u32 interrupt_ns;
	__u32 drain_interval_ms;
};

FIXTURE_VARIANT_ADD(cost, charge) {
	.part = CHARGE, .interrupt_ns = 1000000, .drain_interval_ms = 10000,
};

FIXTURE_VARIANT_ADD(cost, drain) {
	.part = DRAIN, .interrupt_ns = 1, .drain_interval_ms = 1,
};

FIXTURE_VARIANT_ADD(cost, handler) {
	.part = HANDLER, .interrupt_ns = 1, .drain_interval_ms = 10000,
};

FIXTURE_SETUP(cost)
{
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	self->req.arg.interrupt_ns = variant->interrupt_ns;
	self->req.arg.drain_interval_ms = variant->drain_interval_ms;
	self->req.arg.budget_interval_ms = WINDOW_MS;
	/* Nothing that this process does is recorded, so ksampled has nothing to drain. */
	if (variant->part == HANDLER)
		request_add_target(&self->req, getppid());
	self->mem = access_map(PAGES);
	ASSERT_NE(NULL, self->mem);
	self->nr_cpus = cpus_allowed(self->cpus, 2);
	ASSERT_LT(0, self->nr_cpus);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(cost)
{
	close(self->fd);
	check_idle(_metadata);
}

/* As many accesses on each CPU, as each has handlers of its own. */
static void access_on_each_cpu(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self)
{
	int i;

	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, cpu_pin(self->cpus[i]));
		access_pages(&self->source, self->mem, PAGES,
			     ROUNDS * self->source.event.period / self->nr_cpus);
	}
}

/* Returns whether all accesses were made before the first look at the cost. */
static bool accesses_first(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
			   const FIXTURE_VARIANT(cost) *variant)
{
	struct stats stats;
	bool first;

	ASSERT_EQ(0, device_start(self->fd, &self->req)) {
		TH_LOG("%s", self->req.error);
	}
	/* One access wakes nobody, and its handler takes its time. */
	if (variant->part == DRAIN)
		access_pages(&self->source, self->mem, PAGES, 1);
	else
		access_on_each_cpu(_metadata, self);
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	first = !stats.s.cost_ppm;
	stats_free(&stats);
	return first;
}

/* The first cost, with the time since the start. */
static void first_cost(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
		       struct htmm_stats *s, struct htmm_info *info)
{
	struct stats stats;
	int tries = 20 * WINDOW_MS;

	do {
		usleep(1000);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		*s = stats.s;
		stats_free(&stats);
	} while (!s->cost_ppm && --tries);
	ASSERT_LT(0, tries);
	ASSERT_EQ(0, device_info(self->fd, info));
}

/*
 * The cost is a share of the window, which is at least as long as asked for and not longer
 * than the session, on all its CPUs. ksampled went on between that look and ours. Returns
 * false if the machine was too busy to tell: a part that should be large was not.
 */
static bool is_the_sum(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
		       const FIXTURE_VARIANT(cost) *variant)
{
	__u64 charge, sum, part, least, most;
	struct htmm_info info;
	struct htmm_stats s;

	if (!accesses_first(_metadata, self, variant))
		return false;
	first_cost(_metadata, self, &s, &info);
	charge = s.total.overflows * variant->interrupt_ns;
	sum = s.handler_ns + charge + s.drain_ns;
	part = variant->part == CHARGE ? charge :
	       variant->part == DRAIN ? s.drain_ns : s.handler_ns;
	ASSERT_LE(2, info.nr_cpus);
	least = sum * 1000 / (info.elapsed_ns / 1000 * info.nr_cpus);
	most = sum / (WINDOW_MS * info.nr_cpus);
	if (part >= sum / 4 * 3 && s.cost_ppm >= least * 8 / 10 && s.cost_ppm <= most * 11 / 10)
		return true;
	TH_LOG("%u ppm, not %llu to %llu: handlers %llu ns, interrupts %llu ns, ksampled %llu ns",
	       s.cost_ppm, least, most, s.handler_ns, charge, s.drain_ns);
	return false;
}

TEST_F(cost, is_the_sum)
{
	int tries = TRIES;

	while (!is_the_sum(_metadata, self, variant)) {
		ASSERT_LT(0, --tries);
		ASSERT_EQ(0, device_stop(self->fd));
	}
}

/* In the last window of this session nothing happens any more: the cost is not that window's. */
TEST_F(cost, of_a_stopped_session)
{
	struct htmm_info before, after;
	__u64 sum, least, most;
	struct htmm_stats s;
	struct stats stats;
	int tries = 20 * WINDOW_MS / 10;
	__u32 first;

	if (variant->part != CHARGE)
		return;
	accesses_first(_metadata, self, variant);
	first_cost(_metadata, self, &s, &before);
	first = s.cost_ppm;
	do {
		usleep(10000);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		stats_free(&stats);
	} while (stats.s.cost_ppm > first / 10 && --tries);
	ASSERT_LT(0, tries);
	ASSERT_EQ(0, device_info(self->fd, &before));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_info(self->fd, &after));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	stats_free(&stats);

	sum = stats.s.handler_ns + stats.s.drain_ns +
	      stats.s.total.overflows * variant->interrupt_ns;
	least = sum * 1000 / (after.elapsed_ns / 1000 * after.nr_cpus);
	most = sum * 1000 / (before.elapsed_ns / 1000 * before.nr_cpus) + 1;
	EXPECT_LE(least, stats.s.cost_ppm);
	EXPECT_LE(stats.s.cost_ppm, most);
}

/* Of the interrupts, those of the windows before are charged no more. */
TEST_F(cost, falls_again)
{
	struct htmm_info info;
	struct htmm_stats s;
	struct stats stats;
	__u32 first, most = 0;
	int tries, i;

	if (variant->part != CHARGE)
		return;
	for (tries = TRIES; !accesses_first(_metadata, self, variant); ) {
		ASSERT_LT(0, --tries);
		ASSERT_EQ(0, device_stop(self->fd));
	}
	first_cost(_metadata, self, &s, &info);
	first = s.cost_ppm;
	tries = 20 * WINDOW_MS / 10;
	do {
		usleep(10000);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		stats_free(&stats);
	} while (stats.s.cost_ppm > first / 10 && --tries);
	EXPECT_LT(0, tries) {
		TH_LOG("%u ppm, and then still %u", first, stats.s.cost_ppm);
	}

	/* A later window is as long as the first; what is done in it may be in two of them. */
	for (tries = TRIES; tries && most < first / 10 * 4; tries--) {
		access_pages(&self->source, self->mem, PAGES,
			     ROUNDS * self->source.event.period);
		for (i = 0; i < 2 * WINDOW_MS / 10 && most < first / 10 * 4; i++) {
			usleep(10000);
			ASSERT_EQ(0, stats_read(self->fd, &stats));
			stats_free(&stats);
			most = stats.s.cost_ppm > most ? stats.s.cost_ppm : most;
		}
	}
	EXPECT_LE(first / 10 * 4, most) {
		TH_LOG("%u ppm, and later at most %u", first, most);
	}
}
