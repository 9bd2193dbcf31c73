// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "format.h"

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
	char todo[80] = "give";
	int i;

	for (i = 0; i < FORMATS; i++) {
		if (!(choice->allowed & 1U << i))
			continue;
		if (!strcmp(text, names[i])) {
			choice->format = i;
			return 0;
		}
		snprintf(todo + strlen(todo), sizeof(todo) - strlen(todo), "%s %s",
			 strlen(todo) > 4 ? "," : "", names[i]);
	}
	return htmm_error_set(err, EINVAL, todo, "there is no format '%s' here", text);
}

int format_json(void *value, const char *text, struct htmm_error *err)
{
	struct format_choice *choice = value;

	choice->format = FORMAT_JSON;
	return 0;
}
