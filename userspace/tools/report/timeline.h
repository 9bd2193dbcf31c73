/* SPDX-License-Identifier: GPL-2.0 */
/* What `htmmctl log` wrote: a session over time. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>
#include "span.h"

/**
 * struct moment - a target at one time
 * @seconds: since the session started
 * @target: its number; 0: all targets together
 * @name: its name
 * @line: of the log, counted from 1
 * @samples: samples counted so far, of the session
 * @lost: samples lost so far, of the session
 * @cost_ppm: what sampling costs, of the session
 * @hot_threshold: its lowest hot bin
 * @warm_threshold: its lowest warm bin
 * @hot_pages: its hot pages
 * @hot_slow: those on slow nodes
 * @fast_pages: its pages on fast nodes
 * @slow_pages: those on slow nodes
 * @placed: it is known where pages are
 * @hit_ppm: share of the samples on fast nodes; -1: unknown
 * @best_ppm: share of the samples on the hottest pages
 * @estimate_ppm: what the best placement would reach; -1: unknown
 * @measured_ppm: share of the fast tier in what served the samples since the moment before,
 *	in millionths; -1: unknown
 * @outside: it is not in the part that was asked for
 * @first: the moment before is not in it, or there is none
 * @since: time of the moment before; 0: none
 * @since_samples: its samples
 * @since_lost: its lost ones
 */
struct moment {
	double seconds;
	__u32 target;
	char name[40];
	unsigned long line;
	__u64 samples;
	__u64 lost;
	__u64 cost_ppm;
	__u32 hot_threshold;
	__u32 warm_threshold;
	__u64 hot_pages;
	__u64 hot_slow;
	__u64 fast_pages;
	__u64 slow_pages;
	bool placed;
	__s64 hit_ppm;
	__u64 best_ppm;
	__s64 estimate_ppm;
	__s64 measured_ppm;
	bool outside;
	bool first;
	double since;
	__u64 since_samples;
	__u64 since_lost;
};

/**
 * struct timeline - a session over time
 * @moment: by target, then by time
 * @nr: how many there are
 * @lines: lines read
 * @session: number of the session; 0: none was read
 */
struct timeline {
	struct moment *moment;
	size_t nr;
	unsigned long lines;
	__u64 session;
};

/**
 * timeline_is() - tell whether a file is a log
 * @path: the file
 *
 * Return: true if it is a regular file that begins as one.
 */
bool timeline_is(const char *path);

/**
 * timeline_grown() - what a counter has counted since the moment before
 * @now: the counter
 * @before: at the moment before
 *
 * Return: the difference; after a reset, all of @now.
 */
__u64 timeline_grown(__u64 now, __u64 before);

/**
 * timeline_read() - read a log
 * @timeline: filled; free it with timeline_free()
 * @path: the file
 * @span: the part of it to read
 * @err: says what is wrong with it
 *
 * A last line that is not complete is left out, as a log may be read while it is written.
 *
 * Return: 0 or a negative errno.
 */
int timeline_read(struct timeline *timeline, const char *path, struct span *span,
		  struct htmm_error *err);

/**
 * timeline_free() - free a log
 * @timeline: the log; may be all zero
 */
void timeline_free(struct timeline *timeline);

/**
 * timeline_print() - print a table for each target
 * @file: where to
 * @timeline: the log
 * @max: the most lines of each; 0: all. More moments are left out evenly
 */
void timeline_print(FILE *file, const struct timeline *timeline, size_t max);

/* Print all as comma-separated values. */
void timeline_print_csv(FILE *file, const struct timeline *timeline);

/**
 * timeline_plot() - draw it with gnuplot
 * @path: file to write
 * @timeline: the log
 * @err: says what is missing
 *
 * Return: 0 or a negative errno.
 */
int timeline_plot(const char *path, const struct timeline *timeline, struct htmm_error *err);

#endif /* REPORT_TIMELINE_H */
