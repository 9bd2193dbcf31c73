/* SPDX-License-Identifier: GPL-2.0 */
/* What stands before and behind the records of a perf.data file. */
#ifndef PERFDATA_HEADER_H
#define PERFDATA_HEADER_H

#include <linux/types.h>
#include <htmm/error.h>
#include "format.h"
#include "reader.h"

/**
 * perfdata_header_check() - is this the start of a perf.data that can be read?
 * @start: its first bytes, as of a pipe
 * @err: says why not
 *
 * Return: 0 or -EINVAL.
 */
int perfdata_header_check(const struct perfdata_pipe_header *start, struct htmm_error *err);

/**
 * perfdata_header_read() - read a file's header, events and notes
 * @fd: the file, which can be read at any place
 * @file_size: its bytes
 * @header: filled
 * @events: filled from nothing
 * @notes: filled from nothing
 * @err: says what cannot be read
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM or the negative errno of pread(2).
 */
int perfdata_header_read(int fd, __u64 file_size, struct perfdata_header *header,
			 struct perfdata_events *events, struct perfdata_notes *notes,
			 struct htmm_error *err);

#endif /* PERFDATA_HEADER_H */
