// SPDX-License-Identifier: GPL-2.0
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "place.h"

#define PAGE	4096UL
#define BATCH	512

struct batch {
	int pid;
	int node;
	unsigned int n;
	void *pages[BATCH];
};

static int by_address(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

FILE *place_open(int pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/maps", pid ? pid : getpid());
	return fopen(name, "re");
}

bool place_next(FILE *areas, struct place_area *area)
{
	char line[4096], mode[8];
	__u64 inode;

	while (fgets(line, sizeof(line), areas)) {
		if (sscanf(line, "%llx-%llx %7s %*s %*s %llu", &area->start, &area->end,
			   mode, &inode) != 4 || mode[1] != 'w' || inode)
			continue;
		area->stack = strstr(line, "[stack]");
		return true;
	}
	return false;
}

int place_fast(int pid, const struct place_area *area, void (*found)(__u64 page))
{
	void *pages[BATCH];
	int status[BATCH];

	for (__u64 page = area->start; page < area->end;) {
		unsigned long n = 0;

		for (; n < BATCH && page < area->end; n++, page += PAGE)
			pages[n] = (void *)page;
		if (syscall(SYS_move_pages, pid, n, pages, NULL, status, 0) < 0)
			return -1;
		for (unsigned long i = 0; i < n; i++)
			if (!status[i])
				found((__u64)pages[i]);
	}
	return 0;
}

/* What of the batch is not there yet. */
static int flush(struct batch *batch)
{
	int nodes[BATCH], status[BATCH];
	void *wrong[BATCH];
	unsigned int n = 0;

	if (!batch->n)
		return 0;
	if (syscall(SYS_move_pages, batch->pid, (unsigned long)batch->n, batch->pages, NULL,
		    status, 0) < 0)
		return -1;
	for (unsigned int i = 0; i < batch->n; i++) {
		if (status[i] < 0 || status[i] == batch->node)
			continue;
		nodes[n] = batch->node;
		wrong[n++] = batch->pages[i];
	}
	batch->n = 0;
	if (n && syscall(SYS_move_pages, batch->pid, (unsigned long)n, wrong, nodes, status,
			 MPOL_MF_MOVE) < 0)
		return -1;
	return 0;
}

static int add(struct batch *batch, __u64 page)
{
	batch->pages[batch->n++] = (void *)page;
	return batch->n == BATCH ? flush(batch) : 0;
}

int place_move(int pid, const __u64 *pages, __u64 n, int node)
{
	struct batch batch = { .pid = pid, .node = node };
	int result = 0;

	for (__u64 i = 0; !result && i < n; i++)
		result = add(&batch, pages[i]);
	return result ? result : flush(&batch);
}

/* All pages of its own memory but @keep, which is sorted. */
static int demote(int pid, const __u64 *keep, __u64 n)
{
	struct batch batch = { .pid = pid, .node = 1 };
	FILE *areas = place_open(pid);
	struct place_area area;
	int result = 0;

	if (!areas)
		return -1;
	while (!result && place_next(areas, &area)) {
		if (area.stack)
			continue;
		for (__u64 page = area.start; !result && page < area.end; page += PAGE)
			if (!bsearch(&page, keep, n, sizeof(*keep), by_address))
				result = add(&batch, page);
	}
	fclose(areas);
	return result ? result : flush(&batch);
}

int place_pages(int pid, const __u64 *pages, __u64 n, __u64 capacity)
{
	__u64 *sorted;
	int result;

	n = n < capacity ? n : capacity;
	sorted = malloc((n + 1) * sizeof(*sorted));
	if (!sorted)
		return -1;
	if (n)
		memcpy(sorted, pages, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_address);
	result = demote(pid, sorted, n);
	if (!result)
		result = place_move(pid, sorted, n, 0);
	free(sorted);
	return result;
}
