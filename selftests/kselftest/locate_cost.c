// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to tell where pages are. Wants a machine whose clock counts instructions:
 *
 *	KSELFTEST_MACHINE='--icount 0 --cpus 1 --numa 1536M,512M' \
 *		selftests/kselftest/vm 6.12 900 locate_cost
 *
 * With memory for it (--numa 6G,512M) the lists are of a million pages.
 */
#include <sys/mman.h>
#include "check.h"
#include "child.h"

#define PAGES		(200UL << 10)
#define MANY_PAGES	(1000UL << 10)
#define A_TIME		65536
/* A sparse target: 100 GB, of which each 64 MiB have a page. */
#define SPARSE_BYTES	(100UL << 30)
#define SPARSE_STEP	(64UL << 20)
/* Longest time that the lock of an address space may be held, in nanoseconds. */
#define MOST_NS		300000
/* Most that finding its place may add for a page, in nanoseconds, in the order of the table. */
#define MOST_PLACE_NS	350

FIXTURE(locate_cost) {
	int fd;
	struct source source;
	struct request req;
};

FIXTURE_SETUP(locate_cost)
{
	ASSERT_LE(0, self->fd = device_open());
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(locate_cost) { check_closed(_metadata, self->fd); }

static double seconds(void)
{
	return now_ns() / 1e9;
}

/* The time of a whole list, per page in nanoseconds. */
static double list_time(struct __test_metadata *_metadata, int fd, __u32 order, __u32 flags,
			struct htmm_page *page, size_t *pages, size_t *known)
{
	struct htmm_list_pages arg = {
		.size = sizeof(arg),
		.flags = flags,
		.order = order,
		.pages = (uintptr_t)page,
		.page_size = sizeof(*page),
	};
	double began = seconds();
	__u32 i;

	*pages = 0;
	*known = 0;
	do {
		arg.nr_pages = A_TIME;
		ASSERT_EQ(0, device_ioctl(fd, HTMM_IOC_LIST_PAGES, &arg));
		*pages += arg.nr_pages;
		for (i = 0; i < arg.nr_pages && i < 64; i++)
			*known += page[i].node >= 0;
	} while (arg.nr_pages);
	return (seconds() - began) / *pages * 1e9;
}

/* Samples each page of an area once. */
static void sample_pages(struct __test_metadata *_metadata, struct _test_data_locate_cost *self,
			 size_t nr)
{
	char *mem = access_map(nr);

	ASSERT_NE(NULL, mem);
	self->req.arg.ring_pages = 256;
	self->req.arg.max_bytes = 64 << 20;
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	access_pages(&self->source, mem, nr, 1);
	ASSERT_EQ(0, device_stop(self->fd));
}

/* The time for the hottest pages of a node, in seconds. */
static double node_time(struct __test_metadata *_metadata, int fd, int node, __u32 *pages)
{
	struct htmm_page page[10];
	struct htmm_list_pages arg = {
		.size = sizeof(arg),
		.flags = HTMM_LIST_NODE,
		.order = HTMM_ORDER_HOTTEST,
		.node = node,
		.pages = (uintptr_t)page,
		.nr_pages = ARRAY_SIZE(page),
		.page_size = sizeof(page[0]),
		.min_samples = 1,
	};
	double began = seconds();

	ASSERT_EQ(0, device_ioctl(fd, HTMM_IOC_LIST_PAGES, &arg));
	*pages = arg.nr_pages;
	return seconds() - began;
}

/* The hottest pages of a node that has hardly any take no longer than those of another one. */
TEST_F_TIMEOUT(locate_cost, hottest_of_a_node, 900)
{
	double time[2];
	__u32 pages[2];
	int node;

	sample_pages(_metadata, self, PAGES);
	for (node = 0; node < 2; node++)
		time[node] = node_time(_metadata, self->fd, node, &pages[node]);
	TH_LOG("%u of node 0 in %.3f s, %u of node 1 in %.3f s", pages[0], time[0], pages[1],
	       time[1]);
	EXPECT_EQ(10, pages[0]);
	EXPECT_LT(time[1], 2 * time[0]);
}

/*
 * A list with placement takes less than twice as long as one without. In the order of the table,
 * that takes little, so it is what is added for a page that counts.
 */
TEST_F_TIMEOUT(locate_cost, lists, 900)
{
	struct htmm_page *page = calloc(A_TIME, sizeof(*page));
	size_t pages[2], known[2], nr = PAGES;
	double time[2], most;
	__u32 order;

	if (memory_available() > 5 * MANY_PAGES * PAGE / 4)
		nr = MANY_PAGES;
	ASSERT_NE(NULL, page);
	sample_pages(_metadata, self, nr);
	for (order = 0; order <= HTMM_ORDER_TABLE; order++) {
		time[0] = list_time(_metadata, self->fd, order, 0, page, &pages[0], &known[0]);
		time[1] = list_time(_metadata, self->fd, order, HTMM_LIST_PLACEMENT, page,
				    &pages[1], &known[1]);
		TH_LOG("order %u: %zu pages, %.0f ns a page without, %.0f with: %.2f times",
		       order, pages[1], time[0], time[1], time[1] / time[0]);
		EXPECT_EQ(pages[0], pages[1]);
		EXPECT_LT(nr * 9 / 10, pages[1]);
		EXPECT_EQ(0, known[0]);
		EXPECT_LT(0, known[1]);
		most = order == HTMM_ORDER_TABLE ? time[0] + MOST_PLACE_NS : 2 * time[0];
		EXPECT_LT(time[1], most);
	}
	free(page);
}

static void touch_sparse(void *arg)
{
	char *mem = arg;
	size_t at;

	for (at = 0; at < SPARSE_BYTES; at += SPARSE_STEP)
		mem[at]++;
	/* Some regions are full. */
	for (at = 0; at < 2048; at++)
		mem[at * PAGE] = 1;
}

/* A process of 100 GB is read in slices that hold its lock for a short time only. */
TEST_F_TIMEOUT(locate_cost, slices, 900)
{
	char *mem = access_reserve(SPARSE_BYTES);
	static struct placement placement;
	struct child child;
	double began;

	ASSERT_NE(NULL, mem);
	madvise(mem, SPARSE_BYTES, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, child_worker(&child, touch_sparse, mem));
	request_add_target(&self->req, child.pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	began = seconds();
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	began = seconds() - began;
	TH_LOG("%llu pages in %.3f s, longest lock %u ns",
	       placement.nodes[0].pages + placement.nodes[1].pages, began,
	       placement.s.longest_lock_ns);
	EXPECT_EQ(1, placement.s.spaces);
	EXPECT_LE(SPARSE_BYTES / SPARSE_STEP, placement.nodes[0].pages + placement.nodes[1].pages);
	EXPECT_LT(0, placement.s.longest_lock_ns);
	EXPECT_GT(MOST_NS, placement.s.longest_lock_ns);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

#define RESIDENT_PAGES	(256UL << 10)
/* Seconds for which looks for freed memory are watched, and the most that they may take. */
#define WATCHED		20
#define MOST_SHARE	0.002

/**
 * struct resident - memory that a process has and does not free
 * @mem: the memory
 * @pages: pages that are touched next, from the first one on
 */
struct resident {
	char *mem;
	size_t pages;
};

static void touch_resident(void *arg)
{
	struct resident *resident = arg;

	madvise(resident->mem, resident->pages * PAGE, MADV_DONTNEED);
	for (size_t i = 0; i < resident->pages; i++)
		resident->mem[i * PAGE] = 1;
}

/* Looks for freed memory take at most 0.1 % of a CPU, and less when there is less to look at. */
TEST_F_TIMEOUT(locate_cost, looks, 900)
{
	struct resident *resident = child_share(PAGE);
	double began, share, handlers;
	__u64 grown[HTMM_NR_STATS];
	static struct stats before, after;
	struct child child;
	int i;

	ASSERT_NE(NULL, resident);
	ASSERT_NE(NULL, resident->mem = access_reserve(RESIDENT_PAGES * PAGE));
	ASSERT_EQ(0, child_worker(&child, touch_resident, resident));
	self->req.arg.ring_pages = 256;
	self->req.arg.max_bytes = 64 << 20;
	request_add_target(&self->req, child.pid);
	ASSERT_START(self);
	resident->pages = RESIDENT_PAGES;
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_settle(self->fd));
	resident->pages = 1;
	ASSERT_EQ(0, stats_read(self->fd, &before));
	began = seconds();
	while (seconds() < began + WATCHED) {
		usleep(10000);
		ASSERT_EQ(0, child_do(&child));
	}
	ASSERT_EQ(0, stats_read(self->fd, &after));
	for (i = 0; i < HTMM_NR_STATS; i++)
		grown[i] = after.s.stats[i] - before.s.stats[i];
	share = grown[HTMM_STAT_DRAIN_NS] / 1e9 / WATCHED;
	handlers = grown[HTMM_STAT_HANDLER_NS] / 1e9 / WATCHED;
	TH_LOG("%llu samples, %.3f %% of a CPU for ksampled, %.3f %% for handlers; %llu freed",
	       grown[HTMM_STAT_SAMPLES], 100 * share, 100 * handlers,
	       after.s.stats[HTMM_STAT_FREED]);
	EXPECT_LT(share, MOST_SHARE);
	EXPECT_EQ(0, after.s.stats[HTMM_STAT_FREED]);
	ASSERT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}
