// SPDX-License-Identifier: GPL-2.0
/* An open /dev/htmm that reads the record stream; its reader is private_data. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "stream/stream.h"
#include "streamfile.h"

/* The reader that a file has become, or NULL. */
static struct htmm_reader *htmm_streamfile_reader(struct file *file)
{
	/* Pairs with the cmpxchg() in htmm_streamfile_make_reader(). */
	return smp_load_acquire(&file->private_data);
}

static int htmm_streamfile_make_reader(struct file *file,
				       const struct htmm_stream *stream)
{
	struct htmm_reader *reader = htmm_stream_join(stream);

	if (IS_ERR(reader))
		return PTR_ERR(reader);
	if (!cmpxchg(&file->private_data, NULL, reader))
		return 0;
	/* Another thread was faster. */
	htmm_stream_leave(reader);
	return -EBUSY;
}

/**
 * htmm_streamfile_attach - make an open file a reader of the record stream
 * @file: the file; one that is a reader already stays as it is
 * @stream: what is asked for; set to what the reader has
 *
 * Context: process, may sleep.
 * Return: 0, -EBUSY if it reads already and not as asked, or the errno of
 * htmm_stream_join().
 */
int htmm_streamfile_attach(struct file *file, struct htmm_stream *stream)
{
	u64 bytes = stream->buffer_bytes;
	u32 watermark = stream->watermark;
	int ret;

	if (!htmm_streamfile_reader(file)) {
		ret = htmm_streamfile_make_reader(file, stream);
		if (ret)
			return ret;
	}
	htmm_stream_describe(htmm_streamfile_reader(file), stream);
	if ((bytes && bytes != stream->buffer_bytes) ||
	    (watermark && watermark != stream->watermark))
		return -EBUSY;
	return 0;
}

/**
 * htmm_streamfile_detach - the file goes away
 * @file: the file, a reader or not
 *
 * Context: process, may sleep; nobody uses the file any more.
 */
void htmm_streamfile_detach(struct file *file)
{
	htmm_stream_leave(htmm_streamfile_reader(file));
}

static int htmm_copy_spans(char __user *to, const struct htmm_span spans[2])
{
	if (copy_to_user(to, spans[0].at, spans[0].bytes) ||
	    copy_to_user(to + spans[0].bytes, spans[1].at, spans[1].bytes))
		return -EFAULT;
	return 0;
}

/* What there is now: bytes read, 0 at the end, -EAGAIN if there is nothing yet. */
static int htmm_read_records(struct htmm_reader *reader, char __user *to,
			     size_t room)
{
	bool ended = htmm_reader_ended(reader);
	struct htmm_span spans[2];
	int bytes, ret;

	bytes = htmm_reader_peek(reader, room, spans);
	if (!bytes && ended) {
		htmm_stream_finish(reader);
		bytes = htmm_reader_peek(reader, room, spans);
	}
	if (bytes <= 0)
		return bytes || ended ? bytes : -EAGAIN;
	ret = htmm_copy_spans(to, spans);
	if (ret)
		return ret;
	htmm_reader_consume(reader, bytes);
	return bytes;
}

/**
 * htmm_streamfile_read - read whole records
 * @file: the file
 * @to: where to, in user space
 * @room: bytes there
 * @pos: not used
 *
 * Context: process context of the caller, may sleep.
 * Return: bytes read, 0 after the last record, or an errno documented with struct
 * htmm_stream.
 */
ssize_t htmm_streamfile_read(struct file *file, char __user *to, size_t room,
			     loff_t *pos)
{
	struct htmm_reader *reader = htmm_streamfile_reader(file);
	bool wait = !(file->f_flags & O_NONBLOCK);
	int ret;

	if (!reader)
		return -EINVAL;
	/* As for an ioctl, that the file is open is not enough. */
	if (!perfmon_capable())
		return -EPERM;
	do {
		ret = wait ? wait_event_interruptible(reader->wait,
						      htmm_reader_ready(reader)) : 0;
		if (!ret)
			ret = mutex_lock_interruptible(&reader->lock);
		if (ret)
			return ret == -EINTR ? -ERESTARTSYS : ret;
		ret = htmm_read_records(reader, to, room);
		mutex_unlock(&reader->lock);
		/* Another thread may have read it all meanwhile. */
	} while (wait && ret == -EAGAIN);
	return ret;
}

/**
 * htmm_streamfile_poll - is there something to read?
 * @file: the file
 * @table: of the caller
 *
 * Return: EPOLLIN if so, EPOLLHUP after the last record, EPOLLERR for a file that is
 * no reader.
 */
__poll_t htmm_streamfile_poll(struct file *file, poll_table *table)
{
	struct htmm_reader *reader = htmm_streamfile_reader(file);
	__poll_t ready = 0;

	if (!reader || !perfmon_capable())
		return EPOLLERR;
	poll_wait(file, &reader->wait, table);
	if (htmm_reader_ready(reader))
		ready |= EPOLLIN | EPOLLRDNORM;
	if (htmm_reader_ended(reader))
		ready |= EPOLLHUP;
	return ready;
}
