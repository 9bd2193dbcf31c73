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

static_assert(4 * HTMM_SPACE_BYTES <= HTMM_BYTES_PER_SPACE);

/**
 * htmm_spaces_init - prepare an empty set
 * @spaces: the set
 * @max_bytes: limit of the tables that have their pages, in bytes: what is known of
 *	address spaces takes a quarter of it at most
 */
void htmm_spaces_init(struct htmm_spaces *spaces, u64 max_bytes)
{
	hash_init(spaces->by_pid);
	xa_init_flags(&spaces->by_id, XA_FLAGS_ALLOC1);
	spaces->nr = 0;
	spaces->max = clamp_t(u64, max_bytes / HTMM_BYTES_PER_SPACE, 1,
			      HTMM_MAX_SPACES);
	spaces->next = 1;
	spaces->sweep = 0;
}

/**
 * htmm_spaces_destroy - free a set
 * @spaces: the set
 *
 * Context: process, may sleep, and lets others run between.
 */
void htmm_spaces_destroy(struct htmm_spaces *spaces)
{
	struct htmm_space *space;
	unsigned long id;

	xa_for_each(&spaces->by_id, id, space) {
		htmm_spaces_remove(spaces, space);
		cond_resched();
	}
	xa_destroy(&spaces->by_id);
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
 * htmm_space_alive - does an address space still exist?
 * @space: the address space
 *
 * Context: any.
 * Return: false once its process has exited or runs another program.
 */
bool htmm_space_alive(const struct htmm_space *space)
{
	return !space->gone && htmm_pid_runs(space->pid, space->cookie);
}

static struct htmm_space *htmm_spaces_add(struct htmm_spaces *spaces, u32 nr,
					  u64 cookie, struct pid *pid)
{
	struct htmm_space *space;
	int ret;

	if (spaces->nr >= spaces->max)
		return ERR_PTR(-EBUSY);
	space = kzalloc(sizeof(*space), HTMM_GFP_LOCKED);
	if (!space)
		return ERR_PTR(-ENOMEM);

	*space = (struct htmm_space) {
		.nr = nr,
		.cookie = cookie,
		.pid = pid,
		.gone = !pid,
	};
	ret = xa_alloc_cyclic(&spaces->by_id, &space->id, space,
			      XA_LIMIT(1, HTMM_MM_MAX), &spaces->next,
			      HTMM_GFP_LOCKED);
	if (ret < 0) {
		kfree(space);
		return ERR_PTR(ret);
	}
	hash_add(spaces->by_pid, &space->node, nr);
	spaces->nr++;
	return space;
}

/**
 * htmm_spaces_get - the address space of a sample
 * @spaces: the set
 * @nr: process of the sample, in the initial pid namespace
 * @cookie: cookie of the sample
 * @keep_gone: take up a process that has gone before its first sample came here
 *
 * Context: process context in the initial pid namespace; may sleep.
 * Return: the address space, or -ESRCH if its process has gone, -EBUSY if there
 * are too many already, -ENOMEM.
 */
struct htmm_space *htmm_spaces_get(struct htmm_spaces *spaces, u32 nr,
				   u64 cookie, bool keep_gone)
{
	struct htmm_space *space;
	struct pid *pid;

	hash_for_each_possible(spaces->by_pid, space, node, nr) {
		if (space->nr == nr && space->cookie == cookie)
			return space->gone && !keep_gone ?
				ERR_PTR(-ESRCH) : space;
	}

	pid = find_get_pid(nr);
	if (pid && !htmm_pid_runs(pid, cookie)) {
		put_pid(pid);
		pid = NULL;
	}
	if (!pid && !keep_gone)
		return ERR_PTR(-ESRCH);

	space = htmm_spaces_add(spaces, nr, cookie, pid);
	if (IS_ERR(space))
		put_pid(pid);
	return space;
}

/**
 * htmm_spaces_find - an address space by its number
 * @spaces: the set
 * @id: its number
 *
 * Return: the address space or NULL.
 */
struct htmm_space *htmm_spaces_find(struct htmm_spaces *spaces, u32 id)
{
	return xa_load(&spaces->by_id, id);
}

/**
 * htmm_spaces_find_gone - look for an address space that has come to its end
 * @spaces: the set
 * @budget: most address spaces to look at; the next call goes on after them
 *
 * Return: an address space newly found to be @gone, or NULL.
 */
struct htmm_space *htmm_spaces_find_gone(struct htmm_spaces *spaces,
					 unsigned int budget)
{
	struct htmm_space *space;

	while (budget--) {
		space = xa_find_after(&spaces->by_id, &spaces->sweep, ULONG_MAX,
				      XA_PRESENT);
		if (!space) {
			spaces->sweep = 0;
			return NULL;
		}
		if (space->gone || htmm_space_alive(space))
			continue;
		space->gone = true;
		return space;
	}
	return NULL;
}

/**
 * htmm_spaces_remove - forget one address space
 * @spaces: the set
 * @space: the address space, of which no page may be tracked any more; freed
 */
void htmm_spaces_remove(struct htmm_spaces *spaces, struct htmm_space *space)
{
	xa_erase(&spaces->by_id, space->id);
	hash_del(&space->node);
	put_pid(space->pid);
	kfree(space);
	spaces->nr--;
}
