// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the model of CPU that the driver presents (its parameter "model"): which events its
 * PMUs take on which CPUs, and what their samples tell. Needs two CPUs and two nodes, of which
 * the second may have a CPU. Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access.h"
#include "sampler.h"
#include "system.h"

#define MODEL		"/sys/module/pebs_emu/parameters/model"
#define PMUS		"/sys/bus/event_source/devices/"

#define AUX		0x8203
#define PAGES		1024UL		/* of each node: twice the cache */
#define PERIOD		61
/* What the tests' own code may add. */
#define STRAY		50

/* Stores to all pages of a node, so often: more than the STLB holds come between two to a page. */
#define ROUNDS		8

/* What the samples of an event tell of an access. */
enum tells {
	NO_SAMPLES,	/* the event does not count such accesses */
	ADDRESS,
	OPERATION,	/* and if it was a load or a store */
	LEVEL,		/* and what served it */
	STALE,		/* nothing: the address is that of another access */
};

/**
 * struct expected - what is expected of an event
 * @model: on this model
 * @pmu: of this PMU
 * @cpu: on this CPU
 * @config: umask and event select
 * @latency: config1
 * @aux: it is opened in a group with the auxiliary event
 * @store: @near and @far are of stores that miss the STLB, not of loads
 * @err: negative errno with which it is refused
 * @near: what samples of loads from the CPU's own node tell
 * @far: what those of loads from the other node tell
 */
static const struct expected {
	const char *model;
	const char *pmu;
	int cpu;
	__u64 config;
	__u64 latency;
	bool aux;
	bool store;
	int err;
	enum tells near;
	enum tells far;
} table[] = {
	{ "skylake", "cpu", 0, 0x81d0, .near = OPERATION, .far = OPERATION },
	{ "skylake", "cpu", 0, 0x83d0, .near = ADDRESS, .far = ADDRESS },
	{ "skylake", "cpu", 0, 0x20d1, .near = OPERATION, .far = OPERATION },
	{ "skylake", "cpu", 1, 0x01d3, .near = OPERATION },
	{ "skylake", "cpu", 0, 0x02d3, .far = OPERATION },
	{ "skylake", "cpu", 1, 0x02d3, .far = OPERATION },
	{ "skylake", "cpu", 0, 0x01cd, 128, .near = LEVEL, .far = LEVEL },
	{ "skylake", "cpu", 0, 0x01cd, 300, .far = LEVEL },
	{ "skylake", "cpu", 0, 0x80d1, .err = -EINVAL },
	{ "skylake", "cpu", 0, 0x12d0, .near = NO_SAMPLES },
	{ "skylake", "cpu", 0, 0x12d0, .store = true, .near = OPERATION, .far = OPERATION },
	{ "sapphire-rapids", "cpu", 0, 0x20d1, .near = OPERATION, .far = OPERATION },
	{ "sapphire-rapids", "cpu", 0, 0x12d0, .store = true, .near = OPERATION, .far = OPERATION },
	{ "sapphire-rapids", "cpu", 0, 0x01cd, 128, .err = -ENODATA },
	{ "sapphire-rapids", "cpu", 0, 0x01cd, 128, .aux = true, .near = LEVEL, .far = LEVEL },
	{ "granite-rapids", "cpu", 0, 0x20d1, .near = OPERATION, .far = OPERATION },
	{ "granite-rapids", "cpu", 0, 0x12d0, .store = true, .near = OPERATION, .far = OPERATION },
	{ "granite-rapids", "cpu", 0, 0x01d3, .near = OPERATION },
	{ "granite-rapids", "cpu", 0, 0x80d1, .far = OPERATION },
	{ "granite-rapids", "cpu", 0, 0x02d3, .near = NO_SAMPLES },
	{ "granite-rapids", "cpu", 0, 0x01cd, 128, .near = LEVEL, .far = LEVEL },
	{ "sierra-forest", "cpu", 0, 0x01d3, .near = STALE },
	{ "sierra-forest", "cpu", 0, 0x02d3, .far = STALE },
	{ "sierra-forest", "cpu", 0, 0x20d1, .near = NO_SAMPLES },
	{ "sierra-forest", "cpu", 0, 0x81d0, .near = ADDRESS, .far = ADDRESS },
	{ "sierra-forest", "cpu", 0, 0x12d0, .store = true, .near = ADDRESS, .far = ADDRESS },
	{ "sierra-forest", "cpu", 0, 0x05d0, 128, .near = LEVEL, .far = LEVEL },
	{ "sierra-forest", "cpu", 0, 0x01cd, 128, .err = -EINVAL },
	{ "alder-lake", "cpu_core", 0, 0x01d3, .near = OPERATION, .far = OPERATION },
	{ "alder-lake", "cpu_core", 1, 0x01d3, .err = -ENOENT },
	{ "alder-lake", "cpu_core", 0, 0x01cd, 128, .err = -ENODATA },
	{ "alder-lake", "cpu_core", 0, 0x80d1, .err = -EINVAL },
	{ "alder-lake", "cpu_core", 0, 0x12d0, .store = true, .near = OPERATION, .far = OPERATION },
	{ "alder-lake", "cpu_atom", 1, 0x80d1, .near = ADDRESS, .far = ADDRESS },
	{ "alder-lake", "cpu_atom", 0, 0x80d1, .err = -ENOENT },
	{ "alder-lake", "cpu_atom", 1, 0x20d1, .near = NO_SAMPLES },
	{ "alder-lake", "cpu_atom", 1, 0x12d0, .store = true, .near = ADDRESS, .far = ADDRESS },
	{ "alder-lake", "cpu_atom", 1, 0x05d0, 128, .near = LEVEL, .far = LEVEL },
	{ "ideal", "cpu", 0, 0x20d1, .near = LEVEL, .far = LEVEL },
	{ "ideal", "cpu", 0, 0x81d0, .near = LEVEL, .far = LEVEL },
	{ "ideal", "cpu", 0, 0x12d0, .store = true, .near = LEVEL, .far = LEVEL },
};

