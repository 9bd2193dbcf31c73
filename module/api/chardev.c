// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/htmm: the file operations. If the file reads the record stream, private_data is its reader.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "api.h"
#include "session/session.h"
#include "stream/stream.h"

/* Read without waiting. Returns bytes read, 0 at the end, or -EAGAIN if no data is ready. */
static int htmm_chardev_read_records(struct htmm_reader *reader, char __user *to, size_t room)
{
	bool ended = htmm_reader_ended(reader);
	struct htmm_span spans[2];
	int bytes;

	bytes = htmm_reader_peek(reader, room, spans);
	if (!bytes && ended) {
		htmm_stream_finish(reader);
		bytes = htmm_reader_peek(reader, room, spans);
	}
	if (bytes <= 0)
		return bytes || ended ? bytes : -EAGAIN;
	if (copy_to_user(to, spans[0].at, spans[0].bytes) ||
	    copy_to_user(to + spans[0].bytes, spans[1].at, spans[1].bytes))
		return -EFAULT;
	htmm_reader_consume(reader, bytes);
	return bytes;
}

/*
 * Read whole records. Returns bytes read, 0 after the last record, or an errno that htmm(4)
 * describes.
 */
static ssize_t htmm_chardev_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct htmm_reader *reader = htmm_file_reader(file);
	bool wait = !(file->f_flags & O_NONBLOCK);
	int ret;

	if (!reader)
		return -EINVAL;
	/* Check the caller, as for an ioctl: it may not be the process that opened the file. */
	if (!perfmon_capable())
		return -EPERM;
	do {
		ret = wait ? wait_event_interruptible(reader->wait, htmm_reader_ready(reader)) : 0;
		if (!ret)
			ret = mutex_lock_interruptible(&reader->lock);
		if (ret)
			return ret == -EINTR ? -ERESTARTSYS : ret;
		ret = htmm_chardev_read_records(reader, to, room);
		mutex_unlock(&reader->lock);
		/* Another thread may have read all records meanwhile. */
	} while (wait && ret == -EAGAIN);
	return ret;
}

/* EPOLLHUP after the last record, EPOLLERR for a file that is not a reader. */
static __poll_t htmm_chardev_poll(struct file *file, poll_table *table)
{
	struct htmm_reader *reader = htmm_file_reader(file);
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

static int htmm_chardev_open(struct inode *inode, struct file *file)
{
	/* misc_open() has stored its device there. */
	file->private_data = NULL;
	return stream_open(inode, file);
}

static int htmm_chardev_release(struct inode *inode, struct file *file)
{
	htmm_session_close(file);
	htmm_stream_leave(htmm_file_reader(file));
	return 0;
}

static const struct file_operations htmm_chardev_fops = {
	.owner = THIS_MODULE,
	.open = htmm_chardev_open,
	.read = htmm_chardev_read,
	.poll = htmm_chardev_poll,
	.release = htmm_chardev_release,
	.unlocked_ioctl = htmm_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice htmm_chardev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "htmm",
	.fops = &htmm_chardev_fops,
	.mode = 0600,
};

int htmm_chardev_init(void)
{
	return misc_register(&htmm_chardev);
}

/* No file is open, because an open file holds a reference on the module. */
void htmm_chardev_exit(void)
{
	misc_deregister(&htmm_chardev);
}
