// SPDX-License-Identifier: GPL-2.0
/* Reap exited processes: remove their pages from the tables of a target. */
#include <linux/sched.h>
#include "tracker.h"

/* Address spaces checked for an exited process between two batches. */
#define HTMM_TIDY_MMS	64
/* Factor by which more are checked when there is no room for another one. */
#define HTMM_ROOM_LOOKS		16

/* All shards have removed the address space's pages: remove the address space. */
static void htmm_tracker_left(struct htmm_tracker *tracker)
{
	mutex_lock(&tracker->mm_lock);
	htmm_mm_set_remove(&tracker->mm_set, tracker->exiting);
	mutex_unlock(&tracker->mm_lock);
	tracker->exiting = NULL;
}

/*
 * Find an address space whose process has exited. From then on its samples are dropped.
 * Taking the lock for writing waits until the samples looked up before are in the tables:
 * an address space that seemed to be empty may have pages then, and nothing is added after
 * a shard has begun to remove its pages.
 */
static bool htmm_tracker_find_exiting(struct htmm_tracker *tracker)
{
	struct htmm_mm *mm;

	lockdep_assert_held(&tracker->exit_lock);

	mutex_lock(&tracker->mm_lock);
	mm = htmm_mm_set_find_gone(&tracker->mm_set, HTMM_TIDY_MMS);
	mutex_unlock(&tracker->mm_lock);
	if (!mm)
		return false;

	down_write(&tracker->lock);
	mm->exiting = htmm_mm_set_forgets(&tracker->mm_set, mm);
	up_write(&tracker->lock);
	if (!mm->exiting)
		return false;
	tracker->exiting = mm;
	tracker->exiting_shard = 0;
	tracker->exiting_first = true;
	if (!atomic_read(&mm->regions))
		htmm_tracker_left(tracker);
	return true;
}

/* Remove some pages of the exiting address space, one shard after the other. */
static void htmm_tracker_forget_some(struct htmm_tracker *tracker)
{
	struct htmm_shard *shard = &tracker->shards[tracker->exiting_shard];

	lockdep_assert_held(&tracker->exit_lock);

	tracker->exiting_first = htmm_shard_forget(shard, tracker->exiting->id,
						   tracker->exiting_first);
	if (!tracker->exiting_first)
		return;
	if (++tracker->exiting_shard == tracker->nr_shards)
		htmm_tracker_left(tracker);
}

/**
 * htmm_tracker_reap - reap exited processes, one bounded step
 * @tracker: the tables
 *
 * Context: a drain thread; may sleep. Takes @tracker->exit_lock and @tracker->lock.
 * Return: true if there is more to do.
 */
bool htmm_tracker_reap(struct htmm_tracker *tracker)
{
	bool more = true;

	mutex_lock(&tracker->exit_lock);
	if (tracker->exiting)
		htmm_tracker_forget_some(tracker);
	else
		/* If one has exited there may be more. */
		more = htmm_tracker_find_exiting(tracker);
	mutex_unlock(&tracker->exit_lock);
	return more;
}

/**
 * htmm_tracker_make_room - remove an address space to make room for a new one
 * @tracker: the tables
 *
 * Not bounded: removes all its pages.
 *
 * Context: a drain thread; may sleep. Takes @tracker->exit_lock and @tracker->lock.
 * Return: false if no process of those looked at has exited.
 */
bool htmm_tracker_make_room(struct htmm_tracker *tracker)
{
	bool found;
	int looks;

	mutex_lock(&tracker->exit_lock);
	found = tracker->exiting;
	for (looks = 0; !found && looks < HTMM_ROOM_LOOKS; looks++)
		found = htmm_tracker_find_exiting(tracker);
	while (tracker->exiting) {
		htmm_tracker_forget_some(tracker);
		cond_resched();
	}
	mutex_unlock(&tracker->exit_lock);
	return found;
}
