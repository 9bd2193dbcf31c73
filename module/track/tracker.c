// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "base/alloc.h"
#include "tracker.h"

static_assert(HTMM_NR_BINS == HTMM_NR_BINS);

static void htmm_tracker_note(void *tracker, u32 mm, int change)
{
	htmm_mm_set_note(&((struct htmm_tracker *)tracker)->mm_set, mm, change);
}

static int htmm_tracker_init_table(struct htmm_tracker *tracker)
{
	const struct htmm_table_config limits = {
		.max_bytes = tracker->max_bytes,
		.seed = get_random_u64(),
		.owner = tracker->number,
		.note = htmm_tracker_note,
		.note_arg = tracker,
	};
	size_t bytes = htmm_table_dir_bytes(&limits);

	if (!bytes)
		return -EINVAL;
	/* kvmalloc() would round small sizes up to a power of two. */
	tracker->directory = bytes > KMALLOC_MAX_SIZE ? kvzalloc(bytes, HTMM_GFP) :
			     __vmalloc(bytes, HTMM_GFP | __GFP_ZERO);
	if (!tracker->directory)
		return -ENOMEM;
	htmm_pages_init(&tracker->pages);
	return htmm_table_init(&tracker->table, &limits, tracker->directory, &tracker->pool);
}

/*
 * Create a tracker with an empty table; on success it takes over the reference @ref. @target
 * has its limit and its capacity, 0: those of @start; @lock is that of the set that it will be
 * in, and is taken here. Returns the tracker with a reference for the caller, -EINVAL for an
 * invalid limit, or -ENOMEM. May sleep.
 */
struct htmm_tracker *
htmm_tracker_create(const struct htmm_target_ref *ref, const struct htmm_target *target,
		    u32 number, const struct htmm_start *start, struct mutex *lock)
{
	struct htmm_tracker *tracker = kvzalloc(sizeof(*tracker), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!tracker)
		return ERR_PTR(-ENOMEM);

	kref_init(&tracker->ref);
	tracker->target = *ref;
	tracker->number = number;
	tracker->max_bytes = target->max_bytes ?: start->max_bytes;
	tracker->capacity = target->capacity_pages ?: start->capacity_pages;
	tracker->own_capacity = target->capacity_pages;
	tracker->cooling_period = start->cooling_period;
	tracker->adaptation_period = start->adaptation_period;
	tracker->lock = lock;
	ret = htmm_mm_set_init(&tracker->mm_set, tracker->max_bytes,
			       start->flags & HTMM_START_KEEP_EXITED);
	if (ret)
		goto err_tracker;
	if (start->flags & HTMM_START_SERVED) {
		tracker->served = htmm_served_create(start->nr_events);
		ret = -ENOMEM;
		if (!tracker->served)
			goto err_mm_set;
	}
	ret = htmm_tracker_init_table(tracker);
	if (ret)
		goto err_served;
	tracker->next_cooling = htmm_cooling_due(0, tracker->cooling_period, 0);
	mutex_lock(lock);
	htmm_tracker_adapt(tracker);
	mutex_unlock(lock);
	tracker->stats.adaptations = 0;
	return tracker;

err_served:
	kvfree(tracker->directory);
	htmm_served_free(tracker->served);
err_mm_set:
	htmm_mm_set_destroy(&tracker->mm_set);
err_tracker:
	kvfree(tracker);
	return ERR_PTR(ret);
}

static void htmm_tracker_release(struct kref *ref)
{
	struct htmm_tracker *tracker = container_of(ref, struct htmm_tracker, ref);

	htmm_target_put(&tracker->target);
	htmm_pages_free(&tracker->pages);
	kvfree(tracker->directory);
	htmm_served_free(tracker->served);
	htmm_mm_set_destroy(&tracker->mm_set);
	kvfree(tracker);
}

/* Drop a reference. May sleep, for a long time if it was the last one. */
void htmm_tracker_put(struct htmm_tracker *tracker)
{
	kref_put(&tracker->ref, htmm_tracker_release);
}

/*
 * Give the table the memory that @n samples may need, but never more than its limit, for which
 * the directory is sized. If there is none, pages are evicted or samples refused.
 */
static void htmm_tracker_supply(struct htmm_tracker *tracker, u32 n, struct htmm_pages *spares)
{
	u32 need = htmm_table_need(&tracker->table, n);
	void *page;

	while (need--) {
		page = htmm_pages_move(&tracker->pages, spares);
		if (!page)
			break;
		htmm_pool_put(&tracker->pool, page);
	}
}

static void htmm_tracker_drop(struct htmm_tracker *tracker, struct htmm_batch *batch,
			      u32 start, u32 n, enum htmm_drop why)
{
	htmm_batch_drop(batch, start, n, why);
	tracker->stats.drops[why] += n;
}

