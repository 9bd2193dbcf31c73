// SPDX-License-Identifier: GPL-2.0
/* HTMM_IOC_LIST_PAGES: orders, filters, cursors, and full listings beside samples. */
#include <pthread.h>
#include <stdatomic.h>
#include "check.h"
#include "child.h"

#define PAGES		1024
#define MAPPED		(3 * PAGES)
#define MANY_PAGES	(1UL << 14)
/* Room for twice as many records, of at most 64 bytes. */
#define RING_PAGES	(2 * MANY_PAGES * 64 / PAGE)

FIXTURE(list) {
	int fd;
	struct source source;
	struct request req;
	char *mem;	/* start of a region: MAPPED pages */
};

FIXTURE_SETUP(list)
{
	ASSERT_LE(0, self->fd = device_open());
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	/* Every fault counts: a ring holds all, even if ksampled gets no CPU meanwhile. */
	self->req.arg.ring_pages = RING_PAGES;
	/* Nothing is forgotten when other pages become hot. */
	self->req.arg.cooling_period = INT64_MAX;
	ASSERT_NE(NULL, self->mem = access_map(MAPPED + REGION / PAGE));
	self->mem += -(uintptr_t)self->mem & (REGION - 1);
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(list) { check_closed(_metadata, self->fd); }

/* Page i of the first eight has i + 1 samples, each other page one. */
static void sample(struct __test_metadata *_metadata, FIXTURE_DATA(list) *self)
{
	int i;

	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, 1);
	for (i = 1; i < 8; i++)
		access_pages(&self->source, self->mem + i * PAGE, 1, i);
	ASSERT_EQ(0, device_settle(self->fd));
}

static bool at(const struct htmm_page *page, const char *mem, unsigned long pages)
{
	return page->addr - (uintptr_t)mem < pages * PAGE;
}

/* The pages at @mem are listed, none of them twice. */
static void check_each_once(struct __test_metadata *_metadata, const struct pages *pages,
			    const char *mem, unsigned long nr)
{
	unsigned char *times = calloc(nr, 1);
	size_t i;

	ASSERT_NE(NULL, times);
	for (i = 0; i < pages->nr; i++)
		if (at(&pages->page[i], mem, nr))
			times[(pages->page[i].addr - (uintptr_t)mem) / PAGE]++;
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(1, times[i]) {
			TH_LOG("page %zu", i);
		}
	}
	free(times);
}

/* Computes the histogram from a list of all tracked pages and compares. */
static void check_sum(struct __test_metadata *_metadata, int fd,
		      const struct pages *pages, enum htmm_unit unit)
{
	__u64 bins[HTMM_NR_BINS] = {};
	struct htmm_histogram hist;
	size_t i;

	ASSERT_EQ(0, device_hist(fd, unit, &hist));
	for (i = 0; i < pages->nr; i++) {
		ASSERT_LT(pages->page[i].bin, HTMM_NR_BINS);
		bins[pages->page[i].bin]++;
		EXPECT_EQ(HTMM_NODE_UNKNOWN, pages->page[i].node);
		EXPECT_EQ(HTMM_MAPPING_UNKNOWN, pages->page[i].mapping_shift);
		EXPECT_EQ(pages->page[i].bin >= hist.hot_threshold,
			  !!(pages->page[i].flags & HTMM_PAGE_HOT));
	}
	EXPECT_EQ(hist.pages, pages->nr);
	for (i = 0; i < HTMM_NR_BINS; i++) {
		EXPECT_EQ(hist.bins[i], bins[i]) {
			TH_LOG("bin %zu", i);
		}
	}
}

TEST_F(list, adds_up_to_the_histogram)
{
	struct htmm_list_pages request = {};
	static struct pages pages;
	int cools;

	sample(_metadata, self);
	ASSERT_EQ(0, device_stop(self->fd));
	for (cools = 0; cools < 3; cools++) {
		for (request.unit = 0; request.unit <= HTMM_UNIT_REGION; request.unit++) {
			for (request.order = 0; request.order <= HTMM_ORDER_TABLE;
			     request.order++) {
				ASSERT_EQ(0, pages_list(self->fd, &request, 100, &pages));
				check_sum(_metadata, self->fd, &pages, request.unit);
			}
		}
		/* Regions with a count of zero are listed until they are visited. */
		ASSERT_EQ(0, device_cool(self->fd, 0));
	}
}

TEST_F(list, orders)
{
	struct htmm_list_pages request = { .min_samples = 1 };
	static struct pages hottest, coldest;
	size_t i;

	sample(_metadata, self);
	ASSERT_EQ(0, device_stop(self->fd));
	request.order = HTMM_ORDER_HOTTEST;
	ASSERT_EQ(0, pages_list(self->fd, &request, 64, &hottest));
	request.order = HTMM_ORDER_COLDEST;
	ASSERT_EQ(0, pages_list(self->fd, &request, 64, &coldest));
	ASSERT_EQ(hottest.nr, coldest.nr);
	ASSERT_LE(PAGES, hottest.nr);
	for (i = 1; i < hottest.nr; i++) {
		EXPECT_LE(hottest.page[i].samples, hottest.page[i - 1].samples);
		EXPECT_GE(coldest.page[i].samples, coldest.page[i - 1].samples);
	}
	EXPECT_EQ(8, hottest.page[0].samples);
	EXPECT_EQ((uintptr_t)self->mem + 7 * PAGE, hottest.page[0].addr);
	EXPECT_EQ(8, coldest.page[coldest.nr - 1].samples);
}

