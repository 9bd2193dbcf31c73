// SPDX-License-Identifier: GPL-2.0
/* Every overflow is counted once, for the page that was accessed. */
#include <linux/perf_event.h>
#include "check.h"

#define MAX_CPUS	1024
/* Has no common factor with any period, so that all pages get the same share of samples. */
#define PAGES		64
/* Samples intended for each page, at most. */
#define SHARE		16

/*
 * Makes a request for this program's pages on the CPUs that it may use; returns their
 * number. The rings hold all samples, as ksampled does not run on a CPU where this program
 * has priority.
 */
static int request_own_cpus(struct request *req, int *cpus, __u64 *bitmap)
{
	int i, nr = cpus_allowed(cpus, MAX_CPUS);

	for (i = 0; i < nr; i++)
		bitmap[cpus[i] / 64] |= 1ULL << cpus[i] % 64;
	req->arg.cpus = (uintptr_t)bitmap;
	req->arg.cpus_size = MAX_CPUS / 8;
	req->arg.ring_pages = 64;
	request_add_target(req, getpid());
	return nr;
}

FIXTURE(counting) {
	int fd;
	int cpus[MAX_CPUS];
	int nr_cpus;
	__u64 bitmap[MAX_CPUS / 64];
	struct source source;
	struct request req;
	void *mem;
};

FIXTURE_VARIANT(counting) {
	enum access_kind kind;
	size_t share;
};

FIXTURE_VARIANT_ADD(counting, stores) { ACCESS_STORE, SHARE };
FIXTURE_VARIANT_ADD(counting, loads) { ACCESS_LOAD, SHARE };
FIXTURE_VARIANT_ADD(counting, faults) { ACCESS_FAULT, 4 };

FIXTURE_SETUP(counting)
{
	if (!source_find(&self->source, variant->kind))
		SKIP(return, "no PMU here samples this");
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->source.event);
	self->nr_cpus = request_own_cpus(&self->req, self->cpus, self->bitmap);
	ASSERT_LT(0, self->nr_cpus);
}

FIXTURE_TEARDOWN(counting) { check_closed(_metadata, self->fd); }

/* The allowed error of a number of samples: one sample, or the skid of real hardware. */
static __u64 slack(const struct source *source, __u64 samples)
{
	return source->exact ? 1 : 2 + samples / 50;
}

static void pin(struct __test_metadata *_metadata, int cpu)
{
	ASSERT_EQ(0, cpu_pin(cpu));
	ASSERT_EQ(0, cpu_priority(true));
}

/* Compares one channel with the PMU's own count. */
static void check_count(struct __test_metadata *_metadata,
			const struct source *source,
			const struct htmm_channel_info *channel)
{
	__u64 want = channel->count / source->event.period;
	const struct htmm_counters *c = &channel->counters;

	EXPECT_NEAR(want, c->overflows, slack(source, want));
	if (source->exact || !source->hardware) {
		EXPECT_EQ(source->hardware ? c->overflows : 0, c->nmi);
		EXPECT_EQ(0, c->throttled);
	} else {
		/* Real interrupts may merge, and the kernel rejects some as too long. */
		EXPECT_NEAR(c->overflows, c->nmi, slack(source, c->overflows));
		EXPECT_LE(c->throttled, slack(source, want));
	}
	EXPECT_EQ(source->event.period, channel->period);
	EXPECT_EQ(source->event.precise_ip, channel->precise_ip);
	EXPECT_LT(0, channel->time_enabled);
	EXPECT_EQ(channel->time_enabled, channel->time_running);
}

/* A known number of accesses on each CPU in turn. */
TEST_F(counting, each_cpu)
{
	const __u64 period = self->source.event.period;
	const size_t rounds = variant->share * period;
	const __u64 accesses = PAGES * rounds;
	static struct stats stats;
	static struct pages pages;
	__u64 samples;
	int i;

	ASSERT_START(self);
	for (i = 0; i < self->nr_cpus; i++) {
		pin(_metadata, self->cpus[i]);
		access_kept(&self->source, self->mem, PAGES, rounds);
		ASSERT_EQ(0, cpu_priority(false));
	}
	ASSERT_EQ(0, device_stop(self->fd));

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	ASSERT_EQ(self->nr_cpus, stats.s.nr_channels);
	for (i = 0; i < stats.s.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats.channels[i];
		__u64 want = accesses / period;

		TH_LOG("cpu %u: PMU %llu, overflows %llu, counted %llu, filtered %llu",
		       channel->cpu, channel->count, channel->counters.overflows,
		       channel->counters.counted,
		       channel->counters.drops[HTMM_DROP_FILTERED]);
		check_count(_metadata, &self->source, channel);
		EXPECT_LE(accesses, channel->count);
		/* The rest of this program makes some accesses, too. */
		EXPECT_GE(channel->counters.counted + 1, want);
		EXPECT_LE(channel->counters.counted, want + 2 + want / 50);
		EXPECT_EQ(channel->counters.overflows,
			  channel->counters.counted +
			  channel->counters.drops[HTMM_DROP_FILTERED]);
	}

	ASSERT_EQ(0, pages_read(self->fd, &pages));
	samples = pages_samples(&pages, getpid(), self->mem, PAGES * PAGE);
	EXPECT_NEAR(self->nr_cpus * accesses / period, samples,
		    self->nr_cpus * slack(&self->source, accesses / period));
	EXPECT_EQ(stats.s.total.counted, pages_total(&pages, 0));
	EXPECT_EQ(stats.s.total.counted, pages_total(&pages, getpid()));
	for (i = 0; i < PAGES; i++) {
		samples = pages_samples(&pages, getpid(), self->mem + i * PAGE, PAGE);
		EXPECT_NEAR(self->nr_cpus * variant->share, samples,
			    self->nr_cpus * slack(&self->source, variant->share));
	}
}

