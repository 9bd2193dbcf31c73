// SPDX-License-Identifier: GPL-2.0
/* Processes that have gone leave the tables of a target, with their pages. */
#include "tracker.h"

/* Address spaces that are checked for their end between two batches. */
#define HTMM_TIDY_SPACES	64

/*
 * Looks for an address space that has come to its end. Its samples are dropped from
 * the moment that it is found, and when the lock is had, those looked up before
 * are in the tables: nothing is added any more when a shard begins to forget it.
 */
static bool htmm_hotness_find_leaving(struct htmm_hotness *hotness)
{
	struct htmm_space *space;

	mutex_lock(&hotness->spaces_lock);
	space = htmm_spaces_find_gone(&hotness->spaces, HTMM_TIDY_SPACES);
	mutex_unlock(&hotness->spaces_lock);
	if (!space)
		return false;

	if (!hotness->config.keep_exited) {
		down_write(&hotness->lock);
		hotness->leaving = space;
		up_write(&hotness->lock);
		hotness->leaving_shard = 0;
		hotness->leaving_first = true;
	}
	/* Where one has gone there may be more. */
	return true;
}

/* All shards have forgotten the address space. */
static void htmm_hotness_left(struct htmm_hotness *hotness)
{
	down_write(&hotness->lock);
	mutex_lock(&hotness->spaces_lock);
	htmm_spaces_remove(&hotness->spaces, hotness->leaving);
	mutex_unlock(&hotness->spaces_lock);
	hotness->leaving = NULL;
	up_write(&hotness->lock);
}

/* Removes some pages of the address space that leaves, one shard after the other. */
static void htmm_hotness_forget_some(struct htmm_hotness *hotness)
{
	struct htmm_shard *shard = &hotness->shards[hotness->leaving_shard];

	hotness->leaving_first = htmm_shard_forget(shard, hotness->leaving->id,
						   hotness->leaving_first);
	if (!hotness->leaving_first)
		return;
	if (++hotness->leaving_shard == hotness->config.shards)
		htmm_hotness_left(hotness);
}

/**
 * htmm_hotness_part_ways - one step towards being rid of processes that have gone
 * @hotness: the tables
 *
 * All by one thread: another one may be asleep for long.
 *
 * Context: the first drain thread; may sleep. Takes @hotness->lock.
 * Return: true if there is more to do.
 */
bool htmm_hotness_part_ways(struct htmm_hotness *hotness)
{
	if (!hotness->leaving)
		return htmm_hotness_find_leaving(hotness);
	htmm_hotness_forget_some(hotness);
	return true;
}
