// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "model.h"

/*
 * The numbers are those of perf's lists (tools/perf/pmu-events/arch/x86 in the kernel), which
 * selftests/userspace/test_presets compares with this table for every model.
 *
 * An event is here only if its samples tell the address of the data (Data_LA in the lists).
 * Other events would be accepted by perf all the same, with an address that means nothing.
 */
static const struct model models[] = {
	/* Columns: dram, remote, pmm, cxl, miss, latency, load, store, store-miss, access. */

	/* Bonnell and Silvermont: no event has an address. */
	{ .cpus = { 0x61c, 0x626, 0x627, 0x635, 0x636, 0x637, 0x64a, 0x64c, 0x64d, 0x65a } },
	/* Nehalem and Westmere */
	{ .cpus = { 0x61a, 0x61e, 0x61f, 0x625, 0x62c, 0x62e, 0x62f },
	  .event = { 0, 0, 0, 0, 0, 0x100b, 0, 0, 0, 0 } },
	/* Sandy Bridge and Ivy Bridge */
	{ .cpus = { 0x62a, 0x62d, 0x63a, 0x63e },
	  .event = { 0, 0, 0, 0, 0, 0x1cd, 0, 0, 0, 0 } },
	/* Haswell and Broadwell; as servers */
	{ .cpus = { 0x63c, 0x645, 0x646, 0x63d, 0x647 },
	  .event = { 0x1d3, 0, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0 } },
	{ .cpus = { 0x63f, 0x64f, 0x656 },
	  .event = { 0x1d3, 0x4d3, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0 } },
	/* Skylake to Rocket Lake; Cascade Lake and Ice Lake as servers; Skylake as a server */
	{ .cpus = { 0x64e, 0x65e, 0x68e, 0x69e, 0x6a5, 0x6a6, 0x67d, 0x67e, 0x68c, 0x68d, 0x6a7 },
	  .event = { 0, 0, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x655 }, .stepping = 5,
	  .event = { 0x1d3, 0x2d3, 0x80d1, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x66a, 0x66c },
	  .event = { 0x1d3, 0x2d3, 0x80d1, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x655 },
	  .event = { 0x1d3, 0x2d3, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	/* Sapphire Rapids, Emerald Rapids, Granite Rapids */
	{ .cpus = { 0x68f }, .needs_aux = true,
	  .event = { 0x1d3, 0x2d3, 0x80d1, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6cf }, .needs_aux = true,
	  .event = { 0x1d3, 0x2d3, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6ad, 0x6ae },
	  .event = { 0x1d3, 0x2d3, 0, 0x80d1, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	/* Large cores: Alder Lake; Meteor Lake; Lunar, Arrow and Panther Lake; Nova Lake */
	{ .cpus = { 0x697, 0x69a, 0x6b7, 0x6ba, 0x6bf }, .needs_aux = true,
	  .event = { 0x1d3, 0, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6aa, 0x6ac, 0x6b5 },
	  .event = { 0x1d3, 0, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6bd, 0x6c5, 0x6c6, 0x6cc, 0x6d5, 0x6e5 },
	  .event = { 0, 0, 0, 0, 0x20d1, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x87d0 } },
	{ .cpus = { 0x1201, 0x1203 }, .miss_config1 = 0xff03f000000001,
	  .event = { 0, 0, 0, 0, 0x1d6, 0x1cd, 0x81d0, 0x82d0, 0x12d0, 0x87d0 } },
	/* Small cores: Goldmont and Tremont; Gracemont; Crestmont and Skymont; Darkmont */
	{ .cpus = { 0x65c, 0x65f, 0x67a, 0x686, 0x696, 0x69c },
	  .event = { 0x80d1, 0, 0, 0, 0x80d1, 0, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6be }, .small = { 0x697, 0x69a, 0x6b7, 0x6ba, 0x6bf },
	  .event = { 0x80d1, 0, 0, 0, 0x20d2, 0x5d0, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6af, 0x6b6 }, .small = { 0x6aa, 0x6ac, 0x6b5, 0x6bd, 0x6c5, 0x6c6 },
	  .event = { 0, 0, 0, 0, 0, 0x5d0, 0x81d0, 0x82d0, 0x12d0, 0x83d0 } },
	{ .cpus = { 0x6dd }, .small = { 0x6cc, 0x6d5, 0x6e5 },
	  .event = { 0, 0, 0, 0, 0, 0x5d0, 0, 0, 0, 0 } },
	/* Knights Landing */
	{ .cpus = { 0x657, 0x685 }, .event = { 0, 0, 0, 0, 0x404, 0, 0, 0, 0, 0 } },
};

static bool parse_id(struct cpu_id *id, const char *text)
{
	return sscanf(text, "%15[^-]-%u-%x-%x", id->vendor, &id->family, &id->model,
		      &id->stepping) >= 3;
}

/* Takes the model of the first CPU; Linux wants all of them alike. */
static bool parse_cpuinfo(struct cpu_id *id, FILE *file)
{
	unsigned int found = 0;
	char line[256];

	while (found < 4 && fgets(line, sizeof(line), file) && *line != '\n')
		found += sscanf(line, "vendor_id : %15s", id->vendor) == 1 ||
			 sscanf(line, "cpu family : %u", &id->family) == 1 ||
			 sscanf(line, "model : %u", &id->model) == 1 ||
			 sscanf(line, "stepping : %u", &id->stepping) == 1;
	return found == 4;
}

bool cpu_id_read(struct cpu_id *id)
{
	const char *given = getenv("HTMM_CPUID");
	FILE *file;
	bool ok;

	memset(id, 0, sizeof(*id));
	if (given)
		return parse_id(id, given);
	file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return false;
	ok = parse_cpuinfo(id, file);
	fclose(file);
	return ok;
}

static bool has_cpu(const __u16 *cpus, unsigned int cpu)
{
	for (; *cpus; cpus++)
		if (*cpus == cpu)
			return true;
	return false;
}

const struct model *model_find(const struct cpu_id *id, bool small)
{
	const unsigned int cpu = id->family << 8 | id->model;
	size_t i;

	if (strcmp(id->vendor, "GenuineIntel"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (has_cpu(small ? models[i].small : models[i].cpus, cpu) &&
		    id->stepping >= models[i].stepping)
			return &models[i];
	return NULL;
}
