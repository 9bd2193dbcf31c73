// SPDX-License-Identifier: GPL-2.0
/* Reap exited processes: remove their pages from the table of a target. */
#include <linux/sched.h>
#include "tracker.h"

/* Address spaces checked for an exited process between two batches. */
#define HTMM_TIDY_MMS	64
/* Factor by which more are checked when there is no room for another one. */
#define HTMM_ROOM_LOOKS		16

/* Find an address space whose process has exited. From then on its samples are dropped. */
static bool htmm_tracker_find_exiting(struct htmm_tracker *tracker)
{
	struct htmm_mm *mm = htmm_mm_set_find_gone(&tracker->mm_set, HTMM_TIDY_MMS);

	if (!mm)
		return false;
	mm->exiting = true;
	tracker->exiting = mm;
	tracker->exiting_first = true;
	return true;
}

/* Remove some pages of the exiting address space, and in the end the address space. */
static void htmm_tracker_forget_some(struct htmm_tracker *tracker)
{
	u64 before = tracker->table.stats.pages;
	bool more = tracker->exiting->regions &&
		    htmm_table_remove_mm(&tracker->table, tracker->exiting->id,
					 tracker->exiting_first, HTMM_TIDY_SLICE);

	tracker->stats.exited += before - tracker->table.stats.pages;
	tracker->exiting_first = false;
	if (more)
		return;
	htmm_mm_set_remove(&tracker->mm_set, tracker->exiting);
	tracker->exiting = NULL;
}

/* Reap exited processes, in a bounded step. Returns true if there is more to do. */
bool htmm_tracker_reap(struct htmm_tracker *tracker)
{
	lockdep_assert_held(tracker->lock);

	if (!tracker->exiting && !htmm_tracker_find_exiting(tracker))
		return false;
	htmm_tracker_forget_some(tracker);
	/* If one has exited there may be more. */
	return true;
}

/*
 * Remove an address space with all its pages to make room for a new one. May sleep. Returns
 * false if no process of those looked at has exited.
 */
bool htmm_tracker_make_room(struct htmm_tracker *tracker)
{
	int looks = 0;

	while (!tracker->exiting && !htmm_tracker_find_exiting(tracker))
		if (++looks == HTMM_ROOM_LOOKS)
			return false;
	while (tracker->exiting) {
		htmm_tracker_forget_some(tracker);
		cond_resched();
	}
	return true;
}
