// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "base/alloc.h"
#include "core/table.h"
#include "mm.h"
#include "sample/cookie.h"

static_assert(4 * HTMM_MM_BYTES <= HTMM_BYTES_PER_MM);

/*
 * @max_bytes: limit of the table with their pages; address spaces take at most a quarter of it.
 * @keep_gone: keep address spaces that are gone, and add processes that exited before their first
 * sample was drained. Returns 0 or -ENOMEM.
 */
int htmm_mm_set_init(struct htmm_mm_set *set, u64 max_bytes, bool keep_gone)
{
	xa_init_flags(&set->by_id, XA_FLAGS_ALLOC1);
	set->nr = 0;
	set->max = clamp_t(u64, max_bytes / HTMM_BYTES_PER_MM, 1,
			   HTMM_MAX_MMS);
	set->keep_gone = keep_gone;
	set->next = 1;
	set->sweep = 0;
	set->highest = 0;
	set->hash_bits = ilog2(roundup_pow_of_two(set->max) / 2 ?: 1);
	set->by_cookie = kvcalloc(1UL << set->hash_bits, sizeof(*set->by_cookie), HTMM_GFP);
	return set->by_cookie ? 0 : -ENOMEM;
}

/* Free a set. May sleep. */
void htmm_mm_set_destroy(struct htmm_mm_set *set)
{
	struct htmm_mm *mm;
	unsigned long id;

	xa_for_each(&set->by_id, id, mm) {
		htmm_mm_set_remove(set, mm);
		cond_resched();
	}
	xa_destroy(&set->by_id);
	kvfree(set->by_cookie);
}

static struct hlist_head *htmm_mm_chain(struct htmm_mm_set *set, u32 nr, u64 cookie)
{
	/* hash_64() does not take 0 bits. */
	return &set->by_cookie[hash_64(cookie ^ nr, 32) & ((1U << set->hash_bits) - 1)];
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

/* False once the process of an address space has exited or runs another program. */
bool htmm_mm_alive(const struct htmm_mm *mm)
{
	return !mm->gone && htmm_pid_runs(mm->pid, mm->cookie);
}

/* The main thread of a process may have exited before the others. */
static struct mm_struct *htmm_task_mm(struct task_struct *leader)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	for_each_thread(leader, task) {
		mm = get_task_mm(task);
		if (mm)
			break;
	}
	return mm;
}

/*
 * Get the memory of an address space, with a reference for mmput_async(); NULL if its process
 * has exited or runs another program, or is about to: during exec() there is a moment in which
 * a process has its new memory and still the cookie of its old one.
 */
struct mm_struct *htmm_mm_get(const struct htmm_mm *mm)
{
	struct mm_struct *found = NULL;
	struct task_struct *leader;

	if (mm->gone)
		return NULL;
	rcu_read_lock();
	leader = pid_task(mm->pid, PIDTYPE_TGID);
	if (leader && down_read_trylock(&leader->signal->exec_update_lock)) {
		if (htmm_cookie(leader) == mm->cookie)
			found = htmm_task_mm(leader);
		up_read(&leader->signal->exec_update_lock);
	}
	rcu_read_unlock();
	return found;
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
	set->highest = max(set->highest, mm->id);
	hlist_add_head(&mm->node, htmm_mm_chain(set, nr, cookie));
	set->nr++;
	return mm;
}

static struct htmm_mm *htmm_mm_set_lookup(struct htmm_mm_set *set, u32 nr, u64 cookie)
{
	struct htmm_mm *mm;

	hlist_for_each_entry(mm, htmm_mm_chain(set, nr, cookie), node)
		if (mm->cookie == cookie && mm->nr == nr)
			return mm->exiting ? ERR_PTR(-ESRCH) : mm;
	return NULL;
}

/*
 * The address space of a sample of process @nr in the initial pid namespace, added if it is not
 * known; or -ESRCH if its process has exited or it is being removed, -EBUSY if there are too many
 * address spaces already, -ENOMEM. Context: process context in the initial pid namespace.
 */
struct htmm_mm *htmm_mm_set_get(struct htmm_mm_set *set, u32 nr, u64 cookie)
{
	struct htmm_mm *mm = htmm_mm_set_lookup(set, nr, cookie);
	struct pid *pid;

	if (mm)
		return mm;

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

/* The address space with a number, or NULL. */
struct htmm_mm *htmm_mm_set_find(struct htmm_mm_set *set, u32 id)
{
	return xa_load(&set->by_id, id);
}

/*
 * A region of an address space was created (1), or is about to be removed (-1): it is not removed
 * itself while it has regions.
 */
void htmm_mm_set_note(struct htmm_mm_set *set, u32 id, int change)
{
	struct htmm_mm *mm = xa_load(&set->by_id, id);

	if (!WARN_ON_ONCE(!mm))
		mm->regions += change;
}

/* Of two address spaces, return the one that is gone and has fewer regions. */
static struct htmm_mm *htmm_mm_emptier(struct htmm_mm *a, struct htmm_mm *b)
{
	if (!b->gone)
		return a;
	return !a || b->regions < a->regions ? b : a;
}

/*
 * Must an address space be forgotten? Without @keep_gone, as soon as it is gone; with
 * @keep_gone, when it is gone and has no pages left, or when there is no room for another one.
 */
static bool htmm_mm_set_forgets(const struct htmm_mm_set *set, const struct htmm_mm *mm)
{
	return mm->gone && (!set->keep_gone || !mm->regions ||
			    set->nr >= set->max);
}

/*
 * Find an address space to forget among the next @budget ones; NULL if there is none. If there
 * is no room for another address space, it is the one with the fewest regions of those that are
 * gone.
 */
struct htmm_mm *htmm_mm_set_find_gone(struct htmm_mm_set *set, unsigned int budget)
{
	struct htmm_mm *mm, *emptiest = NULL;

	while (budget--) {
		/* With a limit, or it looks at all free places behind the last one. */
		mm = xa_find_after(&set->by_id, &set->sweep, set->highest, XA_PRESENT);
		if (!mm) {
			set->sweep = 0;
			break;
		}
		mm->gone = !htmm_mm_alive(mm);
		if (mm->gone && (!set->keep_gone || !mm->regions))
			return mm;
		emptiest = htmm_mm_emptier(emptiest, mm);
	}
	return emptiest && htmm_mm_set_forgets(set, emptiest) ? emptiest : NULL;
}

/* Forget and free an address space, which has no regions. */
void htmm_mm_set_remove(struct htmm_mm_set *set, struct htmm_mm *mm)
{
	xa_erase(&set->by_id, mm->id);
	hlist_del(&mm->node);
	put_pid(mm->pid);
	kfree(mm);
	set->nr--;
}
