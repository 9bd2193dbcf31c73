// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "pair.h"

/* For samples, too, there are fewer places than classes. */
#define SAMPLE_BINS	33

/* By samples, in doublings. */
static size_t place_by_samples(const struct policy *policy, const struct unit *unit)
{
	return unit->samples ? __builtin_clz(unit->samples) : SAMPLE_BINS - 1;
}

/* By the value of its class. */
static size_t place_by_value(const struct policy *policy, const struct unit *unit)
{
	return policy->predictor.position[unit->class];
}

/*
 * Puts the units whose numbers are @from into @to, those of low places first or last. Units of the
 * same place keep their order.
 */
static void sort_by(size_t (*place)(const struct policy *, const struct unit *),
		    const struct policy *policy, const __u32 *from, __u32 *to, size_t nr, bool last)
{
	const struct unit *unit = policy->now.unit;
	size_t start[PREDICT_CLASSES + 1] = {}, i, at;

	for (i = 0; i < nr; i++) {
		at = place(policy, &unit[from[i]]);
		start[(last ? PREDICT_CLASSES - 1 - at : at) + 1]++;
	}
	for (i = 1; i <= PREDICT_CLASSES; i++)
		start[i] += start[i - 1];
	for (i = 0; i < nr; i++) {
		at = place(policy, &unit[from[i]]);
		to[start[last ? PREDICT_CLASSES - 1 - at : at]++] = from[i];
	}
}

/*
 * Puts the units from @begin to @end in order of their classes' value. Of those that are worth as
 * much, what was used more since the start comes first, or leaves last: programs return to pages.
 */
static void sort_units(struct policy *policy, size_t begin, size_t end, bool worst_first)
{
	__u32 *order = policy->order + begin, *other = policy->other_order + begin;
	size_t i;

	for (i = begin; i < end; i++)
		order[i - begin] = i;
	sort_by(place_by_samples, policy, order, other, end - begin, worst_first);
	sort_by(place_by_value, policy, other, order, end - begin, worst_first);
}

static void add_move(struct policy *policy, const struct unit *unit)
{
	struct policy_plan *plan = &policy->plan;

	if (moved_back(policy->moved, unit, policy->seconds))
		plan->pingpong_pages += unit->pages;
	*(unit->fast ? &plan->demoted_pages : &plan->promoted_pages) += unit->pages;
	plan->moves[plan->nr_moves++] = (struct policy_move) {
		.addr = unit->addr, .pid = unit->pid, .space = unit->space,
		.target = unit->target, .pages = unit->pages, .node = unit->node,
		.samples = unit->samples, .value = policy->predictor.value[unit->class],
		.promote = !unit->fast,
	};
}

/**
 * struct pairing - the walk over the best of the slow tier and the worst of the fast tier
 * @policy: the policy
 * @look: what is known
 * @room: pages of the fast tier that are free, and may be used
 * @made: number of @room that demotions have made
 * @out: value of the best page that was demoted for it
 * @victim: place in the order of the next page to demote
 */
struct pairing {
	struct policy *policy;
	const struct policy_look *look;
	__u64 room;
	__u64 made;
	double out;
	size_t victim;
};

/* Gigantic pages cannot be moved, nor can pages of processes that are not visible here. */
static bool movable(const struct policy *policy, const struct unit *unit)
{
	const struct moved *moved = moved_find(policy->moved, unit, policy->seconds);

	return unit->pages <= UNIT_LARGEST && unit->pid &&
	       !(moved && moved->refused);
}

/* The next page that may leave the fast tier; NULL: there is none. */
static const struct unit *next_victim(struct pairing *pair, bool forced)
{
	const struct policy *policy = pair->policy;
	const struct units *now = &policy->now;

	for (; pair->victim < now->nr; pair->victim++) {
		const struct unit *unit = &now->unit[policy->order[pair->victim]];

		if (!movable(policy, unit))
			continue;
		/* If all moves together lose, what is there without them stays. */
		if (!forced && !rule_balance(policy) && origins_fast(&policy->origins, unit))
			continue;
		if (forced || rule_hysteresis(policy, pair->look, unit))
			return unit;
	}
	return NULL;
}

static bool within_budget(const struct policy *policy, __u64 pages)
{
	const struct policy_plan *plan = &policy->plan;

	return plan->demoted_pages + plan->promoted_pages + pages <= plan->budget;
}

static void demote(struct pairing *pair, const struct unit *unit)
{
	add_move(pair->policy, unit);
	pair->victim++;
}

/* More may be in use than the capacity, if that is less than it was. */
static void keep_limit(struct pairing *pair)
{
	struct policy_plan *plan = &pair->policy->plan;
	const struct unit *unit;

	while (pair->look->used > pair->look->capacity + plan->demoted_pages) {
		unit = next_victim(pair, true);
		if (!unit || !within_budget(pair->policy, unit->pages))
			return;
		plan->forced_pages += unit->pages;
		plan->won -= unit_value(pair->policy, unit);
		demote(pair, unit);
		plan->moves[plan->nr_moves - 1].forced = true;
	}
}

/* Makes room for new pages, where these gain more than what leaves; see reserve_pays(). */
static void keep_reserve(struct pairing *pair)
{
	struct policy *policy = pair->policy;
	struct policy_plan *plan = &policy->plan;
	const struct unit *unit;
	double room;

	/* At the begin of a phase, it is not known yet what should leave. */
	while (!plan->cool &&
	       pair->look->used + plan->reserve > pair->look->capacity + plan->demoted_pages) {
		unit = next_victim(pair, false);
		if (!unit || !within_budget(policy, unit->pages))
			return;
		room = (double)pair->look->capacity - pair->look->used + plan->demoted_pages +
		       unit->pages;
		if (!reserve_pays(&policy->reserve, policy->predictor.value[unit->class], room))
			return;
		plan->ahead_pages += unit->pages;
		demote(pair, unit);
		plan->moves[plan->nr_moves - 1].ahead = true;
	}
}

