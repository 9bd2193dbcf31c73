/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Reads numbers, sizes and lines, and finds the nearest known word. */
#ifndef HTMM_TEXT_H
#define HTMM_TEXT_H

#include <stddef.h>
#include <linux/types.h>
#include <htmm/error.h>

/**
 * htmm_parse_number() - read a whole number, decimal or 0x hexadecimal
 * @text: all of it must belong to the number
 * @min: smallest value allowed
 * @max: largest value allowed
 * @value: the number
 * @err: says what is wrong with @text
 *
 * Return: 0, -EINVAL (not a number) or -ERANGE.
 */
int htmm_parse_number(const char *text, __s64 min, __s64 max, __s64 *value,
		      struct htmm_error *err);

/**
 * htmm_parse_size() - read a size: bytes, or with a suffix K, M, G, T, or p
 * @text: a number and a suffix; K to T are powers of 1024, p is a 4 KiB page
 * @min: smallest value allowed, in bytes
 * @max: largest value allowed, in bytes
 * @value: the size in bytes
 * @err: says what is wrong with @text
 *
 * Return: 0, -EINVAL (not a size) or -ERANGE.
 */
int htmm_parse_size(const char *text, __s64 min, __s64 max, __s64 *value, struct htmm_error *err);

/**
 * htmm_nearest() - find the word that was probably meant
 * @word: what was typed
 * @words: the words that exist
 * @nr: how many there are
 *
 * Return: one of @words, or NULL if none is near.
 */
const char *htmm_nearest(const char *word, const char *const *words, size_t nr);

/**
 * htmm_read_line() - read the first line of a small file, as those in /proc and /sys are
 * @line: set to it, without its newline; empty on failure
 * @size: room in @line; a longer line is cut
 * @path: printf() format of the file's path
 *
 * Return: 0 or a negative errno; -ENOENT also if the file is empty.
 */
int htmm_read_line(char *line, size_t size, const char *path, ...) htmm_printf(3, 4);

#endif /* HTMM_TEXT_H */
