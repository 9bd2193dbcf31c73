// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include <htmm/tiers.h>
#include "cpus.h"

#define TIERS	"%s/devices/virtual/memory_tiering"

/*
 * Reads the nodes of the first tier, the one with the lowest number. Returns false unless
 * two tiers have nodes: then the kernel has not ranked them.
 */
static bool first_tier(const char *sysfs, struct htmm_cpus *nodes)
{
	unsigned int nr = 0, lowest = UINT_MAX, tier;
	char path[PATH_MAX], line[SYSFS_LINE];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), TIERS, sysfs);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "memory_tier%u", &tier) != 1 ||
		    htmm_read_line(line, sizeof(line), TIERS "/%s/nodelist", sysfs,
				   entry->d_name) || !*line)
			continue;
		nr++;
		if (tier < lowest && !htmm_cpus_parse(nodes, line, NULL))
			lowest = tier;
	}
	if (dir)
		closedir(dir);
	return nr > 1 && lowest != UINT_MAX;
}

/* The line "Node 0 MemTotal:  2028680 kB" is the first or the second one. */
static __u64 memory_of(const char *sysfs, unsigned int node)
{
	char path[PATH_MAX], line[SYSFS_LINE];
	unsigned long long kib;
	__u64 bytes = 0;
	FILE *from;

	snprintf(path, sizeof(path), "%s/devices/system/node/node%u/meminfo", sysfs, node);
	from = fopen(path, "re");
	while (from && !bytes && fgets(line, sizeof(line), from))
		if (sscanf(line, "Node %*u MemTotal: %llu kB", &kib) == 1)
			bytes = kib * 1024;
	if (from)
		fclose(from);
	return bytes;
}

bool htmm_tiers_nodes(struct htmm_cpus *fast, struct htmm_cpus *memory, const char *sysfs)
{
	sysfs = sysfs ?: "/sys";
	sysfs_nodes(memory, sysfs, "has_memory");
	if (first_tier(sysfs, fast))
		return true;
	sysfs_nodes(fast, sysfs, "has_cpu");
	return false;
}

int htmm_tiers_read(struct htmm_tiers *tiers, const char *sysfs, struct htmm_error *err)
{
	struct htmm_cpus fast, memory;
	unsigned int node;

	sysfs = sysfs ?: "/sys";
	*tiers = (struct htmm_tiers) { .ranked = htmm_tiers_nodes(&fast, &memory, sysfs) };
	for (node = 0; node < memory.size * CHAR_BIT; node++) {
		__u64 bytes = htmm_cpus_has(&memory, node) ? memory_of(sysfs, node) : 0;

		tiers->total_bytes += bytes;
		tiers->fast_bytes += htmm_cpus_has(&fast, node) ? bytes : 0;
	}
	if (tiers->fast_bytes)
		return 0;
	return htmm_error_set(err, ENOENT, "give the size of the fast tier with --capacity",
			      "the kernel does not show its memory in %s/devices/system/node",
			      sysfs);
}
