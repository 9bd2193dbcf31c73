/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes of a file or pipe in a window of fixed size that moves forward, so that memory does
 * not depend on the file's size.
 */
#ifndef PERFDATA_INPUT_H
#define PERFDATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Bytes of the window: fits a CPU's cache, and holds a record, which has at most 64 KiB. */
#define PERFDATA_WINDOW		(128 * 1024)

/**
 * struct perfdata_input - a sequence of input bytes
 * @fd: file descriptor; not owned
 * @buf: the window
 * @begin: first byte in @buf not yet taken
 * @end: first byte in @buf not yet read
 * @offset: bytes taken so far
 * @limit: value of @offset at which the input ends, even if more bytes follow
 * @code: errno of a failed read; 0: none failed
 */
struct perfdata_input {
	int fd;
	unsigned char *buf;
	size_t begin;
	size_t end;
	__u64 offset;
	__u64 limit;
	int code;
};

/**
 * perfdata_input_init() - prepare to read
 * @input: the input
 * @fd: file descriptor, positioned at the first byte wanted
 * @offset: offset of that byte
 *
 * Return: 0 or -ENOMEM.
 */
int perfdata_input_init(struct perfdata_input *input, int fd, __u64 offset);

/**
 * perfdata_input_free() - free the window
 * @input: the input; may be all zero
 */
void perfdata_input_free(struct perfdata_input *input);

/**
 * perfdata_input_fill() - read on until there are enough bytes
 * @input: the input
 * @size: bytes needed, at most PERFDATA_WINDOW
 *
 * Return: true if they are there; false at the end of the input, or if it could
 * not be read (@input->code).
 */
bool perfdata_input_fill(struct perfdata_input *input, size_t size);

/**
 * perfdata_input_peek() - look at the next bytes
 * @input: the input
 * @size: bytes needed, at most PERFDATA_WINDOW
 *
 * Return: the bytes, valid until the next call; NULL if there are fewer.
 */
static inline const unsigned char *perfdata_input_peek(struct perfdata_input *input, size_t size)
{
	if (input->end - input->begin < size && !perfdata_input_fill(input, size))
		return NULL;
	return input->buf + input->begin;
}

/**
 * perfdata_input_take() - consume bytes after perfdata_input_peek()
 * @input: the input
 * @size: number of bytes
 */
static inline void perfdata_input_take(struct perfdata_input *input, size_t size)
{
	input->begin += size;
	input->offset += size;
}

/**
 * perfdata_input_skip() - skip bytes without looking at them
 * @input: the input
 * @size: number of bytes
 *
 * Return: true if the input had that many.
 */
bool perfdata_input_skip(struct perfdata_input *input, __u64 size);

#endif /* PERFDATA_INPUT_H */
