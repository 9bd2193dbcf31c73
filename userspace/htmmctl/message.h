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

/**
 * print_error() - print what was wrong and what to do
 * @err: the error
 *
 * Return: EXIT_FAILED.
 */
int print_error(const struct htmm_error *err);

/**
 * advise() - replace an error's advice by one that names htmmctl's options
 * @err: the error
 * @code: only if the error has this errno
 * @todo: the new advice
 *
 * Return: the errno of @err, negative.
 */
int advise(struct htmm_error *err, int code, const char *todo);

/**
 * usage_error() - print how the command was misused
 * @cmd: the command; NULL: htmmctl itself
 * @nearest: the option of @cmd (without dashes) or the command that the user probably
 *	meant; or NULL
 * @fmt: printf() format of what was wrong
 *
 * Return: EXIT_USAGE.
 */
int usage_error(const struct command *cmd, const char *nearest, const char *fmt, ...)
	htmm_printf(3, 4);

/**
 * notice() - print information that is no error; nothing with -q
 * @fmt: printf() format
 */
void notice(const char *fmt, ...) htmm_printf(1, 2);

#endif /* HTMMCTL_MESSAGE_H */
