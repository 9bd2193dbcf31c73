/* SPDX-License-Identifier: GPL-2.0 */
/* Pages, summed by their NUMA node. */
#ifndef HTMMCTL_PLACEMENT_H
#define HTMMCTL_PLACEMENT_H

#include <json.h>
#include <stdio.h>
#include <htmm/htmm.h>

/**
 * struct placement - the pages on one node
 * @node: its number; or a negative errno for pages on no node or an unknown one
 * @pages: how many pages
 * @hot: how many of them are hot
 * @samples: samples of these pages
 */
struct placement {
	int node;
	__u64 pages;
	__u64 hot;
	__u64 samples;
};

/**
 * placement_sum() - sum pages by node
 * @list: the pages
 * @nodes: the node of each, from htmm_page_nodes()
 * @nr: set to the number of sums
 *
 * Return: the sums, for free(3), with the nodes in order before the errors; NULL if there
 * is no memory.
 */
struct placement *placement_sum(const struct htmm_page_list *list, const int *nodes, size_t *nr);

void placement_print(FILE *file, const struct placement *sums, size_t nr);
/* Returns an array that the caller owns. */
struct json_object *placement_json(const struct placement *sums, size_t nr);

#endif /* HTMMCTL_PLACEMENT_H */
