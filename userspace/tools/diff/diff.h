/* SPDX-License-Identifier: GPL-2.0 */
/* Two reports and what differs between them, for all formats. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include <json.h>
#include "changes.h"

/* The capacity that is compared is for this hit ratio. */
#define DIFF_HIT	0.95

/**
 * struct diff - two reports and what differs between them
 * @loaded: the reports
 * @session: number of a live session; 0: a file
 * @capacity: bytes of the fast tier, if they were given; else 0
 * @most: the shares of a place differ if one is more than this many times the other
 * @places: what was compared
 * @changes: what differs of the mappings
 * @need: the capacity for the hit ratio, by recording
 * @max: lines of each list; 0: all
 */
struct diff {
	struct loaded loaded[SIDES];
	__u64 session[SIDES];
	__u64 capacity;
	double most;
	struct places places;
	struct changes changes;
	struct curve_need need[SIDES];
	unsigned int max;
};

/* Do the bounds of the capacities exclude that they are the same, but for the margin? */
static inline bool diff_needs(const struct diff *diff)
{
	const struct curve_need *a = &diff->need[A], *b = &diff->need[B];

	return (a->high && b->low > diff->most * a->high) ||
	       (b->high && a->low > diff->most * b->high);
}

void diff_print(FILE *file, const struct diff *diff);
void diff_print_json(FILE *file, const struct diff *diff);

#endif /* DIFF_DIFF_H */
