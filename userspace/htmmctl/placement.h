/* SPDX-License-Identifier: GPL-2.0 */
/* Pages summed up by the NUMA node that they are on. */
#ifndef HTMMCTL_PLACEMENT_H
#define HTMMCTL_PLACEMENT_H

#include <json.h>
#include <stdio.h>
#include <htmm/htmm.h>

/**
 * struct placement - what is on one node
 * @node: its number; or the negative errno of pages that are on none, or on an unknown one
 * @pages: how many pages
 * @hot: how many of them are hot
 * @samples: what they were sampled
 */
struct placement {
	int node;
	__u64 pages;
	__u64 hot;
	__u64 samples;
};

/**
 * placement_sum() - sum pages up by node
 * @list: the pages
 * @nodes: where each is, of htmm_page_nodes()
 * @nr: set to the number of sums
 *
 * Return: the sums, nodes first and in order; to be freed. NULL if there is no memory.
 */
struct placement *placement_sum(const struct htmm_page_list *list, const int *nodes, size_t *nr);

void placement_print(FILE *file, const struct placement *sums, size_t nr);
/* An array; the caller's. */
struct json_object *placement_json(const struct placement *sums, size_t nr);

#endif /* HTMMCTL_PLACEMENT_H */
