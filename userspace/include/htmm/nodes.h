/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The NUMA nodes on which hot pages are now. */
#ifndef HTMM_NODES_H
#define HTMM_NODES_H

#include <htmm/device.h>

/**
 * htmm_page_nodes() - find the NUMA node of each page
 * @list: the pages
 * @nodes: array of @list's length; set to each page's node, or a negative errno: -ENOENT:
 *	not in memory; -EFAULT: nothing is mapped there, or never written; -ESRCH: its
 *	process has exited, runs another program, or is not visible in this pid namespace;
 *	-EPERM: no permission to look at its process
 *
 * Uses move_pages(2) in its mode that moves no page. Processes of other users need
 * CAP_SYS_NICE and the rights that ptrace(2) needs.
 *
 * Return: 0, or -ENOMEM.
 */
int htmm_page_nodes(const struct htmm_page_list *list, int *nodes);

#endif /* HTMM_NODES_H */
