// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include "htmmctl.h"
#include "options.h"

#define OPTS_MAX	40
/* getopt_long() returns this, plus the option's index, for every option. */
#define OPT_BASE	256

/**
 * struct getopt_view - a command's options as getopt_long() wants them
 * @opts: the options, all tables in one
 * @longs: for getopt_long()
 * @shorts: for getopt_long()
 * @nr: number of options
 */
struct getopt_view {
	const struct opt *opts[OPTS_MAX];
	struct option longs[OPTS_MAX + 2];
	char shorts[2 * OPTS_MAX + 8];
	int nr;
};

static void make_view(struct getopt_view *view, const struct opt *const *tables)
{
	/* '+': stop at the first word; ':': tell a missing argument apart. */
	char *shorts = stpcpy(view->shorts, "+:h");
	const struct opt *opt;

	for (; *tables; tables++) {
		for (opt = *tables; opt->kind != OPT_END && view->nr < OPTS_MAX; opt++) {
			struct option *option = &view->longs[view->nr];

			option->name = opt->name;
			option->has_arg = opt->arg ? required_argument : no_argument;
			option->val = OPT_BASE + view->nr;
			if (opt->key)
				*shorts++ = opt->key;
			if (opt->key && opt->arg)
				*shorts++ = ':';
			view->opts[view->nr++] = opt;
		}
	}
	*shorts = '\0';
	view->longs[view->nr] = (struct option){ "help", no_argument, NULL, 'h' };
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

static int print_help(const struct command *cmd, const struct getopt_view *view)
{
	int i;

	printf("usage: htmmctl %s %s\n%s\n", cmd->name, cmd->synopsis, cmd->help);
	for (i = 0; i < view->nr; i++)
		print_option(view->opts[i]);
	return EXIT_OK;
}

static const struct opt *find_option(const struct getopt_view *view, int c)
{
	int i;

	if (c >= OPT_BASE)
		return view->opts[c - OPT_BASE];
	for (i = 0; i < view->nr; i++)
		if (view->opts[i]->key == c)
			return view->opts[i];
	return NULL;
}

static int set_option(const struct opt *opt, const char *text, struct htmm_error *err)
{
	switch (opt->kind) {
	case OPT_FLAG:
		*(bool *)opt->value = true;
		return 0;
	case OPT_NUMBER:
		return htmm_parse_number(text, opt->min, opt->max, opt->value, err);
	case OPT_SIZE:
		return htmm_parse_size(text, opt->min, opt->max, opt->value, err);
	case OPT_TEXT:
		*(const char **)opt->value = text;
		return 0;
	case OPT_CALL:
		return opt->call(opt->value, text, err);
	case OPT_END:
		break;
	}
	return 0;
}

static int unknown_option(const struct command *cmd, const struct getopt_view *view,
			  const char *word)
{
	const char *names[OPTS_MAX], *nearest = NULL;
	char bare[64];
	int i;

	if (optopt && optopt < OPT_BASE && !find_option(view, optopt))
		return usage_error(cmd, NULL, "there is no option '-%c'", optopt);

	for (i = 0; i < view->nr; i++)
		names[i] = view->opts[i]->name;
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word, "="), word);
	if (optopt >= OPT_BASE)
		return usage_error(cmd, NULL, "option '%s' takes no argument", bare);
	if (!strncmp(bare, "--", 2))
		nearest = htmm_nearest(bare + 2, names, view->nr);
	return usage_error(cmd, nearest, "there is no option '%s'", bare);
}

static int bad_option(const struct command *cmd, const struct getopt_view *view, int c,
		      const char *word)
{
	const struct opt *opt = find_option(view, optopt);

	if (c != ':' || !opt)
		return unknown_option(cmd, view, word);
	return usage_error(cmd, NULL, "option '--%s' needs its %s", opt->name, opt->arg);
}

static int bad_value(const struct command *cmd, const struct opt *opt, struct htmm_error *err)
{
	htmm_error_prefix(err, "%s: --%s: ", cmd->name, opt->name);
	print_error(err);
	return EXIT_USAGE;
}

int opts_parse(const struct command *cmd, int argc, char **argv,
	       const struct opt *const *tables, int *rest)
{
	struct getopt_view view = {};
	struct htmm_error err = {};
	const struct opt *opt;
	int c, at;

	make_view(&view, tables);
	opterr = 0;
	optind = 1;
	for (;;) {
		at = optind;
		c = getopt_long(argc, argv, view.shorts, view.longs, NULL);
		if (c < 0)
			break;
		if (c == 'h')
			return print_help(cmd, &view);
		if (c == '?' || c == ':')
			return bad_option(cmd, &view, c, argv[at]);
		opt = find_option(&view, c);
		if (set_option(opt, optarg, &err))
			return bad_value(cmd, opt, &err);
	}
	if (rest)
		*rest = optind;
	else if (optind < argc)
		return usage_error(cmd, NULL, "'%s' is one word too many", argv[optind]);
	return OPTS_GO_ON;
}
