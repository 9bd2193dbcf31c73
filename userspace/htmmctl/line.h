/* SPDX-License-Identifier: GPL-2.0 */
/* Files of one line, in /proc and /sys. */
#ifndef HTMMCTL_LINE_H
#define HTMMCTL_LINE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reads the first line of a file, without its newline. Returns 0 or a negative errno. */
static inline int read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	char *ok;

	*line = '\0';
	if (!file)
		return -errno;
	ok = fgets(line, size, file);
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return ok ? 0 : -ENODATA;
}

#endif /* HTMMCTL_LINE_H */
