/* SPDX-License-Identifier: GPL-2.0 */
/* Unpacks the records in compressed records. */
#ifndef PERFDATA_INFLATE_H
#define PERFDATA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>

struct perfdata_inflate;

/**
 * perfdata_inflate_new() - prepare to decompress
 *
 * Return: the state, or NULL if there is no memory.
 */
struct perfdata_inflate *perfdata_inflate_new(void);

/**
 * perfdata_inflate_free() - free the state
 * @inflate: the state; may be NULL
 */
void perfdata_inflate_free(struct perfdata_inflate *inflate);

/**
 * perfdata_inflate_feed() - give the next compressed bytes
 * @inflate: the state
 * @data: the bytes, which must stay until perfdata_inflate_next() returns NULL
 * @size: number of bytes
 */
void perfdata_inflate_feed(struct perfdata_inflate *inflate, const void *data, size_t size);

/**
 * perfdata_inflate_next() - get the next whole record
 * @inflate: the state
 * @bad: set if the bytes are no zstd stream, or no records
 *
 * Return: the record, valid until the next call, not necessarily aligned; NULL if
 * more bytes are needed first, or if @bad.
 */
const struct perf_event_header *perfdata_inflate_next(struct perfdata_inflate *inflate, bool *bad);

/**
 * perfdata_inflate_peek() - get the bytes that are already decompressed
 * @inflate: the state
 * @size: set to their number
 *
 * Return: the bytes, which begin with a record; valid until perfdata_inflate_next().
 */
const unsigned char *perfdata_inflate_peek(const struct perfdata_inflate *inflate, size_t *size);

/**
 * perfdata_inflate_take() - consume records after perfdata_inflate_peek()
 * @inflate: the state
 * @size: their bytes
 */
void perfdata_inflate_take(struct perfdata_inflate *inflate, size_t size);

#endif /* PERFDATA_INFLATE_H */
