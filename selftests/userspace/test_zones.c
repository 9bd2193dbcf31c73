// SPDX-License-Identifier: GPL-2.0
/* What nodes have free, from a made-up /proc/zoneinfo. */
#include <sched.h>
#include <string.h>
#include "tier/tiers.h"
#include "tier/zones.h"

/* Two nodes, of which the first has two zones, on a machine of two CPUs. */
static char zoneinfo[] =
	"Node 0, zone      DMA\n"
	"  per-node stats\n"
	"      nr_inactive_anon 30000\n"
	"  pages free     700\n"
	"        boost    0\n"
	"        min      21\n"
	"        low      26\n"
	"        high     31\n"
	"        promo    36\n"
	"        managed  3840\n"
	"        protection: (0, 100, 400, 300)\n"
	"      nr_free_pages 700\n"
	"  pagesets\n"
	"    cpu: 0\n"
	"              count:    5\n"
	"              high:     1000\n"
	"              batch:    1\n"
	"              high_min: 13\n"
	"              high_max: 240\n"
	"  vm stats threshold: 4\n"
	"    cpu: 1\n"
	"              count:    7\n"
	"              high:     1000\n"
	"  vm stats threshold: 4\n"
	"  node_unreclaimable:  0\n"
	"  start_pfn:           1\n"
	"Node 0, zone   Normal\n"
	"  pages free     50\n"
	"        min      40\n"
	"        low      60\n"
	"        high     80\n"
	"        protection: (0, 0, 0, 0)\n"
	"  pagesets\n"
	"    cpu: 0\n"
	"              count:    90\n"
	"              high:     1000\n"
	"    cpu: 1\n"
	"              count:    20\n"
	"              high:     1000\n"
	"Node 1, zone  Movable\n"
	"  pages free     9000\n"
	"        min      100\n"
	"        low      200\n"
	"        high     300\n"
	"        protection: (0, 0, 0, 0)\n"
	"  pagesets\n"
	"    cpu: 0\n"
	"              count:    11\n"
	"    cpu: 1\n"
	"              count:    13\n"
	"Node 2, zone      DMA\n"
	"  pages free     500\n"
	"        min      32\n"
	"        low      100\n"
	"        high     200\n"
	"        protection: (0, 0, 0, 0)\n"
	"Node 2, zone  Movable\n"
	"  pages free     20\n"
	"        min      32\n"
	"        low      32\n"
	"        high     32\n"
	"        protection: (0, 0, 0, 0)\n";

static bool has(int node, int cpu, __u64 usable, __u64 all)
{
	FILE *file = fmemopen(zoneinfo, sizeof(zoneinfo) - 1, "r");
	struct zones zones;

	CHECK(file);
	zones = zones_read(file, node, cpu);
	fclose(file);
	if (zones.usable != usable || zones.all != all)
		printf("# node %d: %llu and %llu\n", node, zones.usable, zones.all);
	return zones.usable == usable && zones.all == all;
}

/*
 * Above the watermark, and what is kept for lower zones; with what this CPU has put aside. The
 * second zone of node 0 is below the watermark: what is put aside there cannot be had.
 */
static void test_usable(void)
{
	CHECK(has(0, 0, 700 + 5 - 26 - 400, 700 + 5 + 7 + 50 + 90 + 20));
	CHECK(has(0, 1, 700 + 7 - 26 - 400, 700 + 5 + 7 + 50 + 90 + 20));
	CHECK(has(1, 0, 9000 + 11 - 200, 9000 + 11 + 13));
	CHECK(has(1, 1, 9000 + 13 - 200, 9000 + 11 + 13));
}

/* A CPU, a node and a zone of which nothing is known. */
static void test_unknown(void)
{
	CHECK(has(1, 7, 9000 - 200, 9000 + 11 + 13));
	/* One that has too little does not take from the other. */
	CHECK(has(2, 0, 400, 520));
	CHECK(has(3, 0, 0, 0));
}

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
	CHECK(!strcmp(path, "/proc/zoneinfo"));
	return fmemopen(zoneinfo, sizeof(zoneinfo) - 1, mode);
}

/* As the CPU that asks has them. */
static void test_this_cpu(void)
{
	const __u64 own[] = { 11, 13 };
	struct htmm_cpus nodes = { .bits = { 6 }, .size = sizeof(__u64) };
	struct htmm_cpus all = { .bits = { 7 }, .size = sizeof(__u64) };
	unsigned int tried = 0;
	cpu_set_t before, one;
	__u64 room;
	int cpu;

	CHECK(!sched_getaffinity(0, sizeof(before), &before));
	for (cpu = 0; cpu < 2; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		/* The machine may have one CPU. */
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		tried++;
		CHECK(tiers_free_pages(1) == 9000 + own[cpu] - 200);
		CHECK(tiers_unused_pages(1) == 9000 + 11 + 13);
		CHECK(tiers_sum(&nodes, tiers_free_pages) == 9000 + own[cpu] - 200 + 400);
		CHECK(tiers_roomiest(&nodes, &room) == 1 && room == 9000 + own[cpu] - 200);
		CHECK(tiers_roomiest(&all, &room) == 1 && room == 9000 + own[cpu] - 200);
	}
	CHECK(tried && !sched_setaffinity(0, sizeof(before), &before));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_usable),
		TAP_TEST(test_unknown),
		TAP_TEST(test_this_cpu),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
