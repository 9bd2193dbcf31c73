/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Events in perf's notation, converted to struct htmm_event. @sysfs is where sysfs is mounted;
 * NULL: /sys. Functions that can fail return 0 or a negative errno, and say in @err, which may be
 * NULL, what was wrong and what to do.
 */
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

/* The presets, from 0 on; NULL after the last one. */
const struct htmm_preset *htmm_preset(unsigned int index);

/* The preset of this name, or NULL. */
const struct htmm_preset *htmm_preset_find(const char *name);

/*
 * The PMUs of this machine's kinds of cores, from 0 on: "cpu"; on a hybrid CPU cpu_core and those
 * of smaller cores. NULL after the last one.
 */
const char *htmm_core_pmu(unsigned int index, const char *sysfs);

/*
 * Finds the event that a preset stands for on this CPU, and what it is good for. @pmu: the kind of
 * cores, of htmm_core_pmu(); NULL: the first. The environment variable HTMM_CPUID names another
 * model of CPU than this one, as perf's lists of events do: GenuineIntel-6-8F-4. Returns 0, or
 * -ENOENT if this CPU has no event for it.
 */
int htmm_preset_choose(const struct htmm_preset *preset, const char *pmu, const char *sysfs,
		       struct htmm_choice *choice, struct htmm_error *err);

/*
 * Appends the events of a comma-separated list: presets, names of libpfm4 such as
 * MEM_LOAD_RETIRED:L3_MISS, rNNNN, or pmu/term=value,.../ or pmu/preset/, each with modifiers such
 * as :pp. On hybrid CPUs a preset is one event for each kind of cores that has one. A preset that
 * is the same event as one before is left out. Returns 0, -EINVAL (not an event), -ENOENT (no such
 * event, PMU or term), -ERANGE (a value does not fit its term) or -E2BIG (too many events).
 */
int htmm_events_parse(struct htmm_event_list *list, const char *text, const char *sysfs,
		      struct htmm_error *err);

/* Gives the events that have no period this one, or with 0 their own default. */
void htmm_events_set_periods(struct htmm_event_list *list, const char *sysfs, __u64 period);

/*
 * HTMM_SEES_* of the memory whose loads an event samples. Of an event of no preset, which may
 * sample all loads: all.
 */
unsigned int htmm_event_sees(const struct htmm_event *event, const char *sysfs);

/* Can samples of the event tell what served them? False: none tells that memory did. */
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

/* Which tier is the memory of other nodes? */
enum htmm_remote htmm_remote_memory(const char *sysfs);

/*
 * Does some memory have loads that none of the events samples? One of no preset is assumed to
 * sample all loads. @unseen: if so, says which memory, and what to sample.
 */
bool htmm_events_unseen(const struct htmm_event_list *list, const char *sysfs,
			struct htmm_error *unseen);

/*
 * Checks that each CPU has an event, and each event a CPU: on hybrid CPUs each kind of cores has a
 * PMU of its own, and a session samples an event on the CPUs of its PMU. @list: events that stand
 * for a preset on cores which the session does not have are left out. @cpus: where they shall be
 * sampled; empty: on all CPUs. Returns 0 or -EINVAL.
 */
int htmm_events_fit_cpus(struct htmm_event_list *list, const struct htmm_cpus *cpus,
			 const char *sysfs, struct htmm_error *err);

/*
 * Finds the highest precision that the kernel accepts for an event, 0 to 3. A hardware event needs
 * 1 or more; without it, samples have no data address. Returns a negative errno if the event cannot
 * be sampled here.
 */
int htmm_event_probe_best(const struct htmm_event *event, struct htmm_error *err);

#endif /* HTMM_EVENT_H */
