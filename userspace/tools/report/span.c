// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/array.h"
#include "span.h"

/* More than htmmctl mark writes; a file that someone made may have more. */
#define MARKS_MOST	65536

/* Reads a number, or leaves @number as it is if there is none. Returns what follows. */
static const char *take_number(const char *text, double *number)
{
	char *end;
	const double found = strtod(text, &end);

	if (end != text)
		*number = found;
	return end;
}

static int take(struct span *span, int by, struct htmm_error *err)
{
	if (span->by != SPAN_ALL)
		return htmm_error_set(err, EINVAL, "give --time or --mark, once",
				      "a report is of one part");
	span->by = by;
	return 0;
}

int span_time(void *value, const char *text, struct htmm_error *err)
{
	struct span *span = value;
	double from = 0, to = DBL_MAX;
	const char *comma = take_number(text, &from);
	const char *end = *comma == ',' ? take_number(comma + 1, &to) : comma;

	if (*comma != ',' || *end || end - text < 2 || !(from >= 0) || !(from < to))
		return htmm_error_set(err, EINVAL,
				      "give a beginning and an end in seconds, as 1.5,4 or 2, or ,3",
				      "'%s' is no part of the time", text);
	span->from = from;
	span->to = to;
	return take(span, SPAN_TIME, err);
}

int span_marks(void *value, const char *text, struct htmm_error *err)
{
	struct span *span = value;
	const char *comma = strchrnul(text, ',');

	if (comma == text || (*comma && (!comma[1] || strchr(comma + 1, ','))))
		return htmm_error_set(err, EINVAL, "give the text of a mark, or two as A,B",
				      "'%s' names no marks", text);
	span->first = text;
	span->first_len = comma - text;
	span->last = *comma ? comma + 1 : NULL;
	return take(span, SPAN_MARKS, err);
}

static void keep(struct span *span, __u64 time, const char *text, size_t len)
{
	struct span_mark *more = NULL, mark = { .time = time, .text = strndup(text, len) };

	if (span->nr_marks < MARKS_MOST && mark.text)
		more = array_grow(span->mark, span->nr_marks, &span->room, sizeof(*more));
	if (!more) {
		span->left_out++;
		free(mark.text);
		return;
	}
	span->mark = more;
	more[span->nr_marks++] = mark;
}

static bool is_named(const char *text, size_t len, const char *name, size_t name_len)
{
	return len == name_len && !memcmp(text, name, len);
}

void span_pass(struct span *span, __u64 time, const char *text, size_t len)
{
	keep(span, time, text, len);
	if (span->by != SPAN_MARKS)
		return;
	if (is_named(text, len, span->first, span->first_len)) {
		span->inside = true;
		span->found = true;
	} else if (!span->last || is_named(text, len, span->last, strlen(span->last))) {
		span->inside = false;
	}
}

bool span_has(const struct span *span, double seconds)
{
	switch (span->by) {
	case SPAN_TIME:
		return seconds >= span->from && seconds < span->to;
	case SPAN_MARKS:
		return span->inside;
	default:
		return true;
	}
}

bool span_has_sample(struct span *span, __u64 time)
{
	if (time && !span->begun) {
		span->begun = true;
		span->start = time;
	}
	return span_has(span, time ? (double)(__s64)(time - span->start) / 1e9 : -1);
}

/* Was there one of the same text before? */
static bool is_again(const struct span *span, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && strcmp(span->mark[i].text, span->mark[nr].text); i++)
		;
	return i < nr;
}

int span_check(const struct span *span, const char *path, struct htmm_error *err)
{
	char names[160] = "";
	size_t i, used = 0;

	if (span->by != SPAN_MARKS || span->found)
		return 0;
	for (i = 0; i < span->nr_marks; i++) {
		const char *text = span->mark[i].text;

		if (used < sizeof(names) && !is_again(span, i))
			used += snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "the marks are: ", text);
	}
	return htmm_error_set(err, ENOENT, used ? names : "set one with 'htmmctl mark'",
			      "'%s' has no mark '%.*s'", path, (int)span->first_len, span->first);
}

__s64 span_mark_ns(const struct span *span, size_t nr)
{
	return span->mark[nr].time - (span->begun ? span->start : span->mark[0].time);
}

void span_free(struct span *span)
{
	while (span->nr_marks)
		free(span->mark[--span->nr_marks].text);
	free(span->mark);
	span->mark = NULL;
}
