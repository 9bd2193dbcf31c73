/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads perf.data files, pipes and directories, of this program and of perf.
 *
 * Records come one by one, in order of time as far as the file allows it, through
 * a window of fixed size: memory does not depend on the length of the file. A
 * file whose writer was killed is read as far as it goes. Nothing in a file is
 * trusted: what does not fit its form is counted and left out, and a file that
 * makes no sense any more ends there.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>
#include "decode.h"
#include "events.h"
#include "ordered_events.h"

struct perfdata_reader;

/**
 * struct perfdata_notes - what a file says besides its records
 * @hostname: machine it was recorded on, or NULL
 * @cmdline: command it was recorded with, or NULL
 * @total_mem: memory of that machine, in bytes; 0: not told
 * @fast_mem: memory of its nodes that have CPUs, in bytes; 0: not told
 * @length: from the first sample to the last, in nanoseconds; 0: not told
 * @in_parts: most of its records are in other files of its directory
 */
struct perfdata_notes {
	char *hostname;
	char *cmdline;
	__u64 total_mem;
	__u64 fast_mem;
	__u64 length;
	bool in_parts;
};

/**
 * struct perfdata_status - how reading went so far
 * @offset: bytes read
 * @size: bytes there are; 0: not known, as of a pipe
 * @records: records read, samples included
 * @malformed: records left out because they are shorter than their type
 * @unknown: samples left out because no event has their id
 * @late: records that came too late to be put in order
 * @truncated: the file ends in the midst of a record, or before its end is due:
 *	its writer was killed
 * @damaged: the file makes no sense from @offset on
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
 * Return: 0, the negative errno of open(2), -EINVAL (no perf.data, or one that
 * is not understood), -E2BIG or -ENOMEM.
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
 * @sample: filled; what they own is the caller's, see perfdata_other()
 * @most: how many there is room for
 * @err: says what went wrong
 *
 * Return: how many there are; 0 at the end; or a negative errno of read(2) or -ENOMEM.
 */
int perfdata_reader_read(struct perfdata_reader *reader, struct perfdata_sample *sample,
			 unsigned int most, struct htmm_error *err);

/**
 * perfdata_reader_fill() - read on until there is something to take from the order
 * @reader: the reader
 * @most: records that are enough
 * @err: says what went wrong
 *
 * For those who take records from perfdata_reader_order() themselves.
 *
 * Return: 1: go on when some were taken, or at once if the order is not full; 0: that was
 * the end; or a negative errno as of perfdata_reader_read().
 */
int perfdata_reader_fill(struct perfdata_reader *reader, __u32 most, struct htmm_error *err);

/**
 * perfdata_reader_order() - where records are before they were taken
 * @reader: the reader
 *
 * Return: the order.
 */
struct ordered_events *perfdata_reader_order(struct perfdata_reader *reader);

/**
 * perfdata_reader_next() - read the next record, with all that it says
 * @reader: the reader
 * @view: filled; its name is valid until the next call
 * @err: says what went wrong
 *
 * Return: 1, 0 (there are no more), or a negative errno of read(2) or -ENOMEM.
 */
int perfdata_reader_next(struct perfdata_reader *reader, struct perfdata_record_view *view,
			 struct htmm_error *err);

/**
 * perfdata_reader_events() - the events of the file
 * @reader: the reader
 *
 * Return: the events; those of a pipe are complete only at its end.
 */
const struct perfdata_events *perfdata_reader_events(const struct perfdata_reader *reader);

/**
 * perfdata_reader_notes() - what the file says besides its records
 * @reader: the reader
 *
 * Return: the notes; those of a pipe are complete only at its end.
 */
const struct perfdata_notes *perfdata_reader_notes(const struct perfdata_reader *reader);

/**
 * perfdata_reader_status() - how reading went so far
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
