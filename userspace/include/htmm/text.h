/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Reads numbers, sizes and lines, and finds the nearest known word. */
#ifndef HTMM_TEXT_H
#define HTMM_TEXT_H

#include <stddef.h>
#include <linux/types.h>
#include <htmm/error.h>

/*
 * Read a whole number, decimal or 0x hexadecimal, and a size in bytes, which may have a suffix: K,
 * M, G, T for powers of 1024, p for pages of 4 KiB. All of @text must belong to it. Return 0,
 * -EINVAL (it is none) or -ERANGE (not from @min to @max), and say in @err what is wrong.
 */
int htmm_parse_number(const char *text, __s64 min, __s64 max, __s64 *value,
		      struct htmm_error *err);
int htmm_parse_size(const char *text, __s64 min, __s64 max, __s64 *value, struct htmm_error *err);

/* The one of @words that was probably meant by @word, or NULL if none is near. */
const char *htmm_nearest(const char *word, const char *const *words, size_t nr);

/*
 * Reads the first line of a small file, as those in /proc and /sys are, without its newline. A
 * longer line is cut. @line: empty on failure. @path: printf() format. Returns 0 or a negative
 * errno; -ENOENT also if the file is empty.
 */
int htmm_read_line(char *line, size_t size, const char *path, ...) htmm_printf(3, 4);

#endif /* HTMM_TEXT_H */
