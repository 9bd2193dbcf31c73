// SPDX-License-Identifier: GPL-2.0
/* What served samples: HTMM_START_SERVED and HTMM_IOC_GET_SERVED. */
#include <sys/mman.h>
#include <linux/perf_event.h>
#include "check.h"
#include "child.h"

#define PAGES		2048UL

FIXTURE(served) {
	int fd;
	struct request req;
	char *mem;	/* PAGES pages: the first half is on node 0, the others are on node 1 */
};

/*
 * Loads that take as long as those that miss the cache, which say what served them; loads that
 * this node's memory serves, and all stores, which do not.
 */
static const struct htmm_event tier_events[] = {
	{ .type = PERF_TYPE_RAW, .config = 0x01cd, .config1 = 128, .precise_ip = 2, .period = 61,
	  .name = "miss" },
	{ .type = PERF_TYPE_RAW, .config = 0x01d3, .precise_ip = 2, .period = 53, .name = "local" },
	{ .type = PERF_TYPE_RAW, .config = 0x82d0, .precise_ip = 2, .period = 67, .name = "store" },
};

/* The halves are on two nodes, and each is twice as large as the cache. */
static void load_tiers(void *arg)
{
	struct source load = { .kind = ACCESS_LOAD }, store = { .kind = ACCESS_STORE };
	char *mem = arg;
	int line;

	for (line = 0; line < 6; line++) {
		access_pages(&load, mem + 64 * line, PAGES, 1);
		access_pages(&load, mem + PAGES / 4 * PAGE + 64 * line, PAGES / 2, 1);
	}
	access_pages(&store, mem, PAGES, 2);
}

FIXTURE_SETUP(served)
{
	const size_t half = PAGES / 2 * PAGE;

	ASSERT_LE(0, self->fd = device_open());
	ASSERT_EQ(0, access("/sys/devices/system/node/node1", F_OK));
	request_init(&self->req, &tier_events[0]);
	self->req.arg.flags |= HTMM_START_SERVED;
	self->mem = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	ASSERT_NE(MAP_FAILED, self->mem);
	madvise(self->mem, 2 * half, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, access_bind(self->mem, half, 0));
	ASSERT_EQ(0, access_bind(self->mem + half, half, 1));
	memset(self->mem, 1, 2 * half);
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(served) { check_closed(_metadata, self->fd); }

/* Starts a session of the first of the events and a process that loads, and stores. */
static void start(struct __test_metadata *_metadata, FIXTURE_DATA(served) *self, size_t events,
		  struct child *child)
{
	size_t i;

	ASSERT_EQ(0, child_worker(child, load_tiers, self->mem));
	for (i = 1; i < events; i++)
		request_add_event(&self->req, &tier_events[i]);
	request_add_target(&self->req, child->pid);
	ASSERT_START(self);
}

/* What the CPU says of each sample is where its page is. */
TEST_F(served, by_cpu)
{
	struct placement placement;
	struct served served, after;
	static struct stats stats;
	struct child child;

	self->req.arg.sample_type |= PERF_SAMPLE_DATA_SRC;
	start(_metadata, self, 3, &child);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &served));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	/* All CPUs are on node 0. */
	ASSERT_EQ(3, served.nr);
	for (__u32 i = 0; i < served.nr; i++) {
		EXPECT_EQ(0, served.row[i].cpu_node);
		EXPECT_EQ(i, served.row[i].event);
	}
	TH_LOG("misses: %llu local, %llu remote", served.row[0].samples[HTMM_SOURCE_LOCAL],
	       served.row[0].samples[HTMM_SOURCE_REMOTE]);
	EXPECT_LE(100, served.row[0].samples[HTMM_SOURCE_LOCAL]);
	EXPECT_LE(100, served.row[0].samples[HTMM_SOURCE_REMOTE]);
	EXPECT_EQ(served_samples(&served, 0, -1), served.row[0].samples[HTMM_SOURCE_LOCAL] +
		  served.row[0].samples[HTMM_SOURCE_REMOTE]);
	EXPECT_LE(100, served.row[1].samples[HTMM_SOURCE_UNKNOWN]);
	EXPECT_EQ(served_samples(&served, 1, -1), served.row[1].samples[HTMM_SOURCE_UNKNOWN]);
	/* A store that misses is not told from where its line came. */
	EXPECT_LE(50, served.row[2].samples[HTMM_SOURCE_UNKNOWN]);
	EXPECT_EQ(0, served.row[2].samples[HTMM_SOURCE_LOCAL] +
		  served.row[2].samples[HTMM_SOURCE_REMOTE]);
	EXPECT_EQ(stats.s.stats[HTMM_STAT_SAMPLES], served_samples(&served, 0, -1) +
		  served_samples(&served, 1, -1) + served_samples(&served, 2, -1));

	/* Cooling changes counts of pages, and not what was served. */
	ASSERT_EQ(0, device_cool(self->fd, 0));
	ASSERT_EQ(0, device_served(self->fd, 1, &after));
	EXPECT_EQ(0, memcmp(&served, &after, sizeof(served)));
	ASSERT_EQ(0, device_reset(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &after));
	EXPECT_EQ(0, after.nr);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &after));
	EXPECT_LE(100, served_samples(&after, 0, HTMM_SOURCE_REMOTE));
	EXPECT_EQ(-ENOENT, device_served(self->fd, 2, &after));
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	EXPECT_LT(0, placement.nodes[0].samples);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* Memory of this node is left out, though nobody asked for what served each sample. */
TEST_F(served, min_level)
{
	static struct pages pages;
	static struct stats stats;
	struct child child;
	size_t i;

	self->req.events[0].min_level = HTMM_SOURCE_REMOTE;
	start(_metadata, self, 1, &child);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(HTMM_SOURCE_REMOTE, stats.events[0].min_level);
	EXPECT_LE(100, stats.s.total.counted);
	EXPECT_LE(100, stats.s.total.drops[HTMM_DROP_NEAR]);
	EXPECT_EQ(stats.s.total.overflows,
		  stats.s.total.counted + stats.s.total.drops[HTMM_DROP_NEAR] +
		  stats.s.total.drops[HTMM_DROP_FILTERED]);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++)
		EXPECT_LE((__u64)(unsigned long)self->mem + PAGES / 2 * PAGE, pages.page[i].addr);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* By node and in samples: those of one event, of which nothing was cooled. */
