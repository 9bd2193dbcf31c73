// SPDX-License-Identifier: GPL-2.0
/*
 * What is hot: cooling, and thresholds that adapt to the capacity. The caller of every function
 * holds the lock of the target.
 */
#include "base/trace.h"
#include "target.h"

/* The thresholds for a capacity in the histogram's unit. */
struct htmm_thresholds htmm_find_thresholds(const struct htmm_hist *hist, u64 capacity)
{
	unsigned int hot = htmm_hist_hot_threshold(hist, capacity);

	return (struct htmm_thresholds) {
		.hot = hot,
		.warm = htmm_hist_warm_threshold(hist, capacity, hot),
	};
}

struct htmm_thresholds htmm_target_thresholds(struct htmm_target_table *target, enum htmm_unit unit)
{
	lockdep_assert_held(target->lock);

	return htmm_find_thresholds(&target->table.hist[unit],
				    htmm_target_capacity(target->capacity, unit));
}

/*
 * Report the thresholds now. They are not stored: pages come and go, so each reader computes
 * them from the present histogram.
 */
void htmm_target_adapt(struct htmm_target_table *target)
{
	struct htmm_thresholds thresholds;
	enum htmm_unit unit;

	lockdep_assert_held(target->lock);

	for (unit = 0; unit < HTMM_UNITS && trace_htmm_threshold_enabled(); unit++) {
		thresholds = htmm_target_thresholds(target, unit);
		trace_htmm_threshold(unit, thresholds.hot, thresholds.warm,
				     htmm_target_capacity(target->capacity, unit), target->number);
	}
	target->stats[HTMM_STAT_ADAPTATIONS]++;
	/* A large period means never. */
	if (check_add_overflow(target->table.stats.counted, target->adaptation_period,
			       &target->next_adaptation))
		target->next_adaptation = U64_MAX;
}

/* Halve every count now. */
void htmm_target_cool(struct htmm_target_table *target)
{
	struct htmm_table *table = &target->table;

	lockdep_assert_held(target->lock);

	htmm_table_cool(table);
	trace_htmm_cool(table->epoch, table->stats.counted, table->stats.pages, target->number);
	target->last_cooling = table->stats.counted;
	target->next_cooling = htmm_cooling_due(target->last_cooling, target->cooling_period, 0);
	htmm_target_adapt(target);
}

/* Cool and adapt if due, and forget most of the past if something else is hot now. */
void htmm_target_settle(struct htmm_target_table *target)
{
	const struct htmm_table_stats *stats = &target->table.stats;
	unsigned int i;

	/* Whoever gives a period, or keeps what has exited, does not want the past forgotten. */
	if (!target->cooling_period && !target->spaces.keep_gone &&
	    htmm_table_changed(&target->table))
		for (i = 0; i < HTMM_CHANGE_COOLINGS; i++)
			htmm_target_cool(target);

	/* There may be more pages, so that it is due later, than when this was computed. */
	if (stats->counted >= target->next_cooling)
		target->next_cooling = htmm_cooling_due(target->last_cooling,
							target->cooling_period, stats->pages);
	if (stats->counted >= target->next_cooling)
		htmm_target_cool(target);
	else if (stats->counted >= target->next_adaptation)
		htmm_target_adapt(target);
}
