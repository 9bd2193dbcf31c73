// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/clock.h"
#include "bindings.h"

/*
 * The kernel walks all page tables of a process for this file, to count its pages. So it is read
 * anew only after so many times as long as that took.
 */
#define PART	50
/* Bytes of a list of nodes. */
#define NODES_TEXT	256

/* Finds the nodes of "bind:1 ..." or "bind=static:0-1 ..."; other policies bind nothing. */
static void bound_nodes(const char *policy, char nodes[NODES_TEXT])
{
	size_t mode = strcspn(policy, ":\n ");

	*nodes = '\0';
	if (policy[mode] == ':' && !strncmp(policy, "bind", 4) && strchr("=:", policy[4]))
		snprintf(nodes, NODES_TEXT, "%.*s", (int)strcspn(policy + mode + 1, "\n "),
			 policy + mode + 1);
}

static bool append(struct bound_process *process, __u64 start, const char *nodes)
{
	struct binding *all = realloc(process->binding, (process->nr + 1) * sizeof(*all));
	struct htmm_cpus *set = *nodes ? calloc(1, sizeof(*set)) : NULL;

	if (all)
		process->binding = all;
	if (!all || (*nodes && !set) || (set && htmm_cpus_parse(set, nodes, NULL))) {
		free(set);
		return false;
	}
	all[process->nr++] = (struct binding) { .start = start, .nodes = set };
	return true;
}

static void forget(struct bound_process *process)
{
	while (process->nr)
		free(process->binding[--process->nr].nodes);
	free(process->binding);
	*process = (struct bound_process) {};
}

/* Of mappings in a row with the same nodes, the first is enough. */
static void read_lines(struct bound_process *process, FILE *file)
{
	char *line = NULL, nodes[NODES_TEXT], last[NODES_TEXT] = "";
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		char *policy;
		__u64 start = strtoull(line, &policy, 16);

		if (policy == line || *policy != ' ')
			continue;
		bound_nodes(policy + 1, nodes);
		if (!strcmp(nodes, last))
			continue;
		if (!append(process, start, nodes))
			break;
		memcpy(last, nodes, sizeof(last));
	}
	free(line);
}

static void read_process(struct bound_process *process, pid_t pid)
{
	double start = clock_ns(CLOCK_MONOTONIC) / 1e9, end;
	char path[64];
	FILE *file;

	forget(process);
	process->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	file = fopen(path, "re");
	if (file) {
		read_lines(process, file);
		fclose(file);
	}
	end = clock_ns(CLOCK_MONOTONIC) / 1e9;
	process->due = end + PART * (end - start);
}

bool bindings_allow(struct bindings *bindings, pid_t pid, __u64 addr, int node)
{
	struct bound_process *process = &bindings->slot[(unsigned int)pid % BINDINGS_SLOTS];
	size_t low = 0, high;

	if (process->pid != pid || clock_ns(CLOCK_MONOTONIC) / 1e9 >= process->due)
		read_process(process, pid);
	/* The last one that begins at the address or before it. */
	for (high = process->nr; low < high;) {
		size_t middle = (low + high) / 2;

		if (process->binding[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return !low || !process->binding[low - 1].nodes ||
	       htmm_cpus_has(process->binding[low - 1].nodes, node);
}

void bindings_free(struct bindings *bindings)
{
	size_t i;

	for (i = 0; i < BINDINGS_SLOTS; i++)
		forget(&bindings->slot[i]);
}
