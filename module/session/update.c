// SPDX-License-Identifier: GPL-2.0
#include "base/trace.h"
#include "update.h"

static int htmm_setting_check(const struct htmm_set *set, struct htmm_error *err)
{
	if (!set->flags)
		return htmm_fail(err, -EINVAL, "nothing is to be changed");
	if (!(set->flags & HTMM_SET_CAPACITY) &&
	    (set->target || set->capacity_pages))
		return htmm_fail(err, -EINVAL,
				 "a capacity or its target is given without HTMM_SET_CAPACITY");
	if (!(set->flags & HTMM_SET_PERIOD) && (set->event || set->period))
		return htmm_fail(err, -EINVAL,
				 "a period or its event is given without HTMM_SET_PERIOD");
	return 0;
}

/* What START asks of a period, and that it can still be weighed. */
static int htmm_setting_check_period(struct htmm_budget *budget,
				     const struct htmm_set *set,
				     struct htmm_error *err)
{
	const struct htmm_config *config = budget->fleet->config;
	u64 unit = budget->crew->weight_unit;
	struct htmm_event event;
	int ret;

	if (set->event >= config->start.nr_events)
		return htmm_fail(err, -ENOENT, "the session has no event %u",
				 set->event);
	if (config->start.flags & HTMM_START_BUDGET)
		return htmm_fail(err, -EBUSY,
				 "the session has a budget, which chooses the periods");
	event = config->events[set->event];
	event.period = set->period;
	event.min_period = set->period;
	event.max_period = set->period;
	ret = htmm_config_check_event(&event, set->event, err);
	if (ret)
		return ret;
	if (set->period < unit)
		return htmm_fail(err, -ERANGE,
				 "event %u: a sample of period %llu counts 1 and none counts less, so no smaller one can be had",
				 set->event, unit);
	return htmm_fleet_try_period(budget->fleet, set->event, set->period, err);
}

static int htmm_setting_period(struct htmm_budget *budget,
			       const struct htmm_set *set, struct htmm_error *err)
{
	u64 from = htmm_fleet_period(budget->fleet, set->event);
	int ret;

	ret = htmm_fleet_set_period(budget->fleet, set->event, set->period);
	if (ret)
		return htmm_fail(err, ret,
				 "event %u: a CPU does not take a period of %llu; all have %llu, as before",
				 set->event, set->period, from);
	trace_htmm_period(set->event, from, set->period,
			  READ_ONCE(budget->cost_ppm), 0);
	return 0;
}

/* A target's own, or the session's and that of all targets that have none. */
static void htmm_setting_capacity(struct htmm_roster *roster,
				  const struct htmm_members *members,
				  const struct htmm_set *set)
{
	bool own = set->target && set->capacity_pages;
	struct htmm_hotness *hotness;
	unsigned int i;

	if (!set->target)
		WRITE_ONCE(roster->config.capacity,
			   htmm_config_capacity(set->capacity_pages));
	for (i = 0; i < members->nr; i++) {
		hotness = members->member[i]->hotness;
		if (set->target || !hotness->config.own_capacity)
			htmm_hotness_set_capacity(hotness,
						  own ? set->capacity_pages :
						  roster->config.capacity,
						  own);
	}
}

/**
 * htmm_setting_change - change settings, all that is asked for or none
 * @roster: the targets of a session that runs
 * @budget: what watches its cost, and its fleet
 * @set: what to change
 * @err: on failure, the reason
 *
 * Context: process, may sleep; the roster is the caller's to change.
 * Return: 0 or the errno documented with struct htmm_set.
 */
int htmm_setting_change(struct htmm_roster *roster, struct htmm_budget *budget,
			const struct htmm_set *set, struct htmm_error *err)
{
	struct htmm_members members = {};
	int ret;

	ret = htmm_setting_check(set, err);
	if (ret)
		return ret;
	if (set->flags & HTMM_SET_CAPACITY)
		htmm_roster_get(roster, set->target, &members);
	if (set->target && !members.nr)
		ret = htmm_fail(err, -ENOENT, "the session has no target %u",
				set->target);
	if (!ret && set->flags & HTMM_SET_PERIOD)
		ret = htmm_setting_check_period(budget, set, err);
	if (!ret && set->flags & HTMM_SET_PERIOD)
		ret = htmm_setting_period(budget, set, err);
	/* Last: this cannot fail. */
	if (!ret && set->flags & HTMM_SET_CAPACITY)
		htmm_setting_capacity(roster, &members, set);
	htmm_members_put(&members);
	return ret;
}
