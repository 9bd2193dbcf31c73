/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for the mappings of a report that are the same in another run of its programs, in which
 * all addresses are others.
 *
 * Files and memory with a name have that name. Anonymous memory that begins where a file ends is
 * that file's bss. Else it is called by its size and by the next mapping above it that has a name,
 * as the kernel maps one range below the other, and by a number if there are several.
 */
#ifndef DIFF_AREAS_H
#define DIFF_AREAS_H

#include "report/report.h"

/**
 * struct area - a mapping
 * @comm: name of its process
 * @name: its name, the same in each run
 * @above: of anonymous memory, name of the next mapping above; else NULL
 * @order: of anonymous memory, how many others are between it and @above
 * @whole: there are no offsets that mean the same in each run
 * @start: address of its first byte
 * @bytes: to its last byte that had samples, or to its end
 * @pages: its pages that have samples
 */
struct area {
	const char *comm;
	char *name;
	const char *above;
	__u32 order;
	bool whole;
	__u64 start;
	__u64 bytes;
	__u64 pages;
};

/**
 * struct areas - the mappings of a report
 * @area: those that had samples, by their number
 * @nr: how many there are
 * @names: private: of all anonymous memory, also of that without samples
 */
struct areas {
	struct area *area;
	__u32 nr;
	struct idmap names;
};

/* Names all mappings of a finished report. Returns 0 or -ENOMEM. */
int areas_make(struct areas *areas, const struct report *report);

/* Is there anonymous memory of the same name as @area, which may be another report's? */
bool areas_have(const struct areas *areas, const struct area *area);

void areas_free(struct areas *areas);

#endif /* DIFF_AREAS_H */
