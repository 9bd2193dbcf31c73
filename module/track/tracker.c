// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "tracker.h"

static_assert(HTMM_HIST_BINS == HTMM_NR_BINS);

static void htmm_tracker_free(struct htmm_tracker *tracker, unsigned int shards)
{
	while (shards)
		htmm_shard_destroy(&tracker->shards[--shards]);
	htmm_served_free(tracker->served);
	kvfree(tracker);
}

/* One shard's part of a limit that @shards shards share. */
static u64 htmm_tracker_part(u64 whole, unsigned int shard, unsigned int shards)
{
	u32 rest;
	u64 part = div_u64_rem(whole, shards, &rest);

	return part + (shard < rest);
}

static void htmm_tracker_note(void *tracker, u32 mm, int change)
{
	htmm_mm_set_note(&((struct htmm_tracker *)tracker)->mm_set, mm, change);
}

static int htmm_tracker_init_shard(struct htmm_tracker *tracker, unsigned int shard,
				   u64 max_pages, int node)
{
	unsigned int shards = tracker->nr_shards;
	const struct htmm_table_config limits = {
		.max_bytes = htmm_tracker_part(tracker->max_bytes, shard, shards),
		.max_pages = htmm_tracker_part(max_pages, shard, shards),
		.seed = get_random_u64(),
		.owner = tracker->number,
		.note = htmm_tracker_note,
		.note_arg = tracker,
	};

	return htmm_shard_init(&tracker->shards[shard], &limits, node);
}

/**
 * htmm_tracker_create - create a tracker with empty hot-page tables
 * @ref: the target; on success the tracker takes over the reference
 * @target: its limit and its capacity; 0: those of @start
 * @number: its number
 * @start: the session's settings, with all defaults filled in
 * @node: NUMA node of each drain thread
 *
 * Context: process, may sleep.
 * Return: the tracker with a reference for the caller, -EINVAL for invalid limits, or
 * -ENOMEM.
 */
struct htmm_tracker *
htmm_tracker_create(const struct htmm_target_ref *ref, const struct htmm_target *target,
		    u32 number, const struct htmm_start *start, const int *node)
{
	struct htmm_tracker *tracker;
	unsigned int i;
	int ret;

	tracker = kvzalloc(struct_size(tracker, shards, start->drain_threads),
			   GFP_KERNEL_ACCOUNT);
	if (!tracker)
		return ERR_PTR(-ENOMEM);

	kref_init(&tracker->ref);
	tracker->target = *ref;
	tracker->number = number;
	tracker->nr_shards = start->drain_threads;
	tracker->max_bytes = target->max_bytes ?: start->max_bytes;
	tracker->capacity = target->capacity_pages ?: start->capacity_pages;
	tracker->own_capacity = target->capacity_pages;
	tracker->cooling_period = start->cooling_period;
	tracker->adaptation_period = start->adaptation_period;
	ret = htmm_mm_set_init(&tracker->mm_set, tracker->max_bytes,
			       start->flags & HTMM_START_KEEP_EXITED);
	if (ret) {
		kvfree(tracker);
		return ERR_PTR(ret);
	}
	i = 0;
	if (start->flags & HTMM_START_SERVED) {
		tracker->served = htmm_served_create(start->nr_events);
		ret = -ENOMEM;
		if (!tracker->served)
			goto err_shards;
	}
	for (; i < tracker->nr_shards; i++) {
		ret = htmm_tracker_init_shard(tracker, i, start->max_pages, node[i]);
		if (ret)
			goto err_shards;
	}
	tracker->next_cooling = htmm_cooling_due(0, tracker->cooling_period, 0);
	tracker->next_adaptation = tracker->adaptation_period;
	mutex_init(&tracker->exit_lock);
	mutex_init(&tracker->mm_lock);
	init_rwsem(&tracker->lock);
	htmm_tracker_adapt(tracker);
	tracker->adaptations = 0;
	return tracker;

err_shards:
	htmm_mm_set_destroy(&tracker->mm_set);
	htmm_tracker_free(tracker, i);
	return ERR_PTR(ret);
}

static void htmm_tracker_release(struct kref *ref)
{
	struct htmm_tracker *tracker = container_of(ref, struct htmm_tracker, ref);

	htmm_target_put(&tracker->target);
	htmm_mm_set_destroy(&tracker->mm_set);
	mutex_destroy(&tracker->mm_lock);
	mutex_destroy(&tracker->exit_lock);
	htmm_tracker_free(tracker, tracker->nr_shards);
}

