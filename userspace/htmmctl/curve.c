// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "curve.h"
#include "lib/array.h"

/* Parts of the samples that are held out in turn. */
#define FOLDS		10
/* Counts below have a bucket each, those above share 256 in each power of two. */
#define EXACT_BITS	12
#define EXACT		4096
#define BUCKETS		(EXACT + (32 - EXACT_BITS) * 256)
/* The rate of a page with this many samples is known well enough. */
#define KNOWN		256
/* The rates of the mixture, in samples of a page. */
#define RATES		160
#define RATE_LEAST	0.05
#define RATE_MOST	300.0
#define ITERATIONS	1500
/* A change of all weights that is less ends the search. */
#define SETTLED		0.0000001
/* Of a page with more samples, the parts are drawn, not each sample. */
#define SPLIT_EACH	128

/**
 * struct bucket - pages of about the same rank
 * @pages: how many there are
 * @value: sum of their samples
 */
struct bucket {
	double pages;
	double value;
};

/**
 * struct atom - pages that are equally hot
 * @rate: samples of each, as expected
 * @pages: how many there are
 */
struct atom {
	double rate;
	double pages;
};

int tally_add(struct tally *tally, __u32 count, __u32 unit)
{
	__u32 *large;

	if (unit > 1) {
		tally->rest += count;
		count = tally->rest / unit;
		tally->rest %= unit;
	}
	if (!count)
		return 0;
	if (count < TALLY_EXACT) {
		tally->pages[count]++;
	} else {
		large = array_grow(tally->large, tally->nr_large, &tally->room, sizeof(*large));
		if (!large)
			return -ENOMEM;
		tally->large = large;
		large[tally->nr_large++] = count;
	}
	tally->samples += count;
	tally->nr++;
	return 0;
}

void tally_free(struct tally *tally)
{
	free(tally->large);
	memset(tally, 0, sizeof(*tally));
}

/* Pages by rank; a page with the rank 0 is in no fast tier. */
static unsigned int bucket_of(__u32 rank)
{
	unsigned int bits;

	if (rank < EXACT)
		return rank;
	bits = 31 - __builtin_clz(rank);
	return EXACT + (bits - EXACT_BITS) * 256 + ((rank >> (bits - 8)) & 255);
}

static void put(struct bucket *buckets, __u32 rank, __u64 pages, __u32 value)
{
	struct bucket *bucket = &buckets[bucket_of(rank)];

	bucket->pages += pages;
	bucket->value += (double)pages * value;
}

/* Adds the share of the values that the first pages by rank have, at each capacity. */
static void add_shares(const struct bucket *buckets, const struct curve *curve, double total,
		       double share[CURVE_POINTS])
{
	double pages = 0, value = 0;
	int at = BUCKETS - 1;
	unsigned int i;

	for (i = 0; i < curve->nr; i++) {
		const double room = curve->point[i].pages;

		while (at > 0 && pages + buckets[at].pages <= room) {
			pages += buckets[at].pages;
			value += buckets[at--].value;
		}
		share[i] += at > 0 ? (value + buckets[at].value * (room - pages) /
				      buckets[at].pages) / total : value / total;
	}
}

