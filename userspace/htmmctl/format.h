/* SPDX-License-Identifier: GPL-2.0 */
/* The output format of a command. */
#ifndef HTMMCTL_FORMAT_H
#define HTMMCTL_FORMAT_H

#include <htmm/error.h>
#include "options.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_PROMETHEUS,
	FORMAT_DAMON,
	FORMATS
};

/* What commands that print counters allow. */
enum {
	FORMATS_OF_COUNTERS = 1 << FORMAT_TEXT | 1 << FORMAT_JSON | 1 << FORMAT_PROMETHEUS
};

/**
 * struct format_choice - the format that the user chose
 * @format: the format
 * @allowed: bit n: enum format n is allowed
 */
struct format_choice {
	enum format format;
	unsigned int allowed;
};

/* Reads the name of a format, for an option. Returns 0 or -EINVAL. */
int format_parse(void *value, const char *text, struct htmm_error *err);

/* Chooses JSON, for an option without an argument. Returns 0. */
int format_json(void *value, const char *text, struct htmm_error *err);

/* The option --format; @names are the formats, as help and completion print them. */
static inline struct opt opt_format(struct format_choice *choice, const char *names)
{
	return (struct opt){
		OPT_CALL, 0, "format", "FORMAT", names, choice,
		.call = format_parse, .words = names,
	};
}

#define OPT_FORMAT_JSON(choice)						\
	{ OPT_CALL, 0, "json", NULL, "print JSON", choice, .call = format_json }

#endif /* HTMMCTL_FORMAT_H */
