// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "buildid.h"

#define KERNEL_NOTES	"/sys/kernel/notes"
/* The build id is among the first notes; what lies further back is not looked for. */
#define NOTES_MAX	4096
#define HEADERS_MAX	256

static size_t align4(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static int find_in_notes(const unsigned char *notes, size_t size, struct build_id *id)
{
	Elf64_Nhdr note;
	size_t at, desc;

	for (at = 0; size - at >= sizeof(note); at = desc + align4(note.n_descsz)) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_namesz > size - at || align4(note.n_namesz) > size - at)
			break;
		desc = at + align4(note.n_namesz);
		if (note.n_descsz > size - desc || align4(note.n_descsz) > size - desc)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(notes + at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) ||
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

static int search64(int fd, struct build_id *id)
{
	Elf64_Phdr segment;
	Elf64_Ehdr head;
	unsigned int i;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return -ENOENT;
	for (i = 0; i < head.e_phnum && i < HEADERS_MAX; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  head.e_phoff + (__u64)i * head.e_phentsize) != sizeof(segment))
			return -ENOENT;
		if (segment.p_type == PT_NOTE &&
		    !read_notes(fd, segment.p_offset, segment.p_filesz, id))
			return 0;
	}
	return -ENOENT;
}

static int search32(int fd, struct build_id *id)
{
	Elf32_Phdr segment;
	Elf32_Ehdr head;
	unsigned int i;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return -ENOENT;
	for (i = 0; i < head.e_phnum && i < HEADERS_MAX; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  head.e_phoff + (__u64)i * head.e_phentsize) != sizeof(segment))
			return -ENOENT;
		if (segment.p_type == PT_NOTE &&
		    !read_notes(fd, segment.p_offset, segment.p_filesz, id))
			return 0;
	}
	return -ENOENT;
}

int build_id_of_file(const char *path, struct build_id *id)
{
	unsigned char ident[EI_NIDENT] = {};
	int fd, ret = -ENOENT;

	/* A device or a pipe must not keep us. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (pread(fd, ident, sizeof(ident), 0) == sizeof(ident) &&
	    !memcmp(ident, ELFMAG, SELFMAG))
		ret = ident[EI_CLASS] == ELFCLASS64 ? search64(fd, id) :
		      ident[EI_CLASS] == ELFCLASS32 ? search32(fd, id) : -ENOENT;
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
