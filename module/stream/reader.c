// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "base/alloc.h"
#include "reader.h"

/* The smallest buffer has room for the lost records of all events and one sample. */
static_assert(8 * (HTMM_MAX_EVENTS * HTMM_RECORD_LOST_MAX + HTMM_RECORD_MAX + 1) <=
	      HTMM_MIN_STREAM_BYTES);

/*
 * @bytes is a power of two, at least HTMM_MIN_STREAM_BYTES. Waiting threads are woken when
 * @watermark bytes are in the buffer, 1 to half of @bytes. The memory is charged to the caller's
 * cgroup. Returns NULL if there is no memory.
 */
struct htmm_reader *htmm_reader_create(u32 bytes, u32 watermark)
{
	struct htmm_reader *reader;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return NULL;
	reader->buffer = __vmalloc(bytes, HTMM_GFP | __GFP_ACCOUNT);
	if (!reader->buffer)
		goto err_reader;

	INIT_LIST_HEAD(&reader->node);
	mutex_init(&reader->lock);
	init_waitqueue_head(&reader->wait);
	reader->bytes = bytes;
	reader->watermark = watermark;
	reader->state = HTMM_STREAM_WAITING;
	return reader;

err_reader:
	kfree(reader);
	return NULL;
}

/* The reader must be in no list, and without users. */
void htmm_reader_destroy(struct htmm_reader *reader)
{
	vfree(reader->buffer);
	mutex_destroy(&reader->lock);
	kfree(reader);
}

/* The id of an event in records. It is not used for another event while the module is loaded. */
u64 htmm_reader_id(const struct htmm_layout *layout, unsigned int event)
{
	return layout->session * HTMM_MAX_EVENTS + event + 1;
}

/* Free bytes in the buffer. */
static u32 htmm_reader_room(const struct htmm_reader *reader)
{
	/* (A) pairs with the store-release (D) of htmm_reader_consume() */
	return reader->bytes - (reader->head - smp_load_acquire(&reader->tail));
}

/* Copy to the buffer from @at on, wrapping at its end; returns the end of the copy. */
static u32 htmm_reader_copy(struct htmm_reader *reader, u32 at, const u64 *from, u32 bytes)
{
	u32 offset = at & (reader->bytes - 1);
	u32 first = min(bytes, reader->bytes - offset);

	memcpy(reader->buffer + offset, from, first);
	memcpy(reader->buffer, (const void *)from + first, bytes - first);
	return at + bytes;
}

static void htmm_reader_commit(struct htmm_reader *reader, u32 head)
{
	/* (B) pairs with the load-acquire (C) of htmm_reader_used() */
	smp_store_release(&reader->head, head);
}

static u32 htmm_reader_gap_bytes(const struct htmm_reader *reader)
{
	unsigned int i, gaps = 0;

	if (!reader->gapped)
		return 0;
	for (i = 0; i < reader->layout.nr_events; i++)
		gaps += !!reader->gaps[i].lost;
	return gaps * HTMM_RECORD_LOST_MAX * sizeof(u64);
}

/* Put lost records for all gaps; the caller has checked that there is room. */
static void htmm_reader_tell_gaps(struct htmm_reader *reader)
{
	u64 record[HTMM_RECORD_LOST_MAX];
	u32 i, bytes, head = reader->head;
	struct htmm_gap *gap;

	if (!reader->gapped)
		return;
	for (i = 0; i < reader->layout.nr_events; i++) {
		gap = &reader->gaps[i];
		if (!gap->lost)
			continue;
		bytes = htmm_record_lost(record, gap->last, reader->layout.sample_type,
					 htmm_reader_id(&reader->layout, i), gap->lost);
		head = htmm_reader_copy(reader, head, record, bytes);
		gap->lost = 0;
	}
	reader->gapped = false;
	reader->round_due = true;
	htmm_reader_commit(reader, head);
}

/*
 * Offer a sample, as it is in a ring. Before the next sample that fits, lost records are put in
 * the place of the missing samples.
 *
 * Context: ksampled, under the stream's lock; does not sleep.
 */
void htmm_reader_put(struct htmm_reader *reader, unsigned int event, const u64 *slot)
{
	u64 sample_type = reader->layout.sample_type;
	u32 bytes = htmm_record_stream_size(sample_type);
	struct htmm_gap *gap = &reader->gaps[event];
	u64 begin[2];
	u32 head;

	reader->offered++;
	if (htmm_reader_room(reader) < htmm_reader_gap_bytes(reader) + bytes) {
		reader->lost++;
		reader->gapped = true;
		gap->lost++;
		memcpy(gap->last, slot, htmm_record_size(sample_type));
		return;
	}

	htmm_reader_tell_gaps(reader);
	htmm_record_stream_head(begin, slot, sample_type, htmm_reader_id(&reader->layout, event));
	head = htmm_reader_copy(reader, reader->head, begin, sizeof(begin));
	head = htmm_reader_copy(reader, head, slot + 1, bytes - sizeof(begin));
	htmm_reader_commit(reader, head);
	reader->delivered++;
	reader->round_due = true;
}

