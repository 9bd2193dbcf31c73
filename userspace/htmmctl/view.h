/* SPDX-License-Identifier: GPL-2.0 */
/* Results of a session as text and as JSON. */
#ifndef HTMMCTL_VIEW_H
#define HTMMCTL_VIEW_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include "results.h"

/* Hot pages shown without -n. */
#define HOT_PAGES_DEFAULT	20

/* Prints a report. @exit_status: of the command that ran; negative: no command. */
void results_print(FILE *file, struct results *res, bool json, int exit_status);

/* Each part of the report. The caller owns the JSON objects. */
void status_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		  const struct htmm_target_list *targets);
struct json_object *status_json(const struct htmm_info *info, const struct htmm_stats_buf *stats);

void stats_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		 const struct served_list *served, bool verbose);
struct json_object *stats_json(const struct htmm_info *info, const struct htmm_stats_buf *stats,
			       const struct served_list *served);

/* @placed: with the node and the mapping size of each page. */
void hot_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
	       bool placed);
void hot_json(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
	      bool placed);

/* A line for each target, or an array. */
void targets_print(FILE *file, const struct htmm_target_list *targets);
struct json_object *targets_json(const struct htmm_target_list *targets);

/* A target in a few words, such as "process 123 (sh)". */
void target_words(char *text, size_t size, const struct htmm_target_info *target);

/* Add the members of an event that describe it. */
void event_json(struct json_object *obj, const struct htmm_event *event);

/* The name of the event of a channel. */
const char *channel_event(const struct htmm_stats_buf *stats,
			  const struct htmm_channel_info *channel);

/* The Prometheus output of status and of stats. */
void status_prometheus(FILE *file, const struct htmm_info *info);
void stats_prometheus(FILE *file, const struct htmm_stats_buf *stats,
		      const struct served_list *served);

#endif /* HTMMCTL_VIEW_H */
