/* SPDX-License-Identifier: GPL-2.0 */
/* Where the kernel says that pages are. */
#ifndef KSFT_NODES_H
#define KSFT_NODES_H

#include <sys/types.h>
#include "device.h"

/* The node of each page as move_pages(2) tells; negative: an errno. */
int nodes_of(pid_t pid, const struct pages *list, int *node);
/* Adds the resident pages of a process on each node by numa_maps, of those that can be read. */
int nodes_by_maps(pid_t pid, unsigned long *pages);
/* Moves pages of this process, from @mem on. */
int nodes_move(char *mem, size_t pages, int node);

#endif /* KSFT_NODES_H */
