// SPDX-License-Identifier: GPL-2.0
/*
 * From samples to hot pages: histogram, thresholds, cooling, limits. One page fault is one
 * sample here, so the state after each sample is known.
 */
#include "cgroup.h"
#include "check.h"
#include "child.h"
#include "invariants.h"

#define NR	40

FIXTURE(hotness) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
};

FIXTURE_SETUP(hotness)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	ASSERT_NE(NULL, self->mem = access_map(NR));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(hotness) { check_closed(_metadata, self->fd); }

static unsigned int bin_of(__u64 count)
{
	return count ? 64 - __builtin_clzll(count) : 0;
}

/* Touches one page @times times. */
static void touch(struct _test_data_hotness *self, int page, size_t times)
{
	access_pages(&self->source, self->mem + page * PAGE, 1, times);
}

/* Page i is touched i + 1 times. */
static void touch_staircase(struct _test_data_hotness *self)
{
	int i;

	for (i = 0; i < NR; i++)
		touch(self, i, i + 1);
}

static __u64 samples_of(struct _test_data_hotness *self, int page)
{
	return device_samples(self->fd, getpid(), self->mem + page * PAGE, PAGE);
}

TEST_F(hotness, each_fault_counts)
{
	struct htmm_histogram hist;
	static struct stats stats;
	static struct pages pages;
	int i;

	ASSERT_START(self);
	touch_staircase(self);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));

	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES], pages_total(&pages, 0));
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(i + 1, pages_samples(&pages, getpid(), self->mem + i * PAGE, PAGE));
	}
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES], hist.samples);
	EXPECT_LE(NR, hist.pages);
	EXPECT_EQ(0, hist.bins[0]);
}

/* Pages with equal counts are sorted by address, and each page is listed once. */
TEST_F(hotness, order_of_the_list)
{
	static struct pages pages;
	size_t i;

	ASSERT_START(self);
	access_pages(&self->source, self->mem, NR, 3);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	ASSERT_LE(NR, pages.nr);
	for (i = 1; i < pages.nr; i++) {
		const struct htmm_page *a = &pages.page[i - 1], *b = a + 1;

		EXPECT_TRUE(a->samples > b->samples ||
			    (a->samples == b->samples && a->addr < b->addr)) {
			TH_LOG("%#llx (%llu) before %#llx (%llu)", a->addr,
			       a->samples, b->addr, b->samples);
		}
	}
}

/* A region's count is the sum of its pages. */
TEST_F(hotness, huge_regions)
{
	struct htmm_histogram hist;
	static struct stats stats;
	__u64 sum = 0;
	__u32 top = 0, i;

	ASSERT_START(self);
	access_pages(&self->source, self->mem, NR, 8);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_REGION, &hist));
	for (i = 0; i < HTMM_NR_BINS; i++) {
		sum += hist.bins[i];
		top = hist.bins[i] ? i : top;
	}
	EXPECT_EQ(hist.pages, sum);
	/* The mapping may be in one region or in two. */
	EXPECT_GE(top, bin_of(NR * 8 / 2));
	EXPECT_LE(top, bin_of(stats.s.stats[HTMM_STAT_SAMPLES]));
}

TEST_F(hotness, thresholds)
{
	/* From a capacity with room for nothing to one with room for all. */
	const __u64 capacities[] = { 1, 8, 9, 12, 24, 32, 33, 100, 1 << 20 };
	struct htmm_histogram hist;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(capacities); i++) {
		self->req.arg.capacity_pages = capacities[i];
		ASSERT_START(self);
		touch_staircase(self);
		ASSERT_EQ(0, device_stop(self->fd));
		ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
		EXPECT_EQ(capacities[i], hist.capacity_pages);
		EXPECT_LE(hist.hot_pages, capacities[i]);
		check_thresholds(_metadata, &hist);
	}
}

