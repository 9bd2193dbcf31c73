// SPDX-License-Identifier: GPL-2.0
#include "moved.h"

/* For how many seconds a move is remembered. */
#define MOVED_S		2.5

bool moved_note(struct moved *moved, const struct policy_move *move, double seconds,
		bool refused)
{
	const struct unit unit = {
		.addr = move->addr, .space = move->space, .target = move->target,
		.pages = move->pages,
	};
	__u64 hash = unit_hash(&unit);
	bool before;

	moved += hash % MOVED_ROOM;
	before = moved->hash == hash && (moved->refused || moved->before);
	*moved = (struct moved) {
		.hash = hash, .seconds = seconds, .promoted = move->promote,
		.refused = refused, .before = before,
	};
	return !before;
}

const struct moved *moved_find(const struct moved *moved, const struct unit *unit,
			       double seconds)
{
	__u64 hash = unit_hash(unit);

	moved += hash % MOVED_ROOM;
	return moved->hash == hash && seconds - moved->seconds <= MOVED_S ? moved : NULL;
}

bool moved_back(const struct moved *moved, const struct unit *unit, double seconds)
{
	const struct moved *last = moved_find(moved, unit, seconds);

	return last && last->promoted == unit->fast;
}
