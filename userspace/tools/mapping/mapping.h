/* SPDX-License-Identifier: GPL-2.0 */
/* Hot pages, summed by mapping. */
#ifndef MAPPING_MAPPING_H
#define MAPPING_MAPPING_H

#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>

/**
 * struct mapping - the pages of one mapping of one process
 * @place: what they belong to
 * @pid: the process
 * @pages: how many there are
 * @hot: how many of them are hot
 * @samples: their samples
 * @placed: samples of those whose node is known
 * @node: the node that most of @placed are on; HTMM_NODE_UNKNOWN: none is known
 * @node_samples: the samples on it
 */
struct mapping {
	struct htmm_place place;
	__u32 pid;
	__u64 pages;
	__u64 hot;
	__u64 samples;
	__u64 placed;
	__s32 node;
	__u64 node_samples;
};

/* Room for the text of a mapping's node. */
#define NODE_TEXT	24

/* "1", "1 92%" if not all is there, or "-". */
const char *mapping_node(char text[NODE_TEXT], const struct mapping *map);

/*
 * Sums pages by mapping. @names: what the pages belong to; the mappings point into it. Returns
 * the mappings, those with the most samples first, for free(3); or NULL.
 */
struct mapping *mappings_sum(struct htmm_names *names, const struct htmm_page_list *list,
			     size_t *nr, struct htmm_error *err);

/* Prints mappings as a table. */
void mappings_print_text(FILE *file, const struct mapping *maps, size_t nr);

#endif /* MAPPING_MAPPING_H */
