// SPDX-License-Identifier: GPL-2.0
/* What is hot: histograms, thresholds that adapt to the capacity, and cooling. */
#include <linux/overflow.h>
#include "base/trace.h"
#include "tracker.h"

/* Sum of all shards' histograms: consistent if @tracker->lock is held. */
static void htmm_tracker_merge_hist(struct htmm_tracker *tracker,
				    enum htmm_kind kind, struct htmm_hist *sum)
{
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < tracker->nr_shards; i++)
		htmm_shard_get_hist(&tracker->shards[i], kind, sum);
}

/**
 * htmm_tracker_find_thresholds - compute the thresholds for a capacity
 * @hist: a histogram
 * @capacity: what the fast tier holds, in the histogram's unit
 * @thresholds: set to them
 */
void htmm_tracker_find_thresholds(const struct htmm_hist *hist, u64 capacity,
				  struct htmm_thresholds *thresholds)
{
	thresholds->hot = htmm_hist_hot_threshold(hist, capacity);
	thresholds->warm = htmm_hist_warm_threshold(hist, capacity,
						    thresholds->hot);
}

static void htmm_tracker_trace_thresholds(struct htmm_tracker *tracker, enum htmm_kind kind)
{
	u64 capacity = htmm_tracker_capacity(tracker->capacity, kind);
	struct htmm_thresholds thresholds;
	struct htmm_hist hist;

	if (!trace_htmm_threshold_enabled())
		return;
	htmm_tracker_merge_hist(tracker, kind, &hist);
	htmm_tracker_find_thresholds(&hist, capacity, &thresholds);
	trace_htmm_threshold(kind, thresholds.hot, thresholds.warm, capacity, tracker->number);
}

/*
 * Nobody reads thresholds of an earlier moment: pages come and go, so whoever needs thresholds
 * computes those of the histogram that is there. An adaptation only reports them.
 */
static void htmm_tracker_adapt_locked(struct htmm_tracker *tracker)
{
	lockdep_assert_held_write(&tracker->lock);

	htmm_tracker_trace_thresholds(tracker, HTMM_KIND_BASE);
	htmm_tracker_trace_thresholds(tracker, HTMM_KIND_HUGE);
	tracker->adaptations++;
	/* A large period means never. */
	if (check_add_overflow((u64)atomic64_read(&tracker->samples),
			       tracker->adaptation_period, &tracker->next_adaptation))
		tracker->next_adaptation = U64_MAX;
}

/* There may be more pages, so that it is due later, than when @next_cooling was set. */
static bool htmm_tracker_cools_at(struct htmm_tracker *tracker, u64 samples)
{
	struct htmm_hist hist;

	if (samples < tracker->next_cooling)
		return false;
	htmm_tracker_merge_hist(tracker, HTMM_KIND_BASE, &hist);
	tracker->next_cooling = htmm_cooling_due(tracker->last_cooling, tracker->cooling_period,
						 htmm_hist_pages_from(&hist, 1));
	return samples >= tracker->next_cooling;
}

static void htmm_tracker_trace_cool(struct htmm_tracker *tracker)
{
	struct htmm_hist hist;

	if (!trace_htmm_cool_enabled())
		return;
	htmm_tracker_merge_hist(tracker, HTMM_KIND_BASE, &hist);
	trace_htmm_cool(tracker->coolings, atomic64_read(&tracker->samples),
			htmm_hist_pages_from(&hist, 0), tracker->number);
}

static void htmm_tracker_cool_locked(struct htmm_tracker *tracker)
{
	unsigned int i;

	lockdep_assert_held_write(&tracker->lock);

	for (i = 0; i < tracker->nr_shards; i++)
		htmm_shard_cool(&tracker->shards[i]);
	tracker->coolings++;
	htmm_tracker_trace_cool(tracker);
	tracker->last_cooling = atomic64_read(&tracker->samples);
	tracker->next_cooling = htmm_cooling_due(tracker->last_cooling,
						 tracker->cooling_period, 0);
	htmm_tracker_adapt_locked(tracker);
}

/**
 * htmm_tracker_settle - cool and adapt if due (for the tracker's files)
 * @tracker: the tables
 *
 * Another thread may have done it already.
 *
 * Context: process, may sleep. Takes @tracker->lock.
 */
void htmm_tracker_settle(struct htmm_tracker *tracker)
{
	u64 samples;

	down_write(&tracker->lock);
	samples = atomic64_read(&tracker->samples);
	if (htmm_tracker_cools_at(tracker, samples))
		htmm_tracker_cool_locked(tracker);
	else if (samples >= tracker->next_adaptation)
		htmm_tracker_adapt_locked(tracker);
	up_write(&tracker->lock);
}

/**
 * htmm_tracker_cool - halve every count now
 * @tracker: the tables
 *
 * Context: process, may sleep. Takes @tracker->lock.
 */
void htmm_tracker_cool(struct htmm_tracker *tracker)
{
	down_write(&tracker->lock);
	htmm_tracker_cool_locked(tracker);
	up_write(&tracker->lock);
}

/**
 * htmm_tracker_adapt - report the thresholds now
 * @tracker: the tables
 *
 * Context: process, may sleep. Takes @tracker->lock.
 */
void htmm_tracker_adapt(struct htmm_tracker *tracker)
{
	down_write(&tracker->lock);
	htmm_tracker_adapt_locked(tracker);
	up_write(&tracker->lock);
}

/**
 * htmm_tracker_set_capacity - change the capacity, and the thresholds with it
 * @tracker: the tables
 * @capacity: what the fast tier holds, in pages
 * @own: the capacity is the target's own, not the session's
 *
 * Context: process, may sleep; only one thread at a time. Takes @tracker->lock.
 */
void htmm_tracker_set_capacity(struct htmm_tracker *tracker, u64 capacity,
			       bool own)
{
	down_write(&tracker->lock);
	/* htmm_snapshot_targets() reads it without the lock. */
	WRITE_ONCE(tracker->capacity, capacity);
	tracker->own_capacity = own;
	htmm_tracker_adapt_locked(tracker);
	up_write(&tracker->lock);
}

/**
 * htmm_tracker_get_hist - read a histogram, and compute its thresholds
 * @tracker: the tables
 * @kind: of base pages or of regions
 * @out: set
 *
 * Context: process, may sleep. Takes @tracker->lock.
 */
void htmm_tracker_get_hist(struct htmm_tracker *tracker, enum htmm_kind kind,
			   struct htmm_tracker_hist *out)
{
	down_read(&tracker->lock);
	htmm_tracker_merge_hist(tracker, kind, &out->hist);
	out->capacity = tracker->capacity;
	out->samples = atomic64_read(&tracker->samples);
	up_read(&tracker->lock);
	htmm_tracker_find_thresholds(&out->hist, htmm_tracker_capacity(out->capacity, kind),
				     &out->thresholds);
}
