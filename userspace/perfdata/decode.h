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
 * perfdata_decode_time() - the time of a record
 * @events: the events of the file
 * @header: a whole record, of a type below 64; need not be aligned
 * @time: receives the time; 0: it has none
 *
 * Return: index of its event (0 if it is no sample), -EBADMSG (shorter than its type)
 * or -ENOENT (of an unknown event).
 */
int perfdata_decode_time(const struct perfdata_events *events,
			 const struct perf_event_header *header, __u64 *time);

/**
 * perfdata_decode() - take a record apart
 * @events: the events of the file
 * @header: a whole record; need not be aligned
 * @event: index of its event, from perfdata_decode_time()
 * @view: filled
 *
 * Return: 0 or -EBADMSG (shorter than its type).
 */
int perfdata_decode(const struct perfdata_events *events, const struct perf_event_header *header,
		    __u32 event, struct perfdata_record_view *view);

#endif /* PERFDATA_DECODE_H */
