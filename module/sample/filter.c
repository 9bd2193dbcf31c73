// SPDX-License-Identifier: GPL-2.0
#include "filter.h"

static_assert(HTMM_FILTER_SLOTS == 1 << HTMM_FILTER_BITS);
static_assert(HTMM_FILTER_SLOTS >= 2 * HTMM_MAX_TARGETS);

/**
 * htmm_filter_set_add - put a target into a set
 * @set: a set that is not published yet, with less than HTMM_MAX_TARGETS in it
 * @ref: a target that is not in the set
 * @number: its number, not 0
 */
void htmm_filter_set_add(struct htmm_filter_set *set,
			 const struct htmm_target_ref *ref, u32 number)
{
	const void *key = htmm_target_key(ref);
	unsigned int i;

	if (!key) {
		set->all = number;
		return;
	}
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

/**
 * htmm_filter_publish - replace the set that handlers use
 * @filter: the filter
 * @set: the set; NULL: nothing passes
 *
 * Context: serialised by the caller.
 * Return: the previous set. Handlers may use it until an RCU grace period has passed; only
 * then may it be freed and references on its targets be dropped.
 */
struct htmm_filter_set *htmm_filter_publish(struct htmm_filter *filter,
					    struct htmm_filter_set *set)
{
	return rcu_replace_pointer(filter->set, set, true);
}
