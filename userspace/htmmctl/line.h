/* SPDX-License-Identifier: GPL-2.0 */
/* Files of one line, in /proc and /sys. */
#ifndef HTMMCTL_LINE_H
#define HTMMCTL_LINE_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Reads the first line of a file, without its newline. Returns 0 or a negative errno. */
static inline int read_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	*line = '\0';
	if (fd < 0)
		return -errno;
	got = read(fd, line, size - 1);
	close(fd);
	if (got <= 0)
		return -ENODATA;
	line[got] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

#endif /* HTMMCTL_LINE_H */
