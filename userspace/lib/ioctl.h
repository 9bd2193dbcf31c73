/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Ioctls of /dev/htmm, for the files of libhtmm that call them. */
#ifndef LIBHTMM_IOCTL_H
#define LIBHTMM_IOCTL_H

#include <linux/types.h>
#include <htmm/error.h>

/* Calls the ioctl, again after a signal. Returns 0 or a negative errno. */
int htmm_ioctl(int fd, unsigned long request, void *arg);

/* Explains an errno that means the same for every ioctl. Returns it, negative. */
int htmm_ioctl_error(int code, const char *verb, struct htmm_error *err);

/*
 * The same for an ioctl with an error buffer: @error and @error_size are those members of
 * @arg, set to zero afterwards. The module's own message, if any, is copied to @text of
 * HTMM_ERROR_LEN bytes, without its full stop.
 */
int htmm_ioctl_told(int fd, unsigned long request, void *arg, __u64 *error,
		    __u32 *error_size, char *text);

/* Says that no target has this number. Returns -ENOENT. */
int htmm_target_missing(__u32 number, struct htmm_error *err);

#endif /* LIBHTMM_IOCTL_H */
