// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "target_set.h"

/* Create a filter set with all targets except @without, plus @with. */
static struct htmm_filter_set *
htmm_target_set_filter(struct htmm_target_set *set, const struct htmm_target_table *with,
		       const struct htmm_target_table *without)
{
	struct htmm_filter_set *filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	struct htmm_target_table *target;
	unsigned long number;

	if (!filter)
		return NULL;
	xa_for_each(&set->by_number, number, target)
		if (target != without)
			htmm_filter_set_add(filter, &target->ref, number);
	if (with)
		htmm_filter_set_add(filter, &with->ref, with->number);
	return filter;
}

/*
 * May a target be added whose table has @more bytes? All tables together are limited to half of
 * the machine's memory, as a single one is.
 */
static int htmm_target_set_check(struct htmm_target_set *set, const struct htmm_target_ref *ref,
				 u64 more, struct htmm_error *err)
{
	u64 limit = htmm_config_max_bytes(), sum = more;
	struct htmm_target_table *target;
	unsigned long number;

	xa_for_each(&set->by_number, number, target) {
		if (htmm_target_ref_key(&target->ref) == htmm_target_ref_key(ref))
			return htmm_fail(err, -EEXIST, "target %lu is the same already", number);
		sum += target->max_bytes;
	}
	if (sum > limit)
		return htmm_fail(err, -ERANGE,
				 "the tables of %u targets may take %llu bytes, above half of memory, %llu: give each less",
				 set->nr + 1, sum, limit);
	return 0;
}

static struct htmm_target_table *htmm_target_set_make(struct htmm_target_set *set,
						      const struct htmm_target_ref *ref,
						      const struct htmm_target *wanted,
						      struct htmm_error *err)
{
	const struct htmm_start *start = &set->config->start;
	u64 max_bytes = wanted->max_bytes ?: start->max_bytes;
	struct htmm_target_table *target;
	int ret;

	ret = htmm_target_set_check(set, ref, max_bytes, err);
	if (ret)
		return ERR_PTR(ret);

	target = htmm_target_create(ref, wanted, set->last + 1, start, &set->lock);
	if (target == ERR_PTR(-EINVAL))
		return ERR_PTR(htmm_fail(err, -ERANGE, "no hot-page table can have %llu bytes",
					 max_bytes));
	if (IS_ERR(target))
		htmm_fail(err, PTR_ERR(target),
			  "not enough memory for the hot-page table's directory: free some, raise the limit of your memory cgroup (memory.max), or ask for less max_bytes");
	return target;
}

