// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata/feature.h"
#include "perfdata/writer.h"

#define BUFFER_BYTES	0x100000
#define RECORD_MAX	USHRT_MAX
/* Write at the present end of the file or pipe, instead of at an offset. */
#define AT_END		((off_t)-1)

static int write_error(const struct perfdata_writer *writer, struct htmm_error *err)
{
	if (writer->error == ECANCELED)
		return htmm_error_set(err, ECANCELED, NULL,
				      "cannot write the records: the reader of the pipe does not read");
	return htmm_error_set(err, writer->error,
			      writer->error == ENOSPC ? "make room, or choose another file" : NULL,
			      "cannot write the records: %s", strerror(writer->error));
}

/*
 * Writes to a pipe only what fits at once: a blocked write() would wait for the reader and
 * notice nothing else.
 */
static ssize_t write_pipe(struct perfdata_writer *writer, const void *data, size_t bytes)
{
	if (!writer->wait(writer->waiter, writer->fd)) {
		errno = ECANCELED;
		return -1;
	}
	return write(writer->fd, data, bytes < PIPE_BUF ? bytes : PIPE_BUF);
}

static ssize_t write_some(struct perfdata_writer *writer, const void *data, size_t bytes,
			  off_t at)
{
	if (at != AT_END)
		return pwrite(writer->fd, data, bytes, at);
	if (writer->pipe && writer->wait)
		return write_pipe(writer, data, bytes);
	return write(writer->fd, data, bytes);
}

/*
 * The first error stays, as later writes would leave a gap. After a short write, the next
 * write tells why the disk did not take all.
 */
static void write_at(struct perfdata_writer *writer, const void *data, size_t bytes, off_t at)
{
	const char *rest = data;
	ssize_t done;

	while (bytes && !writer->error) {
		done = write_some(writer, rest, bytes, at);
		if (done < 0 && (errno == EINTR || (errno == EAGAIN && writer->wait)))
			continue;
		if (done <= 0) {
			writer->error = done ? errno : EIO;
			return;
		}
		rest += done;
		bytes -= done;
		if (at != AT_END)
			at += done;
	}
}

static void write_all(struct perfdata_writer *writer, const void *data, size_t bytes)
{
	write_at(writer, data, bytes, AT_END);
}

/* Written in one piece, so that no reader sees a partial header. */
static void write_header(struct perfdata_writer *writer)
{
	write_at(writer, &writer->header, sizeof(writer->header), 0);
}

/* Writes whole records; then updates a file's header. */
static void append(struct perfdata_writer *writer, const void *records, size_t bytes)
{
	if (!bytes)
		return;
	write_all(writer, records, bytes);
	if (writer->error)
		return;
	writer->bytes += bytes;
	if (writer->pipe)
		return;
	writer->header.data.size += bytes;
	write_header(writer);
}

static void flush(struct perfdata_writer *writer)
{
	append(writer, writer->buffer, writer->fill);
	writer->fill = 0;
}

/*
 * Writes the header, ids, events, and a first record without content: an empty data section
 * would look like one whose size was never written.
 */
static void write_preamble(struct perfdata_writer *writer)
{
	const struct perf_event_header round = {
		.type = PERFDATA_RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};
	struct perfdata_header *header = &writer->header;
	const __u64 ids = sizeof(*header);
	const __u64 attrs = ids + writer->nr_events * sizeof(__u64);
	unsigned int i;

	*header = (struct perfdata_header) {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(*header),
		.attr_size = sizeof(struct perfdata_attr),
		.attrs = { attrs, writer->nr_events * sizeof(struct perfdata_attr) },
	};
	header->data.offset = attrs + header->attrs.size;
	header->data.size = sizeof(round);

	write_all(writer, header, sizeof(*header));
	for (i = 0; i < writer->nr_events; i++)
		write_all(writer, &writer->events[i].id, sizeof(__u64));
	for (i = 0; i < writer->nr_events; i++) {
		const struct perfdata_attr attr = {
			.attr = writer->events[i].attr,
			.ids = { ids + i * sizeof(__u64), sizeof(__u64) },
		};

		write_all(writer, &attr, sizeof(attr));
	}
	write_all(writer, &round, sizeof(round));
}

