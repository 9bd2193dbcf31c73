/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Errors as text: what was wrong, and what to do. */
#ifndef HTMM_ERROR_H
#define HTMM_ERROR_H

/* Lets the compiler check the arguments against the format. */
#define htmm_printf(string, first)	__attribute((__format__(printf, string, first)))

/**
 * struct htmm_error - why a call of libhtmm failed
 * @code: the errno, positive; 0: no error
 * @what: what was wrong: one sentence, no full stop
 * @todo: what to do about it; may be empty
 */
struct htmm_error {
	int code;
	char what[384];
	char todo[256];
};

/*
 * Fills in an error, unless @err is NULL. @code: a positive errno. @todo: advice, or NULL. @fmt:
 * what was wrong. Returns -@code, so that a caller can return it directly.
 */
int htmm_error_set(struct htmm_error *err, int code, const char *todo, const char *fmt, ...)
	htmm_printf(4, 5);

/* Puts a few words before what was wrong. */
void htmm_error_prefix(struct htmm_error *err, const char *fmt, ...)
	htmm_printf(2, 3);

#endif /* HTMM_ERROR_H */
