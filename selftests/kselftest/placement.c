// SPDX-License-Identifier: GPL-2.0
/* On NUMA machines, rings are on the nodes that the samples come from. */
#include <sched.h>
#include "check.h"
#include "files.h"

#define TRACING		"/sys/kernel/tracing/"
#define ALLOCATIONS	TRACING "events/kmem/mm_page_alloc/"

/* Blocks of 128 KiB: only rings are as large. */
#define LARGE_ORDER	5

struct node {
	cpu_set_t cpus;
	unsigned long first_pfn;
};

FIXTURE(placement) {
	int fd;
	struct source source;
	struct request req;
	struct node node[MAX_NODES];
	int nr_nodes;
	__u64 mask;
};

/* Finds the nodes with CPUs; their numbers have no gaps here. */
static int nodes_find(struct node *node)
{
	int cpu, nr, last = -1;
	char path[96];

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		for (nr = 0; nr < MAX_NODES; nr++) {
			snprintf(path, sizeof(path),
				 "/sys/devices/system/node/node%d/cpu%d", nr, cpu);
			if (access(path, F_OK))
				continue;
			CPU_SET(cpu, &node[nr].cpus);
			last = nr > last ? nr : last;
		}
	}
	return last + 1;
}

/* Finds where the memory of each node begins. */
static void nodes_find_memory(struct node *node)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	unsigned long pfn;
	char line[128];
	int nr = -1;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Node %d,", &nr);
		if (sscanf(line, " start_pfn: %lu", &pfn) == 1 && nr >= 0 &&
		    nr < MAX_NODES && pfn &&
		    (!node[nr].first_pfn || pfn < node[nr].first_pfn))
			node[nr].first_pfn = pfn;
	}
	if (file)
		fclose(file);
}

FIXTURE_SETUP(placement)
{
	self->nr_nodes = nodes_find(self->node);
	if (self->nr_nodes < 2)
		SKIP(return, "needs two nodes with CPUs");
	nodes_find_memory(self->node);
	source_find(&self->source, ACCESS_FAULT);
	request_init(&self->req, &self->source.event);
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(placement)
{
	file_write(ALLOCATIONS "enable", "0");
	file_write(ALLOCATIONS "filter", "0");
	close(self->fd);
	check_idle(_metadata);
}

static int node_of(const struct _test_data_placement *self, unsigned long pfn)
{
	int nr, best = 0;

	for (nr = 1; nr < self->nr_nodes; nr++)
		if (pfn >= self->node[nr].first_pfn)
			best = nr;
	return best;
}

/* Requests a session of the CPUs of a node, and lets this program run on another node. */
static void request_from_elsewhere(struct __test_metadata *_metadata,
				   struct _test_data_placement *self, int node)
{
	int cpu;

	self->mask = 0;
	for (cpu = 0; cpu < 64; cpu++)
		if (CPU_ISSET(cpu, &self->node[node].cpus))
			self->mask |= 1ULL << cpu;
	for (cpu = 0; !CPU_ISSET(cpu, &self->node[!node].cpus); cpu++)
		;
	ASSERT_EQ(0, cpu_pin(cpu));
	request_init(&self->req, &self->source.event);
	self->req.arg.cpus = (uintptr_t)&self->mask;
	self->req.arg.cpus_size = sizeof(self->mask);
}

/* The rings that this program allocates for a session that samples the CPUs of another node. */
TEST_F(placement, rings)
{
	int nr, want, blocks, strange;
	unsigned long pfn;
	unsigned int order;
	char line[512], *at;
	cpu_set_t *cpus;
	FILE *trace;

	for (want = 0; want < self->nr_nodes; want++) {
		cpus = &self->node[want].cpus;
		request_from_elsewhere(_metadata, self, want);
		self->req.arg.ring_pages = 32;
		self->req.arg.max_bytes = 1 << 20;
		snprintf(line, sizeof(line), "order >= %d && common_pid == %d",
			 LARGE_ORDER, getpid());
		ASSERT_EQ(0, file_write(ALLOCATIONS "filter", line));
		file_clear(TRACING "trace");
		ASSERT_EQ(0, file_write(ALLOCATIONS "enable", "1"));
		ASSERT_START(self);
		ASSERT_EQ(0, file_write(ALLOCATIONS "enable", "0"));
		close(self->fd);
		self->fd = device_open();

		blocks = 0;
		strange = 0;
		trace = fopen(TRACING "trace", "r");
		ASSERT_NE(NULL, trace);
		while (fgets(line, sizeof(line), trace)) {
			at = strstr(line, " pfn=");
			if (!at || sscanf(at, " pfn=%lx order=%u", &pfn, &order) != 2)
				continue;
			blocks++;
			nr = node_of(self, pfn);
			strange += nr != want;
			if (nr != want)
				TH_LOG("for node %d: %s", want, line);
		}
		fclose(trace);
		EXPECT_LE(CPU_COUNT(cpus), blocks);
		EXPECT_EQ(0, strange);
	}
}
