// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
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

/* Like PERFDATA_RECORD_COMPRESSED, but says how many of its bytes are data. */
#define RECORD_COMPRESSED2	83

/* Files with records in a directory, besides the one with the header. */
#define PART_PREFIX	"data."

/**
 * struct source - a file of records
 * @fd: the file; owned
 * @input: its bytes
 * @inflate: decompression; NULL: no compressed record so far
 * @inflating: a compressed record is being unpacked
 * @taken: bytes of the previous record, to be consumed before the next one
 * @ended: no record follows
 * @newest: time of its newest record so far
 */
struct source {
	int fd;
	struct perfdata_input input;
	struct perfdata_inflate *inflate;
	bool inflating;
	size_t taken;
	bool ended;
	__u64 newest;
};

/**
 * struct perfdata_reader - a file, a pipe or a directory being read
 * @source: one file or pipe; for a directory, the file with the header, then one file for
 *	each CPU, whose records are in order of time
 * @nr_sources: how many there are
 * @now: the source being read
 * @pipe: it has the pipe format: events come as records
 * @events: its events
 * @notes: its notes
 * @order: records being sorted
 * @ended: no record follows
 * @status: status of reading so far
 */
struct perfdata_reader {
	struct source *source;
	unsigned int nr_sources;
	struct source *now;
	bool pipe;
	struct perfdata_events events;
	struct perfdata_notes notes;
	struct ordered_events order;
	bool ended;
	struct perfdata_status status;
};

/* Takes @fd over: it is closed with the reader, or if this fails. */
static int add_source(struct perfdata_reader *reader, int fd, struct htmm_error *err)
{
	const unsigned int nr = reader->nr_sources;
	struct source *source = realloc(reader->source, (nr + 1) * sizeof(*source));

	if (source)
		reader->source = source;
	if (!source || perfdata_input_init(&source[nr].input, fd, 0)) {
		close(fd);
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	source[nr] = (struct source) { .fd = fd, .input = source[nr].input };
	reader->nr_sources++;
	reader->now = source;
	return 0;
}

static void free_source(struct source *source)
{
	perfdata_inflate_free(source->inflate);
	perfdata_input_free(&source->input);
	close(source->fd);
}

/* Finds where the records begin, and where they end if the file says so. */
static int find_data(struct perfdata_reader *reader, __u64 file_size, struct htmm_error *err)
{
	struct perfdata_header header;
	__u64 end;
	int ret;

	ret = perfdata_header_read(reader->now->fd, file_size, &header, &reader->events,
				   &reader->notes, err);
	if (ret)
		return ret;
	if (header.data.offset < sizeof(struct perfdata_pipe_header) ||
	    header.data.offset > file_size ||
	    lseek(reader->now->fd, header.data.offset, SEEK_SET) < 0)
		return htmm_error_set(err, EINVAL, "record it again",
				      "its records are said to begin behind its end");
	reader->now->input.offset = header.data.offset;
	/* The size is written last, so it is 0 if the writer was killed. */
	if (!header.data.size ||
	    __builtin_add_overflow(header.data.offset, header.data.size, &end) || end > file_size) {
		reader->status.truncated = true;
		end = file_size;
	}
	reader->now->input.limit = end;
	reader->status.size = end;
	return 0;
}

/* Files can be read at any offset, pipes only once from start to end. */
static int begin(struct perfdata_reader *reader, struct htmm_error *err)
{
	struct perfdata_input *input = &reader->now->input;
	struct perfdata_pipe_header start;
	const void *bytes;
	struct stat stat;
	int ret;

	bytes = perfdata_input_peek(input, sizeof(start));
	if (!bytes && input->code)
		return htmm_error_set(err, input->code, "give the name of a recording", "%s",
				      strerror(input->code));
	if (!bytes)
		return htmm_error_set(err, EINVAL, "record it again", "it is empty, or nearly so");
	memcpy(&start, bytes, sizeof(start));
	ret = perfdata_header_check(&start, err);
	if (ret)
		return ret;
	if (start.size == sizeof(start)) {
		reader->pipe = true;
		perfdata_input_take(input, sizeof(start));
		if (!fstat(reader->now->fd, &stat) && S_ISREG(stat.st_mode))
			reader->status.size = stat.st_size;
		return 0;
	}
	if (fstat(reader->now->fd, &stat) || !S_ISREG(stat.st_mode))
		return htmm_error_set(err, EINVAL, "give its name",
				      "it is a file, which cannot be read from a pipe");
	input->begin = 0;
	input->end = 0;
	return find_data(reader, stat.st_size, err);
}

static int open_fd(struct perfdata_reader **reader, int fd, struct htmm_error *err)
{
	struct perfdata_reader *new = calloc(1, sizeof(*new));
	int ret;

	if (!new) {
		close(fd);
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	ret = add_source(new, fd, err);
	if (!ret)
		ret = begin(new, err);
	if (ret) {
		perfdata_reader_close(new);
		return ret;
	}
	*reader = new;
	return 0;
}

int perfdata_reader_open_fd(struct perfdata_reader **reader, int fd, struct htmm_error *err)
{
	int ret = open_fd(reader, fd, err);

	if (ret || !(*reader)->notes.in_parts)
		return ret;
	perfdata_reader_close(*reader);
	return htmm_error_set(err, EINVAL, "give the directory that it is in",
			      "its samples are in other files, beside it");
}

static int is_part(const struct dirent *entry)
{
	const char *number = entry->d_name + strlen(PART_PREFIX);

	return !strncmp(entry->d_name, PART_PREFIX, strlen(PART_PREFIX)) && *number &&
	       strspn(number, "0123456789") == strlen(number);
}

static int add_part(struct perfdata_reader *reader, int dir, const char *name,
		    struct htmm_error *err)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC), ret;
	struct stat stat;

	if (fd < 0)
		return htmm_error_set(err, errno, errno == EMFILE ?
				      "let the shell open more files: ulimit -n 65536" : NULL,
				      "cannot open its '%s': %s", name, strerror(errno));
	ret = add_source(reader, fd, err);
	if (!ret && !fstat(fd, &stat))
		reader->status.size += stat.st_size;
	return ret;
}

