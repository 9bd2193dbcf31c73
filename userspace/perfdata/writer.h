/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing perf.data, to a file or to a pipe.
 *
 * A file can be read at any moment, also if its writer was killed: it comes into
 * being with its header, records are appended, and then the header is told of
 * them; what a feature says is added in the end.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <htmm/error.h>
#include "perfdata/buildid.h"
#include "perfdata/format.h"

/* Records of the writer's own have this id: no event's. */
#define PERFDATA_NO_ID	0

/* Most u64 of a sample_id: task, time, CPU, id. */
#define PERFDATA_SAMPLE_ID_MAX	4

/**
 * struct perfdata_event - an event whose samples are recorded
 * @attr: what perf is to know of it
 * @id: how records name it
 * @name: how people call it
 */
struct perfdata_event {
	struct perf_event_attr attr;
	__u64 id;
	const char *name;
};

/**
 * struct perfdata_writer - a file being written
 * @events: its events; those of one file have the same sample_type
 * @nr_events: how many there are
 * @argv: the words of the command line
 * @argc: how many there are
 * @wait: waits until a pipe has room; false: write no more; NULL: write() waits
 * @waiter: handed on to @wait
 * @first_time: time of the earliest sample
 * @last_time: time of the latest; 0: there was none
 * @bytes: bytes of all records that were written
 * @fd: private: where it goes
 * @pipe: private: it cannot be gone back in
 * @error: private: errno of the first write that failed
 * @header: private: as last written
 * @buffer: private: records to be written
 * @fill: private: bytes in @buffer
 * @build_ids: private: of a file: what PERFDATA_BUILD_ID says
 * @build_id_bytes: private: its bytes
 *
 * The caller sets @events to @waiter.
 */
struct perfdata_writer {
	const struct perfdata_event *events;
	unsigned int nr_events;
	char *const *argv;
	int argc;
	bool (*wait)(void *waiter, int fd);
	void *waiter;
	__u64 first_time;
	__u64 last_time;
	__u64 bytes;
	int fd;
	bool pipe;
	int error;
	struct perfdata_header header;
	char *buffer;
	size_t fill;
	char *build_ids;
	size_t build_id_bytes;
};

/**
 * perfdata_open_special() - open a device, or a pipe that has a name
 * @fd: set to where it is open, or to -1: @path is for perfdata_writer_open(), not special
 * @path: the file
 * @err: says why it cannot be written
 *
 * Context: waits until a pipe has a reader.
 * Return: 0 or a negative errno.
 */
int perfdata_open_special(int *fd, const char *path, struct htmm_error *err);

/**
 * perfdata_writer_open() - begin a file
 * @writer: filled in as far as its description says
 * @path: the file; one that exists, and is regular, becomes PATH.old
 * @err: says why it cannot be written
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_open(struct perfdata_writer *writer, const char *path,
			 struct htmm_error *err);

/**
 * perfdata_writer_open_pipe() - begin a pipe
 * @writer: filled in as far as its description says
 * @fd: the pipe; taken over
 * @err: says why it cannot be written
 *
 * Return: 0 or a negative errno; @fd is closed then.
 */
int perfdata_writer_open_pipe(struct perfdata_writer *writer, int fd, struct htmm_error *err);

/**
 * perfdata_writer_put() - append records
 * @writer: the writer
 * @records: whole records
 * @bytes: their bytes
 *
 * What fails is told by perfdata_writer_flush() and _close().
 */
void perfdata_writer_put(struct perfdata_writer *writer, const void *records, size_t bytes);

/**
 * perfdata_writer_build_id() - say which build of a file was executed
 * @writer: the writer
 * @misc: PERF_RECORD_MISC_USER or PERF_RECORD_MISC_KERNEL
 * @name: the file as mappings name it
 * @id: its build id
 */
void perfdata_writer_build_id(struct perfdata_writer *writer, __u16 misc, const char *name,
			      const struct build_id *id);

/**
 * perfdata_writer_sample_id() - make what ends a record that is no sample
 * @writer: the writer
 * @to: room for PERFDATA_SAMPLE_ID_MAX
 * @pid: process
 * @tid: thread
 * @time: when; 0: since ever
 * @cpu: CPU
 * @id: event
 *
 * Return: its bytes.
 */
size_t perfdata_writer_sample_id(const struct perfdata_writer *writer, __u64 *to, __u32 pid,
				 __u32 tid, __u64 time, __u32 cpu, __u64 id);

/**
 * perfdata_writer_flush() - write everything so far; it can be read from now on
 * @writer: the writer
 * @err: says what failed
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_flush(struct perfdata_writer *writer, struct htmm_error *err);

/**
 * perfdata_writer_close() - complete the file
 * @writer: the writer, whatever it has come to
 * @err: says what failed
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_close(struct perfdata_writer *writer, struct htmm_error *err);

#endif /* PERFDATA_WRITER_H */
