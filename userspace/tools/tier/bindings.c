// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/clock.h"
#include "bindings.h"

/*
 * The kernel walks all page tables of a process for this file, to count its pages. So it is read
 * anew only after FIRST_TIMES to MOST_TIMES as long as that took: twice as many each time that the
 * same is bound, as most programs bind their memory when they begin, or never. But after MOST_S
 * seconds at the latest, unless the least is longer.
 */
#define FIRST_TIMES	200
#define MOST_TIMES	800
#define MOST_S		60
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

static bool same_nodes(const struct htmm_cpus *a, const struct htmm_cpus *b)
{
	return a && b ? a->size == b->size && !memcmp(a->bits, b->bits, a->size) : a == b;
}

/* Is the same bound, of the same process? */
static bool same(const struct bound_process *a, const struct bound_process *b)
{
	size_t i;

	if (a->pid != b->pid || a->space != b->space || a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (a->binding[i].start != b->binding[i].start ||
		    !same_nodes(a->binding[i].nodes, b->binding[i].nodes))
			return false;
	return true;
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

static void read_process(struct bound_process *process, pid_t pid, __u32 space)
{
	double start = clock_ns(CLOCK_MONOTONIC) / 1e9, end, seconds;
	struct bound_process now = { .pid = pid, .space = space, .times = FIRST_TIMES };
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	file = fopen(path, "re");
	if (file) {
		read_lines(&now, file);
		fclose(file);
	}
	end = clock_ns(CLOCK_MONOTONIC) / 1e9;
	seconds = end - start;
	if (same(process, &now))
		now.times = process->times < MOST_TIMES ? 2 * process->times : MOST_TIMES;
	now.due = end + fmax(FIRST_TIMES * seconds, fmin(now.times * seconds, MOST_S));
	forget(process);
	*process = now;
}

/* The place of a process; else that of another one, which would have to be read first. */
static struct bound_process *place_of(struct bindings *bindings, pid_t pid, __u32 space)
{
	struct bound_process *place = NULL;
	unsigned int i;

	for (i = 0; i < BINDINGS_PLACES; i++) {
		struct bound_process *slot = &bindings->slot[(pid + i) % BINDINGS_SLOTS];

		if (slot->pid == pid && slot->space == space)
			return slot;
		if (!place || slot->due < place->due)
			place = slot;
	}
	return place;
}

const struct htmm_cpus *bindings_of(struct bindings *bindings, pid_t pid, __u32 space, __u64 addr)
{
	struct bound_process *process = place_of(bindings, pid, space);
	size_t low = 0, high;

	if (process->pid != pid || process->space != space ||
	    clock_ns(CLOCK_MONOTONIC) / 1e9 >= process->due)
		read_process(process, pid, space);
	/* The last one that begins at the address or before it. */
	for (high = process->nr; low < high;) {
		size_t middle = (low + high) / 2;

		if (process->binding[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? process->binding[low - 1].nodes : NULL;
}

void bindings_free(struct bindings *bindings)
{
	size_t i;

	for (i = 0; i < BINDINGS_SLOTS; i++)
		forget(&bindings->slot[i]);
}
