/* SPDX-License-Identifier: GPL-2.0 */
/* Messages on stderr: errors, usage errors and notices. */
#ifndef HTMMCTL_MESSAGE_H
#define HTMMCTL_MESSAGE_H

#include <stdbool.h>
#include <htmm/error.h>

struct command;

/**
 * struct verbosity - how much to print, set by -q and -v
 * @quiet: only errors and requested output
 * @verbose: more
 */
struct verbosity {
	bool quiet;
	bool verbose;
};

/* The verbosity of this process; opts_parse() sets it. */
extern struct verbosity verbosity;

/* Prints what was wrong and what to do. Returns EXIT_FAILED. */
int print_error(const struct htmm_error *err);

/*
 * Replaces an error's advice by one that names htmmctl's options. @code: only if the error has
 * this errno. Returns the errno of @err, negative.
 */
int advise(struct htmm_error *err, int code, const char *todo);

/*
 * Prints how the command was misused. @nearest: the option of @cmd (without dashes) or the
 * command that the user probably meant; or NULL. Returns EXIT_USAGE.
 */
int usage_error(const struct command *cmd, const char *nearest, const char *fmt, ...)
	htmm_printf(3, 4);

/* Prints information that is no error; nothing with -q. */
void notice(const char *fmt, ...) htmm_printf(1, 2);

#endif /* HTMMCTL_MESSAGE_H */
