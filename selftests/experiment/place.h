/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EXPERIMENT_PLACE_H
#define EXPERIMENT_PLACE_H

#include <linux/types.h>

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
