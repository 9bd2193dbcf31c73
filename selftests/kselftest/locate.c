// SPDX-License-Identifier: GPL-2.0
/* Where pages are: HTMM_LIST_PLACEMENT, _NODE and _RESIDENT, and HTMM_IOC_GET_PLACEMENT. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <linux/mempolicy.h>
#include "check.h"
#include "child.h"
#include "files.h"
#include "probe.h"

#define REGIONS		4
#define PAGES		(REGIONS * REGION_PAGES)
/* Pages that one call of move_pages(2) tells of. */
#define A_TIME		1024

#define HALF		(REGION_PAGES / 2)

#define BALANCING	"/proc/sys/kernel/numa_balancing"

FIXTURE(locate) {
	int fd;
	int balancing;	/* as it was */
	struct source source;
	struct request req;
	char *mem;	/* start of a region; PAGES pages */
};

FIXTURE_SETUP(locate)
{
	struct htmm_info info = {};

	ASSERT_LE(0, self->fd = device_open());
	ASSERT_EQ(0, device_info(self->fd, &info));
	ASSERT_TRUE(info.features & HTMM_FEATURE_PLACEMENT);
	ASSERT_EQ(0, access("/sys/devices/system/node/node1", F_OK));
	/* It makes pages inaccessible, which move_pages(2) of 6.1 does not find. */
	self->balancing = file_number(BALANCING);
	ASSERT_LE(0, self->balancing);
	ASSERT_EQ(0, file_write(BALANCING, "0"));
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	/* Every fault counts: a ring holds all, even if ksampled gets no CPU meanwhile. */
	self->req.arg.ring_pages = 256;
	ASSERT_NE(NULL, self->mem = access_reserve(PAGES * PAGE));
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(locate)
{
	char number[2] = { '0' + self->balancing };

	file_write(BALANCING, number);
	close(self->fd);
	check_idle(_metadata);
}

static void start(struct __test_metadata *_metadata, FIXTURE_DATA(locate) *self, pid_t pid)
{
	request_add_target(&self->req, pid);
	ASSERT_START(self);
}

/* The node of each page as move_pages(2) tells; negative: an errno. */
static int nodes_of(pid_t pid, const struct pages *list, int *node)
{
	void *addr[A_TIME];
	size_t i, n, done;

	for (done = 0; done < list->nr; done += n) {
		n = list->nr - done < A_TIME ? list->nr - done : A_TIME;
		for (i = 0; i < n; i++)
			addr[i] = (void *)(uintptr_t)list->page[done + i].addr;
		if (syscall(SYS_move_pages, pid, n, addr, NULL, node + done, 0))
			return -errno;
	}
	return 0;
}

/* Every page of a list is where move_pages(2) finds it. Returns how many are resident. */
static size_t check_nodes(struct __test_metadata *_metadata, pid_t pid, const struct pages *list)
{
	int *node = calloc(list->nr + 1, sizeof(*node));
	size_t i, resident = 0, wrong = 0;

	ASSERT_NE(NULL, node);
	ASSERT_EQ(0, nodes_of(pid, list, node));
	for (i = 0; i < list->nr; i++) {
		int seen = list->page[i].node, want = node[i] < 0 ? HTMM_NODE_UNKNOWN : node[i];

		resident += want >= 0;
		if (seen == want)
			continue;
		if (wrong++ < 5)
			TH_LOG("page %llx is on node %d, listed on %d",
			       list->page[i].addr, node[i], seen);
	}
	free(node);
	EXPECT_EQ(0, wrong);
	return resident;
}

/* The requested list in an area. */
static void list_area(struct __test_metadata *_metadata, int fd, struct htmm_list_pages request,
		      const void *mem, size_t bytes, __u32 a_time, struct pages *list)
{
	request.start = (uintptr_t)mem;
	request.end = (uintptr_t)mem + bytes;
	ASSERT_EQ(0, pages_list(fd, &request, a_time, list));
}

/* Regions of this process: on node 0, on node 1, on both in turn, and half of it gone. */
static void mix(struct __test_metadata *_metadata, FIXTURE_DATA(locate) *self)
{
	void *addr[REGION_PAGES];
	int i, to[REGION_PAGES], status[REGION_PAGES];

	ASSERT_EQ(0, access_bind(self->mem, REGION, 0));
	ASSERT_EQ(0, access_bind(self->mem + REGION, REGION, 1));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, PAGES, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	for (i = 0; i < REGION_PAGES; i++) {
		addr[i] = self->mem + 2 * REGION + i * PAGE;
		to[i] = i % 2;
	}
	ASSERT_EQ(0, syscall(SYS_move_pages, 0, REGION_PAGES, addr, to, status, MPOL_MF_MOVE));
	ASSERT_EQ(0, madvise(self->mem + 3 * REGION, REGION / 2, MADV_DONTNEED));
	ASSERT_EQ(0, device_stop(self->fd));
}

TEST_F(locate, pages)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	size_t i, on[2];
	static struct pages list;

	mix(_metadata, self);
	for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
		list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 700, &list);
		EXPECT_EQ(PAGES, list.nr);
		EXPECT_EQ(PAGES - REGION_PAGES / 2, check_nodes(_metadata, getpid(), &list));
		memset(on, 0, sizeof(on));
		for (i = 0; i < list.nr; i++) {
			const struct htmm_page *page = &list.page[i];

			EXPECT_EQ(page->node < 0 ? HTMM_MAPPING_UNKNOWN : 12, page->mapping_shift);
			if (page->node >= 0)
				on[page->node]++;
		}
		/* All of one region and half of another; the rest of the memory is on node 0. */
		EXPECT_LE(REGION_PAGES + REGION_PAGES / 2, on[1]);
		EXPECT_LE(REGION_PAGES + REGION_PAGES / 2, on[0]);
	}
}

