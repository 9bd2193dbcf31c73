/* SPDX-License-Identifier: GPL-2.0 */
/* Decoding of single perf.data records. */
#ifndef PERFDATA_DECODE_H
#define PERFDATA_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "events.h"

/* The device of a file that is known by its build id. */
#define PERFDATA_DEV_BUILD_ID	(~0ULL)

/* The process of a sample that was taken in a virtual machine, whose addresses are its own. */
#define PERFDATA_GUEST	(~0U - 1)

/**
 * struct perfdata_record_view - a decoded record
 * @type: PERF_RECORD_*; types not named below have only @time, @pid and @tid
 * @misc: PERF_RECORD_MISC_*; 0 for a sample
 * @pid: process; ~0: no process, or the kernel
 * @tid: thread; ~0: unknown, always for a sample
 * @ppid: parent, for PERF_RECORD_FORK and PERF_RECORD_EXIT
 * @time: nanoseconds; 0: unknown
 * @addr: data address of a sample, or start of a mapping
 * @len: bytes of a mapping
 * @pgoff: offset of a mapping in its file
 * @dev: device of its file, or PERFDATA_DEV_BUILD_ID; 0: not known, or there is no file
 * @ino: inode of its file, or a part of its build id; System V segments may have the inode 0
 * @shared: what is written there is seen in the file and in its other mappings
 * @period: events that the sample stands for, at most U32_MAX; 1 if unknown
 * @data_src: union perf_mem_data_src; 0: unknown
 * @lost: records or samples lost, for PERF_RECORD_LOST and _LOST_SAMPLES
 * @name: command or file, not NUL-terminated; points into the record
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
	__u64 dev;
	__u64 ino;
	bool shared;
	__u64 data_src;
	__u64 lost;
	const char *name;
	size_t name_len;
};

/**
 * struct perfdata_sample - a sample, or another record in order of time
 * @time: nanoseconds; 0: unknown
 * @addr: data address
 * @ip: address of the instruction; 0: unknown
 * @other: if @period is 0, a record that is no sample, for free(); then only @time is valid
 *	besides
 * @data_src: union perf_mem_data_src; 0: unknown
 * @pid: process; 0: the idle task, or one outside of the recorder's pid namespace; ~0: none, as
 *	it was exiting; PERFDATA_GUEST
 * @period: events that the sample stands for, at most U32_MAX; 1 if unknown
 *
 * Millions of these move between CPUs, so the struct has only what is used.
 */
struct perfdata_sample {
	__u64 time;
	union {
		__u64 addr;
		struct perfdata_record_view *other;
	};
	__u64 ip;
	__u64 data_src;
	__u32 pid;
	__u32 period;
};

/**
 * perfdata_other() - get the record that is no sample
 * @sample: the record
 *
 * Return: the decoded record; NULL if it is a sample.
 */
static inline struct perfdata_record_view *perfdata_other(const struct perfdata_sample *sample)
{
	return sample->period ? NULL : sample->other;
}

/**
 * perfdata_decode() - decode a record
 * @events: the events of the file
 * @record: a whole record of a type below 64; need not be aligned
 * @sample: filled; the caller owns its perfdata_other()
 *
 * Return: 0, -EBADMSG (shorter than its type), -ENOENT (a sample of an unknown event)
 * or -ENOMEM.
 */
int perfdata_decode(const struct perfdata_events *events, const unsigned char *record,
		    struct perfdata_sample *sample);

/**
 * perfdata_in_guest() - tell if a record is of a virtual machine
 * @misc: the misc of its header
 *
 * Return: true if it is of a guest, or of the hypervisor.
 */
static inline bool perfdata_in_guest(__u16 misc)
{
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) >= PERF_RECORD_MISC_HYPERVISOR;
}

/**
 * perfdata_is_sample() - tell if a sample begins here
 * @bytes: where a record begins; need not be aligned
 * @size: bytes from there on
 *
 * Return: true if the header is there and says that it is a sample.
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
 * perfdata_decode_samples() - decode a sequence of samples
 * @events: the events of the file
 * @bytes: start of the first record; need not be aligned
 * @size: bytes from there on
 * @sample: filled
 * @most: elements in @sample
 * @used: set to the bytes of the decoded samples
 *
 * Return: the number of samples before the first record that is incomplete, is no sample,
 * or is not accepted by perfdata_decode().
 */
size_t perfdata_decode_samples(const struct perfdata_events *events, const unsigned char *bytes,
			       size_t size, struct perfdata_sample *sample, size_t most,
			       size_t *used);

#endif /* PERFDATA_DECODE_H */
