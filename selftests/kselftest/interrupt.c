// SPDX-License-Identifier: GPL-2.0
/* Calls that read much are ended by any signal, and by the freezer; nothing is lost. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include "cgroup.h"
#include "check.h"
#include "child.h"
#include "files.h"

/* A page in each region: a table of many parts, which are read one after the other. */
#define REGIONS		3000
/* On a kernel that checks itself, which is slow. */
#define FEW_REGIONS	800
#define BYTES		(REGIONS * REGION)
#define TRIES		400

static size_t regions;

FIXTURE(interrupt) {
	int fd;
	struct source source;
	struct request req;
	struct child child;
	char *mem;
};

static char *page_of(char *mem, size_t region)
{
	return mem + region * REGION + region * 7 % 512 * PAGE;
}

/* A page in each region; one in three is sampled twice. */
static void touch(void *arg)
{
	char *mem = arg;
	size_t i;

	for (i = 0; i < regions; i++) {
		*page_of(mem, i) = 1;
		if (i % 3)
			continue;
		madvise(page_of(mem, i), PAGE, MADV_DONTNEED);
		*page_of(mem, i) = 2;
	}
}

static void no_op(int signal)
{
}

FIXTURE_SETUP(interrupt)
{
	const struct sigaction action = { .sa_handler = no_op };

	regions = kernel_checks_itself() ? FEW_REGIONS : REGIONS;
	ASSERT_LE(0, self->fd = device_open());
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	check_idle(_metadata);
	ASSERT_NE(NULL, self->mem = access_reserve(BYTES));
	/* Not SA_RESTART: the call returns EINTR. */
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, child_worker(&self->child, touch, self->mem));
	request_add_target(&self->req, self->child.pid);
	self->req.arg.ring_pages = 128;
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&self->child));
	ASSERT_EQ(0, device_stop(self->fd));
}

FIXTURE_TEARDOWN(interrupt)
{
	EXPECT_EQ(128 + SIGKILL, child_kill(&self->child));
	close(self->fd);
	check_idle(_metadata);
}

static long microseconds(void)
{
	return now_ns() / 1000;
}

/* A signal comes after so many microseconds; 0: none does. */
static void alarm_after(long us)
{
	const struct itimerval when = {
		.it_value = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 },
	};

	setitimer(ITIMER_REAL, &when, NULL);
}

/**
 * struct listing - a list that is read with many calls
 * @arg: the request
 * @page: what was listed
 * @nr: how much
 * @failed: calls that a signal ended
 * @cut: calls that returned fewer elements than there was room for, with more to come
 */
struct listing {
	struct htmm_list_pages arg;
	struct htmm_page page[2 * REGIONS];
	size_t nr;
	int failed;
	int cut;
};

/*
 * Reads a whole list. @us: a signal comes after each time that long. The same call again does
 * what it would have done.
 */
static void read_list(struct __test_metadata *_metadata, int fd, struct listing *list, long us)
{
	__u32 room;
	bool less;
	int ret;

	list->nr = 0;
	list->failed = 0;
	list->cut = 0;
	list->arg.size = sizeof(list->arg);
	list->arg.page_size = sizeof(list->page[0]);
	memset(list->arg.cursor, 0, sizeof(list->arg.cursor));
	for (less = false; ; ) {
		room = 2 * REGIONS - list->nr;
		list->arg.nr_pages = room;
		list->arg.pages = (uintptr_t)&list->page[list->nr];
		alarm_after(us);
		ret = device_ioctl(fd, HTMM_IOC_LIST_PAGES, &list->arg);
		alarm_after(0);
		/* Each signal later than the last, so that this ends. */
		us += us / 2;
		if (ret == -EINTR) {
			ASSERT_EQ(room, list->arg.nr_pages);
			list->failed++;
			continue;
		}
		ASSERT_EQ(0, ret);
		if (!list->arg.nr_pages)
			break;
		list->cut += less;
		less = list->arg.nr_pages < room;
		list->nr += list->arg.nr_pages;
		ASSERT_LE(list->nr, regions);
	}
}

/* A list is the same, however often a signal ends a call. */
static void check_list(struct __test_metadata *_metadata, FIXTURE_DATA(interrupt) *self,
		       struct htmm_list_pages request)
{
	struct listing *whole = calloc(1, sizeof(*whole)), *parts = calloc(1, sizeof(*parts));
	bool by_count = request.order != HTMM_ORDER_TABLE;
	int tries, failed = 0, cut = 0;
	long us;

	ASSERT_NE(NULL, whole);
	ASSERT_NE(NULL, parts);
	request.start = (uintptr_t)self->mem;
	request.end = (uintptr_t)self->mem + BYTES;
	whole->arg = request;
	parts->arg = request;
	us = microseconds();
	read_list(_metadata, self->fd, whole, 0);
	us = microseconds() - us;
	ASSERT_EQ(regions, whole->nr);
	EXPECT_EQ(0, whole->failed);
	for (tries = 0; tries < TRIES && !(by_count ? failed : cut); tries++) {
		read_list(_metadata, self->fd, parts, 2 + us * (tries % 10 + 1) / 16);
		failed += parts->failed;
		cut += parts->cut;
		ASSERT_EQ(whole->nr, parts->nr);
		ASSERT_EQ(0, memcmp(whole->page, parts->page, whole->nr * sizeof(whole->page[0])));
	}
	TH_LOG("flags %u, order %u: %ld us; %d failed and %d cut in %d tries", request.flags,
	       request.order, us, failed, cut, tries);
	/* By count, a part is not the beginning of the list. */
	EXPECT_EQ(by_count, !cut);
	if (by_count)
		EXPECT_LT(0, failed);
	free(whole);
	free(parts);
}

