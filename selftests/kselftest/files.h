/* SPDX-License-Identifier: GPL-2.0 */
/* Small files through which the kernel reports numbers and takes settings. */
#ifndef KSFT_FILES_H
#define KSFT_FILES_H

/* 0 or a negative errno. */
int file_write(const char *path, const char *text);
/* The number that a file begins with; -1 if there is none. */
long file_number(const char *path);

#endif /* KSFT_FILES_H */
