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
#include "space.h"
#include "sample/cookie.h"

static_assert(4 * HTMM_SPACE_BYTES <= HTMM_BYTES_PER_SPACE);

/*
 * @max_bytes: limit of the table with their pages; address spaces take at most a quarter of it.
 * @keep_gone: keep address spaces that are gone, and add processes that exited before their first
 * sample was drained. Returns 0 or -ENOMEM.
 */
int htmm_space_set_init(struct htmm_space_set *set, u64 max_bytes, bool keep_gone)
{
	xa_init_flags(&set->by_id, XA_FLAGS_ALLOC1);
	set->nr = 0;
	set->max = clamp_t(u64, max_bytes / HTMM_BYTES_PER_SPACE, 1, HTMM_MAX_SPACES);
	set->keep_gone = keep_gone;
	set->next = 1;
	set->sweep = 0;
	set->highest = 0;
	set->hash_bits = ilog2(roundup_pow_of_two(set->max) / 2 ?: 1);
	set->by_cookie = kvcalloc(1UL << set->hash_bits, sizeof(*set->by_cookie), HTMM_GFP);
	return set->by_cookie ? 0 : -ENOMEM;
}

/* Free a set. May sleep. */
void htmm_space_set_destroy(struct htmm_space_set *set)
{
	struct htmm_space *space;
	unsigned long id;

	xa_for_each(&set->by_id, id, space) {
		htmm_space_set_remove(set, space);
		cond_resched();
	}
	xa_destroy(&set->by_id);
	kvfree(set->by_cookie);
}

static struct hlist_head *htmm_space_chain(struct htmm_space_set *set, u32 nr, u64 cookie)
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
bool htmm_space_alive(const struct htmm_space *space)
{
	return !space->gone && htmm_pid_runs(space->pid, space->cookie);
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
struct mm_struct *htmm_space_get_mm(const struct htmm_space *space)
{
	struct mm_struct *found = NULL;
	struct task_struct *leader;

	if (space->gone)
		return NULL;
	rcu_read_lock();
	leader = pid_task(space->pid, PIDTYPE_TGID);
	if (leader && down_read_trylock(&leader->signal->exec_update_lock)) {
		if (htmm_cookie(leader) == space->cookie)
			found = htmm_task_mm(leader);
		up_read(&leader->signal->exec_update_lock);
	}
	rcu_read_unlock();
	return found;
}

static struct htmm_space *htmm_space_set_add(struct htmm_space_set *set, u32 nr,
					     u64 cookie, struct pid *pid)
{
	struct htmm_space *space;
	int ret;

	if (set->nr >= set->max)
		return ERR_PTR(-EBUSY);
	/* The caller holds a lock that readers wait for, so do not wait for memory. */
	space = kzalloc(sizeof(*space), HTMM_GFP_LOCKED);
	if (!space)
		return ERR_PTR(-ENOMEM);

	*space = (struct htmm_space) {
		.nr = nr,
		.cookie = cookie,
		.pid = pid,
		.gone = !pid,
	};
	ret = xa_alloc_cyclic(&set->by_id, &space->id, space,
			      XA_LIMIT(1, HTMM_SPACE_MAX), &set->next, HTMM_GFP_LOCKED);
	if (ret < 0) {
		kfree(space);
		return ERR_PTR(ret);
	}
	set->highest = max(set->highest, space->id);
	hlist_add_head(&space->node, htmm_space_chain(set, nr, cookie));
	set->nr++;
	return space;
}

static struct htmm_space *htmm_space_set_lookup(struct htmm_space_set *set, u32 nr, u64 cookie)
{
	struct htmm_space *space;

	hlist_for_each_entry(space, htmm_space_chain(set, nr, cookie), node)
		if (space->cookie == cookie && space->nr == nr)
			return space->exiting ? ERR_PTR(-ESRCH) : space;
	return NULL;
}

/*
 * The address space of a sample of process @nr in the initial pid namespace, added if it is not
 * known; or -ESRCH if its process has exited or it is being removed, -EBUSY if there are too many
 * address spaces already, -ENOMEM. Context: process context in the initial pid namespace.
 */
struct htmm_space *htmm_space_set_get(struct htmm_space_set *set, u32 nr, u64 cookie)
{
	struct htmm_space *space = htmm_space_set_lookup(set, nr, cookie);
	struct pid *pid;

	if (space)
		return space;

	pid = find_get_pid(nr);
	if (pid && !htmm_pid_runs(pid, cookie)) {
		put_pid(pid);
		pid = NULL;
	}
	if (!pid && !set->keep_gone)
		return ERR_PTR(-ESRCH);

	space = htmm_space_set_add(set, nr, cookie, pid);
	if (IS_ERR(space))
		put_pid(pid);
	return space;
}

/*
 * A region of an address space was created (1), or is about to be removed (-1): it is not removed
 * itself while it has regions.
 */
void htmm_space_set_note(struct htmm_space_set *set, u32 id, int change)
{
	struct htmm_space *space = xa_load(&set->by_id, id);

	if (!WARN_ON_ONCE(!space))
		space->regions += change;
}

/*
 * Find an address space to forget among the next @budget ones; NULL if there is none. Without
 * @keep_gone it is any that is gone; with it, one without pages or, if there is no room for
 * another address space, the one with the fewest regions.
 */
struct htmm_space *htmm_space_set_find_gone(struct htmm_space_set *set, unsigned int budget)
{
	struct htmm_space *space, *emptiest = NULL;

	while (budget--) {
		/* With a limit, or it looks at all free places behind the last one. */
		space = xa_find_after(&set->by_id, &set->sweep, set->highest, XA_PRESENT);
		if (!space) {
			set->sweep = 0;
			break;
		}
		space->gone = !htmm_space_alive(space);
		if (!space->gone)
			continue;
		if (!set->keep_gone || !space->regions)
			return space;
		if (!emptiest || space->regions < emptiest->regions)
			emptiest = space;
	}
	return set->nr >= set->max ? emptiest : NULL;
}

/* Forget and free an address space, which has no regions. */
void htmm_space_set_remove(struct htmm_space_set *set, struct htmm_space *space)
{
	xa_erase(&set->by_id, space->id);
	hlist_del(&space->node);
	put_pid(space->pid);
	kfree(space);
	set->nr--;
}
