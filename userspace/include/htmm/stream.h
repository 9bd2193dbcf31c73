/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The record stream: all samples, as they arrive. */
#ifndef HTMM_STREAM_H
#define HTMM_STREAM_H

#include <stddef.h>
#include <linux/htmm.h>
#include <linux/perf_event.h>
#include <htmm/error.h>

/**
 * struct htmm_stream_sample - one sample; members that its session does not record
 *	are 0
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
struct htmm_stream_sample {
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

/**
 * htmm_stream_join() - make an open device a reader of the record stream
 * @fd: the device
 * @buffer_bytes: bytes of the reader's buffer in the kernel, a power of two; 0: 1 MiB
 * @watermark: bytes of records at which the reader is woken; 0: any
 * @err: the error
 *
 * The reader gets the records of the running session, or else of the next one.
 *
 * Return: 0 or a negative errno, see struct htmm_stream.
 */
int htmm_stream_join(int fd, __u64 buffer_bytes, __u32 watermark, struct htmm_error *err);

/**
 * htmm_stream_info() - read the layout and the counters of the stream
 * @fd: a reader
 * @stream: filled
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int htmm_stream_info(int fd, struct htmm_stream *stream, struct htmm_error *err);

/**
 * htmm_stream_read() - read records
 * @fd: a reader
 * @buffer: where to, aligned to 8 bytes
 * @bytes: its size; at least a few hundred
 * @err: the error; not set for -EAGAIN and -EINTR
 *
 * Return: bytes of whole records; 0 when the session has ended and everything was read;
 * -EAGAIN if there is no record yet and @fd is O_NONBLOCK; -EINTR; or another negative
 * errno.
 */
int htmm_stream_read(int fd, void *buffer, size_t bytes, struct htmm_error *err);

/**
 * htmm_stream_next() - walk the records in a buffer
 * @buffer: what htmm_stream_read() filled
 * @bytes: what it returned
 * @at: position; 0 to begin
 *
 * Return: a record, or NULL after the last one.
 */
const struct perf_event_header *htmm_stream_next(const void *buffer, size_t bytes, size_t *at);

/**
 * htmm_stream_sample() - decode a sample
 * @record: the record
 * @sample_type: &struct htmm_stream.sample_type
 * @sample: filled
 *
 * Return: 0, or -EINVAL if the record is not such a sample.
 */
int htmm_stream_sample(const struct perf_event_header *record, __u64 sample_type,
		       struct htmm_stream_sample *sample);

#endif /* HTMM_STREAM_H */
