/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctls of /dev/htmm. */
#ifndef HTMM_IOCTL_H
#define HTMM_IOCTL_H

struct file;

long htmm_ioctl(struct file *file, unsigned int cmd, unsigned long uarg);

#endif /* HTMM_IOCTL_H */
