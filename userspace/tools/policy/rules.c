// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "rules.h"

/* By what factor a page must be better than another. */
#define MARGIN	2.0
/* A single sample may be chance; of two, the first counts a little less. */
#define SURE_GAIN	1.2
/* For how many seconds a move is expected to be of use. */
#define USEFUL_S	8.0
/* The shortest time between two bursts. */
#define BURST_PAUSE_S	1.0
/* What counts as a phase change: by the usual share, and by how much it usually changes. */
#define SHARE_DROP	0.35
#define SHARE_SPREAD	4.0
#define SHARE_LEAST	0.1
#define USUAL_LOOKS	2
/* Samples that end a burst, and those before its first look, for each page of the fast tier. */
#define BURST_SAMPLES	6
#define LEAST_SAMPLES	0.25
/* The longest burst: a large tier would take minutes to have so many samples. */
#define BURST_S		8.0
/* Fewer samples tell nothing about the share. */
#define SHARE_SAMPLES	200
/* For how many seconds a move is remembered. */
#define MOVED_S		2.5
/* A huge page is in use if this part of it is. */
#define HUGE_PART	4
/* Samples a second of a CPU: after a phase change, while much is to be moved, and usually. */
#define MOST_SAMPLES	40000
#define MANY_SAMPLES	8000
#define FEW_SAMPLES	600
#define MOST_THIN	64
/* So many samples for each page tell hot ones from lucky ones, if moves raise the share so much. */
#define LEARN_SAMPLES	2
#define LEARN_RISE	1.5

static int by_value(const void *a, const void *b, void *values)
{
	const __u16 x = *(const __u16 *)a, y = *(const __u16 *)b;
	const double *value = values;

	if (value[x] != value[y])
		return value[x] < value[y] ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void sort_classes(struct policy *policy)
{
	unsigned int i;

	for (i = 0; i < PREDICT_CLASSES; i++)
		policy->rank[i] = i;
	qsort_r(policy->rank, PREDICT_CLASSES, sizeof(*policy->rank), by_value, policy->value);
	for (i = 0; i < PREDICT_CLASSES; i++)
		policy->position[policy->rank[i]] = i;
}

void rule_predict(struct policy *policy)
{
	unsigned int i;

	predict_values(&policy->predictor, policy->recent_s, policy->value);
	for (i = 0; i < PREDICT_CLASSES && !rule_on(policy, POLICY_PREDICT); i++)
		policy->value[i] = predict_by_count(i, USEFUL_S);
	sort_classes(policy);
}

bool rule_hysteresis(const struct policy *policy, const struct unit *unit)
{
	if (!rule_on(policy, POLICY_HYSTERESIS))
		return true;
	if (rule_pingpong(policy, unit))
		return false;
	/* The look before a phase change reflects a different workload. */
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

__u64 rule_rate(struct policy *policy)
{
	double rate = policy->config.rate_pages, most;

	if (!policy->config.rate_pages)
		return UINT64_MAX;
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

bool rule_begin_burst(struct policy *policy, __u64 samples)
{
	double since = policy->seconds - policy->last_burst;

	if (!rule_on(policy, POLICY_BURST) || since < policy->pause)
		return false;
	policy->pause *= since < 4 * policy->pause ? 2 : 0.5;
	policy->pause = fmax(policy->pause, BURST_PAUSE_S);
	policy->last_burst = policy->seconds;
	policy->burst_samples = samples;
	policy->burst = 1;
	return true;
}

double rule_burst_wait(const struct policy *policy)
{
	double more = policy->samples - policy->burst_samples;

	more = fmax(more, LEAST_SAMPLES * policy->capacity) * policy->plan.thin;
	return fmin(more / fmax(policy->rate, 1), 2 * policy->interval);
}

/*
 * What was counted between the last lists and a cooling was halved with the rest, so that the
 * pages seem to have gained less than there were samples: the fewer of these, the less. So only
 * a large drop is one.
 */
static bool halved_since(const struct policy *policy)
{
	unsigned int i;

	for (i = 0; i <= HTMM_MAX_TARGETS; i++)
		if (policy->halvings[i])
			return true;
	return false;
}

static bool burst_is_over(const struct policy *policy, const struct policy_look *look)
{
	return look->samples - policy->burst_samples >= BURST_SAMPLES * look->capacity ||
	       look->seconds - policy->last_burst >= BURST_S;
}

void rule_burst(struct policy *policy, const struct policy_look *look, double share)
{
	__u64 samples = look->samples - policy->samples;
	struct usual *usual = &policy->usual;
	double drop = usual->share - share;
	bool changed;

	policy->plan.cool = false;
	if (samples < SHARE_SAMPLES || share < 0)
		return;
	changed = policy->changed || (rule_drop(policy, samples, share) &&
				      !(halved_since(policy) && 2 * share > usual->share));
	policy->plan.cool = changed && rule_begin_burst(policy, look->samples);
	if (!usual->looks)
		policy->first_share = share;
	if (policy->plan.cool) {
		*usual = (struct usual) { .looks = 1, .share = share };
	} else if (policy->burst) {
		/* What is seen in a burst, as at the beginning, is not yet the usual. */
		policy->burst++;
		if (policy->burst > LEARNT_LOOKS && burst_is_over(policy, look))
			policy->burst = 0;
		*usual = (struct usual) { .looks = usual->looks + 1, .share = share };
	} else if (changed || !usual->looks++) {
		*usual = (struct usual) { .looks = 1, .share = share };
	} else {
		/* A rise is what moves are for. */
		usual->spread += (fmax(drop, 0) - usual->spread) / 4;
		usual->share -= drop > 0 ? drop / 4 : drop;
	}
}

bool rule_pays(const struct policy *policy)
{
	return policy->usual.share > LEARN_RISE * policy->first_share;
}

/* Is it not known yet what pages gain, and of use to know it? */
static bool learns(const struct policy *policy)
{
	return policy->samples - policy->burst_samples < LEARN_SAMPLES * policy->pages &&
	       rule_pays(policy);
}

unsigned int rule_thin(const struct policy *policy, bool much)
{
	double enough = much || learns(policy) ? MANY_SAMPLES : FEW_SAMPLES;
	unsigned int thin = 1;

	if (policy->burst)
		enough = MOST_SAMPLES;
	enough *= fmax(policy->config.cpus, 1);
	while (rule_on(policy, POLICY_THIN) && policy->rate > enough * thin && thin < MOST_THIN)
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
