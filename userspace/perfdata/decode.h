/* SPDX-License-Identifier: GPL-2.0 */
/* One record of a perf.data file, taken apart. */
#ifndef PERFDATA_DECODE_H
#define PERFDATA_DECODE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "events.h"

/**
 * struct perfdata_record_view - a record, taken apart
 * @type: PERF_RECORD_*; those not named below have @time, @pid and @tid at most
 * @misc: PERF_RECORD_MISC_*; 0 of a sample
 * @pid: process; ~0: none or the kernel
 * @tid: thread; ~0: not told, as of a sample
 * @ppid: parent, of PERF_RECORD_FORK and PERF_RECORD_EXIT
 * @time: nanoseconds; 0: not told
 * @addr: data address of a sample, or start of a mapping
 * @len: bytes of a mapping
 * @pgoff: offset of a mapping in its file
 * @period: events that the sample stands for, at most U32_MAX; 1 if not told
 * @data_src: union perf_mem_data_src; 0: not told
 * @lost: records or samples lost, of PERF_RECORD_LOST and _LOST_SAMPLES
 * @name: command or file, not NUL-terminated; in the record
 * @name_len: bytes of @name
 */
struct perfdata_record_view {
	__u32 type;
	__u16 misc;
	__u32 pid;
	__u32 tid;
	__u32 ppid;
	__u32 period;
	__u64 time;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	__u64 data_src;
	__u64 lost;
	const char *name;
	size_t name_len;
};

/**
 * struct perfdata_sample - a sample; or, in its place in time, another record
 * @time: nanoseconds; 0: not told
 * @addr: data address
 * @other: in its place if @period is 0: a record that is no sample, for free(); only
 *	@time counts besides
 * @data_src: union perf_mem_data_src; 0: not told
 * @pid: process; ~0: none or the kernel
 * @period: events that the sample stands for, at most U32_MAX; 1 if not told
 *
 * Millions of these go from CPU to CPU: there is nothing in it that nobody asks for,
 * and it is half a cache line.
 */
struct perfdata_sample {
	__u64 time;
	union {
		__u64 addr;
		struct perfdata_record_view *other;
	};
	__u64 data_src;
	__u32 pid;
	__u32 period;
};

static_assert(sizeof(struct perfdata_sample) == 32, "half a cache line");

/**
 * perfdata_other() - the record, if it is no sample
 * @sample: the record
 *
 * Return: what it says; NULL: it is a sample.
 */
static inline struct perfdata_record_view *perfdata_other(const struct perfdata_sample *sample)
{
	return sample->period ? NULL : sample->other;
}

/**
 * perfdata_decode() - take a record apart
 * @events: the events of the file
 * @record: a whole record of a type below 64; need not be aligned
 * @sample: filled; its perfdata_other() is the caller's then
 *
 * Return: 0, -EBADMSG (shorter than its type), -ENOENT (a sample of an unknown event)
 * or -ENOMEM.
 */
int perfdata_decode(const struct perfdata_events *events, const unsigned char *record,
		    struct perfdata_sample *sample);

/**
 * perfdata_is_sample() - does a record that is one begin here?
 * @bytes: where a record begins; need not be aligned
 * @size: bytes from there on
 *
 * Return: true if as much is there as tells that it is a sample.
 */
static inline bool perfdata_is_sample(const unsigned char *bytes, size_t size)
{
	struct perf_event_header head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	return head.type == PERF_RECORD_SAMPLE;
}

/**
 * perfdata_decode_samples() - take samples apart that lie side by side
 * @events: the events of the file
 * @bytes: where the first one begins, if it is one; need not be aligned
 * @size: bytes from there on
 * @sample: filled
 * @most: how many there is room for
 * @used: receives the bytes that they take
 *
 * Return: how many there are before the first record that needs a closer look, because
 * it is not whole, is no sample, or is none that perfdata_decode() accepts.
 */
size_t perfdata_decode_samples(const struct perfdata_events *events, const unsigned char *bytes,
			       size_t size, struct perfdata_sample *sample, size_t most,
			       size_t *used);

/**
 * perfdata_decode_view() - all that is known of a record
 * @sample: the record
 * @view: filled; its name is valid as long as perfdata_other(@sample)
 */
void perfdata_decode_view(const struct perfdata_sample *sample, struct perfdata_record_view *view);

#endif /* PERFDATA_DECODE_H */
