/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands of htmmctl share. */
#ifndef HTMMCTL_COMMAND_H
#define HTMMCTL_COMMAND_H

#include <stdbool.h>
#include <htmm/htmm.h>
#include "message.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Exit statuses; `run` and `record` can also return the status of their command. */
#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/**
 * struct command - a subcommand
 * @name: its name
 * @synopsis: its arguments, for help
 * @summary: what it does, for the list of commands
 * @help: a longer description
 * @mixed: options may follow words; else all after the first word are words
 * @run: does it; returns the exit status
 */
struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *help;
	bool mixed;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

/*
 * Flushes stdout at the end of a program. A full disk must not look like success. Returns
 * @status, or EXIT_FAILED.
 */
int command_end(int status);

/* main() of a program that is one command. Returns the exit status. */
int command_main(const struct command *cmd, int argc, char **argv);

#endif /* HTMMCTL_COMMAND_H */