/* A list of one node is what has that node in a list of all. */
TEST_F(locate, one_node)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	static struct pages all, some;
	size_t i, at;

	mix(_metadata, self);
	for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
		for (request.node = 0; request.node < 2; request.node++) {
			int node = request.node;

			request.node = 0;
			request.flags = HTMM_LIST_PLACEMENT;
			list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 5000,
				  &all);
			request.node = node;
			request.flags = HTMM_LIST_NODE;
			list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 33, &some);
			for (at = 0, i = 0; i < all.nr; i++) {
				if (all.page[i].node != node)
					continue;
				ASSERT_LT(at, some.nr);
				EXPECT_EQ(0, memcmp(&all.page[i], &some.page[at],
						    sizeof(*all.page)));
				at++;
			}
			EXPECT_EQ(at, some.nr);
			EXPECT_LT(REGION_PAGES, at);
		}
	}
}

/* All of one node, and of the other what the count chooses: as in a list of all. */
TEST_F(locate, others)
{
	struct htmm_list_pages request = { .order = HTMM_ORDER_TABLE };
	const size_t twice = 24, thrice = 10;
	static struct pages all, some;
	size_t i, at, chosen;
	int node;

	ASSERT_EQ(0, access_bind(self->mem, REGION, 0));
	ASSERT_EQ(0, access_bind(self->mem + REGION, REGION, 1));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, 2 * REGION_PAGES, 1);
	access_pages(&self->source, self->mem + REGION - twice / 2 * PAGE, twice, 1);
	access_pages(&self->source, self->mem + REGION - thrice / 2 * PAGE, thrice, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	for (node = 0; node < 2; node++) {
		request.flags = HTMM_LIST_RESIDENT;
		request.node = 0;
		request.min_samples = 0;
		request.max_samples = 0;
		list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 5000, &all);
		request.flags |= HTMM_LIST_NODE | HTMM_LIST_OTHERS;
		request.node = node;
		request.min_samples = 2;
		request.max_samples = 2;
		list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 33, &some);
		for (at = 0, chosen = 0, i = 0; i < all.nr; i++) {
			if (all.page[i].node != node && all.page[i].samples != 2)
				continue;
			ASSERT_LT(at, some.nr);
			EXPECT_EQ(0, memcmp(&all.page[i], &some.page[at], sizeof(*all.page)));
			chosen += all.page[i].node != node;
			at++;
		}
		EXPECT_EQ(2 * REGION_PAGES, all.nr);
		EXPECT_EQ(at, some.nr);
		EXPECT_EQ((twice - thrice) / 2, chosen);
		EXPECT_EQ(some.nr, check_nodes(_metadata, getpid(), &some));
	}
}

