/* SPDX-License-Identifier: GPL-2.0 */
/* A bar on stderr while something takes its time; nothing unless that is a terminal. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct progress - a bar
 * @shown: it is being shown
 * @start_ns: when it began
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
 * @items: things counted so far
 * @what: what they are
 */
void progress_update(struct progress *progress, __u64 done, __u64 all, __u64 items,
		     const char *what);

/* Wipe the bar. */
void progress_end(struct progress *progress);

#endif /* REPORT_PROGRESS_H */