/* The CPUs of a PMU that has not all of them. */
static const struct {
	const char *model;
	const char *pmu;
	const char *cpus;
} cpu_lists[] = {
	{ "alder-lake", "cpu_core", "0" },
	{ "alder-lake", "cpu_atom", "1" },
};

static __u64 *node_memory[2];

/* Reads the first word of a file. */
static void read_word(const char *path, char word[32])
{
	FILE *file = fopen(path, "r");

	if (!file || fscanf(file, "%31s", word) != 1)
		bail_out("read", path);
	fclose(file);
}

static bool of_model(const char *name)
{
	char model[32];

	read_word(MODEL, model);
	return !strcmp(model, name);
}

static void map_node(int node)
{
	unsigned long mask = 1UL << node, size = PAGES * ACCESS_PAGE;
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || syscall(SYS_mbind, map, size, MPOL_BIND, &mask, 32, 0))
		bail_out("map", "memory of a node");
	madvise(map, size, MADV_NOHUGEPAGE);
	memset(map, 1, size);
	node_memory[node] = map;
}

static int node_of_this_cpu(void)
{
	unsigned int cpu, node;

	if (getcpu(&cpu, &node))
		bail_out("find", "this CPU");
	return node;
}

/**
 * struct seen - what samples told of one node's memory
 * @node: it
 * @far: it is not the CPU's own
 * @stores: the accesses were stores
 * @inside: samples with an address there
 * @all: all samples
 * @level: samples that told what served them
 * @operation: those that told what they were: loads or stores
 * @right: those that told the right memory, or a cache
 */
struct seen {
	int node;
	bool far;
	bool stores;
	__u64 inside;
	__u64 all;
	__u64 level;
	__u64 operation;
	__u64 right;
};

static void see(const struct sample *sample, void *arg)
{
	const union perf_mem_data_src src = sample->source;
	struct seen *seen = arg;

	seen->all++;
	if (sample->addr - (__u64)node_memory[seen->node] >= PAGES * ACCESS_PAGE)
		return;
	seen->inside++;
	/* Of a store, also if a cache had its data. */
	seen->operation += seen->stores ? src.mem_op == PERF_MEM_OP_STORE &&
					  src.mem_lvl & (PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS) :
					  src.mem_op == PERF_MEM_OP_LOAD;
	seen->level += src.mem_lvl_num != PERF_MEM_LVLNUM_NA;
	seen->right += src.mem_lvl_num == PERF_MEM_LVLNUM_L3 ||
		/* Which memory a store is for is not told. */
		(seen->stores ? src.mem_lvl_num == PERF_MEM_LVLNUM_ANY_CACHE :
		 seen->far ? src.mem_remote || src.mem_lvl_num == PERF_MEM_LVLNUM_PMEM :
		 src.mem_lvl_num == PERF_MEM_LVLNUM_RAM && !src.mem_remote);
}

