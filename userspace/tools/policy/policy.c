// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "rules.h"

const char *const policy_rule_names[POLICY_NR_RULES] = {
	[POLICY_PREDICT] = "predict",
	[POLICY_HYSTERESIS] = "hysteresis",
	[POLICY_MARGIN] = "margin",
	[POLICY_PROFIT] = "profit",
	[POLICY_BALANCE] = "balance",
	[POLICY_BURST] = "burst",
	[POLICY_THIN] = "thin",
	[POLICY_HUGE] = "huge",
	[POLICY_RESERVE] = "reserve",
};

static const char *const held_names[POLICY_NR_HELD] = {
	[POLICY_HELD_NEW] = "new",
	[POLICY_HELD_MARGIN] = "margin",
	[POLICY_HELD_PROFIT] = "profit",
	[POLICY_HELD_BALANCE] = "balance",
	[POLICY_HELD_ROOM] = "room",
	[POLICY_HELD_RATE] = "rate",
	[POLICY_HELD_HUGE] = "huge",
	[POLICY_HELD_STUCK] = "stuck",
};

/* While few pages move, the list of the slow tier is 1/LISTED as long as the fast tier. */
#define LISTED		8
/* Larger counts are treated alike when the shortest list is chosen. */
#define LEAST_MOST	255
/* Fewer samples do not tell whether the program uses other pages. */
#define LEAST_SAMPLES	300
/* CPU time that a sample takes. */
#define SAMPLE_NS	1500.0
/* A program that did little has begun to work if it does so many times as much. */
#define BEGUN_TIMES	4
/* What part of the time of a CPU looks take: at most, for new pages at most, and at least. */
#define LOOKS_MOST	0.2
#define LOOKS_RESERVE	0.05
#define LOOKS_CALM	0.002
/*
 * Looks at parts of much memory may take that of up to LOOKS_CPUS CPUs: of one for each LOOKS_PARTS
 * parts that there are.
 */
#define LOOKS_CPUS	4
#define LOOKS_PARTS	4
/* What part of the time moves save at least, for computing. */
#define LEAST_WON	0.000001
/* A look at a part of much memory is worth the most if its moves save this many times its cost. */
#define LOOK_SAVES	3
/*
 * Moves that save a smaller part of the time are not worth many looks and samples. These may take
 * more than this: they are paid for once, and the savings stay. Where moves have not paid so far,
 * expected savings are mostly chance, so more of them is required.
 */
#define WORTH		0.003
#define WORTH_UNSURE	0.03
/* What part of the time lists of regions may take. */
#define GLANCES_PART	0.0025

/* Pages of 4 KiB in the largest page that can be moved. */
#define LARGEST		(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))

/* The first look comes after this many samples or seconds. */
#define FIRST_SAMPLES	2000
#define FIRST_S		1.0
/* Samples between two coolings: for each page, and at least. */
#define COOLING_EACH	4
#define COOLING_LEAST	40000
/* At each look, what promoted pages were expected to gain, and have gained, counts half of it. */
#define OLD_MOVES	0.5
/* Weight of a new measurement of what a copy costs. */
#define COPY_WEIGHT	0.25

const char *policy_held_name(unsigned int held)
{
	return held < POLICY_NR_HELD ? held_names[held] : NULL;
}

struct policy *policy_new(const struct policy_config *config)
{
	struct policy *policy = calloc(1, sizeof(*policy));

	if (!policy)
		return NULL;
	policy->config = *config;
	policy->copy_ns = config->copy_ns;
	/* All that is hot is new. */
	policy->burst.off = !rule_on(policy, POLICY_BURST);
	policy->reserve.off = !rule_on(policy, POLICY_RESERVE);
	burst_begin(&policy->burst, 0, 0);
	return policy;
}

void policy_free(struct policy *policy)
{
	if (!policy)
		return;
	units_free(&policy->now);
	units_free(&policy->old);
	units_free(&policy->regions);
	focus_free(&policy->focus);
	origins_free(&policy->origins);
	free(policy->order);
	free(policy->plan.moves);
	free(policy);
}

void policy_copied(struct policy *policy, __u64 pages, __u64 ns)
{
	if (pages)
		policy->copy_ns += COPY_WEIGHT * ((double)ns / pages - policy->copy_ns);
}

