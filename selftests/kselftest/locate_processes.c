// SPDX-License-Identifier: GPL-2.0
/* Where the pages of other processes are, one by one and summed up: HTMM_IOC_GET_PLACEMENT. */
#include <fcntl.h>
#include "locate.h"

/**
 * struct twin - one of two processes with the same addresses
 * @source: what it is sampled by
 * @mem: TWIN_PAGES pages
 * @node: where its own pages are
 */
struct twin {
	const struct source *source;
	char *mem;
	int node;
};

#define TWIN_PAGES	20

static void twin_work(void *arg)
{
	struct twin *twin = arg;

	access_bind(twin->mem, TWIN_PAGES * PAGE, twin->node);
	access_kept(twin->source, twin->mem, TWIN_PAGES, 3);
}

/* One target with two processes: each page is where that process has it. */
TEST_F(locate, same_addresses)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	struct twin twin[2];
	struct child child[2];
	static struct pages list;
	size_t i, on[2];
	int n;

	self->req.arg.nr_targets = 0;
	ASSERT_START(self);
	for (n = 0; n < 2; n++) {
		twin[n] = (struct twin) { &self->source, self->mem, n };
		ASSERT_EQ(0, child_worker(&child[n], twin_work, &twin[n]));
		ASSERT_EQ(0, child_do(&child[n]));
	}
	ASSERT_EQ(0, device_stop(self->fd));
	for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
		list_area(_metadata, self->fd, request, self->mem, TWIN_PAGES * PAGE, 7, &list);
		memset(on, 0, sizeof(on));
		for (i = 0; i < list.nr; i++) {
			n = list.page[i].pid == (__u32)child[1].pid;
			EXPECT_EQ(child[n].pid, list.page[i].pid);
			EXPECT_EQ(n, list.page[i].node);
			on[n]++;
		}
		EXPECT_EQ(TWIN_PAGES, on[0]);
		EXPECT_EQ(TWIN_PAGES, on[1]);
	}
	/* A list of what is in memory goes on in one process, and begins anew in the next. */
	request.flags = HTMM_LIST_RESIDENT;
	request.order = HTMM_ORDER_TABLE;
	list_area(_metadata, self->fd, request, self->mem, TWIN_PAGES * PAGE, 7, &list);
	EXPECT_EQ(2 * TWIN_PAGES, list.nr);
	for (n = 0; n < 2; n++)
		EXPECT_EQ(128 + SIGKILL, child_kill(&child[n]));
}

/**
 * struct victim - a process with memory on both nodes
 * @source: what it is sampled by
 * @mem: PAGES pages: the first region is on node 0, the others are on node 1
 * @sampled: pages on node 1 that have samples
 */
struct victim {
	const struct source *source;
	char *mem;
	size_t sampled;
};

static void victim_work(void *arg)
{
	struct victim *victim = arg;

	access_pages(victim->source, victim->mem + REGION, victim->sampled, 1);
}

/* Maps and touches all before it is sampled. */
static int victim_begin(struct child *child, struct victim *victim, void (*work)(void *))
{
	if (access_bind(victim->mem, REGION, 0) ||
	    access_bind(victim->mem + REGION, (REGIONS - 1) * REGION, 1))
		return -errno;
	memset(victim->mem, 1, PAGES * PAGE);
	return child_worker(child, work, victim);
}

static int victim_start(struct child *child, struct victim *victim)
{
	return victim_begin(child, victim, victim_work);
}

/* What a sampler cannot see: those never sampled come first, then the others. */
TEST_F(locate, coldest)
{
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE,
		.order = HTMM_ORDER_COLDEST,
		.node = 1,
	};
	struct victim victim = { &self->source, self->mem, 40 };
	unsigned long pages[MAX_NODES] = {}, zeroes;
	struct child child;
	static struct pages list, other;
	size_t i;

	ASSERT_EQ(0, victim_start(&child, &victim));
	start(_metadata, self, child.pid);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));

	ASSERT_EQ(0, nodes_by_maps(child.pid, pages));
	ASSERT_LE((REGIONS - 1) * REGION_PAGES, pages[1]);
	ASSERT_EQ(0, pages_list(self->fd, &request, 77, &list));
	EXPECT_EQ(pages[1], list.nr);
	EXPECT_EQ(list.nr, check_nodes(_metadata, child.pid, &list));
	zeroes = list.nr - victim.sampled;
	for (i = 0; i < list.nr; i++) {
		EXPECT_EQ(i >= zeroes, list.page[i].samples);
		EXPECT_EQ(child.pid, list.page[i].pid);
		EXPECT_TRUE(!i || i == zeroes || list.page[i].addr > list.page[i - 1].addr);
	}
	/* By address, and on the other node. */
	request.order = HTMM_ORDER_TABLE;
	request.node = 0;
	ASSERT_EQ(0, pages_list(self->fd, &request, 77, &other));
	EXPECT_EQ(pages[0], other.nr);
	EXPECT_EQ(other.nr, check_nodes(_metadata, child.pid, &other));
	for (i = 1; i < other.nr; i++)
		EXPECT_LT(other.page[i - 1].addr, other.page[i].addr);
	/* Only the never sampled, and only of an area. */
	request.node = 1;
	request.max_samples = 0;
	request.min_samples = 1;
	list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 7, &other);
	EXPECT_EQ(victim.sampled, other.nr);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* Cold pages, then hot ones of node 0; warm pages, then hot ones of node 1. */
