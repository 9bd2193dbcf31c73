// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <htmm/cpus.h>
#include <htmm/tiers.h>
#include "sysfs.h"

#define TIERS	"devices/virtual/memory_tiering"
#define NODES	"devices/system/node"
#define LINE	4096

/* The number at the end of a name such as "node3"; -1 if it has another form. */
static int number_of(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long number;

	if (strncmp(name, prefix, len) || name[len] < '0' || name[len] > '9')
		return -1;
	number = strtol(name + len, &end, 10);
	return *end || number > INT_MAX ? -1 : (int)number;
}

static DIR *open_dir(const char *sysfs, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", sysfs, dir);
	return opendir(path);
}

/*
 * Reads the nodes of the first tier, the one with the lowest number. Returns false unless
 * two tiers have nodes: then the kernel has not ranked them.
 */
static bool first_tier(const char *sysfs, struct htmm_cpus *nodes)
{
	DIR *dir = open_dir(sysfs, TIERS);
	int first = INT_MAX, number;
	struct dirent *entry;
	char line[LINE];
	unsigned int nr = 0;

	while (dir && (entry = readdir(dir))) {
		number = number_of(entry->d_name, "memory_tier");
		if (number < 0)
			continue;
		if (sysfs_line(line, sizeof(line), "%s/" TIERS "/%s/nodelist", sysfs,
			       entry->d_name))
			continue;
		nr++;
		if (number < first && !htmm_cpus_parse(nodes, line, NULL))
			first = number;
	}
	if (dir)
		closedir(dir);
	return nr > 1 && first != INT_MAX;
}

/* The line "Node 0 MemTotal:  2028680 kB" is the first or the second one. */
static __u64 memory_of(const char *sysfs, const char *node)
{
	unsigned long long kib;
	char path[PATH_MAX], line[LINE];
	__u64 bytes = 0;
	FILE *from;

	snprintf(path, sizeof(path), "%s/%s/%s/meminfo", sysfs, NODES, node);
	from = fopen(path, "re");
	while (from && !bytes && fgets(line, sizeof(line), from))
		if (sscanf(line, "Node %*u MemTotal: %llu kB", &kib) == 1)
			bytes = kib * 1024;
	if (from)
		fclose(from);
	return bytes;
}

int htmm_tiers_read(struct htmm_tiers *tiers, const char *sysfs, struct htmm_error *err)
{
	struct htmm_cpus first;
	struct dirent *entry;
	char line[LINE];
	DIR *dir;

	sysfs = sysfs ?: "/sys";
	*tiers = (struct htmm_tiers) { .ranked = first_tier(sysfs, &first) };
	dir = open_dir(sysfs, NODES);
	while (dir && (entry = readdir(dir))) {
		int node = number_of(entry->d_name, "node");
		__u64 bytes = node < 0 ? 0 : memory_of(sysfs, entry->d_name);

		tiers->total_bytes += bytes;
		sysfs_line(line, sizeof(line), "%s/" NODES "/%s/cpulist", sysfs, entry->d_name);
		if (tiers->ranked ? htmm_cpus_has(&first, node) : *line)
			tiers->fast_bytes += bytes;
	}
	if (dir)
		closedir(dir);
	if (tiers->fast_bytes)
		return 0;
	return htmm_error_set(err, ENOENT, "say what the fast tier holds with --capacity",
			      "the kernel does not tell of its memory in %s/%s", sysfs, NODES);
}
