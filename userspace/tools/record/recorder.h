/* SPDX-License-Identifier: GPL-2.0 */
/* Turns the record stream into perf.data. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <htmm/htmm.h>
#include "mark/marks.h"
#include "perfdata/idmap.h"
#include "perfdata/stream.h"
#include "perfdata/synth.h"
#include "perfdata/writer.h"

/**
 * struct recorder - state of a recording
 * @stream: layout of its records
 * @list: the events
 * @events: the same in perf's terms
 * @writer: the file
 * @synth: records names and mappings
 * @buffer: records being copied
 * @samples: samples that were written
 * @lost: samples that the reader's buffer had no room for
 * @looked: time of the last look for what no record tells, in milliseconds
 * @marks: the session's marks
 * @mark: those that were read, with the times of perf's clock
 * @nr_marks: how many there are
 * @room_marks: private: how many fit
 * @marks_put: how many of them are in the file
 * @marks_missed: marks whose time by perf's clock is not known
 * @throttled: by CPU and event: RECORDER_THROTTLED_*
 * @lost_before: by event: samples that the module had lost when the recording began
 */
struct recorder {
	struct htmm_stream stream;
	const struct htmm_event_list *list;
	struct perfdata_event events[HTMM_MAX_EVENTS];
	struct perfdata_writer writer;
	struct perfdata_synth *synth;
	char *buffer;
	__u64 samples;
	__u64 lost;
	__u64 looked;
	struct marks marks;
	struct mark *mark;
	size_t nr_marks;
	size_t room_marks;
	size_t marks_put;
	__u64 marks_missed;
	struct idmap throttled;
	__u64 lost_before[HTMM_MAX_EVENTS];
};

/* The lower bits count how often it was throttled; one bit tells if it was at the last look. */
#define RECORDER_THROTTLED_COUNT	0x3fffffffU
#define RECORDER_THROTTLED_NOW		0x40000000U

/**
 * recorder_join() - learn what happened before the recording
 * @recorder: the recorder
 * @stats: of the session, which was running already
 */
void recorder_join(struct recorder *recorder, const struct htmm_stats_buf *stats);

/**
 * recorder_open() - begin to record a running session
 * @recorder: all zero except for its writer's command line and wait function, since when there
 *	are marks, and what recorder_join() has learned
 * @fd: the device, a reader of the stream
 * @list: the session's events
 * @path: the file
 * @pipe: where to write instead, if it is not negative; taken over
 * @err: the error
 *
 * Return: 0 or a negative errno; on failure nothing is left open.
 */
int recorder_open(struct recorder *recorder, int fd, const struct htmm_event_list *list,
		  const char *path, int pipe, struct htmm_error *err);

/**
 * recorder_take() - record all that can be read now
 * @recorder: the recorder
 * @fd: the device
 * @err: the error
 *
 * Return: bytes read, 0 at the end, -EAGAIN if there was nothing, or another
 * negative errno.
 */
int recorder_take(struct recorder *recorder, int fd, struct htmm_error *err);

/**
 * recorder_look() - read the names of a process while it lives
 * @recorder: the recorder
 * @pid: the process
 */
void recorder_look(struct recorder *recorder, __u32 pid);

/**
 * recorder_look_at_stats() - record which events are throttled, and which no longer
 * @recorder: the recorder
 * @stats: of the session
 */
void recorder_look_at_stats(struct recorder *recorder, const struct htmm_stats_buf *stats);

/**
 * recorder_close() - complete the file
 * @recorder: the recorder
 * @stats: of the session, at the end of the recording; NULL: not known
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int recorder_close(struct recorder *recorder, const struct htmm_stats_buf *stats,
		   struct htmm_error *err);

#endif /* RECORD_RECORDER_H */
