// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "htmmctl.h"

static const struct command *const commands[] = {
	&cmd_doctor, &cmd_run, &cmd_start, &cmd_stop, &cmd_status,
	&cmd_stats, &cmd_hist, &cmd_hot, &cmd_cool, &cmd_reset,
};

int print_error(const struct htmm_error *err)
{
	fprintf(stderr, "htmmctl: %s%s%s\n", err->what, *err->todo ? "; " : "", err->todo);
	return EXIT_FAILED;
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

void notice(bool quiet, const char *fmt, ...)
{
	va_list args;

	if (quiet)
		return;
	fputs("htmmctl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

static int print_help(FILE *file)
{
	size_t i;

	fputs("usage: htmmctl COMMAND [options]\n\n"
	      "Samples memory accesses and tells which pages are hot.\n\n", file);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(file, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n'htmmctl COMMAND --help' tells more; 'htmmctl --version' tells the version.\n",
	      file);
	return EXIT_OK;
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

static int unknown_command(const char *word)
{
	const char *names[ARRAY_SIZE(commands)];
	size_t i;

	if (*word == '-')
		return usage_error(NULL, NULL, "there is no option '%s'", word);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	return usage_error(NULL, htmm_nearest(word, names, ARRAY_SIZE(commands)),
			   "there is no command '%s'", word);
}

static int dispatch(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2)
		return usage_error(NULL, NULL, "no command given");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help(stdout);
	if (!strcmp(argv[1], "--version")) {
		printf("htmmctl %s\n", HTMM_VERSION);
		return EXIT_OK;
	}
	cmd = find_command(argv[1]);
	return cmd ? cmd->run(cmd, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	/* A full disk must not look like success. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "htmmctl: cannot write to stdout: %s\n", strerror(errno));
		if (status == EXIT_OK)
			status = EXIT_FAILED;
	}
	return status;
}
