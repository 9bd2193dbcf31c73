/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Where hot pages are now: the NUMA nodes. */
#ifndef HTMM_NODES_H
#define HTMM_NODES_H

#include <htmm/device.h>

/**
 * htmm_page_nodes() - tell on which NUMA node each page is at this moment
 * @list: the pages
 * @nodes: room for as many numbers as @list has pages. The page's node, or a negative
 *	errno: -ENOENT: it is not in memory; -EFAULT: nothing is mapped there, or nothing
 *	was ever written there; -ESRCH: its process has exited, runs another program, or
 *	is not visible from here; -EPERM: its process may not be looked at
 *
 * The kernel is asked with move_pages(2), which moves nothing then. To look at processes
 * of others takes CAP_SYS_NICE and what ptrace(2) asks for.
 *
 * Return: 0, or -ENOMEM.
 */
int htmm_page_nodes(const struct htmm_page_list *list, int *nodes);

#endif /* HTMM_NODES_H */
