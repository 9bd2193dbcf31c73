/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Ioctls of /dev/htmm, for the files of libhtmm that make them. */
#ifndef LIBHTMM_IOCTL_H
#define LIBHTMM_IOCTL_H

#include <linux/types.h>
#include <htmm/error.h>

/* The ioctl, again if a signal came: 0 or a negative errno. */
int htmm_ioctl(int fd, unsigned long request, void *arg);

/* Puts an errno that means the same for every ioctl in words; returns it, negative. */
int htmm_ioctl_error(int code, const char *verb, struct htmm_error *err);

/*
 * The same for one that takes an error buffer: @error and @error_size are those members
 * of @arg, zero afterwards. The module's own sentence, if it had one, goes to @text, of
 * HTMM_ERROR_LEN bytes, without the full stop that may end it.
 */
int htmm_ioctl_told(int fd, unsigned long request, void *arg, __u64 *error,
		    __u32 *error_size, char *text);

/* There is no target of that number: -ENOENT. */
int htmm_target_missing(__u32 number, struct htmm_error *err);

#endif /* LIBHTMM_IOCTL_H */
