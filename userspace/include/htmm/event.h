/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Events in perf's notation, converted to struct htmm_event. */
#ifndef HTMM_EVENT_H
#define HTMM_EVENT_H

#include <stdbool.h>
#include <linux/htmm.h>
#include <htmm/cpus.h>
#include <htmm/error.h>

/*
 * The events to sample by default: loads that memory served, of any kind and on any node,
 * as slow memory makes these slow. Most stores end in a cache, on the stack. For
 * htmm_events_parse(); a CPU may lack the event.
 */
#define HTMM_DEFAULT_EVENTS	"llc-miss"

/* The memory whose loads an event samples: local, of another node, persistent or CXL. */
#define HTMM_SEES_LOCAL		0x1
#define HTMM_SEES_REMOTE	0x2
#define HTMM_SEES_SLOW		0x4
#define HTMM_SEES_ALL		(HTMM_SEES_LOCAL | HTMM_SEES_REMOTE | HTMM_SEES_SLOW)

/**
 * struct htmm_preset - one name for an event that has another code on each CPU model
 * @name: its name
 * @period: default period, in events; 16 times that with AMD's IBS
 * @sees: HTMM_SEES_* of the memory whose loads it samples; 0: no loads
 * @help: what it counts, and what it does not tell
 */
struct htmm_preset {
	const char *name;
	__u64 period;
	unsigned int sees;
	const char *help;
};

/**
 * struct htmm_choice - the event that a preset stands for on this CPU
 * @event: the event, with its default period; if the CPU has none, only its name
 * @text: the same for htmm_events_parse(); empty: page faults
 * @help: what it counts here, what it does not tell, and whether it tells what served samples
 * @sees: HTMM_SEES_* of the memory whose loads it samples here
 * @served: each sample can tell what served it (PERF_SAMPLE_DATA_SRC)
 */
struct htmm_choice {
	struct htmm_event event;
	char text[64];
	char help[144];
	unsigned int sees;
	bool served;
};

/**
 * struct htmm_event_list - events to sample
 * @nr: number of events
 * @parts: bit i is set if @event[i] is one of several that a preset stands for: one for each
 *	kind of cores
 * @event: the events; a period of 0 means that none was given
 */
struct htmm_event_list {
	unsigned int nr;
	unsigned int parts;
	struct htmm_event event[HTMM_MAX_EVENTS];
};

/**
 * htmm_preset() - walk the presets
 * @index: from 0
 *
 * Return: the preset, or NULL after the last one.
 */
const struct htmm_preset *htmm_preset(unsigned int index);

/**
 * htmm_preset_find() - look up a preset by its name
 * @name: the name
 *
 * Return: the preset, or NULL if there is none.
 */
const struct htmm_preset *htmm_preset_find(const char *name);

/**
 * htmm_core_pmu() - walk the PMUs of this machine's kinds of cores
 * @index: from 0
 * @sysfs: where sysfs is mounted; NULL: /sys
 *
 * Return: "cpu"; on a hybrid CPU cpu_core and those of smaller cores. NULL after the last one.
 */
const char *htmm_core_pmu(unsigned int index, const char *sysfs);

/**
 * htmm_preset_choose() - find the event that a preset stands for on this CPU
 * @preset: the preset, of htmm_preset()
 * @pmu: the kind of cores, of htmm_core_pmu(); NULL: the first
 * @sysfs: where sysfs is mounted; NULL: /sys
 * @choice: the event, and what it is good for
 * @err: says why this CPU has no event for it, and what to do
 *
 * The environment variable HTMM_CPUID names another model of CPU than this one, as perf's
 * lists of events do: GenuineIntel-6-8F-4.
 *
 * Return: 0 or -ENOENT.
 */
int htmm_preset_choose(const struct htmm_preset *preset, const char *pmu, const char *sysfs,
		       struct htmm_choice *choice, struct htmm_error *err);

/**
 * htmm_events_parse() - append the events of a comma-separated list
 * @list: the events so far
 * @text: presets, names of libpfm4 such as MEM_LOAD_RETIRED:L3_MISS, rNNNN, or
 *	pmu/term=value,.../ or pmu/preset/, each with modifiers such as :pp. On hybrid CPUs
 *	a preset is one event for each kind of cores that has one. A preset that is the same
 *	event as one before is left out.
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
 * htmm_event_sees() - tell the loads of which memory an event samples
 * @event: the event
 * @sysfs: where sysfs is mounted; NULL: /sys
 *
 * Return: HTMM_SEES_*; of an event of no preset, which may sample all loads: all.
 */
unsigned int htmm_event_sees(const struct htmm_event *event, const char *sysfs);

/**
 * htmm_event_served() - tell if samples of an event can tell what served them
 * @event: the event
 * @sysfs: where sysfs is mounted; NULL: /sys
 *
 * Return: false if no sample of it ever tells that memory served it.
 */
bool htmm_event_served(const struct htmm_event *event, const char *sysfs);

/**
 * enum htmm_remote - which tier the memory of another node than the CPU's is
 * @HTMM_REMOTE_NONE: there is no other node with memory
 * @HTMM_REMOTE_FAST: all nodes with memory have CPUs
 * @HTMM_REMOTE_SLOW: one node has CPUs, so all others are slow
 * @HTMM_REMOTE_UNKNOWN: some other nodes have CPUs, and some have not
 */
enum htmm_remote {
	HTMM_REMOTE_NONE,
	HTMM_REMOTE_FAST,
	HTMM_REMOTE_SLOW,
	HTMM_REMOTE_UNKNOWN,
};

/**
 * htmm_remote_memory() - tell which tier the memory of another node is
 * @sysfs: where sysfs is mounted; NULL: /sys
 */
enum htmm_remote htmm_remote_memory(const char *sysfs);

/**
 * htmm_events_unseen() - tell if some memory has loads that none of the events samples
 * @list: the events; one of no preset is assumed to sample all loads
 * @sysfs: where sysfs is mounted; NULL: /sys
 * @unseen: if so, says which memory, and what to sample
 *
 * Return: true if there is such memory.
 */
bool htmm_events_unseen(const struct htmm_event_list *list, const char *sysfs,
			struct htmm_error *unseen);

/**
 * htmm_events_fit_cpus() - check that each CPU has an event, and each event a CPU
 * @list: the events; those that stand for a preset on cores which the session does not have are
 *	left out
 * @cpus: where they shall be sampled; empty: on all CPUs
 * @sysfs: where sysfs is mounted; NULL: /sys
 * @err: says which event has no CPUs, or which CPUs have no event
 *
 * On hybrid CPUs each kind of cores has a PMU of its own, and a session samples an event on the
 * CPUs of its PMU.
 *
 * Return: 0 or -EINVAL.
 */
int htmm_events_fit_cpus(struct htmm_event_list *list, const struct htmm_cpus *cpus,
			 const char *sysfs, struct htmm_error *err);

/**
 * htmm_event_probe_best() - find the highest precision that the kernel accepts
 * @event: the event
 * @err: on failure says why the event cannot be sampled here
 *
 * A hardware event needs a precision of 1 or more; without it, samples have no data address.
 *
 * Return: the precision, 0 to 3, or a negative errno.
 */
int htmm_event_probe_best(const struct htmm_event *event, struct htmm_error *err);

#endif /* HTMM_EVENT_H */
