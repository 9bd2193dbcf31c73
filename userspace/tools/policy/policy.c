// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "pace.h"
#include "pair.h"

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

/* Fewer samples do not tell whether the program uses other pages. */
#define LEAST_SAMPLES	300
/* The fast tier is full if a smaller part of it is free. */
#define ROOM_PART	16
/* A program that did little has begun to work if it does so many times as much. */
#define BEGUN_TIMES	4
/* At each look, what promoted pages were expected to gain, and have gained, counts half of it. */
#define OLD_MOVES	0.5
/* Before anything is learnt, no page is expected to gain more than so many times the mean. */
#define FIRST_TIMES	6
/* If more than this part of the fast tier was freed, it was much. */
#define FREED_PART	64
/* For each page that is promoted, another one leaves. */
#define FILL_COPIES	2
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
	burst_begin(&policy->burst, 0, 0, &policy->balance);
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
	free(policy->other_order);
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
	policy->reserve.look_s = seconds;
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
		free(policy->other_order);
		free(policy->plan.moves);
		policy->order = malloc(room * sizeof(*policy->order));
		policy->other_order = malloc(room * sizeof(*policy->other_order));
		policy->plan.moves = malloc(room * sizeof(*policy->plan.moves));
		policy->order_room = policy->order && policy->other_order && policy->plan.moves ?
					     room : 0;
	}
	return nr > policy->order_room ? -1 : 0;
}

static bool halved_since(const struct policy *policy)
{
	unsigned int i;

	for (i = 0; i < policy->halvings.nr; i++)
		if (policy->halvings.value[i])
			return true;
	return false;
}

