// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format.h"
#include "header.h"
#include "inflate.h"
#include "input.h"
#include "notes.h"
#include "ordered_events.h"
#include "reader.h"

/* Like PERFDATA_RECORD_COMPRESSED, but says how many of its bytes count. */
#define RECORD_COMPRESSED2	83

/**
 * struct perfdata_reader - a file or pipe being read
 * @fd: the file; owned
 * @pipe: it has the form of a pipe: events come as records
 * @input: its bytes
 * @events: its events
 * @notes: what else it says
 * @order: records that wait for older ones
 * @inflate: decompression; NULL: nothing was compressed so far
 * @inflating: a compressed record is being unpacked
 * @taken: bytes of the record looked at last, which are to be taken now
 * @last: what perfdata_reader_next() gave out
 * @ended: no record follows
 * @status: how it went so far
 */
struct perfdata_reader {
	int fd;
	bool pipe;
	struct perfdata_input input;
	struct perfdata_events events;
	struct perfdata_notes notes;
	struct ordered_events order;
	struct perfdata_inflate *inflate;
	bool inflating;
	size_t taken;
	struct perfdata_sample last;
	bool ended;
	struct perfdata_status status;
};

/* Where the records begin, and where they end if the file says so. */
static int find_data(struct perfdata_reader *reader, __u64 file_size, struct htmm_error *err)
{
	struct perfdata_header header;
	__u64 end;
	int ret;

	ret = perfdata_header_read(reader->fd, file_size, &header, &reader->events, &reader->notes,
				   err);
	if (ret)
		return ret;
	if (header.data.offset < sizeof(struct perfdata_pipe_header) ||
	    header.data.offset > file_size ||
	    lseek(reader->fd, header.data.offset, SEEK_SET) < 0)
		return htmm_error_set(err, EINVAL, "record it again",
				      "its records are said to begin behind its end");
	reader->input.offset = header.data.offset;
	/* The size is written last: without it the writer was killed. */
	if (!header.data.size ||
	    __builtin_add_overflow(header.data.offset, header.data.size, &end) || end > file_size) {
		reader->status.truncated = true;
		end = file_size;
	}
	reader->input.limit = end;
	reader->status.size = end;
	return 0;
}

/* Files can be read at any place, pipes only once. */
static int begin(struct perfdata_reader *reader, struct htmm_error *err)
{
	struct perfdata_pipe_header start;
	const void *bytes;
	struct stat stat;
	int ret;

	if (perfdata_input_init(&reader->input, reader->fd, 0))
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	bytes = perfdata_input_peek(&reader->input, sizeof(start));
	if (!bytes && reader->input.code)
		return htmm_error_set(err, reader->input.code, "give another file with -i", "%s",
				      strerror(reader->input.code));
	if (!bytes)
		return htmm_error_set(err, EINVAL, "record it again", "it is empty, or nearly so");
	memcpy(&start, bytes, sizeof(start));
	ret = perfdata_header_check(&start, err);
	if (ret)
		return ret;
	if (start.size == sizeof(start)) {
		reader->pipe = true;
		perfdata_input_take(&reader->input, sizeof(start));
		if (!fstat(reader->fd, &stat) && S_ISREG(stat.st_mode))
			reader->status.size = stat.st_size;
		return 0;
	}
	if (fstat(reader->fd, &stat) || !S_ISREG(stat.st_mode))
		return htmm_error_set(err, EINVAL, "give its name with -i",
				      "it is a file, which cannot be read from a pipe");
	reader->input.begin = 0;
	reader->input.end = 0;
	return find_data(reader, stat.st_size, err);
}

