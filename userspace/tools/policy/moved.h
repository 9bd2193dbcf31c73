/* SPDX-License-Identifier: GPL-2.0 */
/* Recent moves: for a time a page is not moved back, nor tried again if it could not be moved. */
#ifndef POLICY_MOVED_H
#define POLICY_MOVED_H

#include "policy.h"
#include "units.h"

/* Places of pages that are remembered. */
#define MOVED_ROOM	65536

/**
 * struct moved - a move that was planned
 * @hash: of the unit's place
 * @seconds: when
 * @promoted: the direction
 * @refused: it could not be moved
 * @before: it could not be moved at an earlier look
 */
struct moved {
	__u64 hash;
	float seconds;
	bool promoted;
	bool refused;
	bool before;
};

/**
 * moved_note() - remember a move
 * @moved: MOVED_ROOM elements, a hash table
 * @move: the move
 * @seconds: the time
 * @refused: it could not be made
 *
 * Return: true if it was never refused.
 */
bool moved_note(struct moved *moved, const struct policy_move *move, double seconds,
		bool refused);

/* The last move of a unit; NULL if there was none not long ago. */
const struct moved *moved_find(const struct moved *moved, const struct unit *unit,
			       double seconds);

/* Was a unit moved the other way not long ago? */
bool moved_back(const struct moved *moved, const struct unit *unit, double seconds);

#endif /* POLICY_MOVED_H */