void policy_spent(struct policy *policy, double seconds)
{
	balance_spend(&policy->balance, seconds);
}

void policy_looked(struct policy *policy, double seconds)
{
	if (!rule_balance(policy))
		seconds = fmin(seconds, balance_looks(&policy->balance, policy->interval));
	policy_spent(policy, seconds);
}

static int make_room(struct policy *policy, size_t nr)
{
	const struct units old = policy->now;

	policy->now = policy->old;
	policy->old = old;
	if (units_reset(&policy->now, nr))
		return -1;
	if (nr > policy->order_room) {
		const size_t room = policy->now.room;

		free(policy->order);
		free(policy->plan.moves);
		policy->order = malloc(room * sizeof(*policy->order));
		policy->plan.moves = malloc(room * sizeof(*policy->plan.moves));
		policy->order_room = policy->order && policy->plan.moves ? room : 0;
	}
	return nr > policy->order_room ? -1 : 0;
}

static unsigned int target_slot(__u32 target)
{
	return target % (HTMM_MAX_TARGETS + 1);
}

/* The count of the previous look, halved as often as the present ones. */
static __u32 halved(const struct policy *policy, const struct unit *unit)
{
	__u32 times = policy->halvings[target_slot(unit->target)];

	return times < 32 ? unit->samples >> times : 0;
}

static bool halved_since(const struct policy *policy)
{
	unsigned int i;

	for (i = 0; i <= HTMM_MAX_TARGETS; i++)
		if (policy->halvings[i])
			return true;
	return false;
}

/* How often the counts of each target were halved since the previous look. */
static void count_halvings(struct policy *policy, const struct policy_look *look)
{
	size_t i;

	for (i = 0; i < look->nr_coolings && i <= HTMM_MAX_TARGETS; i++)
		policy->halvings[i] = look->coolings[i] - policy->coolings[i];
}

/* The region of a unit, if its pages were not listed at the previous look; else NULL. */
static const struct unit *new_region(const struct policy *policy, const struct unit *unit)
{
	struct area *area;
	const struct unit *region = policy->focused ? focus_region(&policy->focus, unit, &area) :
						      NULL;

	return region && area->looks <= 1 ? region : NULL;
}

/* The unit is taken to have gained what its region has, in proportion. */
static void match_new(struct unit *unit, const struct unit *region)
{
	const double part = region->samples ? (double)unit->samples / region->samples : 0;

	unit->gain = fmin(part * region->gain, unit->samples);
	unit->recent = part * region->recent;
	unit->class = predict_class(unit);
}

/* Finds what a unit has gained. One that was not in the previous list had few samples. */
static void match(struct policy *policy, struct unit *unit)
{
	const struct unit unlisted = { .target = unit->target, .samples = policy->cut };
	__u32 before = halved(policy, &unlisted);
	struct unit *old = units_find(&policy->old, unit);
	const struct unit *region = old ? NULL : new_region(policy, unit);

	if (region) {
		match_new(unit, region);
		return;
	}
	if (old) {
		before = halved(policy, old);
		unit->before = old->fast == unit->fast;
		old->seen = true;
		unit->old = old - policy->old.unit + 1;
	}
	unit->fresh = !old && unit->fast;
	unit->gain = unit->samples > before ? unit->samples - before : 0;
	unit->recent = unit->gain + (old ? old->recent * policy->fading : 0);
	unit->class = predict_class(unit);
}

/* Samples a second that a unit is expected to gain. */
static double value_of(const struct policy *policy, const struct unit *unit)
{
	return policy->predictor.value[unit->class] * unit->pages;
}

static void learn_of_present(struct policy *policy)
{
	const struct units *now = &policy->now;
	size_t i;

	/* Of gigantic pages, which cannot be moved, only parts may be listed. */
	for (i = 0; i < now->nr; i++)
		if (now->unit[i].old && now->unit[i].pages <= LARGEST)
			predict_learn(&policy->predictor, &policy->old.unit[now->unit[i].old - 1],
				      now->unit[i].gain, policy->times);
}