static int add_parts(struct perfdata_reader *reader, int dir, struct htmm_error *err)
{
	struct dirent **entries;
	int i, nr, ret = 0;

	nr = scandirat(dir, ".", &entries, is_part, versionsort);
	if (nr < 0)
		return htmm_error_set(err, errno, NULL, "%s", strerror(errno));
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = add_part(reader, dir, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	if (!ret && !nr && reader->notes.in_parts)
		return htmm_error_set(err, EINVAL, "record it again",
				      "the files of its samples, 'data.0' and so on, are missing");
	return ret;
}

/* A directory as 'perf record --threads' makes it. */
static int open_dir(struct perfdata_reader **reader, int dir, struct htmm_error *err)
{
	int fd = openat(dir, "data", O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return htmm_error_set(err, errno, "give the name of a recording",
				      "it is a directory, and not one of 'perf record': its file 'data': %s",
				      strerror(errno));
	ret = open_fd(reader, fd, err);
	if (ret)
		return ret;
	ret = add_parts(*reader, dir, err);
	if (ret)
		perfdata_reader_close(*reader);
	return ret;
}

int perfdata_reader_open(struct perfdata_reader **reader, const char *path,
			 struct htmm_error *err)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	struct stat stat;
	int ret;

	if (fd < 0)
		return htmm_error_set(err, errno, errno == ENOENT ? "give the name of a recording" :
				      NULL, "cannot open '%s': %s", path, strerror(errno));
	if (!fstat(fd, &stat) && S_ISDIR(stat.st_mode)) {
		ret = open_dir(reader, fd, err);
		close(fd);
	} else {
		ret = perfdata_reader_open_fd(reader, fd, err);
	}
	if (ret)
		htmm_error_prefix(err, "cannot read '%s': ", path);
	return ret;
}

/* The file is not readable from here on. */
static void give_up(struct perfdata_reader *reader)
{
	reader->status.damaged = true;
	reader->now->ended = true;
}

/*
 * The input ends inside a record. A pipe may do that, or a file known to end early; a
 * complete file holds whole records, or else its sizes are wrong.
 */
static void end_early(struct perfdata_reader *reader)
{
	if (!reader->pipe && !reader->status.truncated)
		give_up(reader);
	reader->status.truncated = !reader->status.damaged;
	reader->now->ended = true;
}

/* Adds an event of a pipe: struct perf_event_attr, then its ids. */
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

/* Bytes behind a record that are not part of its size. */
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
	if (!reader->now->inflate)
		reader->now->inflate = perfdata_inflate_new();
	if (!reader->now->inflate)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	perfdata_inflate_feed(reader->now->inflate, record + from, size);
	reader->now->inflating = true;
	return 0;
}

