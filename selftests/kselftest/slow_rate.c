// SPDX-License-Identifier: GPL-2.0
/*
 * A few samples at a time on every CPU, so that ksampled often checks its rings, beside
 * readers of every interface and changing targets, or beside a reader that never stops.
 * stress overloads everything; here nothing waits for long, so wrong ordering shows, above
 * all to a kernel that looks for data races.
 *
 * SLOW_RATE_SECONDS=N: for how long (3)
 */
#include <time.h>
#include "check.h"
#include "child.h"
#include "stress.h"

#define SECONDS		3
#define PAGES		512
#define FEW		4
#define MAX_CPUS	64
#define MOST_CHILDREN	(MAX_CPUS + 3)

FIXTURE(slow_rate) {
	int fd;
	struct request req;
	struct role role;
	struct child children[MOST_CHILDREN];
	int nr_children;
};

static void recruit(struct __test_metadata *_metadata,
		    struct _test_data_slow_rate *self,
		    int (*body)(int sock, void *arg))
{
	role_random(&self->role, 2);
	ASSERT_EQ(0, child_start(&self->children[self->nr_children++], body, &self->role));
}

FIXTURE_SETUP(slow_rate)
{
	struct role *role = &self->role;

	role->random = 1;
	ASSERT_NE(NULL, role->feats = child_share(sizeof(*role->feats)));
	source_best(&role->source);
	ASSERT_EQ(0, cgroup_make(&role->cgroup, NULL, "htmm_slow_rate"));
	request_init(&self->req, &role->source.event);
	/* Rings so small that a few samples wake ksampled. */
	self->req.arg.ring_pages = 1;
	self->req.arg.drain_interval_ms = 1;
	self->req.arg.cooling_period = 1000;
	self->req.arg.adaptation_period = 100;
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(slow_rate)
{
	while (self->nr_children)
		/* None of them may have ended early. */
		EXPECT_EQ(137, child_kill(&self->children[--self->nr_children]));
	close(self->fd);
	EXPECT_EQ(0, cgroup_remove(&self->role.cgroup));
	check_idle(_metadata);
}

/* Some samples and a pause, on its own CPU. */
static int drip(struct role *role, size_t pages, size_t rounds, useconds_t rest)
{
	void *mem = access_map(pages);

	if (!mem || cpu_pin(role->cpu))
		return 1;
	for (;;) {
		access_pages(&role->source, mem, pages, rounds);
		usleep(rest);
	}
}

static int drip_slowly(int sock, void *arg) { return drip(arg, PAGES, 1, 10000); }
static int drip_fast(int sock, void *arg) { return drip(arg, PAGES, 6, 100); }
/* Few pages, so that all that is read changes soon. */
static int drip_on_few(int sock, void *arg) { return drip(arg, FEW, 6 * PAGES / FEW, 100); }

static void begin(struct __test_metadata *_metadata,
		  struct _test_data_slow_rate *self,
		  int (*body)(int sock, void *arg))
{
	int i, cpus[MAX_CPUS], nr = cpus_allowed(cpus, MAX_CPUS);

	ASSERT_START(self);
	for (i = 0; i < nr; i++) {
		self->role.cpu = cpus[i];
		recruit(_metadata, self, body);
	}
}

static void finish(struct __test_metadata *_metadata, struct _test_data_slow_rate *self)
{
	const struct feats *feats = self->role.feats;
	static struct stats stats;

	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(0, stats.s.stats[HTMM_STAT_SAMPLES]);
	TH_LOG("%llu samples, %llu batches, %lu rounds of readers, %lu targets",
	       stats.s.stats[HTMM_STAT_SAMPLES], stats.s.stats[HTMM_STAT_BATCHES], feats->reads,
	       feats->targets);
}

static time_t end(void)
{
	const char *text = getenv("SLOW_RATE_SECONDS");

	return time(NULL) + (text ? atoi(text) : SECONDS);
}

/* The rings are mostly empty, and ksampled checks them. */
TEST_F_TIMEOUT(slow_rate, alone, 1200)
{
	const time_t until = end();

	begin(_metadata, self, drip_slowly);
	while (time(NULL) < until)
		usleep(10000);
	finish(_metadata, self);
}

TEST_F_TIMEOUT(slow_rate, beside_readers, 1200)
{
	const struct feats *feats = self->role.feats;
	const time_t until = end();

	begin(_metadata, self, drip_fast);
	recruit(_metadata, self, role_read);
	recruit(_metadata, self, role_follow_stream);
	recruit(_metadata, self, role_change_targets);
	while (time(NULL) < until || !feats->reads || !feats->records || !feats->targets)
		usleep(10000);
	finish(_metadata, self);
}

/* Reads tables all the time. */
static int look_on(int sock, void *arg)
{
	struct role *role = arg;
	struct htmm_histogram hist;
	static struct pages pages;
	int fd = device_open();

	while (!device_hist(fd, HTMM_UNIT_PAGE, &hist) && !pages_read(fd, &pages)) {
		atomic_fetch_add(&role->feats->reads, 1);
	}
	return 1;
}

TEST_F_TIMEOUT(slow_rate, beside_one_who_looks_on, 1200)
{
	const struct feats *feats = self->role.feats;
	const time_t until = end();

	begin(_metadata, self, drip_on_few);
	recruit(_metadata, self, look_on);
	while (time(NULL) < until || !feats->reads)
		usleep(10000);
	finish(_metadata, self);
}
