/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by commands that make one call to the device and exit. */
#ifndef HTMMCTL_SIMPLE_CMD_H
#define HTMMCTL_SIMPLE_CMD_H

#include "options.h"
#include "commands.h"

/*
 * Reads a command's options, and make one call to the device. @call: called after the options
 * are read; returns 0 or a negative errno. Returns the exit status.
 */
int simple_cmd(const struct command *cmd, int argc, char **argv, const struct opt *opts,
	       int (*call)(int fd, void *arg, struct htmm_error *err), void *arg);

/* The same for a command with a choice of formats; @call's argument is struct format_choice. */
int counters_cmd(const struct command *cmd, int argc, char **argv,
		 int (*call)(int fd, void *arg, struct htmm_error *err));

#endif /* HTMMCTL_SIMPLE_CMD_H */
