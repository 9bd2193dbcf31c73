// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdint.h>
#include "rules.h"

/* A part of the fast tier to keep free: 1/64, near the 2 % of TPP. */
#define FREE_PART	64
/* By what factor a page must be better than another. */
#define MARGIN	2.0
/* A single sample may be chance; of two, the first counts a little less. */
#define SURE_GAIN	1.2
/* For how many seconds a move is expected to be of use. */
#define USEFUL_S	8.0
/* The part of the time that copies may take, and how much more of it in a burst. */
#define COPY_SHARE	0.1
#define BURST_FACTOR	4
#define BURST_LOOKS	4
/* The shortest time between two bursts. */
#define BURST_PAUSE_S	1.0
/* The slowest that the brake goes. */
#define SLOWEST		1024
/* Claims are checked from this share of the samples on; this part of them must have come true. */
#define CLAIM_LEAST	0.01
#define CLAIM_KEPT	0.25
/* What was claimed one look earlier counts this much. */
#define CLAIM_MEMORY	0.9
/* What counts as a phase change: by the usual share, and by how much it usually changes. */
#define SHARE_DROP	0.15
#define SHARE_SPREAD	4.0
#define SHARE_LEAST	0.1
#define USUAL_LOOKS	2
/* Fewer samples tell nothing about the share. */
#define SHARE_SAMPLES	200
/* For how many seconds a move is remembered. */
#define MOVED_S		2.5
/* A huge page is in use if this part of it is. */
#define HUGE_PART	4
/* Samples a second of a CPU: after a phase change, while much is to be moved, and usually. */
#define MOST_SAMPLES	40000
#define MANY_SAMPLES	5000
#define FEW_SAMPLES	2500
#define MOST_THIN	256

static void sort_classes(struct policy *policy)
{
	unsigned int i, j;

	for (i = 0; i < PREDICT_CLASSES; i++) {
		for (j = i; j && policy->value[policy->rank[j - 1]] < policy->value[i]; j--)
			policy->rank[j] = policy->rank[j - 1];
		policy->rank[j] = i;
	}
	for (i = 0; i < PREDICT_CLASSES; i++)
		policy->position[policy->rank[i]] = i;
}

void rule_predict(struct policy *policy)
{
	bool on = rule_on(policy, POLICY_PREDICT);
	unsigned int i;

	for (i = 0; i < PREDICT_CLASSES; i++)
		policy->value[i] = on ? predict_value(&policy->predictor, i, policy->recent_s) :
					predict_by_count(i, USEFUL_S);
	sort_classes(policy);
}

/* Pages of the fast tier that are not in the list, as they have more samples than those. */
static __u64 unlisted(const struct units *units, const struct policy_look *look)
{
	__u64 used = look->used;
	size_t i;

	for (i = units->nr_slow; i < units->nr && used; i++)
		used -= units->unit[i].pages < used ? units->unit[i].pages : used;
	return look->fast_cut ? used : 0;
}

/* The value at which the fast tier is full. */
static double value_at_capacity(const struct policy *policy, const struct policy_look *look)
{
	const struct units *units = &policy->units[policy->looks % 2];
	__u64 pages[PREDICT_CLASSES] = {}, sum = unlisted(units, look);
	__u64 room = look->capacity - rule_demote_first(policy, look);
	unsigned int i;
	size_t at;

	for (at = 0; at < units->nr; at++)
		pages[units->unit[at].class] += units->unit[at].pages;
	for (i = 0; i < PREDICT_CLASSES; i++) {
		sum += pages[policy->rank[i]];
		if (sum > room)
			return policy->value[policy->rank[i]];
	}
	return 0;
}

void rule_threshold(struct policy *policy, const struct policy_look *look)
{
	struct units *units = &policy->units[policy->looks % 2];
	double limit = value_at_capacity(policy, look);
	bool on = rule_on(policy, POLICY_THRESHOLD);
	size_t i;

	policy->plan.threshold = limit;
	for (i = 0; i < units->nr; i++) {
		struct unit *unit = &units->unit[i];
		double value = policy->value[unit->class];

		unit->hot = !on || value >= limit;
		unit->cold = !on || value <= limit * MARGIN;
	}
}

__u64 rule_demote_first(const struct policy *policy, const struct policy_look *look)
{
	return rule_on(policy, POLICY_DEMOTE_FIRST) ? look->capacity / FREE_PART : 0;
}

bool rule_hysteresis(const struct policy *policy, const struct unit *unit)
{
	if (!rule_on(policy, POLICY_HYSTERESIS))
		return true;
	if (rule_pingpong(policy, unit))
		return false;
	/* The look before a phase change was of another program, so to say. */
	return unit->before ||
	       (unit->fast ? policy->burst && !unit->gain : unit->recent >= SURE_GAIN);
}

