// SPDX-License-Identifier: GPL-2.0
/*
 * perf_loop PID CAPACITY: tiering as research prototypes do it, without a module: samples of
 * loads that miss the cache come through perf's rings to user space, are counted by page,
 * and a page with HOT samples is hot. All counts are halved when one reaches COOL. Hot
 * pages of node 1 move to node 0, for which pages that are not hot make room; at most
 * CAPACITY pages are on node 0. The thresholds are fixed: those that HeMem's authors
 * published, at a period for memory of this size.
 */
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define L3_MISS		0x20d1
#define PERIOD		499
#define HOT		8
#define COOL		18
#define INTERVAL_MS	10
#define LOOKS		20		/* intervals between two moves */
#define RING_PAGES	128
#define BATCH		512
#define MAX_PAGES	131072U
#define SLOTS		(2 * MAX_PAGES)

struct entry {
	__u64 page;
	__u16 count;
	__s16 node;
	__u32 epoch;
};

struct record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 addr;
};

static struct entry entries[MAX_PAGES];
static __u32 slots[SLOTS];		/* place in entries, plus one */
static unsigned int nr_entries, epoch;
static atomic_bool stop;
static int target;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&stop, true);
}

/* Finds or adds a page; NULL: there are too many. */
static struct entry *find(__u64 page)
{
	__u64 i = (page >> 12) * 0x9e3779b97f4a7c15ULL >> 46;

	while (slots[i]) {
		if (entries[slots[i] - 1].page == page)
			return &entries[slots[i] - 1];
		i = (i + 1) % SLOTS;
	}
	if (nr_entries == MAX_PAGES)
		return NULL;
	entries[nr_entries] = (struct entry){ .page = page, .node = -1, .epoch = epoch };
	slots[i] = ++nr_entries;
	return &entries[nr_entries - 1];
}

static void cool(struct entry *entry)
{
	__u32 shift = epoch - entry->epoch;

	entry->count = shift < 32 ? entry->count >> shift : 0;
	entry->epoch = epoch;
}

static void count(__u64 addr)
{
	struct entry *entry = find(addr & -PAGE);

	if (!entry)
		return;
	cool(entry);
	if (++entry->count >= COOL)
		epoch++;
}

static struct perf_event_mmap_page *open_ring(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = L3_MISS,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.precise_ip = 2,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	void *map;

	if (fd < 0)
		return NULL;
	map = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return map == MAP_FAILED ? NULL : map;
}

/* A record of 24 bytes may be at the ring's end and at its begin. */
static void copy(void *to, const char *data, __u64 at, __u64 bytes)
{
	for (__u64 i = 0; i < bytes; i += 8)
		memcpy((char *)to + i, data + (at + i) % (RING_PAGES * PAGE), 8);
}

static void drain(struct perf_event_mmap_page *ring)
{
	__u64 head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->data_tail;
	const char *data = (char *)ring + PAGE;

	while (tail < head) {
		struct record record;

		copy(&record.header, data, tail, sizeof(record.header));
		if (record.header.type == PERF_RECORD_SAMPLE) {
			copy(&record, data, tail, sizeof(record));
			if ((int)record.pid == target)
				count(record.addr);
		}
		tail += record.header.size;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* Where the pages are that are in memory now, and that the process may write. */
static void scan(void)
{
	unsigned long start, end;
	char line[4096], mode[8];
	FILE *maps;

	snprintf(line, sizeof(line), "/proc/%d/maps", target);
	maps = fopen(line, "re");
	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 || mode[1] != 'w')
			continue;
		while (start < end) {
			void *pages[BATCH];
			int status[BATCH];
			unsigned long n = 0;

			for (; start < end && n < BATCH; start += PAGE)
				pages[n++] = (void *)start;
			if (syscall(SYS_move_pages, target, n, pages, NULL, status, 0))
				break;
			for (unsigned long i = 0; i < n; i++)
				if (status[i] >= 0 && find((__u64)pages[i]))
					find((__u64)pages[i])->node = status[i];
		}
	}
	fclose(maps);
}

/* Moves up to @max pages that are hot, or not, from the other node. */
static unsigned int move(bool hot, int to, unsigned int max)
{
	struct entry *chosen[BATCH];
	void *pages[BATCH];
	int nodes[BATCH], status[BATCH];
	unsigned int n = 0, moved = 0;

	for (unsigned int i = 0; i < nr_entries && moved + n < max; i++) {
		struct entry *entry = &entries[i];
		bool is_hot;

		cool(entry);
		is_hot = entry->count >= HOT;
		if (entry->node == !to && is_hot == hot) {
			chosen[n] = entry;
			pages[n] = (void *)entry->page;
			nodes[n++] = to;
		}
		if (n < BATCH && i + 1 < nr_entries && moved + n < max)
			continue;
		if (n && syscall(SYS_move_pages, target, (unsigned long)n, pages, nodes, status,
				 MPOL_MF_MOVE) < 0)
			return moved;
		for (unsigned int j = 0; j < n; j++) {
			/* Another status is an error: the page is where it was, or is gone. */
			if (status[j] == to)
				chosen[j]->node = to;
			else if (status[j] == -2 || status[j] == -14)
				chosen[j]->node = -1;
			moved += status[j] == to;
		}
		n = 0;
	}
	return moved;
}

/* Pages that were first seen in a sample, and where they are. */
static void look_at_new(void)
{
	for (unsigned int i = 0; i < nr_entries; i++) {
		void *page = (void *)entries[i].page;
		int status;

		if (entries[i].node < 0 && entries[i].count &&
		    !syscall(SYS_move_pages, target, 1UL, &page, NULL, &status, 0) && status >= 0)
			entries[i].node = status;
	}
}

static void rebalance(unsigned int capacity)
{
	unsigned int used = 0, wanted = 0, room;

	look_at_new();
	for (unsigned int i = 0; i < nr_entries; i++) {
		cool(&entries[i]);
		used += entries[i].node == 0;
		wanted += entries[i].node == 1 && entries[i].count >= HOT;
	}
	room = used < capacity ? capacity - used : 0;
	if (wanted > room)
		room += move(false, 1, wanted - room);
	if (room)
		move(true, 0, room);
}

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = INTERVAL_MS * 1000000 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct perf_event_mmap_page *rings[64];
	unsigned int capacity;

	if (argc != 3 || cpus > 64) {
		fputs("usage: perf_loop PID CAPACITY\n", stderr);
		return 2;
	}
	target = atoi(argv[1]);
	/* A little is left free, as the kernel needs it. */
	capacity = strtoul(argv[2], NULL, 10) * 97 / 100;
	signal(SIGTERM, on_signal);
	for (long i = 0; i < cpus; i++) {
		rings[i] = open_ring(i);
		if (!rings[i]) {
			perror("perf_loop: perf_event_open");
			return 1;
		}
	}
	scan();
	for (unsigned int i = 1; !atomic_load(&stop); i++) {
		nanosleep(&nap, NULL);
		for (long cpu = 0; cpu < cpus; cpu++)
			drain(rings[cpu]);
		if (i % LOOKS == 0)
			rebalance(capacity);
	}
	return 0;
}
