// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"

/* The members that decide how records look; perf always had them. */
#define ATTR_MIN	PERF_ATTR_SIZE_VER0

/* Members between the period and the data source whose size varies. */
#define VARYING		(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
			 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* The offset of a member, and *@at moved behind it. */
static __u16 place(__u64 sample_type, __u64 bit, __u16 *at)
{
	__u16 here = *at;

	if (!(sample_type & bit))
		return PERFDATA_ABSENT;
	*at += sizeof(__u64);
	return here;
}

/* In the order of the kernel's perf_output_sample(). */
static void lay_out(struct perfdata_layout *layout, __u64 type)
{
	__u16 at = sizeof(struct perf_event_header), identifier, id;

	identifier = place(type, PERF_SAMPLE_IDENTIFIER, &at);
	place(type, PERF_SAMPLE_IP, &at);
	layout->tid = place(type, PERF_SAMPLE_TID, &at);
	layout->time = place(type, PERF_SAMPLE_TIME, &at);
	layout->addr = place(type, PERF_SAMPLE_ADDR, &at);
	id = place(type, PERF_SAMPLE_ID, &at);
	place(type, PERF_SAMPLE_STREAM_ID, &at);
	place(type, PERF_SAMPLE_CPU, &at);
	layout->period = place(type, PERF_SAMPLE_PERIOD, &at);
	layout->id = identifier != PERFDATA_ABSENT ? identifier : id;
	layout->data_src = PERFDATA_ABSENT;
	if (!(type & VARYING)) {
		place(type, PERF_SAMPLE_WEIGHT_TYPE, &at);
		layout->data_src = place(type, PERF_SAMPLE_DATA_SRC, &at);
	}
	layout->fixed = at;
	layout->whole = layout->tid != PERFDATA_ABSENT && layout->time != PERFDATA_ABSENT &&
			layout->addr != PERFDATA_ABSENT && layout->period != PERFDATA_ABSENT &&
			layout->data_src != PERFDATA_ABSENT;
}

/* Ids must be found before the event is known, so all have to agree where they are. */
static int check_layout(const struct perfdata_events *events, const struct perfdata_evsel *added,
			struct htmm_error *err)
{
	const struct perfdata_evsel *first = &events->event[0];
	__u64 differ = first->attr.sample_type ^ added->attr.sample_type;

	if (first->layout.id == added->layout.id &&
	    !(differ & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME)))
		return 0;
	return htmm_error_set(err, EINVAL, "record these events one at a time",
			      "its events have records of different forms and no way to tell them apart");
}

static int grow(struct perfdata_events *events, struct htmm_error *err)
{
	struct perfdata_evsel *event;

	if (events->nr == PERFDATA_EVENTS_MAX)
		return htmm_error_set(err, E2BIG, NULL, "it has more than %d events",
				      PERFDATA_EVENTS_MAX);
	event = realloc(events->event, (events->nr + 1) * sizeof(*event));
	if (!event)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	events->event = event;
	return 0;
}

int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size,
			struct htmm_error *err)
{
	struct perfdata_evsel *added;
	int ret;

	if (size < ATTR_MIN)
		return htmm_error_set(err, EINVAL, NULL, "an event is described in %zu bytes only",
				      size);
	ret = grow(events, err);
	if (ret)
		return ret;
	added = &events->event[events->nr];
	memset(added, 0, sizeof(*added));
	memcpy(&added->attr, attr, size < sizeof(added->attr) ? size : sizeof(added->attr));
	lay_out(&added->layout, added->attr.sample_type);
	if (events->nr) {
		ret = check_layout(events, added, err);
		if (ret)
			return ret;
	}
	return events->nr++;
}

static void insert(struct perfdata_events *events, __u64 id, __u32 event)
{
	__u32 at = perfdata_events_hash(events, id);

	while (events->slot[at].event_plus_1 && events->slot[at].id != id)
		at = (at + 1) & (events->slots - 1);
	if (!events->slot[at].event_plus_1)
		events->ids++;
	events->slot[at].id = id;
	events->slot[at].event_plus_1 = event + 1;
}

/* Make room for @nr more ids; at least half of the slots stay empty. */
static int make_room(struct perfdata_events *events, size_t nr)
{
	struct perfdata_events old = *events;
	__u32 i;

	while (2 * (events->ids + nr) > events->slots)
		events->slots = events->slots ? 2 * events->slots : 64;
	if (events->slots == old.slots)
		return 0;
	events->slot = calloc(events->slots, sizeof(*events->slot));
	if (!events->slot) {
		*events = old;
		return -ENOMEM;
	}
	events->ids = 0;
	for (i = 0; i < old.slots; i++)
		if (old.slot[i].event_plus_1)
			insert(events, old.slot[i].id, old.slot[i].event_plus_1 - 1);
	free(old.slot);
	return 0;
}

int perfdata_events_add_ids(struct perfdata_events *events, __u32 event, const void *ids,
			    size_t nr, struct htmm_error *err)
{
	const unsigned char *bytes = ids;
	__u64 id;

	if (nr > PERFDATA_IDS_MAX || events->ids + nr > PERFDATA_IDS_MAX)
		return htmm_error_set(err, E2BIG, NULL, "it has more than %d ids",
				      PERFDATA_IDS_MAX);
	if (make_room(events, nr))
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	while (nr--) {
		memcpy(&id, bytes, sizeof(id));
		insert(events, id, event);
		bytes += sizeof(id);
	}
	return 0;
}

int perfdata_events_search(const struct perfdata_events *events, __u64 id)
{
	__u32 at;

	for (at = perfdata_events_hash(events, id); events->slot[at].event_plus_1;
	     at = (at + 1) & (events->slots - 1))
		if (events->slot[at].id == id)
			return events->slot[at].event_plus_1 - 1;
	return -ENOENT;
}

void perfdata_events_free(struct perfdata_events *events)
{
	__u32 i;

	for (i = 0; i < events->nr; i++)
		free(events->event[i].name);
	free(events->event);
	free(events->slot);
	memset(events, 0, sizeof(*events));
}
