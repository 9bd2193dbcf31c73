/* SPDX-License-Identifier: GPL-2.0 */
/* What commands share that do one thing with the device and end. */
#ifndef HTMMCTL_SIMPLE_CMD_H
#define HTMMCTL_SIMPLE_CMD_H

#include "cmd/options.h"
#include "commands.h"

/**
 * simple_cmd() - read a command's options, and do one thing with the device
 * @cmd: the command
 * @argc: words, the command's name first
 * @argv: the words
 * @opts: its options
 * @call: does it, once the options are read; returns 0 or a negative errno
 * @arg: for @call
 *
 * Return: the exit status.
 */
int simple_cmd(const struct command *cmd, int argc, char **argv, const struct opt *opts,
	       int (*call)(int fd, void *arg, struct htmm_error *err), void *arg);

/* The same for a command that prints what &struct format_choice.format, @call's @arg, says. */
int counters_cmd(const struct command *cmd, int argc, char **argv,
		 int (*call)(int fd, void *arg, struct htmm_error *err));

#endif /* HTMMCTL_SIMPLE_CMD_H */