/**
 * htmm_tracker_put - drop a reference
 * @tracker: the tracker; with the last reference it is freed
 *
 * Context: process, may sleep, for a long time if it was the last reference.
 */
void htmm_tracker_put(struct htmm_tracker *tracker)
{
	kref_put(&tracker->ref, htmm_tracker_release);
}

static void htmm_tracker_drop(struct htmm_tracker *tracker, struct htmm_batch *batch,
			      u32 start, u32 n, enum htmm_drop why)
{
	htmm_batch_drop(batch, start, n, why);
	atomic64_add(n, &tracker->drops[why]);
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

/* The address space of a run, as by htmm_mm_set_get(). */
static struct htmm_mm *htmm_tracker_get_mm(struct htmm_tracker *tracker,
					   const struct htmm_run *run)
{
	struct htmm_mm *mm = htmm_mm_set_lookup(&tracker->mm_set, run->pid, run->cookie);

	if (likely(mm))
		return mm;
	mutex_lock(&tracker->mm_lock);
	mm = htmm_mm_set_get(&tracker->mm_set, run->pid, run->cookie);
	mutex_unlock(&tracker->mm_lock);
	return mm;
}

/*
 * Find the address spaces of up to @room samples of runs before @end. Samples without one
 * are dropped. Stop behind samples that have one if those that follow have none, and at the
 * first run that needs a new address space when there is no room for it. @pos is moved. The
 * address spaces are not removed while @tracker->lock is held. Returns the number of samples
 * that can be counted now, and sets @first to the first of them.
 */
static u32 htmm_tracker_resolve(struct htmm_tracker *tracker, struct htmm_batch *batch,
				struct htmm_batch_pos *pos, u32 end, u64 room, u32 *first)
{
	const struct htmm_run *run;
	u32 start, n, resolved = 0;
	struct htmm_mm *mm;

	while (pos->run < end && room) {
		run = &batch->run[pos->run];
		start = run->start + pos->done;
		n = min_t(u64, htmm_batch_length(run) - pos->done, room);
		mm = htmm_tracker_get_mm(tracker, run);
		if (mm == ERR_PTR(-EBUSY) && !batch->crowded) {
			batch->stuck = true;
			break;
		}
		if (IS_ERR(mm) && resolved)
			break;
		if (!resolved)
			*first = start;
		if (IS_ERR(mm)) {
			htmm_tracker_drop(tracker, batch, start, n,
					  htmm_tracker_why(PTR_ERR(mm)));
		} else {
			htmm_batch_resolve(batch, start, n, mm->id);
			resolved += n;
		}
		room -= n;
		pos->done += n;
		if (pos->done == htmm_batch_length(run))
			*pos = (struct htmm_batch_pos) { .run = pos->run + 1 };
	}
	return resolved;
}

/* Add @n samples of the batch from @first on. Returns how many were counted. */
static u32 htmm_tracker_count(struct htmm_tracker *tracker,
			      struct htmm_batch *batch, u32 first, u32 n)
{
	unsigned int shards = tracker->nr_shards, shard;
	const struct htmm_table_sample *samples;
	u32 i, refused, at, start = 0, counted = 0;

	samples = htmm_batch_by_shard(batch, first, n, shards);
	for (shard = 0; shard < shards; shard++) {
		n = batch->shard_end[shard] - start;
		if (!n)
			continue;
		refused = htmm_shard_add(&tracker->shards[shard],
					 samples + start, n,
					 &batch->spares, batch->refused);
		for (i = 0; i < refused; i++) {
			at = htmm_batch_unsorted(batch, first, start + batch->refused[i],
						 shards);
			htmm_tracker_drop(tracker, batch, at, 1, HTMM_DROP_TABLE_FULL);
		}
		counted += n - refused;
		start += n;
	}
	return counted;
}

/*
 * Add samples of runs before @end, but not more than may be counted before the next cooling
 * or adaptation is due, so that both happen at the exact sample. If other threads add at
 * the same time, they happen late by at most one batch of each thread. @pos is moved.
 */
static void htmm_tracker_add_some(struct htmm_tracker *tracker, struct htmm_batch *batch,
				  struct htmm_batch_pos *pos, u32 end)
{
	u64 samples, due;
	u32 n, first = 0;

	down_read(&tracker->lock);
	due = min(tracker->next_cooling, tracker->next_adaptation);
	samples = atomic64_read(&tracker->samples);
	if (samples < due) {
		n = htmm_tracker_resolve(tracker, batch, pos, end, due - samples, &first);
		n = htmm_tracker_count(tracker, batch, first, n);
		samples = atomic64_add_return(n, &tracker->samples);
	}
	up_read(&tracker->lock);

	if (samples >= due)
		htmm_tracker_settle(tracker);
}

/**
 * htmm_tracker_add - count a target's part of a batch
 * @tracker: the target's tables
 * @batch: the batch; samples that are not counted are dropped from it
 * @first: the first run of the part
 * @n: runs in the part
 *
 * Context: a drain thread; may sleep. Takes @tracker->lock.
 */
void htmm_tracker_add(struct htmm_tracker *tracker, struct htmm_batch *batch,
		      u32 first, u32 n)
{
	struct htmm_batch_pos pos = { .run = first };

	batch->crowded = false;
	while (pos.run < first + n) {
		batch->stuck = false;
		htmm_tracker_add_some(tracker, batch, &pos, first + n);
		if (batch->stuck)
			batch->crowded = !htmm_tracker_make_room(tracker);
	}
}

/**
 * htmm_tracker_tidy - one bounded step of housekeeping
 * @tracker: the tables
 * @shard: the shard to tidy; each belongs to one drain thread
 *
 * Frees the memory of what has cooled to zero. The first shard's thread also forgets the pages
 * of exited processes in all shards, unless the session keeps them.
 *
 * Context: a drain thread; may sleep. Takes @tracker->lock.
 * Return: true if there is more to do.
 */
bool htmm_tracker_tidy(struct htmm_tracker *tracker, unsigned int shard)
{
	bool more;

	more = htmm_shard_reclaim(&tracker->shards[shard]);
	if (!shard)
		more |= htmm_tracker_reap(tracker);
	return more;
}

/**
 * htmm_tracker_unused - count the pages that htmm_tracker_shrink() could give back
 * @tracker: the tables
 * @nr: not used
 *
 * Context: any.
 * Return: the approximate number.
 */
unsigned long htmm_tracker_unused(struct htmm_tracker *tracker, unsigned long nr)
{
	unsigned long pages = 0;
	unsigned int i;

	for (i = 0; i < tracker->nr_shards; i++)
		pages += htmm_shard_unused(&tracker->shards[i]);
	return pages;
}

/**
 * htmm_tracker_shrink - give unused memory back
 * @tracker: the tables
 * @nr: number of pages wanted
 *
 * Context: process, in any memory allocation that may sleep.
 * Return: number of pages given back.
 */
unsigned long htmm_tracker_shrink(struct htmm_tracker *tracker, unsigned long nr)
{
	unsigned int shards = tracker->nr_shards, i;
	unsigned long pages = 0;

	for (i = 0; i < shards; i++)
		pages += htmm_shard_shrink(&tracker->shards[i], DIV_ROUND_UP(nr, shards));
	return pages;
}

/**
 * htmm_tracker_get_stats - read the totals
 * @tracker: the tables
 * @stats: set to the totals
 *
 * Context: process, may sleep. Takes @tracker->lock.
 */
void htmm_tracker_get_stats(struct htmm_tracker *tracker,
			    struct htmm_tracker_stats *stats)
{
	unsigned int i;

	*stats = (struct htmm_tracker_stats) {};
	down_read(&tracker->lock);
	stats->samples = atomic64_read(&tracker->samples);
	stats->coolings = tracker->coolings;
	stats->adaptations = tracker->adaptations;
	for (i = 0; i < tracker->nr_shards; i++)
		htmm_shard_get_stats(&tracker->shards[i], &stats->table,
				     &stats->exited, &stats->freed);
	up_read(&tracker->lock);
	mutex_lock(&tracker->mm_lock);
	stats->mms = tracker->mm_set.nr;
	mutex_unlock(&tracker->mm_lock);

	for (i = 0; i < HTMM_NR_DROPS; i++)
		stats->drops[i] = atomic64_read(&tracker->drops[i]);
}

/**
 * htmm_tracker_get_hits - add the counts of all pages to a sum
 * @tracker: the tables
 * @kind: of base pages or of regions
 * @sum: the counts are added
 *
 * Context: process, may sleep. Takes the shards' locks, one after the other.
 * Return: 0; -EINTR if a signal came before the end: then @sum is of no use.
 */
int htmm_tracker_get_hits(struct htmm_tracker *tracker, enum htmm_kind kind,
			  struct htmm_hits *sum)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < tracker->nr_shards; i++)
		ret = htmm_shard_get_hits(&tracker->shards[i], kind, sum);
	return ret;
}