/* The share of the hottest pages fits the list of pages, for any capacity. */
TEST_F(hotness, hit_ratio)
{
	__u64 hot = 0, all = 0, capacity;
	struct htmm_hit_ratio ratio;
	static struct pages pages;
	size_t i;

	self->req.arg.capacity_pages = NR / 2;
	ASSERT_START(self);
	touch_staircase(self);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	ASSERT_LE(NR, pages.nr);
	for (i = 0; i < pages.nr; i++)
		all += pages.page[i].samples;
	for (capacity = 1; capacity <= pages.nr + 1; capacity++) {
		if (capacity <= pages.nr)
			hot += pages.page[capacity - 1].samples;
		ASSERT_EQ(0, device_hit_ratio(self->fd, HTMM_UNIT_PAGE, capacity, &ratio));
		EXPECT_EQ(capacity, ratio.capacity_pages);
		EXPECT_EQ(pages.nr, ratio.pages);
		EXPECT_EQ(capacity < pages.nr ? capacity : pages.nr, ratio.fast_pages);
		EXPECT_EQ(all, ratio.samples);
		EXPECT_EQ(hot * 1000000 / all, ratio.hit_ppm);
		EXPECT_EQ(0, ratio.error_ppm);
	}
	/* Without a capacity it is the session's. */
	ASSERT_EQ(0, device_hit_ratio(self->fd, HTMM_UNIT_PAGE, 0, &ratio));
	EXPECT_EQ(NR / 2, ratio.capacity_pages);
	EXPECT_EQ(NR / 2, ratio.fast_pages);
	/* Regions, and invalid arguments. */
	ASSERT_EQ(0, device_hit_ratio(self->fd, HTMM_UNIT_REGION, 1 << 20, &ratio));
	EXPECT_EQ(1 << 11, ratio.capacity_pages);
	EXPECT_EQ(1000000, ratio.hit_ppm);
	EXPECT_EQ(all, ratio.samples);
	EXPECT_EQ(-EOPNOTSUPP, device_hit_ratio(self->fd, HTMM_UNIT_REGION + 1, 0, &ratio));
	ratio = (struct htmm_hit_ratio) { .size = sizeof(ratio), .target = 77 };
	EXPECT_EQ(-ENOENT, device_ioctl(self->fd, HTMM_IOC_GET_HIT_RATIO, &ratio));
}

/* Long before the first adaptation, thresholds are computed when they are read. */
TEST_F(hotness, thresholds_of_a_young_session)
{
	struct htmm_histogram hist;
	static struct pages pages;
	__u64 hot = 0;
	size_t i;

	self->req.arg.capacity_pages = NR / 2;
	ASSERT_START(self);
	touch_staircase(self);
	ASSERT_SOON(!device_hist(self->fd, HTMM_UNIT_PAGE, &hist) &&
		    hist.samples >= NR * (NR + 1) / 2);
	EXPECT_GE(NR / 2, hist.hot_pages);
	check_thresholds(_metadata, &hist);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++)
		hot += !!(pages.page[i].flags & HTMM_PAGE_HOT);
	EXPECT_GE(NR / 2, hot);
	EXPECT_LT(0, hot);
}

#define MANY	300

static int touch_many(int sock, void *data)
{
	struct _test_data_hotness *self = data;
	void *mem = access_map(MANY);

	if (!mem)
		return 1;
	access_pages(&self->source, mem, MANY, 30);
	child_post(sock);
	return child_await(sock);
}

/* Pages of the fixture that are marked as hot. */
static size_t fixture_hot(struct __test_metadata *_metadata, struct _test_data_hotness *self)
{
	static struct pages pages;
	size_t i, hot = 0;

	EXPECT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++)
		hot += pages.page[i].pid == (__u32)getpid() &&
		       pages.page[i].addr - (uintptr_t)self->mem < NR * PAGE &&
		       pages.page[i].flags & HTMM_PAGE_HOT;
	return hot;
}

/* When the hottest pages are gone with their process, there is room for others at once. */
TEST_F(hotness, thresholds_when_pages_are_gone)
{
	struct htmm_histogram hist;
	struct cgroup cgroup;
	struct child child;

	if (!cgroup_possible())
		SKIP(return, "no cgroups here");
	ASSERT_EQ(0, cgroup_make(&cgroup, NULL, "hotness"));
	request_init(&self->req, &self->source.event);
	request_add_cgroup(&self->req, cgroup.dir);
	self->req.arg.capacity_pages = MANY;
	self->req.arg.adaptation_period = 1000;
	ASSERT_EQ(0, cgroup_enter(&cgroup, 0));
	ASSERT_START(self);
	access_pages(&self->source, self->mem, NR, 3);
	ASSERT_EQ(0, child_start(&child, touch_many, self));
	ASSERT_EQ(0, child_await(child.sock));
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	EXPECT_LE(3, hist.hot_threshold);
	check_thresholds(_metadata, &hist);
	EXPECT_EQ(0, fixture_hot(_metadata, self));

	child_post(child.sock);
	EXPECT_EQ(0, child_join(&child));
	ASSERT_SOON(!device_hist(self->fd, HTMM_UNIT_PAGE, &hist) && hist.pages <= MANY);
	EXPECT_EQ(1, hist.hot_threshold);
	check_thresholds(_metadata, &hist);
	EXPECT_EQ(NR, fixture_hot(_metadata, self));
	ASSERT_EQ(0, device_stop(self->fd));
	cgroup_leave(0);
	EXPECT_EQ(0, cgroup_remove(&cgroup));
}

/* Adaptations happen automatically, too. */
TEST_F(hotness, adaptation_period)
{
	static struct stats stats;

	self->req.arg.adaptation_period = 50;
	ASSERT_START(self);
	touch_staircase(self);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_COOLINGS]);
	/* STOP makes one more. */
	EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES] / 50 + 1, stats.s.stats[HTMM_STAT_ADAPTATIONS]);
}

