// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <htmm/error.h>

int htmm_error_set(struct htmm_error *err, int code, const char *todo, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -code;

	err->code = code;
	snprintf(err->todo, sizeof(err->todo), "%s", todo ? todo : "");
	va_start(args, fmt);
	vsnprintf(err->what, sizeof(err->what), fmt, args);
	va_end(args);
	return -code;
}

void htmm_error_prefix(struct htmm_error *err, const char *fmt, ...)
{
	char what[sizeof(err->what)];
	va_list args;
	size_t used;

	if (!err)
		return;

	memcpy(what, err->what, sizeof(what));
	va_start(args, fmt);
	vsnprintf(err->what, sizeof(err->what), fmt, args);
	va_end(args);
	used = strlen(err->what);
	snprintf(err->what + used, sizeof(err->what) - used, "%s", what);
}
