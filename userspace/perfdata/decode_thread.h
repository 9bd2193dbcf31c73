/* SPDX-License-Identifier: GPL-2.0 */
/* A thread that reads while its caller works on what was read before. */
#ifndef PERFDATA_DECODE_THREAD_H
#define PERFDATA_DECODE_THREAD_H

#include "reader.h"

/* Records of a batch. */
#define PERFDATA_BATCH	1024

struct decode_thread;

/**
 * struct perfdata_batch - some records
 * @sample: the records
 * @nr: how many there are, at least 1
 * @status: how reading went so far
 */
struct perfdata_batch {
	struct perfdata_sample sample[PERFDATA_BATCH];
	int nr;
	struct perfdata_status status;
};

/**
 * decode_thread_new() - begin to read
 * @reader: the reader, which nobody else may use until decode_thread_free()
 * @err: says why it cannot begin
 *
 * Return: the state, or NULL.
 */
struct decode_thread *decode_thread_new(struct perfdata_reader *reader, struct htmm_error *err);

/**
 * decode_thread_next() - the next records
 * @ahead: the state
 * @batch: receives them; valid until the next call
 * @err: says what went wrong
 *
 * Return: 1, 0 (there are no more), or what perfdata_reader_read() failed with.
 */
int decode_thread_next(struct decode_thread *ahead, const struct perfdata_batch **batch,
		       struct htmm_error *err);

/**
 * decode_thread_free() - end reading, wherever it is
 * @ahead: the state; may be NULL
 */
void decode_thread_free(struct decode_thread *ahead);

#endif /* PERFDATA_DECODE_THREAD_H */
