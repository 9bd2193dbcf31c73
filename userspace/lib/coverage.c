// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <htmm/cpus.h>
#include <htmm/event.h>
#include "pmu.h"
#include "sysfs.h"

static unsigned int count_nodes(const struct htmm_cpus *nodes, unsigned int *last)
{
	unsigned int node, nr = 0;

	for (node = 0; node < nodes->size * 8; node++) {
		if (!htmm_cpus_has(nodes, node))
			continue;
		*last = node;
		nr++;
	}
	return nr;
}

/* Is an event sampled on CPUs that are not of its PMU? */
static bool is_outside(const struct htmm_cpus *sampled, const struct htmm_cpus *of_pmu)
{
	unsigned int i;

	for (i = 0; i < sizeof(sampled->bits) / sizeof(*sampled->bits); i++)
		if (sampled->bits[i] & ~of_pmu->bits[i])
			return true;
	return false;
}

int htmm_events_check_cpus(const struct htmm_event_list *list, const struct htmm_cpus *cpus,
			   const char *sysfs, struct htmm_error *err)
{
	char line[SYSFS_LINE], todo[200];
	struct htmm_cpus sampled = *cpus;
	struct core_cpus cores;
	unsigned int i;

	if (!sampled.size && !sysfs_list(&sampled, line, sysfs, "devices/system/cpu/online"))
		return 0;
	for (i = 0; i < list->nr; i++) {
		if (!pmu_cpus(list->event[i].type, sysfs, &cores) ||
		    !is_outside(&sampled, &cores.cpus))
			continue;
		snprintf(todo, sizeof(todo),
			 "give -C %.40s, as a session samples one kind of cores; for others, -e PMU/PRESET/ as in cpu_atom/load-latency/",
			 cores.text);
		return htmm_error_set(err, EINVAL, todo,
				      "'%s' can be sampled on the CPUs %s of %s only",
				      list->event[i].name, cores.text, cores.pmu);
	}
	return 0;
}

/* The nodes that have memory and no CPUs: slow memory. */
static void far_nodes(const struct htmm_cpus *memory, const struct htmm_cpus *cpus,
		      struct htmm_cpus *far)
{
	unsigned int i;

	*far = (struct htmm_cpus) { .size = memory->size };
	for (i = 0; i < sizeof(far->bits) / sizeof(*far->bits); i++)
		far->bits[i] = memory->bits[i] & ~cpus->bits[i];
}

enum htmm_remote htmm_remote_memory(const char *sysfs)
{
	struct htmm_cpus memory, cpus, far;
	unsigned int node;

	if (!sysfs_nodes(&memory, sysfs, "has_memory") || !sysfs_nodes(&cpus, sysfs, "has_cpu"))
		return HTMM_REMOTE_NONE;
	far_nodes(&memory, &cpus, &far);
	if (!count_nodes(&far, &node))
		return count_nodes(&memory, &node) > 1 ? HTMM_REMOTE_FAST : HTMM_REMOTE_NONE;
	return count_nodes(&cpus, &node) > 1 ? HTMM_REMOTE_UNKNOWN : HTMM_REMOTE_SLOW;
}

/*
 * Finds a device of persistent memory or CXL that programs map themselves (devdax), so that
 * its memory is of no node. Returns false if there is none.
 */
static bool find_dax(char *name, size_t size, const char *sysfs)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	unsigned int n;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/bus/dax/drivers/device_dax", sysfs ?: "/sys");
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		found = sscanf(entry->d_name, "dax%u.%u", &n, &n) == 2;
		snprintf(name, size, "%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool htmm_events_unseen(const struct htmm_event_list *list, const char *sysfs,
			struct htmm_error *unseen)
{
	unsigned int i, sees = 0, node = 0, other = 0;
	struct htmm_cpus memory, cpus, far;
	char device[NAME_MAX + 1];

	for (i = 0; i < list->nr; i++)
		sees |= htmm_event_sees(&list->event[i], sysfs);
	if (!(sees & (HTMM_SEES_REMOTE | HTMM_SEES_SLOW)) &&
	    find_dax(device, sizeof(device), sysfs)) {
		htmm_error_set(unseen, 0, "sample llc-miss, which sees every memory",
			       "loads from the memory of device %s are not sampled", device);
		return true;
	}
	if (!sysfs_nodes(&memory, sysfs, "has_memory") || count_nodes(&memory, &node) < 2)
		return false;
	if (!sysfs_nodes(&cpus, sysfs, "has_cpu"))
		return false;
	far_nodes(&memory, &cpus, &far);
	/* Which event sees its loads depends on the CPU. */
	if (count_nodes(&far, &node) && !(sees & (HTMM_SEES_REMOTE | HTMM_SEES_SLOW))) {
		htmm_error_set(unseen, 0, "sample llc-miss, which sees every memory",
			       "loads from the memory of node %u, which has no CPUs, are not sampled",
			       node);
		return true;
	}
	if (count_nodes(&cpus, &other) > 1 && !(sees & HTMM_SEES_REMOTE)) {
		htmm_error_set(unseen, 0, "sample llc-miss, which sees every memory",
			       "loads from another node's memory are not sampled");
		return true;
	}
	return false;
}
