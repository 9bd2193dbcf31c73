// SPDX-License-Identifier: GPL-2.0
/*
 * What is hot: cooling, and thresholds that adapt to the capacity. The caller of every function
 * holds the lock of the tracker.
 */
#include "base/trace.h"
#include "tracker.h"

/* The thresholds for a capacity in the histogram's unit. */
void htmm_tracker_find_thresholds(const struct htmm_hist *hist, u64 capacity,
				  struct htmm_thresholds *thresholds)
{
	thresholds->hot = htmm_hist_hot_threshold(hist, capacity);
	thresholds->warm = htmm_hist_warm_threshold(hist, capacity,
						    thresholds->hot);
}

void htmm_tracker_read_hist(struct htmm_tracker *tracker, enum htmm_unit unit,
			    struct htmm_tracker_hist *out)
{
	lockdep_assert_held(tracker->lock);

	out->hist = tracker->table.hist[unit];
	out->capacity = tracker->capacity;
	out->samples = tracker->table.stats.counted;
	htmm_tracker_find_thresholds(&out->hist, htmm_tracker_capacity(out->capacity, unit),
				     &out->thresholds);
}

static void htmm_tracker_trace_thresholds(struct htmm_tracker *tracker, enum htmm_unit unit)
{
	struct htmm_tracker_hist hist;

	if (!trace_htmm_threshold_enabled())
		return;
	htmm_tracker_read_hist(tracker, unit, &hist);
	trace_htmm_threshold(unit, hist.thresholds.hot, hist.thresholds.warm,
			     htmm_tracker_capacity(hist.capacity, unit), tracker->number);
}

/*
 * Report the thresholds now. They are not stored: pages come and go, so each reader computes
 * them from the present histogram.
 */
void htmm_tracker_adapt(struct htmm_tracker *tracker)
{
	lockdep_assert_held(tracker->lock);

	htmm_tracker_trace_thresholds(tracker, HTMM_UNIT_PAGE);
	htmm_tracker_trace_thresholds(tracker, HTMM_UNIT_REGION);
	tracker->stats.adaptations++;
	/* A large period means never. */
	if (check_add_overflow(tracker->table.stats.counted, tracker->adaptation_period,
			       &tracker->next_adaptation))
		tracker->next_adaptation = U64_MAX;
}

/* Halve every count now. */
void htmm_tracker_cool(struct htmm_tracker *tracker)
{
	struct htmm_table *table = &tracker->table;

	lockdep_assert_held(tracker->lock);

	htmm_table_cool(table);
	trace_htmm_cool(table->epoch, table->stats.counted, table->stats.pages, tracker->number);
	tracker->last_cooling = table->stats.counted;
	tracker->next_cooling = htmm_cooling_due(tracker->last_cooling,
						 tracker->cooling_period, 0);
	htmm_tracker_adapt(tracker);
}

/* Cool and adapt if due. */
void htmm_tracker_settle(struct htmm_tracker *tracker)
{
	const struct htmm_table_stats *stats = &tracker->table.stats;

	/* There may be more pages, so that it is due later, than when this was computed. */
	if (stats->counted >= tracker->next_cooling)
		tracker->next_cooling = htmm_cooling_due(tracker->last_cooling,
							 tracker->cooling_period, stats->pages);
	if (stats->counted >= tracker->next_cooling)
		htmm_tracker_cool(tracker);
	else if (stats->counted >= tracker->next_adaptation)
		htmm_tracker_adapt(tracker);
}
