/* SPDX-License-Identifier: GPL-2.0 */
/* Results of a session as text and as JSON. */
#ifndef HTMMCTL_VIEW_H
#define HTMMCTL_VIEW_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>

/* Hot pages shown when -n does not say how many. */
#define HOT_PAGES_DEFAULT	20

/**
 * struct results - all that a session has to tell
 * @info: its state
 * @stats: its counters
 * @hist: its histogram of base pages
 * @targets: its targets
 * @pages: its hottest pages
 * @names: what they belong to
 */
struct results {
	struct htmm_info info;
	struct htmm_stats_buf stats;
	struct htmm_histogram hist;
	struct htmm_target_list targets;
	struct htmm_page_list pages;
	struct htmm_names *names;
};

/**
 * results_read() - read the results of the session
 * @res: filled; @res.names, if set, is used and kept
 * @fd: the device
 * @max_pages: the most hot pages to read; 0: all
 * @err: says what could not be read
 *
 * Return: 0 or a negative errno; @res is to be freed in any case.
 */
int results_read(struct results *res, int fd, size_t max_pages, struct htmm_error *err);

/**
 * results_print() - print a report
 * @file: where to
 * @res: the results
 * @json: as one JSON object
 * @exit_status: of the command that ran; negative: none did
 */
void results_print(FILE *file, struct results *res, bool json, int exit_status);

/**
 * results_free() - free the results
 * @res: the results; may be all zero
 */
void results_free(struct results *res);

/* Each part on its own.  The JSON objects are the caller's. */
void status_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		  const struct htmm_target_list *targets);
struct json_object *status_json(const struct htmm_info *info, const struct htmm_stats_buf *stats);

void stats_print(FILE *file, const struct htmm_stats_buf *stats, bool verbose);
struct json_object *stats_json(const struct htmm_info *info, const struct htmm_stats_buf *stats);

/* Sum of the channels of an event. */
struct htmm_counters stats_of_event(const struct htmm_stats_buf *stats, __u32 event);

void hist_print(FILE *file, const struct htmm_histogram *hist, bool all);
struct json_object *hist_json(const struct htmm_histogram *hist);

/* @nodes: where the pages are, of htmm_page_nodes(); NULL: nobody asked. */
void hot_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
	       const int *nodes);
void hot_json(FILE *file, struct htmm_names *names, const struct htmm_page_list *list);

/* A line for each target, or an array. */
void targets_print(FILE *file, const struct htmm_target_list *targets);
struct json_object *targets_json(const struct htmm_target_list *targets);

/* A target in a few words, such as "process 123 (sh)". */
void target_words(char *text, size_t size, const struct htmm_target_info *target);

/* Add the members of an event that describe it. */
void event_json(struct json_object *obj, const struct htmm_event *event);

#endif /* HTMMCTL_VIEW_H */
