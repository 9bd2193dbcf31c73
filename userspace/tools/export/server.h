/* SPDX-License-Identifier: GPL-2.0 */
/* Answers requests of Prometheus by HTTP, one after the other. */
#ifndef EXPORT_SERVER_H
#define EXPORT_SERVER_H

#include <stddef.h>
#include <htmm/error.h>

/*
 * Opens a socket. @where: [ADDRESS:]PORT; an IPv6 address has brackets, and no address is
 * 127.0.0.1. Returns its file descriptor or a negative errno.
 */
int server_open(const char *where, struct htmm_error *err);

/* Makes the text of an answer, which the server frees. Returns 0 or a negative errno. */
typedef int server_answer(void *arg, char **text, size_t *len, struct htmm_error *err);

/*
 * Answers GET /metrics until a signal comes; an error of @answer is sent with the status 503. Who
 * asks has five seconds. Returns 0 or a negative errno.
 */
int server_run(int fd, server_answer *answer, void *arg, struct htmm_error *err);

#endif /* EXPORT_SERVER_H */