/* Would a unit of the previous look be in the list, if it were there? */
static bool still_listed(const struct policy *policy, const struct unit *unit)
{
	struct area *area;

	return !policy->focused || (focus_region(&policy->focus, unit, &area) &&
				    area->looks > 1 && area->pages);
}

/* Units that are not in the list of the slow tier any more: they have cooled. */
static void learn_of_missing(struct policy *policy)
{
	size_t i;

	for (i = 0; i < policy->old.nr; i++) {
		const struct unit *unit = &policy->old.unit[i];

		if (!unit->seen && !unit->fast && still_listed(policy, unit))
			predict_learn(&policy->predictor, unit, 0, policy->times);
	}
}

/* Have promoted pages gained what was expected of them? */
static void learn_of_promoted(struct policy *policy)
{
	const struct units *now = &policy->now, *old = &policy->old;
	size_t i;

	for (i = 0; i < now->nr; i++) {
		const struct unit *unit = &now->unit[i];
		const struct unit *was = unit->old ? &old->unit[unit->old - 1] : NULL;

		/* It may have been refused. */
		if (!was || !was->promoted || !unit->fast)
			continue;
		policy->expected += value_of(policy, was) * policy->exposure;
		policy->gained += unit->gain;
	}
}

static void take_in(struct policy *policy, const struct policy_look *look)
{
	struct units *now = &policy->now;
	size_t i;

	units_add(now, look->slow, look->nr_slow, false);
	units_add(now, look->fast, look->nr_fast, true);
	count_halvings(policy, look);
	for (i = 0; i < now->nr; i++)
		match(policy, &now->unit[i]);
	if (look->focused)
		focus_listed(&policy->focus, look, now);
}

/*
 * What was gained before a phase change tells nothing about the future. But a program that streams
 * seems to have many phases, and moves that did not pay for one seldom pay for the next.
 */
static void learn(struct policy *policy)
{
	predict_forget(&policy->predictor, policy->plan.cool);
	policy->expected *= OLD_MOVES;
	policy->gained *= OLD_MOVES;
	if (policy->plan.cool)
		return;
	learn_of_promoted(policy);
	learn_of_present(policy);
	learn_of_missing(policy);
}

/*
 * The fast tier's share of the samples since the last look; below 0: no samples. The list of the
 * slow tier is not complete, but all samples that were not of the fast tier were of the slow one.
 */
static double fast_share(const struct policy *policy, const struct policy_look *look)
{
	const struct units *now = &policy->now;
	__u64 gain[2] = {};
	double samples;
	size_t i;

	if (look->samples <= policy->samples)
		return -1;
	if (look->focused)
		return policy->focus.share;
	samples = look->samples - policy->samples;
	for (i = 0; i < now->nr; i++)
		gain[now->unit[i].fast] += now->unit[i].gain;
	return gain[1] / fmax(samples, gain[0] + gain[1]);
}

/*
 * Puts the units from @from to @to in order of their classes' value, keeping the order within a
 * class. Returns the next free place in @order.
 */
static void sort_units(struct policy *policy, size_t from, size_t to, bool best_first)
{
	const struct unit *unit = policy->now.unit;
	size_t start[PREDICT_CLASSES + 1] = {}, i, at;

	for (i = from; i < to; i++) {
		at = policy->predictor.position[unit[i].class];
		start[(best_first ? at : PREDICT_CLASSES - 1 - at) + 1]++;
	}
	for (i = 1; i <= PREDICT_CLASSES; i++)
		start[i] += start[i - 1];
	for (i = from; i < to; i++) {
		at = policy->predictor.position[unit[i].class];
		at = best_first ? at : PREDICT_CLASSES - 1 - at;
		policy->order[from + start[at]++] = i;
	}
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

	return unit->pages <= LARGEST && unit->pid &&
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
		if (forced || rule_hysteresis(policy, unit))
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
		plan->won -= value_of(pair->policy, unit);
		demote(pair, unit);
		plan->moves[plan->nr_moves - 1].forced = true;
	}
}

