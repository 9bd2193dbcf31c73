// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"

/* Bytes of the members that define the layout of records; every version of perf has them. */
#define ATTR_MIN	PERF_ATTR_SIZE_VER0

/* Members of variable size between the period and the data source. */
#define VARYING		(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
			 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* Returns the offset of a member, and moves *@at behind it. */
static __u16 place(__u64 sample_type, __u64 bit, __u16 *at)
{
	__u16 here = *at;

	if (!(sample_type & bit))
		return PERFDATA_ABSENT;
	*at += sizeof(__u64);
	return here;
}

/* Behind it are at most the CPU and the id of a stream. */
static __u16 place_at_end(__u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return sizeof(__u64);
	if (!(type & PERF_SAMPLE_ID))
		return PERFDATA_ABSENT;
	return sizeof(__u64) * (1 + !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_STREAM_ID));
}

/* In the order of perf_output_sample() in the kernel. */
static void lay_out(struct perfdata_layout *layout, __u64 type)
{
	__u16 at = sizeof(struct perf_event_header), identifier, id;

	identifier = place(type, PERF_SAMPLE_IDENTIFIER, &at);
	layout->ip = place(type, PERF_SAMPLE_IP, &at);
	layout->tid = place(type, PERF_SAMPLE_TID, &at);
	layout->time = place(type, PERF_SAMPLE_TIME, &at);
	layout->addr = place(type, PERF_SAMPLE_ADDR, &at);
	id = place(type, PERF_SAMPLE_ID, &at);
	place(type, PERF_SAMPLE_STREAM_ID, &at);
	place(type, PERF_SAMPLE_CPU, &at);
	layout->period = place(type, PERF_SAMPLE_PERIOD, &at);
	layout->id = identifier != PERFDATA_ABSENT ? identifier : id;
	layout->id_at_end = place_at_end(type);
	layout->data_src = PERFDATA_ABSENT;
	if (!(type & VARYING)) {
		place(type, PERF_SAMPLE_WEIGHT_TYPE, &at);
		layout->data_src = place(type, PERF_SAMPLE_DATA_SRC, &at);
	}
	layout->fixed = at;
	layout->whole = layout->ip != PERFDATA_ABSENT && layout->tid != PERFDATA_ABSENT &&
			layout->time != PERFDATA_ABSENT && layout->addr != PERFDATA_ABSENT &&
			layout->period != PERFDATA_ABSENT && layout->data_src != PERFDATA_ABSENT;
}

/* The id must be read before the event is known, so it is at the same place for all events. */
static int check_layout(const struct perfdata_events *events, const struct perfdata_evsel *added,
			struct htmm_error *err)
{
	const struct perfdata_evsel *first = &events->event[0];
	__u64 differ = first->attr.sample_type ^ added->attr.sample_type;

	if (first->layout.id == added->layout.id && added->layout.id != PERFDATA_ABSENT &&
	    first->layout.id_at_end == added->layout.id_at_end &&
	    first->attr.sample_id_all == added->attr.sample_id_all &&
	    !(differ & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME)))
		return 0;
	return htmm_error_set(err, EINVAL, "record these events one at a time",
			      "its records do not say to which event they belong");
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

int perfdata_events_add_ids(struct perfdata_events *events, __u32 event, const void *ids,
			    size_t nr, struct htmm_error *err)
{
	const unsigned char *bytes = ids;
	__u64 id;

	if (nr > PERFDATA_IDS_MAX || events->by_id.nr + nr > PERFDATA_IDS_MAX)
		return htmm_error_set(err, E2BIG, NULL, "it has more than %d ids",
				      PERFDATA_IDS_MAX);
	for (; nr; nr--, bytes += sizeof(id)) {
		memcpy(&id, bytes, sizeof(id));
		if (idmap_set(&events->by_id, id, event))
			return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	return 0;
}

int perfdata_events_find(const struct perfdata_events *events, __u64 id)
{
	const __s64 event = idmap_get(&events->by_id, id);

	return event < 0 ? -ENOENT : event;
}

__u64 perfdata_events_period(const struct perfdata_events *events)
{
	__u64 least = 0;
	__u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->event[i].attr;

		if (attr->freq)
			return 1;
		/* One that is read with its group has no samples of its own. */
		if (attr->sample_period && (!least || attr->sample_period < least))
			least = attr->sample_period;
	}
	return least && least <= LLONG_MAX ? least : 1;
}

void perfdata_events_free(struct perfdata_events *events)
{
	__u32 i;

	for (i = 0; i < events->nr; i++)
		free(events->event[i].name);
	free(events->event);
	idmap_free(&events->by_id);
	memset(events, 0, sizeof(*events));
}
