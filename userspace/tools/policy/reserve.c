// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "reserve.h"

/* Parts of the fast tier: what is kept free at most, and at least. */
#define MOST_PART	2
#define LEAST_PART	256
/* So many pages show in any case that a program allocates; at the first look, more are kept. */
#define LEAST_MOST	4096
#define FIRST_TIMES	4
/*
 * When this part of it was taken, it was too little. If it was taken soon, at the rate of its least
 * size in a second or more, it was too little by far; else much room would be idle for long.
 */
#define USED_UP		0.9
#define GROW		3
/* What of it is left at each look at which little has come. */
#define SHRINK		0.7
/* So many times what has come is kept free, because the next look may be late. */
#define SPARE		1.5
/* Fewer new pages do not tell what such pages gain. */
#define LEAST_NEW	8
/* So many pages tell it, if no more room is worth it: at least, and at most. */
#define REST_LEAST	16
#define REST_MOST	256
/* If nothing has told it for so many seconds, it is tried again. */
#define RETRY_S		60
/* After so many new pages, what earlier ones have gained counts half. */
#define HALF_NEW	256.0
/* After so many samples of these and of what has left for them, earlier ones count half. */
#define HALF_GAINED	256.0
/* More are lost than won if the difference is so many times what it is by chance. */
#define SURE_LOST	2
/* After so many seconds, how many pages came counts half. */
#define COME_HALF_S		2.0
/*
 * How much room new pages are worth does not depend on single looks: they are taken to be of use
 * for so many seconds, even if the next look comes sooner.
 */
#define NEW_USEFUL_S	1.0
/*
 * New pages gain more than is seen: they were there for a part of the time only; and they are
 * written first, while most CPUs sample only the misses of loads.
 */
#define NEW_GAIN	2
/* What part of what room for new pages saves the looks may take that it needs. */
#define NEW_LOOKS_PART	0.5
/* And what part of the time, at most. */
#define NEW_LOOKS_MOST	0.05

/**
 * struct fresh - the pages of the fast tier, as of one look
 * @pages: how many were not there at the previous look
 * @gain: samples of these
 * @largest: size of the largest page, old or new
 */
struct fresh {
	double pages;
	double gain;
	__u32 largest;
};

void reserve_gained(struct reserve *reserve, double won, double lost, double seconds)
{
	const double old = exp2(-(won + lost) / HALF_GAINED - seconds / RETRY_S);

	reserve->won = old * reserve->won + won;
	reserve->lost = old * reserve->lost + lost;
}

void reserve_begin_phase(struct reserve *reserve)
{
	reserve->won = 0;
	reserve->lost = 0;
}

static struct fresh count_fresh(const struct units *now)
{
	struct fresh fresh = {};
	size_t i;

	for (i = now->nr_slow; i < now->nr; i++) {
		const struct unit *unit = &now->unit[i];

		if (unit->pages > fresh.largest)
			fresh.largest = unit->pages;
		if (!unit->fresh)
			continue;
		fresh.gain += unit->samples;
		fresh.pages += unit->pages;
	}
	return fresh;
}

static void resize(struct reserve *reserve, double least, double most)
{
	const double before = reserve->pages;

	reserve->rest = fmin(fmax(least, REST_LEAST), REST_MOST);
	if (reserve->looks++ && reserve->pages && reserve->grown >= USED_UP * reserve->pages &&
	    reserve->grown >= least * reserve->interval)
		reserve->grown = GROW * reserve->pages;
	reserve->pages = fmax(SHRINK * reserve->pages, SPARE * reserve->grown);
	if (reserve->looks == 1)
		reserve->pages = FIRST_TIMES * least;
	reserve->pages = fmin(fmax(reserve->pages, least), most);
	/* What is left shows whether later pages gain more. */
	if (reserve->saves < 0)
		reserve->pages = fmin(reserve->pages, fmax(SHRINK * before, reserve->rest));
}

