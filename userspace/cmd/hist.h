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
 * @ratio: the hit ratio of the same pages; NULL or size 0: unknown
 * @all: show every bin; else merge the higher ones into one
 */
void hist_print(FILE *file, const struct htmm_hist_buf *hist, const struct htmm_hit_ratio *ratio,
		bool all);

/* The same as JSON; the caller owns the object. */
struct json_object *hist_json(const struct htmm_hist_buf *hist,
			      const struct htmm_hit_ratio *ratio);

/* The number of pages with a count that a completely filled fast tier would hold. */
__u64 hist_fast_pages(const struct htmm_hist_buf *hist);

/* The hit ratio in words. */
void ratio_print(FILE *file, const struct htmm_hit_ratio *ratio);

/* Like htmm_target_hit_ratio(); sets the size to 0 if the module does not have it. */
int ratio_read(int fd, __u32 target, __u32 unit, struct htmm_hit_ratio *ratio,
	       struct htmm_error *err);

#endif /* CMD_HIST_H */
