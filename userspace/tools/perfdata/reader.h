/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads perf.data files, pipes and directories, made by this program or by perf.
 *
 * Returns records in order of time as far as the file allows it. Reads through a window of
 * fixed size, so memory does not depend on the file's length. A file whose writer was
 * killed is read up to its end. Nothing in a file is trusted: malformed records are counted
 * and left out, and reading ends where the file is no longer readable.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>
#include "buildid.h"
#include "decode.h"
#include "events.h"
#include "ordered_events.h"

struct perfdata_reader;

/**
 * struct perfdata_named_id - which build of a file was executed
 * @name: the file, or PERFDATA_KERNEL
 * @id: its build id
 */
struct perfdata_named_id {
	char *name;
	struct build_id id;
};

/**
 * struct perfdata_notes - what a file holds besides records
 * @hostname: machine it was recorded on, or NULL
 * @cmdline: command it was recorded with, or NULL
 * @total_mem: memory of that machine, in bytes; 0: unknown
 * @fast_mem: memory of its nodes that have CPUs, in bytes; 0: unknown
 * @length: from the first sample to the last, in nanoseconds; 0: unknown
 * @in_parts: most of its records are in other files of its directory
 * @build_id: build ids of files, in the order in which they come
 * @nr_build_ids: how many there are
 * @room_build_ids: private: elements that fit in @build_id
 */
struct perfdata_notes {
	char *hostname;
	char *cmdline;
	__u64 total_mem;
	__u64 fast_mem;
	__u64 length;
	bool in_parts;
	struct perfdata_named_id *build_id;
	size_t nr_build_ids;
	size_t room_build_ids;
};

/**
 * struct perfdata_status - status of reading so far
 * @offset: bytes read
 * @size: size of the file; 0: unknown, as for a pipe
 * @records: records read, samples included
 * @malformed: records left out because they are too short for their type
 * @unknown: samples left out because no event has their id
 * @late: records that came too late to be sorted
 * @truncated: the file ends inside a record or before its end, as its writer was killed
 * @damaged: the file is not readable from @offset on
 */
struct perfdata_status {
	__u64 offset;
	__u64 size;
	__u64 records;
	__u64 malformed;
	__u64 unknown;
	__u64 late;
	bool truncated;
	bool damaged;
};

/**
 * perfdata_reader_open() - begin to read
 * @reader: receives the reader
 * @path: file, FIFO, or directory of 'perf record --threads'; "-": standard input
 * @err: says why it cannot be read, and what to do
 *
 * Return: 0, the negative errno of open(2), -EINVAL (not perf.data, or an unknown form of
 * it), -E2BIG or -ENOMEM.
 */
int perfdata_reader_open(struct perfdata_reader **reader, const char *path,
			 struct htmm_error *err);

/**
 * perfdata_reader_open_fd() - begin to read from an open file
 * @reader: receives the reader
 * @fd: the file, at its first byte; closed with the reader, or if this fails
 * @err: as in perfdata_reader_open()
 *
 * Return: as perfdata_reader_open().
 */
int perfdata_reader_open_fd(struct perfdata_reader **reader, int fd, struct htmm_error *err);

/**
 * perfdata_reader_read() - read the next records
 * @reader: the reader
 * @sample: filled; the caller owns their perfdata_other()
 * @most: elements in @sample
 * @err: says what went wrong
 *
 * Return: number of records; 0 at the end; or a negative errno of read(2) or -ENOMEM.
 */
int perfdata_reader_read(struct perfdata_reader *reader, struct perfdata_sample *sample,
			 unsigned int most, struct htmm_error *err);

/**
 * perfdata_reader_fill() - read until records can be taken from the order
 * @reader: the reader
 * @most: stop at this many records
 * @err: says what went wrong
 *
 * For callers that take records from perfdata_reader_order() themselves.
 *
 * Return: 1: call again after taking some records, or at once if the order is not full; 0:
 * the input has ended; or a negative errno, see perfdata_reader_read().
 */
int perfdata_reader_fill(struct perfdata_reader *reader, __u32 most, struct htmm_error *err);

/**
 * perfdata_reader_order() - get the records that are being sorted
 * @reader: the reader
 *
 * Return: the order.
 */
struct ordered_events *perfdata_reader_order(struct perfdata_reader *reader);

/**
 * perfdata_reader_events() - get the events of the file
 * @reader: the reader
 *
 * Return: the events; those of a pipe are complete only at its end.
 */
const struct perfdata_events *perfdata_reader_events(const struct perfdata_reader *reader);

/**
 * perfdata_reader_notes() - get what the file holds besides records
 * @reader: the reader
 *
 * Return: the notes; those of a pipe are complete only at its end.
 */
const struct perfdata_notes *perfdata_reader_notes(const struct perfdata_reader *reader);

/**
 * perfdata_reader_status() - get the status of reading so far
 * @reader: the reader
 * @status: filled
 */
void perfdata_reader_status(const struct perfdata_reader *reader, struct perfdata_status *status);

/**
 * perfdata_reader_close() - end reading
 * @reader: the reader; may be NULL
 */
void perfdata_reader_close(struct perfdata_reader *reader);

#endif /* PERFDATA_READER_H */
