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
#include "cpus.h"

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

static void subtract(struct htmm_cpus *cpus, const struct htmm_cpus *without)
{
	unsigned int i;

	for (i = 0; i < sizeof(cpus->bits) / sizeof(*cpus->bits); i++)
		cpus->bits[i] &= ~without->bits[i];
}

static bool overlap(const struct htmm_cpus *a, const struct htmm_cpus *b)
{
	__u64 both = 0;
	unsigned int i;

	for (i = 0; i < sizeof(a->bits) / sizeof(*a->bits); i++)
		both |= a->bits[i] & b->bits[i];
	return both;
}

static void remove_event(struct htmm_event_list *list, unsigned int i)
{
	unsigned int below = (1U << i) - 1;

	list->nr--;
	memmove(&list->event[i], &list->event[i + 1], (list->nr - i) * sizeof(*list->event));
	list->parts = (list->parts & below) | (list->parts >> 1 & ~below);
}

/* Names the cores that have CPUs among those that no event samples. */
static int uncovered(const struct htmm_cpus *left, const char *sysfs, struct htmm_error *err)
{
	struct core_cpus cores;
	struct pmu pmu = {};
	char todo[200];
	unsigned int i;

	for (i = 0; (cores.pmu = htmm_core_pmu(i, sysfs)); i++) {
		if (pmu_open(&pmu, sysfs, cores.pmu, NULL) ||
		    !pmu_cpus(pmu.type, sysfs, &cores) || !overlap(left, &cores.cpus))
			continue;
		snprintf(todo, sizeof(todo),
			 "add an event of theirs, such as -e %s/load-latency/, or leave these CPUs out with -C",
			 cores.pmu);
		return htmm_error_set(err, EINVAL, todo,
				      "none of the events can be sampled on the CPUs %s of %s",
				      cores.text, cores.pmu);
	}
	return 0;
}

int htmm_events_fit_cpus(struct htmm_event_list *list, const struct htmm_cpus *cpus,
			 const char *sysfs, struct htmm_error *err)
{
	struct htmm_cpus sampled = *cpus, left;
	struct core_cpus cores;
	bool everywhere = false;
	char line[SYSFS_LINE];
	unsigned int i;

	if (!htmm_core_pmu(1, sysfs) ||
	    (!sampled.size && !sysfs_list(&sampled, line, sysfs, "devices/system/cpu/online")))
		return 0;
	left = sampled;
	for (i = 0; i < list->nr; i++) {
		if (!pmu_cpus(list->event[i].type, sysfs, &cores)) {
			everywhere = true;
		} else if (overlap(&sampled, &cores.cpus)) {
			subtract(&left, &cores.cpus);
		} else if (list->parts >> i & 1 && list->nr > 1) {
			remove_event(list, i--);
		} else {
			return htmm_error_set(err, EINVAL,
					      "give some of these CPUs with -C, or leave the event out",
					      "'%s' can be sampled on the CPUs %s of %s only",
					      list->event[i].name, cores.text, cores.pmu);
		}
	}
	return everywhere ? 0 : uncovered(&left, sysfs, err);
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