/* Handles records that only the reader itself needs. */
static int handle_own(struct perfdata_reader *reader, const struct perf_event_header *header,
		      const unsigned char *record, struct htmm_error *err)
{
	switch (header->type) {
	case PERFDATA_RECORD_ATTR:
		return reader->pipe ? add_attr(reader, record, header->size, err) : 0;
	case PERFDATA_RECORD_FEATURE:
		add_feature(reader, record, header->size);
		return 0;
	case PERFDATA_RECORD_BUILD_ID:
		if (perfdata_notes_build_id(&reader->notes, record, header->size))
			reader->status.malformed++;
		return 0;
	case PERFDATA_RECORD_FINISHED_ROUND:
		/* The end of a round in one file says nothing about other files. */
		if (reader->nr_sources == 1)
			ordered_events_round(&reader->order);
		return 0;
	case PERFDATA_RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (reader->now->inflating) {
			give_up(reader);
			return 0;
		}
		return unpack(reader, header, record, err);
	default:
		return 0;
	}
}

/* The next record of a compressed one. Returns NULL at its end. */
static const unsigned char *next_inflated(struct perfdata_reader *reader)
{
	const struct perf_event_header *record;
	bool bad;

	record = perfdata_inflate_next(reader->now->inflate, &bad);
	if (bad)
		give_up(reader);
	if (!record)
		reader->now->inflating = false;
	return (const unsigned char *)record;
}

/* Does a record begin in the last compressed one that ends in another, which is missing? */
static bool ends_inflating(const struct source *source)
{
	size_t left = 0;

	if (source->inflate)
		perfdata_inflate_peek(source->inflate, &left);
	return left;
}

/* No whole record is left, because of the end or an error. */
static int end_of_input(struct perfdata_reader *reader, struct htmm_error *err)
{
	reader->now->ended = true;
	if (reader->now->input.code)
		return htmm_error_set(err, reader->now->input.code, NULL, "cannot read on: %s",
				      strerror(reader->now->input.code));
	if (perfdata_input_peek(&reader->now->input, 1))
		end_early(reader);
	else if (ends_inflating(reader->now))
		reader->status.truncated = true;
	return 0;
}

/* Reads the next record in the file's order; *@record is NULL if there is none now. */
static int next_raw(struct perfdata_reader *reader, const unsigned char **record,
		    struct perf_event_header *header, struct htmm_error *err)
{
	const unsigned char *at = NULL;

	if (reader->now->inflating) {
		at = next_inflated(reader);
		if (at)
			memcpy(header, at, sizeof(*header));
		*record = at;
		return 0;
	}
	perfdata_input_take(&reader->now->input, reader->now->taken);
	reader->now->taken = 0;
	*record = NULL;
	at = perfdata_input_peek(&reader->now->input, sizeof(*header));
	if (!at)
		return end_of_input(reader, err);
	memcpy(header, at, sizeof(*header));
	if (header->size < sizeof(*header)) {
		give_up(reader);
		return 0;
	}
	at = perfdata_input_peek(&reader->now->input, header->size);
	if (!at)
		return end_of_input(reader, err);
	reader->now->taken = header->size;
	*record = at;
	return 0;
}

