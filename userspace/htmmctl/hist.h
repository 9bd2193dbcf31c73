/* SPDX-License-Identifier: GPL-2.0 */
/* A histogram as text and as JSON. */
#ifndef HTMMCTL_HIST_H
#define HTMMCTL_HIST_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>
#include "hit.h"

/*
 * Draws a histogram. @hit: the hit ratio of the same pages; NULL: unknown. @all: show every
 * bin; else merge the higher ones into one.
 */
void hist_print(FILE *file, const struct htmm_hist_buf *hist, const struct hit *hit, bool all);

/*
 * Describes a histogram. @ratio: the share of its samples on the hottest pages; size 0:
 * unknown. The caller owns it.
 */
struct json_object *hist_json(const struct htmm_hist_buf *hist,
			      const struct htmm_hit_ratio *ratio, const struct hit *hit);

/* The number of pages with a count that a completely filled fast tier would hold. */
__u64 hist_fast_pages(const struct htmm_hist_buf *hist);

/* Like htmm_target_hit_ratio(); sets the size to 0 if the module does not have it. */
int ratio_read(int fd, __u32 target, __u32 unit, struct htmm_hit_ratio *ratio,
	       struct htmm_error *err);

/*
 * Reads the hit ratio of the pages of a target. @target: its number; 0: all targets together.
 * @unit: enum htmm_unit. @ratio: the share of the samples on the hottest pages, as
 * ratio_read(). Returns 0 or a negative errno.
 */
int hist_hit(int fd, __u32 target, __u32 unit, struct htmm_hit_ratio *ratio, struct hit *hit,
	     struct htmm_error *err);

#endif /* HTMMCTL_HIST_H */
