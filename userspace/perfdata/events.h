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
 * @slot: private: hash table of ids
 * @slots: private: its size, a power of two
 * @ids: private: ids in it
 */
struct perfdata_events {
	struct perfdata_evsel *event;
	__u32 nr;
	struct perfdata_id {
		__u64 id;
		__u32 event_plus_1;
	} *slot;
	__u32 slots;
	__u32 ids;
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
 * perfdata_events_hash() - where an id is, if its place was free
 * @events: the events, which have ids
 * @id: the id
 *
 * Return: index of a slot.
 */
static inline __u32 perfdata_events_hash(const struct perfdata_events *events, __u64 id)
{
	return (id * 0x9e3779b97f4a7c15ULL >> 32) & (events->slots - 1);
}

/**
 * perfdata_events_search() - the event of an id, wherever that is
 * @events: the events, which have ids
 * @id: the id
 *
 * Return: its index, or -ENOENT.
 */
int perfdata_events_search(const struct perfdata_events *events, __u64 id);

/**
 * perfdata_events_find() - the event of an id
 * @events: the events
 * @id: the id
 *
 * Return: its index, or -ENOENT.
 */
static inline int perfdata_events_find(const struct perfdata_events *events, __u64 id)
{
	const struct perfdata_id *slot;

	if (!events->ids)
		return -ENOENT;
	slot = &events->slot[perfdata_events_hash(events, id)];
	if (slot->id == id && slot->event_plus_1)
		return slot->event_plus_1 - 1;
	return perfdata_events_search(events, id);
}

/**
 * perfdata_events_free() - free all events
 * @events: the events; may be all zero
 */
void perfdata_events_free(struct perfdata_events *events);

#endif /* PERFDATA_EVENTS_H */
