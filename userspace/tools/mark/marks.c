// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "htmmctl/view.h"
#include "lib/array.h"
#include "marks.h"

/* More would fill the memory that holds the file. */
#define BYTES_MOST	0x100000

/*
 * Does not follow a link and does not wait for a pipe's other end, in case that others may write to
 * the directory; nor does it use their file. Returns a file descriptor or a negative errno.
 */
static int open_marks(int flags)
{
	const int dir = kept_dir(flags & O_CREAT);
	struct stat st;
	int fd;

	if (dir < 0)
		return -errno;
	fd = openat(dir, "marks", flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		fd = -errno;
	close(dir);
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -EPERM;
}

/* What the file has before the line; a new session begins at 0. Returns a negative errno if not. */
static off_t end_of(int fd, __u64 session)
{
	char first[24] = "";

	if (pread(fd, first, sizeof(first) - 1, 0) < 0)
		return -errno;
	if (strtoull(first, NULL, 10) != session && ftruncate(fd, 0))
		return -errno;
	return lseek(fd, 0, SEEK_END);
}

/* A line is written whole or not at all. */
static int put_line(int fd, __u64 session, const char *text)
{
	char line[MARK_TEXT_MAX + 64];
	off_t end;
	int len;

	if (flock(fd, LOCK_EX))
		return -errno;
	end = end_of(fd, session);
	if (end < 0)
		return end;
	/* Behind the lock: marks are in order of time. */
	len = snprintf(line, sizeof(line), "%llu %llu %s\n", session, clock_ns(CLOCK_MONOTONIC),
		       text);
	if (end + len > BYTES_MOST)
		return -EDQUOT;
	if (write(fd, line, len) == len)
		return 0;
	len = -errno;
	return ftruncate(fd, end) ? -errno : len;
}

int marks_put(__u64 session, const char *text, struct htmm_error *err)
{
	const int fd = open_marks(O_RDWR | O_APPEND | O_CREAT);
	int ret = fd;

	if (fd >= 0) {
		ret = put_line(fd, session, text);
		close(fd);
	}
	if (!ret)
		return 0;
	if (ret == -EDQUOT)
		return htmm_error_set(err, EDQUOT, "start a new one",
				      "the session has too many marks");
	return htmm_error_set(err, -ret,
			      "set RUNTIME_DIRECTORY to a directory of yours, here and for the reader",
			      "cannot write the marks: %s", strerror(-ret));
}

/* A last line may be written just now. */
static bool read_mark(const struct marks *marks, FILE *file, struct mark *mark)
{
	unsigned long long session, time;
	char end;

	while (fscanf(file, "%llu %llu%*1[ ]%63[^\n]%c", &session, &time, mark->text, &end) == 4) {
		mark->time = time;
		if (session == marks->session && time >= marks->since)
			return true;
	}
	return false;
}

static bool has_changed(struct marks *marks, int fd)
{
	struct stat now;

	if (fstat(fd, &now) || (now.st_size == marks->size &&
				!memcmp(&now.st_mtim, &marks->changed, sizeof(now.st_mtim))))
		return false;
	marks->size = now.st_size;
	marks->changed = now.st_mtim;
	return true;
}

/* The file is small, so it is read from its beginning. */
size_t marks_take(struct marks *marks, struct mark **mark)
{
	const int fd = open_marks(O_RDONLY);
	size_t all = 0, nr = 0, room = 0;
	struct mark next, *more;
	FILE *file;

	*mark = NULL;
	if (fd < 0)
		return 0;
	file = has_changed(marks, fd) ? fdopen(fd, "r") : NULL;
	if (!file) {
		close(fd);
		return 0;
	}
	while (read_mark(marks, file, &next)) {
		if (all++ < marks->taken)
			continue;
		more = array_grow(*mark, nr, &room, sizeof(*more));
		if (!more)
			break;
		*mark = more;
		more[nr++] = next;
	}
	fclose(file);
	marks->taken += nr;
	return nr;
}
