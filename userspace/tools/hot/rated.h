/* SPDX-License-Identifier: GPL-2.0 */
/* Pages by how often they are thought to be accessed. */
#ifndef HOT_RATED_H
#define HOT_RATED_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>
#include "estimate/enough.h"
#include "estimate/share.h"

/**
 * struct rated_page - a page with its estimate
 * @page: the page; its node and its mapping are not known if it has no samples
 * @rate: samples expected
 * @low: the rate is between this
 * @high: and this with a probability of about 90 %
 */
struct rated_page {
	struct htmm_page page;
	float rate;
	float low;
	float high;
};

/**
 * struct rated - the pages with the highest rates
 * @pages: the pages, those with the highest rates first
 * @nr: how many there are
 * @enough: if there are enough samples to choose those for the fast tier
 * @share: the share of all accesses that those have
 */
struct rated {
	struct rated_page *pages;
	size_t nr;
	struct enough enough;
	struct share share;
};

/**
 * struct rated_config - what to list
 * @unit: what one sample counts
 * @node: only pages on this node; -1: on any
 * @max: pages to list; 0: all
 * @capacity: pages that the fast tier holds
 */
struct rated_config {
	__u32 unit;
	__s64 node;
	size_t max;
	__u64 capacity;
};

/*
 * Estimates rates. @list: all pages with samples, in any order; it is sorted by address. @rated:
 * filled, free its pages, also after an error. Returns 0 or -ENOMEM.
 */
int rated_find(struct rated *rated, const struct rated_config *config, struct htmm_names *names,
	       struct htmm_page_list *list);

/* Print the pages. @placed: with the node and the mapping size of each. */
void rated_print(FILE *file, struct htmm_names *names, const struct rated *rated, bool placed);
void rated_json(FILE *file, struct json_object *obj, struct htmm_names *names,
		const struct rated *rated, bool placed);

#endif /* HOT_RATED_H */
