/* SPDX-License-Identifier: GPL-2.0 */
/* All results of a session. */
#ifndef HTMMCTL_RESULTS_H
#define HTMMCTL_RESULTS_H

#include <stdbool.h>
#include <htmm/htmm.h>
#include "hit.h"
#include "served.h"

/**
 * struct results - all results of a session
 * @info: its state
 * @stats: its counters
 * @hist: its histogram of base pages
 * @ratio: the share of the samples of @hist on the hottest pages; filled by results_hit()
 * @hit: the hit ratio of @hist; likewise
 * @targets: its targets
 * @served: what served the samples of its targets
 * @places: set before: @pages with their places; false if the module does not tell them
 * @pages: its hottest pages
 * @names: names of what @pages belong to
 */
struct results {
	struct htmm_info info;
	struct htmm_stats_buf stats;
	struct htmm_hist_buf hist;
	struct htmm_hit_ratio ratio;
	struct hit hit;
	struct htmm_target_list targets;
	struct served_list served;
	bool places;
	struct htmm_page_list pages;
	struct htmm_names *names;
};

/*
 * Reads the results of the session. @res: filled; @res.names, if set, is used and kept.
 * @max_pages: the most hot pages to read; 0: all. Returns 0 or a negative errno; free @res in
 * both cases.
 */
int results_read(struct results *res, int fd, size_t max_pages, struct htmm_error *err);

/* Reads what the fast tier could serve, which walks all pages. Returns 0 or a negative errno. */
int results_hit(struct results *res, int fd, struct htmm_error *err);

/* Frees the results. @res may be all zero. */
void results_free(struct results *res);

/* Sum over the channels of a CPU and an event; -1: of all CPUs or events. */
struct htmm_counters stats_sum(const struct htmm_stats_buf *stats, __s64 cpu, __s64 event);

#endif /* HTMMCTL_RESULTS_H */
