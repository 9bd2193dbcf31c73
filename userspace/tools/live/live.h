/* SPDX-License-Identifier: GPL-2.0 */
/* A session whose samples are taken in user space, and handed in by a process of its own. */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "htmmctl/session.h"

/*
 * Starts a session as session_start() does, with a process that opens its events and hands in
 * their samples until the session ends. The session ends with that process.
 */
int live_begin(struct session *session, int fd, __u32 flags, struct htmm_error *err);

/* Ends it as session_stop() does, when all samples are handed in. */
int live_end(const struct session *session, int fd, struct htmm_error *err);

#endif /* LIVE_LIVE_H */
