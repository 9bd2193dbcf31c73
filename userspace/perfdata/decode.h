/* SPDX-License-Identifier: GPL-2.0 */
/* One record of a perf.data file, taken apart. */
#ifndef PERFDATA_DECODE_H
#define PERFDATA_DECODE_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "events.h"

/**
 * struct perfdata_record_view - a record, taken apart
 * @type: PERF_RECORD_*; those not named below have @time, @pid and @tid at most
 * @misc: PERF_RECORD_MISC_*
 * @event: index of the event, of a sample
 * @pid: process; ~0: none or the kernel
 * @tid: thread
 * @ppid: parent, of PERF_RECORD_FORK and PERF_RECORD_EXIT
 * @cpu: CPU of a sample; ~0: not told
 * @time: nanoseconds; 0: not told
 * @ip: address of the instruction; 0: not told
 * @addr: data address of a sample, or start of a mapping
 * @len: bytes of a mapping
 * @pgoff: offset of a mapping in its file
 * @period: events that the sample stands for; 1 if not told
 * @data_src: union perf_mem_data_src; 0: not told
 * @lost: records or samples lost, of PERF_RECORD_LOST and _LOST_SAMPLES
 * @name: command or file, not NUL-terminated; in the record
 * @name_len: bytes of @name
 */
struct perfdata_record_view {
	__u32 type;
	__u16 misc;
	__u32 event;
	__u32 pid;
	__u32 tid;
	__u32 ppid;
	__u32 cpu;
	__u64 time;
	__u64 ip;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	__u64 period;
	__u64 data_src;
	__u64 lost;
	const char *name;
	size_t name_len;
};

/**
 * struct perfdata_sample - a sample; or, in its place in time, another record
 * @time: nanoseconds; 0: not told
 * @addr: data address
 * @ip: address of the instruction; 0: not told
 * @period: events that the sample stands for; 1 if not told
 * @data_src: union perf_mem_data_src; 0: not told
 * @pid: process; ~0: none or the kernel
 * @tid: thread
 * @cpu: CPU; ~0: not told
 * @event: index of the event
 * @misc: PERF_RECORD_MISC_*
 * @other: a record that is no sample, for free(); only @time counts then; else NULL
 *
 * Millions of these are moved about: it is a cache line.
 */
struct perfdata_sample {
	__u64 time;
	__u64 addr;
	__u64 ip;
	__u64 period;
	__u64 data_src;
	__u32 pid;
	__u32 tid;
	__u32 cpu;
	__u16 event;
	__u16 misc;
	struct perfdata_record_view *other;
};

/**
 * perfdata_decode() - take a record apart
 * @events: the events of the file
 * @record: a whole record of a type below 64; need not be aligned
 * @sample: filled; its @other is the caller's then
 *
 * Return: 0, -EBADMSG (shorter than its type), -ENOENT (a sample of an unknown event)
 * or -ENOMEM.
 */
int perfdata_decode(const struct perfdata_events *events, const unsigned char *record,
		    struct perfdata_sample *sample);

/**
 * perfdata_decode_view() - all that is known of a record
 * @sample: the record
 * @view: filled; its name is valid as long as @sample->other
 */
void perfdata_decode_view(const struct perfdata_sample *sample, struct perfdata_record_view *view);

#endif /* PERFDATA_DECODE_H */
