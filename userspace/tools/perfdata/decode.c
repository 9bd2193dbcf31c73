// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "decode.h"
#include "format.h"

/* The only event of a file has this index. */
#define NO_EVENT	0

/**
 * struct cursor - the unread part of a record
 * @at: the next byte
 * @left: bytes from there to the record's end
 */
struct cursor {
	const unsigned char *at;
	size_t left;
};

static __u64 get64(const void *bytes)
{
	__u64 value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static __u32 get32(const void *bytes)
{
	__u32 value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static struct perf_event_header get_header(const void *bytes)
{
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	return header;
}

static int skip(struct cursor *cursor, __u64 size)
{
	if (size > cursor->left)
		return -EBADMSG;
	cursor->at += size;
	cursor->left -= size;
	return 0;
}

static int take64(struct cursor *cursor, __u64 *value)
{
	if (cursor->left < sizeof(*value))
		return -EBADMSG;
	*value = get64(cursor->at);
	return skip(cursor, sizeof(*value));
}

/* Skips @nr elements of @size bytes; @nr comes from the file and is not trusted. */
static int skip_array(struct cursor *cursor, __u64 nr, size_t size)
{
	return nr > cursor->left / size ? -EBADMSG : skip(cursor, nr * size);
}

/* Skips the values of one counter, or of all counters of a group. */
static int skip_read(struct cursor *cursor, __u64 format)
{
	__u64 nr = 1;
	size_t each = 8;

	if (format & PERF_FORMAT_ID)
		each += 8;
	if (format & PERF_FORMAT_LOST)
		each += 8;
	if (format & PERF_FORMAT_GROUP && take64(cursor, &nr))
		return -EBADMSG;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED && skip(cursor, 8))
		return -EBADMSG;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING && skip(cursor, 8))
		return -EBADMSG;
	return skip_array(cursor, nr, each);
}

static int skip_callchain(struct cursor *cursor)
{
	__u64 nr;

	return take64(cursor, &nr) ? -EBADMSG : skip_array(cursor, nr, 8);
}

static int skip_raw(struct cursor *cursor)
{
	return cursor->left < 4 ? -EBADMSG : skip(cursor, 4 + (__u64)get32(cursor->at));
}

static int skip_branches(struct cursor *cursor, const struct perf_event_attr *attr)
{
	__u64 nr;

	if (take64(cursor, &nr))
		return -EBADMSG;
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX && skip(cursor, 8))
		return -EBADMSG;
	return skip_array(cursor, nr, sizeof(struct perf_branch_entry));
}

static int skip_regs(struct cursor *cursor, const struct perf_event_attr *attr)
{
	__u64 abi;

	if (take64(cursor, &abi))
		return -EBADMSG;
	return abi ? skip_array(cursor, __builtin_popcountll(attr->sample_regs_user), 8) : 0;
}

static int skip_stack(struct cursor *cursor)
{
	__u64 size;

	if (take64(cursor, &size) || skip(cursor, size))
		return -EBADMSG;
	return size ? skip(cursor, 8) : 0;
}

/* Moves past the members of variable size, to the data source behind them. */
static int find_data_src(struct cursor *cursor, const struct perf_event_attr *attr, __u64 *value)
{
	__u64 type = attr->sample_type;
	int ret = 0;

	if (type & PERF_SAMPLE_READ)
		ret = skip_read(cursor, attr->read_format);
	if (!ret && type & PERF_SAMPLE_CALLCHAIN)
		ret = skip_callchain(cursor);
	if (!ret && type & PERF_SAMPLE_RAW)
		ret = skip_raw(cursor);
	if (!ret && type & PERF_SAMPLE_BRANCH_STACK)
		ret = skip_branches(cursor, attr);
	if (!ret && type & PERF_SAMPLE_REGS_USER)
		ret = skip_regs(cursor, attr);
	if (!ret && type & PERF_SAMPLE_STACK_USER)
		ret = skip_stack(cursor);
	if (!ret && type & PERF_SAMPLE_WEIGHT_TYPE)
		ret = skip(cursor, 8);
	return ret ? ret : take64(cursor, value);
}

/* Records in a file of one event need no id. */
static bool one_event(const struct perfdata_events *events)
{
	return events->nr == 1;
}

/* The event of a sample. */
static int sample_event(const struct perfdata_events *events, const unsigned char *record,
			size_t size)
{
	__u16 at;

	if (!events->nr)
		return -ENOENT;
	if (one_event(events))
		return NO_EVENT;
	at = events->event[0].layout.id;
	return at + 8U <= size ? perfdata_events_find(events, get64(record + at)) : -EBADMSG;
}

/* A 64-bit member; 0 if the event's samples do not have it. */
static inline __u64 member64(const unsigned char *record, __u16 at)
{
	return at == PERFDATA_ABSENT ? 0 : get64(record + at);
}

/* The period of a sample is never 0; 0 marks another record. */
static inline __u32 period_of(__u64 period)
{
	return period < 1 ? 1 : period > ~0U ? ~0U : period;
}