/* Insert the table before the target is in the filter: from then on handlers may match it. */
static int htmm_target_set_insert(struct htmm_target_set *set, struct htmm_target_table *target)
{
	u32 number = target->number;
	struct htmm_filter_set *filter, *old;
	int ret;

	filter = htmm_target_set_filter(set, target, NULL);
	if (!filter)
		return -ENOMEM;
	ret = xa_insert(&set->by_number, number, target, GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(filter);
		return ret;
	}
	WRITE_ONCE(set->nr, set->nr + 1);
	WRITE_ONCE(set->last, number);
	old = htmm_filter_publish(&set->filter, filter);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

/*
 * Add a target, which htmm_config_check_target() has checked, and set @number. Returns 0, or an
 * errno documented with struct htmm_add_target. May sleep. Context: the caller's, whose pid
 * namespace and files count.
 */
int htmm_target_set_add(struct htmm_target_set *set, const struct htmm_target *wanted, u32 *number,
			struct htmm_error *err)
{
	struct htmm_target_ref ref;
	struct htmm_target_table *target;
	int ret;

	if (set->nr == HTMM_MAX_TARGETS)
		return htmm_fail(err, -ENOSPC, "there are %u targets already", HTMM_MAX_TARGETS);
	ret = htmm_target_ref_find(&ref, wanted, err);
	if (ret)
		return ret;
	target = htmm_target_set_make(set, &ref, wanted, err);
	if (IS_ERR(target)) {
		htmm_target_ref_put(&ref);
		return PTR_ERR(target);
	}
	ret = htmm_target_set_insert(set, target);
	if (ret) {
		htmm_target_put(target);
		return htmm_fail(err, ret, "not enough memory for a target");
	}
	*number = target->number;
	return 0;
}

/*
 * Remove a target, and hand its table to @gone, for htmm_target_list_put() without a lock.
 * Returns 0, -ENOENT if there is no such target, or -ENOMEM. May sleep.
 */
int htmm_target_set_remove(struct htmm_target_set *set, u32 number, struct htmm_target_list *gone)
{
	struct htmm_target_table *target = xa_load(&set->by_number, number);
	struct htmm_filter_set *filter, *old;

	if (!target)
		return -ENOENT;
	filter = htmm_target_set_filter(set, NULL, target);
	if (!filter)
		return -ENOMEM;

	old = htmm_filter_publish(&set->filter, filter);
	/* After this no handler matches the target; its samples in the rings are dropped. */
	synchronize_rcu();
	kfree(old);
	/* No batch is in progress while the lock is held, so these are its final totals. */
	mutex_lock(&set->lock);
	xa_erase(&set->by_number, number);
	WRITE_ONCE(set->nr, set->nr - 1);
	htmm_target_add_stats(target, set->removed);
	mutex_unlock(&set->lock);
	gone->target[gone->nr++] = target;
	return 0;
}

/*
 * Look up the targets of a session. @set is zeroed; @config was checked and exists as long as the
 * set. Returns 0, or an errno documented with struct htmm_start. Context: as htmm_target_set_add().
 */
int htmm_target_set_init(struct htmm_target_set *set, struct htmm_config *config,
			 struct htmm_error *err)
{
	static const struct htmm_target all = { .type = HTMM_TARGET_ALL };
	unsigned int nr = config->start.nr_targets, i;
	int ret = 0;
	u32 number;

	set->config = config;
	mutex_init(&set->lock);
	xa_init(&set->by_number);
	for (i = 0; !ret && i < (nr ?: 1); i++)
		ret = htmm_target_set_add(set, nr ? &config->targets[i] : &all, &number, err);
	if (ret)
		htmm_target_set_destroy(set);
	return ret;
}

/* Remove all targets, which no handler, drain thread or reader uses any more. May sleep. */
void htmm_target_set_destroy(struct htmm_target_set *set)
{
	struct htmm_filter_set *filter = htmm_filter_publish(&set->filter, NULL);
	struct htmm_target_table *target;
	unsigned long number;

	kfree(filter);
	xa_for_each(&set->by_number, number, target)
		htmm_target_put(target);
	xa_destroy(&set->by_number);
	mutex_destroy(&set->lock);
}

/*
 * Create an empty target for each existing one, for htmm_target_set_replace(). The set is not
 * changed. Returns 0 or -ENOMEM. May sleep.
 */
int htmm_target_set_renew(struct htmm_target_set *set, struct htmm_target_list *fresh)
{
	struct htmm_target_table *target, *copy;
	struct htmm_target wanted = {};
	unsigned long number;

	fresh->nr = 0;
	xa_for_each(&set->by_number, number, target) {
		wanted.max_bytes = target->max_bytes;
		wanted.capacity_pages = target->own_capacity ? target->capacity : 0;
		copy = htmm_target_create(&target->ref, &wanted, number,
					  &set->config->start, &set->lock);
		if (IS_ERR(copy)) {
			htmm_target_list_put(fresh);
			return PTR_ERR(copy);
		}
		htmm_target_ref_get(&copy->ref);
		fresh->target[fresh->nr++] = copy;
	}
	return 0;
}

/*
 * Replace all targets by new ones. @list is from htmm_target_set_renew(), and gets the old
 * ones, for htmm_target_list_put() without the lock. Context: @set->lock is held.
 */
void htmm_target_set_replace(struct htmm_target_set *set, struct htmm_target_list *list)
{
	struct htmm_target_table *fresh;
	unsigned int i;

	lockdep_assert_held(&set->lock);

	for (i = 0; i < list->nr; i++) {
		fresh = list->target[i];
		/* The entry exists, so nothing is allocated. */
		list->target[i] = xa_store(&set->by_number, fresh->number, fresh, GFP_NOWAIT);
	}
	memset(set->removed, 0, sizeof(set->removed));
}

/*
 * Get references to one target, or to all (@number 0), for htmm_target_list_put(). Returns 0,
 * or -ENOENT if no target has that number.
 */
int htmm_target_set_get(struct htmm_target_set *set, u32 number, struct htmm_target_list *list)
{
	unsigned long first = number, last = number ?: U32_MAX, at;
	struct htmm_target_table *target;

	list->nr = 0;
	xa_lock(&set->by_number);
	xa_for_each_range(&set->by_number, at, target, first, last) {
		kref_get(&target->kref);
		list->target[list->nr++] = target;
	}
	xa_unlock(&set->by_number);
	return number && !list->nr ? -ENOENT : 0;
}

/* Drop the references. May sleep. */
void htmm_target_list_put(struct htmm_target_list *list)
{
	while (list->nr)
		htmm_target_put(list->target[--list->nr]);
}

/*
 * Add what all targets have counted, including removed ones, to @sum, an array by enum htmm_stat.
 * Returns the memory of their tables, in bytes.
 */
u64 htmm_target_set_add_stats(struct htmm_target_set *set, u64 *sum)
{
	struct htmm_target_table *target;
	unsigned long number;
	u64 bytes = 0;

	mutex_lock(&set->lock);
	htmm_stats_add(sum, set->removed);
	xa_for_each(&set->by_number, number, target) {
		htmm_target_add_stats(target, sum);
		bytes += htmm_table_bytes(&target->table);
	}
	mutex_unlock(&set->lock);
	return bytes;
}

/* Report all thresholds now. */
void htmm_target_set_adapt(struct htmm_target_set *set)
{
	struct htmm_target_table *target;
	unsigned long number;

	mutex_lock(&set->lock);
	xa_for_each(&set->by_number, number, target)
		htmm_target_adapt(target);
	mutex_unlock(&set->lock);
}

/* The next target of a walk that returns to the first one; NULL if there is none. */
static struct htmm_target_table *htmm_target_set_next(struct htmm_target_set *set, u32 *next)
{
	unsigned long number = *next, last = READ_ONCE(set->last);
	struct htmm_target_table *target;

	/* With a limit, or xa_find() looks at all free places behind the last one. */
	target = xa_find(&set->by_number, &number, last, XA_PRESENT);
	if (!target) {
		number = 0;
		target = xa_find(&set->by_number, &number, last, XA_PRESENT);
	}
	*next = number + 1;
	return target;
}

/*
 * A bounded step of housekeeping, of all targets or of the next one. All are visited at most
 * every %HTMM_TIDY_INTERVAL, and in between only those that had more to do: otherwise each
 * exited process, or small batch, would cost as much as there are targets. Returns true if
 * there is more to do. Context: the drain thread.
 */
bool htmm_target_set_tidy(struct htmm_target_set *set, struct htmm_tidy *tidy, bool all)
{
	struct htmm_target_table *target;
	unsigned int left;
	bool more = false;

	mutex_lock(&set->lock);
	if (!tidy->left && time_after_eq(jiffies, tidy->due)) {
		tidy->due = jiffies + HTMM_TIDY_INTERVAL;
		tidy->left = set->nr;
	}
	for (left = all ? set->nr : 1; left; left--) {
		target = htmm_target_set_next(set, &tidy->next);
		if (!target)
			break;
		if (tidy->left || target->untidy)
			more |= htmm_target_tidy(target);
		tidy->left -= !!tidy->left;
	}
	mutex_unlock(&set->lock);
	return more;
}

/*
 * A bounded step of looking for freed pages, from target *@next on; it is @now, in nanoseconds.
 * Returns false if there is nothing to do now. Context: the drain thread.
 */
bool htmm_target_set_look(struct htmm_target_set *set, u32 *next, u64 now)
{
	struct htmm_target_table *target;
	bool looked = false;
	unsigned int left;

	mutex_lock(&set->lock);
	for (left = READ_ONCE(set->nr); left && !looked; left--) {
		target = htmm_target_set_next(set, next);
		looked = target && htmm_target_look(target, now);
	}
	mutex_unlock(&set->lock);
	return looked;
}