int perfdata_reader_open_fd(struct perfdata_reader **reader, int fd, struct htmm_error *err)
{
	struct perfdata_reader *new = calloc(1, sizeof(*new));
	int ret;

	if (!new) {
		close(fd);
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	new->fd = fd;
	ret = begin(new, err);
	if (ret) {
		perfdata_reader_close(new);
		return ret;
	}
	*reader = new;
	return 0;
}

int perfdata_reader_open(struct perfdata_reader **reader, const char *path,
			 struct htmm_error *err)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return htmm_error_set(err, errno, errno == ENOENT ? "give another file with -i" :
				      NULL, "cannot open '%s': %s", path, strerror(errno));
	ret = perfdata_reader_open_fd(reader, fd, err);
	if (ret)
		htmm_error_prefix(err, "cannot read '%s': ", path);
	return ret;
}

/* The file makes no sense from here on. */
static void give_up(struct perfdata_reader *reader)
{
	reader->status.damaged = true;
	reader->ended = true;
}

/*
 * It ends in the midst of a record: as a pipe may, or a file that is known to end early; one
 * that is all there holds whole records, or its sizes are wrong.
 */
static void end_early(struct perfdata_reader *reader)
{
	if (!reader->pipe && !reader->status.truncated)
		give_up(reader);
	reader->status.truncated = !reader->status.damaged;
	reader->ended = true;
}

/* An event in a pipe: struct perf_event_attr, then its ids. */
static int add_attr(struct perfdata_reader *reader, const unsigned char *record, size_t size,
		    struct htmm_error *err)
{
	const size_t head = sizeof(struct perf_event_header);
	struct perf_event_attr attr = {};
	int event;

	if (size < head + PERF_ATTR_SIZE_VER0) {
		reader->status.malformed++;
		return 0;
	}
	memcpy(&attr, record + head, PERF_ATTR_SIZE_VER0);
	if (attr.size < PERF_ATTR_SIZE_VER0)
		attr.size = PERF_ATTR_SIZE_VER0;
	if (attr.size > size - head) {
		reader->status.malformed++;
		return 0;
	}
	event = perfdata_events_add(&reader->events, record + head, attr.size, err);
	if (event < 0)
		return event;
	return perfdata_events_add_ids(&reader->events, event, record + head + attr.size,
				       (size - head - attr.size) / 8, err);
}

static void add_feature(struct perfdata_reader *reader, const unsigned char *record, size_t size)
{
	const size_t data = offsetof(struct perfdata_feature_record, data);
	__u64 feature;

	if (size < data) {
		reader->status.malformed++;
		return;
	}
	memcpy(&feature, record + offsetof(struct perfdata_feature_record, feature), 8);
	if (feature < PERFDATA_FEATURE_BITS)
		perfdata_notes_add(&reader->notes, &reader->events, feature, record + data,
				   size - data);
}

/* Bytes behind a record that its size does not cover. */
static __u64 bytes_behind(const struct perf_event_header *header, const unsigned char *record)
{
	__u64 size64 = 0;
	__u32 size32 = 0;

	if (header->type == PERFDATA_RECORD_AUXTRACE && header->size >= 16)
		memcpy(&size64, record + 8, sizeof(size64));
	if (header->type == PERFDATA_RECORD_TRACING_DATA && header->size >= 12) {
		memcpy(&size32, record + 8, sizeof(size32));
		size64 = ((__u64)size32 + 7) & ~7ULL;
	}
	return size64;
}

static int unpack(struct perfdata_reader *reader, const struct perf_event_header *header,
		  const unsigned char *record, struct htmm_error *err)
{
	__u64 from = sizeof(*header), size = header->size - from;

	if (header->type == RECORD_COMPRESSED2) {
		if (header->size < 16) {
			reader->status.malformed++;
			return 0;
		}
		memcpy(&size, record + 8, sizeof(size));
		from = 16;
		if (size > header->size - from)
			size = header->size - from;
	}
	if (!reader->inflate)
		reader->inflate = perfdata_inflate_new();
	if (!reader->inflate)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	perfdata_inflate_feed(reader->inflate, record + from, size);
	reader->inflating = true;
	return 0;
}