/* Events of a fixed period need not repeat it in each sample. */
static __u64 fixed_period(const struct perf_event_attr *attr)
{
	return attr->freq ? 0 : attr->sample_period;
}

static int decode_sample(const struct perfdata_evsel *evsel, const unsigned char *record,
			 struct perf_event_header head, struct perfdata_sample *sample)
{
	const struct perfdata_layout *layout = &evsel->layout;
	const size_t size = head.size;

	if (size < layout->fixed)
		return -EBADMSG;
	*sample = (struct perfdata_sample) {
		.time = member64(record, layout->time),
		.addr = member64(record, layout->addr),
		.ip = member64(record, layout->ip),
		.data_src = member64(record, layout->data_src),
		.pid = layout->tid == PERFDATA_ABSENT ? ~0U : get32(record + layout->tid),
		.period = period_of(layout->period == PERFDATA_ABSENT ?
				    fixed_period(&evsel->attr) : get64(record + layout->period)),
	};
	if (perfdata_in_guest(head.misc))
		sample->pid = PERFDATA_GUEST;
	if (layout->data_src == PERFDATA_ABSENT && evsel->attr.sample_type & PERF_SAMPLE_DATA_SRC) {
		struct cursor cursor = { record + layout->fixed, size - layout->fixed };

		return find_data_src(&cursor, &evsel->attr, &sample->data_src);
	}
	return 0;
}

/* The same for samples that have all members that are used here at fixed offsets. */
static inline int decode_whole(const struct perfdata_layout *layout, const unsigned char *record,
			       struct perf_event_header head, struct perfdata_sample *sample)
{
	if (head.size < layout->fixed)
		return -EBADMSG;
	*sample = (struct perfdata_sample) {
		.time = get64(record + layout->time),
		.addr = get64(record + layout->addr),
		.ip = get64(record + layout->ip),
		.data_src = get64(record + layout->data_src),
		.pid = perfdata_in_guest(head.misc) ? PERFDATA_GUEST : get32(record + layout->tid),
		.period = period_of(get64(record + layout->period)),
	};
	return 0;
}

/* Bytes of the members at the end of all records that are no samples, if they have them. */
static size_t trailer_size(const struct perf_event_attr *attr)
{
	const __u64 members = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return attr->sample_id_all ? 8 * __builtin_popcountll(attr->sample_type & members) : 0;
}

/* The event of a record that is no sample; records made by perf itself have id 0. */
static const struct perf_event_attr *other_event(const struct perfdata_events *events,
						 const unsigned char *record, size_t size)
{
	const __u16 at = events->event[0].layout.id_at_end;
	int event = NO_EVENT;

	if (!one_event(events) && size >= sizeof(struct perf_event_header) + at)
		event = perfdata_events_find(events, get64(record + size - at));
	return &events->event[event < 0 ? NO_EVENT : event].attr;
}

/* Reads pid, tid and time from the end of a record that is no sample. */
static void decode_trailer(const struct perfdata_events *events, const unsigned char *record,
			   size_t size, struct perfdata_record_view *view)
{
	const struct perf_event_attr *attr;
	const unsigned char *at;

	if (!events->nr)
		return;
	attr = other_event(events, record, size);
	if (!trailer_size(attr) || size < sizeof(struct perf_event_header) + trailer_size(attr))
		return;
	at = record + size - trailer_size(attr);
	if (attr->sample_type & PERF_SAMPLE_TID) {
		view->pid = get32(at);
		view->tid = get32(at + 4);
		at += 8;
	}
	if (attr->sample_type & PERF_SAMPLE_TIME)
		view->time = get64(at);
}

/* A text ends at its NUL, or at the end of the record. */
static int decode_name(const unsigned char *record, size_t from, size_t size,
		       struct perfdata_record_view *view)
{
	if (size <= from)
		return -EBADMSG;
	view->name = (const char *)record + from;
	view->name_len = strnlen(view->name, size - from);
	return 0;
}

/* What tells files of one name apart; not the generation, which perf's own records lack. */
static void decode_file(const unsigned char *record, struct perfdata_record_view *view)
{
	const size_t maj = offsetof(struct perfdata_mmap2, maj);

	view->shared = get32(record + offsetof(struct perfdata_mmap2, flags)) & MAP_SHARED;
	if (view->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		/* Its length, three unused bytes, and the id. */
		view->dev = PERFDATA_DEV_BUILD_ID;
		view->ino = get64(record + maj + 4);
		return;
	}
	view->dev = (__u64)get32(record + maj) << 32 |
		    get32(record + offsetof(struct perfdata_mmap2, min));
	view->ino = get64(record + offsetof(struct perfdata_mmap2, ino));
}

