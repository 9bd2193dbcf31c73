/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a perf.data file: how their records are laid out, and their names. */
#ifndef PERFDATA_EVENTS_H
#define PERFDATA_EVENTS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <htmm/error.h>
#include "idmap.h"

/* Most events and ids of a file. */
#define PERFDATA_EVENTS_MAX	4096
#define PERFDATA_IDS_MAX	(4 * 1024 * 1024)

/* A member that the records of an event do not have. */
#define PERFDATA_ABSENT		0xffff

/**
 * struct perfdata_layout - where in a sample what is
 * @tid: offset of pid and tid, in bytes from the record's start
 * @time: of the time
 * @addr: of the data address
 * @id: of the event's id
 * @id_at_end: of the id in records that are no samples, in bytes from their end
 * @period: of the period
 * @data_src: of the data source, if no member before it varies in size
 * @fixed: bytes before the first member whose size varies
 * @whole: none of these is absent, but for @id
 *
 * PERFDATA_ABSENT stands for what is not there.
 */
struct perfdata_layout {
	__u16 tid;
	__u16 time;
	__u16 addr;
	__u16 id;
	__u16 id_at_end;
	__u16 period;
	__u16 data_src;
	__u16 fixed;
	bool whole;
};

/**
 * struct perfdata_evsel - one event
 * @attr: as it was opened; zero where the file's attr is shorter
 * @layout: of its samples
 * @name: its name, or NULL if the file does not tell
 */
struct perfdata_evsel {
	struct perf_event_attr attr;
	struct perfdata_layout layout;
	char *name;
};

/**
 * struct perfdata_events - all events of a file
 * @event: the events
 * @nr: how many there are
 * @by_id: private: indices of events by their ids
 */
struct perfdata_events {
	struct perfdata_evsel *event;
	__u32 nr;
	struct idmap by_id;
};

/**
 * perfdata_events_add() - append an event
 * @events: the events so far
 * @attr: bytes of its struct perf_event_attr
 * @size: how many; of a version of perf older or newer than ours
 * @err: says what is wrong with it
 *
 * Return: its index, or -E2BIG, -EINVAL or -ENOMEM.
 */
int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size,
			struct htmm_error *err);

/**
 * perfdata_events_add_ids() - say by which ids records name an event
 * @events: the events
 * @event: index of the event
 * @ids: bytes of the __u64, need not be aligned
 * @nr: how many
 * @err: says if there are too many
 *
 * Return: 0, -E2BIG or -ENOMEM.
 */
int perfdata_events_add_ids(struct perfdata_events *events, __u32 event, const void *ids,
			    size_t nr, struct htmm_error *err);

/**
 * perfdata_events_find() - the event of an id
 * @events: the events
 * @id: the id
 *
 * Return: its index, or -ENOENT.
 */
int perfdata_events_find(const struct perfdata_events *events, __u64 id);

/**
 * perfdata_events_free() - free all events
 * @events: the events; may be all zero
 */
void perfdata_events_free(struct perfdata_events *events);

#endif /* PERFDATA_EVENTS_H */
