// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "header.h"
#include "notes.h"

/* "PERFFILE", used before 2010. */
#define MAGIC_VERSION_1		0x454c494646524550ULL
/* Versions of perf without features had no space for them in the header. */
#define SIZE_WITHOUT_FEATURES	offsetof(struct perfdata_header, features)
/* Far larger than any struct perf_event_attr. */
#define ATTR_SIZE_MAX		4096

int perfdata_header_check(const struct perfdata_pipe_header *start, struct htmm_error *err)
{
	switch (start->magic) {
	case PERFDATA_MAGIC:
		return 0;
	case PERFDATA_MAGIC_SWAPPED:
		return htmm_error_set(err, EINVAL,
				      "read it on a machine like the one that wrote it",
				      "it was written in the other byte order");
	case MAGIC_VERSION_1:
		return htmm_error_set(err, EINVAL, "record it again with a newer perf",
				      "it has the first version of the format, which is no longer read");
	default:
		return htmm_error_set(err, EINVAL,
				      "give a file of 'htmmctl record' or 'perf record'",
				      "it is no perf.data");
	}
}

/* Reads all bytes, or says that they are missing. */
static int read_at(int fd, void *buf, size_t size, __u64 offset, struct htmm_error *err)
{
	ssize_t got;

	while (size) {
		got = pread(fd, buf, size, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return htmm_error_set(err, errno, NULL, "%s", strerror(errno));
		if (!got)
			return htmm_error_set(err, EINVAL, "record it again",
					      "it ends before its events are described");
		buf = (char *)buf + got;
		size -= got;
		offset += got;
	}
	return 0;
}

/* Allocates memory and reads a section into it; a section beyond the file's end is refused. */
static void *read_section(int fd, const struct perfdata_section *section, __u64 file_size,
			  size_t most)
{
	void *data;

	if (!section->size || section->size > most || section->offset > file_size ||
	    section->size > file_size - section->offset)
		return NULL;
	data = malloc(section->size);
	if (data && read_at(fd, data, section->size, section->offset, NULL)) {
		free(data);
		return NULL;
	}
	return data;
}

static int read_ids(int fd, __u64 file_size, const struct perfdata_section *section,
		    struct perfdata_events *events, __u32 event, struct htmm_error *err)
{
	void *ids;
	int ret;

	if (!section->size)
		return 0;
	ids = read_section(fd, section, file_size, 8UL * PERFDATA_IDS_MAX);
	if (!ids)
		return htmm_error_set(err, EINVAL, "record it again",
				      "the ids of its events are not where they should be");
	ret = perfdata_events_add_ids(events, event, ids, section->size / 8, err);
	free(ids);
	return ret;
}

static int read_event(int fd, __u64 file_size, const unsigned char *bytes, size_t attr_size,
		      struct perfdata_events *events, struct htmm_error *err)
{
	struct perfdata_section ids;
	int event;

	event = perfdata_events_add(events, bytes, attr_size - sizeof(ids), err);
	if (event < 0)
		return event;
	memcpy(&ids, bytes + attr_size - sizeof(ids), sizeof(ids));
	return read_ids(fd, file_size, &ids, events, event, err);
}

static int read_events(int fd, __u64 file_size, const struct perfdata_header *header,
		       struct perfdata_events *events, struct htmm_error *err)
{
	unsigned char bytes[ATTR_SIZE_MAX];
	__u64 i, nr;
	int ret = 0;

	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    header->attr_size > sizeof(bytes))
		return htmm_error_set(err, EINVAL, "record it again",
				      "its events are said to take %llu bytes each",
				      header->attr_size);
	nr = header->attrs.size / header->attr_size;
	if (!nr)
		return htmm_error_set(err, EINVAL, "record it again", "it has no events");
	for (i = 0; i < nr && !ret; i++) {
		ret = read_at(fd, bytes, header->attr_size,
			      header->attrs.offset + i * header->attr_size, err);
		if (!ret)
			ret = read_event(fd, file_size, bytes, header->attr_size, events, err);
	}
	return ret;
}

/*
 * Behind the data there is one section for each feature. A file that perf did not finish
 * has none, whatever its header says.
 */
static void read_features(int fd, __u64 file_size, const struct perfdata_header *header,
			  struct perfdata_events *events, struct perfdata_notes *notes)
{
	__u64 at = header->data.offset + header->data.size;
	struct perfdata_section section;
	unsigned int feature;

	if (!header->data.size || at < header->data.size || at > file_size)
		return;
	for (feature = 0; feature < PERFDATA_FEATURE_BITS; feature++) {
		void *data;

		if (!(header->features[feature / 64] & 1ULL << feature % 64))
			continue;
		if (read_at(fd, &section, sizeof(section), at, NULL))
			return;
		at += sizeof(section);
		data = read_section(fd, &section, file_size, PERFDATA_NOTE_MAX);
		if (data)
			perfdata_notes_add(notes, events, feature, data, section.size);
		free(data);
	}
}

int perfdata_header_read(int fd, __u64 file_size, struct perfdata_header *header,
			 struct perfdata_events *events, struct perfdata_notes *notes,
			 struct htmm_error *err)
{
	int ret;

	memset(header, 0, sizeof(*header));
	ret = read_at(fd, header, SIZE_WITHOUT_FEATURES, 0, err);
	if (ret)
		return ret;
	if (header->size == sizeof(*header))
		ret = read_at(fd, header, sizeof(*header), 0, err);
	else if (header->size != SIZE_WITHOUT_FEATURES)
		ret = htmm_error_set(err, EINVAL, "record it again",
				     "its header is said to have %llu bytes", header->size);
	if (!ret)
		ret = read_events(fd, file_size, header, events, err);
	if (!ret)
		read_features(fd, file_size, header, events, notes);
	return ret;
}
