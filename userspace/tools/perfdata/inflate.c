// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "inflate.h"
#include "zstd.inc"

/* Holds several of the largest records. */
#define PLAIN_BYTES	(256 * 1024)
/* The largest window that a stream may request; perf uses 2 MiB at most. */
#define WINDOW_LOG_MAX	27

/**
 * struct perfdata_inflate - state of decompression
 * @stream: zstd's state
 * @in: compressed bytes not yet used
 * @plain: decompressed bytes; may hold the start of an incomplete record
 * @begin: first byte in @plain not yet taken
 * @end: first unused byte in @plain
 */
struct perfdata_inflate {
	zstd_dstream *stream;
	zstd_in_buffer in;
	unsigned char plain[PLAIN_BYTES];
	size_t begin;
	size_t end;
};

struct perfdata_inflate *perfdata_inflate_new(void)
{
	struct perfdata_inflate *inflate = calloc(1, sizeof(*inflate));

	if (!inflate)
		return NULL;
	inflate->stream = zstd_create_dstream();
	if (!inflate->stream) {
		free(inflate);
		return NULL;
	}
	zstd_set_parameter(inflate->stream, zstd_window_log_max, WINDOW_LOG_MAX);
	return inflate;
}

void perfdata_inflate_free(struct perfdata_inflate *inflate)
{
	if (!inflate)
		return;
	zstd_free_dstream(inflate->stream);
	free(inflate);
}

void perfdata_inflate_feed(struct perfdata_inflate *inflate, const void *data, size_t size)
{
	inflate->in = (zstd_in_buffer){ .src = data, .size = size };
}

/* Returns true if @plain has new bytes. */
static bool decompress(struct perfdata_inflate *inflate, bool *bad)
{
	zstd_out_buffer out = { .dst = inflate->plain, .size = PLAIN_BYTES };
	size_t held = inflate->end - inflate->begin, ret;

	memmove(inflate->plain, inflate->plain + inflate->begin, held);
	inflate->begin = 0;
	inflate->end = held;
	out.pos = held;
	ret = zstd_decompress_stream(inflate->stream, &out, &inflate->in);
	*bad = zstd_is_error(ret);
	inflate->end = out.pos;
	return !*bad && out.pos > held;
}

/* The size of the record at @begin, or 0 if its header is incomplete. */
static size_t record_size(const struct perfdata_inflate *inflate)
{
	struct perf_event_header header;

	if (inflate->end - inflate->begin < sizeof(header))
		return 0;
	memcpy(&header, inflate->plain + inflate->begin, sizeof(header));
	return header.size < sizeof(header) ? sizeof(header) : header.size;
}

const struct perf_event_header *perfdata_inflate_next(struct perfdata_inflate *inflate, bool *bad)
{
	const struct perf_event_header *record;

	*bad = false;
	for (;;) {
		size_t size = record_size(inflate);

		if (size && inflate->end - inflate->begin >= size) {
			record = (void *)(inflate->plain + inflate->begin);
			inflate->begin += size;
			return record;
		}
		if (!decompress(inflate, bad))
			return NULL;
	}
}

const unsigned char *perfdata_inflate_peek(const struct perfdata_inflate *inflate, size_t *size)
{
	*size = inflate->end - inflate->begin;
	return inflate->plain + inflate->begin;
}

void perfdata_inflate_take(struct perfdata_inflate *inflate, size_t size)
{
	inflate->begin += size;
}