/*
 * All rings have been emptied again: put lost records and a round record, if there is room for
 * both. Under the stream's lock; does not sleep.
 */
void htmm_reader_settle(struct htmm_reader *reader)
{
	const struct perf_event_header round = { .type = HTMM_RECORD_ROUND, .size = sizeof(round) };
	u64 record;

	if (!reader->gapped && !reader->round_due)
		return;
	if (htmm_reader_room(reader) < htmm_reader_gap_bytes(reader) + sizeof(record))
		return;
	htmm_reader_tell_gaps(reader);
	memcpy(&record, &round, sizeof(record));
	htmm_reader_commit(reader, htmm_reader_copy(reader, reader->head, &record, sizeof(record)));
	reader->round_due = false;
}

void htmm_reader_wake(struct htmm_reader *reader)
{
	if (htmm_reader_ready(reader) && wq_has_sleeper(&reader->wait))
		/* Some may wait only for EPOLLHUP. */
		wake_up_interruptible_poll(&reader->wait, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
}

/* Under the stream's lock. */
void htmm_reader_describe(const struct htmm_reader *reader, struct htmm_stream *out)
{
	const struct htmm_layout *layout = &reader->layout;
	unsigned int i;

	*out = (struct htmm_stream) {
		.size = out->size,
		.buffer_bytes = reader->bytes,
		.watermark = reader->watermark,
		.state = reader->state,
		.offered = reader->offered,
		.delivered = reader->delivered,
		.lost = reader->lost,
		.waiting_bytes = htmm_reader_used(reader),
	};
	if (reader->state == HTMM_STREAM_WAITING)
		return;
	out->session = layout->session;
	out->sample_type = layout->sample_type | PERF_SAMPLE_IDENTIFIER;
	out->record_size = htmm_record_stream_size(layout->sample_type);
	out->nr_events = layout->nr_events;
	for (i = 0; i < layout->nr_events; i++)
		out->ids[i] = htmm_reader_id(layout, i);
}

/*
 * Has the session put its last record? Then no records are added to those in the buffer.
 * Context: any.
 */
bool htmm_reader_ended(const struct htmm_reader *reader)
{
	/* Pairs with the store-release in htmm_stream_end(). */
	return smp_load_acquire(&reader->state) == HTMM_STREAM_ENDED;
}

/* Context: any. */
bool htmm_reader_ready(const struct htmm_reader *reader)
{
	return htmm_reader_ended(reader) || htmm_reader_used(reader) >= reader->watermark;
}

/* Bytes that can be read. Context: any. */
u32 htmm_reader_used(const struct htmm_reader *reader)
{
	u32 tail = READ_ONCE(reader->tail);

	/* (C) pairs with the store-release (B) of htmm_reader_commit() */
	return smp_load_acquire(&reader->head) - tail;
}

/*
 * The records to be read next, of at most @room bytes: two pieces of the buffer, the second of
 * which is often empty. Under @reader->lock.
 *
 * Returns bytes of the whole records that fit, 0 if the buffer is empty, or -EINVAL if the next
 * one does not fit.
 */
int htmm_reader_peek(const struct htmm_reader *reader, size_t room, struct htmm_span spans[2])
{
	const u32 mask = reader->bytes - 1;
	const u32 used = htmm_reader_used(reader);
	const u32 offset = reader->tail & mask;
	const struct perf_event_header *header;
	u32 bytes = 0;

	lockdep_assert_held(&reader->lock);

	/* Record sizes are multiples of 8 bytes, so no header wraps at the buffer's end. */
	while (bytes < used) {
		header = reader->buffer + ((offset + bytes) & mask);
		if (bytes + header->size > room)
			break;
		bytes += header->size;
	}
	if (used && !bytes)
		return -EINVAL;

	spans[0].at = reader->buffer + offset;
	spans[0].bytes = min(bytes, reader->bytes - offset);
	spans[1].at = reader->buffer;
	spans[1].bytes = bytes - spans[0].bytes;
	return bytes;
}

/* Free @bytes that htmm_reader_peek() has returned. Under @reader->lock. */
void htmm_reader_consume(struct htmm_reader *reader, u32 bytes)
{
	lockdep_assert_held(&reader->lock);

	/* (D) pairs with the load-acquire (A) of htmm_reader_room() */
	smp_store_release(&reader->tail, reader->tail + bytes);
}
