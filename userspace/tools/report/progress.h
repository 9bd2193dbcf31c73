/* SPDX-License-Identifier: GPL-2.0 */
/* A progress bar on stderr for long work; nothing if stderr is no terminal. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct progress - a bar
 * @shown: the bar is on the screen
 * @start_ns: start time
 * @next_ns: when to draw it again
 */
struct progress {
	bool shown;
	__u64 start_ns;
	__u64 next_ns;
};

/* Begin, unless -q was given or stderr is no terminal. */
void progress_begin(struct progress *progress);

/**
 * progress_update() - draw the bar if it is time
 * @progress: the bar
 * @done: bytes done
 * @all: bytes in all; 0: not known
 * @items: number of items so far
 * @what: name of the items
 */
void progress_update(struct progress *progress, __u64 done, __u64 all, __u64 items,
		     const char *what);

/* Wipe the bar. */
void progress_end(struct progress *progress);

#endif /* REPORT_PROGRESS_H */