/* Skips the bytes behind a record. */
static void skip_behind(struct perfdata_reader *reader, const struct perf_event_header *header,
			const unsigned char *record)
{
	__u64 behind = bytes_behind(header, record);

	if (!behind)
		return;
	if (reader->now->inflating) {
		give_up(reader);
		return;
	}
	perfdata_input_take(&reader->now->input, reader->now->taken);
	reader->now->taken = 0;
	if (!perfdata_input_skip(&reader->now->input, behind))
		end_early(reader);
}

/* Counts an error of a record. Returns true if it has none. */
static bool accepted(struct perfdata_reader *reader, int ret)
{
	if (ret == -ENOENT)
		reader->status.unknown++;
	else if (ret < 0)
		reader->status.malformed++;
	return ret >= 0;
}

static void note_time(struct source *source, const struct perfdata_sample *sample)
{
	if (sample->time != ~0ULL && sample->time > source->newest)
		source->newest = sample->time;
}

/* Reads one record and sorts it in, unless it is the reader's own. */
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
	if (accepted(reader, ret)) {
		note_time(reader->now, slot);
		ordered_events_push(&reader->order, 1);
	}
	return 0;
}

/* The bytes in memory, which begin with the next record. */
static const unsigned char *at_hand(struct perfdata_reader *reader, size_t *size)
{
	struct perfdata_input *input = &reader->now->input;

	if (reader->now->inflating)
		return perfdata_inflate_peek(reader->now->inflate, size);
	perfdata_input_take(input, reader->now->taken);
	reader->now->taken = 0;
	*size = input->end - input->begin;
	return input->buf + input->begin;
}

/* In a directory, records wait that one file has already given and another not yet. */
static size_t most_at_once(const struct perfdata_reader *reader)
{
	return PERFDATA_ORDER_BYTES / sizeof(struct perfdata_sample) / 2 / reader->nr_sources + 1;
}

/* Sorts in the samples at the start of the bytes in memory; most records are samples. */
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
	if (room > most_at_once(reader))
		room = most_at_once(reader);
	nr = perfdata_decode_samples(&reader->events, bytes, size, slot, room, &size);
	if (reader->now->inflating)
		perfdata_inflate_take(reader->now->inflate, size);
	else
		perfdata_input_take(&reader->now->input, size);
	reader->status.records += nr;
	if (nr)
		note_time(reader->now, &slot[nr - 1]);
	ordered_events_push(&reader->order, nr);
}

/*
 * In a directory, reads the file that is furthest back in time: up to there all files have
 * been read. Returns false if all files have ended.
 */
static bool choose_source(struct perfdata_reader *reader)
{
	struct source *oldest = NULL;
	unsigned int i;

	for (i = 0; i < reader->nr_sources; i++) {
		struct source *source = &reader->source[i];

		if (!source->ended && (!oldest || source->newest < oldest->newest))
			oldest = source;
	}
	reader->ended = !oldest;
	if (!oldest)
		return false;
	if (reader->nr_sources > 1)
		ordered_events_release(&reader->order, oldest->newest);
	reader->now = oldest;
	return true;
}

int perfdata_reader_fill(struct perfdata_reader *reader, __u32 most, struct htmm_error *err)
{
	struct ordered_events *order = &reader->order;
	const __u32 before = order->released;
	int ret;

	while (choose_source(reader) && order->released - before < most &&
	       !ordered_events_full(order)) {
		ret = advance(reader, err);
		if (ret)
			return ret;
		if (!reader->now->ended && !ordered_events_full(order))
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
	unsigned int i;

	*status = reader->status;
	status->offset = 0;
	for (i = 0; i < reader->nr_sources; i++)
		status->offset += reader->source[i].input.offset;
	status->late = reader->order.late;
}

void perfdata_reader_close(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	perfdata_events_free(&reader->events);
	perfdata_notes_free(&reader->notes);
	ordered_events_free(&reader->order);
	while (reader->nr_sources)
		free_source(&reader->source[--reader->nr_sources]);
	free(reader->source);
	free(reader);
}
