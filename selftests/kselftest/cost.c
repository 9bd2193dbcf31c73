// SPDX-License-Identifier: GPL-2.0
/* What sampling is said to cost: handlers, a charge for each interrupt, and ksampled. */
#include "check.h"

#define PAGES		64
#define ROUNDS		4
/* Milliseconds between two looks at the cost: all accesses are made in the first ones. */
#define WINDOW_MS	800
/* On a busy machine accesses take longer: the next try has more of them, and a longer window. */
#define TRIES		6

/* Which part the cost mostly consists of. */
enum part { CHARGE, DRAIN, HANDLER };

FIXTURE(cost) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
	int cpus[2];
	int nr_cpus;
	unsigned int tried;
};

FIXTURE_VARIANT(cost) {
	enum part part;
	unsigned int rounds;
	__u32 interrupt_ns;
	__u32 drain_interval_ms;
};

FIXTURE_VARIANT_ADD(cost, charge) {
	.part = CHARGE, .rounds = ROUNDS, .interrupt_ns = 1000000, .drain_interval_ms = 10000,
};

FIXTURE_VARIANT_ADD(cost, drain) {
	.part = DRAIN, .rounds = ROUNDS, .interrupt_ns = 1, .drain_interval_ms = 1,
};

/* A handler takes less than a thread that begins: there are many. */
FIXTURE_VARIANT_ADD(cost, handler) {
	.part = HANDLER, .rounds = 4 * ROUNDS, .interrupt_ns = 1, .drain_interval_ms = 10000,
};

FIXTURE_SETUP(cost)
{
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	self->req.arg.interrupt_ns = variant->interrupt_ns;
	self->req.arg.drain_interval_ms = variant->drain_interval_ms;
	/* Nothing that this process does is recorded, so ksampled has nothing to drain. */
	if (variant->part == HANDLER)
		request_add_target(&self->req, getppid());
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	self->nr_cpus = cpus_allowed(self->cpus, 2);
	ASSERT_LT(0, self->nr_cpus);
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(cost) { check_closed(_metadata, self->fd); }

static __u32 window_ms(const FIXTURE_DATA(cost) *self)
{
	return WINDOW_MS << self->tried;
}

/* As many accesses on each CPU, as each has handlers of its own. */
static void access_on_each_cpu(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
			       const FIXTURE_VARIANT(cost) *variant)
{
	unsigned long rounds = ((unsigned long)variant->rounds << self->tried) *
			       self->source.event.period;
	int i;

	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, cpu_pin(self->cpus[i]));
		access_pages(&self->source, self->mem, PAGES, rounds / self->nr_cpus);
	}
}

/**
 * struct first - the first cost of a session, and what it was computed from
 * @before: statistics before it; all accesses have been made
 * @after: the first statistics with a cost
 * @info: read after that
 */
struct first {
	struct htmm_stats before, after;
	struct htmm_info info;
};

static void look(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self, struct htmm_stats *s)
{
	static struct stats stats;

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	*s = stats.s;
}

/*
 * Returns whether it is the cost of all accesses: these were made before the first window
 * ended, and the second had not ended when its cost was read.
 */
static bool first_cost(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
		       const FIXTURE_VARIANT(cost) *variant, struct first *first)
{
	int tries = 20 * window_ms(self);

	self->req.arg.budget_interval_ms = window_ms(self);
	ASSERT_START(self);
	/* One access wakes nobody, and its handler takes its time. */
	if (variant->part == DRAIN)
		access_pages(&self->source, self->mem, PAGES, 1);
	else
		access_on_each_cpu(_metadata, self, variant);
	look(_metadata, self, &first->after);
	if (first->after.cost_ppm)
		return false;
	do {
		first->before = first->after;
		usleep(1000);
		look(_metadata, self, &first->after);
	} while (!first->after.cost_ppm && --tries);
	ASSERT_LT(0, tries);
	ASSERT_EQ(0, device_info(self->fd, &first->info));
	ASSERT_LE(2, first->info.nr_cpus);
	return first->info.elapsed_ns < 2000000ULL * window_ms(self);
}

/* What sampling has cost since the start, and the part that it should mostly consist of. */
struct spent {
	__u64 all, part;
};

static struct spent spent(const FIXTURE_VARIANT(cost) *variant, const struct htmm_stats *s)
{
	__u64 charge = s->total.overflows * variant->interrupt_ns;
	__u64 handlers = s->stats[HTMM_STAT_HANDLER_NS], drain = s->stats[HTMM_STAT_DRAIN_NS];

	return (struct spent) {
		.all = handlers + charge + drain,
		.part = variant->part == CHARGE ? charge :
			variant->part == DRAIN ? drain : handlers,
	};
}

