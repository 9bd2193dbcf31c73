// SPDX-License-Identifier: GPL-2.0
/*
 * htmm-hwtest-work PAGES CPU [NODE...]: loops whose accesses are known, for htmm-hwtest.
 *
 * An array of so many pages, in turn on each of the nodes, 64 pages at a time; and SPARE pages
 * more. One page of four is hot: see is_hot(). Prints "ready ADDRESS" and waits for commands, a
 * line each; the end of the input ends it, so that it does not outlive who gives them.
 *
 *	chase N		N rounds over all 64 lines of the hot pages and 8 lines of each other page,
 *			in a random order, each load needs the one before: one load a line
 *	stream N	N times over the array, a load for each 8 bytes
 *	store N		N times over the array, a store for each line of 64 bytes
 *	touch N		N times give the spare pages back and touch them: a page fault each
 *	nodes		how many pages are on the first nodes, and how many of these are hot
 *
 * The answer to a loop is how many nanoseconds and cycles it took; 0 cycles: they are not known.
 */
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define LINE	64UL
#define LINES	(PAGE / LINE)
/* Pages that follow each other on a node. */
#define CHUNK	64
#define SPARE	512
#define NODES	16
/* Nodes that a kernel can have. */
#define NODES_MAX	1024
#define BITS		(8 * sizeof(unsigned long))
/* Of a page that is not hot, each eighth line is loaded. */
#define STEP	8

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

static char *array;
static size_t pages;
static char *first;	/* line of the chase */
static uint64_t visits;	/* of a round */
static int cycles_fd = -1;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* htmm-hwtest computes the same. */
static bool is_hot(uint32_t page)
{
	return page * 2654435761U >> 30 == 0;
}

/*
 * Those of one node may be moved later, as by 'htmmctl tier'. Those of several stay: else the
 * kernel would move them to the CPU that loads them.
 */
static void place(const char *const *nodes, int nr)
{
	unsigned int node;
	size_t i;

	for (i = 0; nr && i < pages; i += CHUNK) {
		unsigned long mask[NODES_MAX / BITS] = {};

		node = atoi(nodes[i / CHUNK % nr]);
		if (node < NODES_MAX)
			mask[node / BITS] = 1UL << node % BITS;
		/* It takes one bit less than it is told. */
		if (syscall(SYS_mbind, array + i * PAGE, CHUNK * PAGE, MPOL_BIND, mask,
			    NODES_MAX + 1, 0))
			fail("mbind");
	}
	for (i = 0; i < pages; i++)
		array[i * PAGE] = 1;
	if (nr == 1 && syscall(SYS_mbind, array, pages * PAGE, MPOL_DEFAULT, NULL, 0, 0))
		fail("mbind");
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Links the lines in a random order to a ring. */
static void link_lines(void)
{
	uint32_t *line = malloc(pages * LINES * sizeof(*line)), swap;
	uint64_t seed = 1, i, j;
	size_t page, at;

	if (!line)
		fail("malloc");
	for (page = 0; page < pages; page++)
		for (at = 0; at < LINES; at += is_hot(page) ? 1 : STEP)
			line[visits++] = page * LINES + at;
	for (i = visits - 1; i > 0; i--) {
		j = next_random(&seed) % (i + 1);
		swap = line[i];
		line[i] = line[j];
		line[j] = swap;
	}
	for (i = 0; i < visits; i++)
		*(void **)(array + line[i] * LINE) = array + line[(i + 1) % visits] * LINE;
	first = array + line[0] * LINE;
	free(line);
}

static void chase(uint64_t rounds)
{
	uint64_t n = rounds * visits;
	char *at = first;

	asm volatile("1: movq (%0), %0\n\tdecq %1\n\tjnz 1b"
		     : "+r"(at), "+r"(n) : : "memory", "cc");
}

static void stream(uint64_t rounds)
{
	uint64_t out, n;
	char *at;

	while (rounds--) {
		at = array;
		n = pages * LINES;
		asm volatile("1: movq (%0), %2\n\tmovq 8(%0), %2\n\tmovq 16(%0), %2\n\t"
			     "movq 24(%0), %2\n\tmovq 32(%0), %2\n\tmovq 40(%0), %2\n\t"
			     "movq 48(%0), %2\n\tmovq 56(%0), %2\n\t"
			     "addq $64, %0\n\tdecq %1\n\tjnz 1b"
			     : "+r"(at), "+r"(n), "=&r"(out) : : "memory", "cc");
	}
}

/* The beginning of a line is a link of the chase. */
static void store(uint64_t rounds)
{
	uint64_t n;
	char *at;

	while (rounds--) {
		at = array;
		n = pages * LINES;
		asm volatile("1: movq %1, 8(%0)\n\taddq $64, %0\n\tdecq %1\n\tjnz 1b"
			     : "+r"(at), "+r"(n) : : "memory", "cc");
	}
}

static void touch(uint64_t rounds)
{
	char *spare = array + pages * PAGE;
	size_t i;

	while (rounds--) {
		madvise(spare, SPARE * PAGE, MADV_DONTNEED);
		for (i = 0; i < SPARE; i++)
			asm volatile("movb $1, %0" : "=m"(spare[i * PAGE]));
	}
}

static void print_nodes(void)
{
	unsigned long on[NODES] = {}, hot[NODES] = {};
	void *page;
	int status;
	size_t i;

	for (i = 0; i < pages; i++) {
		page = array + i * PAGE;
		if (syscall(SYS_move_pages, 0, 1, &page, NULL, &status, 0))
			fail("move_pages");
		if (status < 0 || status >= NODES)
			continue;
		on[status]++;
		hot[status] += is_hot(i);
	}
	for (i = 0; i < NODES; i++)
		printf("%lu %lu ", on[i], hot[i]);
	putchar('\n');
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static uint64_t now_cycles(void)
{
	uint64_t value;

	return read(cycles_fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

/* Those of the kernel, too: most of what a sample costs is there. */
static void open_cycles(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};

	cycles_fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const struct {
	const char *name;
	void (*run)(uint64_t rounds);
} loops[] = {
	{ "chase", chase }, { "stream", stream }, { "store", store }, { "touch", touch },
};

static bool run(const char *name, uint64_t rounds)
{
	uint64_t ns, cycles;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		if (strcmp(name, loops[i].name))
			continue;
		ns = now_ns();
		cycles = now_cycles();
		loops[i].run(rounds);
		cycles = now_cycles() - cycles;
		printf("%lu %lu\n", now_ns() - ns, cycles);
		return true;
	}
	return false;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

int main(int argc, char **argv)
{
	char line[64], name[16];
	unsigned long rounds;

	pages = argc > 2 ? strtoul(argv[1], NULL, 0) / CHUNK * CHUNK : 0;
	if (!pages) {
		fputs("usage: htmm-hwtest-work PAGES CPU [NODE...], as htmm-hwtest does\n", stderr);
		return 2;
	}
	setlinebuf(stdout);
	pin(atoi(argv[2]));
	array = mmap(NULL, (pages + SPARE) * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array == MAP_FAILED)
		fail("mmap");
	madvise(array, (pages + SPARE) * PAGE, MADV_NOHUGEPAGE);
	place((const char *const *)argv + 3, argc - 3);
	link_lines();
	open_cycles();
	printf("ready %lu\n", (unsigned long)array);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%15s %lu", name, &rounds) == 2 && rounds && run(name, rounds))
			continue;
		if (strcmp(line, "nodes\n"))
			return 2;
		print_nodes();
	}
	return 0;
}