TEST_F(locate, regions)
{
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_PLACEMENT,
		.unit = HTMM_UNIT_REGION,
		.order = HTMM_ORDER_TABLE,
	};
	int to[HALF], status[HALF];
	static struct pages list;
	void *addr[HALF];
	size_t i;

	mix(_metadata, self);
	/* Of those that are left, most are on node 1, but not the first and not the last ones. */
	ASSERT_EQ(0, madvise(self->mem + 2 * REGION, REGION / 2, MADV_DONTNEED));
	for (i = 0; i < HALF; i++) {
		addr[i] = self->mem + 2 * REGION + REGION / 2 + i * PAGE;
		to[i] = i >= 100 && i < 240;
	}
	ASSERT_EQ(0, syscall(SYS_move_pages, 0, HALF, addr, to, status, MPOL_MF_MOVE));
	list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 3, &list);
	EXPECT_EQ(REGIONS, list.nr);
	for (i = 0; i < list.nr; i++) {
		EXPECT_EQ(12, list.page[i].mapping_shift);
		if (list.page[i].addr == (uintptr_t)self->mem)
			EXPECT_EQ(0, list.page[i].node);
		if (list.page[i].addr == (uintptr_t)self->mem + REGION)
			EXPECT_EQ(1, list.page[i].node);
		if (list.page[i].addr == (uintptr_t)self->mem + 2 * REGION)
			EXPECT_EQ(1, list.page[i].node);
	}
	/* Nothing of a region is left. */
	ASSERT_EQ(0, madvise(self->mem + 3 * REGION, REGION, MADV_DONTNEED));
	list_area(_metadata, self->fd, request, self->mem + 3 * REGION, REGION, 3, &list);
	ASSERT_EQ(1, list.nr);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[0].node);
	EXPECT_EQ(HTMM_MAPPING_UNKNOWN, list.page[0].mapping_shift);
}

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

/* One fault brings a huge page; all its pages are resident, one is tracked. */
TEST_F(locate, huge_pages)
{
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_RESIDENT,
		.order = HTMM_ORDER_COLDEST,
	};
	struct placement placement;
	static struct pages list;
	size_t i;

	ASSERT_EQ(0, madvise(self->mem, 2 * REGION, MADV_HUGEPAGE));
	ASSERT_EQ(0, access_bind(self->mem, REGION, 1));
	ASSERT_EQ(0, access_bind(self->mem + REGION, REGION, 0));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, 2 * REGION_PAGES, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	/* Its one page that is not like the others splits a mapping, not the page. */
	ASSERT_EQ(0, mprotect(self->mem + REGION, PAGE, PROT_READ));

	list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 100, &list);
	EXPECT_EQ(2 * REGION_PAGES, list.nr);
	EXPECT_EQ(2 * REGION_PAGES, check_nodes(_metadata, getpid(), &list));
	for (i = 0; i < list.nr; i++) {
		bool first = list.page[i].addr < (uintptr_t)self->mem + REGION;

		EXPECT_EQ(first, list.page[i].node);
		EXPECT_EQ(first ? 21 : 12, list.page[i].mapping_shift);
		EXPECT_EQ(i >= list.nr - 2, list.page[i].samples);
	}
	/* Each of its pages is a page of its own. */
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	EXPECT_EQ(REGION_PAGES, placement.nodes[1].huge_pages);
	EXPECT_LE(REGION_PAGES, placement.nodes[1].pages);
	request = (struct htmm_list_pages) {
		.flags = HTMM_LIST_PLACEMENT,
		.unit = HTMM_UNIT_REGION,
	};
	list_area(_metadata, self->fd, request, self->mem, REGION, 100, &list);
	ASSERT_EQ(1, list.nr);
	EXPECT_EQ(1, list.page[0].node);
	EXPECT_EQ(21, list.page[0].mapping_shift);
}

/* Pages of zeroes, huge and small, take no memory. */
TEST_F(locate, zeroes)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	volatile char *mem = self->mem;
	static struct pages list;

	ASSERT_EQ(0, madvise(self->mem + REGION, REGION, MADV_HUGEPAGE));
	start(_metadata, self, getpid());
	(void)mem[0];
	(void)mem[REGION];
	ASSERT_EQ(0, device_stop(self->fd));
	list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 10, &list);
	EXPECT_EQ(2, list.nr);
	EXPECT_EQ(0, check_nodes(_metadata, getpid(), &list));
	request.flags = HTMM_LIST_RESIDENT;
	request.order = HTMM_ORDER_TABLE;
	list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 10, &list);
	EXPECT_EQ(0, list.nr);
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

