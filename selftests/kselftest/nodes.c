// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include "access.h"
#include "nodes.h"

/* Pages that one call of move_pages(2) tells of. */
#define A_TIME		1024

int nodes_of(pid_t pid, const struct pages *list, int *node)
{
	void *addr[A_TIME];
	size_t i, n, done;

	for (done = 0; done < list->nr; done += n) {
		n = list->nr - done < A_TIME ? list->nr - done : A_TIME;
		for (i = 0; i < n; i++)
			addr[i] = (void *)(uintptr_t)list->page[done + i].addr;
		if (syscall(SYS_move_pages, pid, n, addr, NULL, node + done, 0))
			return -errno;
	}
	return 0;
}

int nodes_by_maps(pid_t pid, unsigned long *pages)
{
	static const char spaces[] = { ' ', '\n', '\0' };
	char path[64], line[1024], *word;
	unsigned long kib;
	FILE *file;
	int node;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		unsigned long here[MAX_NODES] = {}, n;

		kib = 4;
		for (word = strtok(line, spaces); word; word = strtok(NULL, spaces)) {
			if (sscanf(word, "N%d=%lu", &node, &n) == 2 && node < MAX_NODES)
				here[node] = n;
			sscanf(word, "kernelpagesize_kB=%lu", &kib);
		}
		for (node = 0; node < MAX_NODES; node++)
			pages[node] += here[node] * (kib / 4);
	}
	fclose(file);
	return 0;
}

int nodes_move(char *mem, size_t pages, int node)
{
	int *to = calloc(2 * pages, sizeof(*to)), ret;
	void **addr = calloc(pages, sizeof(*addr));
	size_t i;

	for (i = 0; i < pages; i++) {
		addr[i] = mem + i * PAGE;
		to[i] = node;
	}
	ret = syscall(SYS_move_pages, 0, pages, addr, to, to + pages, MPOL_MF_MOVE);
	free(addr);
	free(to);
	return ret;
}
