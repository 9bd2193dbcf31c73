/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between two recordings, in as few lines as possible: ranges, and what has moved. */
#ifndef DIFF_CHANGES_H
#define DIFF_CHANGES_H

#include "places.h"

/**
 * struct range - neighbouring parts of a mapping that have changed in the same direction
 * @mapping: the mapping
 * @start: the first byte, from that of the mapping
 * @end: the first byte after it
 * @whole: it is all of the mapping that has samples
 * @share: its share of the samples, by recording
 * @pages: pages that have samples
 */
struct range {
	const struct place *mapping;
	__u64 start;
	__u64 end;
	bool whole;
	double share[SIDES];
	__u64 pages[SIDES];
};

enum change_kind { CHANGE_HOT, CHANGE_COLD, CHANGE_MOVED };

/**
 * struct change - a difference
 * @kind: the place became hot or cold; or what was there is at another one
 * @at: the place
 * @to: where it has moved
 * @taken: private: it is the @to of another
 */
struct change {
	enum change_kind kind;
	struct range at;
	struct range to;
	bool taken;
};

/**
 * struct changes - all differences of mappings, the largest first
 * @change: the differences
 * @nr: how many there are
 */
struct changes {
	struct change *change;
	size_t nr;

	/* private: */
	size_t room;
};

/* How much of all samples it is about. */
double change_size(const struct change *change);

/**
 * changes_make() - find what differs
 * @changes: filled; free it with changes_free()
 * @places: what was compared; must exist as long
 * @most: as for places_make()
 *
 * Return: 0 or -ENOMEM.
 */
int changes_make(struct changes *changes, const struct places *places, double most);

void changes_free(struct changes *changes);

#endif /* DIFF_CHANGES_H */
