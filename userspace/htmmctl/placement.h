/* SPDX-License-Identifier: GPL-2.0 */
/* Where the pages of a target are, and where they best were. */
#ifndef HTMMCTL_PLACEMENT_H
#define HTMMCTL_PLACEMENT_H

#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>
#include "hit.h"

/**
 * struct placement - a target's pages by node, beside the best placement
 * @target: its number; 0: all targets together
 * @where: on which nodes its pages are
 * @best: the share of its samples on the hottest pages, as many as its fast tier holds
 * @hit: the hit ratio that the best placement would have
 */
struct placement {
	__u32 target;
	struct htmm_placement_buf where;
	struct htmm_hit_ratio best;
	struct hit hit;
};

/**
 * struct placement_sums - sums over the nodes
 * @samples: samples of resident pages
 * @fast_samples: those on fast nodes
 * @hot_slow: hot pages on slow nodes
 * @cold_fast: pages on fast nodes that are neither hot nor warm
 * @hit_ppm: @fast_samples of @samples, in millionths
 */
struct placement_sums {
	__u64 samples;
	__u64 fast_samples;
	__u64 hot_slow;
	__u64 cold_fast;
	__u32 hit_ppm;
};

/*
 * Reads where the pages of a target are. @target: its number; 0: all targets together.
 * @placement: filled; free @placement.where. Returns 0 or a negative errno, see struct
 * htmm_placement.
 */
int placement_read(int fd, __u32 target, struct placement *placement, struct htmm_error *err);

/**
 * struct placement_list - the placements of several targets
 * @all: of all targets together if they are several, then of each
 * @nr: how many there are
 */
struct placement_list {
	struct placement *all;
	size_t nr;
};

/*
 * Reads the placements of targets. @target: only this one; 0: each of @targets, and all together.
 * @list: all zero before, filled; free it with placements_free(), also after an error. Returns 0
 * or a negative errno.
 */
int placements_read(int fd, __u32 target, const struct htmm_target_list *targets,
		    struct placement_list *list, struct htmm_error *err);

/* Frees the list. @list may be all zero. */
void placements_free(struct placement_list *list);

/* Does the module tell where pages are? */
bool placement_known(int fd);

/* The sums over the nodes. */
struct placement_sums placement_sum(const struct placement *placement);

/* The pages of a node that are neither hot nor warm. */
static inline __u64 placement_cold(const struct htmm_node_placement *node)
{
	return node->pages - node->hot_pages - node->warm_pages;
}

/* "fast" or "slow". */
const char *placement_tier(const struct htmm_node_placement *node);

/* The heading of what place_print() prints, and how many columns it takes. */
#define PLACE_TITLE	"node  size "

/* The node and the mapping size of a page, as far as they are known. */
void place_print(FILE *file, __s32 node, __u32 mapping_shift);
void place_json(struct json_object *obj, __s32 node, __u32 mapping_shift);

/* Say which pages of a list have no node, although it was asked for, and why. */
void places_notice(const struct htmm_page_list *list);

/* Describes a placement. */
void placement_json(struct json_object *obj, const struct placement *placement, bool bins);

#endif /* HTMMCTL_PLACEMENT_H */