/* Resident pages of a process on each node by numa_maps, of those that can be read. */
static int numa_maps(pid_t pid, unsigned long *pages)
{
	static const char spaces[] = { ' ', '\n', '\0' };
	char path[64], line[1024], *word;
	unsigned long kib;
	FILE *file;
	int node;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		unsigned long here[MAX_NODES] = {}, n;

		kib = 4;
		for (word = strtok(line, spaces); word; word = strtok(NULL, spaces)) {
			if (sscanf(word, "N%d=%lu", &node, &n) == 2 && node < MAX_NODES)
				here[node] = n;
			sscanf(word, "kernelpagesize_kB=%lu", &kib);
		}
		for (node = 0; node < MAX_NODES; node++)
			pages[node] += here[node] * (kib / 4);
	}
	fclose(file);
	return 0;
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

	ASSERT_EQ(0, numa_maps(child.pid, pages));
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
	ASSERT_EQ(0, numa_maps(child.pid, pages));
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

/* Pages of hugetlbfs: one of two is there. */
TEST_F(locate, hugetlb)
{
	static const char pool[] =
		"/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages";
	struct htmm_list_pages request = { .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_TABLE };
	static struct pages list;
	char *mem;
	size_t i;

	ASSERT_EQ(0, file_write(pool, "2"));
	mem = mmap(NULL, 2 * REGION, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	EXPECT_NE(MAP_FAILED, mem);
	start(_metadata, self, getpid());
	mem[REGION] = 1;
	ASSERT_EQ(0, device_stop(self->fd));
	list_area(_metadata, self->fd, request, mem, 2 * REGION, 100, &list);
	EXPECT_EQ(REGION_PAGES, list.nr);
	EXPECT_EQ(REGION_PAGES, check_nodes(_metadata, getpid(), &list));
	for (i = 0; i < list.nr; i++) {
		EXPECT_EQ(1, list.page[i].node);
		EXPECT_EQ(21, list.page[i].mapping_shift);
		EXPECT_EQ((uintptr_t)mem + REGION + i * PAGE, list.page[i].addr);
	}
	munmap(mem, 2 * REGION);
	EXPECT_EQ(0, file_write(pool, "0"));
}

/* Maps a page of a PCI device. */
static void *device_map(void)
{
	static const char devices[] = "/sys/bus/pci/devices";
	DIR *dir = opendir(devices);
	struct dirent *entry;
	void *mem = MAP_FAILED;
	char path[400];
	int bar, fd;

	while (dir && mem == MAP_FAILED && (entry = readdir(dir))) {
		for (bar = 0; bar < 6 && mem == MAP_FAILED; bar++) {
			snprintf(path, sizeof(path), "%s/%s/resource%d", devices,
				 entry->d_name, bar);
			fd = open(path, O_RDWR);
			if (fd < 0)
				continue;
			mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			close(fd);
		}
	}
	if (dir)
		closedir(dir);
	return mem;
}

/* What has no page of memory, or cannot be read, is unknown, and no error. */
TEST_F(locate, unknown)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	char *device = device_map();
	static struct pages list;

	ASSERT_NE(MAP_FAILED, device);
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, 5, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	list_area(_metadata, self->fd, request, self->mem, 5 * PAGE, 10, &list);
	EXPECT_EQ(5, list.nr);
	EXPECT_EQ(5, check_nodes(_metadata, getpid(), &list));
	ASSERT_EQ(0, mprotect(self->mem, 2 * PAGE, PROT_NONE));
	ASSERT_EQ(0, munmap(self->mem + 2 * PAGE, PAGE));
	list_area(_metadata, self->fd, request, self->mem, 3 * PAGE, 10, &list);
	ASSERT_EQ(3, list.nr);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[0].node);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[1].node);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[2].node);
	list_area(_metadata, self->fd, request, self->mem + 3 * PAGE, 2 * PAGE, 10, &list);
	EXPECT_EQ(2, list.nr);
	EXPECT_EQ(2, check_nodes(_metadata, getpid(), &list));
	request.flags = HTMM_LIST_RESIDENT;
	request.order = HTMM_ORDER_TABLE;
	list_area(_metadata, self->fd, request, device, PAGE, 10, &list);
	EXPECT_EQ(0, list.nr);
	munmap(device, PAGE);
}

