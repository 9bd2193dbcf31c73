/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of htmmctl, and what they say on stderr. */
#ifndef HTMMCTL_COMMAND_H
#define HTMMCTL_COMMAND_H

#include <stdbool.h>
#include <htmm/htmm.h>
#include "lib/array.h"

/* Exit statuses; `run` and `record` can also return the status of their command. */
#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/**
 * struct command - a subcommand
 * @name: its name
 * @synopsis: its arguments, for help
 * @summary: what it does, for the list of commands; NULL: the one before it says so
 * @help: a longer description
 * @mixed: options may follow words; else all after the first word are words
 * @run: does it; returns the exit status
 * @call: what @run asks the device, if that is all
 */
struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *help;
	bool mixed;
	int (*run)(const struct command *cmd, int argc, char **argv);
	int (*call)(int fd, void *arg, struct htmm_error *err);
};

/* Those that are built in; main.c lists them all. */
extern const struct command cmd_cool;
extern const struct command cmd_doctor;
extern const struct command cmd_hist;
extern const struct command cmd_list;
extern const struct command cmd_pause;
extern const struct command cmd_reset;
extern const struct command cmd_resume;
extern const struct command cmd_run;
extern const struct command cmd_set;
extern const struct command cmd_start;
extern const struct command cmd_stats;
extern const struct command cmd_status;
extern const struct command cmd_stop;
extern const struct command cmd_target;

/*
 * Flushes stdout at the end of a program. A full disk must not look like success. Returns
 * @status, or EXIT_FAILED.
 */
int command_end(int status);

/* main() of a program that is one command. Returns the exit status. */
int command_main(const struct command *cmd, int argc, char **argv);

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

/* Says that there is no memory. Returns -ENOMEM. */
int no_memory(struct htmm_error *err);

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

#endif /* HTMMCTL_COMMAND_H */