/* The cost of so much in the first window, which ended before @info was read. */
static __u64 least_ppm(const struct htmm_info *info, __u64 ns)
{
	return ns * 1000 / (info->elapsed_ns / 1000 * info->nr_cpus) * 8 / 10;
}

/* The same; that window is at least as long as asked for. */
static __u64 most_ppm(const FIXTURE_DATA(cost) *self, const struct htmm_info *info, __u64 ns)
{
	return ns / (window_ms(self) * info->nr_cpus) * 11 / 10;
}

/*
 * The cost is the sum of all parts at a moment between two looks. Returns false if the machine
 * was too busy to tell: without one part, or with one counted twice, it could be the same.
 */
static bool is_the_sum(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
		       const FIXTURE_VARIANT(cost) *variant)
{
	struct spent before, after;
	struct first first;
	__u64 least, most;

	if (!first_cost(_metadata, self, variant, &first))
		return false;
	before = spent(variant, &first.before);
	after = spent(variant, &first.after);
	least = least_ppm(&first.info, before.all);
	most = most_ppm(self, &first.info, after.all);
	if (most_ppm(self, &first.info, after.all - before.part) >= least ||
	    least_ppm(&first.info, before.all + before.part) <= most)
		return false;
	EXPECT_TRUE(least <= first.after.cost_ppm && first.after.cost_ppm <= most) {
		TH_LOG("%u ppm, not %llu to %llu: handlers %llu ns, %llu of them, ksampled %llu ns",
		       first.after.cost_ppm, least, most, first.after.stats[HTMM_STAT_HANDLER_NS],
		       first.after.total.overflows, first.after.stats[HTMM_STAT_DRAIN_NS]);
	}
	return true;
}

TEST_F(cost, is_the_sum)
{
	while (!is_the_sum(_metadata, self, variant)) {
		ASSERT_GT(TRIES, ++self->tried) {
			TH_LOG("the machine is too busy for a window of %u ms", window_ms(self));
		}
		ASSERT_EQ(0, device_stop(self->fd));
	}
}

/* In the last window of this session nothing happens any more: the cost is not that window's. */
TEST_F(cost, of_a_stopped_session)
{
	struct htmm_info before, after;
	__u64 sum, least, most;
	static struct stats stats;
	struct first first;
	int tries;

	if (variant->part != CHARGE)
		return;
	while (!first_cost(_metadata, self, variant, &first)) {
		ASSERT_GT(TRIES, ++self->tried);
		ASSERT_EQ(0, device_stop(self->fd));
	}
	tries = 2 * window_ms(self);
	do {
		usleep(10000);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	} while (stats.s.cost_ppm > first.after.cost_ppm / 10 && --tries);
	ASSERT_LT(0, tries);
	ASSERT_EQ(0, device_info(self->fd, &before));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_info(self->fd, &after));
	ASSERT_EQ(0, stats_read(self->fd, &stats));

	sum = stats.s.stats[HTMM_STAT_HANDLER_NS] + stats.s.stats[HTMM_STAT_DRAIN_NS] +
	      stats.s.total.overflows * variant->interrupt_ns;
	least = sum * 1000000 / (after.elapsed_ns * after.nr_cpus);
	most = sum * 1000000 / (before.elapsed_ns * before.nr_cpus);
	EXPECT_LE(least, stats.s.cost_ppm);
	EXPECT_LE(stats.s.cost_ppm, most);
}

/* Of the interrupts, those of the windows before are charged no more. */
TEST_F(cost, falls_again)
{
	struct htmm_stats s;
	__u32 whole, most = 0;
	struct first first;
	int tries, i;

	if (variant->part != CHARGE)
		return;
	while (!first_cost(_metadata, self, variant, &first)) {
		ASSERT_GT(TRIES, ++self->tried);
		ASSERT_EQ(0, device_stop(self->fd));
	}
	whole = first.after.cost_ppm;
	tries = 20 * window_ms(self) / 10;
	do {
		usleep(10000);
		look(_metadata, self, &s);
	} while (s.cost_ppm > whole / 10 && --tries);
	EXPECT_LT(0, tries) {
		TH_LOG("%u ppm, and then still %u", whole, s.cost_ppm);
	}

	/* A later window is as long as the first; what is done in it may be in two of them. */
	for (tries = TRIES; tries && most < whole / 10 * 4; tries--) {
		access_on_each_cpu(_metadata, self, variant);
		for (i = 0; i < 2 * window_ms(self) / 10 && most < whole / 10 * 4; i++) {
			usleep(10000);
			look(_metadata, self, &s);
			most = s.cost_ppm > most ? s.cost_ppm : most;
		}
	}
	EXPECT_LE(whole / 10 * 4, most) {
		TH_LOG("%u ppm, and later at most %u", whole, most);
	}
}
