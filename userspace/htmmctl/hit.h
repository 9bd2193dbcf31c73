/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hit ratio that the best placement would have: one estimate, wherever it is told.
 *
 * The module tells which share of its samples the hottest pages have. Those pages are chosen
 * by the same samples, so that this is too much, and more so the fewer samples there are. The
 * estimate is that of the capacity curve, computed from the counts of all pages.
 */
#ifndef HTMMCTL_HIT_H
#define HTMMCTL_HIT_H

#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>
#include "curve.h"

struct json_object;

/**
 * struct hit - a hit ratio
 * @known: it could be computed
 * @samples: samples that it is made from
 * @pages: pages that are accessed, with the estimate of those that have no sample
 * @census: it is exact, as all accesses were counted
 * @few: there are too few samples
 * @at: the estimate with its bounds, at the capacity
 */
struct hit {
	bool known;
	__u64 samples;
	__u64 pages;
	bool census;
	bool few;
	struct curve_point at;
};

/**
 * hit_at() - the hit ratio of one capacity
 * @curve: the capacity curve
 * @capacity: pages that the fast tier holds
 *
 * Return: the ratio.
 */
struct hit hit_at(const struct curve *curve, __u64 capacity);

/**
 * hit_tally() - compute the hit ratio of one capacity
 * @hit: filled
 * @tally: the counts of all pages
 * @config: what is known besides
 * @capacity: pages that the fast tier holds
 *
 * Return: 0 or -ENOMEM.
 */
int hit_tally(struct hit *hit, const struct tally *tally, const struct curve_config *config,
	      __u64 capacity);

/**
 * hit_known() - what is known of a session besides its counts
 * @config: filled
 * @fd: the device
 * @info: set to the session's state
 * @err: says what could not be read
 *
 * Return: 0 or a negative errno.
 */
int hit_known(struct curve_config *config, int fd, struct htmm_info *info, struct htmm_error *err);

/**
 * hit_resident() - how many pages of a target there can be
 * @info: the session's state
 * @where: where its pages are
 *
 * Return: the number of pages; 0: not known.
 */
__u64 hit_resident(const struct htmm_info *info, const struct htmm_placement_buf *where);

/**
 * hit_read() - compute the hit ratio of a session
 * @hit: filled; not &hit.known if the module is too old for it
 * @fd: the device
 * @ratio: what the module tells: target, unit and capacity
 * @where: where the target's pages are; NULL: not known
 * @err: says what could not be read
 *
 * Lists the counts of all pages, so it takes time.
 *
 * Return: 0 or a negative errno.
 */
int hit_read(struct hit *hit, int fd, const struct htmm_hit_ratio *ratio,
	     const struct htmm_placement_buf *where, struct htmm_error *err);

/* The hit ratio in words: "42.1% (36.4 to 49.5)", or why there is none. */
void hit_words(char *text, size_t size, const struct hit *hit);

/* Bytes of any text of hit_words(). */
#define HIT_WORDS	64

/* A line: the same, and what it is about. */
void hit_print(FILE *file, const struct hit *hit);

/**
 * hit_json() - add the hit ratio to an object
 * @obj: the object
 * @name: what keys begin with: NAME_ppm, NAME_low_ppm and NAME_high_ppm, null if not known
 * @hit: the ratio
 */
void hit_json(struct json_object *obj, const char *name, const struct hit *hit);

#endif /* HTMMCTL_HIT_H */
