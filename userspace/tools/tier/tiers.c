// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include "tiers.h"
#include "zones.h"

/* The usual difference between CXL and local memory. */
#define GAP_NS		100
#define LINE		4096

void tiers_add(struct htmm_cpus *nodes, unsigned int node)
{
	nodes->bits[node / 64] |= 1ULL << (node % 64);
	if (nodes->size < (node / 64 + 1) * sizeof(__u64))
		nodes->size = (node / 64 + 1) * sizeof(__u64);
}

int tiers_next(const struct htmm_cpus *nodes, int node)
{
	int max = nodes->size * CHAR_BIT;

	while (++node < max)
		if (htmm_cpus_has(nodes, node))
			return node;
	return -1;
}

struct htmm_cpus tiers_both(const struct htmm_cpus *a, const struct htmm_cpus *b)
{
	struct htmm_cpus nodes = *a;
	size_t i;

	for (i = 0; i < nodes.size / sizeof(*nodes.bits); i++)
		nodes.bits[i] &= b->bits[i];
	return nodes;
}

/* Nodes with memory that are in neither set of @tiers go to @to. */
static void take_rest(const struct tiers *tiers, struct htmm_cpus *to,
		      const struct htmm_cpus *memory)
{
	int node;

	for (node = tiers_next(memory, -1); node >= 0; node = tiers_next(memory, node))
		if (!htmm_cpus_has(&tiers->fast, node) && !htmm_cpus_has(&tiers->slow, node))
			tiers_add(to, node);
}

static int check(const struct tiers *tiers, const struct htmm_cpus *memory, struct htmm_error *err)
{
	static const char todo[] = "give the nodes with --fast and --slow, see 'numactl -H'";
	int node;

	if (tiers_next(&tiers->fast, -1) < 0 || tiers_next(&tiers->slow, -1) < 0)
		return htmm_error_set(err, ENODEV, todo,
				      "this machine has only one tier of memory");
	for (node = 0; node < HTMM_CPUS_MAX; node++) {
		bool fast = htmm_cpus_has(&tiers->fast, node);
		bool slow = htmm_cpus_has(&tiers->slow, node);

		if (fast && slow)
			return htmm_error_set(err, EINVAL, todo, "node %d is in both tiers", node);
		if ((fast || slow) && !htmm_cpus_has(memory, node))
			return htmm_error_set(err, EINVAL, todo, "node %d has no memory", node);
	}
	return 0;
}

int tiers_find(struct tiers *tiers, struct htmm_error *err)
{
	struct htmm_cpus memory, fast;

	htmm_tiers_nodes(&fast, &memory, NULL);
	if (!tiers->fast.size && !tiers->slow.size)
		tiers->fast = fast;
	if (!tiers->fast.size)
		take_rest(tiers, &tiers->fast, &memory);
	if (!tiers->slow.size)
		take_rest(tiers, &tiers->slow, &memory);
	return check(tiers, &memory, err);
}

/* As the CPU that this runs on sees it: it is the one that moves pages. */
static struct zones read_zones(int node)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	struct zones zones = {};

	if (file) {
		zones = zones_read(file, node, sched_getcpu());
		fclose(file);
	}
	return zones;
}

__u64 tiers_free_pages(int node)
{
	return read_zones(node).usable;
}

__u64 tiers_unused_pages(int node)
{
	return read_zones(node).all;
}

__u64 tiers_sum(const struct htmm_cpus *nodes, __u64 (*pages)(int node))
{
	__u64 sum = 0;
	int node;

	for (node = tiers_next(nodes, -1); node >= 0; node = tiers_next(nodes, node))
		sum += pages(node);
	return sum;
}

__u64 tiers_pages(const struct htmm_cpus *nodes)
{
	unsigned long long sum = 0, kib;
	char path[PATH_MAX], line[LINE];
	int node;

	for (node = tiers_next(nodes, -1); node >= 0; node = tiers_next(nodes, node)) {
		FILE *file;

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "Node %*d MemTotal: %llu", &kib) == 1)
				sum += kib / 4;
		if (file)
			fclose(file);
	}
	return sum;
}

int tiers_roomiest(const struct htmm_cpus *nodes, __u64 *room)
{
	int node = tiers_next(nodes, -1), best = node;

	*room = 0;
	for (; node >= 0; node = tiers_next(nodes, node)) {
		__u64 pages = tiers_free_pages(node);

		if (pages > *room) {
			*room = pages;
			best = node;
		}
	}
	return best;
}

static double latency(int node)
{
	char path[PATH_MAX];
	double ns = 0;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/node/node%d/access0/initiators/read_latency", node);
	file = fopen(path, "re");
	if (file && fscanf(file, "%lf", &ns) != 1)
		ns = 0;
	if (file)
		fclose(file);
	return ns;
}

double tiers_gap_ns(const struct tiers *tiers)
{
	double fast = latency(tiers_next(&tiers->fast, -1));
	double slow = latency(tiers_next(&tiers->slow, -1));

	return fast > 0 && slow > fast ? slow - fast : GAP_NS;
}
