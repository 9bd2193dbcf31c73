// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "burst.h"

/*
 * The shortest time between two bursts; and the longest one that must pass, because a program may
 * change its ways.
 */
#define BURST_PAUSE_S	0.5
#define BURST_PAUSE_MOST_S	300.0
/* How many times as much as is spent moves have to win. */
#define BURST_PROFIT	2
/* What counts as a phase change: by the usual share, and by how much it usually changes. */
#define SHARE_DROP	0.35
#define SHARE_SPREAD	4.0
#define SHARE_LEAST	0.1
#define USUAL_LOOKS	2
/* Samples that end a burst, and those before its first look, for each page of the fast tier. */
#define BURST_SAMPLES	6
#define LEAST_SAMPLES	0.25
/* The longest burst: a large tier would take minutes to get the samples that end one. */
#define BURST_S		8.0
/* Fewer samples tell nothing about the share. */
#define SHARE_SAMPLES	200
/* Moves pay if they raise the share so much. */
#define LEARN_RISE	1.5

bool burst_drop(const struct burst *burst, __u64 samples, double share)
{
	const struct usual *usual = &burst->usual;

	return samples >= SHARE_SAMPLES && usual->looks > USUAL_LOOKS &&
	       usual->share - share > SHARE_LEAST &&
	       usual->share - share > fmax(usual->share * SHARE_DROP, usual->spread * SHARE_SPREAD);
}

bool burst_begin(struct burst *burst, double seconds, __u64 samples, const struct balance *balance)
{
	const double won = balance->all_won - burst->won;
	const double spent = balance->all_spent - burst->spent;

	if (burst->off || seconds - burst->began < burst->pause)
		return false;
	burst->pause *= won > BURST_PROFIT * spent ? 0.5 : 2;
	burst->pause = fmin(fmax(burst->pause, BURST_PAUSE_S), BURST_PAUSE_MOST_S);
	burst->won = balance->all_won;
	burst->spent = balance->all_spent;
	burst->began = seconds;
	burst->samples = samples;
	burst->looks = 1;
	return true;
}

double burst_wait(const struct burst *burst, __u64 samples, __u64 capacity)
{
	double more = samples - burst->samples;

	return fmax(more, LEAST_SAMPLES * capacity);
}

static bool is_late(const struct burst *burst, const struct policy_look *look)
{
	return look->seconds - burst->began >= BURST_S;
}

static bool is_over(const struct burst *burst, const struct policy_look *look)
{
	return look->samples - burst->samples >= BURST_SAMPLES * look->capacity ||
	       is_late(burst, look);
}

bool burst_look(struct burst *burst, const struct policy_look *look, __u64 samples, double share,
		bool changed, bool halved, const struct balance *balance)
{
	struct usual *usual = &burst->usual;
	double drop = usual->share - share;
	bool begins;

	if (samples < SHARE_SAMPLES || share < 0) {
		/* The program waits, or has become slow. */
		if (is_late(burst, look))
			burst->looks = 0;
		return false;
	}
	changed = changed || (burst_drop(burst, samples, share) &&
			      !(halved && 2 * share > usual->share));
	if (changed) {
		burst->since = look->seconds;
		burst->since_samples = look->samples;
	}
	begins = changed && burst_begin(burst, look->seconds, look->samples, balance);
	if (!usual->looks)
		burst->first_share = share;
	if (begins) {
		*usual = (struct usual) { .looks = 1, .share = share };
	} else if (burst->looks) {
		/* The first looks, and those in a burst, do not show the usual share. */
		burst->looks++;
		if (burst->looks > LEARNT_LOOKS && is_over(burst, look))
			burst->looks = 0;
		*usual = (struct usual) { .looks = usual->looks + 1, .share = share };
	} else if (changed || !usual->looks++) {
		*usual = (struct usual) { .looks = 1, .share = share };
	} else {
		/* A rise is what moves are for. */
		usual->spread += (fmax(drop, 0) - usual->spread) / 4;
		usual->share -= drop > 0 ? drop / 4 : drop;
	}
	return begins;
}

bool burst_pays(const struct burst *burst)
{
	return burst->usual.share > LEARN_RISE * burst->first_share;
}
