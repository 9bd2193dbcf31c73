// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/log2.h>
#include "stream.h"

#define HTMM_DEFAULT_STREAM_BYTES	0x100000

/*
 * Protects the list, htmm_layout_now, and the members of readers that ksampled writes.
 * Nothing is copied to user space under it, so ksampled does not wait for a reader.
 */
static DEFINE_MUTEX(htmm_stream_lock);
static LIST_HEAD(htmm_readers);
static unsigned int htmm_nr_readers;

/* The running session; its number is 0 if there is none. */
static struct htmm_layout htmm_layout_now;

/* Number of readers of that session; also read without the lock. */
static unsigned int htmm_nr_attached;

static int htmm_stream_check(const struct htmm_stream *arg, u32 *bytes, u32 *watermark)
{
	u64 wanted = arg->buffer_bytes ?: HTMM_DEFAULT_STREAM_BYTES;

	if (wanted < HTMM_MIN_STREAM_BYTES || wanted > HTMM_MAX_STREAM_BYTES)
		return -ERANGE;
	if (!is_power_of_2(wanted))
		return -EINVAL;
	if (arg->watermark > wanted / 2)
		return -ERANGE;
	*bytes = wanted;
	*watermark = arg->watermark ?: 1;
	return 0;
}

static void htmm_stream_attach(struct htmm_reader *reader)
{
	lockdep_assert_held(&htmm_stream_lock);

	reader->layout = htmm_layout_now;
	WRITE_ONCE(reader->state, HTMM_STREAM_RUNNING);
	WRITE_ONCE(htmm_nr_attached, htmm_nr_attached + 1);
}

/*
 * Add a reader. It belongs to the running session; if none is running and @arg names none, to
 * the next one. Returns the reader, or -EINVAL, -ERANGE, -ESTALE, -EUSERS, -ENOMEM.
 */
struct htmm_reader *htmm_stream_join(const struct htmm_stream *arg)
{
	struct htmm_reader *reader;
	u32 bytes, watermark;
	int ret;

	ret = htmm_stream_check(arg, &bytes, &watermark);
	if (ret)
		return ERR_PTR(ret);
	reader = htmm_reader_create(bytes, watermark);
	if (!reader)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&htmm_stream_lock);
	if (arg->session && arg->session != htmm_layout_now.session) {
		ret = -ESTALE;
	} else if (htmm_nr_readers < HTMM_MAX_STREAMS) {
		list_add_tail(&reader->node, &htmm_readers);
		htmm_nr_readers++;
		if (htmm_layout_now.session)
			htmm_stream_attach(reader);
	} else {
		ret = -EUSERS;
	}
	mutex_unlock(&htmm_stream_lock);

	if (!ret)
		return reader;
	htmm_reader_destroy(reader);
	return ERR_PTR(ret);
}

/* Remove and free a reader that has no users any more; it may be NULL. */
void htmm_stream_leave(struct htmm_reader *reader)
{
	if (!reader)
		return;
	mutex_lock(&htmm_stream_lock);
	list_del(&reader->node);
	htmm_nr_readers--;
	if (reader->state == HTMM_STREAM_RUNNING)
		WRITE_ONCE(htmm_nr_attached, htmm_nr_attached - 1);
	mutex_unlock(&htmm_stream_lock);
	htmm_reader_destroy(reader);
}

void htmm_stream_describe(const struct htmm_reader *reader, struct htmm_stream *out)
{
	mutex_lock(&htmm_stream_lock);
	htmm_reader_describe(reader, out);
	mutex_unlock(&htmm_stream_lock);
}

/*
 * Report losses that did not fit because the buffer, which is empty now, was full when the
 * session ended.
 */
void htmm_stream_finish(struct htmm_reader *reader)
{
	mutex_lock(&htmm_stream_lock);
	if (reader->state == HTMM_STREAM_ENDED)
		htmm_reader_settle(reader);
	mutex_unlock(&htmm_stream_lock);
}

/* A session is about to sample. No other session is sampling. */
void htmm_stream_begin(const struct htmm_layout *layout)
{
	struct htmm_reader *reader;

	mutex_lock(&htmm_stream_lock);
	htmm_layout_now = *layout;
	list_for_each_entry(reader, &htmm_readers, node)
		if (reader->state == HTMM_STREAM_WAITING)
			htmm_stream_attach(reader);
	mutex_unlock(&htmm_stream_lock);
}

/* The last sample of a session has been offered. */
void htmm_stream_end(void)
{
	struct htmm_reader *reader;

	mutex_lock(&htmm_stream_lock);
	list_for_each_entry(reader, &htmm_readers, node) {
		if (reader->state != HTMM_STREAM_RUNNING)
			continue;
		htmm_reader_settle(reader);
		/* After the last record: pairs with the load-acquire in htmm_reader_ended(). */
		smp_store_release(&reader->state, HTMM_STREAM_ENDED);
		htmm_reader_wake(reader);
	}
	WRITE_ONCE(htmm_nr_attached, 0);
	htmm_layout_now.session = 0;
	mutex_unlock(&htmm_stream_lock);
}

/*
 * Offer @n samples, contiguous in memory from @slots on, to all readers. Context: ksampled.
 * Waits for no reader.
 */
void htmm_stream_offer(unsigned int event, const void *slots, u32 n, u32 slot_size)
{
	struct htmm_reader *reader;
	u32 i;

	if (!READ_ONCE(htmm_nr_attached))
		return;
	mutex_lock(&htmm_stream_lock);
	list_for_each_entry(reader, &htmm_readers, node) {
		if (reader->state != HTMM_STREAM_RUNNING)
			continue;
		for (i = 0; i < n; i++)
			htmm_reader_put(reader, event, slots + i * slot_size);
		htmm_reader_wake(reader);
	}
	mutex_unlock(&htmm_stream_lock);
}

/* All rings have been emptied since the last call. Context: ksampled. Waits for no reader. */
void htmm_stream_round(void)
{
	struct htmm_reader *reader;

	if (!READ_ONCE(htmm_nr_attached))
		return;
	mutex_lock(&htmm_stream_lock);
	list_for_each_entry(reader, &htmm_readers, node) {
		if (reader->state != HTMM_STREAM_RUNNING)
			continue;
		htmm_reader_settle(reader);
		htmm_reader_wake(reader);
	}
	mutex_unlock(&htmm_stream_lock);
}
