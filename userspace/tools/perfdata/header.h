/* SPDX-License-Identifier: GPL-2.0 */
/* Reads what is before and behind the records of a perf.data file. */
#ifndef PERFDATA_HEADER_H
#define PERFDATA_HEADER_H

#include <linux/types.h>
#include <htmm/error.h>
#include "format.h"
#include "reader.h"

/**
 * perfdata_header_check() - check the start of perf.data
 * @start: its first bytes, in the form of a pipe's header
 * @err: says why it cannot be read
 *
 * Return: 0 or -EINVAL.
 */
int perfdata_header_check(const struct perfdata_pipe_header *start, struct htmm_error *err);

/**
 * perfdata_header_read() - read a file's header, events and notes
 * @fd: the file, which can be read at any offset
 * @file_size: its size in bytes
 * @header: filled
 * @events: filled; old contents are ignored
 * @notes: filled; old contents are ignored
 * @err: says what cannot be read
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM or the negative errno of pread(2).
 */
int perfdata_header_read(int fd, __u64 file_size, struct perfdata_header *header,
			 struct perfdata_events *events, struct perfdata_notes *notes,
			 struct htmm_error *err);

#endif /* PERFDATA_HEADER_H */
