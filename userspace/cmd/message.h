/* SPDX-License-Identifier: GPL-2.0 */
/* What htmmctl says on stderr: errors, misuse, and what is worth knowing. */
#ifndef CMD_MESSAGE_H
#define CMD_MESSAGE_H

#include <stdbool.h>
#include <htmm/error.h>

struct command;

/**
 * struct verbosity - how much is said, as -q and -v ask for
 * @quiet: only errors and what was asked for
 * @verbose: more
 */
struct verbosity {
	bool quiet;
	bool verbose;
};

/* The one of this process; opts_parse() sets it. */
extern struct verbosity verbosity;

/**
 * print_error() - say what was wrong and what to do
 * @err: the error
 *
 * Return: EXIT_FAILED.
 */
int print_error(const struct htmm_error *err);

/**
 * advise() - say what to do about an error in words of htmmctl's options
 * @err: the error
 * @code: of errors with this errno alone
 * @todo: what to do, in place of what the library says
 *
 * Return: the errno of @err, negative.
 */
int advise(struct htmm_error *err, int code, const char *todo);

/**
 * usage_error() - say how the command was misused
 * @cmd: the command; NULL: htmmctl itself
 * @nearest: the option of @cmd, without its dashes, or the command that was probably
 *	meant; or NULL
 * @fmt: printf() format of what was wrong
 *
 * Return: EXIT_USAGE.
 */
int usage_error(const struct command *cmd, const char *nearest, const char *fmt, ...)
	htmm_printf(3, 4);

/**
 * notice() - say what is worth knowing but no error; nothing with -q
 * @fmt: printf() format
 */
void notice(const char *fmt, ...) htmm_printf(1, 2);

#endif /* CMD_MESSAGE_H */
