// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "shard.h"

/* Memory for knowing what is hot is not worth killing anyone for. */
#define HTMM_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)
/* Under a lock that readers wait for: do not wait for memory. */
#define HTMM_GFP_LOCKED	(GFP_NOWAIT | __GFP_NOWARN)

/* Directory entries that a reader visits before it lets others in again. */
#define HTMM_LIST_SLICE		256
/* A reader leaves the lock alone for so many times as long as it has held it, */
#define HTMM_LIST_PAUSE			47
/* but not longer than this, in microseconds: it may have lost its CPU meanwhile. */
#define HTMM_LIST_MAX_PAUSE		10000
/* Directory entries that a drain thread tidies up between two batches. */
#define HTMM_TIDY_SLICE		256

static void htmm_shard_free_pool(struct htmm_shard *shard)
{
	unsigned long freed = 0;
	void *page;

	while ((page = htmm_pool_take_back(&shard->pool))) {
		free_page((unsigned long)page);
		if (++freed % 1024 == 0)
			cond_resched();
	}
}

/**
 * htmm_shard_init - make an empty table
 * @shard: zeroed
 * @limits: the table's
 * @shared: several threads will add to it
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL for limits no table can have, or -ENOMEM.
 */
int htmm_shard_init(struct htmm_shard *shard,
		    const struct htmm_table_config *limits, bool shared)
{
	size_t bytes = htmm_table_dir_bytes(limits);
	int ret;

	if (!bytes)
		return -EINVAL;
	shard->directory = __vmalloc(bytes, HTMM_GFP);
	if (!shard->directory)
		return -ENOMEM;
	htmm_pool_init(&shard->pool);
	ret = htmm_table_init(&shard->table, limits, shard->directory,
			      &shard->pool);
	if (ret)
		goto err_directory;
	mutex_init(&shard->lock);
	shard->shared = shared;
	return 0;

err_directory:
	vfree(shard->directory);
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
	htmm_table_clear(&shard->table);
	htmm_shard_free_pool(shard);
	vfree(shard->directory);
	mutex_destroy(&shard->lock);
}

/* A page waiting to go into the pool; the link lies in the page itself. */
struct htmm_spare {
	struct htmm_spare *next;
};

/* Up to @n pages. */
static struct htmm_spare *htmm_spares_get(u32 n)
{
	struct htmm_spare *spares = NULL, *spare;

	while (n--) {
		spare = (void *)__get_free_page(HTMM_GFP);
		if (!spare)
			break;
		spare->next = spares;
		spares = spare;
	}
	return spares;
}

static void htmm_spares_free(struct htmm_spare *spare)
{
	struct htmm_spare *next;

	for (; spare; spare = next) {
		next = spare->next;
		free_page((unsigned long)spare);
	}
}

/*
 * Other threads may have filled the pool meanwhile: asked anew, the table never gets
 * more than its limit, which its directory is made for. Returns what is left over.
 */
static struct htmm_spare *htmm_shard_take(struct htmm_shard *shard,
					  struct htmm_spare *spares)
{
	struct htmm_spare *spare;
	u32 need;

	lockdep_assert_held(&shard->lock);

	for (need = htmm_table_need(&shard->table); need && spares; need--) {
		spare = spares;
		spares = spare->next;
		htmm_pool_put(&shard->pool, spare);
	}
	return spares;
}

/**
 * htmm_shard_refill - fill the pool for the next batch
 * @shard: the table
 *
 * Memory is allocated without the lock, for that may take its time. What cannot be
 * had shows as samples refused.
 *
 * Context: a drain thread; may sleep. Takes @shard->lock.
 */
void htmm_shard_refill(struct htmm_shard *shard)
{
	struct htmm_spare *spares;
	u32 need;

	mutex_lock(&shard->lock);
	need = htmm_table_need(&shard->table);
	mutex_unlock(&shard->lock);
	if (!need)
		return;

	spares = htmm_spares_get(need);
	mutex_lock(&shard->lock);
	spares = htmm_shard_take(shard, spares);
	mutex_unlock(&shard->lock);
	htmm_spares_free(spares);
}

/* Another thread may have used what htmm_shard_refill() brought, or some of it. */
static void htmm_shard_top_up(struct htmm_shard *shard)
{
	u32 need = htmm_table_need(&shard->table);
	void *page;

	lockdep_assert_held(&shard->lock);

	while (need--) {
		page = (void *)__get_free_page(HTMM_GFP_LOCKED);
		if (!page)
			break;
		htmm_pool_put(&shard->pool, page);
	}
}

/**
 * htmm_shard_add - count samples
 * @shard: the table
 * @samples: samples that belong to this shard
 * @n: elements in @samples, up to the batch of the table's limits
 * @refused: room for @n; set to the indices of those that were not counted
 *
 * Context: a drain thread, after htmm_shard_refill(). Takes @shard->lock.
 * Return: how many were not counted.
 */
u32 htmm_shard_add(struct htmm_shard *shard,
		   const struct htmm_table_sample *samples, u32 n, u32 *refused)
{
	u32 lost;

	mutex_lock(&shard->lock);
	if (shard->shared)
		htmm_shard_top_up(shard);
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
 * htmm_shard_forget - forget some pages of an address space
 * @shard: the table
 * @space: number of the address space, of which no sample is added any more
 * @first: this is the first step
 *
 * Context: a drain thread, the same one for each step; may sleep. Takes
 * @shard->lock.
 * Return: true when nothing of the address space is left.
 */
bool htmm_shard_forget(struct htmm_shard *shard, u32 space, bool first)
{
	bool more;
	u64 before;

	mutex_lock(&shard->lock);
	before = shard->table.pages;
	more = htmm_table_remove_space(&shard->table, space, first,
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
void htmm_shard_scan(struct htmm_shard *shard, struct htmm_list *list)
{
	u64 since;

	mutex_lock(&shard->lock);
	since = ktime_get_ns();
	htmm_list_begin(list, &shard->table);
	/* Who is killed never sees the list. */
	while (htmm_list_scan(list, &shard->table, HTMM_LIST_SLICE) &&
	       !fatal_signal_pending(current))
		since = htmm_shard_pause(shard, since);
	mutex_unlock(&shard->lock);
}
