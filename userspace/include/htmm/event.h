/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Events as perf users write them, turned into struct htmm_event. */
#ifndef HTMM_EVENT_H
#define HTMM_EVENT_H

#include <stdbool.h>
#include <linux/htmm.h>
#include <htmm/error.h>

/*
 * What to sample where nobody says: the loads that memory served, of whatever kind and
 * node it is. They are what slow memory makes slow; of stores most end in a cache, on the
 * stack. It is for htmm_events_parse(); a CPU may not have it.
 */
#define HTMM_DEFAULT_EVENTS	"llc-miss"

/* Whose loads an event sees: that of memory near the CPU, of another node, persistent. */
#define HTMM_SEES_LOCAL		0x1
#define HTMM_SEES_REMOTE	0x2
#define HTMM_SEES_PMEM		0x4
#define HTMM_SEES_ALL		(HTMM_SEES_LOCAL | HTMM_SEES_REMOTE | HTMM_SEES_PMEM)

/* The most events that a preset chooses from. */
#define HTMM_PRESET_EVENTS	5

/**
 * struct htmm_preset - a name for what CPUs call differently
 * @name: its name
 * @help: what it counts
 * @period: default period, in events; 16 times that for PMUs besides the cores'
 * @sees: HTMM_SEES_* of the memory whose loads it samples; 0: none, as stores
 * @events: what to take, as htmm_events_parse() reads it: the first that exists here;
 *	none: page faults
 */
struct htmm_preset {
	const char *name;
	const char *help;
	__u64 period;
	unsigned int sees;
	const char *events[HTMM_PRESET_EVENTS];
};

/**
 * struct htmm_event_list - events to sample
 * @nr: number of events
 * @event: the events; a period of 0 means that none was given
 */
struct htmm_event_list {
	unsigned int nr;
	struct htmm_event event[HTMM_MAX_EVENTS];
};

/**
 * htmm_preset() - walk the events that have names
 * @index: from 0
 *
 * Return: the preset, or NULL after the last one.
 */
const struct htmm_preset *htmm_preset(unsigned int index);

/**
 * htmm_preset_find() - look an event up by its name
 * @name: the name
 *
 * Return: the preset, or NULL if there is none.
 */
const struct htmm_preset *htmm_preset_find(const char *name);

/**
 * htmm_preset_choice() - tell which event a preset stands for here
 * @preset: the preset
 * @sysfs: where sysfs is mounted; NULL: /sys
 *
 * Return: one of its events, its own name if it has none, or NULL if this CPU has none
 * of them.
 */
const char *htmm_preset_choice(const struct htmm_preset *preset, const char *sysfs);

/**
 * htmm_preset_event() - make an event of a preset, with its default period
 * @preset: the preset
 * @sysfs: where sysfs is mounted; NULL: /sys
 * @event: the event
 * @err: says if this CPU has none for it
 *
 * Return: 0 or -ENOENT.
 */
int htmm_preset_event(const struct htmm_preset *preset, const char *sysfs,
		      struct htmm_event *event, struct htmm_error *err);

/**
 * htmm_events_parse() - append the events of a comma-separated list
 * @list: the events so far
 * @text: presets, names of libpfm4 such as MEM_LOAD_RETIRED:L3_MISS, rNNNN, or
 *	pmu/term=value,.../, each with modifiers such as :pp
 * @sysfs: where sysfs is mounted; NULL: /sys
 * @err: says what is wrong with @text
 *
 * Return: 0, -EINVAL (not an event), -ENOENT (no such event, PMU or term),
 * -ERANGE (a value does not fit its term) or -E2BIG (too many events).
 */
int htmm_events_parse(struct htmm_event_list *list, const char *text, const char *sysfs,
		      struct htmm_error *err);

/**
 * htmm_events_set_periods() - give a period to the events that have none
 * @list: the events
 * @sysfs: where sysfs is mounted, as for htmm_events_parse(); NULL: /sys
 * @period: the period, or 0: each event's own default
 */
void htmm_events_set_periods(struct htmm_event_list *list, const char *sysfs, __u64 period);

/**
 * htmm_events_unseen() - tell if there is memory whose loads none of the events samples
 * @list: the events; one that stands for no preset is taken to see everything
 * @sysfs: where sysfs is mounted; NULL: /sys
 * @unseen: if there is, says which, and what to sample
 *
 * Return: true if there is.
 */
bool htmm_events_unseen(const struct htmm_event_list *list, const char *sysfs,
			struct htmm_error *unseen);

/**
 * htmm_event_probe() - try an event out with perf_event_open(2)
 * @event: the event
 * @precise_ip: the precision to try, 0 to 3
 *
 * Opens the event on the present CPU, as the module would, and closes it.
 *
 * Return: 0, or the negative errno of perf_event_open(2).
 */
int htmm_event_probe(const struct htmm_event *event, unsigned int precise_ip);

/**
 * htmm_event_probe_best() - find the highest precision that can be had
 * @event: the event
 * @err: on failure says why the event cannot be sampled here
 *
 * A hardware event needs a precision of 1 or more, as it carries no data
 * address without.
 *
 * Return: the precision, 0 to 3, or a negative errno.
 */
int htmm_event_probe_best(const struct htmm_event *event, struct htmm_error *err);

#endif /* HTMM_EVENT_H */
