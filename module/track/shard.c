// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "base/alloc.h"
#include "core/evict.h"
#include "core/shrink.h"
#include "shard.h"

/* Directory entries that a reader visits before it lets others in again. */
#define HTMM_LIST_SLICE		256
/* Hash chains that it visits instead, where it takes all that it visits. */
#define HTMM_EXPORT_SLICE	4096
/* A reader leaves the lock alone for so many times as long as it has held it, */
#define HTMM_LIST_PAUSE			47
/* but not longer than this, in microseconds: it may have lost its CPU meanwhile. */
#define HTMM_LIST_MAX_PAUSE		10000
/* Directory entries that a drain thread tidies up between two batches. */
#define HTMM_TIDY_SLICE		256

/**
 * htmm_shard_init - make an empty table
 * @shard: zeroed
 * @limits: the table's
 * @node: NUMA node of the directory, if that is large
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL for limits no table can have, or -ENOMEM.
 */
int htmm_shard_init(struct htmm_shard *shard,
		    const struct htmm_table_config *limits, int node)
{
	size_t bytes = htmm_table_dir_bytes(limits);
	int ret;

	if (!bytes)
		return -EINVAL;
	/*
	 * No more than it takes: kvmalloc_node() rounds what is not large up to a power
	 * of two, and what rounds nothing up takes no node.
	 */
	if (bytes > KMALLOC_MAX_SIZE)
		shard->directory = kvmalloc_node(bytes, HTMM_GFP | __GFP_ZERO, node);
	else
		shard->directory = __vmalloc(bytes, HTMM_GFP | __GFP_ZERO);
	if (!shard->directory)
		return -ENOMEM;
	htmm_pool_init(&shard->pool);
	ret = htmm_table_init(&shard->table, limits, shard->directory,
			      &shard->pool);
	if (ret)
		goto err_directory;
	htmm_pages_init(&shard->pages);
	mutex_init(&shard->lock);
	return 0;

err_directory:
	kvfree(shard->directory);
	return ret;
}

/**
 * htmm_shard_destroy - free a table
 * @shard: the table, used by nobody any more
 *
 * Context: process, may sleep.
 */
void htmm_shard_destroy(struct htmm_shard *shard)
{
	htmm_pages_free(&shard->pages);
	kvfree(shard->directory);
	mutex_destroy(&shard->lock);
}

/*
 * What the samples may take, but never more than the table's limit, which its directory
 * is made for. What cannot be had shows as pages evicted or samples refused.
 */
static void htmm_shard_supply(struct htmm_shard *shard, u32 n,
			      struct htmm_pages *spares)
{
	u32 need = htmm_table_need(&shard->table, n);
	void *page;

	lockdep_assert_held(&shard->lock);

	while (need--) {
		page = htmm_pages_move(&shard->pages, spares);
		if (!page)
			break;
		htmm_pool_put(&shard->pool, page);
	}
}

/**
 * htmm_shard_add - count samples
 * @shard: the table
 * @samples: samples that belong to this shard
 * @n: elements in @samples
 * @spares: the caller's pages, of which the table takes what it needs
 * @refused: room for @n; set to the indices of those that were not counted
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 * Return: how many were not counted.
 */
u32 htmm_shard_add(struct htmm_shard *shard,
		   const struct htmm_table_sample *samples, u32 n,
		   struct htmm_pages *spares, u32 *refused)
{
	u32 lost;

	mutex_lock(&shard->lock);
	htmm_shard_supply(shard, n, spares);
	lost = htmm_table_add(&shard->table, samples, n, refused);
	mutex_unlock(&shard->lock);
	return lost;
}

/**
 * htmm_shard_cool - halve every count
 * @shard: the table
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_cool(struct htmm_shard *shard)
{
	mutex_lock(&shard->lock);
	htmm_table_cool(&shard->table);
	mutex_unlock(&shard->lock);
}

/**
 * htmm_shard_reclaim - forget some pages that have cooled to zero
 * @shard: the table
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 * Return: true if there is more to visit.
 */
bool htmm_shard_reclaim(struct htmm_shard *shard)
{
	bool more;

	mutex_lock(&shard->lock);
	more = htmm_table_reclaim(&shard->table, HTMM_TIDY_SLICE);
	mutex_unlock(&shard->lock);
	return more;
}

/**
 * htmm_shard_shrink - give memory back: what is cold goes first
 * @shard: the table
 * @nr: pages that are wanted
 *
 * Context: process, within any allocation of memory that may sleep: does nothing if the
 * table is at work.
 * Return: pages that were given back, HTMM_SHRINK_PAGES at most.
 */
u32 htmm_shard_shrink(struct htmm_shard *shard, u32 nr)
{
	void *page[HTMM_SHRINK_PAGES];
	struct htmm_pages freed;
	u32 i, n;

	if (!mutex_trylock(&shard->lock))
		return 0;
	htmm_pages_init(&freed);
	n = htmm_table_shrink(&shard->table, page, nr);
	for (i = 0; i < n; i++)
		htmm_pages_take(&freed, &shard->pages, page[i]);
	mutex_unlock(&shard->lock);
	htmm_pages_free(&freed);
	return n;
}

