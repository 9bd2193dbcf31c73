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

/**
 * struct htmm_filter_slot - one target of a set
 * @key: htmm_target_key() of it; NULL: the slot is free
 * @number: the target's number
 */
struct htmm_filter_slot {
	const void *key;
	u32 number;
};

/**
 * struct htmm_filter_set - immutable set of targets
 * @rcu: frees it when no handler uses it any more
 * @all: number of the target of all tasks, 0 if there is none
 * @tgids: processes among the targets
 * @cgroups: cgroups among them
 * @deepest: level of the deepest of @cgroups
 * @slots: open-addressing hash of processes and cgroups. The publisher of the set holds
 *	references on them for as long as handlers may use it
 */
struct htmm_filter_set {
	struct rcu_head rcu;
	u32 all;
	u32 tgids;
	u32 cgroups;
	int deepest;
	struct htmm_filter_slot slots[HTMM_FILTER_SLOTS];
};

/**
 * struct htmm_filter - which samples pass
 * @set: the current set; NULL: nothing passes
 *
 * Locking: changed under the owner's lock; read under RCU. Disabled preemption is enough
 * for RCU, so any overflow handler may read it.
 */
struct htmm_filter {
	struct htmm_filter_set __rcu *set;
};

void htmm_filter_set_add(struct htmm_filter_set *set,
			 const struct htmm_target_ref *ref, u32 number);
struct htmm_filter_set *htmm_filter_publish(struct htmm_filter *filter,
					    struct htmm_filter_set *set);

static inline u32 htmm_filter_find(const struct htmm_filter_set *set,
				   const void *key)
{
	unsigned int i;

	for (i = hash_ptr(key, HTMM_FILTER_BITS); set->slots[i].key;
	     i = (i + 1) % HTMM_FILTER_SLOTS) {
		if (set->slots[i].key == key)
			return set->slots[i].number;
	}
	return 0;
}

/* A task that has been released has no process any more. */
static inline u32 htmm_filter_match_tgid(const struct htmm_filter_set *set)
{
	struct pid *tgid = READ_ONCE(current->signal->pids[PIDTYPE_TGID]);

	return tgid ? htmm_filter_find(set, tgid) : 0;
}

/*
 * Walk from the task's cgroup up to the root, but skip levels below the deepest target, so
 * that deeply nested cgroups do not make handlers slow.
 */
static inline u32 htmm_filter_match_cgroup(const struct htmm_filter_set *set)
{
	struct cgroup *cgroup = htmm_cgroup_of(current);
	int level = min(htmm_cgroup_level(cgroup), set->deepest);
	u32 number = 0;

	for (; !number && level >= 0; level--)
		number = htmm_filter_find(set,
					  htmm_cgroup_ancestor(cgroup, level));
	return number;
}

/**
 * htmm_filter_match - the target that the current task's samples count for
 * @filter: the filter
 *
 * Context: any with preemption disabled, NMI included.
 * Return: the number of the most specific target; 0: none.
 */
static inline u32 htmm_filter_match(const struct htmm_filter *filter)
{
	const struct htmm_filter_set *set = rcu_dereference_sched(filter->set);
	u32 number = 0;

	if (!set)
		return 0;
	if (set->tgids)
		number = htmm_filter_match_tgid(set);
	if (!number && set->cgroups)
		number = htmm_filter_match_cgroup(set);
	return number ?: set->all;
}

#endif /* HTMM_FILTER_H */