/* Makes room for new pages, where these gain more than what leaves: so nothing is lost. */
static void keep_reserve(struct pairing *pair)
{
	struct policy *policy = pair->policy;
	struct policy_plan *plan = &policy->plan;
	const struct unit *unit;

	while (pair->look->used + plan->reserve > pair->look->capacity + plan->demoted_pages) {
		unit = next_victim(pair, false);
		if (!unit || !within_budget(policy, unit->pages) ||
		    !reserve_pays(&policy->reserve, policy->predictor.value[unit->class]))
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
		plan->won -= value_of(pair->policy, out);
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
	if (!rule_hysteresis(pair->policy, unit))
		return judge_new(pair, unit);
	held = make_way(pair, unit);
	if (held != POLICY_NR_HELD)
		return held;
	pair->room -= unit->pages;
	pair->made -= pair->made < unit->pages ? pair->made : unit->pages;
	pair->policy->plan.won += value_of(pair->policy, unit);
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

static void pair_up(struct policy *policy, const struct policy_look *look)
{
	const struct units *now = &policy->now;
	struct policy_plan *plan = &policy->plan;
	struct pairing pair = {
		.policy = policy, .look = look, .victim = now->nr_slow,
		.room = look->capacity > look->used + plan->reserve ?
			look->capacity - look->used - plan->reserve : 0,
	};
	size_t i;

	sort_units(policy, 0, now->nr_slow, true);
	sort_units(policy, now->nr_slow, now->nr, false);
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
			plan->won += value_of(policy, unit) - unit->pages * price_of(&pair);
	}
	plan->threshold = price_of(&pair);
}

/* The count from which on there are at most @most pages in the list of the slow tier. */
static __u32 least_of(const struct policy *policy, size_t most)
{
	const struct units *now = &policy->now;
	size_t nr[LEAST_MOST + 1] = {}, i, sum = 0;
	__u32 least;

	for (i = 0; i < now->nr_slow; i++)
		nr[now->unit[i].samples < LEAST_MOST ? now->unit[i].samples : LEAST_MOST]++;
	for (least = LEAST_MOST; least && sum + nr[least] <= most; least--)
		sum += nr[least];
	return least + 1;
}

/*
 * What to list next time: as many pages as fit, and fewer while moves would save little. A list
 * that was too long is cut to half of that, because more pages will have such counts by then.
 */
static void aim(struct policy *policy, const struct policy_look *look, bool much)
{
	struct policy_plan *plan = &policy->plan;
	size_t most = much ? look->capacity : look->capacity / LISTED;
	__u32 least = look->slow_cut + 1, lowest = much ? 2 : 1;
	unsigned int looks = policy->burst.looks;

	if (look->focused) {
		plan->least = 1;
		focus_adapt(&policy->focus, plan->promoted_pages + plan->held[POLICY_HELD_NEW] +
			    plan->held[POLICY_HELD_ROOM]);
		return;
	}
	plan->least = least > lowest ? least : lowest;
	if (policy->burst.looks)
		plan->least = looks > 1 && look->nr_slow > look->capacity ? least + 1 :
			      looks > 1 ? least : 1;
	else if (look->nr_slow > most)
		plan->least = least_of(policy, most / 2);
	else if (look->nr_slow < most / 4 && least > lowest)
		plan->least = least / 2 > lowest ? least / 2 : lowest;
}

/* Sets how often to look and to sample, by what the moves of this look and of later ones save. */
static void pace(struct policy *policy, const struct policy_look *look)
{
	struct policy_plan *plan = &policy->plan;
	bool much;

	/* From samples a second to a part of the time. */
	plan->won *= look->period * policy->config.gap_ns / 1e9;
	if (!rule_balance(policy))
		policy->burst.looks = 0;
	much = plan->won >= (burst_pays(&policy->burst) ? WORTH : WORTH_UNSURE);
	if (plan->won < WORTH && policy->burst.looks > LEARNT_LOOKS && !look->focused)
		policy->burst.looks = 0;
	plan->burst = policy->burst.looks;
	plan->thin = rule_thin(policy, much);
	aim(policy, look, much);
}

/*
 * How many CPUs' part of the time looks may take. Pages must have time to get samples from one look
 * at them to the next, so looks may follow each other faster only if they are at other pages.
 */
static double looks_cpus(const struct policy *policy)
{
	const struct focus *focus = &policy->focus;
	const double most = fmin(policy->balance.busy, LOOKS_CPUS);

	if (!policy->focused || !focus->most)
		return 1;
	return fmax(fmin(most, (double)focus->now.nr / focus->most / LOOKS_PARTS), 1);
}

/*
 * Possible savings grow from look to look, so waiting loses half of them on average. This loss and
 * the cost of looks have the smallest sum when they are equal.
 */
static double wait_for_more(const struct policy *policy, double cost)
{
	return sqrt(2 * cost * policy->interval / fmax(policy->plan.won, LEAST_WON));
}

/* Of much memory a look shows a part only. The next part is there at once, and saves as much. */
static double wait_for_next_part(const struct policy *policy, double cost)
{
	const double saved = fmax(policy->plan.won, LEAST_WON) * USEFUL_S * rule_trust(policy);

	return cost / LOOKS_MOST / looks_cpus(policy) * fmax(LOOK_SAVES * cost / saved, 1);
}

double policy_wait(const struct policy *policy, double cost)
{
	const struct policy_plan *plan = &policy->plan;
	const double looks = looks_cpus(policy);
	const bool loses = !rule_balance(policy);
	double wait;

	/* The rate of samples may rise, so a burst waits at most twice as long as the last time. */
	if (policy->burst.looks)
		wait = fmin(burst_wait(&policy->burst, policy->samples, policy->capacity) *
			    plan->thin / fmax(policy->rate, 1), 2 * policy->interval);
	else
		wait = wait_for_more(policy, cost);
	/* Unless not even what this part shows may be moved now. */
	if (policy->focused && !plan->held[POLICY_HELD_RATE] && !policy->config.dry)
		wait = fmin(wait, wait_for_next_part(policy, cost));
	wait = fmin(wait, fmax(reserve_wait(&policy->reserve, policy->interval),
			       cost / LOOKS_RESERVE));
	/* Unless where pages are now is what loses time: then some go back. */
	if (loses && policy->balance.lately >= 0)
		wait = balance_wait(&policy->balance, cost);
	else if (loses)
		wait = fmin(wait, balance_wait(&policy->balance, cost));
	/* A program that had more than its limit will soon have more again. */
	if (plan->forced_pages)
		wait = fmin(wait, cost / LOOKS_RESERVE);

	return fmin(fmax(wait, cost / LOOKS_MOST / looks), cost / LOOKS_CALM / looks);
}

bool policy_begins(struct policy *policy, __u64 samples, double seconds)
{
	/* If the program did nothing at first, samples come faster than the mean says. */
	if (!samples) {
		policy->seconds = seconds;
		policy->burst.since = seconds;
	}
	return samples >= FIRST_SAMPLES || seconds >= FIRST_S;
}

__u64 policy_cooling_period(__u64 pages)
{
	return pages * COOLING_EACH > COOLING_LEAST ? pages * COOLING_EACH : COOLING_LEAST;
}

double policy_glance_wait(double cost)
{
	return cost / GLANCES_PART;
}

/* Adds to what one of the tiers has of a region's samples. */
static void add_part(struct units *regions, struct unit page, double samples)
{
	struct unit *region;

	page.addr = page.addr >> HTMM_REGION_SHIFT << HTMM_REGION_SHIFT;
	page.pages = 1 << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT);
	region = units_find(regions, &page);
	if (region && region->samples)
		region->recent += samples / region->samples;
}

