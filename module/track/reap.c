// SPDX-License-Identifier: GPL-2.0
/* Reap exited processes: remove their pages from the table of a target. */
#include <linux/sched.h>
#include "target.h"

/* Address spaces checked for an exited process between two batches. */
#define HTMM_TIDY_SPACES	64
/* Factor by which more are checked when there is no room for another one. */
#define HTMM_ROOM_LOOKS		16

/* Find an address space whose process has exited. From then on its samples are dropped. */
static bool htmm_target_find_exiting(struct htmm_target_table *target)
{
	struct htmm_space *space = htmm_space_set_find_gone(&target->spaces, HTMM_TIDY_SPACES);

	if (!space)
		return false;
	space->exiting = true;
	target->exiting = space;
	target->exiting_first = true;
	return true;
}

/* Remove some pages of the exiting address space, and in the end the address space. */
static void htmm_target_forget_some(struct htmm_target_table *target)
{
	u64 before = target->table.stats.pages;
	bool more = target->exiting->regions &&
		    htmm_table_remove_space(&target->table, target->exiting->id,
					    target->exiting_first, HTMM_TIDY_SLICE);

	target->stats[HTMM_STAT_EXITED] += before - target->table.stats.pages;
	target->exiting_first = false;
	if (more)
		return;
	htmm_space_set_remove(&target->spaces, target->exiting);
	target->exiting = NULL;
}

/* Reap exited processes, in a bounded step. Returns true if there is more to do. */
bool htmm_target_reap(struct htmm_target_table *target)
{
	lockdep_assert_held(target->lock);

	if (!target->exiting && !htmm_target_find_exiting(target))
		return false;
	htmm_target_forget_some(target);
	/* If one has exited there may be more. */
	return true;
}

/*
 * Remove an address space with all its pages to make room for a new one. May sleep. Returns
 * false if no process of those looked at has exited.
 */
bool htmm_target_make_room(struct htmm_target_table *target)
{
	int looks = 0;

	while (!target->exiting && !htmm_target_find_exiting(target))
		if (++looks == HTMM_ROOM_LOOKS)
			return false;
	while (target->exiting) {
		htmm_target_forget_some(target);
		cond_resched();
	}
	return true;
}