/* Runs in user space for a while, where the scheduler's work for NUMA balancing is done. */
static void spin(void *arg)
{
	struct timespec now, end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	end.tv_nsec += 200 * 1000 * 1000;
	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000000000L + now.tv_nsec < end.tv_sec * 1000000000L + end.tv_nsec);
}

/* Moves the pages of this process in an area. */
static int move(char *mem, size_t pages, int node)
{
	int *to = calloc(2 * pages, sizeof(*to)), ret;
	void **addr = calloc(pages, sizeof(*addr));
	size_t i;

	for (i = 0; i < pages; i++) {
		addr[i] = mem + i * PAGE;
		to[i] = node;
	}
	ret = syscall(SYS_move_pages, 0, pages, addr, to, to + pages, MPOL_MF_MOVE);
	free(addr);
	free(to);
	return ret;
}

struct hinted {
	char *mem;
	bool moved;
};

/* Base pages and a huge page on node 1, without a policy that would keep them there. */
static void be_hinted(void *arg)
{
	struct hinted *hinted = arg;

	if (!hinted->moved) {
		memset(hinted->mem, 1, 2 * REGION);
		if (move(hinted->mem, REGION_PAGES, 1) || move(hinted->mem + REGION, 1, 1))
			exit(1);
		hinted->moved = true;
	}
	spin(NULL);
}

/* NUMA balancing makes pages inaccessible to see who uses them: they are where they were. */
TEST_F(locate, balanced)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_TABLE };
	struct hinted hinted = { .mem = self->mem };
	unsigned long pages[MAX_NODES] = {};
	size_t i, base = 0, huge = 0, on[2] = {};
	struct child child;
	static struct pages list;
	int tries;

	ASSERT_EQ(0, madvise(self->mem + REGION, REGION, MADV_HUGEPAGE));
	ASSERT_EQ(0, file_write(BALANCING, "1"));
	ASSERT_EQ(0, child_worker(&child, be_hinted, &hinted));
	start(_metadata, self, child.pid);
	for (tries = 0; tries < 100 && (!base || !huge); tries++) {
		ASSERT_EQ(0, child_do(&child));
		list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 3000, &list);
		for (base = 0, huge = 0, i = 0; i < list.nr; i++) {
			if (list.page[i].mapping_shift != HTMM_MAPPING_UNKNOWN)
				continue;
			if (list.page[i].addr < (uintptr_t)self->mem + REGION)
				base++;
			else
				huge++;
		}
		EXPECT_TRUE(tries < 2 || list.nr == 2 * REGION_PAGES);
		for (i = 0; i < list.nr && tries; i++)
			EXPECT_EQ(1, list.page[i].node);
	}
	TH_LOG("%zu base pages and %zu of a huge page after %d looks", base, huge, tries);
	EXPECT_LT(0, base);
	EXPECT_EQ(REGION_PAGES, huge);
	ASSERT_EQ(0, file_write(BALANCING, "0"));
	ASSERT_EQ(0, pages_list(self->fd, &request, 3000, &list));
	ASSERT_EQ(0, numa_maps(child.pid, pages));
	for (i = 0; i < list.nr; i++)
		on[list.page[i].node]++;
	EXPECT_EQ(pages[0], on[0]);
	EXPECT_EQ(pages[1], on[1]);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

#define BUSY_PAGES	(96UL << 8)

/**
 * struct busy - a process that changes its page tables nearly all the time
 * @mem: BUSY_PAGES pages
 * @stop: set by the test
 */
struct busy {
	const struct source *source;
	char *mem;
	volatile bool *stop;
};

static int be_busy(int sock, void *arg)
{
	struct busy *busy = arg;

	memset(busy->mem, 1, BUSY_PAGES * PAGE);
	if (child_post(sock) || child_await(sock))
		return 1;
	access_pages(busy->source, busy->mem, 64, 1);
	if (child_post(sock))
		return 1;
	while (!*busy->stop) {
		mprotect(busy->mem, BUSY_PAGES * PAGE, PROT_READ);
		mprotect(busy->mem, BUSY_PAGES * PAGE, PROT_READ | PROT_WRITE);
	}
	if (child_post(sock) || child_await(sock))
		return 1;
	return 0;
}

