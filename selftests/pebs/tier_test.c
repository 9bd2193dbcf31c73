// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the emulated unit's data source for loads: its cache, or the memory of which
 * node. Prints TAP. With a second node (selftests/vm --numa) that one's memory must be the
 * remote one. "# truth" lines say what the ground truth must be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access.h"
#include "sampler.h"
#include "system.h"

#define TRUTH		"/sys/module/pebs_emu/parameters/truth"

#define L3_MISS		0x20d1
#define LOCAL_DRAM	0x01d3
#define REMOTE_DRAM	0x02d3

#define LINES		(ACCESS_PAGE / 64)	/* of a page */
/*
 * The cache has 2 MiB, 16 ways and so 32 page colours. A few pages have few of the same
 * colour, and all stay cached; of MANY pages, more than 16 have each colour.
 */
#define FEW		16UL
#define MANY		2048UL
/* Lines of the test's own code and stack that may miss as well. */
#define STRAY		200

enum { MISSES, LOCAL, REMOTE, EVENTS };

static const __u64 configs[EVENTS] = { L3_MISS, LOCAL_DRAM, REMOTE_DRAM };

/*
 * Memory of a node, or of any node if that is negative. Nothing else was ever at its address, not
 * even before exec(): the truth knows a page by the process and the address.
 */
static __u64 *map_pages(unsigned long pages, int node)
{
	static unsigned long next = 0x100000000000UL;
	unsigned long mask = 1UL << (node & 31);
	void *map = mmap((void *)next, pages * ACCESS_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	next += pages * ACCESS_PAGE;
	if (map == MAP_FAILED)
		bail_out("map", "memory");
	madvise(map, pages * ACCESS_PAGE, MADV_NOHUGEPAGE);
	if (node >= 0 && syscall(SYS_mbind, map, pages * ACCESS_PAGE, MPOL_BIND, &mask, 32, 0))
		bail_out("bind", "memory to a node");
	memset(map, 1, pages * ACCESS_PAGE);
	return map;
}

static void load_all(const __u64 *at, unsigned long pages)
{
	access_load(at, pages, pages * ACCESS_WORDS);
}

/* Evicts all other lines from the cache. */
static void flush(void)
{
	static __u64 *at;

	if (!at)
		at = map_pages(MANY, -1);
	load_all(at, MANY);
}

/*
 * Counts the loads of all of @at with several events in one group, so that they count the
 * same loads.
 */
static void count_loads(const __u64 *at, unsigned long pages, __u64 counts[EVENTS])
{
	struct sampler s[EVENTS];

	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = sampler_attr(configs[i], 0);

		attr.disabled = !i;
		if (sampler_open(&s[i], &attr, 0, i ? &s[0] : NULL))
			bail_out("open", "an event");
	}
	sampler_enable(&s[0]);
	load_all(at, pages);
	sampler_disable(&s[0]);
	for (int i = 0; i < EVENTS; i++) {
		counts[i] = sampler_count(&s[i]);
		sampler_close(&s[i]);
	}
	printf("# %lu pages: %llu misses, %llu local, %llu remote\n", pages, counts[MISSES],
	       counts[LOCAL], counts[REMOTE]);
}

static bool misses_are(const __u64 *at, unsigned long pages, __u64 want)
{
	__u64 counts[EVENTS];

	count_loads(at, pages, counts);
	if (counts[MISSES] < want || counts[MISSES] > want + STRAY)
		return fail("%llu misses, not %llu", counts[MISSES], want);
	return counts[MISSES] == counts[LOCAL] + counts[REMOTE] ||
	       fail("local and remote do not add up to the misses");
}

/* Each line misses once, and then hits. */
static bool test_fits(void)
{
	const __u64 *at = map_pages(FEW, -1);

	flush();
	return misses_are(at, FEW, FEW * LINES) & misses_are(at, FEW, 0);
}

