// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "base/alloc.h"
#include "core/table.h"
#include "mm.h"
#include "sample/cookie.h"

static_assert(4 * HTMM_MM_BYTES <= HTMM_BYTES_PER_MM);

/**
 * htmm_mm_set_init - prepare an empty set
 * @set: the set
 * @max_bytes: limit of the tables with their pages, in bytes; address spaces take at most a
 *	quarter of it
 * @keep_gone: keep address spaces that are gone, and add processes that exited before their
 *	first sample was drained
 */
void htmm_mm_set_init(struct htmm_mm_set *set, u64 max_bytes, bool keep_gone)
{
	hash_init(set->by_pid);
	xa_init_flags(&set->by_id, XA_FLAGS_ALLOC1);
	set->nr = 0;
	set->max = clamp_t(u64, max_bytes / HTMM_BYTES_PER_MM, 1,
			   HTMM_MAX_MMS);
	set->keep_gone = keep_gone;
	set->next = 1;
	set->sweep = 0;
}

/**
 * htmm_mm_set_destroy - free a set
 * @set: the set
 *
 * Context: process, may sleep; reschedules.
 */
void htmm_mm_set_destroy(struct htmm_mm_set *set)
{
	struct htmm_mm *mm;
	unsigned long id;

	xa_for_each(&set->by_id, id, mm) {
		htmm_mm_set_remove(set, mm);
		cond_resched();
	}
	xa_destroy(&set->by_id);
}

/* Does @pid still run the program that @cookie stands for? */
static bool htmm_pid_runs(struct pid *pid, u64 cookie)
{
	struct task_struct *task;
	bool alive;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	alive = task && htmm_cookie(task) == cookie;
	rcu_read_unlock();
	return alive;
}

/**
 * htmm_mm_alive - does an address space still exist?
 * @mm: the address space
 *
 * Context: any.
 * Return: false once its process has exited or runs another program.
 */
bool htmm_mm_alive(const struct htmm_mm *mm)
{
	return !mm->gone && htmm_pid_runs(mm->pid, mm->cookie);
}

static struct htmm_mm *htmm_mm_set_add(struct htmm_mm_set *set, u32 nr,
				       u64 cookie, struct pid *pid)
{
	struct htmm_mm *mm;
	int ret;

	if (set->nr >= set->max)
		return ERR_PTR(-EBUSY);
	/* The caller holds a lock that readers wait for, so do not wait for memory. */
	mm = kzalloc(sizeof(*mm), HTMM_GFP_LOCKED);
	if (!mm)
		return ERR_PTR(-ENOMEM);

	*mm = (struct htmm_mm) {
		.nr = nr,
		.cookie = cookie,
		.pid = pid,
		.gone = !pid,
	};
	ret = xa_alloc_cyclic(&set->by_id, &mm->id, mm,
			      XA_LIMIT(1, HTMM_MM_MAX), &set->next,
			      HTMM_GFP_LOCKED);
	if (ret < 0) {
		kfree(mm);
		return ERR_PTR(ret);
	}
	hash_add(set->by_pid, &mm->node, nr);
	set->nr++;
	return mm;
}

/**
 * htmm_mm_set_get - the address space of a sample
 * @set: the set
 * @nr: process of the sample, in the initial pid namespace
 * @cookie: cookie of the sample
 *
 * Context: process context in the initial pid namespace; may sleep.
 * Return: the address space, or -ESRCH if its process has exited, -EBUSY if there are too
 * many address spaces already, -ENOMEM.
 */
struct htmm_mm *htmm_mm_set_get(struct htmm_mm_set *set, u32 nr,
				u64 cookie)
{
	struct htmm_mm *mm;
	struct pid *pid;

	hash_for_each_possible(set->by_pid, mm, node, nr) {
		if (mm->nr == nr && mm->cookie == cookie)
			return mm->exiting ? ERR_PTR(-ESRCH) : mm;
	}

	pid = find_get_pid(nr);
	if (pid && !htmm_pid_runs(pid, cookie)) {
		put_pid(pid);
		pid = NULL;
	}
	if (!pid && !set->keep_gone)
		return ERR_PTR(-ESRCH);

	mm = htmm_mm_set_add(set, nr, cookie, pid);
	if (IS_ERR(mm))
		put_pid(pid);
	return mm;
}

/**
 * htmm_mm_set_find - look up an address space by its number
 * @set: the set
 * @id: its number
 *
 * Return: the address space or NULL.
 */
struct htmm_mm *htmm_mm_set_find(struct htmm_mm_set *set, u32 id)
{
	return xa_load(&set->by_id, id);
}

/**
 * htmm_mm_set_note - a region of an address space was created, or is about to be removed
 * @set: the set
 * @id: the address space, which is not removed while it has regions
 * @change: 1 or -1
 *
 * Context: any; needs no lock.
 */
void htmm_mm_set_note(struct htmm_mm_set *set, u32 id, int change)
{
	struct htmm_mm *mm = xa_load(&set->by_id, id);

	if (!WARN_ON_ONCE(!mm))
		atomic_add(change, &mm->regions);
}

/* Of two address spaces, return the one that is gone and has fewer regions. */
static struct htmm_mm *htmm_mm_emptier(struct htmm_mm *a, struct htmm_mm *b)
{
	if (!b->gone)
		return a;
	return !a || atomic_read(&b->regions) < atomic_read(&a->regions) ? b : a;
}

/**
 * htmm_mm_set_forgets - is an address space to be forgotten?
 * @set: the set
 * @mm: the address space
 *
 * Without @keep_gone, as soon as it is gone; with @keep_gone, when it is gone and has no
 * pages left, or when there is no room for another one.
 */
bool htmm_mm_set_forgets(const struct htmm_mm_set *set, const struct htmm_mm *mm)
{
	return mm->gone && (!set->keep_gone || !atomic_read(&mm->regions) ||
			    set->nr >= set->max);
}

/**
 * htmm_mm_set_find_gone - find an address space to forget
 * @set: the set
 * @budget: most address spaces to look at; the next call continues after them
 *
 * If there is no room for another address space, choose the one with the fewest regions of
 * those that were looked at and are gone.
 *
 * Return: an address space for which htmm_mm_set_forgets() is true, or NULL. It may have no
 * regions because its first samples are about to be counted.
 */
struct htmm_mm *htmm_mm_set_find_gone(struct htmm_mm_set *set, unsigned int budget)
{
	struct htmm_mm *mm, *emptiest = NULL;

	while (budget--) {
		mm = xa_find_after(&set->by_id, &set->sweep, ULONG_MAX,
				   XA_PRESENT);
		if (!mm) {
			set->sweep = 0;
			break;
		}
		mm->gone = !htmm_mm_alive(mm);
		if (mm->gone && (!set->keep_gone || !atomic_read(&mm->regions)))
			return mm;
		emptiest = htmm_mm_emptier(emptiest, mm);
	}
	return emptiest && htmm_mm_set_forgets(set, emptiest) ? emptiest : NULL;
}

/**
 * htmm_mm_set_remove - forget one address space
 * @set: the set
 * @mm: the address space, which must have no tracked pages; it is freed
 */
void htmm_mm_set_remove(struct htmm_mm_set *set, struct htmm_mm *mm)
{
	xa_erase(&set->by_id, mm->id);
	hash_del(&mm->node);
	put_pid(mm->pid);
	kfree(mm);
	set->nr--;
}
