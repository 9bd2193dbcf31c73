// SPDX-License-Identifier: GPL-2.0
/* Where pages are while they move, and while mappings, processes and memory come and go. */
#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include "locate.h"
#include "probe.h"

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
		if (nodes_move(hinted->mem, REGION_PAGES, 1) ||
		    nodes_move(hinted->mem + REGION, 1, 1))
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
	ASSERT_EQ(0, nodes_by_maps(child.pid, pages));
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
		nodes_move(mem + PAGE, 64, round % 2);
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
