/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for signals in a chosen place instead of being interrupted by them. */
#ifndef HTMMCTL_SIGNALS_H
#define HTMMCTL_SIGNALS_H

#include <signal.h>

/**
 * struct signals - signals to wait for
 * @wait: SIGINT, SIGTERM, SIGQUIT and SIGCHLD, and SIGHUP unless it is ignored
 * @old: what was blocked before
 */
struct signals {
	sigset_t wait;
	sigset_t old;
};

/*
 * Lets SIGINT, SIGTERM and SIGQUIT end this program. A script that starts a job with '&' makes
 * it ignore SIGINT and SIGQUIT, but SIGINT must end a recording. A command that is run inherits
 * this, as signals are forwarded to it.
 */
void signals_accept(void);

/* Accept the signals, and block them from now on. */
void signals_block(struct signals *signals);

/* Undo signals_block(). */
void signals_restore(const struct signals *signals);

/* Undo signals_block(), and discard the signals that are pending. */
void signals_drop(const struct signals *signals);

/* Tells systemd, if this is a service of Type=notify, that the session has started. */
void signals_ready(void);

/*
 * Waits for one of the signals. @ms: how long, in milliseconds. Returns the signal, or 0 if
 * none came.
 */
int signals_wait(const struct signals *signals, unsigned int ms, siginfo_t *info);

/* Returns a file descriptor to read struct signalfd_siginfo from, or a negative errno. */
int signals_fd(struct signals *signals, int another);

#endif /* HTMMCTL_SIGNALS_H */