/**
 * htmm_tracker_get_counts - the counts of all pages of a region
 * @tracker: the tables
 * @mm: the region's address space
 * @vpn: any of its pages
 * @count: as for htmm_table_counts()
 * @tracked: likewise
 *
 * Context: process, may sleep. Takes a shard's lock.
 */
void htmm_tracker_get_counts(struct htmm_tracker *tracker, u32 mm, u64 vpn, u32 *count,
			     u64 *tracked)
{
	u32 shard = htmm_table_shard(htmm_page(mm, vpn), tracker->nr_shards);

	htmm_shard_get_counts(&tracker->shards[shard], mm, vpn, count, tracked);
}

/**
 * htmm_tracker_scan - let a listing scan the tables
 * @tracker: the tables
 * @list: the listing; by place, @list->after is an entry of these tables or NULL, and is set
 *	to NULL
 *
 * Context: process, may sleep. Takes the shards' locks, one after the other.
 * Return: 0; -EINTR if a signal came before the end: then only a listing by place is of use,
 * and can continue after its last entry.
 */
int htmm_tracker_scan(struct htmm_tracker *tracker, struct htmm_topn *list)
{
	bool by_place = list->order == HTMM_TOPN_BY_PLACE;
	unsigned int i = 0;
	int ret = 0;

	if (by_place && list->after)
		i = htmm_table_shard(htmm_page(list->after->mm, list->after->vpn),
				     tracker->nr_shards);
	for (; !ret && i < tracker->nr_shards && !(by_place && htmm_topn_complete(list)); i++) {
		ret = htmm_shard_scan(&tracker->shards[i], list);
		if (by_place)
			list->after = NULL;
	}
	return ret;
}

