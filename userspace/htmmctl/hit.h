/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hit ratio that the best placement would have: one estimate for all commands.
 *
 * The module tells which share of its samples the hottest pages have. Those pages are chosen
 * by the same samples, so that this is too much, and more so the fewer samples there are. The
 * estimate is that of the capacity curve, computed from the counts of all pages.
 */
#ifndef HTMMCTL_HIT_H
#define HTMMCTL_HIT_H

#include <stdio.h>
#include <htmm/htmm.h>
#include "curve.h"

struct json_object;

/*
 * What is known of a session besides its counts. @info: set to the session's state. Returns 0
 * or a negative errno.
 */
int hit_known(struct curve_config *config, int fd, struct htmm_info *info, struct htmm_error *err);

/* How many pages of a target there can be; 0: not known. */
__u64 hit_resident(const struct htmm_info *info, const struct htmm_placement_buf *where);

/*
 * Computes the hit ratio of a session. @ratio: what the module tells: target, unit and capacity.
 * @where: where the target's pages are; NULL: not known. Lists the counts of all pages, so it takes
 * time. Returns 0 or a negative errno.
 */
int hit_read(struct hit *hit, int fd, const struct htmm_hit_ratio *ratio,
	     const struct htmm_placement_buf *where, struct htmm_error *err);

/* Both: the module's ratio for the capacity of a target or of all (0), and the estimate. */
int hit_of_target(int fd, __u32 target, __u32 unit, struct htmm_hit_ratio *ratio,
		  struct hit *hit, struct htmm_error *err);

/* The hit ratio in words: "42.1% (36.4 to 49.5)", or why there is none. */
void hit_words(char *text, size_t size, const struct hit *hit);

/* Bytes of any text of hit_words(). */
#define HIT_WORDS	64

/* A line: the same, and what it is about. */
void hit_print(FILE *file, const struct hit *hit);

/*
 * Adds the hit ratio to an object. @name: what keys begin with: NAME_ppm, NAME_low_ppm and
 * NAME_high_ppm, null if not known.
 */
void hit_json(struct json_object *obj, const char *name, const struct hit *hit);

#endif /* HTMMCTL_HIT_H */
