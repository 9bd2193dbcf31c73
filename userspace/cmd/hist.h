/* SPDX-License-Identifier: GPL-2.0 */
/* A histogram as text and as JSON. */
#ifndef CMD_HIST_H
#define CMD_HIST_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>

/**
 * hist_print() - draw a histogram
 * @file: where to
 * @hist: the histogram
 * @ratio: the hit ratio of the same pages; NULL, or of size 0: not known
 * @all: every bin; else the higher ones are one
 */
void hist_print(FILE *file, const struct htmm_hist_buf *hist, const struct htmm_hit_ratio *ratio,
		bool all);

/* The same as JSON; the object is the caller's. */
struct json_object *hist_json(const struct htmm_hist_buf *hist,
			      const struct htmm_hit_ratio *ratio);

/* Pages with a count that the fast tier would hold, filled to its last page. */
__u64 hist_fast_pages(const struct htmm_hist_buf *hist);

/* The hit ratio in words. */
void ratio_print(FILE *file, const struct htmm_hit_ratio *ratio);

/* As htmm_target_hit_ratio(); of a module that does not know it, the size is 0. */
int ratio_read(int fd, __u32 target, __u32 unit, struct htmm_hit_ratio *ratio,
	       struct htmm_error *err);

#endif /* CMD_HIST_H */
