/* SPDX-License-Identifier: GPL-2.0 */
/* Error messages for the caller. */
#ifndef HTMM_ERROR_H
#define HTMM_ERROR_H

#include <linux/kernel.h>
#include <uapi/linux/htmm.h>

/* By enum htmm_drop; trace.c. */
extern const char * const htmm_drop_names[];

/**
 * struct htmm_error - message that explains an errno
 * @text: NUL-terminated; empty if there is nothing to add to the errno
 */
struct htmm_error {
	char text[HTMM_ERROR_LEN];
};

/*
 * Set the message that explains errno @ret: no newline, no full stop. Returns @ret, so that a
 * check can end in "return htmm_fail(...)".
 */
static inline __printf(3, 4)
int htmm_fail(struct htmm_error *err, int ret, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return ret;
}

#endif /* HTMM_ERROR_H */
