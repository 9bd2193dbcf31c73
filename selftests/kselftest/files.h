/* SPDX-License-Identifier: GPL-2.0 */
/* Small files through which the kernel reports numbers and takes settings. */
#ifndef KSFT_FILES_H
#define KSFT_FILES_H

#include <stddef.h>

/* 0 or a negative errno. */
int file_write(const char *path, const char *text);
/* Empties a file: a trace, for example. */
void file_clear(const char *path);
/* The first line of a file, empty if it cannot be read. 0 or a negative errno. */
int file_read(const char *path, char *line, size_t room);
/* The number that a file begins with; -1 if there is none. */
long file_number(const char *path);
/* The number beside a name, as in /proc/meminfo; -1 if there is none. */
long file_value(const char *path, const char *name);

#endif /* KSFT_FILES_H */
