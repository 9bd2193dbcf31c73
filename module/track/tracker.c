// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "base/trace.h"
#include "tracker.h"

static_assert(HTMM_HIST_BINS == HTMM_NR_BINS);

static void htmm_hotness_free(struct htmm_hotness *hotness, unsigned int shards)
{
	while (shards)
		htmm_shard_destroy(&hotness->shards[--shards]);
	kvfree(hotness);
}

/* A shard's part of something that @shards of them share. */
static u64 htmm_hotness_part(u64 whole, unsigned int shard, unsigned int shards)
{
	u32 rest;
	u64 part = div_u64_rem(whole, shards, &rest);

	return part + (shard < rest);
}

static int htmm_hotness_init_shard(struct htmm_hotness *hotness,
				   unsigned int shard)
{
	const struct htmm_hotness_config *config = &hotness->config;
	unsigned int shards = config->shards;
	const struct htmm_table_config limits = {
		.max_bytes = htmm_hotness_part(config->max_bytes, shard, shards),
		.max_pages = htmm_hotness_part(config->max_pages, shard, shards),
		.seed = get_random_u64(),
		.owner = config->owner,
	};

	return htmm_shard_init(&hotness->shards[shard], &limits);
}

/**
 * htmm_hotness_create - make empty hot-page tables
 * @config: how samples turn into hot pages, with all defaults filled in
 *
 * Context: process, may sleep.
 * Return: the tables, -EINVAL for limits no table can have, or -ENOMEM.
 */
struct htmm_hotness *
htmm_hotness_create(const struct htmm_hotness_config *config)
{
	struct htmm_hotness *hotness;
	unsigned int i;
	int ret;

	hotness = kvzalloc(struct_size(hotness, shards, config->shards),
			   GFP_KERNEL);
	if (!hotness)
		return ERR_PTR(-ENOMEM);

	hotness->config = *config;
	for (i = 0; i < config->shards; i++) {
		ret = htmm_hotness_init_shard(hotness, i);
		if (ret) {
			htmm_hotness_free(hotness, i);
			return ERR_PTR(ret);
		}
	}
	hotness->next_cooling = config->cooling_period;
	hotness->next_adaptation = config->adaptation_period;
	mutex_init(&hotness->spaces_lock);
	init_rwsem(&hotness->lock);
	htmm_spaces_init(&hotness->spaces, config->max_bytes);
	htmm_hotness_adapt(hotness);
	hotness->adaptations = 0;
	return hotness;
}

/**
 * htmm_hotness_destroy - free hot-page tables
 * @hotness: the tables, used by nobody any more
 *
 * Context: process, may sleep.
 */
void htmm_hotness_destroy(struct htmm_hotness *hotness)
{
	htmm_spaces_destroy(&hotness->spaces);
	mutex_destroy(&hotness->spaces_lock);
	htmm_hotness_free(hotness, hotness->config.shards);
}

/* All shards' histograms: of one moment if @hotness->lock is held. */
static void htmm_hotness_merge_hist(struct htmm_hotness *hotness,
				    enum htmm_kind kind, struct htmm_hist *sum)
{
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < hotness->config.shards; i++)
		htmm_shard_get_hist(&hotness->shards[i], kind, sum);
}

/* The sample at which something is due; a period may mean never. */
static u64 htmm_hotness_due(const struct htmm_hotness *hotness, u64 period)
{
	u64 due;

	if (check_add_overflow((u64)atomic64_read(&hotness->samples), period, &due))
		return U64_MAX;
	return due;
}

/**
 * htmm_hotness_find_thresholds - the thresholds that fit a capacity
 * @hist: a histogram
 * @capacity: what the fast tier holds, in the histogram's unit
 * @thresholds: set to them
 */
void htmm_hotness_find_thresholds(const struct htmm_hist *hist, u64 capacity,
				  struct htmm_thresholds *thresholds)
{
	thresholds->hot = htmm_hist_hot_threshold(hist, capacity);
	thresholds->warm = htmm_hist_warm_threshold(hist, capacity,
						    thresholds->hot);
}

static void htmm_hotness_adapt_kind(struct htmm_hotness *hotness,
				    enum htmm_kind kind)
{
	u64 capacity = htmm_hotness_capacity(hotness->config.capacity, kind);
	struct htmm_thresholds *thresholds = &hotness->thresholds[kind], now;
	struct htmm_hist hist;