static void note_focus(struct policy *policy)
{
	struct units *regions = &policy->regions;
	struct area *area;
	size_t i;

	for (i = 0; i < policy->plan.nr_moves && !policy->config.dry; i++)
		focus_moved(&policy->focus, &policy->plan.moves[i], policy->plan.moves[i].promote);
	for (i = 0; i < regions->nr; i++)
		if (focus_region(&policy->focus, &regions->unit[i], &area))
			regions->unit[i].recent = area->share < 0 ? policy->focus.usual :
								    area->share;
}

/* Notes which part of each region's samples the fast tier has after the moves. */
static int note_regions(struct policy *policy, const struct policy_look *look)
{
	const struct units *now = &policy->now;
	struct units *regions = &policy->regions;
	size_t i;

	if (units_reset(regions, look->nr_regions))
		return -1;
	units_add(regions, look->regions, look->nr_regions, false);
	memcpy(policy->glanced, policy->coolings, sizeof(policy->glanced));
	if (look->focused) {
		note_focus(policy);
		return 0;
	}
	for (i = now->nr_slow; i < now->nr; i++)
		add_part(regions, now->unit[i], now->unit[i].samples);
	for (i = 0; i < policy->plan.nr_moves && !policy->config.dry; i++) {
		const struct policy_move *move = &policy->plan.moves[i];
		const struct unit page = {
			.addr = move->addr, .space = move->space, .target = move->target,
		};

		add_part(regions, page, (move->promote ? 1.0 : -1.0) * move->samples);
	}
	return 0;
}

