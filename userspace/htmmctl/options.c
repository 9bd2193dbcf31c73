// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "options.h"

#define OPTS_MAX	48
#define OPT_WORDS_MAX	16

/* What getopt_long() returns for an option without a letter: LONG_ONLY plus its index. */
enum { ANSWER_HELP_ALL = 256, ANSWER_LIST, LONG_ONLY };

static const struct option answers[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "help-all", no_argument, NULL, ANSWER_HELP_ALL },
	{ "list-options", no_argument, NULL, ANSWER_LIST },
};

/* The options of every command. */
static const struct opt common[] = {
	{ OPT_FLAG, 'q', "quiet", NULL, "print only errors and the requested output",
	  &verbosity.quiet },
	{ OPT_FLAG, 'v', "verbose", NULL, "print more", &verbosity.verbose },
	{ OPT_END },
};

/**
 * struct getopt_view - a command's options as getopt_long() wants them
 * @opts: the options, all tables in one
 * @longs: for getopt_long()
 * @shorts: for getopt_long()
 * @nr: number of options
 */
struct getopt_view {
	const struct opt *opts[OPTS_MAX];
	struct option longs[OPTS_MAX + ARRAY_SIZE(answers) + 1];
	char shorts[2 * OPTS_MAX + 8];
	int nr;
};

static char *add_options(struct getopt_view *view, const struct opt *opt, char *shorts)
{
	for (; opt->kind != OPT_END && view->nr < OPTS_MAX; opt++) {
		view->longs[view->nr] = (struct option){
			.name = opt->name,
			.has_arg = opt->arg ? required_argument : no_argument,
			.val = opt->key ?: LONG_ONLY + view->nr,
		};
		if (opt->key)
			*shorts++ = opt->key;
		if (opt->key && opt->arg)
			*shorts++ = ':';
		view->opts[view->nr++] = opt;
	}
	return shorts;
}

static void make_view(struct getopt_view *view, const struct opt *const *tables, bool mixed)
{
	/* '+': stop at the first word; ':': report a missing argument as ':'. */
	char *shorts = stpcpy(view->shorts, mixed ? ":h" : "+:h");

	for (; *tables; tables++)
		shorts = add_options(view, *tables, shorts);
	shorts = add_options(view, common, shorts);
	*shorts = '\0';
	memcpy(&view->longs[view->nr], answers, sizeof(answers));
}

static void print_option(const struct opt *opt)
{
	char left[40], key[4] = "   ";

	if (opt->key)
		snprintf(key, sizeof(key), "-%c,", opt->key);
	snprintf(left, sizeof(left), "%s --%s%s%s", key, opt->name, opt->arg ? " " : "",
		 opt->arg ? opt->arg : "");
	printf("  %-27s %s\n", left, opt->help);
}

/* Prints the names of the options that only --help-all explains. */
static void print_rare(const struct getopt_view *view)
{
	const char *lead = "For tuning, see --help-all:";
	int i;

	for (i = 0; i < view->nr; i++) {
		if (!view->opts[i]->rare)
			continue;
		printf("%s --%s", lead, view->opts[i]->name);
		lead = "";
	}
	if (!*lead)
		putchar('\n');
}

static void print_help(const struct command *cmd, const struct getopt_view *view, bool all)
{
	int i;

	printf("usage: htmmctl %s %s\n%s\n", cmd->name, cmd->synopsis, cmd->help);
	for (i = 0; i < view->nr; i++)
		if (all || !view->opts[i]->rare)
			print_option(view->opts[i]);
	if (!all)
		print_rare(view);
}

static void list_options(const struct getopt_view *view)
{
	int i;

	for (i = 0; i < view->nr; i++) {
		const struct opt *opt = view->opts[i];

		printf("%c\t%s\t%s\t%s", opt->key ? opt->key : '-', opt->name,
		       opt->arg ? opt->arg : "-", opt->help);
		printf(opt->words ? "\t%s\n" : "\n", opt->words);
	}
}

static const struct opt *find_option(const struct getopt_view *view, int c)
{
	int i;

	for (i = 0; i < view->nr; i++)
		if (view->longs[i].val == c)
			return view->opts[i];
	return NULL;
}

static int set_list(const struct opt *opt, const char *text, struct htmm_error *err)
{
	char *copy = strdup(text), *rest = copy, *one;
	int ret = copy ? 0 : no_memory(err);

	while (!ret && (one = strsep(&rest, ",")))
		ret = opt->call(opt->value, one, err);
	free(copy);
	return ret;
}

static int set_seconds(const struct opt *opt, const char *text, struct htmm_error *err)
{
	char *end, todo[64];
	const double ms = 1000 * strtod(text, &end);

	if (end > text && !*end && ms >= opt->min && ms <= opt->max) {
		*(__u32 *)opt->value = ms + 0.5;
		return 0;
	}
	snprintf(todo, sizeof(todo), "give %.7g to %.7g, such as 2 or 0.5", opt->min / 1e3,
		 opt->max / 1e3);
	return htmm_error_set(err, EINVAL, todo, "'%s' is not a number of seconds", text);
}