bool rule_margin(const struct policy *policy, const struct unit *in, double out)
{
	return policy->value[in->class] > out * (rule_on(policy, POLICY_MARGIN) ? MARGIN : 1);
}

bool rule_profit(const struct policy *policy, const struct policy_look *look, double won,
		 unsigned int copies)
{
	return won * USEFUL_S * look->period * policy->config.gap_ns > copies * policy->copy_ns ||
	       !rule_on(policy, POLICY_PROFIT);
}

void rule_brake(struct policy *policy, double share)
{
	struct claim *claim = &policy->claim;

	if (share < 0)
		return;
	/* What was claimed of pages that are in use no more says nothing. */
	if (policy->burst)
		*claim = (struct claim) {};
	if (!claim->looks++)
		claim->base = share;
	if (claim->expected > CLAIM_LEAST && share - claim->base < claim->expected * CLAIM_KEPT)
		policy->slowness = fmin(policy->slowness * 2, SLOWEST);
	else
		policy->slowness = fmax(policy->slowness / 2, 1);
	if (!rule_on(policy, POLICY_BRAKE))
		policy->slowness = 1;
	claim->expected *= CLAIM_MEMORY;
	claim->base += (1 - CLAIM_MEMORY) * (share - claim->base);
}

__u64 rule_rate(struct policy *policy)
{
	double rate = policy->config.rate_pages ?: COPY_SHARE * 1e9 / policy->copy_ns;
	double most;

	if (!rule_on(policy, POLICY_RATE))
		return UINT64_MAX;
	if (policy->burst)
		rate *= BURST_FACTOR;
	rate /= policy->slowness;
	/* A huge page is moved as a whole, however low the rate. */
	most = fmax(2 * rate * policy->interval, 1 << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT));
	policy->tokens = fmin(policy->tokens + rate * policy->interval, most);
	return policy->tokens;
}

bool rule_drop(const struct policy *policy, __u64 samples, double share)
{
	const struct usual *usual = &policy->usual;

	return samples >= SHARE_SAMPLES && usual->looks > USUAL_LOOKS &&
	       usual->share - share > SHARE_LEAST &&
	       usual->share - share > fmax(usual->share * SHARE_DROP, usual->spread * SHARE_SPREAD);
}

void rule_begin_burst(struct policy *policy)
{
	double since = policy->seconds - policy->last_burst;

	if (!rule_on(policy, POLICY_BURST) || since < policy->pause)
		return;
	policy->pause *= since < 4 * policy->pause ? 2 : 0.5;
	policy->pause = fmax(policy->pause, BURST_PAUSE_S);
	policy->last_burst = policy->seconds;
	policy->burst = BURST_LOOKS;
	policy->slowness = 1;
	policy->claim = (struct claim) {};
}

void rule_burst(struct policy *policy, double share, __u64 samples)
{
	struct usual *usual = &policy->usual;
	double drop = usual->share - share;

	policy->plan.cool = false;
	if (samples < SHARE_SAMPLES || share < 0)
		return;
	if (policy->burst)
		policy->burst--;
	if (!usual->looks++) {
		*usual = (struct usual) { .looks = 1, .share = share };
	} else if (rule_drop(policy, samples, share)) {
		rule_begin_burst(policy);
		policy->plan.cool = policy->burst == BURST_LOOKS;
		*usual = (struct usual) { .looks = 1, .share = share };
	} else {
		/* A rise is what moves are for. */
		usual->spread += (fmax(drop, 0) - usual->spread) / 4;
		usual->share -= drop > 0 ? drop / 4 : drop;
	}
}

unsigned int rule_thin(const struct policy *policy, const struct policy_look *look, bool much)
{
	double enough = policy->burst ? MOST_SAMPLES : much ? MANY_SAMPLES : FEW_SAMPLES;
	double usual = (look->samples - policy->samples) / policy->exposure;
	unsigned int thin = 1;

	enough *= fmax(policy->config.cpus, 1);
	while (rule_on(policy, POLICY_THIN) && usual > enough * thin && thin < MOST_THIN)
		thin *= 2;
	return thin;
}

bool rule_huge(const struct policy *policy, const struct unit *unit)
{
	double part = unit->pages / HUGE_PART;

	if (unit->pages == 1 || !rule_on(policy, POLICY_HUGE))
		return true;
	/* So many different ones of a quarter of the subpages are hit by so many samples. */
	return unit->used >= 0.9 * part * (1 - exp(-(double)unit->samples / part));
}

const struct moved *moved_find(const struct policy *policy, const struct unit *unit)
{
	__u64 hash = unit_hash(unit);
	const struct moved *moved = &policy->moved[hash % MOVED_ROOM];

	return moved->hash == hash && policy->seconds - moved->seconds <= MOVED_S ? moved : NULL;
}

bool rule_pingpong(const struct policy *policy, const struct unit *unit)
{
	const struct moved *moved = moved_find(policy, unit);

	return moved && moved->promoted == unit->fast;
}
