// SPDX-License-Identifier: GPL-2.0
#include "filter.h"

static_assert(HTMM_FILTER_SLOTS == 1 << HTMM_FILTER_BITS);
static_assert(HTMM_FILTER_SLOTS >= 2 * HTMM_MAX_TARGETS);

/* @set is not published yet, has less than HTMM_MAX_TARGETS and not @ref. @number is not 0. */
void htmm_filter_set_add(struct htmm_filter_set *set, const struct htmm_target_ref *ref, u32 number)
{
	const void *key = htmm_target_ref_key(ref);
	unsigned int i;

	if (!key) {
		set->all = number;
		set->only = set->tgids || set->cgroups ? 0 : number;
		return;
	}
	set->only = 0;
	i = hash_ptr(key, HTMM_FILTER_BITS);
	while (set->slots[i].key)
		i = (i + 1) % HTMM_FILTER_SLOTS;
	set->slots[i].key = key;
	set->slots[i].number = number;
	if (ref->type == HTMM_TARGET_TGID) {
		set->tgids++;
		return;
	}
	set->cgroups++;
	set->deepest = max(set->deepest, htmm_cgroup_level(ref->cgroup));
}

/*
 * Replace the set that handlers use; NULL: nothing passes. Serialised by the caller.
 *
 * Returns the previous set. Handlers may use it until an RCU grace period has passed; only then
 * may it be freed and references on its targets be dropped.
 */
struct htmm_filter_set *htmm_filter_publish(struct htmm_filter *filter, struct htmm_filter_set *set)
{
	if (set)
		set->number = ++filter->sets;
	return rcu_replace_pointer(filter->set, set, true);
}

/*
 * Walk from a cgroup up to the root, but skip levels below the deepest target, so that
 * deeply nested cgroups do not make handlers slow.
 */
static u32 htmm_filter_find_cgroup(const struct htmm_filter_set *set, struct cgroup *cgroup)
{
	int level = min(htmm_cgroup_level(cgroup), set->deepest);
	u32 number;

	for (; level >= 0; level--) {
		number = htmm_filter_find(set, htmm_cgroup_ancestor(cgroup, level));
		if (number)
			return number;
	}
	return 0;
}

/*
 * The innermost target of a cgroup's tasks that are no targets themselves; 0: none. Remembered
 * in @last. Context: as htmm_filter_match().
 */
u32 htmm_filter_match_cgroup(const struct htmm_filter_set *set,
			     struct htmm_filter_last *last, struct cgroup *cgroup)
{
	*last = (struct htmm_filter_last) {
		.set = set->number,
		.cgroup = htmm_cgroup_serial(cgroup),
		.target = htmm_filter_find_cgroup(set, cgroup) ?: set->all,
	};
	return last->target;
}