static void note_coolings(__u64 *to, const struct policy_look *look)
{
	size_t i;

	for (i = 0; i < look->nr_coolings && i <= HTMM_MAX_TARGETS; i++)
		to[i] = look->coolings[i];
}

bool policy_watches(const struct policy *policy)
{
	return policy->idle ||
	       (rule_balance(policy) && burst_drop(&policy->burst, UINT64_MAX, 0));
}

/* Does a program work that did hardly anything before the last look? */
static bool has_begun(const struct policy *policy, const struct policy_look *look)
{
	double seconds = (look->seconds - policy->seconds) / (look->thin ?: 1);

	return policy->idle && look->samples >= policy->samples + FIRST_SAMPLES &&
	       look->samples - policy->samples > BEGUN_TIMES * policy->rate * seconds;
}

bool policy_changed(struct policy *policy, const struct policy_look *look)
{
	struct units now = {};
	double fast = 0, all = 0;
	size_t i;

	if (has_begun(policy, look)) {
		policy->changed = true;
		return true;
	}
	/* Nothing new would be promoted. What has to come back is seen at the next look. */
	if (!rule_balance(policy))
		return false;
	if (units_reset(&now, look->nr_regions))
		return true;
	units_add(&now, look->regions, look->nr_regions, false);
	for (i = 0; i < now.nr; i++) {
		struct unit *unit = &now.unit[i];
		const struct unit *old = units_find(&policy->regions, unit);
		unsigned int slot = target_slot(unit->target);
		__u64 times = slot < look->nr_coolings ?
			look->coolings[slot] - policy->glanced[slot] : 0;
		__u32 before = old && times < 32 ? old->samples >> times : 0;

		/* Where new memory is, is not known before the next look. */
		unit->fresh = !old || old->fresh;
		if (unit->fresh)
			continue;
		unit->recent = old->recent;
		if (unit->samples > before) {
			all += unit->samples - before;
			fast += (unit->samples - before) * fmin(fmax(old->recent, 0), 1);
		}
	}
	if (all < LEAST_SAMPLES) {
		units_free(&now);
		return false;
	}
	units_free(&policy->regions);
	policy->regions = now;
	note_coolings(policy->glanced, look);
	policy->changed = burst_drop(&policy->burst, all, fast / all);
	return policy->changed;
}

static void finish(struct policy *policy)
{
	struct policy_plan *plan = &policy->plan;
	size_t i;

	if (plan->nr_moves)
		qsort(plan->moves, plan->nr_moves, sizeof(*plan->moves), by_place);
	for (i = 0; i < plan->nr_moves; i++) {
		const struct policy_move *move = &plan->moves[i];

		moved_note(policy->moved, move, policy->seconds, false);
		plan->nr_demotions += !move->promote;
		if (!policy->config.dry)
			origins_moved(&policy->origins, move, move->promote,
				      policy->focused ? focus_part(&policy->focus, move) : 0);
	}
	policy->tokens -= plan->demoted_pages + plan->promoted_pages;
}

bool policy_refused(struct policy *policy, const struct policy_move *move)
{
	focus_moved(&policy->focus, move, !move->promote);
	origins_moved(&policy->origins, move, !move->promote,
		      policy->focused ? focus_part(&policy->focus, move) : 0);
	if (move->ahead)
		policy->room -= policy->room < move->pages ? policy->room : move->pages;
	policy->reserve.used += move->promote ? -(__u64)move->pages : move->pages;
	return moved_note(policy->moved, move, policy->seconds, true);
}

/* What a gain of the previous look counts now. */
static double fading(const struct policy *policy, const struct policy_look *look)
{
	/* Lately is as long as it takes to sample each page of the fast tier once, on average. */
	return exp2(-(double)(look->samples - policy->samples) / (look->capacity + 1));
}