static void put_attr(struct perfdata_writer *writer, const struct perfdata_event *event)
{
	struct {
		struct perf_event_header header;
		struct perf_event_attr attr;
		__u64 id;
	} record = {
		.header = { .type = PERFDATA_RECORD_ATTR, .size = sizeof(record) },
		.attr = event->attr,
		.id = event->id,
	};

	perfdata_writer_put(writer, &record, sizeof(record));
}

/* A record has room for 64 KiB; a longer command line is left out. */
static void put_feature(struct perfdata_writer *writer, const struct perfdata_blob *blob)
{
	static const char zeroes[8];
	const size_t pad = -blob->size % 8, size = 16 + blob->size + pad;
	const struct perfdata_feature_record record = {
		.header = { .type = PERFDATA_RECORD_FEATURE, .size = size },
		.feature = blob->feature,
	};

	if (size > RECORD_MAX)
		return;
	perfdata_writer_put(writer, &record, sizeof(record));
	perfdata_writer_put(writer, blob->data, blob->size);
	perfdata_writer_put(writer, zeroes, pad);
}

static void begin_pipe(struct perfdata_writer *writer)
{
	const struct perfdata_pipe_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
	};
	struct perfdata_blob blobs[PERFDATA_FEATURES_MAX];
	unsigned int i, nr;

	write_all(writer, &header, sizeof(header));
	for (i = 0; i < writer->nr_events; i++)
		put_attr(writer, &writer->events[i]);
	nr = perfdata_features(writer, blobs);
	for (i = 0; i < nr; i++)
		put_feature(writer, &blobs[i]);
	perfdata_features_free(blobs, nr);
	flush(writer);
}

