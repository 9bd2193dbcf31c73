/* SPDX-License-Identifier: GPL-2.0 */
/* How many pages have each count: all that a hit ratio is computed from, in little memory. */
#ifndef HTMMCTL_TALLY_H
#define HTMMCTL_TALLY_H

#include <stddef.h>
#include <linux/types.h>

/* Pages with a count below are only numbered; there are few with more. */
#define TALLY_EXACT	4096

/**
 * struct tally - the counts of some pages
 * @samples: their sum
 * @nr: pages that have a count
 * @pages: how many have each count; none has 0
 * @large: the counts of the others
 * @nr_large: how many there are
 *
 * All zero at first.
 */
struct tally {
	__u64 samples;
	__u64 nr;
	__u64 pages[TALLY_EXACT];
	__u32 *large;
	size_t nr_large;

	/* private: */
	size_t room;
};

/* Adds a page. @count: its count; nothing is added if it is 0. Returns 0 or -ENOMEM. */
int tally_add(struct tally *tally, __u32 count);

/* Frees what it has. @tally is all zero afterwards. */
void tally_free(struct tally *tally);

#endif /* HTMMCTL_TALLY_H */
