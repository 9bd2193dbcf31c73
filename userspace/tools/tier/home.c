// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <htmm/text.h>
#include "home.h"

#define NODES	"/sys/devices/system/node"
/* Enough for a line with the distances of all nodes. */
#define LINE	8192

static void add_all(struct htmm_cpus *to, const struct htmm_cpus *from)
{
	size_t i;

	for (i = 0; i < from->size / sizeof(*from->bits); i++)
		to->bits[i] |= from->bits[i];
	if (to->size < from->size)
		to->size = from->size;
}

static bool meet(const struct htmm_cpus *a, const struct htmm_cpus *b)
{
	const __u32 size = a->size < b->size ? a->size : b->size;
	size_t i;

	for (i = 0; i < size / sizeof(*a->bits); i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

/* The distance to @to in a line that has those to all nodes, in order; ULONG_MAX: not known. */
static unsigned long distance(const char *line, const struct htmm_cpus *online, int to)
{
	int node;

	for (node = tiers_next(online, -1); node >= 0; node = tiers_next(online, node)) {
		char *end;
		unsigned long number = strtoul(line, &end, 10);

		if (end == line)
			break;
		if (node == to)
			return number;
		line = end;
	}
	return ULONG_MAX;
}

static void add_nearest(struct cpu_node *of, const struct htmm_cpus *tier, const char *line,
			const struct htmm_cpus *online)
{
	unsigned long least = ULONG_MAX;
	struct htmm_cpus nearest = {};
	int node;

	for (node = tiers_next(tier, -1); node >= 0; node = tiers_next(tier, node)) {
		const unsigned long far = distance(line, online, node);

		if (far < least)
			nearest = (struct htmm_cpus) {};
		if (far > least || far == ULONG_MAX)
			continue;
		least = far;
		tiers_add(&nearest, node);
	}
	add_all(&of->nearest, &nearest);
}

static bool read_node(struct cpu_node *of, int node, const struct tiers *tiers,
		      const struct htmm_cpus *online)
{
	char line[LINE];

	/* Nodes without CPUs have an empty list. */
	if (htmm_read_line(line, sizeof(line), NODES "/node%d/cpulist", node) ||
	    htmm_cpus_parse(&of->cpus, line, NULL) ||
	    htmm_read_line(line, sizeof(line), NODES "/node%d/distance", node))
		return false;
	of->nearest = (struct htmm_cpus) {};
	add_nearest(of, &tiers->fast, line, online);
	add_nearest(of, &tiers->slow, line, online);
	return true;
}

void homes_read(struct homes *homes, const struct tiers *tiers)
{
	struct htmm_cpus online;
	char line[LINE];
	int node;

	if (htmm_read_line(line, sizeof(line), NODES "/online") ||
	    htmm_cpus_parse(&online, line, NULL))
		return;
	for (node = tiers_next(&online, -1); node >= 0; node = tiers_next(&online, node)) {
		struct cpu_node *all = realloc(homes->node, (homes->nr + 1) * sizeof(*all));

		if (!all)
			return;
		homes->node = all;
		homes->nr += read_node(&all[homes->nr], node, tiers, &online);
	}
}

/* Adds what is near to a thread. Returns whether other threads may be nearer to other nodes. */
static bool add_thread(struct homes *homes, pid_t tid)
{
	struct htmm_cpus cpus = { .size = sizeof(cpus.bits) };
	unsigned int i, nr = 0;

	if (sched_getaffinity(tid, sizeof(cpus.bits), (cpu_set_t *)cpus.bits))
		return true;
	for (i = 0; i < homes->nr; i++) {
		if (!meet(&homes->node[i].cpus, &cpus))
			continue;
		add_all(&homes->home, &homes->node[i].nearest);
		nr++;
	}
	return nr < homes->nr;
}

const struct htmm_cpus *home_of(struct homes *homes, pid_t pid)
{
	const struct dirent *entry;
	char path[64];
	bool more = true;
	DIR *dir;

	if (pid == homes->pid)
		return &homes->home;
	homes->pid = pid;
	homes->home = (struct htmm_cpus) {};
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && more && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			more = add_thread(homes, atoi(entry->d_name));
	if (dir)
		closedir(dir);
	return &homes->home;
}

void homes_forget(struct homes *homes)
{
	homes->pid = 0;
}

void homes_free(struct homes *homes)
{
	free(homes->node);
	*homes = (struct homes) {};
}