/* Records that only the reader is interested in. */
static int handle_own(struct perfdata_reader *reader, const struct perf_event_header *header,
		      const unsigned char *record, struct htmm_error *err)
{
	switch (header->type) {
	case PERFDATA_RECORD_ATTR:
		return reader->pipe ? add_attr(reader, record, header->size, err) : 0;
	case PERFDATA_RECORD_FEATURE:
		add_feature(reader, record, header->size);
		return 0;
	case PERFDATA_RECORD_FINISHED_ROUND:
		ordered_events_round(&reader->order);
		return 0;
	case PERFDATA_RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (reader->inflating) {
			give_up(reader);
			return 0;
		}
		return unpack(reader, header, record, err);
	default:
		return 0;
	}
}

/* The next record from a compressed one. Returns NULL at its end. */
static const unsigned char *next_inflated(struct perfdata_reader *reader)
{
	const struct perf_event_header *record;
	bool bad;

	record = perfdata_inflate_next(reader->inflate, &bad);
	if (bad)
		give_up(reader);
	if (!record)
		reader->inflating = false;
	return (const unsigned char *)record;
}

/* No whole record is left, for better or worse. */
static int end_of_input(struct perfdata_reader *reader, struct htmm_error *err)
{
	reader->ended = true;
	if (reader->input.code)
		return htmm_error_set(err, reader->input.code, NULL, "cannot read on: %s",
				      strerror(reader->input.code));
	if (perfdata_input_peek(&reader->input, 1))
		end_early(reader);
	return 0;
}

/* Read the next record as it lies in the file; *@record is NULL if there is none now. */
static int next_raw(struct perfdata_reader *reader, const unsigned char **record,
		    struct perf_event_header *header, struct htmm_error *err)
{
	const unsigned char *at = NULL;

	if (reader->inflating) {
		at = next_inflated(reader);
		if (at)
			memcpy(header, at, sizeof(*header));
		*record = at;
		return 0;
	}
	perfdata_input_take(&reader->input, reader->taken);
	reader->taken = 0;
	*record = NULL;
	at = perfdata_input_peek(&reader->input, sizeof(*header));
	if (!at)
		return end_of_input(reader, err);
	memcpy(header, at, sizeof(*header));
	if (header->size < sizeof(*header)) {
		give_up(reader);
		return 0;
	}
	at = perfdata_input_peek(&reader->input, header->size);
	if (!at)
		return end_of_input(reader, err);
	reader->taken = header->size;
	*record = at;
	return 0;
}

/* What lies behind a record is jumped over. */
static void skip_behind(struct perfdata_reader *reader, const struct perf_event_header *header,
			const unsigned char *record)
{
	__u64 behind = bytes_behind(header, record);

	if (!behind)
		return;
	if (reader->inflating) {
		give_up(reader);
		return;
	}
	perfdata_input_take(&reader->input, reader->taken);
	reader->taken = 0;
	if (!perfdata_input_skip(&reader->input, behind))
		end_early(reader);
}

/* Count what is wrong with a record. Returns true if it is good. */
static bool accepted(struct perfdata_reader *reader, int ret)
{
	if (ret == -ENOENT)
		reader->status.unknown++;
	else if (ret < 0)
		reader->status.malformed++;
	return ret >= 0;
}

/* Take one record from the file and put it in order, unless it is the reader's own. */
static int advance(struct perfdata_reader *reader, struct htmm_error *err)
{
	struct perf_event_header header;
	struct perfdata_sample *slot;
	const unsigned char *record;
	size_t room;
	int ret;

	ret = next_raw(reader, &record, &header, err);
	if (ret || !record)
		return ret;
	if (header.size < sizeof(header)) {
		give_up(reader);
		return 0;
	}
	reader->status.records++;
	if (header.type >= PERFDATA_RECORD_ATTR) {
		ret = handle_own(reader, &header, record, err);
		if (!ret)
			skip_behind(reader, &header, record);
		return ret;
	}
	slot = ordered_events_slots(&reader->order, &room);
	ret = slot ? perfdata_decode(&reader->events, record, slot) : -ENOMEM;
	if (ret == -ENOMEM)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	if (accepted(reader, ret))
		ordered_events_push(&reader->order, 1);
	return 0;
}