ssize_t policy_focus(struct policy *policy, const struct policy_look *look,
		     const struct policy_range **range)
{
	ssize_t nr;

	count_halvings(policy, look);
	nr = focus_begin(&policy->focus, look, policy->halvings, fading(policy, look));
	*range = policy->focus.range;
	return nr;
}

bool policy_in_focus(const struct policy *policy, const struct htmm_page *page)
{
	const struct unit unit = {
		.addr = page->addr, .space = page->space, .target = page->target,
	};
	struct area *area;

	return focus_region(&policy->focus, &unit, &area) && area->looks;
}

size_t policy_hottest(const struct policy *policy)
{
	return focus_hottest(&policy->focus);
}

size_t policy_find(const struct policy *policy)
{
	return focus_find(&policy->focus);
}

/* Notes what samples have cost, and what moves have won since the previous look. */
static void keep_balance(struct policy *policy, const struct policy_look *look, double share)
{
	const struct focus *focus = look->focused ? &policy->focus : NULL;
	const double samples = policy->rate * policy->exposure, cpus = fmax(policy->config.cpus, 1);
	const double misses = policy->rate * policy->interval * look->period;
	double won = 0;

	policy_spent(policy, samples * SAMPLE_NS / 1e9);
	origins_listed(&policy->origins, &policy->now, look->seconds, focus, &policy->room);
	if (share >= 0)
		won = share - origins_share(&policy->origins, &policy->now, samples, share, focus);
	balance_look(&policy->balance, won * misses * policy->config.gap_ns / 1e9,
		     policy->interval, look->busy ? fmin(look->busy, cpus) : cpus);
}

const struct policy_plan *policy_look(struct policy *policy, const struct policy_look *look)
{
	/* There are fewer if a target was removed. */
	const __u64 samples = look->samples > policy->samples ? look->samples - policy->samples : 0;
	struct policy_plan *plan = &policy->plan;
	double share;

	policy->interval = look->seconds > policy->seconds ? look->seconds - policy->seconds : 1;
	policy->seconds = look->seconds;
	policy->exposure = policy->interval / (look->thin ?: 1);
	policy->rate = samples / policy->exposure;
	policy->all_rate = policy->rate;
	if (look->others > policy->others)
		policy->all_rate += (look->others - policy->others) / policy->exposure;
	policy->pages = (__u64)look->nr_regions << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT);
	policy->capacity = look->capacity;
	policy->fading = fading(policy, look);
	policy->focused = look->focused;
	policy->times = policy->recent_s ? policy->exposure / policy->recent_s : 1;
	policy->recent_s = policy->exposure + policy->fading * policy->recent_s;
	if (make_room(policy, look->nr_slow + look->nr_fast))
		return NULL;
	take_in(policy, look);
	share = fast_share(policy, look);
	keep_balance(policy, look, share);
	reserve_look(&policy->reserve, look, &policy->now, policy->exposure);
	*plan = (struct policy_plan) {
		.moves = plan->moves, .fast_share = share, .budget = rule_rate(policy),
		.cool = burst_look(&policy->burst, look, samples, share,
				   policy->changed, halved_since(policy)),
		.reserve = rule_balance(policy) ? policy->reserve.pages : 0,
		.saved_s = policy->balance.all_won, .spent_s = policy->balance.all_spent,
	};
	learn(policy);
	if (rule_on(policy, POLICY_PREDICT))
		predict_values(&policy->predictor, policy->recent_s);
	else
		predict_by_count(&policy->predictor, USEFUL_S);
	pair_up(policy, look);
	finish(policy);
	if (!policy->config.dry)
		policy->room += plan->ahead_pages;
	policy->reserve.used = look->used;
	if (!policy->config.dry)
		policy->reserve.used += plan->promoted_pages - plan->demoted_pages;
	policy->idle = samples < LEAST_SAMPLES;
	policy->samples = look->samples;
	policy->others = look->others;
	policy->cut = look->slow_cut;
	note_coolings(policy->coolings, look);
	pace(policy, look);
	policy->changed = false;
	return note_regions(policy, look) ? NULL : plan;
}
