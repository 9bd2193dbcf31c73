// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "base/alloc.h"
#include "target.h"

static void htmm_target_note(void *target, u32 space, int change)
{
	htmm_space_set_note(&((struct htmm_target_table *)target)->spaces, space, change);
}

static int htmm_target_init_table(struct htmm_target_table *target)
{
	const struct htmm_table_config limits = {
		.max_bytes = target->max_bytes,
		.seed = get_random_u64(),
		.owner = target->number,
		.note = htmm_target_note,
		.note_arg = target,
	};
	size_t bytes = htmm_table_dir_bytes(&limits);

	if (!bytes)
		return -EINVAL;
	/* kvmalloc() would round small sizes up to a power of two, and refuses those of 2 GiB. */
	target->directory = bytes > KMALLOC_MAX_SIZE && bytes <= INT_MAX ?
			     kvzalloc(bytes, HTMM_GFP) : __vmalloc(bytes, HTMM_GFP | __GFP_ZERO);
	if (!target->directory)
		return -ENOMEM;
	htmm_pages_init(&target->pages);
	return htmm_table_init(&target->table, &limits, target->directory, &target->pool);
}

/*
 * Create a target with an empty table; on success it takes over the reference @ref. @wanted
 * has its limit and its capacity, 0: those of @start; @lock is that of the set that it will be
 * in, and is taken here. Returns the target with a reference for the caller, -EINVAL for an
 * invalid limit, or -ENOMEM. May sleep.
 */
struct htmm_target_table *
htmm_target_create(const struct htmm_target_ref *ref, const struct htmm_target *wanted,
		   u32 number, const struct htmm_start *start, struct mutex *lock)
{
	struct htmm_target_table *target = kvzalloc(sizeof(*target), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!target)
		return ERR_PTR(-ENOMEM);

	kref_init(&target->kref);
	target->ref = *ref;
	target->number = number;
	target->max_bytes = wanted->max_bytes ?: start->max_bytes;
	target->capacity = wanted->capacity_pages ?: start->capacity_pages;
	target->own_capacity = wanted->capacity_pages;
	target->cooling_period = start->cooling_period;
	target->adaptation_period = start->adaptation_period;
	target->lock = lock;
	ret = htmm_space_set_init(&target->spaces, target->max_bytes,
				  start->flags & HTMM_START_KEEP_EXITED);
	if (ret)
		goto err_target;
	if (start->flags & HTMM_START_SERVED) {
		ret = -ENOMEM;
		target->served = kvzalloc(struct_size(target->served, samples,
						      (size_t)nr_node_ids * start->nr_events *
						      HTMM_NR_SOURCES), GFP_KERNEL_ACCOUNT);
		if (!target->served)
			goto err_spaces;
		target->served->events = start->nr_events;
	}
	ret = htmm_target_init_table(target);
	if (ret)
		goto err_served;
	target->next_cooling = htmm_cooling_due(0, target->cooling_period, 0);
	mutex_lock(lock);
	htmm_target_adapt(target);
	mutex_unlock(lock);
	target->stats[HTMM_STAT_ADAPTATIONS] = 0;
	return target;

err_served:
	kvfree(target->directory);
	kvfree(target->served);
err_spaces:
	htmm_space_set_destroy(&target->spaces);
err_target:
	kvfree(target);
	return ERR_PTR(ret);
}

static void htmm_target_release(struct kref *ref)
{
	struct htmm_target_table *target = container_of(ref, struct htmm_target_table, kref);

	htmm_target_ref_put(&target->ref);
	htmm_pages_free(&target->pages);
	kvfree(target->directory);
	kvfree(target->served);
	htmm_space_set_destroy(&target->spaces);
	kvfree(target);
}

/* Drop a reference. May sleep, for a long time if it was the last one. */
void htmm_target_put(struct htmm_target_table *target)
{
	kref_put(&target->kref, htmm_target_release);
}

/*
 * Give the table the memory that @n samples may need, but never more than its limit, for which
 * the directory is sized. If there is none, pages are evicted or samples refused.
 */
static void htmm_target_supply(struct htmm_target_table *target, u32 n, struct htmm_pages *spares)
{
	u32 need = htmm_table_need(&target->table, n);
	void *page;

	while (need--) {
		page = htmm_pages_move(&target->pages, spares);
		if (!page)
			break;
		htmm_pool_put(&target->pool, page);
	}
}

