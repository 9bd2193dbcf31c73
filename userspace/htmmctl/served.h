/* SPDX-License-Identifier: GPL-2.0 */
/* What served the samples of targets, and the hit ratio of the fast tier that this tells. */
#ifndef HTMMCTL_SERVED_H
#define HTMMCTL_SERVED_H

#include <json.h>
#include <stdbool.h>
#include <htmm/htmm.h>

/**
 * struct tier_sums - loads that each tier served, as far as samples tell
 * @fast: accesses that the samples of fast memory stand for
 * @slow: likewise of slow memory
 * @known: it is known of which tier all memory is
 */
struct tier_sums {
	double fast;
	double slow;
	bool known;
};

/**
 * struct served - what served the samples of a target
 * @target: its number; 0: all together
 * @buf: samples by the CPUs' node, event and source
 * @tiers: by tier
 */
struct served {
	__u32 target;
	struct htmm_served_buf buf;
	struct tier_sums tiers;
};

/**
 * struct served_list - the same of all targets
 * @all: of all targets together, and if they are several, of each
 * @nr: how many there are; 0: the session does not count that
 */
struct served_list {
	struct served *all;
	size_t nr;
};

/*
 * Reads what served the samples of all targets. @list: filled; free it with served_free().
 * Returns 0 or a negative errno.
 */
int served_read(struct served_list *list, int fd, const struct htmm_info *info,
		const struct htmm_stats_buf *stats, const struct htmm_target_list *targets,
		struct htmm_error *err);

/*
 * Reads what served the samples of a target. @served: filled; free its buffer with
 * htmm_served_free(). @target: the target's number; 0: all together. Returns 0 or a negative
 * errno.
 */
int served_read_target(struct served *served, int fd, const struct htmm_info *info,
		       const struct htmm_stats_buf *stats, __u32 target, struct htmm_error *err);

/* Frees the list. @list may be all zero. */
void served_free(struct served_list *list);

/* Does the session count what served samples? */
bool served_known(const struct htmm_info *info);

/*
 * The measured hit ratio of the fast tier. @ppm: set to it, in millionths. Returns false if it
 * is not known: there are no such samples, or they do not tell.
 */
bool served_ratio(const struct tier_sums *tiers, __u32 *ppm);

/* Describes what served the samples of a target. */
struct json_object *served_json(const struct served *served, const struct htmm_stats_buf *stats);

#endif /* HTMMCTL_SERVED_H */
