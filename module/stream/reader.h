/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader of the record stream: a bounded buffer between ksampled and an open file. ksampled
 * puts whole records into it and never waits; read() on the file takes them out.
 */
#ifndef HTMM_READER_H
#define HTMM_READER_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <uapi/linux/htmm.h>
#include "core/record.h"

/**
 * struct htmm_layout - format of a session's records
 * @session: number of the session
 * @sample_type: PERF_SAMPLE_* bits of its rings' records
 * @nr_events: number of its events
 */
struct htmm_layout {
	u64 session;
	u64 sample_type;
	u32 nr_events;
};

/**
 * struct htmm_gap - samples of one event that are missing
 * @lost: number of lost samples, not reported yet
 * @last: the last lost sample
 */
struct htmm_gap {
	u64 lost;
	u64 last[HTMM_RECORD_MAX];
};

/**
 * struct htmm_span - a piece of the buffer
 * @at: its start
 * @bytes: its length
 */
struct htmm_span {
	const void *at;
	size_t bytes;
};

/**
 * struct htmm_reader - one reader
 * @node: in the list of all readers
 * @lock: serialises reading threads. ksampled never takes it
 * @wait: wait queue of reading threads
 * @buffer: memory of the records
 * @bytes: its size, a power of two
 * @watermark: fill level in bytes that wakes them
 * @state: enum htmm_stream_state; written under the stream's lock, read by all
 * @layout: record format of its session; valid if @state is not HTMM_STREAM_WAITING
 * @offered: samples offered to the reader
 * @delivered: number of @offered samples put in the buffer
 * @lost: number of @offered samples lost
 * @gaps: losses not reported by a record yet, by event
 * @gapped: @gaps has losses
 * @round_due: a sample or a loss has come since the last HTMM_RECORD_ROUND
 * @head: total bytes put in, modulo 2^32; written by ksampled
 * @tail: total bytes read, modulo 2^32; written under @lock
 *
 * @layout to @head are protected by the stream's lock.
 *
 *   ksampled                            read()
 *   (A) load-acquire  tail              (C) load-acquire  head
 *       write a record                      copy records
 *   (B) store-release head              (D) store-release tail
 *
 * B pairs with C and D with A, as in core/ring.h.
 */
struct htmm_reader {
	struct list_head node;
	struct mutex lock;	/* reading, and tail */
	wait_queue_head_t wait;
	void *buffer;
	u32 bytes;
	u32 watermark;
	u32 state;

	struct htmm_layout layout;
	u64 offered;
	u64 delivered;
	u64 lost;
	struct htmm_gap gaps[HTMM_MAX_EVENTS];
	bool gapped;
	bool round_due;
	u32 head;

	u32 tail ____cacheline_aligned;
};

struct htmm_reader *htmm_reader_create(u32 bytes, u32 watermark);
void htmm_reader_destroy(struct htmm_reader *reader);

u64 htmm_reader_id(const struct htmm_layout *layout, unsigned int event);
void htmm_reader_put(struct htmm_reader *reader, unsigned int event, const u64 *slot);
void htmm_reader_settle(struct htmm_reader *reader);
void htmm_reader_wake(struct htmm_reader *reader);
void htmm_reader_describe(const struct htmm_reader *reader, struct htmm_stream *out);

bool htmm_reader_ended(const struct htmm_reader *reader);
bool htmm_reader_ready(const struct htmm_reader *reader);
u32 htmm_reader_used(const struct htmm_reader *reader);
int htmm_reader_peek(const struct htmm_reader *reader, size_t room, struct htmm_span spans[2]);
void htmm_reader_consume(struct htmm_reader *reader, u32 bytes);

#endif /* HTMM_READER_H */
