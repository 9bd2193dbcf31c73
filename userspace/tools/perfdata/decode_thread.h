/* SPDX-License-Identifier: GPL-2.0 */
/* A thread that reads ahead while its caller works on earlier records. */
#ifndef PERFDATA_DECODE_THREAD_H
#define PERFDATA_DECODE_THREAD_H

#include "reader.h"

/* Records of a batch. */
#define PERFDATA_BATCH	1024

struct decode_thread;

/**
 * struct perfdata_batch - some records
 * @sample: the records
 * @nr: number of records, at least 1
 * @status: status of reading so far
 */
struct perfdata_batch {
	struct perfdata_sample sample[PERFDATA_BATCH];
	int nr;
	struct perfdata_status status;
};

/**
 * decode_thread_new() - begin to read
 * @reader: the reader; only the thread may use it until decode_thread_free()
 * @err: says why it cannot begin
 *
 * Return: the state, or NULL.
 */
struct decode_thread *decode_thread_new(struct perfdata_reader *reader, struct htmm_error *err);

/**
 * decode_thread_next() - get the next records
 * @ahead: the state
 * @batch: receives them; valid until the next call
 * @err: says what went wrong
 *
 * Return: 1; 0 (no more records); or the error of perfdata_reader_read().
 */
int decode_thread_next(struct decode_thread *ahead, const struct perfdata_batch **batch,
		       struct htmm_error *err);

/**
 * decode_thread_free() - stop the thread, at any time
 * @ahead: the state; may be NULL
 */
void decode_thread_free(struct decode_thread *ahead);

#endif /* PERFDATA_DECODE_THREAD_H */
