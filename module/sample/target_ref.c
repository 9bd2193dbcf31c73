// SPDX-License-Identifier: GPL-2.0
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "base/compat.h"
#include "target_ref.h"

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

/*
 * Look up a target in the caller's pid namespace and files; htmm_config_check_target() has checked
 * it. The caller gets a reference.
 *
 * Returns 0, -ESRCH for a dead pid, -EBADF for a file that is not a cgroup's directory, or -ENOENT
 * for the directory of a removed cgroup.
 */
int htmm_target_ref_find(struct htmm_target_ref *ref,
			 const struct htmm_target *target, struct htmm_error *err)
{
	ref->type = target->type;
	switch (target->type) {
	case HTMM_TARGET_TGID:
		ref->tgid = htmm_target_tgid(target->id);
		if (!ref->tgid)
			return htmm_fail(err, -ESRCH, "no process has pid %llu", target->id);
		return 0;
	case HTMM_TARGET_CGROUP:
		ref->cgroup = target->id > INT_MAX ? ERR_PTR(-EBADF) :
						     htmm_cgroup_from_fd(target->id);
		if (IS_ERR(ref->cgroup))
			return htmm_fail(err, PTR_ERR(ref->cgroup),
					 ref->cgroup == ERR_PTR(-ENOENT) ?
					 "the cgroup of file %llu has been removed" :
					 "file %llu is not the directory of a cgroup of version 2",
					 target->id);
		return 0;
	default:
		ref->tgid = NULL;
		return 0;
	}
}

void htmm_target_ref_get(const struct htmm_target_ref *ref)
{
	if (ref->type == HTMM_TARGET_TGID)
		get_pid(ref->tgid);
	else if (ref->type == HTMM_TARGET_CGROUP)
		htmm_cgroup_get(ref->cgroup);
}

void htmm_target_ref_put(const struct htmm_target_ref *ref)
{
	if (ref->type == HTMM_TARGET_TGID)
		put_pid(ref->tgid);
	else if (ref->type == HTMM_TARGET_CGROUP)
		htmm_cgroup_put(ref->cgroup);
}
