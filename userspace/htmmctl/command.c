// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"

struct verbosity verbosity;

int command_end(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "htmmctl: cannot write to stdout: %s\n", strerror(errno));
	return status == EXIT_OK ? EXIT_FAILED : status;
}

int command_main(const struct command *cmd, int argc, char **argv)
{
	return command_end(cmd->run(cmd, argc, argv));
}

int print_error(const struct htmm_error *err)
{
	fprintf(stderr, "htmmctl: %s%s%s\n", err->what, *err->todo ? "; " : "", err->todo);
	return EXIT_FAILED;
}

int no_memory(struct htmm_error *err)
{
	return htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

int advise(struct htmm_error *err, int code, const char *todo)
{
	if (err->code == code)
		snprintf(err->todo, sizeof(err->todo), "%s", todo);
	return -err->code;
}

int usage_error(const struct command *cmd, const char *nearest, const char *fmt, ...)
{
	va_list args;

	fputs("htmmctl: ", stderr);
	if (cmd)
		fprintf(stderr, "%s: ", cmd->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (nearest)
		fprintf(stderr, "; did you mean '%s%s'?\n", cmd ? "--" : "", nearest);
	else
		fprintf(stderr, "; see 'htmmctl %s%s--help'\n", cmd ? cmd->name : "",
			cmd ? " " : "");
	return EXIT_USAGE;
}

void notice(const char *fmt, ...)
{
	va_list args;
	char *text;

	if (verbosity.quiet)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	/* In one write: what the sampled command says must not come in between. */
	fprintf(stderr, "htmmctl: %s\n", text ? text : "no memory for a message");
	free(text);
}