/* The bytes at hand, which begin with a record that has not been looked at. */
static const unsigned char *at_hand(struct perfdata_reader *reader, size_t *size)
{
	struct perfdata_input *input = &reader->input;

	if (reader->inflating)
		return perfdata_inflate_peek(reader->inflate, size);
	perfdata_input_take(input, reader->taken);
	reader->taken = 0;
	*size = input->end - input->begin;
	return input->buf + input->begin;
}

/* Put the samples in order that come next and are at hand; mostly there is nothing else. */
static void take_samples(struct perfdata_reader *reader)
{
	struct perfdata_sample *slot;
	size_t size, room, nr;
	const unsigned char *bytes = at_hand(reader, &size);

	if (!perfdata_is_sample(bytes, size))
		return;
	slot = ordered_events_slots(&reader->order, &room);
	if (!slot)
		return;
	nr = perfdata_decode_samples(&reader->events, bytes, size, slot, room, &size);
	if (reader->inflating)
		perfdata_inflate_take(reader->inflate, size);
	else
		perfdata_input_take(&reader->input, size);
	reader->status.records += nr;
	ordered_events_push(&reader->order, nr);
}

int perfdata_reader_fill(struct perfdata_reader *reader, __u32 most, struct htmm_error *err)
{
	struct ordered_events *order = &reader->order;
	const __u32 before = order->released;
	int ret;

	while (!reader->ended && order->released - before < most && !ordered_events_full(order)) {
		ret = advance(reader, err);
		if (ret)
			return ret;
		if (!reader->ended && !ordered_events_full(order))
			take_samples(reader);
	}
	if (reader->ended)
		ordered_events_finish(order);
	return !reader->ended;
}

int perfdata_reader_read(struct perfdata_reader *reader, struct perfdata_sample *sample,
			 unsigned int most, struct htmm_error *err)
{
	struct ordered_events *order = &reader->order;
	__u32 nr;
	int ret;

	while (order->released == order->dropped) {
		if (reader->ended)
			return 0;
		ret = perfdata_reader_fill(reader, 1, err);
		if (ret < 0)
			return ret;
	}
	nr = order->released - order->dropped < most ? order->released - order->dropped : most;
	ordered_events_take(order, order->dropped, sample, nr);
	ordered_events_drop(order, order->dropped + nr);
	return nr;
}

int perfdata_reader_next(struct perfdata_reader *reader, struct perfdata_record_view *view,
			 struct htmm_error *err)
{
	int ret;

	free(perfdata_other(&reader->last));
	reader->last = (struct perfdata_sample) {};
	ret = perfdata_reader_read(reader, &reader->last, 1, err);
	if (ret > 0)
		perfdata_decode_view(&reader->last, view);
	return ret;
}

struct ordered_events *perfdata_reader_order(struct perfdata_reader *reader)
{
	return &reader->order;
}

const struct perfdata_events *perfdata_reader_events(const struct perfdata_reader *reader)
{
	return &reader->events;
}

const struct perfdata_notes *perfdata_reader_notes(const struct perfdata_reader *reader)
{
	return &reader->notes;
}

void perfdata_reader_status(const struct perfdata_reader *reader, struct perfdata_status *status)
{
	*status = reader->status;
	status->offset = reader->input.offset;
	status->late = reader->order.late;
}

void perfdata_reader_close(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	perfdata_events_free(&reader->events);
	perfdata_notes_free(&reader->notes);
	ordered_events_free(&reader->order);
	free(perfdata_other(&reader->last));
	perfdata_inflate_free(reader->inflate);
	perfdata_input_free(&reader->input);
	close(reader->fd);
	free(reader);
}
