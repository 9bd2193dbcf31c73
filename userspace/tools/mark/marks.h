/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: moments of a session that have a name. They are in a file beside the names of mappings, in
 * lines of a session, a CLOCK_MONOTONIC time and a text, which the first mark of another session
 * empties. Only its owner may read and write it.
 */
#ifndef MARK_MARKS_H
#define MARK_MARKS_H

#include <stddef.h>
#include <time.h>
#include <linux/types.h>
#include <htmm/error.h>

/* Bytes of the longest text, without the NUL. */
#define MARK_TEXT_MAX	63

/**
 * struct mark - a moment with a name
 * @time: its CLOCK_MONOTONIC time, in nanoseconds
 * @text: the name
 */
struct mark {
	__u64 time;
	char text[MARK_TEXT_MAX + 1];
};

/**
 * struct marks - what was read so far
 * @session: the session
 * @since: earlier marks are of another session with this number, before the module was loaded again
 * @taken: marks read so far
 * @size: private: size of the file when it was read
 * @changed: private: when it had changed
 */
struct marks {
	__u64 session;
	__u64 since;
	size_t taken;
	__s64 size;
	struct timespec changed;
};

/**
 * marks_put() - give the present moment a name
 * @session: the session, which runs
 * @text: at most MARK_TEXT_MAX bytes, without a newline
 * @err: says why not
 *
 * Several programs may call this at the same time.
 *
 * Return: 0 or a negative errno; -EDQUOT if the session has too many marks.
 */
int marks_put(__u64 session, const char *text, struct htmm_error *err);

/**
 * marks_take() - read the marks that are new
 * @marks: the session, and what was read so far
 * @mark: filled, in order of time, for free()
 *
 * Return: how many there are; without any, there is nothing to free.
 */
size_t marks_take(struct marks *marks, struct mark **mark);

#endif /* MARK_MARKS_H */