/* An address space whose lock is held is passed over and counted. */
TEST_F(locate, skipped)
{
	struct htmm_page page[64];
	struct htmm_list_pages request = {
		LIST_ROOM(page, 64), .flags = HTMM_LIST_PLACEMENT,
	}, now;
	struct busy busy = { .source = &self->source, .mem = access_reserve(BUSY_PAGES * PAGE) };
	struct child child;
	int tries;
	__u32 i;

	ASSERT_NE(NULL, busy.stop = child_share(PAGE));
	ASSERT_NE(NULL, (void *)busy.mem);
	request.start = (uintptr_t)busy.mem;
	request.end = request.start + 64 * PAGE;
	ASSERT_EQ(0, child_start(&child, be_busy, &busy));
	ASSERT_EQ(0, child_await(child.sock));
	start(_metadata, self, child.pid);
	ASSERT_EQ(0, child_post(child.sock));
	ASSERT_EQ(0, child_await(child.sock));
	ASSERT_EQ(0, device_settle(self->fd));
	for (tries = 0; tries < 1000; tries++) {
		now = request;
		ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &now));
		ASSERT_EQ(64, now.nr_pages);
		for (i = 0; i < now.nr_pages; i++)
			ASSERT_EQ(now.skipped ? HTMM_NODE_UNKNOWN : 0, page[i].node);
		if (now.skipped)
			break;
	}
	EXPECT_EQ(1, now.skipped) {
		TH_LOG("not seen busy in %d calls", tries);
	}
	*busy.stop = true;
	ASSERT_EQ(0, child_await(child.sock));
	now = request;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &now));
	EXPECT_EQ(0, now.skipped);
	for (i = 0; i < now.nr_pages; i++)
		EXPECT_EQ(0, page[i].node);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* Maps, unmaps, protects, moves and forks, as fast as it can. */
static void *change_mappings(void *arg)
{
	unsigned int round;
	pid_t pid;

	for (round = 0; ; round++) {
		char *mem = mmap(NULL, 3 * REGION, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mem == MAP_FAILED)
			continue;
		madvise(mem, 3 * REGION, round % 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
		memset(mem, 1, 2 * REGION);
		mprotect(mem + 5 * PAGE, PAGE, PROT_READ);
		madvise(mem + REGION, REGION / 2, MADV_DONTNEED);
		move(mem + PAGE, 64, round % 2);
		if (round % 8 == 0) {
			pid = fork();
			if (!pid)
				_exit(mem[REGION - 1]);
			waitpid(pid, NULL, 0);
		}
		munmap(mem, 3 * REGION);
	}
	return NULL;
}

static int be_restless(int sock, void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, change_mappings, NULL))
		return 1;
	child_post(sock);
	change_mappings(NULL);
	return 0;
}

/* Everything is read while mappings change and processes come and go. */
TEST_F(locate, under_load)
{
	static struct htmm_page page[1000];
	struct htmm_list_pages lists[] = {
		{ LIST_ROOM(page, 1000), .flags = HTMM_LIST_PLACEMENT },
		{ LIST_ROOM(page, 1000), .flags = HTMM_LIST_PLACEMENT, .unit = HTMM_UNIT_REGION },
		{ LIST_ROOM(page, 1000), .flags = HTMM_LIST_NODE, .node = 1,
		  .order = HTMM_ORDER_TABLE },
		{ LIST_ROOM(page, 1000), .flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE,
		  .order = HTMM_ORDER_COLDEST, .node = 1, .max_samples = 3 },
		{ LIST_ROOM(page, 1000), .flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE |
		  HTMM_LIST_OTHERS, .order = HTMM_ORDER_TABLE, .node = 1, .min_samples = 1 },
	};
	struct placement placement;
	struct child child;
	time_t end = time(NULL) + 6;
	size_t i, seen = 0, resident = 0;
	int rounds = 0, round, number;

	/* Any process, so that there is a session before the first child. */
	start(_metadata, self, getpid());
	while (time(NULL) < end || rounds < 2) {
		ASSERT_EQ(0, child_start(&child, be_restless, NULL));
		ASSERT_EQ(0, child_await(child.sock));
		number = device_add_target(self->fd, HTMM_TARGET_TGID, child.pid);
		ASSERT_LT(0, number);
		for (round = 0; round < 20; round++) {
			for (i = 0; i < ARRAY_SIZE(lists); i++) {
				struct htmm_list_pages arg = lists[i];

				arg.target = number;
				ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &arg));
				seen += arg.nr_pages;
			}
			/* It exits while its page tables are read, or not long before. */
			if (round == 18 && rounds % 2)
				kill(child.pid, SIGKILL);
			ASSERT_EQ(0, device_placement(self->fd, number, &placement));
			resident += placement.nodes[0].pages;
		}
		rounds++;
		EXPECT_EQ(128 + SIGKILL, child_kill(&child));
		ASSERT_EQ(0, device_remove_target(self->fd, number));
	}
	TH_LOG("%d children, %zu pages listed, %zu resident", rounds, seen, resident);
	EXPECT_LT(0, seen);
	EXPECT_LT(0, resident);
}

