// SPDX-License-Identifier: GPL-2.0
/* Processes that have gone leave the tables of a target, with their pages. */
#include "tracker.h"

/* Address spaces that are checked for their end between two batches. */
#define HTMM_TIDY_MMS	64

/*
 * Looks for an address space that has come to its end. Its samples are dropped from
 * the moment that it is found, and when the lock is had, those looked up before
 * are in the tables: nothing is added any more when a shard begins to forget it.
 */
static bool htmm_tracker_find_exiting(struct htmm_tracker *tracker)
{
	struct htmm_mm *mm;

	mutex_lock(&tracker->mm_lock);
	mm = htmm_mm_set_find_gone(&tracker->mm_set, HTMM_TIDY_MMS);
	mutex_unlock(&tracker->mm_lock);
	if (!mm)
		return false;

	if (!tracker->config.keep_exited) {
		down_write(&tracker->lock);
		tracker->exiting = mm;
		up_write(&tracker->lock);
		tracker->exiting_shard = 0;
		tracker->exiting_first = true;
	}
	/* Where one has gone there may be more. */
	return true;
}

/* All shards have forgotten the address space. */
static void htmm_tracker_left(struct htmm_tracker *tracker)
{
	down_write(&tracker->lock);
	mutex_lock(&tracker->mm_lock);
	htmm_mm_set_remove(&tracker->mm_set, tracker->exiting);
	mutex_unlock(&tracker->mm_lock);
	tracker->exiting = NULL;
	up_write(&tracker->lock);
}

/* Removes some pages of the address space that leaves, one shard after the other. */
static void htmm_tracker_forget_some(struct htmm_tracker *tracker)
{
	struct htmm_shard *shard = &tracker->shards[tracker->exiting_shard];

	tracker->exiting_first = htmm_shard_forget(shard, tracker->exiting->id,
						   tracker->exiting_first);
	if (!tracker->exiting_first)
		return;
	if (++tracker->exiting_shard == tracker->config.shards)
		htmm_tracker_left(tracker);
}

/**
 * htmm_tracker_reap - one step towards being rid of processes that have gone
 * @tracker: the tables
 *
 * All by one thread: another one may be asleep for long.
 *
 * Context: the first drain thread; may sleep. Takes @tracker->lock.
 * Return: true if there is more to do.
 */
bool htmm_tracker_reap(struct htmm_tracker *tracker)
{
	if (!tracker->exiting)
		return htmm_tracker_find_exiting(tracker);
	htmm_tracker_forget_some(tracker);
	return true;
}