/* The least recently used line is evicted first, so each round misses on every line. */
static bool test_does_not_fit(void)
{
	const __u64 *at = map_pages(MANY, -1);

	flush();
	return misses_are(at, MANY, MANY * LINES) & misses_are(at, MANY, MANY * LINES);
}

static bool served_by(int node, int event)
{
	const __u64 *at = map_pages(FEW, node);
	__u64 counts[EVENTS];

	flush();
	count_loads(at, FEW, counts);
	return (counts[event] >= FEW * LINES && counts[event] <= FEW * LINES + STRAY) ||
	       fail("node %d: %llu loads, not %lu", node, counts[event], FEW * LINES);
}

static bool test_nodes(void)
{
	return served_by(0, LOCAL) & served_by(1, REMOTE);
}

/* Each line is loaded once: the truth shows which node served the misses. */
static bool test_truth(void)
{
	for (int node = 0; node < 2; node++) {
		const __u64 *at = map_pages(FEW, node);

		write_number(TRUTH, 1);
		flush();
		load_all(at, FEW);
		write_number(TRUTH, 0);
		for (unsigned long page = 0; page < FEW; page++)
			printf("# truth %d,0x%lx,%lu,0,%lu,0,%lu,0\n", getpid(),
			       (unsigned long)(at + page * ACCESS_WORDS), ACCESS_WORDS, LINES,
			       node * LINES);
	}
	return true;
}

struct where {
	const __u64 *at;
	__u64 inside;
};

static void count_inside(const struct sample *sample, void *arg)
{
	struct where *where = arg;

	where->inside += sample->addr - (__u64)where->at < FEW * ACCESS_PAGE;
}

/* A sample of one node's event never has an address in the other node's memory. */
static bool test_samples(void)
{
	for (int node = 0; node < 2; node++) {
		struct where where = { .at = map_pages(FEW, node) };

		for (int event = LOCAL; event <= REMOTE; event++) {
			struct perf_event_attr attr = sampler_attr(configs[event], 7);
			bool own = event == (node ? REMOTE : LOCAL);
			struct sampler s;

			where.inside = 0;
			if (sampler_open(&s, &attr, 0, NULL))
				return fail("cannot open");
			flush();
			sampler_enable(&s);
			load_all(where.at, FEW);
			sampler_disable(&s);
			sampler_read(&s, count_inside, &where);
			sampler_close(&s);
			if (own ? where.inside < FEW * LINES / 7 - STRAY / 7 : where.inside)
				return fail("node %d, r%llx: %llu samples", node, configs[event],
					    where.inside);
		}
	}
	return true;
}

/* The emulated cache sees no access while nothing counts: something does all the time. */
static void keep_counting(void)
{
	static struct sampler s;
	struct perf_event_attr attr = sampler_attr(L3_MISS, 0);

	if (sampler_open(&s, &attr, 0, NULL))
		bail_out("open", "an event");
	sampler_enable(&s);
}

static const struct {
	const char *name;
	bool (*run)(void);
	bool two_nodes;
} tests[] = {
	{ .name = "what fits the cache misses once", .run = test_fits },
	{ .name = "what does not fit always misses", .run = test_does_not_fit },
	{ .name = "each node's memory serves its loads", .run = test_nodes,
	  .two_nodes = true },
	{ .name = "the truth knows which node served a miss", .run = test_truth,
	  .two_nodes = true },
	{ .name = "samples are of the memory that their event names", .run = test_samples,
	  .two_nodes = true },
};

int main(void)
{
	const bool two_nodes = !access("/sys/devices/system/node/node1", F_OK);
	const int n = sizeof(tests) / sizeof(*tests);
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", n);
	pin(0);
	set_max_rate(1000000);
	write_number(TRUTH, 0);
	keep_counting();
	for (int i = 0; i < n; i++) {
		bool skip = tests[i].two_nodes && !two_nodes;
		bool good = skip || tests[i].run();

		failed += !good;
		printf("%sok %d %s%s\n", good ? "" : "not ", i + 1, tests[i].name,
		       skip ? " # SKIP there is one node" : "");
	}
	return failed != 0;
}
