/* SPDX-License-Identifier: GPL-2.0 */
/* How an event really runs, which may differ from what was asked for. */
#ifndef HTMMCTL_EVENT_MODE_H
#define HTMMCTL_EVENT_MODE_H

#include <json.h>
#include <stdbool.h>
#include <stddef.h>
#include <htmm/htmm.h>

/**
 * struct event_mode - an event on all its CPUs
 * @period_min: the smallest period in force on any of them
 * @period_max: the largest
 * @precise_ip: the lowest precision granted on any of them
 * @active: number of CPUs on which it is armed
 * @large_pebs: large PEBS is on for some CPU, and loses samples
 */
struct event_mode {
	__u64 period_min;
	__u64 period_max;
	unsigned int precise_ip;
	unsigned int active;
	bool large_pebs;
};

/*
 * Finds out how an event runs. @event: its index. Returns its mode; the last known one if it is
 * armed on no CPU any more.
 */
struct event_mode event_mode(const struct htmm_stats_buf *stats, unsigned int event);

/* The message if they do not compare; takes the smallest and the largest period. */
#define COUNTS_DIFFER	"each sample counts 1, whether it stands for %llu events or for %llu; see weight-period"

/*
 * Tells if all samples have the same meaning, of any event and at any time. They do not if
 * periods differ or a budget may change them, while samples are not weighted by their period.
 */
bool counts_compare(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		    char *text, size_t size);

/* Adds the members that say how an event runs. */
void event_mode_json(struct json_object *obj, const struct event_mode *mode);

/* Writes an event's period as text. @text: the period, or the smallest and the largest. */
void event_period_text(const struct event_mode *mode, char *text, size_t size);

/* Writes an event as text, in the form that -e takes where possible. */
void event_code_text(const struct htmm_event *event, char *text, size_t size);

#endif /* HTMMCTL_EVENT_MODE_H */