/* How often the counts of each target were halved since the previous look. */
static void count_halvings(struct policy *policy, const struct policy_look *look)
{
	if (look->coolings)
		by_target_since(&policy->halvings, look->coolings, &policy->coolings);
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

/*
 * Finds what a unit has gained, whose counts were halved so many times. One that was not in the
 * previous list, where its region has some runs, had few samples, or none in the fast tier, of
 * which all are listed; if that list was of a part of the memory, nothing is known: it is taken to
 * have gained nothing, and not to be new.
 */
static void match(struct policy *policy, struct unit *unit, __u32 runs, __u64 halvings)
{
	struct unit *old = units_find_in(&policy->old, runs, unit);
	__u32 before = halved(old ? old->samples : unit->fast ? 0 : policy->cut, halvings);
	const struct unit *region = old ? NULL : new_region(policy, unit);

	if (region) {
		match_new(unit, region);
		return;
	}
	if (!old && policy->widened) {
		unit->class = predict_class(unit);
		return;
	}
	if (old) {
		unit->before = old->fast == unit->fast;
		old->seen = true;
		unit->old = old - policy->old.unit + 1;
	}
	unit->earlier = old ? halved(old->earlier, halvings) : 0;
	unit->fresh = !old && unit->fast;
	if (old && old->fast && unit->fast)
		policy->stayed += unit->pages;
	unit->gain = unit->samples > before ? unit->samples - before : 0;
	unit->recent = unit->gain + (old ? old->recent * policy->fading : 0);
	unit->class = predict_class(unit);
}

/*
 * What a promoted unit was expected to gain until now. Before anything is learnt, pages seem to go
 * on as lately. But of those with the most of few samples, many have them by chance: a page that
 * gains FIRST_TIMES the mean is a hot one, and no more is expected of it.
 */
static double expected_of(const struct policy *policy, const struct unit *was)
{
	const double expected = unit_value(policy, was) * policy->exposure;
	const double mean = policy->rate * policy->exposure / fmax(policy->pages, 1);

	return policy->learnt ? expected : fmin(expected, FIRST_TIMES * mean * was->pages);
}

/* What units have gained, and if promoted ones have gained what was expected of them. */
static void learn_of_present(struct policy *policy)
{
	const struct units *now = &policy->now;
	size_t i;

	for (i = 0; i < now->nr; i++) {
		const struct unit *unit = &now->unit[i];
		const struct unit *was = unit->old ? &policy->old.unit[unit->old - 1] : NULL;

		if (!was)
			continue;
		/* Of gigantic pages, which cannot be moved, only parts may be listed. */
		if (unit->pages <= UNIT_LARGEST)
			predict_learn(&policy->predictor, was, unit->gain, policy->times);
		/* A move may have been refused. */
		if (!was->promoted || !unit->fast)
			continue;
		policy->expected += expected_of(policy, was);
		policy->gained += unit->gain;
	}
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

static void take_in(struct policy *policy, const struct policy_look *look)
{
	struct units *now = &policy->now;
	__u64 fast = 0, left;
	size_t i;

	policy->stayed = 0;
	units_add(now, look->slow, look->nr_slow, false);
	units_add(now, look->fast, look->nr_fast, true);
	count_halvings(policy, look);
	for (i = 0; i < now->nr_runs; i++) {
		struct unit *unit = &now->unit[now->run[i].begin], *end = unit + now->run[i].nr;
		const __u32 runs = units_runs(&policy->old, unit);
		const __u64 halvings = by_target_get(&policy->halvings, unit->target);

		for (; unit < end; unit++) {
			match(policy, unit, runs, halvings);
			fast += unit->fast ? unit->pages : 0;
		}
	}
	/* All pages of the fast tier are listed. */
	left = policy->stayed + policy->plan.demoted_pages;
	policy->freed = policy->fast_pages > left ? policy->fast_pages - left : 0;
	policy->fast_pages = fast;
	if (look->focused)
		focus_listed(&policy->focus, look, now);
}

/*
 * Forgets what was gained until the look that shows a phase change: most of it was before. Else the
 * next looks would learn that what has gained much gains nothing later, and no move would seem to
 * pay. But if all moves together lose, it may be these that have changed the share.
 */
static void begin_phase(struct policy *policy)
{
	struct unit *unit = policy->now.unit, *end = unit + policy->now.nr;
	const bool forgets = rule_balance(policy);

	for (; unit < end; unit++) {
		unit->earlier = unit->samples;
		if (forgets)
			unit->recent = 0;
		unit->class = predict_class(unit);
	}
	if (!forgets)
		return;
	if (policy->focused)
		focus_begin_phase(&policy->focus);
	reserve_begin_phase(&policy->reserve);
	policy->recent_s = 0;
	policy->recent_samples = 0;
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
	if (policy->plan.cool) {
		begin_phase(policy);
		return;
	}
	/* At the previous look all gains were forgotten: pages of one class were not alike. */
	if (!policy->before_s)
		return;
	learn_of_present(policy);
	learn_of_missing(policy);
	predict_rescale(&policy->predictor, policy->recent_s / policy->before_s,
			policy->before_samples / fmax(policy->pages, 1),
			policy->rate * policy->before_s / fmax(policy->pages, 1));
}

/*
 * The fast tier's share of the samples since the last look; below 0: there are none, or this is the
 * first list of all after those of a part, which does not tell it. The list of the slow tier is not
 * complete, but all samples that were not of the fast tier were of the slow one.
 */
static double fast_share(const struct policy *policy, const struct policy_look *look)
{
	const struct units *now = &policy->now;
	__u64 gain[2] = {};
	double samples;
	size_t i;

	if (look->samples <= policy->samples || policy->widened)
		return -1;
	if (look->focused)
		return policy->focus.share;
	samples = look->samples - policy->samples;
	for (i = 0; i < now->nr; i++)
		gain[now->unit[i].fast] += now->unit[i].gain;
	return gain[1] / fmax(samples, gain[0] + gain[1]);
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
	policy->glanced = policy->coolings;
	if (look->focused) {
		note_focus(policy);
		return 0;
	}
	for (i = 0; i < now->nr_runs; i++) {
		const struct unit *unit = &now->unit[now->run[i].begin];
		double samples = 0;
		size_t j;

		if (!unit->fast)
			continue;
		for (j = 0; j < now->run[i].nr; j++)
			samples += unit[j].samples;
		add_part(regions, *unit, samples);
	}
	for (i = 0; i < policy->plan.nr_moves && !policy->config.dry; i++) {
		const struct policy_move *move = &policy->plan.moves[i];
		const struct unit page = {
			.addr = move->addr, .space = move->space, .target = move->target,
		};

		add_part(regions, page, (move->promote ? 1.0 : -1.0) * move->samples);
	}
	return 0;
}

static void note_coolings(struct by_target *to, const struct policy_look *look)
{
	if (look->coolings)
		*to = *look->coolings;
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

/*
 * May regions that had no samples yet be taken for slow? If the fast tier was full after the last
 * look, little new memory is there, unless it takes the place of memory that was given back.
 */
static bool may_guess(const struct policy *policy)
{
	return !policy->guessed_wrong && !policy->focused &&
	       policy->reserve.used + policy->capacity / ROOM_PART >= policy->capacity;
}

bool policy_changed(struct policy *policy, const struct policy_look *look)
{
	double fast = 0, all = 0, unknown = 0;
	struct by_target halvings = {};
	struct units now = {};
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
	if (look->coolings)
		by_target_since(&halvings, look->coolings, &policy->glanced);
	for (i = 0; i < now.nr; i++) {
		struct unit *unit = &now.unit[i];
		const struct unit *old = units_find(&policy->regions, unit);
		const __u64 times = by_target_get(&halvings, unit->target);
		const __u32 before = old ? halved(old->samples, times) : 0;
		const double gain = unit->samples > before ? unit->samples - before : 0;

		/* Where that is which had no samples yet, is not known before the next look. */
		unit->fresh = !old || old->fresh;
		if (unit->fresh) {
			unknown += gain;
			continue;
		}
		unit->recent = old->recent;
		all += gain;
		fast += gain * fmin(fmax(old->recent, 0), 1);
	}
	policy->changed = burst_drop(&policy->burst, all, fast / fmax(all, 1));
	policy->guessed = !policy->changed && may_guess(policy) && all + unknown >= LEAST_SAMPLES &&
			  burst_drop(&policy->burst, all + unknown, fast / (all + unknown));
	if (all < LEAST_SAMPLES && !policy->changed) {
		units_free(&now);
		return policy->guessed;
	}
	units_free(&policy->regions);
	policy->regions = now;
	note_coolings(&policy->glanced, look);
	return policy->changed || policy->guessed;
}

static void finish(struct policy *policy)
{
	struct policy_plan *plan = &policy->plan;
	size_t i;

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
	nr = focus_begin(&policy->focus, look, &policy->halvings, fading(policy, look));
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
	const bool freed = policy->freed > look->capacity / FREED_PART;
	double won = 0;

	policy_spent(policy, samples * SAMPLE_NS / 1e9);
	policy->balance.fill = look->capacity * FILL_COPIES * policy->copy_ns / 1e9;
	origins_listed(&policy->origins, &policy->now, look->seconds, focus, &policy->room);
	if (share >= 0)
		won = share - origins_share(&policy->origins, look, &policy->now,
					    !halved_since(policy) && !freed, samples, share, focus);
	if (!freed)
		reserve_gained(&policy->reserve, policy->origins.room_won,
			       policy->origins.room_lost, policy->interval);
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
	policy->stake = policy->all_rate * look->period * policy->config.gap_ns / 1e9;
	policy->pages = (__u64)look->nr_regions << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT);
	policy->capacity = look->capacity;
	policy->fading = fading(policy, look);
	policy->widened = policy->focused && !look->focused;
	policy->focused = look->focused;
	policy->before_s = policy->recent_s;
	policy->before_samples = policy->recent_samples;
	policy->times = policy->before_s ? policy->exposure / policy->before_s : 1;
	policy->recent_s = policy->exposure + policy->fading * policy->before_s;
	policy->recent_samples = samples + policy->fading * policy->before_samples;
	if (make_room(policy, look->nr_slow + look->nr_fast))
		return NULL;
	take_in(policy, look);
	share = fast_share(policy, look);
	if (policy->widened)
		focus_free(&policy->focus);
	keep_balance(policy, look, share);
	reserve_look(&policy->reserve, look, &policy->now, policy->exposure,
		     policy->config.gap_ns, rule_on(policy, POLICY_PROFIT) ? policy->copy_ns : 0);
	*plan = (struct policy_plan) {
		.moves = plan->moves, .fast_share = share, .budget = rule_rate(policy),
		.cool = burst_look(&policy->burst, look, samples, share,
				   policy->changed, halved_since(policy), &policy->balance),
		.reserve = rule_balance(policy) ? policy->reserve.pages : 0,
		.saved_s = policy->balance.all_won, .spent_s = policy->balance.all_spent,
	};
	if (policy->burst.since >= look->seconds)
		policy->guessed_wrong = false;
	else if (policy->guessed && share >= 0 && !halved_since(policy))
		policy->guessed_wrong = true;
	learn(policy);
	policy->learnt = policy->old.nr && policy->before_s && !plan->cool;
	if (rule_on(policy, POLICY_PREDICT))
		predict_values(&policy->predictor, fmax(policy->recent_s, policy->exposure));
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
	note_coolings(&policy->coolings, look);
	origins_looked(&policy->origins, look);
	pace_plan(policy, look);
	policy->changed = false;
	policy->guessed = false;
	return note_regions(policy, look) ? NULL : plan;
}
