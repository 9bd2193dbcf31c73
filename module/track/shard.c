// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "base/alloc.h"
#include "shard.h"

/* Hash chains that a reader visits before it releases the lock: up to 256 regions. */
#define HTMM_LIST_SLICE		(256 * HTMM_SCAN_REGION)
/* A reader then waits this many times as long as it held the lock, */
#define HTMM_LIST_PAUSE			47
/* but at most this long, in microseconds: it may have been preempted with the lock held. */
#define HTMM_LIST_MAX_PAUSE		10000
/* Directory entries that a drain thread visits for housekeeping between two batches. */
#define HTMM_TIDY_SLICE		256

/**
 * htmm_shard_init - create an empty table
 * @shard: zeroed
 * @limits: the table's
 * @node: NUMA node of the directory, if it is large
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL for invalid limits, or -ENOMEM.
 */
int htmm_shard_init(struct htmm_shard *shard,
		    const struct htmm_table_config *limits, int node)
{
	size_t bytes = htmm_table_dir_bytes(limits);
	int ret;

	if (!bytes)
		return -EINVAL;
	/*
	 * Do not waste memory: kvmalloc_node() rounds small sizes up to a power of two, and
	 * __vmalloc(), which does not, has no node argument.
	 */
	if (bytes > KMALLOC_MAX_SIZE)
		shard->directory = kvmalloc_node(bytes, HTMM_GFP | __GFP_ZERO, node);
	else
		shard->directory = __vmalloc(bytes, HTMM_GFP | __GFP_ZERO);
	if (!shard->directory)
		return -ENOMEM;
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
 * @shard: the table, which has no users any more
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
 * Give the pool the pages that the samples may need, but never more than the table's limit,
 * for which the directory is sized. If there is no memory, pages are evicted or samples
 * refused.
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
 * @spares: the caller's spare pages; the table takes what it needs
 * @refused: array of @n; set to the indices of samples that were not counted
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 * Return: number of samples that were not counted.
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
 * htmm_shard_reclaim - free some memory of what has cooled to zero
 * @shard: the table
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 * Return: true if there are more regions to visit.
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
 * htmm_shard_unused - count the pages that htmm_shard_shrink() could give back
 * @shard: the table
 *
 * Context: any.
 * Return: the approximate number.
 */
u32 htmm_shard_unused(const struct htmm_shard *shard)
{
	/* The number may change at any time; an estimate is enough. */
	return data_race(htmm_table_unused(&shard->table));
}

/**
 * htmm_shard_shrink - give unused memory back
 * @shard: the table
 * @nr: number of pages wanted
 *
 * Context: process, in any memory allocation that may sleep. Takes @shard->lock if nobody
 * holds it: who allocates does not wait for a drain thread or a reader.
 * Return: number of pages given back, at most HTMM_SHRINK_PAGES; 0 if the lock is held.
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
 * @mm: number of the address space; no more samples of it are added
 * @first: this is the first step
 *
 * Context: a drain thread, the same one for each step; may sleep. Takes
 * @shard->lock.
 * Return: true when no page of the address space is left.
 */
bool htmm_shard_forget(struct htmm_shard *shard, u32 mm, bool first)
{
	bool more;
	u64 before;

	mutex_lock(&shard->lock);
	before = shard->table.stats.pages;
	more = htmm_table_remove_mm(&shard->table, mm, first,
				    HTMM_TIDY_SLICE);
	shard->exited += before - shard->table.stats.pages;
	mutex_unlock(&shard->lock);
	return !more;
}

/**
 * htmm_shard_visit - find the next region of a walk over a table
 * @shard: the table
 * @scan: the walk
 * @budget: as for htmm_scan_next()
 * @page: set to the region's first page
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 * Return: false if @budget is used up, or at the end.
 */
bool htmm_shard_visit(struct htmm_shard *shard, struct htmm_scan *scan, u32 *budget,
		      u64 *page)
{
	const struct htmm_region *found;

	mutex_lock(&shard->lock);
	found = htmm_scan_next(scan, &shard->table, budget);
	if (found)
		*page = found->key << HTMM_REGION_ORDER;
	mutex_unlock(&shard->lock);
	return found;
}

/**
 * htmm_shard_sum_pages - the counts of some pages of a region together
 * @shard: the table that they belong to
 * @page: any page of the region
 * @pages: as for htmm_table_sum()
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
u64 htmm_shard_sum_pages(struct htmm_shard *shard, u64 page, u64 *pages)
{
	u64 sum;

	mutex_lock(&shard->lock);
	sum = htmm_table_sum(&shard->table, page, pages);
	mutex_unlock(&shard->lock);
	return sum;
}

/**
 * htmm_shard_free_pages - forget pages whose memory was freed
 * @shard: the table that they belong to
 * @page: the first page of their region
 * @pages: as for htmm_table_forget()
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 */
void htmm_shard_free_pages(struct htmm_shard *shard, u64 page, const u64 *pages)
{
	mutex_lock(&shard->lock);
	shard->freed += htmm_table_forget(&shard->table, page, pages);
	mutex_unlock(&shard->lock);
}

/**
 * htmm_shard_get_hist - add a histogram to a sum
 * @shard: the table
 * @kind: of base pages or of regions
 * @sum: the histogram is added
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_get_hist(struct htmm_shard *shard, enum htmm_kind kind,
			 struct htmm_hist *sum)
{
	struct htmm_hist hist;

	mutex_lock(&shard->lock);
	hist = shard->table.hist[kind];
	mutex_unlock(&shard->lock);
	htmm_hist_merge(sum, &hist);
}

/**
 * htmm_shard_get_stats - add totals to a sum
 * @shard: the table
 * @sum: the table's totals are added
 * @exited: pages removed because their process had exited are added
 * @freed: pages removed because their memory was freed are added
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_get_stats(struct htmm_shard *shard,
			  struct htmm_table_stats *sum, u64 *exited, u64 *freed)
{
	struct htmm_table_stats stats;

	mutex_lock(&shard->lock);
	htmm_table_get_stats(&shard->table, &stats);
	*exited += shard->exited;
	*freed += shard->freed;
	mutex_unlock(&shard->lock);
	htmm_table_stats_merge(sum, &stats);
}

/*
 * Pause a reader between two slices; the previous one began at @since nanoseconds. Without
 * a pause the reader would get the lock as often as a drain thread, and because a slice
 * takes longer than a batch, the thread would mostly wait. The walk also displaces data
 * from the cache. Returns the start time of the next slice.
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

/*
 * Go on after a slice of a table? Any signal ends a walk: the freezer and a debugger, too, send
 * one, and wait for the caller to leave the kernel. Returns 0 or -EINTR.
 */
static int htmm_shard_rest(struct htmm_shard *shard, u64 *since)
{
	if (signal_pending(current))
		return -EINTR;
	*since = htmm_shard_pause(shard, *since);
	return 0;
}

/**
 * htmm_shard_scan - let a listing scan a table
 * @shard: the table
 * @list: the listing
 *
 * Drain threads continue: the lock is released between slices of the table, and held for at
 * most 1/48 of the time.
 *
 * Context: process, may sleep. Takes @shard->lock.
 * Return: 0; -EINTR if a signal came before the end.
 */
int htmm_shard_scan(struct htmm_shard *shard, struct htmm_topn *list)
{
	int ret = 0;
	u64 since;

	mutex_lock(&shard->lock);
	since = ktime_get_ns();
	htmm_topn_begin(list, &shard->table);
	while (!ret && htmm_topn_scan(list, &shard->table, HTMM_LIST_SLICE))
		ret = htmm_shard_rest(shard, &since);
	mutex_unlock(&shard->lock);
	return ret;
}

/**
 * htmm_shard_get_hits - add the counts of all pages to a sum
 * @shard: the table
 * @kind: of base pages or of regions
 * @sum: the counts are added
 *
 * Drain threads continue, as during a listing.
 *
 * Context: process, may sleep. Takes @shard->lock.
 * Return: 0; -EINTR if a signal came before the end: then @sum is of no use.
 */
int htmm_shard_get_hits(struct htmm_shard *shard, enum htmm_kind kind,
			struct htmm_hits *sum)
{
	struct htmm_scan scan = { .kind = kind };
	int ret = 0;
	u64 since;

	mutex_lock(&shard->lock);
	since = ktime_get_ns();
	while (!ret && htmm_hits_scan(sum, &shard->table, &scan, HTMM_LIST_SLICE))
		ret = htmm_shard_rest(shard, &since);
	mutex_unlock(&shard->lock);
	return ret;
}

/**
 * htmm_shard_get_counts - the counts of all pages of a region
 * @shard: the table that the region belongs to
 * @mm: its address space
 * @vpn: any of its pages
 * @count: as for htmm_table_counts()
 * @tracked: likewise
 *
 * Context: process, may sleep. Takes @shard->lock.
 */
void htmm_shard_get_counts(struct htmm_shard *shard, u32 mm, u64 vpn, u32 *count,
			   u64 *tracked)
{
	mutex_lock(&shard->lock);
	htmm_table_counts(&shard->table, mm, vpn, count, tracked);
	mutex_unlock(&shard->lock);
}
