// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "decode.h"
#include "format.h"
#include "lib/array.h"
#include "notes.h"

/**
 * struct bytes - the unread part of a section
 * @at: the next byte
 * @left: bytes from there to the section's end
 */
struct bytes {
	const unsigned char *at;
	size_t left;
};

static bool take(struct bytes *bytes, void *value, size_t size)
{
	if (bytes->left < size)
		return false;
	memcpy(value, bytes->at, size);
	bytes->at += size;
	bytes->left -= size;
	return true;
}

static bool skip(struct bytes *bytes, __u64 size)
{
	if (size > bytes->left)
		return false;
	bytes->at += size;
	bytes->left -= size;
	return true;
}

/* A text, for free(); NULL if there is none. */
static char *take_text(struct bytes *bytes)
{
	const unsigned char *text;
	__u32 len;

	if (!take(bytes, &len, sizeof(len)))
		return NULL;
	text = bytes->at;
	return skip(bytes, len) ? strndup((const char *)text, len) : NULL;
}

static void replace(char **old, char *new)
{
	if (!new)
		return;
	free(*old);
	*old = new;
}

static void read_cmdline(struct perfdata_notes *notes, struct bytes *bytes)
{
	char *line = NULL, *word;
	size_t len;
	FILE *out;
	__u32 nr;

	if (!take(bytes, &nr, sizeof(nr)))
		return;
	out = open_memstream(&line, &len);
	if (!out)
		return;
	while (nr-- && (word = take_text(bytes))) {
		fprintf(out, ftell(out) ? " %s" : "%s", word);
		free(word);
	}
	fclose(out);
	replace(&notes->cmdline, line);
}

static void read_event_desc(struct perfdata_events *events, struct bytes *bytes)
{
	__u32 nr, attr_size, nr_ids, i;

	if (!take(bytes, &nr, sizeof(nr)) || !take(bytes, &attr_size, sizeof(attr_size)))
		return;
	for (i = 0; i < nr && i < events->nr; i++) {
		char *name;

		if (!skip(bytes, attr_size) || !take(bytes, &nr_ids, sizeof(nr_ids)))
			return;
		name = take_text(bytes);
		if (!name)
			return;
		replace(&events->event[i].name, name);
		if (!skip(bytes, 8ULL * nr_ids))
			return;
	}
}

/* Nodes without CPUs are slow memory such as CXL or PMEM. */
static void read_numa(struct perfdata_notes *notes, struct bytes *bytes)
{
	__u64 total, available, fast = 0;
	__u32 nr, node;
	char *cpus;

	if (!take(bytes, &nr, sizeof(nr)))
		return;
	while (nr--) {
		if (!take(bytes, &node, sizeof(node)) || !take(bytes, &total, sizeof(total)) ||
		    !take(bytes, &available, sizeof(available)))
			return;
		cpus = take_text(bytes);
		if (!cpus)
			return;
		if (*cpus)
			fast += total * 1024;
		free(cpus);
	}
	notes->fast_mem = fast;
}

static void read_sample_time(struct perfdata_notes *notes, struct bytes *bytes)
{
	__u64 first, last;

	if (take(bytes, &first, sizeof(first)) && take(bytes, &last, sizeof(last)))
		notes->length = last > first ? last - first : 0;
}

int perfdata_notes_build_id(struct perfdata_notes *notes, const void *record, size_t size)
{
	const size_t head = offsetof(struct perfdata_build_id, filename);
	struct perfdata_named_id *grown, id = {};
	struct perfdata_build_id given;

	if (size <= head)
		return -EBADMSG;
	memcpy(&given, record, head);
	if (perfdata_in_guest(given.header.misc) || notes->nr_build_ids >= PERFDATA_BUILD_IDS_MAX)
		return 0;
	grown = array_grow(notes->build_id, notes->nr_build_ids, &notes->room_build_ids,
			   sizeof(*grown));
	if (!grown)
		return 0;
	notes->build_id = grown;
	memcpy(id.id.bytes, given.build_id, BUILD_ID_MAX);
	id.id.len = given.header.misc & PERFDATA_BUILD_ID_SIZE ? given.build_id[BUILD_ID_MAX] :
								 BUILD_ID_MAX;
	id.name = strndup((const char *)record + head, size - head);
	if (id.name)
		notes->build_id[notes->nr_build_ids++] = id;
	return 0;
}

static void read_build_ids(struct perfdata_notes *notes, struct bytes *bytes)
{
	struct perf_event_header header;

	while (bytes->left >= sizeof(header)) {
		memcpy(&header, bytes->at, sizeof(header));
		if (header.size > bytes->left ||
		    perfdata_notes_build_id(notes, bytes->at, header.size))
			return;
		skip(bytes, header.size);
	}
}

void perfdata_notes_add(struct perfdata_notes *notes, struct perfdata_events *events,
			unsigned int feature, const void *data, size_t size)
{
	struct bytes bytes = { data, size };
	__u64 total, version;

	switch (feature) {
	case PERFDATA_BUILD_ID:
		read_build_ids(notes, &bytes);
		break;
	case PERFDATA_HOSTNAME:
		replace(&notes->hostname, take_text(&bytes));
		break;
	case PERFDATA_CMDLINE:
		read_cmdline(notes, &bytes);
		break;
	case PERFDATA_TOTAL_MEM:
		if (take(&bytes, &total, sizeof(total)))
			notes->total_mem = total * 1024;
		break;
	case PERFDATA_EVENT_DESC:
		read_event_desc(events, &bytes);
		break;
	case PERFDATA_NUMA_TOPOLOGY:
		read_numa(notes, &bytes);
		break;
	case PERFDATA_SAMPLE_TIME:
		read_sample_time(notes, &bytes);
		break;
	case PERFDATA_DIR_FORMAT:
		notes->in_parts = take(&bytes, &version, sizeof(version)) &&
				  version == PERFDATA_DIR_PARTS;
		break;
	default:
		break;
	}
}

void perfdata_notes_free(struct perfdata_notes *notes)
{
	while (notes->nr_build_ids)
		free(notes->build_id[--notes->nr_build_ids].name);
	free(notes->build_id);
	free(notes->hostname);
	free(notes->cmdline);
	memset(notes, 0, sizeof(*notes));
}