/*
 * Count the samples of a batch from @start to before @end, whose address spaces are known. Cool
 * and adapt at the exact sample.
 */
static void htmm_tracker_count(struct htmm_tracker *tracker, struct htmm_batch *batch,
			       u32 start, u32 end, struct htmm_pages *spares)
{
	u32 i, n;
	u64 due;

	for (; start < end; start += n) {
		due = min(tracker->next_cooling, tracker->next_adaptation);
		n = min_t(u64, end - start, due - tracker->table.stats.counted);
		htmm_tracker_supply(tracker, n, spares);
		i = htmm_table_add(&tracker->table, &batch->samples[start], n, batch->refused);
		while (i--)
			htmm_tracker_drop(tracker, batch, start + batch->refused[i], 1,
					  HTMM_DROP_TABLE_FULL);
		if (tracker->table.stats.counted >= due)
			htmm_tracker_settle(tracker);
	}
}

/* The drop reason for an errno of htmm_mm_set_get(). */
static enum htmm_drop htmm_tracker_why(int ret)
{
	switch (ret) {
	case -ESRCH:
		return HTMM_DROP_STALE;
	case -EBUSY:
		return HTMM_DROP_SPACES_FULL;
	default:
		return HTMM_DROP_TABLE_FULL;
	}
}

/*
 * Count the samples of @n runs from @first on, which are all of this target. Those that are not
 * counted are dropped from the batch. The table takes the memory that it needs from @spares.
 * Context: the drain thread; may sleep; @tracker->lock is held.
 */
void htmm_tracker_add(struct htmm_tracker *tracker, struct htmm_batch *batch,
		      u32 first, u32 n, struct htmm_pages *spares)
{
	const struct htmm_run *run = &batch->run[first], *end = run + n;
	/* From here to the run there are samples to be counted. */
	u32 start = run->start;
	bool crowded = false;
	struct htmm_mm *mm;

	lockdep_assert_held(tracker->lock);

	for (; run < end; run++) {
		mm = htmm_mm_set_get(&tracker->mm_set, run->pid, run->cookie);
		if (mm == ERR_PTR(-EBUSY) && !crowded) {
			/* What makes room may be the address space of these samples. */
			htmm_tracker_count(tracker, batch, start, run->start, spares);
			start = run->start;
			crowded = !htmm_tracker_make_room(tracker);
			if (!crowded)
				mm = htmm_mm_set_get(&tracker->mm_set, run->pid, run->cookie);
		}
		if (IS_ERR(mm)) {
			htmm_tracker_count(tracker, batch, start, run->start, spares);
			start = run[1].start;
			htmm_tracker_drop(tracker, batch, run->start, start - run->start,
					  htmm_tracker_why(PTR_ERR(mm)));
		} else {
			htmm_batch_resolve(batch, run, mm->id);
		}
	}
	htmm_tracker_count(tracker, batch, start, end->start, spares);
}

/*
 * A step of housekeeping: free memory of what has cooled to zero, and forget pages of exited
 * processes. Returns true if there is more to do. Context: the drain thread; @tracker->lock is
 * held.
 */
bool htmm_tracker_tidy(struct htmm_tracker *tracker)
{
	bool more = htmm_table_reclaim(&tracker->table, HTMM_TIDY_SLICE);

	tracker->untidy = htmm_tracker_reap(tracker) || more;
	return tracker->untidy;
}

/* Estimates the pages that htmm_tracker_shrink() could give back. Context: any. */
unsigned long htmm_tracker_unused(struct htmm_tracker *tracker, unsigned long nr)
{
	/* The number may change at any time; an estimate is enough. */
	return data_race(htmm_table_unused(&tracker->table));
}

/*
 * Give up to @nr unused pages back. Returns how many, at most HTMM_SHRINK_PAGES; 0 if
 * @tracker->lock is held: an allocation does not wait for the drain thread or a reader.
 * Context: any memory allocation that may sleep.
 */
unsigned long htmm_tracker_shrink(struct htmm_tracker *tracker, unsigned long nr)
{
	void *page[HTMM_SHRINK_PAGES];
	struct htmm_pages freed;
	u32 i, n;

	if (!mutex_trylock(tracker->lock))
		return 0;
	htmm_pages_init(&freed);
	n = htmm_table_shrink(&tracker->table, page, min_t(unsigned long, nr, HTMM_SHRINK_PAGES));
	for (i = 0; i < n; i++)
		htmm_pages_take(&freed, &tracker->pages, page[i]);
	mutex_unlock(tracker->lock);
	htmm_pages_free(&freed);
	return n;
}