/* Learns what a new page gains: few of them say little, and old ones count less. */
static void learn(struct reserve *reserve, double pages, double gain, double now)
{
	const double old = exp2(-pages / HALF_NEW);

	if (fmin(reserve->grown, pages) < LEAST_NEW) {
		reserve->known &= now - reserve->learnt < RETRY_S;
		return;
	}
	reserve->gain = old * reserve->gain + gain;
	reserve->seen_s = old * reserve->seen_s + pages * reserve->interval;
	reserve->worth = reserve->gain / reserve->seen_s;
	reserve->known = true;
	reserve->learnt = now;
}

/* Have pages that left for new ones gained more than these? */
static bool loses(const struct reserve *reserve)
{
	const double chance = sqrt(reserve->lost + reserve->won);

	return reserve->lost - reserve->won > SURE_LOST * chance;
}

/*
 * What part of the time room for new pages saves, if each of them takes the place of a page that
 * has to be copied.
 */
static double saves(struct reserve *reserve)
{
	const double old = exp2(-reserve->interval / COME_HALF_S);
	const double gain = loses(reserve) ? 0 :
			    NEW_GAIN * reserve->worth * fmax(reserve->interval, NEW_USEFUL_S);

	reserve->come = old * reserve->come + reserve->grown;
	reserve->come_s = old * reserve->come_s + reserve->interval;
	if (!reserve->known)
		return 0;
	return reserve->come / reserve->come_s *
	       (gain * reserve->sample_ns - reserve->copy_ns) / 1e9;
}

/* Seconds from one look for new pages to the next one, at least, if a look takes @look_s. */
static double least_wait(const struct reserve *reserve, double look_s)
{
	return look_s / fmin(NEW_LOOKS_PART * reserve->saves, NEW_LOOKS_MOST);
}

void reserve_look(struct reserve *reserve, const struct policy_look *look,
		  const struct units *now, double seconds, double gap_ns, double copy_ns)
{
	const double least = fmin((double)look->capacity / LEAST_PART, LEAST_MOST);
	const double interval = look->seconds - reserve->seconds;
	struct fresh fresh;

	/* Before there are samples, no pages are listed: then all would be new at the next look. */
	if (reserve->off || !look->samples || interval <= 0)
		return;
	fresh = count_fresh(now);
	reserve->grown = reserve->looks && look->used > reserve->used ?
			 look->used - reserve->used : 0;
	/* If others took room, too, it is less; of a large group not all new pages are seen. */
	if (!look->focused)
		reserve->grown = fmin(reserve->grown, fresh.pages);
	reserve->interval = interval;
	reserve->sample_ns = look->period * gap_ns;
	reserve->copy_ns = copy_ns;
	learn(reserve, fresh.pages, fresh.gain * interval / seconds, look->seconds);
	reserve->saves = saves(reserve);
	/* A page that is larger than the smallest reserve would waste its place. */
	if (fresh.largest > fmax(least, 1))
		reserve->pages = 0;
	else
		resize(reserve, least, (double)look->capacity / MOST_PART);
	reserve->seconds = look->seconds;
}

bool reserve_pays(const struct reserve *reserve, double value, double room)
{
	const double rate = NEW_GAIN * reserve->worth;
	double idle, missed;

	if (reserve->off || !reserve->known)
		return !reserve->off;
	/* The rest shows when later pages gain more, whatever its copies take. */
	if (reserve->saves <= 0)
		return reserve->pages <= reserve->rest && rate >= value;
	/* What has left is missed until the next look, by when the new page is an old one. */
	idle = fmax(least_wait(reserve, reserve->look_s), room * reserve->come_s / reserve->come);
	missed = value * fmax(reserve->interval, idle);
	return (rate * reserve->interval - missed) * reserve->sample_ns >= reserve->copy_ns;
}

double reserve_wait(const struct reserve *reserve, double interval, double cost)
{
	if (!reserve->pages || reserve->saves <= 0)
		return INFINITY;
	return fmax(interval / 2 * reserve->pages / reserve->grown, least_wait(reserve, cost));
}