/* Pages with different numbers of accesses get samples in the same ratio. */
TEST_F(counting, uneven_pages)
{
	const __u64 period = self->source.event.period;
	static struct pages pages;
	__u64 want, seen;
	int i;

	ASSERT_START(self);
	pin(_metadata, self->cpus[0]);
	for (i = 0; i < 4; i++) {
		access_pages(&self->source, self->mem + i * PAGE, 1, (20 << i) * period);
	}
	ASSERT_EQ(0, cpu_priority(false));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < 4; i++) {
		want = 20 << i;
		seen = pages_samples(&pages, getpid(), self->mem + i * PAGE, PAGE);
		EXPECT_NEAR(want, seen, slack(&self->source, want));
	}
	EXPECT_EQ(0, pages_samples(&pages, getpid(), self->mem + 4 * PAGE, (PAGES - 4) * PAGE));
	/* Hottest first, and the bin fits the count. */
	ASSERT_LE(4, pages.nr);
	EXPECT_EQ((uintptr_t)self->mem + 3 * PAGE, pages.page[0].addr);
	EXPECT_EQ((uintptr_t)self->mem + 2 * PAGE, pages.page[1].addr);
	for (i = 0; i < pages.nr; i++) {
		EXPECT_EQ(64 - __builtin_clzll(pages.page[i].samples), pages.page[i].bin);
		if (i) {
			EXPECT_LE(pages.page[i].samples, pages.page[i - 1].samples);
		}
	}
}

/* Records with all members; the address is at another offset than usual. */
TEST_F(counting, longest_record)
{
	const __u64 period = self->source.event.period;

	self->req.arg.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
				    PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC;
	ASSERT_START(self);
	pin(_metadata, self->cpus[0]);
	access_kept(&self->source, self->mem, PAGES, period);
	ASSERT_EQ(0, cpu_priority(false));
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_NEAR(PAGES, device_samples(self->fd, getpid(), self->mem, PAGES * PAGE),
		    slack(&self->source, PAGES));
}

/* Two events at once: each has its own channel on each CPU, and its own pages. */
FIXTURE(two_events) {
	int fd;
	struct source first;
	struct source second;
	struct request req;
	int cpus[MAX_CPUS];
	int nr_cpus;
	__u64 bitmap[MAX_CPUS / 64];
	void *mem;
};

FIXTURE_SETUP(two_events)
{
	if (!source_find(&self->first, ACCESS_STORE) || !source_find(&self->second, ACCESS_LOAD))
		SKIP(return, "no PMU here samples loads and stores");
	ASSERT_NE(NULL, self->mem = access_map(2 * PAGES));
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->first.event);
	request_add_event(&self->req, &self->second.event);
	self->nr_cpus = request_own_cpus(&self->req, self->cpus, self->bitmap);
	ASSERT_LT(0, self->nr_cpus);
}

FIXTURE_TEARDOWN(two_events) { check_closed(_metadata, self->fd); }

TEST_F(two_events, each_cpu)
{
	const __u64 period = self->first.event.period;
	const __u64 want = PAGES * 8;
	static struct stats stats;
	static struct pages pages;
	int i;

	ASSERT_EQ(period, self->second.event.period);
	ASSERT_START(self);
	for (i = 0; i < self->nr_cpus; i++) {
		pin(_metadata, self->cpus[i]);
		access_pages(&self->first, self->mem, PAGES, 8 * period);
		access_pages(&self->second, self->mem + PAGES * PAGE, PAGES, 8 * period);
		ASSERT_EQ(0, cpu_priority(false));
	}
	ASSERT_EQ(0, device_stop(self->fd));

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	ASSERT_EQ(2 * self->nr_cpus, stats.s.nr_channels);
	for (i = 0; i < stats.s.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats.channels[i];

		ASSERT_GT(2, channel->event);
		check_count(_metadata, channel->event ? &self->second : &self->first, channel);
		EXPECT_GE(channel->counters.counted + slack(&self->first, want), want);
	}
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_NEAR(self->nr_cpus * want,
		    pages_samples(&pages, getpid(), self->mem, PAGES * PAGE),
		    self->nr_cpus * slack(&self->first, want));
	EXPECT_NEAR(self->nr_cpus * want,
		    pages_samples(&pages, getpid(), self->mem + PAGES * PAGE, PAGES * PAGE),
		    self->nr_cpus * slack(&self->second, want));
}
