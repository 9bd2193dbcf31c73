/* SPDX-License-Identifier: GPL-2.0 */
/* The part of a recording or a log that a report is of, by time or by marks. */
#ifndef REPORT_SPAN_H
#define REPORT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <htmm/error.h>

/**
 * struct span_mark - a mark of the file
 * @time: in nanoseconds
 * @text: its name, for free()
 */
struct span_mark {
	__u64 time;
	char *text;
};

/**
 * struct span - what is wanted, and how far the file was read
 * @by: what was asked for
 * @from: the beginning, in seconds after that of the file
 * @to: the end
 * @first: the part begins at each mark of this name
 * @first_len: its length
 * @last: and ends at the next mark of this name; NULL: at any
 * @inside: the present record is between marks that were asked for
 * @found: there was a mark of the name of @first
 * @begun: there was a sample
 * @start: its time, in nanoseconds
 * @mark: all marks so far, up to a limit
 * @nr_marks: how many there are
 * @left_out: marks beyond the limit
 * @room: private: how many fit
 */
struct span {
	enum { SPAN_ALL, SPAN_TIME, SPAN_MARKS } by;
	double from;
	double to;
	const char *first;
	size_t first_len;
	const char *last;
	bool inside;
	bool found;
	bool begun;
	__u64 start;
	struct span_mark *mark;
	size_t nr_marks;
	__u64 left_out;
	size_t room;
};

/**
 * span_time() - read the argument of --time
 * @value: the span
 * @text: "A,B", in seconds; one of them may be missing
 * @err: says what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int span_time(void *value, const char *text, struct htmm_error *err);

/* The same for --mark: "A" or "A,B". */
int span_marks(void *value, const char *text, struct htmm_error *err);

/**
 * span_pass() - pass a mark; marks and samples come in order of time
 * @span: the span
 * @time: in nanoseconds
 * @text: its name
 * @len: the name's length
 */
void span_pass(struct span *span, __u64 time, const char *text, size_t len);

/**
 * span_has() - tell if what comes now is in the part
 * @span: the span
 * @seconds: time since the beginning of the file
 *
 * Return: true if it is.
 */
bool span_has(const struct span *span, double seconds);

/* The same for a sample of a time in nanoseconds; 0: not known. The first one is the beginning. */
bool span_has_sample(struct span *span, __u64 time);

/**
 * span_check() - find out if there was what was asked for
 * @span: the span, at the end of the file
 * @path: the file
 * @err: says which marks there are
 *
 * Return: 0 or -ENOENT.
 */
int span_check(const struct span *span, const char *path, struct htmm_error *err);

/* The time of a mark, in nanoseconds after the first sample; if there is none, the first mark. */
__s64 span_mark_ns(const struct span *span, size_t nr);

/* Free the marks. */
void span_free(struct span *span);

#endif /* REPORT_SPAN_H */
