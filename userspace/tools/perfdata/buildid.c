// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <linux/elf.h>
#include "buildid.h"

#define KERNEL_NOTES	"/sys/kernel/notes"
/* The build id is among the first notes; bytes behind these are not searched. */
#define NOTES_MAX	4096
#define HEADERS_MAX	256

/* Name and type of the note that has the build id. */
#define NOTE_NAME	"GNU"
#define NOTE_TYPE	3

static size_t align4(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static int find_in_notes(const unsigned char *notes, size_t size, struct build_id *id)
{
	struct elf64_note note;
	size_t at, desc;

	for (at = 0; size - at >= sizeof(note); at = desc + align4(note.n_descsz)) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_namesz > size - at || align4(note.n_namesz) > size - at)
			break;
		desc = at + align4(note.n_namesz);
		if (note.n_descsz > size - desc || align4(note.n_descsz) > size - desc)
			break;
		if (note.n_type != NOTE_TYPE || note.n_namesz != sizeof(NOTE_NAME) ||
		    memcmp(notes + at, NOTE_NAME, sizeof(NOTE_NAME)) ||
		    !note.n_descsz || note.n_descsz > BUILD_ID_MAX)
			continue;
		id->len = note.n_descsz;
		memcpy(id->bytes, notes + desc, id->len);
		return 0;
	}
	return -ENOENT;
}

static int read_notes(int fd, __u64 offset, __u64 size, struct build_id *id)
{
	unsigned char notes[NOTES_MAX];
	ssize_t got = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), offset);

	return got < 0 ? -errno : find_in_notes(notes, got, id);
}

/* 32-bit programs have the same headers with other sizes. */
static int search(int fd, bool narrow, struct build_id *id)
{
	union {
		struct elf32_hdr narrow;
		struct elf64_hdr wide;
	} head;
	union {
		struct elf32_phdr narrow;
		struct elf64_phdr wide;
	} segment;
	const size_t size = narrow ? sizeof(segment.narrow) : sizeof(segment.wide);
	unsigned int i, nr, step;
	__u64 at;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return -ENOENT;
	at = narrow ? head.narrow.e_phoff : head.wide.e_phoff;
	nr = narrow ? head.narrow.e_phnum : head.wide.e_phnum;
	step = narrow ? head.narrow.e_phentsize : head.wide.e_phentsize;
	for (i = 0; i < nr && i < HEADERS_MAX; i++, at += step) {
		if (pread(fd, &segment, size, at) != (ssize_t)size)
			return -ENOENT;
		/* p_type is the first member in both. */
		if (segment.wide.p_type != PT_NOTE)
			continue;
		if (!read_notes(fd, narrow ? segment.narrow.p_offset : segment.wide.p_offset,
				narrow ? segment.narrow.p_filesz : segment.wide.p_filesz, id))
			return 0;
	}
	return -ENOENT;
}

int build_id_of_file(const char *path, struct build_id *id)
{
	unsigned char ident[EI_NIDENT] = {};
	int fd, ret = -ENOENT;

	/* Opening a device or a pipe must not block. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (pread(fd, ident, sizeof(ident), 0) == sizeof(ident) &&
	    !memcmp(ident, ELFMAG, SELFMAG))
		ret = search(fd, ident[EI_CLASS] == ELFCLASS32, id);
	close(fd);
	return ret;
}

int build_id_of_kernel(struct build_id *id)
{
	int fd = open(KERNEL_NOTES, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = read_notes(fd, 0, NOTES_MAX, id);
	close(fd);
	return ret;
}