/* The pid of an address space in the reader's pid namespace, or 0. */
static u32 htmm_mm_vnr(const struct htmm_mm *mm)
{
	if (mm->pid)
		return pid_vnr(mm->pid);
	return task_active_pid_ns(current) == &init_pid_ns ? mm->nr : 0;
}

/**
 * htmm_tracker_get_owner - the process of an address space, as the caller sees it
 * @tracker: the tables of the address space
 * @mm: its number
 * @owner: set
 *
 * Context: process context of the reader, whose pid namespace counts; may
 * sleep. Takes @tracker->mm_lock.
 */
void htmm_tracker_get_owner(struct htmm_tracker *tracker, u32 mm,
			    struct htmm_mm_owner *owner)
{
	const struct htmm_mm *found;

	mutex_lock(&tracker->mm_lock);
	found = htmm_mm_set_find(&tracker->mm_set, mm);
	*owner = (struct htmm_mm_owner) {
		.pid = found ? htmm_mm_vnr(found) : 0,
		.exited = !found || !htmm_mm_alive(found),
	};
	mutex_unlock(&tracker->mm_lock);
}

/**
 * htmm_tracker_find_mms - find all address spaces of a process
 * @tracker: the tables
 * @pid: the process in the caller's pid namespace
 * @mms: bitmap of HTMM_MM_WORDS words; the bits of all address spaces that the process has
 *	had are set, and all others cleared
 *
 * Context: process context of the reader; may sleep. Takes @tracker->mm_lock.
 * Return: true if there is any.
 */
bool htmm_tracker_find_mms(struct htmm_tracker *tracker, u32 pid, u64 *mms)
{
	struct htmm_mm *mm;
	unsigned long id;
	bool some = false;

	memset(mms, 0, HTMM_MM_WORDS * sizeof(*mms));
	mutex_lock(&tracker->mm_lock);
	xa_for_each(&tracker->mm_set.by_id, id, mm) {
		if (htmm_mm_vnr(mm) != pid)
			continue;
		mms[id / 64] |= BIT_ULL(id % 64);
		some = true;
	}
	mutex_unlock(&tracker->mm_lock);
	return some;
}