int opt_set(const struct opt *opt, const char *text, struct htmm_error *err)
{
	__s64 number;
	int ret;

	switch (opt->kind) {
	case OPT_FLAG:
		*(bool *)opt->value = true;
		return 0;
	case OPT_NUMBER:
		return htmm_parse_number(text, opt->min, opt->max, opt->value, err);
	case OPT_U32:
		ret = htmm_parse_number(text, opt->min, opt->max, &number, err);
		if (!ret)
			*(__u32 *)opt->value = number;
		return ret;
	case OPT_SIZE:
		return htmm_parse_size(text, opt->min, opt->max, opt->value, err);
	case OPT_SECONDS:
		return set_seconds(opt, text, err);
	case OPT_TEXT:
		*(const char **)opt->value = text;
		return 0;
	case OPT_CALL:
		return opt->call(opt->value, text, err);
	case OPT_LIST:
		return set_list(opt, text, err);
	case OPT_END:
		break;
	}
	return 0;
}

/* @c, '?' or ':', and optopt say what getopt_long() does not like about @word. */
static int bad_option(const struct command *cmd, const struct getopt_view *view, int c,
		      const char *word)
{
	const char *names[OPTS_MAX + ARRAY_SIZE(answers)], *nearest = NULL;
	const struct opt *opt = find_option(view, optopt);
	char bare[64];
	int i;

	if (c == ':' && opt)
		return usage_error(cmd, NULL, "option '--%s' needs its %s", opt->name, opt->arg);
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word, "="), word);
	if (opt || optopt == 'h' || optopt >= ANSWER_HELP_ALL)
		return usage_error(cmd, NULL, "option '%s' takes no argument", bare);
	if (optopt)
		return usage_error(cmd, NULL, "there is no option '-%c'", optopt);
	for (i = 0; view->longs[i].name; i++)
		names[i] = view->longs[i].name;
	if (!strncmp(bare, "--", 2))
		nearest = htmm_nearest(bare + 2, names, i);
	return usage_error(cmd, nearest, "there is no option '%s'", bare);
}

int opts_parse(const struct command *cmd, int argc, char **argv,
	       const struct opt *const *tables, int *rest)
{
	struct getopt_view view = {};
	struct htmm_error err = {};
	const struct opt *opt;
	int c;

	make_view(&view, tables, cmd->mixed);
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, view.shorts, view.longs, NULL)) >= 0) {
		switch (c) {
		case '?':
		case ':':
			return bad_option(cmd, &view, c, argv[optind - 1]);
		case ANSWER_LIST:
			list_options(&view);
			return EXIT_OK;
		case 'h':
		case ANSWER_HELP_ALL:
			print_help(cmd, &view, c == ANSWER_HELP_ALL);
			return EXIT_OK;
		}
		opt = find_option(&view, c);
		if (opt_set(opt, optarg, &err)) {
			htmm_error_prefix(&err, "%s: --%s: ", cmd->name, opt->name);
			print_error(&err);
			return EXIT_USAGE;
		}
	}
	if (rest)
		*rest = optind;
	else if (optind < argc)
		return usage_error(cmd, NULL, "unexpected argument '%s'", argv[optind]);
	return OPTS_GO_ON;
}

int opt_word(const char *const *words, unsigned int nr, const char *text, const char *what,
	     struct htmm_error *err)
{
	const char *known[OPT_WORDS_MAX], *nearest;
	unsigned int nr_known = 0, i;
	char todo[128] = "give";

	for (i = 0; i < nr; i++) {
		if (!words[i])
			continue;
		if (!strcmp(text, words[i]))
			return i;
		snprintf(todo + strlen(todo), sizeof(todo) - strlen(todo), "%s %s",
			 nr_known ? "," : "", words[i]);
		known[nr_known++] = words[i];
	}
	nearest = htmm_nearest(text, known, nr_known);
	if (nearest)
		snprintf(todo, sizeof(todo), "did you mean '%s'?", nearest);
	return htmm_error_set(err, EINVAL, todo, "%s '%s'", what, text);
}

int device_call(int (*call)(int fd, void *arg, struct htmm_error *err), void *arg)
{
	struct htmm_error err = {};
	int fd = htmm_device_open(NULL, &err), ret;

	if (fd < 0)
		return print_error(&err);
	ret = call(fd, arg, &err);
	close(fd);
	return ret ? print_error(&err) : EXIT_OK;
}

int simple_cmd(const struct command *cmd, int argc, char **argv, const struct opt *opts,
	       int (*call)(int fd, void *arg, struct htmm_error *err), void *arg)
{
	const struct opt *const tables[] = { opts, NULL };
	int ret = opts_parse(cmd, argc, argv, tables, NULL);

	return ret == OPTS_GO_ON ? device_call(call, arg) : ret;
}