static enum policy_held why_not(const struct pairing *pair, const struct unit *in, double out,
				unsigned int copies)
{
	double value = pair->policy->predictor.value[in->class];

	if (!rule_margin(pair->policy, in, out))
		return POLICY_HELD_MARGIN;
	if (!rule_profit(pair->policy, pair->look, value - out, copies))
		return POLICY_HELD_PROFIT;
	if (!rule_soon(pair->policy, pair->look, value - out, copies))
		return POLICY_HELD_NEW;
	return POLICY_NR_HELD;
}

/* Makes room for a page by demoting worse ones, or does nothing and returns why. */
static enum policy_held make_way(struct pairing *pair, const struct unit *in)
{
	/* Passes over pages that may not leave, once for all that follow. */
	const struct unit *out = next_victim(pair, false);
	struct policy_plan *plan = &pair->policy->plan, plan_before = *plan;
	struct pairing before = *pair;
	enum policy_held held;

	/* Room that was made for a better page may cost more than this one is worth. */
	if (pair->made)
		held = why_not(pair, in, pair->out, 2);
	else
		held = why_not(pair, in, 0, 1);
	while (held == POLICY_NR_HELD && pair->room < in->pages) {
		out = next_victim(pair, false);
		if (!out) {
			held = POLICY_HELD_ROOM;
			break;
		}
		pair->out = pair->policy->predictor.value[out->class];
		held = why_not(pair, in, pair->out, 2);
		if (held != POLICY_NR_HELD)
			break;
		plan->won -= unit_value(pair->policy, out);
		demote(pair, out);
		pair->room += out->pages;
		pair->made += out->pages;
	}
	if (held == POLICY_NR_HELD && !within_budget(pair->policy, in->pages))
		held = POLICY_HELD_RATE;
	if (held != POLICY_NR_HELD) {
		*pair = before;
		*plan = plan_before;
	}
	return held;
}

/* What the next page that comes must be better than: the worst one that may have to leave. */
static double price_of(const struct pairing *pair)
{
	const struct policy *policy = pair->policy;
	const struct units *now = &policy->now;
	size_t at = pair->victim < now->nr ? pair->victim : now->nr - 1;

	if (pair->room || now->nr == now->nr_slow)
		return 0;
	return policy->predictor.value[now->unit[policy->order[at]].class];
}

/* Would a page be promoted, if it were hot in one look more? */
static enum policy_held judge_new(struct pairing *pair, const struct unit *in)
{
	const struct unit *out = next_victim(pair, false);
	enum policy_held held;

	if (pair->room >= in->pages)
		held = why_not(pair, in, pair->made ? pair->out : 0, 1);
	else if (out)
		held = why_not(pair, in, pair->policy->predictor.value[out->class], 2);
	else
		held = POLICY_HELD_ROOM;
	return held == POLICY_NR_HELD ? POLICY_HELD_NEW : held;
}

static enum policy_held promote(struct pairing *pair, const struct unit *unit)
{
	enum policy_held held;

	if (!movable(pair->policy, unit))
		return POLICY_HELD_STUCK;
	if (!rule_huge(pair->policy, unit))
		return POLICY_HELD_HUGE;
	if (!rule_balance(pair->policy) && !origins_fast(&pair->policy->origins, unit))
		return POLICY_HELD_BALANCE;
	if (!within_budget(pair->policy, unit->pages))
		return POLICY_HELD_RATE;
	if (!rule_hysteresis(pair->policy, pair->look, unit))
		return judge_new(pair, unit);
	held = make_way(pair, unit);
	if (held != POLICY_NR_HELD)
		return held;
	pair->room -= unit->pages;
	pair->made -= pair->made < unit->pages ? pair->made : unit->pages;
	pair->policy->plan.won += unit_value(pair->policy, unit);
	add_move(pair->policy, unit);
	return POLICY_NR_HELD;
}

/* Demotions first; then by process and address, as the kernel handles neighbours together. */
static int by_place(const void *a, const void *b)
{
	const struct policy_move *x = a, *y = b;

	if (x->promote != y->promote)
		return x->promote ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void pair_up(struct policy *policy, const struct policy_look *look)
{
	const struct units *now = &policy->now;
	struct policy_plan *plan = &policy->plan;
	struct pairing pair = {
		.policy = policy, .look = look, .victim = now->nr_slow,
		.room = look->capacity > look->used + plan->reserve ?
			look->capacity - look->used - plan->reserve : 0,
	};
	size_t i;

	sort_units(policy, 0, now->nr_slow, false);
	sort_units(policy, now->nr_slow, now->nr, true);
	keep_limit(&pair);
	keep_reserve(&pair);
	for (i = 0; i < now->nr_slow; i++) {
		const struct unit *unit = &now->unit[policy->order[i]];
		enum policy_held held;

		if (policy->predictor.value[unit->class] <= price_of(&pair))
			break;
		plan->candidates += unit->pages;
		held = promote(&pair, unit);
		policy->now.unit[policy->order[i]].promoted = held == POLICY_NR_HELD;
		if (held == POLICY_NR_HELD)
			continue;
		plan->held[held] += unit->pages;
		if (held == POLICY_HELD_NEW || held == POLICY_HELD_ROOM || held == POLICY_HELD_RATE)
			plan->won += unit_value(policy, unit) - unit->pages * price_of(&pair);
	}
	plan->threshold = price_of(&pair);
	if (plan->nr_moves)
		qsort(plan->moves, plan->nr_moves, sizeof(*plan->moves), by_place);
}
