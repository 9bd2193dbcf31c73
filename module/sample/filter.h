/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The targets as the overflow handler sees them: an immutable set, which is replaced by a
 * new one when a target is added or removed.
 */
#ifndef HTMM_FILTER_H
#define HTMM_FILTER_H

#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include "base/compat.h"
#include "target_ref.h"

/* The hash is at most half full, so every probe sequence is short. */
#define HTMM_FILTER_BITS	7
#define HTMM_FILTER_SLOTS	128

/* No target has this number. */
#define HTMM_FILTER_UNKNOWN	U32_MAX

/**
 * struct htmm_filter_set - immutable set of targets
 * @rcu: frees it when no handler uses it any more
 * @number: a number that no other set of the same filter has had, from 1
 * @all: number of the target of all tasks, 0 if there is none
 * @only: @all, if there is no other target; else 0
 * @tgids: processes among the targets
 * @cgroups: cgroups among them
 * @deepest: level of the deepest of @cgroups
 * @slots: open-addressing hash of processes and cgroups: htmm_target_ref_key() of each, NULL if
 *	the slot is free, and its number. The publisher of the set holds references on them
 *	for as long as handlers may use it
 */
struct htmm_filter_set {
	struct rcu_head rcu;
	u64 number;
	u32 all;
	u32 only;
	u32 tgids;
	u32 cgroups;
	int deepest;
	struct {
		const void *key;
		u32 number;
	} slots[HTMM_FILTER_SLOTS];
};

/**
 * struct htmm_filter - which samples pass
 * @set: the current set; NULL: nothing passes
 * @sets: number of sets so far
 *
 * Locking: changed under the owner's lock; read under RCU. Disabled preemption is enough
 * for RCU, so any overflow handler may read it.
 */
struct htmm_filter {
	struct htmm_filter_set __rcu *set;
	u64 sets;
};

/**
 * struct htmm_filter_last - what htmm_filter_match() found last on a CPU
 * @set: number of the set
 * @cgroup: serial number of the task's cgroup
 * @target: number of the target
 */
struct htmm_filter_last {
	u64 set;
	u64 cgroup;
	u32 target;
};

void htmm_filter_set_add(struct htmm_filter_set *set,
			 const struct htmm_target_ref *ref, u32 number);
struct htmm_filter_set *htmm_filter_publish(struct htmm_filter *filter,
					    struct htmm_filter_set *set);

u32 htmm_filter_match_cgroup(const struct htmm_filter_set *set,
			     struct htmm_filter_last *last, struct cgroup *cgroup);

static inline u32 htmm_filter_find(const struct htmm_filter_set *set, const void *key)
{
	unsigned int i;

	for (i = hash_ptr(key, HTMM_FILTER_BITS); set->slots[i].key;
	     i = (i + 1) % HTMM_FILTER_SLOTS) {
		if (set->slots[i].key == key)
			return set->slots[i].number;
	}
	return 0;
}

/* After a task has been released, it has no process any more. */
static inline u32 htmm_filter_match_tgid(const struct htmm_filter_set *set,
					 const struct task_struct *task)
{
	struct pid *tgid = READ_ONCE(task->signal->pids[PIDTYPE_TGID]);

	return tgid ? htmm_filter_find(set, tgid) : 0;
}

/*
 * The most specific target of @task, which is current or any task under RCU, if that is quickly
 * known; 0: none; HTMM_FILTER_UNKNOWN: use htmm_filter_match().
 *
 * Context: any with preemption disabled, NMI included; not nested.
 */
static inline u32 htmm_filter_known(const struct htmm_filter *filter,
				    const struct htmm_filter_last *last,
				    struct task_struct *task)
{
	const struct htmm_filter_set *set = rcu_dereference_sched(filter->set);
	u32 number;

	if (!set)
		return 0;
	if (set->tgids) {
		number = htmm_filter_match_tgid(set, task);
		if (number)
			return number;
	}
	if (!set->cgroups)
		return set->all;
	if (last->set != set->number || last->cgroup != htmm_cgroup_serial(htmm_cgroup_of(task)))
		return HTMM_FILTER_UNKNOWN;
	return last->target;
}

/*
 * The most specific target of @task; 0: none. The caller keeps @last, what was found last, for each
 * CPU: the next task is mostly of the same cgroup.
 *
 * Context: as htmm_filter_known().
 */
static inline u32 htmm_filter_match(const struct htmm_filter *filter,
				    struct htmm_filter_last *last, struct task_struct *task)
{
	u32 number = htmm_filter_known(filter, last, task);

	return number != HTMM_FILTER_UNKNOWN ? number :
		htmm_filter_match_cgroup(rcu_dereference_sched(filter->set), last,
					 htmm_cgroup_of(task));
}

/*
 * The target of all tasks, if it is the only one; 0: use htmm_filter_match(). There is a set.
 *
 * Context: any with preemption disabled, NMI included.
 */
static inline u32 htmm_filter_only(const struct htmm_filter *filter)
{
	return rcu_dereference_sched(filter->set)->only;
}

#endif /* HTMM_FILTER_H */
