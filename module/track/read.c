// SPDX-License-Identifier: GPL-2.0
/*
 * What others read of a target. All functions but one take the lock of the target, and may sleep.
 * The drain thread waits for the lock meanwhile, so that a walk over the table is done in slices.
 */
#include <linux/delay.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "target.h"

/* Hash chains that a reader visits before it releases the lock: up to 256 regions. */
#define HTMM_LIST_SLICE		(256 * HTMM_SCAN_REGION)
/* A reader then waits this many times as long as it held the lock, */
#define HTMM_LIST_PAUSE			47
/* but at most this long, in microseconds: it may have been preempted with the lock held. */
#define HTMM_LIST_MAX_PAUSE		10000

/* Add what the target has counted to @sum, an array by enum htmm_stat. @target->lock is held. */
void htmm_target_add_stats(struct htmm_target_table *target, u64 *sum)
{
	lockdep_assert_held(target->lock);

	htmm_stats_add(sum, target->stats);
	sum[HTMM_STAT_SAMPLES] += target->table.stats.counted;
	sum[HTMM_STAT_COOLINGS] += target->table.epoch;
	sum[HTMM_STAT_EVICTED] += target->table.stats.evicted;
}

/*
 * Pause between two slices; the previous one began at @since nanoseconds. Without a pause a
 * reader would get the lock as often as the drain thread, which would mostly wait, because a
 * slice takes longer than a batch; and the walk displaces data from the cache. Any signal ends
 * a walk: the freezer and a debugger, too, send one, and wait for the caller to leave the
 * kernel. Returns 0 or -EINTR.
 */
static int htmm_target_rest(struct htmm_target_table *target, u64 *since)
{
	u64 pause;

	if (signal_pending(current))
		return -EINTR;
	mutex_unlock(target->lock);
	pause = (ktime_get_ns() - *since) * HTMM_LIST_PAUSE / NSEC_PER_USEC;
	pause = clamp_t(u64, pause, 1, HTMM_LIST_MAX_PAUSE);
	usleep_range(pause, pause + pause / 4);
	mutex_lock(target->lock);
	*since = ktime_get_ns();
	return 0;
}

/*
 * Let a listing scan the table. The lock is held for at most 1/48 of the time. By place,
 * @list->after is an entry of this table or NULL. Returns 0; -EINTR if a signal came before the
 * end: then only a listing by place is of use, and can continue after its last entry.
 */
int htmm_target_scan(struct htmm_target_table *target, struct htmm_topn *list)
{
	int ret = 0;
	u64 since;

	mutex_lock(target->lock);
	since = ktime_get_ns();
	htmm_topn_begin(list, &target->table);
	while (!ret && htmm_topn_scan(list, &target->table, HTMM_LIST_SLICE))
		ret = htmm_target_rest(target, &since);
	mutex_unlock(target->lock);
	return ret;
}

/*
 * Add the counts of all pages to @sum, as htmm_target_scan() visits them. Returns 0; -EINTR if a
 * signal came before the end: then @sum is of no use.
 */
int htmm_target_get_hits(struct htmm_target_table *target, enum htmm_unit unit,
			 struct htmm_hits *sum)
{
	struct htmm_scan scan = { .unit = unit };
	int ret = 0;
	u64 since;

	mutex_lock(target->lock);
	since = ktime_get_ns();
	while (!ret && htmm_hits_scan(sum, &target->table, &scan, HTMM_LIST_SLICE))
		ret = htmm_target_rest(target, &since);
	mutex_unlock(target->lock);
	return ret;
}

/* The pid of an address space in the reader's pid namespace, or 0. */
static u32 htmm_space_vnr(const struct htmm_space *space)
{
	if (space->pid)
		return pid_vnr(space->pid);
	return task_active_pid_ns(current) == &init_pid_ns ? space->nr : 0;
}

/* The process of an address space, in the pid namespace of the caller. */
void htmm_target_get_owner(struct htmm_target_table *target, u32 space,
			   struct htmm_space_owner *owner)
{
	const struct htmm_space *found;

	mutex_lock(target->lock);
	found = xa_load(&target->spaces.by_id, space);
	*owner = (struct htmm_space_owner) {
		.pid = found ? htmm_space_vnr(found) : 0,
		.exited = !found || !htmm_space_alive(found),
	};
	mutex_unlock(target->lock);
}

/*
 * Find all address spaces that a process has had; @pid is in the caller's pid namespace. Sets
 * their bits in the bitmap @spaces of HTMM_SPACE_WORDS words, and clears all others. Returns
 * true if there are any.
 */
bool htmm_target_find_spaces(struct htmm_target_table *target, u32 pid, u64 *spaces)
{
	struct htmm_space *space;
	unsigned long id;
	bool some = false;

	memset(spaces, 0, HTMM_SPACE_WORDS * sizeof(*spaces));
	mutex_lock(target->lock);
	xa_for_each(&target->spaces.by_id, id, space) {
		if (htmm_space_vnr(space) != pid)
			continue;
		spaces[id / 64] |= BIT_ULL(id % 64);
		some = true;
	}
	mutex_unlock(target->lock);
	return some;
}