/* The same numbers each time, so that a report can be repeated. */
static __u32 next_random(__u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* How many of @count are in the first of @parts: binomial, by its normal approximation. */
static __u32 draw(__u32 count, unsigned int parts, __u64 *state)
{
	const double mean = (double)count / parts;
	double normal = -6, drawn;
	unsigned int i;

	for (i = 0; i < 12; i++)
		normal += next_random(state) / (double)(1U << 31);
	drawn = mean + normal * sqrt(mean * (parts - 1) / parts);
	return drawn <= 0 ? 0 : drawn + 0.5 >= count ? count : (__u32)(drawn + 0.5);
}

/*
 * Distributes the samples of a page to the folds, each by chance: with equal parts, a page
 * that happened to be sampled more often would be so in what is held out, too.
 */
static void split(__u32 count, __u32 part[FOLDS], __u64 *state)
{
	unsigned int i;

	memset(part, 0, FOLDS * sizeof(*part));
	if (count <= SPLIT_EACH) {
		while (count--)
			part[next_random(state) % FOLDS]++;
		return;
	}
	for (i = 0; i + 1 < FOLDS; i++) {
		part[i] = draw(count, FOLDS - i, state);
		count -= part[i];
	}
	part[i] = count;
}

/* Holds a tenth of the samples of a page out, in each fold another one. */
static void hold_out(struct bucket *folds, __u32 count, __u64 *state)
{
	__u32 part[FOLDS];
	unsigned int i;

	split(count, part, state);
	for (i = 0; i < FOLDS; i++)
		put(&folds[i * BUCKETS], count - part[i], 1, part[i]);
}

/* The shares of samples that are held out. */
static int held_out(const struct curve *curve, const struct tally *tally,
		    double share[CURVE_POINTS])
{
	struct bucket *folds = calloc(FOLDS * BUCKETS, sizeof(*folds));
	__u64 state = 1, page;
	unsigned int i;

	if (!folds)
		return -ENOMEM;
	for (i = 1; i < TALLY_EXACT; i++)
		for (page = 0; page < tally->pages[i]; page++)
			hold_out(folds, i, &state);
	for (page = 0; page < tally->nr_large; page++)
		hold_out(folds, tally->large[page], &state);
	memset(share, 0, CURVE_POINTS * sizeof(*share));
	/* Folds have about as many samples each; their sum is what counts. */
	for (i = 0; i < FOLDS; i++)
		add_shares(&folds[i * BUCKETS], curve, curve->samples, share);
	free(folds);
	return 0;
}

/**
 * struct mixture - the probability of each count at each rate
 * @truncated: it is not known how many pages have no sample
 * @count: the counts that pages have
 * @pages: how many pages have each
 * @nr: how many counts there are
 * @likely: by count and rate
 * @rate: the rates
 * @weight: share of the pages seen that have each rate
 */
struct mixture {
	bool truncated;
	unsigned int count[KNOWN];
	double pages[KNOWN];
	unsigned int nr;
	double likely[KNOWN][RATES];
	double rate[RATES];
	double weight[RATES];
};

/* The share of the pages of a rate that are in the mixture. */
static double seen(const struct mixture *m, unsigned int i)
{
	return m->truncated ? -expm1(-m->rate[i]) : 1;
}

static void add_count(struct mixture *m, unsigned int count, double pages)
{
	unsigned int i;

	if (!pages)
		return;
	for (i = 0; i < RATES; i++)
		m->likely[m->nr][i] = exp(count * log(m->rate[i]) - m->rate[i] -
					  lgamma(count + 1.0)) / seen(m, i);
	m->count[m->nr] = count;
	m->pages[m->nr++] = pages;
}

/* @unseen: pages without samples; below 0: not known, as they are not seen. */
static void begin_mixture(struct mixture *m, const struct bucket *buckets, double unseen)
{
	const double step = log(RATE_MOST / RATE_LEAST) / (RATES - 1);
	unsigned int count, i;

	m->truncated = unseen < 0;
	for (i = 0; i < RATES; i++) {
		m->rate[i] = RATE_LEAST * exp(step * i);
		m->weight[i] = 1.0 / RATES;
	}
	if (!m->truncated)
		add_count(m, 0, unseen);
	for (count = 1; count < KNOWN; count++)
		add_count(m, count, buckets[count].pages);
}

/*
 * One step of expectation maximization; returns by how much a weight has changed at most. With
 * sanitizers that look at each access, tests would spend most of their time here.
 */
__attribute__((no_sanitize("address", "undefined")))
static double improve(struct mixture *m)
{
	double next[RATES] = {}, part[RATES], pages = 0, change = 0;
	unsigned int i, c;

	for (c = 0; c < m->nr; c++) {
		const double *weight = m->weight, *likely = m->likely[c];
		double sum = DBL_MIN;

		for (i = 0; i < RATES; i++) {
			part[i] = weight[i] * likely[i];
			sum += part[i];
		}
		for (i = 0; i < RATES; i++)
			next[i] += part[i] * (m->pages[c] / sum);
		pages += m->pages[c];
	}
	for (i = 0; i < RATES; i++) {
		next[i] /= pages;
		change = fmax(change, fabs(next[i] - m->weight[i]));
		m->weight[i] = next[i];
	}
	return change;
}

static int by_rate(const void *a, const void *b)
{
	const struct atom *x = a, *y = b;

	return x->rate > y->rate ? -1 : x->rate < y->rate;
}

/*
 * Estimates how many pages there are of each rate, the hottest first. @unseen: as for
 * begin_mixture().
 */
static int estimate(const struct bucket *buckets, double unseen, struct atom *atoms,
		    unsigned int *nr)
{
	struct mixture *m = calloc(1, sizeof(*m));
	double pages = 0;
	unsigned int i;

	if (!m)
		return -ENOMEM;
	begin_mixture(m, buckets, unseen);
	for (i = 0; m->nr && i < ITERATIONS && improve(m) > SETTLED; i++)
		;
	for (i = 0; i < m->nr; i++)
		pages += m->pages[i];
	*nr = 0;
	for (i = 0; i < RATES && m->nr; i++)
		atoms[(*nr)++] = (struct atom) {
			.rate = m->rate[i],
			.pages = pages * m->weight[i] / seen(m, i),
		};
	for (i = KNOWN; i < BUCKETS; i++)
		if (buckets[i].pages)
			atoms[(*nr)++] = (struct atom) {
				.rate = buckets[i].value / buckets[i].pages,
				.pages = buckets[i].pages,
			};
	free(m);
	qsort(atoms, *nr, sizeof(*atoms), by_rate);
	return 0;
}

/* Capacities up to that of all pages. */
static void make_points(struct curve *curve)
{
	unsigned int step;
	__u64 last = 0;

	for (step = 0; step < CURVE_POINTS && last < curve->pages; step++) {
		curve->point[curve->nr].pages = fmin(exp2(step / 16.0) + 0.5, curve->pages);
		/* The first steps are less than a page. */
		if (curve->point[curve->nr].pages > last)
			last = curve->point[curve->nr++].pages;
	}
}

static void make_estimates(struct curve *curve, const struct atom *atoms, unsigned int nr)
{
	double pages = 0, samples = 0, all = 0;
	unsigned int i, at = 0;

	for (i = 0; i < nr; i++)
		all += atoms[i].pages * atoms[i].rate;
	for (i = 0; i < curve->nr; i++) {
		struct curve_point *point = &curve->point[i];

		for (; at < nr && pages + atoms[at].pages <= point->pages; at++) {
			pages += atoms[at].pages;
			samples += atoms[at].pages * atoms[at].rate;
		}
		point->hit = samples;
		if (at < nr)
			point->hit += (point->pages - pages) * atoms[at].rate;
		point->hit /= all;
	}
	/* The last is of all pages, but for rounding. */
	curve->point[curve->nr - 1].hit = 1;
}

static double within(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* Samples say less the fewer they are. */
static int make_bounds(struct curve *curve, const struct bucket *buckets, const struct tally *tally)
{
	const double off = sqrt(log(40) / (2.0 * curve->samples));
	double low[CURVE_POINTS], high[CURVE_POINTS] = {}, known = 0;
	unsigned int i;

	/* The rates of these pages are known well enough: only chance has to be taken out. */
	for (i = KNOWN; i < BUCKETS; i++)
		known += buckets[i].pages;
	if (held_out(curve, tally, low))
		return -ENOMEM;
	add_shares(buckets, curve, curve->samples, high);
	for (i = 0; i < curve->nr; i++) {
		struct curve_point *point = &curve->point[i];

		point->hit = within(point->pages <= known ? low[i] : point->hit, low[i], high[i]);
		point->low = within(low[i] - off, 0, 1);
		point->high = within(high[i] + off, 0, 1);
	}
	return 0;
}

/* All accesses were counted: the share on the pages that have the most. */
static void make_exact(struct curve *curve, const struct bucket *buckets)
{
	double share[CURVE_POINTS] = {};
	unsigned int i;

	curve->pages = curve->sampled_pages;
	make_points(curve);
	add_shares(buckets, curve, curve->samples, share);
	for (i = 0; i < curve->nr; i++) {
		curve->point[i].hit = share[i];
		curve->point[i].low = share[i];
		curve->point[i].high = share[i];
	}
}

/* Estimates pages by their rates; no more of them than there can be. */
static int find_atoms(struct curve *curve, const struct bucket *buckets, __u64 most,
		      struct atom *atoms, unsigned int *nr)
{
	int ret = estimate(buckets, -1, atoms, nr);
	double pages = 0;
	unsigned int i;

	for (i = 0; i < *nr && !ret; i++)
		pages += atoms[i].pages;
	if (most && most < curve->sampled_pages)
		most = curve->sampled_pages;
	curve->bounded = !ret && most && pages > (double)most;
	if (curve->bounded)
		ret = estimate(buckets, (double)(most - curve->sampled_pages), atoms, nr);
	curve->pages = curve->bounded ? most : ret ? 0 : (__u64)(pages + 0.5);
	return ret;
}

static int make_estimated(struct curve *curve, const struct bucket *buckets,
			  const struct tally *tally, const struct curve_config *config)
{
	struct atom *atoms = calloc(RATES + BUCKETS, sizeof(*atoms));
	unsigned int nr;
	int ret;

	if (!atoms)
		return -ENOMEM;
	ret = find_atoms(curve, buckets, config->most, atoms, &nr);
	if (!ret) {
		make_points(curve);
		make_estimates(curve, atoms, nr);
		ret = make_bounds(curve, buckets, tally);
	}
	curve->few = curve->samples < CURVE_SAMPLES;
	free(atoms);
	return ret;
}

/* Sorts pages into buckets. */
static void fill(struct curve *curve, struct bucket *buckets, const struct tally *tally)
{
	unsigned int count;
	size_t i;

	for (count = 1; count < TALLY_EXACT; count++)
		put(buckets, count, tally->pages[count], count);
	for (i = 0; i < tally->nr_large; i++)
		put(buckets, tally->large[i], 1, tally->large[i]);
	curve->samples = tally->samples;
	curve->sampled_pages = tally->nr;
}

int curve_make(struct curve *curve, const struct tally *tally, const struct curve_config *config)
{
	struct bucket *buckets = calloc(BUCKETS, sizeof(*buckets));
	int ret = 0;

	memset(curve, 0, sizeof(*curve));
	if (!buckets)
		return -ENOMEM;
	fill(curve, buckets, tally);
	curve->census = config->census;
	if (curve->samples && config->census)
		make_exact(curve, buckets);
	else if (curve->samples)
		ret = make_estimated(curve, buckets, tally, config);
	free(buckets);
	return ret;
}

struct curve_point curve_at(const struct curve *curve, __u64 pages)
{
	struct curve_point at = { .pages = pages }, before = {};
	const struct curve_point *next = curve->point, *end = next + curve->nr;
	double part;

	if (!pages)
		return at;
	for (; next < end && next->pages < pages; next++)
		before = *next;
	if (next == end) {
		at.hit = before.hit;
		at.low = before.low;
		at.high = before.high;
		return at;
	}
	part = next->pages > before.pages ?
	       (double)(pages - before.pages) / (double)(next->pages - before.pages) : 0;
	at.hit = before.hit + part * (next->hit - before.hit);
	at.low = before.low + part * (next->low - before.low);
	/* The curve is above the line between two points. */
	at.high = curve->census ? at.hit : next->high;
	return at;
}

int hit_tally(struct hit *hit, const struct tally *tally, const struct curve_config *config,
	      __u64 capacity)
{
	struct curve *curve = malloc(sizeof(*curve));
	int ret = curve ? curve_make(curve, tally, config) : -ENOMEM;

	if (!ret) {
		*hit = (struct hit) {
			.samples = curve->samples,
			.pages = curve->pages,
			.census = curve->census,
			.at = curve_at(curve, capacity),
		};
		/* With weights, a page may have no whole sample. */
		hit->few = curve->few && (config->unit > 1 || !hit_fits(hit));
	}
	free(curve);
	return ret;
}
