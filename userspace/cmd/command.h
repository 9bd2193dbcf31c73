/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands of htmmctl share. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>
#include <htmm/htmm.h>
#include "message.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Exit statuses; `run` has that of its command besides. */
#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/**
 * struct command - a subcommand
 * @name: its name
 * @synopsis: its arguments, for help
 * @summary: what it does, for the list of commands
 * @help: the same at more length
 * @mixed: options may follow words; else what follows the first word is no option
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

extern const struct command cmd_cool;
extern const struct command cmd_doctor;
extern const struct command cmd_hist;
extern const struct command cmd_hot;
extern const struct command cmd_list;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_reset;
extern const struct command cmd_run;
extern const struct command cmd_set;
extern const struct command cmd_start;
extern const struct command cmd_stats;
extern const struct command cmd_status;
extern const struct command cmd_stop;
extern const struct command cmd_target;
extern const struct command cmd_top;

#endif /* CMD_COMMAND_H */