	htmm_hotness_merge_hist(hotness, kind, &hist);
	htmm_hotness_find_thresholds(&hist, capacity, &now);
	/* htmm_hotness_describe() looks without the lock. */
	WRITE_ONCE(thresholds->hot, now.hot);
	WRITE_ONCE(thresholds->warm, now.warm);
	trace_htmm_threshold(kind, now.hot, now.warm, capacity,
			     hotness->config.owner);
}

static void htmm_hotness_adapt_kinds(struct htmm_hotness *hotness)
{
	enum htmm_kind kind;

	lockdep_assert_held_write(&hotness->lock);

	for (kind = 0; kind < HTMM_KINDS; kind++)
		htmm_hotness_adapt_kind(hotness, kind);
}

/*
 * Until the first adaptation is due, the thresholds are those of an empty table, in which
 * any page is hot: who asks then gets those of the moment.
 */
static void htmm_hotness_adapt_young(struct htmm_hotness *hotness)
{
	if (atomic64_read(&hotness->samples) >= hotness->config.adaptation_period)
		return;
	down_write(&hotness->lock);
	htmm_hotness_adapt_kinds(hotness);
	up_write(&hotness->lock);
}

static void htmm_hotness_adapt_locked(struct htmm_hotness *hotness)
{
	htmm_hotness_adapt_kinds(hotness);
	hotness->adaptations++;
	hotness->next_adaptation =
		htmm_hotness_due(hotness, hotness->config.adaptation_period);
}

static void htmm_hotness_trace_cool(struct htmm_hotness *hotness)
{
	struct htmm_hist hist;

	if (!trace_htmm_cool_enabled())
		return;
	htmm_hotness_merge_hist(hotness, HTMM_KIND_BASE, &hist);
	trace_htmm_cool(hotness->coolings, atomic64_read(&hotness->samples),
			htmm_hist_pages_from(&hist, 0), hotness->config.owner);
}

static void htmm_hotness_cool_locked(struct htmm_hotness *hotness)
{
	unsigned int i;

	lockdep_assert_held_write(&hotness->lock);

	for (i = 0; i < hotness->config.shards; i++)
		htmm_shard_cool(&hotness->shards[i]);
	hotness->coolings++;
	htmm_hotness_trace_cool(hotness);
	hotness->next_cooling =
		htmm_hotness_due(hotness, hotness->config.cooling_period);
	htmm_hotness_adapt_locked(hotness);
}

/* Does what is due, unless another thread has done it by now. */
static void htmm_hotness_settle(struct htmm_hotness *hotness)
{
	u64 samples;

	down_write(&hotness->lock);
	samples = atomic64_read(&hotness->samples);
	if (samples >= hotness->next_cooling)
		htmm_hotness_cool_locked(hotness);
	else if (samples >= hotness->next_adaptation)
		htmm_hotness_adapt_locked(hotness);
	up_write(&hotness->lock);
}

static void htmm_hotness_drop(struct htmm_hotness *hotness,
			      struct htmm_batch *batch, u32 i, enum htmm_drop why)
{
	batch->drop[i] = why;
	atomic64_inc(&hotness->drops[why]);
}

/*
 * Turns accesses into the tables' samples; those without a space are dropped. The
 * spaces stay while @hotness->lock is held.
 */
static u32 htmm_hotness_resolve(struct htmm_hotness *hotness,
				struct htmm_batch *batch, u32 start, u32 n)
{
	const struct htmm_access *access, *last = NULL;
	struct htmm_space *space = NULL;
	u32 i, at, resolved = 0;

	mutex_lock(&hotness->spaces_lock);
	for (i = start; i < start + n; i++) {
		at = batch->order[i];
		access = &batch->access[at];
		if (!last || access->pid != last->pid ||
		    access->cookie != last->cookie)
			space = htmm_spaces_get(&hotness->spaces, access->pid,
						access->cookie,
						hotness->config.keep_exited);
		last = access;
		if (IS_ERR(space)) {
			htmm_hotness_drop(hotness, batch, at,
					  PTR_ERR(space) == -ESRCH ?
					  HTMM_DROP_STALE : HTMM_DROP_TABLE_FULL);
			continue;
		}
		batch->drop[at] = HTMM_DROP_NONE;
		batch->samples[resolved] = (struct htmm_table_sample) {
			.page = htmm_page(space->id,
					  access->addr >> HTMM_PAGE_SHIFT),
			.weight = access->weight,
		};
		batch->origin[resolved++] = at;
	}
	mutex_unlock(&hotness->spaces_lock);
	return resolved;
}

