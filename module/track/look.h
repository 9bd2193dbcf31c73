/* SPDX-License-Identifier: GPL-2.0 */
/* Looks for pages whose memory was freed: the state of a target. */
#ifndef HTMM_LOOK_H
#define HTMM_LOOK_H

#include <linux/types.h>
#include "core/scan.h"

/* Regions with absent pages that wait for a second look. */
#define HTMM_LOOK_WAITING	128

/**
 * struct htmm_look_pass - one pass over the table
 * @running: there are regions to visit
 * @scan: where it is
 * @began: when it began, in nanoseconds
 * @samples: samples that were counted then
 */
struct htmm_look_pass {
	bool running;
	struct htmm_scan scan;
	u64 began;
	u64 samples;
};

/**
 * struct htmm_absent - pages of a region that are absent
 * @page: name of the first page of the region
 * @since: when a look found them absent, in nanoseconds
 * @pages: bitmap of those with a count
 * @sum: sum of their counts
 */
struct htmm_absent {
	u64 page;
	u64 since;
	u64 pages[HTMM_REGION_PAGES / 64];
	u64 sum;
};

/**
 * struct htmm_looks - the looks for freed memory of a target
 * @hot: the pass over what may have pages that are warm or hot
 * @all: the pass over all regions
 * @turn: which pass is next
 * @waiting: ring of regions that wait for a second look
 * @first: the one that has waited longest
 * @nr: how many wait
 */
struct htmm_looks {
	struct htmm_look_pass hot;
	struct htmm_look_pass all;
	bool turn;
	struct htmm_absent waiting[HTMM_LOOK_WAITING];
	unsigned int first;
	unsigned int nr;
};

#endif /* HTMM_LOOK_H */
