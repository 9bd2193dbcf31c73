/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EXPERIMENT_PLACE_H
#define EXPERIMENT_PLACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

/* Memory of a process's own, not of a file. */
struct place_area {
	__u64 start;
	__u64 end;
	bool stack;
};

/* A process's areas, to be closed with fclose(); 0: the caller's; or NULL. */
FILE *place_open(int pid);

/* The next area, in the order of addresses; false: there is none. */
bool place_next(FILE *areas, struct place_area *area);

/* Calls @found for each page of an area that is on node 0. Returns 0, or -1 with errno set. */
int place_fast(int pid, const struct place_area *area, void (*found)(__u64 page));

/* Moves pages to a node; what cannot be moved stays. Returns 0, or -1 with errno set. */
int place_move(int pid, const __u64 *pages, __u64 n, int node);

/**
 * place_pages() - put the best pages of a process on node 0, and all others on node 1
 * @pid: the process; 0: the caller
 * @pages: the pages' addresses, the best first
 * @n: their number
 * @capacity: how many of them node 0 has room for
 *
 * A page that cannot be moved stays.
 *
 * Return: 0, or -1 with errno set.
 */
int place_pages(int pid, const __u64 *pages, __u64 n, __u64 capacity);

#endif /* EXPERIMENT_PLACE_H */