TEST_F(served, where_pages_are)
{
	struct placement placement;
	struct served served;
	struct child child;

	self->req.arg.sample_type |= PERF_SAMPLE_DATA_SRC;
	start(_metadata, self, 1, &child);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	ASSERT_EQ(0, device_served(self->fd, 0, &served));
	ASSERT_EQ(1, served.nr);
	EXPECT_LE(100, placement.nodes[0].samples);
	EXPECT_LE(100, placement.nodes[1].samples);
	EXPECT_EQ(0, placement.s.unknown_samples);
	EXPECT_EQ(placement.nodes[0].samples, served.row[0].samples[HTMM_SOURCE_LOCAL]);
	EXPECT_EQ(placement.nodes[1].samples, served.row[0].samples[HTMM_SOURCE_REMOTE]);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* Without what the CPU says, samples are counted by event; the weight of each counts. */
TEST_F(served, by_event)
{
	__u64 samples[3], pages;
	struct served served;
	static struct stats stats;
	struct child child;
	__u32 i;

	self->req.arg.flags |= HTMM_START_WEIGHT_PERIOD;
	/* The period of the third event is longer: the unit of weights is the shortest one. */
	start(_metadata, self, 3, &child);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_set_period(self->fd, 0, 5 * 53));
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &served));
	ASSERT_EQ(3, served.nr);
	memset(samples, 0, sizeof(samples));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	for (i = 0; i < stats.s.nr_channels; i++)
		samples[stats.channels[i].event] += stats.channels[i].counters.counted;
	EXPECT_LE(100, samples[1]);
	EXPECT_EQ(samples[1], served.row[1].samples[HTMM_SOURCE_UNKNOWN]);
	EXPECT_EQ(samples[2], served.row[2].samples[HTMM_SOURCE_UNKNOWN]);
	/* Of the first event weigh some 1, and the others 5. */
	EXPECT_LT(samples[0], served.row[0].samples[HTMM_SOURCE_UNKNOWN]);
	EXPECT_GT(5 * samples[0], served.row[0].samples[HTMM_SOURCE_UNKNOWN]);
	EXPECT_EQ(0, (served.row[0].samples[HTMM_SOURCE_UNKNOWN] - samples[0]) % 4);
	pages = served_samples(&served, 0, -1) + served_samples(&served, 1, -1);
	EXPECT_EQ(pages, served.row[0].samples[0] + served.row[1].samples[0]);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* Of two targets each has its own; nothing is counted unless that is asked for. */
TEST_F(served, by_target)
{
	struct served all, one[2], none;
	struct child child, other;

	self->req.arg.sample_type |= PERF_SAMPLE_DATA_SRC;
	ASSERT_EQ(0, child_worker(&other, load_tiers, self->mem));
	start(_metadata, self, 1, &child);
	ASSERT_EQ(2, device_add_target(self->fd, HTMM_TARGET_TGID, other.pid));
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, child_do(&other));
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &all));
	ASSERT_EQ(0, device_served(self->fd, 1, &one[0]));
	ASSERT_EQ(0, device_served(self->fd, 2, &one[1]));
	EXPECT_LT(served_samples(&one[1], 0, -1), served_samples(&one[0], 0, -1));
	EXPECT_EQ(served_samples(&all, 0, -1),
		  served_samples(&one[0], 0, -1) + served_samples(&one[1], 0, -1));
	ASSERT_EQ(0, device_remove_target(self->fd, 1));
	ASSERT_EQ(0, device_served(self->fd, 0, &all));
	EXPECT_EQ(0, memcmp(&all, &one[1], sizeof(all)));
	ASSERT_EQ(0, device_stop(self->fd));

	self->req.arg.flags &= ~HTMM_START_SERVED;
	self->req.arg.session = 0;
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_served(self->fd, 0, &none));
	EXPECT_EQ(0, none.nr);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	EXPECT_EQ(128 + SIGKILL, child_kill(&other));
}