/* A period that means never does not affect the other one. */
TEST_F(hotness, adaptation_never)
{
	static struct stats stats;

	self->req.arg.cooling_period = 50;
	self->req.arg.adaptation_period = ~0ULL;
	ASSERT_START(self);
	touch_staircase(self);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(1, stats.s.stats[HTMM_STAT_COOLINGS]);
	EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES] / 50, stats.s.stats[HTMM_STAT_COOLINGS]);
	/* Each cooling adapts, and so does STOP. */
	EXPECT_EQ(stats.s.stats[HTMM_STAT_COOLINGS] + 1, stats.s.stats[HTMM_STAT_ADAPTATIONS]);
}

/* Every 100th sample halves every count, and the model does the same. */
TEST_F(hotness, cooling_period)
{
	__u64 count = 0, i;
	static struct stats stats;
	int tries = 5;

	self->req.arg.cooling_period = 100;
	/* Repeat if the program had other faults, too. */
	do {
		ASSERT_START(self);
		touch(self, 0, 1234);
		ASSERT_EQ(0, device_stop(self->fd));
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES] / 100,
			  stats.s.stats[HTMM_STAT_COOLINGS]);
	} while (stats.s.stats[HTMM_STAT_SAMPLES] != 1234 && --tries);
	ASSERT_EQ(1234, stats.s.stats[HTMM_STAT_SAMPLES]);
	for (i = 1; i <= stats.s.stats[HTMM_STAT_SAMPLES]; i++) {
		count++;
		if (i % 100 == 0)
			count >>= 1;
	}
	EXPECT_EQ(count, samples_of(self, 0));
}

/* Other pages become hot: all but an eighth of what was counted before is forgotten, once. */
TEST_F(hotness, other_pages_become_hot)
{
	/* Whoever gives a period, or keeps what has exited, gets no other coolings. */
	const struct {
		__u64 period;
		__u32 flags;
		__u64 coolings;
	} cases[] = { { 0, 0, 3 }, { 1 << 20, 0, 0 }, { 0, HTMM_START_KEEP_EXITED, 0 } };
	static struct stats stats;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		self->req.arg.cooling_period = cases[i].period;
		self->req.arg.flags = cases[i].flags;
		ASSERT_START(self);
		access_pages(&self->source, self->mem, NR / 4, 400);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		EXPECT_EQ(0, stats.s.stats[HTMM_STAT_COOLINGS]);
		access_pages(&self->source, self->mem + NR / 2 * PAGE, NR / 4, 400);
		ASSERT_EQ(0, device_stop(self->fd));
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		EXPECT_EQ(cases[i].coolings, stats.s.stats[HTMM_STAT_COOLINGS]);
		EXPECT_EQ(400 >> cases[i].coolings, samples_of(self, 1));
		EXPECT_LT(200, samples_of(self, NR / 2 + 1));
	}
}

/* A page that is not touched any more cools to zero, one step at a time. */
TEST_F(hotness, cooling_of_pages_at_rest)
{
	__u64 want[NR];
	static struct stats stats;
	int i, step;

	ASSERT_START(self);
	touch_staircase(self);
	ASSERT_EQ(0, device_stop(self->fd));
	for (i = 0; i < NR; i++)
		want[i] = i + 1;
	for (step = 1; step <= 7; step++) {
		ASSERT_EQ(0, device_cool(self->fd, 0));
		for (i = 0; i < NR; i++) {
			want[i] >>= 1;
			EXPECT_EQ(want[i], samples_of(self, i));
		}
		invariants_hold(self->fd);
	}
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(7, stats.s.stats[HTMM_STAT_COOLINGS]);
}

/*
 * A table grows with its samples: at most a block of 512 bytes for each, the same again in
 * reserve, and its directory.
 */
TEST_F(hotness, memory_as_needed)
{
	const __u64 directory = (1 << 20) / 12;
	struct htmm_info info;
	static struct stats stats;

	self->req.arg.max_bytes = 1 << 20;
	ASSERT_START(self);
	access_pages(&self->source, self->mem, NR, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_LE(NR, stats.s.stats[HTMM_STAT_SAMPLES]);
	EXPECT_GE(directory + (stats.s.stats[HTMM_STAT_SAMPLES] / 4 + 4) * PAGE, info.table_bytes);
}

/* The smallest memory of a table: far fewer regions than are touched. */
TEST_F(hotness, table_memory)
{
	const size_t regions = 2048;
	struct htmm_info info;
	static struct stats stats;
	void *mem;
	size_t i;

	ASSERT_NE(NULL, mem = access_reserve(regions * REGION));
	self->req.arg.max_bytes = 1 << 17;
	self->req.arg.ring_pages = 256;
	ASSERT_START(self);
	for (i = 0; i < regions; i++)
		access_pages(&self->source, mem + i * REGION, 1, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_TABLE_FULL]);
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_EVICTED]);
	EXPECT_LT(100, stats.s.total.counted);
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_GE(info.max_bytes, info.table_bytes);
	EXPECT_EQ(1 << 17, info.max_bytes);
}
