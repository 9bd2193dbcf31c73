// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "tuning.h"

static const struct command *const commands[] = {
	&cmd_doctor, &cmd_list, &cmd_run, &cmd_record, &cmd_start, &cmd_target, &cmd_set,
	&cmd_stop, &cmd_status, &cmd_stats, &cmd_hist, &cmd_hot, &cmd_placement, &cmd_top, &cmd_log,
	&cmd_tier, &cmd_report, &cmd_cool, &cmd_reset,
};

static int print_help(void)
{
	size_t i;

	puts("usage: htmmctl COMMAND [options]\n"
	     "Samples memory accesses and shows which pages are hot.\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const char *package = program_missing(commands[i]);

		printf("  %-9s %s", commands[i]->name, commands[i]->summary);
		if (package)
			printf(" (in the package %s)", package);
		putchar('\n');
	}
	puts("\n'htmmctl help COMMAND' and 'htmmctl help tuning' say more; see also --version.");
	return EXIT_OK;
}

static int print_version(void)
{
	printf("htmmctl %s\n", HTMM_VERSION);
	return EXIT_OK;
}

/* Lists the installed commands for shell completion; a line is NAME, a tab, what it does. */
static int list_commands(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!program_missing(commands[i]))
			printf("%s\t%s\n", commands[i]->name, commands[i]->summary);
	return EXIT_OK;
}

/* Options that may stand in place of a command. */
static const struct {
	const char *word;
	int (*run)(void);
} words[] = {
	{ "--help", print_help },
	{ "-h", print_help },
	{ "--version", print_version },
	{ "--list-commands", list_commands },
};

static int unknown_option(const char *word)
{
	const char *names[ARRAY_SIZE(words)], *nearest;
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(words[i].word, "--", 2))
			names[nr++] = words[i].word;
	nearest = strncmp(word, "--", 2) ? NULL : htmm_nearest(word, names, nr);
	return usage_error(NULL, nearest, "there is no option '%s'%s", word,
			   nearest ? "" : " before the command");
}

static int unknown_command(const char *word)
{
	const char *names[ARRAY_SIZE(commands) + 1];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	names[i++] = "help";
	return usage_error(NULL, htmm_nearest(word, names, i), "there is no command '%s'", word);
}

static int one_word_too_many(const char *word)
{
	return usage_error(NULL, NULL, "unexpected argument '%s'", word);
}

static int dispatch(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(argv[0], words[i].word))
			return argc > 1 ? one_word_too_many(argv[1]) : words[i].run();
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[0], commands[i]->name))
			return commands[i]->run(commands[i], argc, argv);
	return *argv[0] == '-' ? unknown_option(argv[0]) : unknown_command(argv[0]);
}

/* "help COMMAND" is "COMMAND --help". */
static int run_help(int argc, char **argv)
{
	char option[] = "--help";

	if (argc > 1)
		return one_word_too_many(argv[1]);
	if (!argc || *argv[0] == '-' || !strcmp(argv[0], "help"))
		return print_help();
	if (!strcmp(argv[0], "tuning"))
		return tuning_print();
	return dispatch(2, (char *[]){ argv[0], option, NULL });
}

static int run(int argc, char **argv)
{
	if (!argc)
		return usage_error(NULL, NULL, "no command given");
	return strcmp(argv[0], "help") ? dispatch(argc, argv) : run_help(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	return command_end(run(argc - 1, argv + 1));
}