/* The list has @count pages, all within the @pages from @mem on. */
static void check_filter(struct __test_metadata *_metadata, int fd,
			 struct htmm_list_pages request, const char *mem,
			 unsigned long pages, size_t count)
{
	static struct pages list;
	size_t i;

	for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
		ASSERT_EQ(0, pages_list(fd, &request, 50, &list));
		EXPECT_EQ(count, list.nr) {
			TH_LOG("order %u", request.order);
		}
		for (i = 0; i < list.nr; i++)
			EXPECT_TRUE(at(&list.page[i], mem, pages));
	}
}

TEST_F(list, filters)
{
	struct htmm_list_pages range = {
		.start = (uintptr_t)self->mem,
		.end = (uintptr_t)self->mem + PAGES * PAGE,
	}, request;

	sample(_metadata, self);
	ASSERT_EQ(0, device_stop(self->fd));
	check_filter(_metadata, self->fd, range, self->mem, PAGES, PAGES);
	/* The first and the last byte of the range decide. */
	request = range;
	request.start = (uintptr_t)self->mem + 100 * PAGE - 1;
	request.end = (uintptr_t)self->mem + 110 * PAGE + 1;
	check_filter(_metadata, self->fd, request, self->mem + 99 * PAGE, 12, 12);
	request.unit = HTMM_UNIT_REGION;
	check_filter(_metadata, self->fd, request, self->mem, 1, 1);
	request.start = (uintptr_t)self->mem + REGION - 1;
	request.end = request.start + 2;
	check_filter(_metadata, self->fd, request, self->mem, 513, 2);
	request = range;
	request.min_samples = 3;
	request.max_samples = 5;
	check_filter(_metadata, self->fd, request, self->mem + 2 * PAGE, 3, 3);
	request.max_samples = 0;
	check_filter(_metadata, self->fd, request, self->mem + 2 * PAGE, 6, 6);
	request = range;
	request.pid = getpid();
	check_filter(_metadata, self->fd, request, self->mem, PAGES, PAGES);
	request.pid = 1;
	check_filter(_metadata, self->fd, request, self->mem, PAGES, 0);
	request = range;
	request.target = 1;
	check_filter(_metadata, self->fd, request, self->mem, PAGES, PAGES);
}

static int touch_some(int sock, void *arg)
{
	FIXTURE_DATA(list) *self = arg;

	access_pages(&self->source, self->mem + PAGES * PAGE, 10, 1);
	return 0;
}