static int begin(struct perfdata_writer *writer, int fd, bool is_pipe, struct htmm_error *err)
{
	writer->fd = fd;
	writer->pipe = is_pipe;
	writer->error = 0;
	writer->fill = 0;
	writer->bytes = 0;
	writer->first_time = 0;
	writer->last_time = 0;
	writer->build_ids = NULL;
	writer->build_id_bytes = 0;
	writer->buffer = malloc(BUFFER_BYTES);
	if (!writer->buffer) {
		close(fd);
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	if (is_pipe)
		begin_pipe(writer);
	else
		write_preamble(writer);
	if (!writer->error)
		return 0;
	write_error(writer, err);
	free(writer->buffer);
	close(fd);
	return -writer->error;
}

int perfdata_writer_open_pipe(struct perfdata_writer *writer, int fd, struct htmm_error *err)
{
	return begin(writer, fd, true, err);
}

static int path_error(const char *path, struct htmm_error *err)
{
	return htmm_error_set(err, errno, "choose another file with -o", "cannot write '%s': %s",
			      path, strerror(errno));
}

/* Uses a temporary name until the file can be read, then renames it. */
static int open_file(struct perfdata_writer *writer, const char *path, bool exists,
		     struct htmm_error *err)
{
	char new[PATH_MAX], old[PATH_MAX];
	int fd, ret;

	if (snprintf(new, sizeof(new), "%s.new", path) >= PATH_MAX ||
	    snprintf(old, sizeof(old), "%s.old", path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return path_error(path, err);
	}
	/* What is there may be of another user, or lead elsewhere. */
	unlink(new);
	fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return path_error(path, err);
	ret = begin(writer, fd, false, err);
	if (ret) {
		unlink(new);
		return ret;
	}
	if ((exists && rename(path, old)) || rename(new, path)) {
		ret = path_error(path, err);
		unlink(new);
		free(writer->buffer);
		close(fd);
	}
	return ret;
}

int perfdata_open_special(int *fd, const char *path, struct htmm_error *err)
{
	struct stat st;

	*fd = -1;
	if (stat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	*fd = open(path, O_WRONLY | O_CLOEXEC);
	return *fd < 0 ? path_error(path, err) : 0;
}

int perfdata_writer_open(struct perfdata_writer *writer, const char *path,
			 struct htmm_error *err)
{
	return open_file(writer, path, !access(path, F_OK), err);
}

void perfdata_writer_put(struct perfdata_writer *writer, const void *records, size_t bytes)
{
	if (writer->fill + bytes > BUFFER_BYTES)
		flush(writer);
	if (bytes > BUFFER_BYTES) {
		append(writer, records, bytes);
		return;
	}
	memcpy(writer->buffer + writer->fill, records, bytes);
	writer->fill += bytes;
}

/* In a pipe written at once, as nothing can follow its records. */
void perfdata_writer_build_id(struct perfdata_writer *writer, __u16 misc, const char *name,
			      const struct build_id *id)
{
	char buffer[sizeof(struct perfdata_build_id) + PATH_MAX + 8] = {}, *all;
	struct perfdata_build_id *record = (void *)buffer;
	const size_t len = strlen(name) + 1;

	if (len > PATH_MAX)
		return;
	record->header.type = PERFDATA_RECORD_BUILD_ID;
	record->header.misc = misc | PERFDATA_BUILD_ID_SIZE;
	record->header.size = (offsetof(struct perfdata_build_id, filename) + len + 7) & ~7UL;
	record->pid = -1;
	memcpy(record->build_id, id->bytes, id->len);
	record->build_id[BUILD_ID_MAX] = id->len;
	memcpy(record->filename, name, len);
	if (writer->pipe) {
		perfdata_writer_put(writer, record, record->header.size);
		return;
	}
	all = realloc(writer->build_ids, writer->build_id_bytes + record->header.size);
	if (!all)
		return;
	memcpy(all + writer->build_id_bytes, record, record->header.size);
	writer->build_ids = all;
	writer->build_id_bytes += record->header.size;
}

size_t perfdata_writer_sample_id(const struct perfdata_writer *writer, __u64 *to, __u32 pid,
				 __u32 tid, __u64 time, __u32 cpu, __u64 id)
{
	const __u64 sample_type = writer->events[0].attr.sample_type;
	const __u32 task[2] = { pid, tid };
	__u64 *at = to;

	if (sample_type & PERF_SAMPLE_TID)
		memcpy(at++, task, sizeof(task));
	if (sample_type & PERF_SAMPLE_TIME)
		*at++ = time;
	if (sample_type & PERF_SAMPLE_CPU)
		*at++ = cpu;
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		*at++ = id;
	return (at - to) * sizeof(*to);
}

int perfdata_writer_flush(struct perfdata_writer *writer, struct htmm_error *err)
{
	flush(writer);
	return writer->error ? write_error(writer, err) : 0;
}

/* Writes the sections behind the data, and last of all the bits that announce them. */
static void write_features(struct perfdata_writer *writer)
{
	struct perfdata_header *header = &writer->header;
	struct perfdata_blob blobs[PERFDATA_FEATURES_MAX];
	struct perfdata_section section;
	unsigned int i, nr;

	nr = perfdata_features(writer, blobs);
	section.offset = header->data.offset + header->data.size + nr * sizeof(section);
	for (i = 0; i < nr; i++) {
		section.size = blobs[i].size;
		write_all(writer, &section, sizeof(section));
		section.offset += section.size;
		header->features[blobs[i].feature / 64] |= 1ULL << blobs[i].feature % 64;
	}
	for (i = 0; i < nr; i++)
		write_all(writer, blobs[i].data, blobs[i].size);
	perfdata_features_free(blobs, nr);
	write_header(writer);
}

int perfdata_writer_close(struct perfdata_writer *writer, struct htmm_error *err)
{
	flush(writer);
	if (!writer->error && !writer->pipe)
		write_features(writer);
	free(writer->buffer);
	free(writer->build_ids);
	writer->buffer = NULL;
	writer->build_ids = NULL;
	if (close(writer->fd) && !writer->error)
		writer->error = errno;
	return writer->error ? write_error(writer, err) : 0;
}