static void htmm_target_drop(struct htmm_target_table *target, struct htmm_batch *batch,
			     u32 start, u32 n, enum htmm_drop why)
{
	htmm_batch_drop(batch, start, n, why);
	target->drops[why] += n;
}

/*
 * Count the samples of a batch from @start to before @end, whose address spaces are known. Cool
 * and adapt at the exact sample; after a change, at the end of the batch.
 */
static void htmm_target_count(struct htmm_target_table *target, struct htmm_batch *batch,
			      u32 start, u32 end, struct htmm_pages *spares)
{
	u32 i, n;
	u64 due;

	for (; start < end; start += n) {
		due = min(target->next_cooling, target->next_adaptation);
		n = min_t(u64, end - start, due - target->table.stats.counted);
		htmm_target_supply(target, n, spares);
		i = htmm_table_add(&target->table, &batch->samples[start], n, batch->refused);
		while (i--)
			htmm_target_drop(target, batch, start + batch->refused[i], 1,
					 HTMM_DROP_TABLE_FULL);
		htmm_target_settle(target);
	}
}

/*
 * Count the samples of @n runs from @first on, which are all of this target. Those that are not
 * counted are dropped from the batch. The table takes the memory that it needs from @spares.
 * Context: the drain thread; may sleep; @target->lock is held.
 */
void htmm_target_add(struct htmm_target_table *target, struct htmm_batch *batch,
		     u32 first, u32 n, struct htmm_pages *spares)
{
	const struct htmm_run *run = &batch->run[first], *end = run + n;
	/* From here to the run there are samples to be counted. */
	u32 start = run->start;
	bool crowded = false;
	struct htmm_space *space;

	lockdep_assert_held(target->lock);

	for (; run < end; run++) {
		space = htmm_space_set_get(&target->spaces, run->pid, run->cookie);
		if (space == ERR_PTR(-EBUSY) && !crowded) {
			/* What makes room may be the address space of these samples. */
			htmm_target_count(target, batch, start, run->start, spares);
			start = run->start;
			crowded = !htmm_target_make_room(target);
			if (!crowded)
				space = htmm_space_set_get(&target->spaces, run->pid, run->cookie);
		}
		if (IS_ERR(space)) {
			htmm_target_count(target, batch, start, run->start, spares);
			start = run[1].start;
			htmm_target_drop(target, batch, run->start, start - run->start,
					 space == ERR_PTR(-ESRCH) ? HTMM_DROP_STALE :
					 space == ERR_PTR(-EBUSY) ? HTMM_DROP_SPACES_FULL :
								    HTMM_DROP_TABLE_FULL);
		} else {
			htmm_batch_resolve(batch, run, space->id);
		}
	}
	htmm_target_count(target, batch, start, end->start, spares);
}

/*
 * A step of housekeeping: free memory of what has cooled to zero, and forget pages of exited
 * processes. Returns true if there is more to do. Context: the drain thread; @target->lock is held.
 */
bool htmm_target_tidy(struct htmm_target_table *target)
{
	bool more = htmm_table_reclaim(&target->table, HTMM_TIDY_SLICE);

	target->untidy = htmm_target_reap(target) || more;
	return target->untidy;
}

/* Estimates the pages that htmm_target_shrink() could give back. Context: any. */
unsigned long htmm_target_unused(struct htmm_target_table *target, unsigned long nr)
{
	/* The number may change at any time; an estimate is enough. */
	return data_race(htmm_table_unused(&target->table));
}

/*
 * Give up to @nr unused pages back. Returns how many, at most HTMM_SHRINK_PAGES; 0 if
 * @target->lock is held: an allocation does not wait for the drain thread or a reader.
 * Context: any memory allocation that may sleep.
 */
unsigned long htmm_target_shrink(struct htmm_target_table *target, unsigned long nr)
{
	void *page[HTMM_SHRINK_PAGES];
	struct htmm_pages freed;
	u32 i, n;

	if (!mutex_trylock(target->lock))
		return 0;
	htmm_pages_init(&freed);
	n = htmm_table_shrink(&target->table, page, min_t(unsigned long, nr, HTMM_SHRINK_PAGES));
	for (i = 0; i < n; i++)
		htmm_pages_take(&freed, &target->pages, page[i]);
	mutex_unlock(target->lock);
	htmm_pages_free(&freed);
	return n;
}