/* Adds the batch's first @n table samples. Returns how many were counted. */
static u32 htmm_hotness_count(struct htmm_hotness *hotness,
			      struct htmm_batch *batch, u32 n)
{
	unsigned int shards = hotness->config.shards, shard;
	u32 i, refused, start = 0, counted = 0;

	htmm_batch_by_shard(batch, n, shards);
	for (shard = 0; shard < shards; shard++) {
		n = batch->shard_end[shard] - start;
		if (!n)
			continue;
		refused = htmm_shard_add(&hotness->shards[shard],
					 batch->samples + start, n,
					 &batch->spares, batch->refused);
		for (i = 0; i < refused; i++)
			htmm_hotness_drop(hotness, batch,
					  batch->origin[start + batch->refused[i]],
					  HTMM_DROP_TABLE_FULL);
		counted += n - refused;
		start += n;
	}
	return counted;
}

/*
 * Adds up to @n samples from @start on, as many as may be counted before the next
 * cooling or adaptation is due, so that both happen at the exact sample; or, if other
 * threads add at the same time, at most a batch of each of them later.
 */
static u32 htmm_hotness_add_some(struct htmm_hotness *hotness,
				 struct htmm_batch *batch, u32 start, u32 n)
{
	u64 samples, due;
	u32 chunk = 0;

	down_read(&hotness->lock);
	due = min(hotness->next_cooling, hotness->next_adaptation);
	samples = atomic64_read(&hotness->samples);
	if (samples < due) {
		chunk = min_t(u64, n, due - samples);
		n = htmm_hotness_resolve(hotness, batch, start, chunk);
		n = htmm_hotness_count(hotness, batch, n);
		samples = atomic64_add_return(n, &hotness->samples);
	}
	up_read(&hotness->lock);

	if (samples >= due)
		htmm_hotness_settle(hotness);
	return chunk;
}

/**
 * htmm_hotness_add - count a target's part of a batch
 * @hotness: the target's tables
 * @batch: the batch; @batch->drop is set for each sample of the part
 * @start: where the part begins in @batch->order
 * @n: samples in the part
 *
 * Context: a drain thread; may sleep. Takes @hotness->lock.
 */
void htmm_hotness_add(struct htmm_hotness *hotness, struct htmm_batch *batch,
		      u32 start, u32 n)
{
	u32 done;

	for (done = 0; done < n; )
		done += htmm_hotness_add_some(hotness, batch, start + done,
					      n - done);
}

/**
 * htmm_hotness_tidy - one bounded step of housekeeping
 * @hotness: the tables
 * @shard: the one to tidy up; each belongs to one drain thread
 *
 * Forgets pages that have cooled to zero. The first shard's thread also forgets,
 * unless the session keeps them, those of processes that have gone, in all shards.
 *
 * Context: a drain thread; may sleep. Takes @hotness->lock.
 * Return: true if more is known to be left to do.
 */
bool htmm_hotness_tidy(struct htmm_hotness *hotness, unsigned int shard)
{
	bool more;

	more = htmm_shard_reclaim(&hotness->shards[shard]);
	if (!shard)
		more |= htmm_hotness_part_ways(hotness);
	return more;
}

/**
 * htmm_hotness_cool - halve every count now
 * @hotness: the tables
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_cool(struct htmm_hotness *hotness)
{
	down_write(&hotness->lock);
	htmm_hotness_cool_locked(hotness);
	up_write(&hotness->lock);
}

/**
 * htmm_hotness_adapt - compute the thresholds now
 * @hotness: the tables
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_adapt(struct htmm_hotness *hotness)
{
	down_write(&hotness->lock);
	htmm_hotness_adapt_locked(hotness);
	up_write(&hotness->lock);
}

/**
 * htmm_hotness_set_capacity - change the capacity, and the thresholds with it
 * @hotness: the tables
 * @capacity: what the fast tier holds, in pages
 * @own: the target says so, and not the session
 *
 * Context: process, may sleep; only one thread at a time. Takes @hotness->lock.
 */