static bool tells(const struct seen *seen, enum tells want)
{
	const bool told = seen->inside >= STRAY;

	switch (want) {
	case NO_SAMPLES:
		return seen->inside == 0 && seen->all < STRAY;
	case STALE:
		return seen->inside == 0 && seen->all >= STRAY;
	case ADDRESS:
		return told && !seen->operation && !seen->level;
	case OPERATION:
		return told && seen->operation == seen->inside && !seen->level;
	case LEVEL:
		return told && seen->operation == seen->inside && seen->right == seen->inside;
	}
	return false;
}

static struct perf_event_attr attr_of(const struct expected *e, __u64 config, __u64 period)
{
	struct perf_event_attr attr = sampler_attr(config, period);
	char path[64];

	snprintf(path, sizeof(path), PMUS "%s/type", e->pmu);
	attr.type = read_number(path);
	return attr;
}

/* Each line is loaded, and all lines of both nodes before it is loaded again. */
static void load_pages(struct sampler *s, int node)
{
	access_load(node_memory[!node], PAGES, PAGES * ACCESS_WORDS);
	sampler_enable(s);
	access_load(node_memory[node], PAGES, PAGES * ACCESS_WORDS);
	sampler_disable(s);
}

/* The same with pages, for the STLB. Only what is counted changes it. */
static void store_pages(struct sampler *s, int node)
{
	int i;

	sampler_enable(s);
	for (i = 0; i < ROUNDS; i++) {
		access_store(node_memory[!node], PAGES, PAGES);
		access_store(node_memory[node], PAGES, PAGES);
	}
	sampler_disable(s);
}

static bool samples_tell(const struct expected *e, struct sampler *s)
{
	bool good = true;

	for (int node = 0; node < 2; node++) {
		struct seen seen = {
			.node = node, .far = node != node_of_this_cpu(), .stores = e->store,
		};
		const enum tells want = seen.far ? e->far : e->near;

		if (e->store)
			store_pages(s, node);
		else
			load_pages(s, node);
		sampler_read(s, see, &seen);
		if (tells(&seen, want))
			continue;
		good = fail("%s/r%llx/, node %d: %llu of %llu samples, %llu accesses, %llu levels",
			    e->pmu, e->config, node, seen.inside, seen.all, seen.operation,
			    seen.level);
	}
	return good;
}

static bool event_is_as_expected(const struct expected *e)
{
	struct perf_event_attr attr = attr_of(e, e->config, PERIOD), aux = attr_of(e, AUX, 0);
	struct sampler s, leader;
	bool good;
	int err;

	pin(e->cpu);
	attr.config1 = e->latency;
	attr.disabled = 1;
	if (e->aux) {
		aux.disabled = 0;
		if (sampler_open(&leader, &aux, e->cpu, NULL))
			return fail("%s: cannot open the auxiliary event", e->model);
	}
	err = sampler_open(&s, &attr, e->cpu, e->aux ? &leader : NULL);
	if (err == e->err)
		good = err || samples_tell(e, &s);
	else
		good = fail("%s %s/r%llx/ on CPU %d: %s", e->model, e->pmu, e->config, e->cpu,
			    strerror(-err));
	if (!err)
		sampler_close(&s);
	if (e->aux)
		sampler_close(&leader);
	return good;
}

static bool test_events(void)
{
	bool good = true;
	int n = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (!of_model(table[i].model))
			continue;
		good &= event_is_as_expected(&table[i]);
		n++;
	}
	return n ? good : fail("nothing is expected of this model");
}

static bool test_cpus(void)
{
	char path[64], cpus[32];
	bool good = true;

	for (size_t i = 0; i < sizeof(cpu_lists) / sizeof(*cpu_lists); i++) {
		if (!of_model(cpu_lists[i].model))
			continue;
		snprintf(path, sizeof(path), PMUS "%s/cpus", cpu_lists[i].pmu);
		read_word(path, cpus);
		if (strcmp(cpus, cpu_lists[i].cpus))
			good = fail("%s has the CPUs %s", cpu_lists[i].pmu, cpus);
	}
	if (!access(PMUS "cpu/cpus", F_OK))
		good = fail("a PMU of all CPUs lists some");
	return good;
}

int main(void)
{
	bool good;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..2\n");
	set_max_rate(1000000);
	map_node(0);
	map_node(1);
	good = test_events();
	printf("%sok 1 events are as on the real CPU\n", good ? "" : "not ");
	if (!test_cpus()) {
		printf("not ");
		good = false;
	}
	printf("ok 2 each PMU lists its CPUs\n");
	return !good;
}