#define COLD	30
#define WARM	40
#define HOT_0	12
#define HOT_1	5

static void sums_work(void *arg)
{
	struct victim *victim = arg;
	char *mem = victim->mem;

	access_pages(victim->source, mem, COLD, 1);
	access_kept(victim->source, mem + COLD * PAGE, HOT_0, 8);
	access_kept(victim->source, mem + REGION, WARM, 2);
	access_kept(victim->source, mem + REGION + WARM * PAGE, HOT_1, 8);
}

/* The sums of HTMM_IOC_GET_PLACEMENT are those of the lists, and tell hot, warm and cold apart. */
TEST_F(locate, sums)
{
	struct victim victim = { &self->source, self->mem };
	unsigned long pages[MAX_NODES] = {};
	struct placement placement;
	struct htmm_histogram hist;
	struct child child;
	__u64 tracked = 0, samples = 0, hot = 0;
	int node, bin;

	ASSERT_EQ(0, victim_begin(&child, &victim, sums_work));
	/* The hot ones fill less than 75 % of it, so others are warm. */
	self->req.arg.capacity_pages = 24;
	start(_metadata, self, child.pid);
	ASSERT_EQ(0, child_do(&child));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, nodes_by_maps(child.pid, pages));
	ASSERT_EQ(0, device_hist(self->fd, HTMM_UNIT_PAGE, &hist));
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	EXPECT_EQ(2, placement.s.nr_nodes);
	EXPECT_EQ(1, placement.s.spaces);
	EXPECT_EQ(0, placement.s.skipped);
	EXPECT_EQ(0, placement.s.shared_pages);
	EXPECT_EQ(0, placement.s.unknown_pages);
	EXPECT_EQ(0, placement.s.unknown_samples);
	for (node = 0; node < 2; node++) {
		const struct htmm_node_placement *at = &placement.nodes[node];
		__u64 in_bins = 0, above[3] = {};

		EXPECT_EQ(node, at->node);
		EXPECT_EQ(node ? 0 : HTMM_NODE_FAST, at->flags);
		EXPECT_EQ(pages[node], at->pages);
		for (bin = 0; bin < HTMM_NR_BINS; bin++) {
			in_bins += placement.nodes[node].bins[bin];
			above[(bin >= hist.hot_threshold) + (bin >= hist.warm_threshold)] +=
				placement.nodes[node].bins[bin];
		}
		EXPECT_EQ(in_bins, at->tracked_pages);
		EXPECT_EQ(above[2], at->hot_pages);
		EXPECT_EQ(above[1], at->warm_pages);
		tracked += at->tracked_pages;
		samples += at->samples;
		hot += at->hot_pages;
	}
	EXPECT_LE(COLD, placement.nodes[0].tracked_pages - placement.nodes[0].hot_pages -
			placement.nodes[0].warm_pages);
	EXPECT_LE(HOT_0, placement.nodes[0].hot_pages);
	EXPECT_LE(WARM, placement.nodes[1].warm_pages);
	EXPECT_LE(HOT_1, placement.nodes[1].hot_pages);
	EXPECT_LE(WARM * 2 + HOT_1 * 8, placement.nodes[1].samples);
	EXPECT_EQ(hist.pages, tracked);
	EXPECT_EQ(hist.hot_pages, hot);
	EXPECT_EQ(hist.samples, samples);

	/* What has exited has no place. */
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	EXPECT_EQ(0, placement.s.spaces);
	EXPECT_EQ(hist.pages, placement.s.unknown_pages);
	EXPECT_EQ(hist.samples, placement.s.unknown_samples);
	EXPECT_EQ(0, placement.nodes[0].pages + placement.nodes[1].pages);
}

static __u64 hot_pages(const struct placement *placement)
{
	return placement->nodes[0].hot_pages + placement->nodes[1].hot_pages;
}

/* Pages of a target that has room for one are not hot; those of another, which has for all, are. */
TEST_F(locate, sums_of_two_targets)
{
	struct victim victim = { &self->source, self->mem, 40 };
	struct placement of[3];
	struct htmm_histogram hist;
	struct child child[2];
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, victim_start(&child[i], &victim));
		request_add_target(&self->req, child[i].pid);
		self->req.targets[i].capacity_pages = i ? PAGES : 1;
	}
	ASSERT_START(self);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, child_do(&child[i]));
	ASSERT_EQ(0, device_stop(self->fd));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, device_placement(self->fd, i, &of[i]));
	EXPECT_GE(1, hot_pages(&of[1]));
	EXPECT_LE(40, hot_pages(&of[2]));
	/* Pages of programs and libraries are in both, and are counted once. */
	EXPECT_LE(hot_pages(&of[2]), hot_pages(&of[0]));
	EXPECT_GE(hot_pages(&of[1]) + hot_pages(&of[2]), hot_pages(&of[0]));
	EXPECT_EQ(2, of[0].s.spaces);
	EXPECT_EQ(0, of[0].s.unknown_pages);

	/* It is the second target whose pages are not found any more. */
	EXPECT_EQ(128 + SIGKILL, child_kill(&child[1]));
	ASSERT_EQ(0, device_target_hist(self->fd, 2, HTMM_UNIT_PAGE, &hist));
	ASSERT_EQ(0, device_placement(self->fd, 0, &of[0]));
	EXPECT_EQ(1, of[0].s.spaces);
	EXPECT_EQ(hist.pages, of[0].s.unknown_pages);
	EXPECT_EQ(hist.samples, of[0].s.unknown_samples);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child[0]));
}

