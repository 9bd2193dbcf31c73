// SPDX-License-Identifier: GPL-2.0
/*
 * The module is removed at any moment, and leaves nothing: no session, no memory, no report
 * in the kernel's log. HTMM_KO names the module to load again.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include "check.h"
#include "child.h"
#include "files.h"

#define PAGES		64
#define MAX_CPUS	1024
#define MAX_HAMMERS	4
#define CYCLES		100
/* No more than these where the kernel checks itself: kmemleak finds what leaks once. */
#define WARM_UP		20
#define CALLS		220
/*
 * The rounds that are watched are STRETCHES of the same length. The kernel's own caches grow
 * now and then; what leaks grows in each stretch. So the least growth of all is what counts:
 * less than 1 KiB a round. A session allocates its struct of 8 KiB, and a channel of about
 * 1 KiB for each CPU. Rings and tables are not slab memory.
 */
#define STRETCHES	4

FIXTURE(unload) {
	int fd;
	int log;
	char module[512];
	struct source source;
	struct request req;
	void *mem;
};

FIXTURE_SETUP(unload)
{
	if (!module_find(self->module, sizeof(self->module)))
		SKIP(return, "HTMM_KO does not say which module to load again");
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->log);
	lseek(self->log, 0, SEEK_END);
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

/* The kernel has reported nothing since the log was opened. */
static void check_log(struct __test_metadata *_metadata, int log)
{
	static const char * const reports[] = {
		"WARNING:", "BUG:", "Oops", "refcount_t:", "KASAN:", "UBSAN:",
		"possible circular", "suspicious RCU", "unable to handle",
	};
	char line[8192];
	ssize_t n;
	size_t i;

	while ((n = read(log, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		line[n > 0 ? n : 0] = '\0';
		errno = 0;
		for (i = 0; i < ARRAY_SIZE(reports); i++) {
			EXPECT_EQ(NULL, strstr(line, reports[i])) {
				TH_LOG("%s", line);
			}
		}
	}
}

FIXTURE_TEARDOWN(unload)
{
	close(self->fd);
	/* The next test must find the module, whatever happened. */
	module_load(self->module);
	check_idle(_metadata);
	check_log(_metadata, self->log);
	close(self->log);
}

TEST_F(unload, refused_while_open)
{
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	ASSERT_START(self);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	close(self->fd);
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(-ENOENT, device_open());
	EXPECT_NE(0, access("/sys/kernel/debug/htmm", F_OK));
	EXPECT_EQ(0, module_load(self->module));
	self->fd = device_open();
	EXPECT_LE(0, self->fd);
}

static int work(int sock, void *arg)
{
	struct _test_data_unload *self = arg;

	close(self->fd);
	child_post(sock);
	/* Samples at any moment; more than these would take the CPU from what is tested. */
	for (;;) {
		access_pages(&self->source, self->mem, PAGES, 50);
		usleep(200);
	}
	return 0;
}

/* Programs that are sampled all the time, one on each CPU. */
static int hammers_start(struct _test_data_unload *self, struct child *hammers)
{
	int cpus[MAX_CPUS], nr = cpus_allowed(cpus, MAX_CPUS), i;

	for (i = 0; i < nr && i < MAX_HAMMERS; i++) {
		cpu_pin(cpus[i]);
		if (child_start(&hammers[i], work, self) || child_await(hammers[i].sock))
			break;
	}
	cpu_pin(cpus[0]);
	return i;
}

TEST_F(unload, stops_a_detached_session)
{
	struct child hammers[MAX_HAMMERS];
	int nr = hammers_start(self, hammers);
	struct htmm_info info;
	static struct stats stats;
	__u64 seen;

	self->req.arg.flags = HTMM_START_DETACHED;
	ASSERT_START(self);
	close(self->fd);
	ASSERT_LE(0, self->fd = device_open());
	/* It goes on without the file. */
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	seen = stats.s.total.overflows;
	ASSERT_SOON(!stats_read(self->fd, &stats) && stats.s.total.overflows > seen + 1);
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	close(self->fd);
	EXPECT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(self->module));
	self->fd = device_open();
	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(HTMM_STATE_IDLE, info.state);
	EXPECT_EQ(0, info.session);
	while (nr--)
		child_kill(&hammers[nr]);
}

/* Slab memory in use, after the caches have freed the rest. */
static long slab_in_use(void)
{
	/* Let deferred frees finish first: longer than a grace period. */
	usleep(500000);
	if (file_write("/proc/sys/vm/drop_caches", "3"))
		perror("drop_caches");
	return file_value("/proc/meminfo", "SUnreclaim");
}

static void start_and_end(struct __test_metadata *_metadata, struct _test_data_unload *self, int nr)
{
	static struct stats stats;

	ASSERT_EQ(0, device_start(self->fd, &self->req)) {
		TH_LOG("cycle %d: %s", nr, self->req.error);
	}
	usleep(1000 * (nr % 5));
	if (nr % 2) {
		ASSERT_EQ(0, device_stop(self->fd));
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	}
	close(self->fd);
	ASSERT_LE(0, self->fd = device_open());
}

/* Many rounds, of which the slab caches keep nothing. */
static void repeat(struct __test_metadata *_metadata, struct _test_data_unload *self,
		   void (*once)(struct __test_metadata *, struct _test_data_unload *, int),
		   int rounds)
{
	int i, n, stretch = (rounds - WARM_UP) / STRETCHES;
	long slab, before, least = LONG_MAX;

	for (i = 0; i < WARM_UP; i++)
		once(_metadata, self, i);
	if (kernel_checks_itself())
		return;
	before = slab_in_use();
	for (n = 0; n < STRETCHES; n++) {
		for (i = 0; i < stretch; i++)
			once(_metadata, self, i);
		slab = slab_in_use();
		TH_LOG("slab memory grew by %ld KiB in %d rounds", slab - before, stretch);
		if (slab - before < least)
			least = slab - before;
		before = slab;
	}
	EXPECT_GT(stretch, least);
}

/* Each call that allocates something, those that change the session twice, there and back. */
static void all_calls(struct __test_metadata *_metadata, struct _test_data_unload *self, int nr)
{
	static const struct htmm_list_pages lists[] = {
		{ .order = HTMM_ORDER_HOTTEST, .flags = HTMM_LIST_PLACEMENT },
		{ .order = HTMM_ORDER_COLDEST, .flags = HTMM_LIST_RESIDENT },
		{ .order = HTMM_ORDER_TABLE, .unit = HTMM_UNIT_REGION },
	};
	static struct placement placement;
	struct htmm_target_info targets[HTMM_MAX_TARGETS];
	struct htmm_hit_ratio ratio;
	struct htmm_histogram hist;
	struct served served;
	static struct pages pages;
	unsigned int i;
	int number;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		ASSERT_EQ(0, pages_list(self->fd, &lists[i], PAGES, &pages));
	}
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	ASSERT_EQ(0, device_hit_ratio(self->fd, HTMM_UNIT_PAGE, 0, &ratio));
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_REGION, &hist));
	ASSERT_EQ(0, device_served(self->fd, 0, &served));
	number = device_add_target(self->fd, HTMM_TARGET_TGID, getppid());
	ASSERT_LT(0, number);
	ASSERT_EQ(2, device_targets(self->fd, targets));
	ASSERT_EQ(0, device_remove_target(self->fd, number));
	ASSERT_EQ(0, device_set_capacity(self->fd, 0, PAGES));
	ASSERT_EQ(0, device_cool(self->fd, 0));
}

TEST_F(unload, calls_leave_nothing)
{
	request_add_target(&self->req, getpid());
	self->req.arg.flags |= HTMM_START_SERVED;
	self->req.arg.sample_type = PERF_SAMPLE_DATA_SRC;
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, self->source.event.period);
	ASSERT_EQ(0, device_settle(self->fd));
	repeat(_metadata, self, all_calls, CALLS);
	ASSERT_EQ(0, device_stop(self->fd));
}

TEST_F(unload, cycles_under_load)
{
	struct child hammers[MAX_HAMMERS];
	int nr = hammers_start(self, hammers);
	int events = source_events(&self->source);

	ASSERT_LT(0, nr);
	repeat(_metadata, self, start_and_end, CYCLES);
	EXPECT_EQ(0, module_areas());
	ASSERT_START(self);
	EXPECT_LT(0, module_areas());
	close(self->fd);
	self->fd = device_open();
	EXPECT_EQ(events, source_events(&self->source));
	while (nr--)
		child_kill(&hammers[nr]);

	close(self->fd);
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load(self->module));
	self->fd = device_open();
	EXPECT_LE(0, self->fd);
}
