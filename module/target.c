// SPDX-License-Identifier: GPL-2.0
#include <linux/rcupdate.h>
#include "target.h"

static_assert(HTMM_TARGET_SLOTS == 1 << HTMM_TARGET_BITS);
static_assert(HTMM_TARGET_SLOTS >= 2 * HTMM_MAX_TARGETS);

/* The process that thread @id of the caller's pid namespace belongs to. */
static struct pid *htmm_target_tgid(u64 id)
{
	struct task_struct *task;
	struct pid *tgid = NULL;

	if (id > INT_MAX)
		return NULL;

	rcu_read_lock();
	task = pid_task(find_vpid(id), PIDTYPE_PID);
	if (task)
		tgid = get_pid(task_tgid(task));
	rcu_read_unlock();
	return tgid;
}

/* Takes over the reference to @tgid. */
static void htmm_targets_insert(struct htmm_targets *targets, struct pid *tgid)
{
	unsigned int i = hash_ptr(tgid, HTMM_TARGET_BITS);

	while (targets->tgids[i] && targets->tgids[i] != tgid)
		i = (i + 1) % HTMM_TARGET_SLOTS;
	if (targets->tgids[i]) {
		put_pid(tgid);
		return;
	}
	targets->tgids[i] = tgid;
	targets->nr++;
}

/**
 * htmm_targets_init - look up the processes of a session
 * @targets: zeroed set to fill
 * @list: what the caller named
 * @nr: elements in @list, 0 to HTMM_MAX_TARGETS; a process may be named twice
 * @err: on failure, the reason
 *
 * Context: process context of the caller, whose pid namespace counts.
 * Return: 0, -EINVAL for an unknown type of target, -ESRCH for a dead pid.
 */
int htmm_targets_init(struct htmm_targets *targets,
		      const struct htmm_target *list, unsigned int nr,
		      struct htmm_error *err)
{
	struct pid *tgid;
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		if (list[i].type != HTMM_TARGET_TGID) {
			ret = htmm_fail(err, -EINVAL,
					"target %u: unknown type %u",
					i, list[i].type);
			goto err_targets;
		}
		tgid = htmm_target_tgid(list[i].id);
		if (!tgid) {
			ret = htmm_fail(err, -ESRCH,
					"target %u: no process has pid %llu",
					i, list[i].id);
			goto err_targets;
		}
		htmm_targets_insert(targets, tgid);
	}
	return 0;

err_targets:
	htmm_targets_destroy(targets);
	return ret;
}

/**
 * htmm_targets_destroy - let go of the processes of a session
 * @targets: the set; empty afterwards
 *
 * Context: no event may be armed that uses the set.
 */
void htmm_targets_destroy(struct htmm_targets *targets)
{
	unsigned int i;

	for (i = 0; i < HTMM_TARGET_SLOTS; i++)
		put_pid(targets->tgids[i]);
	memset(targets, 0, sizeof(*targets));
}