TEST_F(interrupt, hottest)
{
	check_list(_metadata, self, (struct htmm_list_pages) { .min_samples = 1 });
}

TEST_F(interrupt, hottest_with_places)
{
	check_list(_metadata, self, (struct htmm_list_pages) {
		.flags = HTMM_LIST_PLACEMENT, .min_samples = 1 });
}

TEST_F(interrupt, table)
{
	check_list(_metadata, self, (struct htmm_list_pages) { .order = HTMM_ORDER_TABLE });
}

TEST_F(interrupt, table_with_places)
{
	check_list(_metadata, self, (struct htmm_list_pages) {
		.order = HTMM_ORDER_TABLE, .flags = HTMM_LIST_PLACEMENT });
}

TEST_F(interrupt, node)
{
	check_list(_metadata, self, (struct htmm_list_pages) {
		.order = HTMM_ORDER_TABLE, .flags = HTMM_LIST_NODE });
}

TEST_F(interrupt, resident)
{
	check_list(_metadata, self, (struct htmm_list_pages) {
		.order = HTMM_ORDER_TABLE, .flags = HTMM_LIST_RESIDENT });
}

TEST_F(interrupt, coldest)
{
	check_list(_metadata, self, (struct htmm_list_pages) {
		.order = HTMM_ORDER_COLDEST, .flags = HTMM_LIST_RESIDENT });
}

/* Repeats a call with a signal that comes at another time each time, until it ends the call. */
static int call_until_interrupted(int fd, int (*call)(int fd))
{
	long us = microseconds();
	int tries, ret = call(fd);

	us = microseconds() - us;
	for (tries = 0; !ret && tries < TRIES; tries++) {
		alarm_after(1 + us * (tries % 10) / 10);
		ret = call(fd);
		alarm_after(0);
	}
	return ret;
}

static int placement_call(int fd)
{
	static struct placement placement;

	return device_placement(fd, 0, &placement);
}

static int hit_ratio_call(int fd)
{
	struct htmm_hit_ratio ratio;

	return device_hit_ratio(fd, HTMM_UNIT_PAGE, 0, &ratio);
}

TEST_F(interrupt, placement)
{
	EXPECT_EQ(-EINTR, call_until_interrupted(self->fd, placement_call));
	EXPECT_EQ(0, placement_call(self->fd));
}

TEST_F(interrupt, hit_ratio)
{
	EXPECT_EQ(-EINTR, call_until_interrupted(self->fd, hit_ratio_call));
	EXPECT_EQ(0, hit_ratio_call(self->fd));
}

/* Lists and sums up until it is killed; counts the calls that were ended before their end. */
static int keep_reading(int sock, void *arg)
{
	volatile int *interrupted = arg;
	struct htmm_page *page = calloc(REGIONS, sizeof(*page));
	int fd = device_open(), ret = 0;

	if (!page || fd < 0 || child_post(sock))
		return 1;
	while (!ret || ret == -EINTR) {
		struct htmm_list_pages arg = { LIST_ROOM(page, REGIONS), .min_samples = 1 };

		ret = device_ioctl(fd, HTMM_IOC_LIST_PAGES, &arg);
		*interrupted += ret == -EINTR;
	}
	return 1;
}

static bool wait_frozen(const struct cgroup *cgroup, int frozen)
{
	char path[300], text[64] = "", want[16];
	time_t end = time(NULL) + 60;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.events", cgroup->path);
	snprintf(want, sizeof(want), "frozen %d", frozen);
	while (!strstr(text, want) && time(NULL) < end) {
		usleep(1000);
		fd = open(path, O_RDONLY);
		len = read(fd, text, sizeof(text) - 1);
		text[len < 0 ? 0 : len] = '\0';
		close(fd);
	}
	return strstr(text, want);
}

/* A cgroup is frozen while a call runs, and not when it has ended. */
TEST_F(interrupt, freezer)
{
	volatile int *interrupted = child_share(PAGE);
	struct cgroup cgroup;
	struct child reader;
	char freeze[300];
	int tries;

	ASSERT_NE(NULL, interrupted);
	ASSERT_EQ(0, cgroup_make(&cgroup, NULL, "frozen"));
	snprintf(freeze, sizeof(freeze), "%s/cgroup.freeze", cgroup.path);
	ASSERT_EQ(0, child_start(&reader, keep_reading, (void *)interrupted));
	ASSERT_EQ(0, child_await(reader.sock));
	ASSERT_EQ(0, cgroup_enter(&cgroup, reader.pid));
	for (tries = 0; tries < 50 && !*interrupted; tries++) {
		usleep(1000 * (tries % 10));
		ASSERT_EQ(0, file_write(freeze, "1"));
		ASSERT_TRUE(wait_frozen(&cgroup, 1));
		ASSERT_EQ(0, file_write(freeze, "0"));
		ASSERT_TRUE(wait_frozen(&cgroup, 0));
		/* It takes up where it was. */
		usleep(20000);
	}
	EXPECT_LT(0, *interrupted);
	EXPECT_EQ(128 + SIGKILL, child_kill(&reader));
	EXPECT_EQ(0, cgroup_remove(&cgroup));
}
