// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of AMD's IBS, which tags instructions of all kinds: each is in exactly one counter,
 * and one without an address of user memory never in the table.
 *
 * IBS_OPS=N: samples to take
 */
#include <linux/perf_event.h>
#include "check.h"
#include "files.h"

#define PMU		"/sys/bus/event_source/devices/ibs_op/"
#define PARAMETERS	"/sys/module/pebs_emu/parameters/ibs_"
#define CNT_CTL		(1ULL << 19)
#define L3MISSONLY	(1ULL << 16)
#define PAGES		2048
#define CPUS		32

/* What the emulated unit has done so far. */
struct ops {
	long tagged;
	long discarded;
	long samples;
	long stale;
	long kernel;
	long no_addr;
};

static long ops_parameter(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return file_number(path);
}

static struct ops ops_read(void)
{
	return (struct ops) {
		.tagged = ops_parameter("tagged"),
		.discarded = ops_parameter("discarded"),
		.samples = ops_parameter("samples"),
		.stale = ops_parameter("stale"),
		.kernel = ops_parameter("kernel"),
		.no_addr = ops_parameter("no_addr"),
	};
}

FIXTURE(ibs) {
	int fd;
	struct request req;
	void *mem;
	long wanted;
};

FIXTURE_VARIANT(ibs) {
	__u64 config;
	__u64 period;
};

FIXTURE_VARIANT_ADD(ibs, ops) {
	.config = CNT_CTL, .period = 1600,
};

FIXTURE_VARIANT_ADD(ibs, cycles) {
	.period = 4000,
};

FIXTURE_VARIANT_ADD(ibs, misses) {
	.config = CNT_CTL | L3MISSONLY, .period = 160,
};

FIXTURE_SETUP(ibs)
{
	const char *wanted = getenv("IBS_OPS");
	struct htmm_event event = {
		.type = file_number(PMU "type"),
		.config = variant->config,
		.period = variant->period,
		.name = "ibs",
	};

	if (access(PMU, F_OK) || ops_parameter("tagged") < 0)
		SKIP(return, "no emulated IBS unit");
	self->wanted = wanted ? atol(wanted) : 5000;
	self->mem = access_map(PAGES);
	ASSERT_NE(NULL, self->mem);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	request_init(&self->req, &event);
	self->req.arg.sample_type = PERF_SAMPLE_DATA_SRC;
}

FIXTURE_TEARDOWN(ibs)
{
	close(self->fd);
	check_idle(_metadata);
}

/* Runs until there were enough samples, or ops that the filter left out. */
static void work(struct _test_data_ibs *self, const struct ops *before)
{
	struct ops now;
	size_t i, n;

	do {
		for (n = 0; n < 100; n++)
			for (i = 0; i < PAGES; i++)
				((volatile char *)self->mem)[i * 4096 + n * 64 % 4096]++;
		now = ops_read();
	} while (now.tagged - before->tagged < self->wanted);
}

/* Nothing at an address that the unit did not call valid has become a page. */
static void check_pages(struct __test_metadata *_metadata, int fd, __u64 counted)
{
	static struct pages pages;
	size_t i;

	ASSERT_EQ(0, pages_read(fd, &pages));
	EXPECT_EQ(counted, pages_total(&pages, 0));
	for (i = 0; i < pages.nr; i++)
		EXPECT_GT(1ULL << 47, pages.page[i].addr);
}

/* Long enough for a million. */
TEST_F_TIMEOUT(ibs, each_in_one_counter, 1500)
{
	const struct htmm_counters *total;
	struct ops before, after;
	static struct stats stats;
	long of_memory;

	before = ops_read();
	if (variant->config & L3MISSONLY && access(PMU "format/l3missonly", F_OK)) {
		/* The model has no such filter. */
		EXPECT_EQ(-EINVAL, device_start(self->fd, &self->req));
		return;
	}
	ASSERT_EQ(0, device_start(self->fd, &self->req));
	work(self, &before);
	ASSERT_EQ(0, device_stop(self->fd));
	after = ops_read();
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	total = &stats.s.total;
	TH_LOG("tagged %ld discarded %ld samples %ld stale %ld kernel %ld no_addr %ld counted %llu",
	       after.tagged - before.tagged, after.discarded - before.discarded,
	       after.samples - before.samples, after.stale - before.stale,
	       after.kernel - before.kernel, after.no_addr - before.no_addr, total->counted);

	/* One that was tagged may not have ended yet on each CPU. */
	EXPECT_NEAR(after.tagged - before.tagged,
		    after.discarded - before.discarded + after.samples - before.samples +
		    after.stale - before.stale, CPUS);
	EXPECT_EQ(after.samples - before.samples, total->overflows);
	EXPECT_EQ(total->overflows, total->nmi);
	EXPECT_EQ(0, total->drops[HTMM_DROP_FILTERED]);
	EXPECT_EQ(after.kernel - before.kernel, total->drops[HTMM_DROP_KERNEL]);
	EXPECT_EQ(after.no_addr - before.no_addr, total->drops[HTMM_DROP_NO_DATA]);
	EXPECT_EQ(0, total->drops[HTMM_DROP_NO_ADDR]);
	EXPECT_EQ(0, total->drops[HTMM_DROP_KERNEL_ADDR]);
	of_memory = total->counted + total->drops[HTMM_DROP_RING_FULL] +
		    total->drops[HTMM_DROP_STALE];
	EXPECT_EQ(of_memory, total->overflows - total->drops[HTMM_DROP_KERNEL] -
		  total->drops[HTMM_DROP_NO_DATA]);
	EXPECT_NE(0, total->counted);
	/* The filter leaves out what has no address, as it misses no cache. */
	EXPECT_LT(0, variant->config & L3MISSONLY ? after.discarded - before.discarded :
		     after.no_addr - before.no_addr);
	check_pages(_metadata, self->fd, total->counted);
}

/* What a cache served, or nobody knows what, is dropped before it reaches a ring. */
TEST_F(ibs, min_level)
{
	static struct stats stats;
	static struct served served;
	struct ops before;

	if (variant->config & L3MISSONLY && access(PMU "format/l3missonly", F_OK))
		return;
	/* By cycles, what comes after a load that waits is tagged, and not the load. */
	if (!(variant->config & CNT_CTL))
		return;
	before = ops_read();
	self->req.events[0].min_level = HTMM_SOURCE_LOCAL;
	self->req.arg.flags |= HTMM_START_SERVED;
	ASSERT_EQ(0, device_start(self->fd, &self->req));
	work(self, &before);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	ASSERT_EQ(0, device_served(self->fd, 0, &served));
	TH_LOG("overflows %llu min_level %llu counted %llu", stats.s.total.overflows,
	       stats.s.total.drops[HTMM_DROP_NEAR], stats.s.total.counted);
	EXPECT_NE(0, stats.s.total.counted);
	EXPECT_EQ(stats.s.total.counted, served_samples(&served, 0, HTMM_SOURCE_LOCAL) +
		  served_samples(&served, 0, HTMM_SOURCE_REMOTE) +
		  served_samples(&served, 0, HTMM_SOURCE_SLOW) +
		  served_samples(&served, 0, HTMM_SOURCE_OTHER));
	/* The filter of the CPU leaves few to the module: stores that nothing is known of. */
	if (!(variant->config & L3MISSONLY))
		EXPECT_NE(0, stats.s.total.drops[HTMM_DROP_NEAR]);
}