static int decode_mmap(const unsigned char *record, size_t size, struct perfdata_record_view *view)
{
	size_t name = view->type == PERF_RECORD_MMAP ? offsetof(struct perfdata_mmap, filename) :
						       offsetof(struct perfdata_mmap2, filename);

	if (size <= name)
		return -EBADMSG;
	view->pid = get32(record + offsetof(struct perfdata_mmap, pid));
	view->tid = get32(record + offsetof(struct perfdata_mmap, tid));
	view->addr = get64(record + offsetof(struct perfdata_mmap, start));
	view->len = get64(record + offsetof(struct perfdata_mmap, len));
	view->pgoff = get64(record + offsetof(struct perfdata_mmap, pgoff));
	if (view->type == PERF_RECORD_MMAP2)
		decode_file(record, view);
	return decode_name(record, name, size, view);
}

static int decode_task(const unsigned char *record, size_t size, struct perfdata_record_view *view)
{
	if (size < sizeof(struct perfdata_task))
		return -EBADMSG;
	view->pid = get32(record + offsetof(struct perfdata_task, pid));
	view->ppid = get32(record + offsetof(struct perfdata_task, ppid));
	view->tid = get32(record + offsetof(struct perfdata_task, tid));
	return 0;
}

static int decode_comm(const unsigned char *record, size_t size, struct perfdata_record_view *view)
{
	if (size < offsetof(struct perfdata_comm, comm))
		return -EBADMSG;
	view->pid = get32(record + offsetof(struct perfdata_comm, pid));
	view->tid = get32(record + offsetof(struct perfdata_comm, tid));
	return decode_name(record, offsetof(struct perfdata_comm, comm), size, view);
}

static int decode_lost(const unsigned char *record, size_t size, size_t at,
		       struct perfdata_record_view *view)
{
	if (size < at + 8)
		return -EBADMSG;
	view->lost = get64(record + at);
	return 0;
}

static int decode_other(const struct perfdata_events *events, const unsigned char *record,
			struct perf_event_header head, struct perfdata_record_view *view)
{
	*view = (struct perfdata_record_view) {
		.type = head.type, .misc = head.misc,
		.pid = ~0U, .tid = ~0U, .period = 1,
	};
	decode_trailer(events, record, head.size, view);
	switch (head.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return decode_mmap(record, head.size, view);
	case PERF_RECORD_COMM:
		return decode_comm(record, head.size, view);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_task(record, head.size, view);
	case PERF_RECORD_CGROUP:
		return decode_name(record, sizeof(struct perfdata_cgroup), head.size, view);
	case PERF_RECORD_LOST:
		return decode_lost(record, head.size, offsetof(struct perfdata_lost, lost), view);
	case PERF_RECORD_LOST_SAMPLES:
		return decode_lost(record, head.size, offsetof(struct perfdata_lost_samples, lost),
				   view);
	default:
		return 0;
	}
}

/* Makes a copy, with the name appended to it. */
static struct perfdata_record_view *keep(const struct perfdata_record_view *view)
{
	struct perfdata_record_view *kept = malloc(sizeof(*kept) + view->name_len);

	if (!kept)
		return NULL;
	*kept = *view;
	kept->name = (char *)(kept + 1);
	if (view->name_len)
		memcpy(kept + 1, view->name, view->name_len);
	return kept;
}

int perfdata_decode(const struct perfdata_events *events, const unsigned char *record,
		    struct perfdata_sample *sample)
{
	const struct perf_event_header head = get_header(record);
	struct perfdata_record_view view;
	int ret;

	if (head.type == PERF_RECORD_SAMPLE) {
		ret = sample_event(events, record, head.size);
		if (ret < 0)
			return ret;
		return decode_sample(&events->event[ret], record, head, sample);
	}
	ret = decode_other(events, record, head, &view);
	if (ret)
		return ret;
	*sample = (struct perfdata_sample) { .time = view.time, .other = keep(&view) };
	return sample->other ? 0 : -ENOMEM;
}

/* Samples of one event mostly come in sequence. */
size_t perfdata_decode_samples(const struct perfdata_events *events, const unsigned char *bytes,
			       size_t size, struct perfdata_sample *sample, size_t most,
			       size_t *used)
{
	const __u16 id_at = events->nr && !one_event(events) ? events->event[0].layout.id : 0;
	const unsigned char *at = bytes, *end = bytes + size;
	const struct perfdata_evsel *evsel = NULL;
	__u64 id = 0, last_id = 0;
	size_t nr;

	for (nr = 0; nr < most && end - at >= (ptrdiff_t)sizeof(struct perf_event_header); nr++) {
		const struct perf_event_header head = get_header(at);

		if (head.type != PERF_RECORD_SAMPLE || head.size > end - at ||
		    head.size < id_at + sizeof(id))
			break;
		id = id_at ? get64(at + id_at) : 0;
		if (!evsel || id != last_id) {
			int event = sample_event(events, at, head.size);

			if (event < 0)
				break;
			evsel = &events->event[event];
			last_id = id;
		}
		if (evsel->layout.whole ? decode_whole(&evsel->layout, at, head, &sample[nr]) :
					  decode_sample(evsel, at, head, &sample[nr]))
			break;
		at += head.size;
	}
	*used = at - bytes;
	return nr;
}
