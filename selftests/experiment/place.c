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

/* All pages of its own memory but @keep, which is sorted. */
static int demote(int pid, const __u64 *keep, __u64 n)
{
	struct batch batch = { .pid = pid, .node = 1 };
	char name[64], line[4096], mode[8];
	__u64 start, end, inode;
	int result = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid ? pid : getpid());
	maps = fopen(name, "re");
	if (!maps)
		return -1;
	while (!result && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %7s %*s %*s %llu", &start, &end,
			   mode, &inode) != 4 || mode[1] != 'w' || inode ||
		    strstr(line, "[stack]"))
			continue;
		for (__u64 page = start; !result && page < end; page += PAGE)
			if (!bsearch(&page, keep, n, sizeof(*keep), by_address))
				result = add(&batch, page);
	}
	fclose(maps);
	return result ? result : flush(&batch);
}

int place_pages(int pid, const __u64 *pages, __u64 n, __u64 capacity)
{
	struct batch batch = { .pid = pid, .node = 0 };
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
	for (__u64 i = 0; !result && i < n; i++)
		result = add(&batch, sorted[i]);
	if (!result)
		result = flush(&batch);
	free(sorted);
	return result;
}
