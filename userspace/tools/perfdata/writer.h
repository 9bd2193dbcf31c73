/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes perf.data to a file or to a pipe.
 *
 * A file can be read at any time, even after its writer was killed: it has its header from
 * the start, the header is updated after records were appended, and the features are added
 * at the end.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <htmm/error.h>
#include "perfdata/buildid.h"
#include "perfdata/format.h"

/* Id of the writer's own records: it belongs to no event. */
#define PERFDATA_NO_ID	0

/* Most __u64 of a sample_id: task, time, CPU, id. */
#define PERFDATA_SAMPLE_ID_MAX	4

/**
 * struct perfdata_event - an event whose samples are recorded
 * @attr: its attributes in perf's terms
 * @id: its id in records
 * @name: its name
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
 * @wait: waits until a pipe has room; returns false to stop writing; NULL: write() blocks
 * @waiter: passed to @wait
 * @first_time: time of the earliest sample
 * @last_time: time of the latest; 0: there was none
 * @bytes: bytes of all records that were written
 * @fd: private: file descriptor of the output
 * @pipe: private: the output cannot seek
 * @error: private: errno of the first write that failed
 * @header: private: as last written
 * @buffer: private: records to be written
 * @fill: private: bytes in @buffer
 * @build_ids: private: for a file, the contents of PERFDATA_BUILD_ID
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
 * perfdata_open_special() - open a device or a named pipe
 * @fd: set to its file descriptor, or to -1 if @path is a file for perfdata_writer_open()
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
 * perfdata_writer_flush() and _close() report errors.
 */
void perfdata_writer_put(struct perfdata_writer *writer, const void *records, size_t bytes);

/**
 * perfdata_writer_build_id() - record which build of a file was executed
 * @writer: the writer
 * @misc: PERF_RECORD_MISC_USER or PERF_RECORD_MISC_KERNEL
 * @name: the file as mappings name it
 * @id: its build id
 */
void perfdata_writer_build_id(struct perfdata_writer *writer, __u16 misc, const char *name,
			      const struct build_id *id);

/**
 * perfdata_writer_sample_id() - make the end of a record that is no sample
 * @writer: the writer
 * @to: room for PERFDATA_SAMPLE_ID_MAX
 * @pid: process
 * @tid: thread
 * @time: its time; 0: before all others
 * @cpu: CPU
 * @id: event
 *
 * Return: its bytes.
 */
size_t perfdata_writer_sample_id(const struct perfdata_writer *writer, __u64 *to, __u32 pid,
				 __u32 tid, __u64 time, __u32 cpu, __u64 id);

/**
 * perfdata_writer_flush() - write all records so far, so that they can be read
 * @writer: the writer
 * @err: says what failed
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_flush(struct perfdata_writer *writer, struct htmm_error *err);

/**
 * perfdata_writer_close() - complete the file
 * @writer: the writer, in any state
 * @err: says what failed
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_close(struct perfdata_writer *writer, struct htmm_error *err);

#endif /* PERFDATA_WRITER_H */