/**
 * htmm_shard_forget - forget some pages of an address space
 * @shard: the table
 * @mm: number of the address space, of which no sample is added any more
 * @first: this is the first step
 *
 * Context: a drain thread, the same one for each step; may sleep. Takes
 * @shard->lock.
 * Return: true when nothing of the address space is left.
 */
bool htmm_shard_forget(struct htmm_shard *shard, u32 mm, bool first)
{
	bool more;
	u64 before;

	mutex_lock(&shard->lock);
	before = shard->table.pages;
	more = htmm_table_remove_mm(&shard->table, mm, first,
				    HTMM_TIDY_SLICE);
	shard->exited += before - shard->table.pages;
	mutex_unlock(&shard->lock);
	return !more;
}

/**
 * htmm_shard_get_hist - add a histogram to a sum
 * @shard: the table
 * @kind: of base pages or of regions
 * @sum: grows by it
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_get_hist(struct htmm_shard *shard, enum htmm_kind kind,
			 struct htmm_hist *sum)
{
	struct htmm_hist hist;

	mutex_lock(&shard->lock);
	htmm_table_hist(&shard->table, kind, &hist);
	mutex_unlock(&shard->lock);
	htmm_hist_merge(sum, &hist);
}

/**
 * htmm_shard_get_stats - add totals to a sum
 * @shard: the table
 * @sum: grows by the table's totals
 * @exited: grows by the pages that left because their process was gone
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_get_stats(struct htmm_shard *shard,
			  struct htmm_table_stats *sum, u64 *exited)
{
	struct htmm_table_stats stats;

	mutex_lock(&shard->lock);
	htmm_table_get_stats(&shard->table, &stats);
	*exited += shard->exited;
	mutex_unlock(&shard->lock);
	htmm_table_stats_merge(sum, &stats);
}

/*
 * Between two slices of a reader's walk, the first of which began at @since
 * nanoseconds. A reader that came back at once would have the lock as often as
 * a drain thread, and a slice takes longer than a batch: the thread would mostly wait.
 * And what is walked over leaves its cache. Returns when the next slice begins.
 */
static u64 htmm_shard_pause(struct htmm_shard *shard, u64 since)
{
	u64 pause;

	mutex_unlock(&shard->lock);
	pause = (ktime_get_ns() - since) * HTMM_LIST_PAUSE / NSEC_PER_USEC;
	pause = clamp_t(u64, pause, 1, HTMM_LIST_MAX_PAUSE);
	usleep_range(pause, pause + pause / 4);
	mutex_lock(&shard->lock);
	return ktime_get_ns();
}

/**
 * htmm_shard_scan - let a listing walk over a table
 * @shard: the table
 * @list: the listing
 *
 * Drain threads go on working: the lock is given up between slices of the table, and
 * held for one part in 48 of the time at most.
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_scan(struct htmm_shard *shard, struct htmm_topn *list)
{
	u64 since;

	mutex_lock(&shard->lock);
	since = ktime_get_ns();
	htmm_topn_begin(list, &shard->table);
	/* Who is killed never sees the list. */
	while (htmm_topn_scan(list, &shard->table, HTMM_LIST_SLICE) &&
	       !fatal_signal_pending(current))
		since = htmm_shard_pause(shard, since);
	mutex_unlock(&shard->lock);
}

/**
 * htmm_shard_get_hits - add the counts of all pages to a sum
 * @shard: the table
 * @kind: of base pages or of regions
 * @sum: grows by them
 *
 * Drain threads go on working, as during a listing.
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_get_hits(struct htmm_shard *shard, enum htmm_kind kind,
			 struct htmm_hits *sum)
{
	u64 since;
	u32 pos = 0;

	mutex_lock(&shard->lock);
	since = ktime_get_ns();
	/* Who is killed never sees the sum. */
	while (htmm_hits_scan(sum, &shard->table, kind, &pos, HTMM_LIST_SLICE) &&
	       !fatal_signal_pending(current))
		since = htmm_shard_pause(shard, since);
	mutex_unlock(&shard->lock);
}

/**
 * htmm_shard_export - let a full listing go on with a table
 * @shard: the table
 * @export: the listing, which has room
 * @after: go on after this entry; NULL: from the beginning
 *
 * The lock is given up between slices, as by htmm_shard_scan().
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_export(struct htmm_shard *shard, struct htmm_export *export,
		       const struct htmm_topn_entry *after)
{
	u64 since;

	mutex_lock(&shard->lock);
	since = ktime_get_ns();
	htmm_export_begin(export, &shard->table, after);
	while (htmm_export_scan(export, &shard->table, HTMM_EXPORT_SLICE) &&
	       !fatal_signal_pending(current))
		since = htmm_shard_pause(shard, since);
	mutex_unlock(&shard->lock);
}
