/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes of a file or pipe, seen through a window of fixed size that moves
 * forward, so that a file of any size takes the same memory.
 */
#ifndef PERFDATA_INPUT_H
#define PERFDATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Bytes of the window: small enough for a CPU's cache; a record has at most 64 KiB. */
#define PERFDATA_WINDOW		(128 * 1024)

/**
 * struct perfdata_input - bytes that come one after the other
 * @fd: where from; not owned
 * @buf: the window
 * @begin: first byte in @buf not yet taken
 * @end: first byte in @buf not yet read
 * @offset: bytes taken so far
 * @limit: value of @offset at which the input ends, whatever follows there
 * @code: errno of a read that failed; 0: none did
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
 * @fd: where from, at the first byte wanted
 * @offset: what to call that byte's offset
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
 * @size: how many, at most PERFDATA_WINDOW
 *
 * Return: true if they are there; false at the end of the input, or if it could
 * not be read (@input->code).
 */
bool perfdata_input_fill(struct perfdata_input *input, size_t size);

/**
 * perfdata_input_peek() - look at the next bytes
 * @input: the input
 * @size: how many, at most PERFDATA_WINDOW
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
 * perfdata_input_take() - go on behind bytes that were looked at
 * @input: the input
 * @size: how many
 */
static inline void perfdata_input_take(struct perfdata_input *input, size_t size)
{
	input->begin += size;
	input->offset += size;
}

/**
 * perfdata_input_skip() - go on behind bytes that nobody wants to see
 * @input: the input
 * @size: how many
 *
 * Return: true if there were as many.
 */
bool perfdata_input_skip(struct perfdata_input *input, __u64 size);

#endif /* PERFDATA_INPUT_H */
