/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of htmmctl, built in or programs of their own. */
#ifndef HTMMCTL_COMMANDS_H
#define HTMMCTL_COMMANDS_H

#include "command.h"

extern const struct command cmd_cool;
extern const struct command cmd_doctor;
extern const struct command cmd_hist;
extern const struct command cmd_hot;
extern const struct command cmd_list;
extern const struct command cmd_log;
extern const struct command cmd_placement;
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
extern const struct command cmd_tier;
extern const struct command cmd_top;

/*
 * Tells whether a command is a program that is not installed. Returns the package that has it,
 * or NULL.
 */
const char *program_missing(const struct command *cmd);

#endif /* HTMMCTL_COMMANDS_H */