/* Two processes in one target; one of them has exited. */
TEST_F(list, one_process_of_several)
{
	struct htmm_list_pages request = {
		.start = (uintptr_t)self->mem,
		.end = (uintptr_t)self->mem + 2 * PAGES * PAGE,
	};
	struct child child;
	pid_t pid;

	self->req.arg.flags = HTMM_START_KEEP_EXITED;
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, 1);
	ASSERT_EQ(0, child_start(&child, touch_some, self));
	pid = child.pid;
	ASSERT_EQ(0, child_join(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	request.pid = pid;
	check_filter(_metadata, self->fd, request, self->mem + PAGES * PAGE, 10, 10);
	request.pid = getpid();
	check_filter(_metadata, self->fd, request, self->mem, PAGES, PAGES);
}

/* Regions of which each of two targets has sampled a page. */
#define COMMON		64

/**
 * struct common - what a child samples
 * @source: tells how
 * @mem: a page in each region
 */
struct common {
	struct source source;
	char *mem;
};

static void touch_common(const struct common *common, size_t rounds)
{
	size_t i;

	for (i = 0; i < COMMON; i++)
		access_pages(&common->source, common->mem + i * REGION, 1, rounds);
}

static void touch_common_twice(void *arg)
{
	touch_common(arg, 2);
}

/* Two targets have the same pages, with other counts: each page of each is listed once. */
TEST_F(list, two_targets)
{
	struct htmm_list_pages request = { .min_samples = 1 };
	struct common common = { .source = self->source };
	static struct pages pages;
	unsigned int listed[3];
	struct child child;
	size_t i, a_time;

	ASSERT_NE(NULL, common.mem = access_reserve(COMMON * REGION));
	ASSERT_EQ(0, child_worker(&child, touch_common_twice, &common));
	request_add_target(&self->req, getpid());
	request_add_target(&self->req, child.pid);
	ASSERT_START(self);
	touch_common(&common, 1);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	for (a_time = 3; a_time < 3 * COMMON; a_time *= 4) {
		for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
			memset(listed, 0, sizeof(listed));
			ASSERT_EQ(0, pages_list(self->fd, &request, a_time, &pages));
			for (i = 0; i < pages.nr; i++) {
				if (!at(&pages.page[i], common.mem, COMMON * REGION / PAGE))
					continue;
				ASSERT_LE(pages.page[i].target, 2);
				EXPECT_EQ(pages.page[i].target, pages.page[i].samples);
				listed[pages.page[i].target]++;
			}
			EXPECT_EQ(COMMON, listed[1]);
			EXPECT_EQ(COMMON, listed[2]) {
				TH_LOG("order %u, %zu at a time", request.order, a_time);
			}
		}
	}
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

TEST_F(list, what_is_refused)
{
	struct htmm_page page;
	const struct htmm_list_pages right = { LIST_ROOM(&page, 1) };
	struct htmm_list_pages list;

#define refused(error, member, value) do {				\
	list = right;							\
	list.member = (value);						\
	EXPECT_EQ(-(error), device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list)) { \
		TH_LOG("%s", #member);					\
	}								\
} while (0)

	sample(_metadata, self);
	refused(EOPNOTSUPP, flags, 16);
	refused(EOPNOTSUPP, unit, HTMM_UNIT_REGION + 1);
	refused(EOPNOTSUPP, order, HTMM_ORDER_TABLE + 1);
	refused(EINVAL, nr_pages, 0);
	refused(EINVAL, page_size, sizeof(page) - 1);
	refused(E2BIG, page_size, 4097);
	refused(EFAULT, pages, 0);
	refused(ENOENT, target, 2);
	refused(ESTALE, session, self->req.arg.session + 1);
	list = right;
	list.start = 2 * PAGE;
	list.end = 2 * PAGE;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));
	list = right;
	list.min_samples = 3;
	list.max_samples = 2;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));

	/* A cursor is valid only with its list. */
	list = right;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));
	ASSERT_EQ(1, list.nr_pages);
	list.order = HTMM_ORDER_TABLE;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));
	list.order = HTMM_ORDER_HOTTEST;
	list.unit = HTMM_UNIT_REGION;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));
	list.unit = HTMM_UNIT_PAGE;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));

	/* And with its session, even if another one has tracked the same pages. */
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &list));
}

static atomic_bool done;

static void *keep_sampling(void *arg)
{
	FIXTURE_DATA(list) *self = arg;
	char *other = self->mem + 2 * PAGES * PAGE;

	while (!atomic_load(&done)) {
		access_pages(&self->source, other, PAGES, 1);
		access_pages(&self->source, self->mem, PAGES, 1);
	}
	return NULL;
}

/*
 * While pages are sampled, cooled and evicted, all are listed: those that are sampled all
 * the time are listed exactly once, and none twice.
 */
static void list_beside_samples(struct __test_metadata *_metadata, FIXTURE_DATA(list) *self)
{
	struct htmm_list_pages request = { .order = HTMM_ORDER_TABLE };
	static struct pages pages;
	pthread_t thread;
	int round;

	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, 8);
	ASSERT_EQ(0, device_settle(self->fd));
	atomic_store(&done, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, keep_sampling, self));
	for (round = 0; round < 5; round++) {
		ASSERT_EQ(0, pages_list(self->fd, &request, 37, &pages));
		check_each_once(_metadata, &pages, self->mem, PAGES);
		/* Fewer halvings than cool a page to zero, after which it may be evicted. */
		if (round % 2)
			ASSERT_EQ(0, device_cool(self->fd, 0));
	}
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, device_stop(self->fd));
}

TEST_F(list, each_page_once_beside_samples)
{
	list_beside_samples(_metadata, self);
}

/* More regions than a list goes through at once; what is listed is compared when it stops. */
TEST_F(list, many_regions)
{
	const size_t regions = 700;
	struct htmm_list_pages request = {};
	static struct pages pages;
	char *mem;
	size_t i;

	ASSERT_NE(NULL, mem = access_reserve(regions * REGION));
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	for (i = 0; i < regions; i++)
		access_pages(&self->source, mem + i * REGION, 1, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_list(self->fd, &request, 1000, &pages));
	EXPECT_EQ(regions, pages_samples(&pages, getpid(), mem, regions * REGION));
	check_sum(_metadata, self->fd, &pages, HTMM_UNIT_PAGE);
}

/* More pages than the table goes through at a time: each is listed once, in two calls. */
TEST_F(list, many_pages)
{
	struct htmm_list_pages request = { .order = HTMM_ORDER_TABLE };
	const __u32 a_time = MANY_PAGES - 1000;
	char *mem = access_map(MANY_PAGES);
	static struct pages pages;

	ASSERT_NE(NULL, mem);
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	access_pages(&self->source, mem, MANY_PAGES, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_list(self->fd, &request, a_time, &pages));
	/* This program has some faults of its own, too. */
	EXPECT_LT(a_time, pages.nr);
	EXPECT_GT(2 * a_time, pages.nr);
	check_each_once(_metadata, &pages, mem, MANY_PAGES);
	check_sum(_metadata, self->fd, &pages, HTMM_UNIT_PAGE);
}
