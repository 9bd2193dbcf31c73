/* SPDX-License-Identifier: GPL-2.0 */
/* An open /dev/htmm that reads the record stream. */
#ifndef HTMM_STREAMFILE_H
#define HTMM_STREAMFILE_H

#include <linux/poll.h>
#include <linux/types.h>
#include <uapi/linux/htmm.h>

struct file;

int htmm_streamfile_attach(struct file *file, struct htmm_stream *stream);
void htmm_streamfile_detach(struct file *file);
ssize_t htmm_streamfile_read(struct file *file, char __user *to, size_t room,
			     loff_t *pos);
__poll_t htmm_streamfile_poll(struct file *file, poll_table *table);

#endif /* HTMM_STREAMFILE_H */
