/* SPDX-License-Identifier: GPL-2.0 */
/* Moves pages of processes between nodes. */
#ifndef TIER_MOVER_H
#define TIER_MOVER_H

#include "bindings.h"
#include "home.h"
#include "policy/policy.h"
#include "tiers.h"

/**
 * enum refusal - why a page was not moved
 * @REFUSED_GONE: its process has exited
 * @REFUSED_ABSENT: it is not in memory any more
 * @REFUSED_SHARED: several processes map it
 * @REFUSED_BUSY: it is in use by the kernel or by I/O, or locked
 * @REFUSED_FULL: the node has no free memory
 * @REFUSED_FORBIDDEN: no permission, or the process may not use the node, or has bound the
 *	page to others
 * @REFUSED_OTHER: another error
 * @NR_REFUSALS: number of reasons
 */
enum refusal {
	REFUSED_GONE,
	REFUSED_ABSENT,
	REFUSED_SHARED,
	REFUSED_BUSY,
	REFUSED_FULL,
	REFUSED_FORBIDDEN,
	REFUSED_OTHER,
	NR_REFUSALS,
};

/**
 * struct mover - moves pages, and counts what became of them
 * @tiers: where to
 * @shared: move pages that several processes map, too
 * @bound: move pages to nodes to which their process has not bound them, too
 * @bindings: to which nodes pages are bound
 * @homes: which nodes are near to processes
 * @demoted: pages of 4 KiB that were demoted
 * @promoted: pages of 4 KiB that were promoted
 * @refused: pages of 4 KiB that were not moved, by reason, each once
 * @ns: time that the moves took
 */
struct mover {
	const struct tiers *tiers;
	bool shared;
	bool bound;
	struct bindings bindings;
	struct homes homes;
	__u64 demoted;
	__u64 promoted;
	__u64 refused[NR_REFUSALS];
	__u64 ns;
};

/**
 * mover_open() - learn where pages can go
 * @mover: its options may be set, all else is zero
 * @tiers: where to
 */
void mover_open(struct mover *mover, const struct tiers *tiers);

/**
 * mover_move() - move pages in one direction
 * @mover: counts are added to
 * @policy: learns which pages could not be moved, and what the moves have cost
 * @moves: the moves, by process and address
 * @nr: how many
 */
void mover_move(struct mover *mover, struct policy *policy, const struct policy_move *moves,
		size_t nr);

/**
 * mover_close() - free the memory
 * @mover: the mover
 */
void mover_close(struct mover *mover);

/**
 * refusal_name() - the name of a reason
 * @refusal: the reason
 *
 * Return: a word.
 */
const char *refusal_name(enum refusal refusal);

#endif /* TIER_MOVER_H */