void htmm_hotness_set_capacity(struct htmm_hotness *hotness, u64 capacity,
			       bool own)
{
	down_write(&hotness->lock);
	/* htmm_snapshot_targets() looks without the lock. */
	WRITE_ONCE(hotness->config.capacity, capacity);
	hotness->config.own_capacity = own;
	htmm_hotness_adapt_locked(hotness);
	up_write(&hotness->lock);
}

/**
 * htmm_hotness_get_stats - read the totals
 * @hotness: the tables
 * @stats: set to the totals
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_get_stats(struct htmm_hotness *hotness,
			    struct htmm_hotness_stats *stats)
{
	struct htmm_table_stats sum = {};
	unsigned int i;

	*stats = (struct htmm_hotness_stats) {};
	down_read(&hotness->lock);
	stats->samples = atomic64_read(&hotness->samples);
	stats->coolings = hotness->coolings;
	stats->adaptations = hotness->adaptations;
	for (i = 0; i < hotness->config.shards; i++)
		htmm_shard_get_stats(&hotness->shards[i], &sum, &stats->exited);
	up_read(&hotness->lock);
	mutex_lock(&hotness->spaces_lock);
	stats->spaces = hotness->spaces.nr;
	mutex_unlock(&hotness->spaces_lock);

	stats->evicted = sum.evicted;
	stats->bytes = sum.bytes;
	stats->pages = sum.pages;
	stats->regions = sum.regions;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		stats->drops[i] = atomic64_read(&hotness->drops[i]);
}

/**
 * htmm_hotness_get_hist - read a histogram and its thresholds
 * @hotness: the tables
 * @kind: of base pages or of regions
 * @out: set
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_get_hist(struct htmm_hotness *hotness, enum htmm_kind kind,
			   struct htmm_hotness_hist *out)
{
	htmm_hotness_adapt_young(hotness);
	down_read(&hotness->lock);
	htmm_hotness_merge_hist(hotness, kind, &out->hist);
	out->thresholds = hotness->thresholds[kind];
	out->capacity = hotness->config.capacity;
	out->samples = atomic64_read(&hotness->samples);
	up_read(&hotness->lock);
}

/**
 * htmm_hotness_scan - let a listing walk over the tables
 * @hotness: the tables
 * @list: the listing
 *
 * Context: process, may sleep. Takes @hotness->lock, then the shards' locks, one after
 * the other.
 */
void htmm_hotness_scan(struct htmm_hotness *hotness, struct htmm_list *list)
{
	unsigned int i;

	/* For those who are told which pages are hot. */
	htmm_hotness_adapt_young(hotness);
	for (i = 0; i < hotness->config.shards; i++)
		htmm_shard_scan(&hotness->shards[i], list);
}

/**
 * htmm_hotness_describe - say what a list entry is to the caller
 * @hotness: the tables that the entry is from
 * @entry: the entry
 * @page: set
 *
 * Context: process context of the reader, whose pid namespace counts; may
 * sleep. Takes @hotness->spaces_lock.
 */
void htmm_hotness_describe(struct htmm_hotness *hotness,
			   const struct htmm_list_entry *entry,
			   struct htmm_hot_page *page)
{
	const struct htmm_space *space;

	*page = (struct htmm_hot_page) {
		.addr = entry->vpn << HTMM_PAGE_SHIFT,
		.samples = entry->value,
		.space = entry->space,
		.bin = htmm_hist_bin(entry->value),
		.target = entry->owner,
	};
	mutex_lock(&hotness->spaces_lock);
	space = htmm_spaces_find(&hotness->spaces, entry->space);
	if (space && space->pid)
		page->pid = pid_vnr(space->pid);
	else if (space && task_active_pid_ns(current) == &init_pid_ns)
		page->pid = space->nr;
	if (!space || !htmm_space_alive(space))
		page->flags |= HTMM_PAGE_EXITED;
	mutex_unlock(&hotness->spaces_lock);
	if (page->bin >= READ_ONCE(hotness->thresholds[HTMM_KIND_BASE].hot))
		page->flags |= HTMM_PAGE_HOT;
}
