// SPDX-License-Identifier: GPL-2.0
/*
 * What others read of a target. All functions but one take the lock of the tracker, and may sleep.
 * The drain thread waits for the lock meanwhile, so that a walk over the table is done in slices.
 */
#include <linux/delay.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "tracker.h"

/* Hash chains that a reader visits before it releases the lock: up to 256 regions. */
#define HTMM_LIST_SLICE		(256 * HTMM_SCAN_REGION)
/* A reader then waits this many times as long as it held the lock, */
#define HTMM_LIST_PAUSE			47
/* but at most this long, in microseconds: it may have been preempted with the lock held. */
#define HTMM_LIST_MAX_PAUSE		10000

/* Context: @tracker->lock is held. */
void htmm_tracker_read_stats(struct htmm_tracker *tracker, struct htmm_tracker_stats *stats)
{
	lockdep_assert_held(tracker->lock);

	*stats = tracker->stats;
	htmm_table_get_stats(&tracker->table, &stats->table);
	stats->samples = stats->table.counted;
	stats->mms = tracker->mm_set.nr;
}

void htmm_tracker_get_stats(struct htmm_tracker *tracker, struct htmm_tracker_stats *stats)
{
	mutex_lock(tracker->lock);
	htmm_tracker_read_stats(tracker, stats);
	mutex_unlock(tracker->lock);
}

void htmm_tracker_get_hist(struct htmm_tracker *tracker, enum htmm_unit unit,
			   struct htmm_tracker_hist *out)
{
	mutex_lock(tracker->lock);
	htmm_tracker_read_hist(tracker, unit, out);
	mutex_unlock(tracker->lock);
}

/*
 * Pause between two slices; the previous one began at @since nanoseconds. Without a pause a
 * reader would get the lock as often as the drain thread, which would mostly wait, because a
 * slice takes longer than a batch; and the walk displaces data from the cache. Any signal ends
 * a walk: the freezer and a debugger, too, send one, and wait for the caller to leave the
 * kernel. Returns 0 or -EINTR.
 */
static int htmm_tracker_rest(struct htmm_tracker *tracker, u64 *since)
{
	u64 pause;

	if (signal_pending(current))
		return -EINTR;
	mutex_unlock(tracker->lock);
	pause = (ktime_get_ns() - *since) * HTMM_LIST_PAUSE / NSEC_PER_USEC;
	pause = clamp_t(u64, pause, 1, HTMM_LIST_MAX_PAUSE);
	usleep_range(pause, pause + pause / 4);
	mutex_lock(tracker->lock);
	*since = ktime_get_ns();
	return 0;
}

/*
 * Let a listing scan the table. The lock is held for at most 1/48 of the time. By place,
 * @list->after is an entry of this table or NULL, and is set to NULL. Returns 0; -EINTR if a
 * signal came before the end: then only a listing by place is of use, and can continue after
 * its last entry.
 */
int htmm_tracker_scan(struct htmm_tracker *tracker, struct htmm_topn *list)
{
	int ret = 0;
	u64 since;

	mutex_lock(tracker->lock);
	since = ktime_get_ns();
	htmm_topn_begin(list, &tracker->table);
	while (!ret && htmm_topn_scan(list, &tracker->table, HTMM_LIST_SLICE))
		ret = htmm_tracker_rest(tracker, &since);
	mutex_unlock(tracker->lock);
	if (list->order == HTMM_ORDER_TABLE)
		list->after = NULL;
	return ret;
}

/*
 * Add the counts of all pages to @sum, as htmm_tracker_scan() visits them. Returns 0; -EINTR if a
 * signal came before the end: then @sum is of no use.
 */
int htmm_tracker_get_hits(struct htmm_tracker *tracker, enum htmm_unit unit,
			  struct htmm_hits *sum)
{
	struct htmm_scan scan = { .unit = unit };
	int ret = 0;
	u64 since;

	mutex_lock(tracker->lock);
	since = ktime_get_ns();
	while (!ret && htmm_hits_scan(sum, &tracker->table, &scan, HTMM_LIST_SLICE))
		ret = htmm_tracker_rest(tracker, &since);
	mutex_unlock(tracker->lock);
	return ret;
}

/* As htmm_table_counts(). */
void htmm_tracker_get_counts(struct htmm_tracker *tracker, u32 mm, u64 vpn, u32 *count,
			     u64 *tracked)
{
	mutex_lock(tracker->lock);
	htmm_table_counts(&tracker->table, mm, vpn, count, tracked);
	mutex_unlock(tracker->lock);
}

/* The pid of an address space in the reader's pid namespace, or 0. */
static u32 htmm_mm_vnr(const struct htmm_mm *mm)
{
	if (mm->pid)
		return pid_vnr(mm->pid);
	return task_active_pid_ns(current) == &init_pid_ns ? mm->nr : 0;
}

/* The process of an address space, in the pid namespace of the caller. */
void htmm_tracker_get_owner(struct htmm_tracker *tracker, u32 mm,
			    struct htmm_mm_owner *owner)
{
	const struct htmm_mm *found;

	mutex_lock(tracker->lock);
	found = htmm_mm_set_find(&tracker->mm_set, mm);
	*owner = (struct htmm_mm_owner) {
		.pid = found ? htmm_mm_vnr(found) : 0,
		.exited = !found || !htmm_mm_alive(found),
	};
	mutex_unlock(tracker->lock);
}

/*
 * Find all address spaces that a process has had; @pid is in the caller's pid namespace. Sets
 * their bits in the bitmap @mms of HTMM_MM_WORDS words, and clears all others. Returns true if
 * there are any.
 */
bool htmm_tracker_find_mms(struct htmm_tracker *tracker, u32 pid, u64 *mms)
{
	struct htmm_mm *mm;
	unsigned long id;
	bool some = false;

	memset(mms, 0, HTMM_MM_WORDS * sizeof(*mms));
	mutex_lock(tracker->lock);
	xa_for_each(&tracker->mm_set.by_id, id, mm) {
		if (htmm_mm_vnr(mm) != pid)
			continue;
		mms[id / 64] |= BIT_ULL(id % 64);
		some = true;
	}
	mutex_unlock(tracker->lock);
	return some;
}
