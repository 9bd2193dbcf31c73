// SPDX-License-Identifier: GPL-2.0
#include <linux/nospec.h>
#include "base/trace.h"
#include "session.h"

static int htmm_update_check(const struct htmm_set *set, struct htmm_error *err)
{
	if (!set->flags)
		return htmm_fail(err, -EINVAL, "nothing is to be changed");
	if (set->flags & HTMM_SET_PAUSE && set->flags & HTMM_SET_RESUME)
		return htmm_fail(err, -EINVAL, "to pause and to resume are asked for at once");
	if (!(set->flags & HTMM_SET_CAPACITY) && (set->target || set->capacity_pages))
		return htmm_fail(err, -EINVAL,
				 "a capacity or its target is given without HTMM_SET_CAPACITY");
	if (!(set->flags & HTMM_SET_PERIOD) && (set->event || set->period))
		return htmm_fail(err, -EINVAL,
				 "a period or its event is given without HTMM_SET_PERIOD");
	return 0;
}

/* The event of a checked index. Not even speculation reads beyond the array. */
static u32 htmm_update_event(const struct htmm_budget *budget, const struct htmm_set *set)
{
	return array_index_nospec(set->event, budget->channels->config->start.nr_events);
}

/* Check a period as START does, and that its weight is at least 1. */
static int htmm_update_check_period(struct htmm_budget *budget, const struct htmm_set *set,
				    struct htmm_error *err)
{
	const struct htmm_config *config = budget->channels->config;
	u64 unit = budget->drain->batch.weight_unit;
	struct htmm_event event;
	u32 index;
	int ret;

	if (set->event >= config->start.nr_events)
		return htmm_fail(err, -ENOENT, "the session has no event %u", set->event);
	if (config->start.flags & HTMM_START_BUDGET)
		return htmm_fail(err, -EBUSY,
				 "the session has a budget, which chooses the periods");
	index = htmm_update_event(budget, set);
	if (config->events[index].type == HTMM_TYPE_FEED)
		return htmm_fail(err, -EOPNOTSUPP,
				 "event %u: its period is set where its samples are taken",
				 set->event);
	event = config->events[index];
	event.period = set->period;
	event.min_period = set->period;
	event.max_period = set->period;
	ret = htmm_config_check_event(&event, index, err);
	if (ret)
		return ret;
	if (set->period < unit)
		return htmm_fail(err, -ERANGE,
				 "event %u: period %llu is below the weight unit %llu, at which a sample counts 1",
				 set->event, set->period, unit);
	ret = htmm_privilege_check_period(&config->events[index], index, set->period, err);
	if (ret)
		return ret;
	return htmm_channel_set_try_period(budget->channels, index, set->period, err);
}

static int htmm_update_period(struct htmm_budget *budget,
			      const struct htmm_set *set, struct htmm_error *err)
{
	u32 index = htmm_update_event(budget, set);
	u64 from = htmm_channel_set_period(budget->channels, index);
	int ret;

	ret = htmm_channel_set_set_period(budget->channels, index, set->period);
	if (ret)
		return htmm_fail(err, ret,
				 "event %u: a CPU does not take a period of %llu; all have %llu, as before",
				 set->event, set->period, from);
	trace_htmm_period(set->event, from, set->period, READ_ONCE(budget->cost_ppm), 0);
	return 0;
}

/* Set a target's capacity, or that of the session and of all targets without their own. */
static void htmm_update_capacity(struct htmm_target_set *targets,
				 const struct htmm_target_list *list, const struct htmm_set *set)
{
	bool own = set->target && set->capacity_pages;
	u64 *all = &targets->config->start.capacity_pages;
	struct htmm_target_table *target;
	unsigned int i;

	mutex_lock(&targets->lock);
	if (!set->target)
		WRITE_ONCE(*all, htmm_config_capacity(set->capacity_pages));
	for (i = 0; i < list->nr; i++) {
		target = list->target[i];
		if (!set->target && target->own_capacity)
			continue;
		/* htmm_snapshot_hit_ratio() reads it without the lock. */
		WRITE_ONCE(target->capacity, own ? set->capacity_pages : *all);
		target->own_capacity = own;
		htmm_target_adapt(target);
	}
	mutex_unlock(&targets->lock);
}

/*
 * Change all requested settings or none. The caller holds htmm_session_lock. Returns 0 or the
 * errno documented with struct htmm_set.
 */
int htmm_update_change(struct htmm_target_set *targets, struct htmm_budget *budget,
		       const struct htmm_set *set, struct htmm_error *err)
{
	struct htmm_target_list list = {};
	int ret;

	ret = htmm_update_check(set, err);
	if (ret)
		return ret;
	if (set->flags & HTMM_SET_CAPACITY)
		ret = htmm_target_set_get(targets, set->target, &list);
	if (ret)
		ret = htmm_fail(err, -ENOENT, "the session has no target %u", set->target);
	if (!ret && set->flags & HTMM_SET_PERIOD)
		ret = htmm_update_check_period(budget, set, err);
	if (!ret && set->flags & HTMM_SET_PERIOD)
		ret = htmm_update_period(budget, set, err);
	/* Last, because these cannot fail. */
	if (!ret && set->flags & HTMM_SET_CAPACITY)
		htmm_update_capacity(targets, &list, set);
	if (!ret && set->flags & HTMM_SET_PAUSE)
		htmm_channel_set_pause(budget->channels);
	if (!ret && set->flags & HTMM_SET_RESUME)
		htmm_channel_set_arm(budget->channels);
	htmm_target_list_put(&list);
	return ret;
}