/* The frame of a page; 0: none. */
static unsigned long frame_of(int pagemap, __u64 addr)
{
	__u64 entry;

	if (pread(pagemap, &entry, sizeof(entry), addr / PAGE * sizeof(entry)) != sizeof(entry))
		return 0;
	return entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
}

static int frames_compare(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* A list of one process has its pages of a list of all. */
static void only_of(struct __test_metadata *_metadata, int fd, struct htmm_list_pages request,
		    pid_t pid, const struct pages *all)
{
	static struct pages list;
	size_t i, at = 0;

	request.pid = pid;
	ASSERT_EQ(0, pages_list(fd, &request, 77, &list));
	for (i = 0; i < all->nr; i++) {
		if (all->page[i].pid != (__u32)pid)
			continue;
		ASSERT_GT(list.nr, at);
		EXPECT_EQ(0, memcmp(&all->page[i], &list.page[at++], sizeof(*all->page)));
	}
	EXPECT_LT(0, at);
	EXPECT_EQ(at, list.nr);
}

/*
 * Two processes have each sampled the same 40 pages once, a third one 24 of them, and the pages of
 * programs and libraries are the same in all. Each frame is one page, with all its samples.
 */
TEST_F(locate, shared_pages)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_TABLE };
	char *both = child_share(64 * PAGE);
	struct victim victim = { &self->source, both - REGION, 40 };
	struct victim third = { &self->source, both - REGION, 24 };
	unsigned long *frames, distinct = 0, several = 0;
	struct placement placement;
	struct child child[3];
	static struct pages list;
	size_t i, same;
	int n, pagemap;
	char path[64];

	ASSERT_NE(NULL, both);
	ASSERT_EQ(0, access_bind(both, 64 * PAGE, 1));
	memset(both, 1, 64 * PAGE);
	for (n = 0; n < 3; n++) {
		ASSERT_EQ(0, child_worker(&child[n], victim_work,
					  n < 2 ? &victim : &third));
		request_add_target(&self->req, child[n].pid);
	}
	ASSERT_START(self);
	for (n = 0; n < 3; n++)
		ASSERT_EQ(0, child_do(&child[n]));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_list(self->fd, &request, 5000, &list));
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	for (n = 0; n < 3; n++)
		only_of(_metadata, self->fd, request, child[n].pid, &list);

	frames = calloc(list.nr, sizeof(*frames));
	ASSERT_NE(NULL, frames);
	for (n = 0; n < 3; n++) {
		snprintf(path, sizeof(path), "/proc/%d/pagemap", child[n].pid);
		pagemap = open(path, O_RDONLY);
		ASSERT_LE(0, pagemap);
		for (i = 0; i < list.nr; i++)
			if (list.page[i].pid == (__u32)child[n].pid)
				frames[i] = frame_of(pagemap, list.page[i].addr);
		close(pagemap);
	}
	qsort(frames, list.nr, sizeof(*frames), frames_compare);
	EXPECT_NE(0, frames[0]);
	for (i = 0; i < list.nr; i += same) {
		for (same = 1; i + same < list.nr && frames[i + same] == frames[i]; same++)
			;
		distinct++;
		several += same > 1;
	}
	EXPECT_LE(40, several);
	EXPECT_EQ(3, placement.s.spaces);
	EXPECT_EQ(several, placement.s.shared_pages);
	EXPECT_EQ(distinct, placement.nodes[0].pages + placement.nodes[1].pages);
	/* Two or three samples of each: one bin above that of a page with one. */
	EXPECT_EQ(40, placement.nodes[1].bins[2]);
	EXPECT_EQ(40, placement.nodes[1].tracked_pages - placement.nodes[1].bins[1]);
	EXPECT_LE(104, placement.nodes[1].samples);
	/* A page with two counts is in one bin, and is one page. */
	for (n = 0; n < 2; n++)
		EXPECT_GE(placement.nodes[n].pages, placement.nodes[n].tracked_pages);

	/* For one of the three targets the page has one sample. */
	ASSERT_EQ(0, device_placement(self->fd, 1, &placement));
	EXPECT_EQ(1, placement.s.spaces);
	EXPECT_EQ(0, placement.nodes[1].bins[2]);
	EXPECT_LE(40, placement.nodes[1].bins[1]);
	for (n = 0; n < 3; n++)
		EXPECT_EQ(128 + SIGKILL, child_kill(&child[n]));
	free(frames);
}
