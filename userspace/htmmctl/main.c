// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "session.h"

/* The package of the commands that are programs of their own. */
#define PACKAGE	"htmm-tools"

/* Looks in @dir, which has @len characters; empty means the current directory. */
static bool find_in(const char *dir, size_t len, const char *name, char *path)
{
	int n = snprintf(path, PATH_MAX, "%.*s%shtmmctl-%s", (int)len, dir, len ? "/" : "", name);

	return n < PATH_MAX && !access(path, X_OK);
}

/* Looks beside htmmctl (build tree), in the installation directory, and in PATH. */
static bool find_program(const char *name, char *path)
{
	const char *dir = getenv("PATH"), *end;
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		if (find_in(self, strrchr(self, '/') - self, name, path))
			return true;
	}
	if (find_in(HTMM_PROGRAM_DIR, strlen(HTMM_PROGRAM_DIR), name, path))
		return true;
	for (; dir; dir = *end ? end + 1 : NULL) {
		end = strchrnul(dir, ':');
		if (find_in(dir, end - dir, name, path))
			return true;
	}
	return false;
}

/* htmmctl NAME executes htmmctl-NAME. */
static int run_program(const struct command *cmd, int argc, char **argv)
{
	struct htmm_error err = {};
	char path[PATH_MAX], name[32];

	if (!find_program(cmd->name, path)) {
		fprintf(stderr, "htmmctl: htmmctl %s is in the package %s\n", cmd->name, PACKAGE);
		return EXIT_FAILED;
	}
	/* Keep what the user typed: recordings and ps show it. */
	snprintf(name, sizeof(name), "htmmctl %s", cmd->name);
	argv[0] = name;
	execv(path, argv);
	htmm_error_set(&err, errno, NULL, "cannot run %s: %s", path, strerror(errno));
	return print_error(&err);
}

#define PROGRAM(called, does)								\
	(&(const struct command){ .name = called, .summary = does, .run = run_program })

static const struct command *const commands[] = {
	&cmd_doctor,
	&cmd_list,
	&cmd_run,
	PROGRAM("record", "write every sample to a perf.data file, for perf's tools"),
	&cmd_start,
	&cmd_target,
	&cmd_set,
	&cmd_pause,
	&cmd_resume,
	&cmd_stop,
	&cmd_status,
	&cmd_stats,
	&cmd_hist,
	PROGRAM("hot", "list the hottest pages and what they belong to"),
	PROGRAM("placement", "show on which NUMA nodes the pages are"),
	PROGRAM("top", "watch rates, drops, cost, histogram and hot mappings"),
	PROGRAM("export", "write the session's numbers as metrics for Prometheus"),
	PROGRAM("log", "write over time: thresholds, hit ratios, cost; mark: name a moment"),
	PROGRAM("mark", NULL),
	PROGRAM("tier", "move hot pages to the fast tier, and cold ones out of it"),
	PROGRAM("report", "report on a recording, with a heat map"),
	PROGRAM("diff", "tell how two recordings differ; phases: how parts of one do"),
	PROGRAM("phases", NULL),
	PROGRAM("live", "start or run, with events opened in user space: large PEBS, groups"),
	PROGRAM("feed", "count the samples of a recording again, with other settings"),
	&cmd_cool,
	&cmd_reset,
};

/* Is it a program that is not installed? */
static bool is_missing(const struct command *cmd)
{
	char path[PATH_MAX];

	return cmd->run == run_program && !find_program(cmd->name, path);
}

static int print_help(void)
{
	size_t i;

	puts("usage: htmmctl COMMAND [options], help COMMAND, help tuning, or --version");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i]->summary)
			printf("  %-9s %s%s\n", commands[i]->name, commands[i]->summary,
			       is_missing(commands[i]) ? " (in the package " PACKAGE ")" : "");
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
		if (!is_missing(commands[i]))
			printf("%s\t%s\n", commands[i]->name,
			       commands[i]->summary ?: commands[i - 1]->summary);
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

static int one_word_too_many(const char *word)
{
	return usage_error(NULL, NULL, "unexpected argument '%s'", word);
}

static int unknown(const char *word)
{
	const char *names[ARRAY_SIZE(commands) + 1], *nearest;
	size_t i, nr = 0;

	if (*word != '-') {
		for (; nr < ARRAY_SIZE(commands); nr++)
			names[nr] = commands[nr]->name;
		names[nr++] = "help";
		return usage_error(NULL, htmm_nearest(word, names, nr),
				   "there is no command '%s'", word);
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(words[i].word, "--", 2))
			names[nr++] = words[i].word;
	nearest = strncmp(word, "--", 2) ? NULL : htmm_nearest(word, names, nr);
	return usage_error(NULL, nearest, "there is no option '%s'%s", word,
			   nearest ? "" : " before the command");
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
	return unknown(argv[0]);
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
