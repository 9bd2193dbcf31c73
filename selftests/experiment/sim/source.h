/* SPDX-License-Identifier: GPL-2.0 */
/* Where a simulation's accesses come from: a recording, a list of misses, or a made-up program. */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>

/**
 * struct sim_sample - an access
 * @space: address space
 * @addr: its address
 * @ns: time since the beginning; not of a made-up program
 * @accesses: those that it stands for
 * @period: accesses between two samples; 0: it is not a sample
 * @recorded: samples of a recording that it stands for
 */
struct sim_sample {
	__u32 space;
	__u64 addr;
	__u64 ns;
	__u64 accesses;
	__u64 period;
	__u64 recorded;
};

/**
 * struct sim_page - a page
 * @space: address space
 * @addr: its address
 */
struct sim_page {
	__u32 space;
	__u64 addr;
};

/**
 * struct source - accesses in order of time
 * @next: gets the next one; returns 1, 0 (the end), or a negative errno
 * @best: share of the accesses that a fast tier of so many pages could serve now, if one
 *	knew the future; NULL: not known
 * @close: frees it
 * @timed: accesses have times; else time passes as the accesses take it
 * @pages: pages that are touched, in order, before the first access; of space 0, from address
 *	0 on; 0: pages are touched when they are first accessed
 * @touched: pages that are touched, in order, before the first access, wherever they are
 * @nr_touched: how many
 * @page_shift: size of the mappings, 12 or 21
 */
struct source {
	int (*next)(struct source *source, struct sim_sample *sample, struct htmm_error *err);
	double (*best)(const struct source *source, __u64 pages);
	void (*close)(struct source *source);
	bool timed;
	__u64 pages;
	struct sim_page *touched;
	size_t nr_touched;
	unsigned int page_shift;
};

/**
 * struct source_config - of a made-up program
 * @program: its name: gups, zipf, stream, phases or uniform
 * @pages: its memory, in pages of 4 KiB
 * @period: accesses between two samples
 * @accesses: how many it makes
 * @page_shift: size of the mappings, 12 or 21
 * @seed: of its random numbers
 */
struct source_config {
	const char *program;
	__u64 pages;
	__u64 period;
	__u64 accesses;
	unsigned int page_shift;
	__u64 seed;
};

/**
 * source_program() - make the samples of a made-up program
 * @config: which
 * @err: says why not
 *
 * gups: 90 % of the accesses are to a tenth of the pages, at random, which were touched
 * last; this tenth is another one after each third of the accesses. zipf: the pages have
 * frequencies by Zipf's law, exponent 0.99, at random places. stream: reads all pages in
 * order, again and again. uniform: all pages alike, at random. phases: gups with ten times
 * as many shifts.
 *
 * Return: the source, or NULL.
 */
struct source *source_program(const struct source_config *config, struct htmm_error *err);

/**
 * source_recording() - read the samples of a perf.data file
 * @path: the file
 * @step: take each @step-th sample only, as if its period were so many times longer
 * @touched: all pages were touched before the first sample, in order of their addresses
 * @first: a file with pages that were touched before these: lines with an address and a number of
 *	pages, in hexadecimal; NULL: none
 * @err: says why it cannot be read
 *
 * Return: the source, or NULL.
 */
struct source *source_recording(const char *path, __u64 step, bool touched, const char *first,
				struct htmm_error *err);

/**
 * struct misses_config - of a list of misses
 * @path: the file, see selftests/pebs/plugin/misses.h
 * @pid: the process whose misses they are
 * @period: each so many'th load is a sample
 * @seed: which of them: the samples come so many loads earlier
 * @first: as of source_recording(): all pages were touched before; NULL: where they first miss
 */
struct misses_config {
	const char *path;
	__u64 pid;
	__u64 period;
	__u64 seed;
	const char *first;
};

/**
 * source_misses() - read every miss of a process
 * @config: which
 * @err: says why they cannot be read
 *
 * Stores that missed no cache are left out.
 *
 * Return: the source, or NULL.
 */
struct source *source_misses(const struct misses_config *config, struct htmm_error *err);

/**
 * source_touch() - let a source begin with all its pages touched
 * @source: the source
 * @again: one of the same accesses; read to its end
 * @first: a file with pages that were touched before the others, see source_recording(); NULL: none
 * @err: says what failed
 *
 * Context: before the first access of @source is read. Its close() frees what it touches.
 *
 * Return: 0 or a negative errno.
 */
int source_touch(struct source *source, struct source *again, const char *first,
		 struct htmm_error *err);

#endif /* SIM_SOURCE_H */