/* Asks where all pages are until it is told to end. */
static int keep_locating(int sock, void *arg)
{
	static struct placement placement;
	int fd = device_open(), ret = 0;

	child_post(sock);
	while (!ret && !child_told(sock))
		ret = device_placement(fd, 0, &placement);
	return !!ret;
}

/* Blocks of the slow node that the test takes offline, one after the other. */
#define BLOCKS	2

/* Memory goes offline while pages are located; those that were there are found elsewhere. */
TEST_F(locate, memory_goes_offline)
{
	const struct htmm_list_pages request = {
		.flags = HTMM_LIST_PLACEMENT,
		.order = HTMM_ORDER_TABLE,
	};
	DIR *dir = opendir("/sys/devices/system/node/node1");
	const struct dirent *entry;
	struct child reader;
	static struct pages list;
	char path[400];
	int went = 0;

	ASSERT_NE(NULL, dir);
	ASSERT_EQ(0, access_bind(self->mem, 2 * REGION, 1));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, PAGES, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, access_bind(self->mem, 2 * REGION, 0));
	ASSERT_EQ(0, child_start(&reader, keep_locating, NULL));
	ASSERT_EQ(0, child_await(reader.sock));
	ASSERT_EQ(0, probe_begin("htmm_frame_notify"));
	while (went < BLOCKS && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "memory", 6) || !strchr("0123456789", entry->d_name[6]))
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/node/node1/%s/state",
			 entry->d_name);
		/* Memory of the kernel itself cannot go. */
		if (file_write(path, "offline"))
			continue;
		went++;
		list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 700, &list);
		EXPECT_EQ(PAGES, list.nr);
		EXPECT_EQ(PAGES, check_nodes(_metadata, getpid(), &list));
		EXPECT_EQ(0, file_write(path, "online"));
	}
	/* The module waits for those who have found the memory online. */
	EXPECT_LE(went, probe_calls());
	probe_end();
	closedir(dir);
	EXPECT_LT(0, went);
	TH_LOG("%d blocks of memory went and came", went);
	ASSERT_EQ(0, child_post(reader.sock));
	EXPECT_EQ(0, child_join(&reader));
}

TEST_F(locate, bad_arguments)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_NODE, .node = 2 };
	struct placement placement;
	static struct pages list;
	struct htmm_page page;

	EXPECT_EQ(-ENODATA, device_placement(self->fd, 0, &placement));
	start(_metadata, self, getpid());
	EXPECT_EQ(-ENOENT, device_placement(self->fd, 99, &placement));
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request.node = -1;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request.node = 1 << 20;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) { .node = 1 };
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) { .flags = 2 * HTMM_LIST_OTHERS };
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) { .flags = HTMM_LIST_RESIDENT };
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request.order = HTMM_ORDER_TABLE;
	request.unit = HTMM_UNIT_REGION;
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) {
		.flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE | HTMM_LIST_OTHERS,
		.order = HTMM_ORDER_COLDEST,
	};
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request.order = HTMM_ORDER_TABLE;
	request.flags = HTMM_LIST_RESIDENT | HTMM_LIST_OTHERS;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request.flags = HTMM_LIST_NODE | HTMM_LIST_OTHERS;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	/* A cursor of a list of resident pages is none of another. */
	request = (struct htmm_list_pages) {
		LIST_ROOM(&page, 1), .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_COLDEST,
	};
	access_pages(&self->source, self->mem, 10, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &request));
	EXPECT_EQ(1, request.nr_pages);
	request.flags = 0;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &request));
}
