/* SPDX-License-Identifier: GPL-2.0 */
/* The record stream of a session: all samples, as they arrive. */
#ifndef PERFDATA_STREAM_H
#define PERFDATA_STREAM_H

#include <stddef.h>
#include <linux/htmm.h>
#include <linux/perf_event.h>
#include <htmm/error.h>

/**
 * struct stream_sample - one sample; members that its session does not record are 0
 * @id: its event: one of &struct htmm_stream.ids
 * @ip: address of the instruction
 * @time: nanoseconds of perf's clock
 * @addr: address of the data
 * @period: number of events that it stands for
 * @data_src: union perf_mem_data_src
 * @pid: process, in the initial pid namespace
 * @tid: thread, in the initial pid namespace
 * @cpu: CPU
 */
struct stream_sample {
	__u64 id;
	__u64 ip;
	__u64 time;
	__u64 addr;
	__u64 period;
	__u64 data_src;
	__u32 pid;
	__u32 tid;
	__u32 cpu;
};

/*
 * Makes an open device a reader of the records of a session. @session: its number, which must be
 * that of the running one; 0: the running one, or else the next. @buffer_bytes: bytes of its buffer
 * in the kernel, a power of two; 0: 1 MiB. @watermark: bytes of records at which it is woken; 0:
 * any. Returns 0 or a negative errno, see struct htmm_stream.
 */
int stream_join(int fd, __u64 session, __u64 buffer_bytes, __u32 watermark,
		struct htmm_error *err);

/* Reads the layout of the records and the counters. Returns 0 or a negative errno. */
int stream_info(int fd, struct htmm_stream *stream, struct htmm_error *err);

/*
 * Reads records. @buffer: aligned to 8 bytes, of at least a few hundred. Returns bytes of whole
 * records; 0 when the session has ended and everything was read; -EAGAIN if there is no record yet
 * and @fd is O_NONBLOCK, or -EINTR, both without @err; or another negative errno.
 */
int stream_read(int fd, void *buffer, size_t bytes, struct htmm_error *err);

/* The next record in a buffer of @bytes, or NULL after the last one. @at: 0 to begin. */
const struct perf_event_header *stream_next(const void *buffer, size_t bytes, size_t *at);

/* Decodes a sample. Returns 0, or -EINVAL if the record is not a sample of this type. */
int stream_sample(const struct perf_event_header *record, __u64 sample_type,
		  struct stream_sample *sample);

#endif /* PERFDATA_STREAM_H */
