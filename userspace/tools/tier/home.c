// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <htmm/text.h>
#include "home.h"

#define NODES	"/sys/devices/system/node"
/* What the kernel gives of a file of sysfs at a time. */
#define LINE	4096

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

/* Returns how many CPU nodes there are more, 0 or 1, or a negative errno. */
static int read_node(struct cpu_node *of, int node, const struct tiers *tiers,
		     const struct htmm_cpus *online)
{
	char line[LINE];
	int ret = htmm_read_line(line, sizeof(line), NODES "/node%d/cpulist", node);

	/* Nodes without CPUs have an empty list. */
	if (ret || !*line)
		return ret;
	*of = (struct cpu_node) {};
	ret = htmm_cpus_parse(&of->cpus, line, NULL);
	ret = ret ?: htmm_read_line(line, sizeof(line), NODES "/node%d/distance", node);
	if (ret)
		return ret;
	add_nearest(of, &tiers->fast, line, online);
	add_nearest(of, &tiers->slow, line, online);
	return 1;
}

void homes_read(struct homes *homes, const struct tiers *tiers)
{
	struct htmm_cpus online;
	char line[LINE];
	int node, more;

	if (htmm_read_line(line, sizeof(line), NODES "/online") ||
	    htmm_cpus_parse(&online, line, NULL))
		return;
	for (node = tiers_next(&online, -1); node >= 0; node = tiers_next(&online, node)) {
		struct cpu_node *all = realloc(homes->node, (homes->nr + 1) * sizeof(*all));

		if (all)
			homes->node = all;
		more = all ? read_node(&all[homes->nr], node, tiers, &online) : -ENOMEM;
		if (more < 0) {
			homes_free(homes);
			return;
		}
		homes->nr += more;
	}
}

/* Do these CPUs belong to all nodes? */
static bool are_everywhere(const struct homes *homes, const struct htmm_cpus *cpus)
{
	unsigned int i;

	for (i = 0; i < homes->nr; i++)
		if (!meet(&homes->node[i].cpus, cpus))
			return false;
	return true;
}

static void add_cpus_of(struct htmm_cpus *cpus, pid_t tid)
{
	struct htmm_cpus more = { .size = sizeof(more.bits) };

	/* It may have exited. */
	if (!sched_getaffinity(tid, sizeof(more.bits), (cpu_set_t *)more.bits))
		add_all(cpus, &more);
}

/* The CPUs that its threads may use. */
static struct htmm_cpus cpus_of(const struct homes *homes, pid_t pid)
{
	struct htmm_cpus cpus = {};
	const struct dirent *entry;
	unsigned int nr = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && nr < HOME_THREADS && !are_everywhere(homes, &cpus) &&
	       (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		add_cpus_of(&cpus, atoi(entry->d_name));
		nr++;
	}
	if (dir)
		closedir(dir);
	return cpus;
}

/* Takes away the nodes on which the process may have no memory. */
static void keep_allowed(struct htmm_cpus *nodes, pid_t pid)
{
	static const char word[] = "Mems_allowed_list:\t";
	const size_t len = sizeof(word) - 1;
	struct htmm_cpus allowed;
	char path[64], line[LINE];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, word, len))
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!htmm_cpus_parse(&allowed, line + len, NULL))
			*nodes = tiers_both(nodes, &allowed);
		break;
	}
	if (file)
		fclose(file);
}

const struct htmm_cpus *home_of(struct homes *homes, pid_t pid)
{
	struct htmm_cpus cpus;
	unsigned int i;

	if (pid == homes->pid)
		return &homes->home;
	homes->pid = pid;
	homes->home = (struct htmm_cpus) {};
	cpus = cpus_of(homes, pid);
	for (i = 0; i < homes->nr; i++)
		if (meet(&homes->node[i].cpus, &cpus))
			add_all(&homes->home, &homes->node[i].nearest);
	keep_allowed(&homes->home, pid);
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
