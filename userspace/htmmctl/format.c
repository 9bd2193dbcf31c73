// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include "format.h"
#include "options.h"

static const char *const names[FORMATS] = {
	[FORMAT_TEXT] = "text",
	[FORMAT_JSON] = "json",
	[FORMAT_CSV] = "csv",
	[FORMAT_PROMETHEUS] = "prometheus",
	[FORMAT_DAMON] = "damon",
};

int format_parse(void *value, const char *text, struct htmm_error *err)
{
	struct format_choice *choice = value;
	const char *allowed[FORMATS];
	int i;

	for (i = 0; i < FORMATS; i++)
		allowed[i] = choice->allowed & 1U << i ? names[i] : NULL;
	i = opt_word(allowed, FORMATS, text, "it does not print the format", err);
	if (i >= 0)
		choice->format = i;
	return i < 0 ? i : 0;
}

int format_json(void *value, const char *text, struct htmm_error *err)
{
	struct format_choice *choice = value;

	choice->format = FORMAT_JSON;
	return 0;
}
