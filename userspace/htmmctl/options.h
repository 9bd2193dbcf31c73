/* SPDX-License-Identifier: GPL-2.0 */
/* Options of a command: one table describes both the parser and the help. */
#ifndef HTMMCTL_OPTIONS_H
#define HTMMCTL_OPTIONS_H

#include <limits.h>
#include "command.h"

/* Type of an option's value, and so of what &struct opt.value points to. */
enum opt_kind {
	OPT_END,
	OPT_FLAG,	/* bool */
	OPT_NUMBER,	/* __s64 */
	OPT_U32,	/* __u32, or __s32 if it may be negative */
	OPT_SIZE,	/* __s64, in bytes */
	OPT_SECONDS,	/* __u32, in milliseconds, as its range */
	OPT_TEXT,	/* const char * */
	OPT_CALL,	/* anything: &struct opt.call reads it */
	OPT_LIST,	/* the same for each of several with commas between */
};

/**
 * struct opt - one option
 * @kind: what its value is; OPT_END ends a table
 * @key: its letter, or 0
 * @name: its long name
 * @arg: how help calls its argument; NULL if it has none
 * @help: what it does, in a few words
 * @value: where its value goes
 * @min: smallest value of a number or size
 * @max: largest value of a number or size
 * @call: reads the argument of an OPT_CALL, NULL if it has none, or a part of an OPT_LIST's
 * @rare: for tuning; only --help-all explains it
 * @words: the words that its argument may be, as a sentence has them; NULL: any others
 */
struct opt {
	enum opt_kind kind;
	char key;
	const char *name;
	const char *arg;
	const char *help;
	void *value;
	__s64 min;
	__s64 max;
	int (*call)(void *value, const char *text, struct htmm_error *err);
	bool rare;
	const char *words;
};

/* The option of every command that prints data. */
#define OPT_JSON(where)	{ OPT_FLAG, 0, "json", NULL, "print JSON", where }

/* The option of every command that can look at one target. */
#define OPT_TARGET(where)						\
	{ OPT_NUMBER, 0, "target", "N", "only target N, see 'target list'", where, 1, UINT_MAX }

/* opts_parse() returns this when the command should run. */
#define OPTS_GO_ON	(-1)

/*
 * Reads a command's options; answers --help and reports misuse. @tables: tables of options,
 * NULL at the end. @rest: set to the index of the first word that is no option; NULL if the
 * command takes no words. Every command also has -q and -v, which set &verbosity, --help,
 * --help-all, and --list-options, which prints a line for each option: its letter, name and
 * argument, "-" for none, what it does, and which words its argument may be, with tabs between
 * them. Returns OPTS_GO_ON, or the exit status.
 */
int opts_parse(const struct command *cmd, int argc, char **argv,
	       const struct opt *const *tables, int *rest);

/* Reads an option's argument. Returns 0 or a negative errno. */
int opt_set(const struct opt *opt, const char *text, struct htmm_error *err);

/*
 * Finds an option's argument in a list of words. @words: the words, at most 16; an element may
 * be NULL: not available here. Returns the word's index, or -EINVAL.
 */
int opt_word(const char *const *words, unsigned int nr, const char *text, const char *what,
	     struct htmm_error *err);

/* Opens the device, and makes one call. Returns the exit status. */
int device_call(int (*call)(int fd, void *arg, struct htmm_error *err), void *arg);

/* Reads a command's options, and makes one call to the device. Returns the exit status. */
int simple_cmd(const struct command *cmd, int argc, char **argv, const struct opt *opts,
	       int (*call)(int fd, void *arg, struct htmm_error *err), void *arg);

#endif /* HTMMCTL_OPTIONS_H */
