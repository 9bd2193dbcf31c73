// SPDX-License-Identifier: GPL-2.0
/* /dev/htmm: what can be done with the file. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include "chardev.h"
#include "ioctl.h"
#include "session/session.h"
#include "streamfile.h"

static int htmm_chardev_open(struct inode *inode, struct file *file)
{
	/* misc_open() has left its own device there. */
	file->private_data = NULL;
	return stream_open(inode, file);
}

static int htmm_chardev_release(struct inode *inode, struct file *file)
{
	htmm_session_close(file);
	htmm_streamfile_detach(file);
	return 0;
}

static const struct file_operations htmm_chardev_fops = {
	.owner = THIS_MODULE,
	.open = htmm_chardev_open,
	.read = htmm_streamfile_read,
	.poll = htmm_streamfile_poll,
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

/**
 * htmm_chardev_init - make /dev/htmm
 *
 * Return: 0 or the errno of misc_register().
 */
int htmm_chardev_init(void)
{
	return misc_register(&htmm_chardev);
}

/**
 * htmm_chardev_exit - remove /dev/htmm
 *
 * Context: process; no file is open, for each holds the module.
 */
void htmm_chardev_exit(void)
{
	misc_deregister(&htmm_chardev);
}
