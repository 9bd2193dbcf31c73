/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a perf.data file: layout of their records, and names. */
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
 * struct perfdata_layout - offsets of a sample's members
 * @ip: offset of the instruction's address, in bytes from the record's start
 * @tid: of pid and tid
 * @time: of the time
 * @addr: of the data address
 * @id: of the event's id
 * @id_at_end: of the id in records that are no samples, in bytes from the record's end
 * @period: of the period
 * @data_src: of the data source, if no member before it varies in size
 * @fixed: bytes before the first member whose size varies
 * @whole: none of these but @id is absent
 *
 * PERFDATA_ABSENT means that the member is absent.
 */
struct perfdata_layout {
	__u16 ip;
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
 * @attr: attributes as opened; zero behind the end of a shorter attr in the file
 * @layout: of its samples
 * @name: its name, or NULL if the file has none
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
 * @size: number of bytes; other versions of perf have more or fewer
 * @err: says what is wrong with it
 *
 * Return: its index, or -E2BIG, -EINVAL or -ENOMEM.
 */
int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size,
			struct htmm_error *err);

/**
 * perfdata_events_add_ids() - add the ids of an event
 * @events: the events
 * @event: index of the event
 * @ids: array of __u64, need not be aligned
 * @nr: number of ids
 * @err: says if there are too many
 *
 * Return: 0, -E2BIG or -ENOMEM.
 */
int perfdata_events_add_ids(struct perfdata_events *events, __u32 event, const void *ids,
			    size_t nr, struct htmm_error *err);

/**
 * perfdata_events_find() - find the event of an id
 * @events: the events
 * @id: the id
 *
 * Return: its index, or -ENOENT.
 */
int perfdata_events_find(const struct perfdata_events *events, __u64 id);

/**
 * perfdata_events_period() - get the period of a sample that counts 1, if periods are weights
 * @events: the events
 *
 * Return: the smallest period of all; 1 if one of them has a frequency, or none is known yet, as
 * with a pipe.
 */
__u64 perfdata_events_period(const struct perfdata_events *events);

/**
 * perfdata_events_free() - free all events
 * @events: the events; may be all zero
 */
void perfdata_events_free(struct perfdata_events *events);

#endif /* PERFDATA_EVENTS_H */
