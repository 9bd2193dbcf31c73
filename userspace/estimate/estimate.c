// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "estimate.h"
#include "lib/array.h"

/* From here on, each region has its own weights: how much pages differ is not everywhere alike. */
#define REGION_SHIFT	9
/* In the weights of a region, all others count as much as this many samples. */
#define OTHERS		800

#define NR_LEVELS	8

/* How blocks are divided, level by level: base-2 logarithms of pages; 0: by address spaces. */
static const unsigned int levels[NR_LEVELS] = { 0, 15, 12, REGION_SHIFT, 7, 5, 3, 1 };

/*
 * By how much a block may differ from what was expected of it: the variance of the ratio. With
 * none, it is as expected, and its samples say nothing new. Pages differ by more than the least
 * of these, or their own counts would not be believed; a few by very much.
 */
static const double spreads[] = { 0, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 33, 1000 };

enum { BLOCK_FIRST = 0, BLOCK_LAST = 6, PAGE_FIRST = 3, PAGE_LAST = 8, STRANGER, NR_SPREADS };

/* A weight that makes no difference. */
#define NEGLIGIBLE	0.000001

/* One page of so many is not like the others of its region. */
#define STRANGERS	0.01

/* Pages of a block are alike if they have the same count, but only below this. */
#define COUNTS		256

/**
 * struct belief - what is expected of a page
 * @rate: the mean
 * @doubt: the variance, as a part of the square of the mean
 */
struct belief {
	double rate;
	double doubt;
};

/**
 * struct block - pages in a row
 * @first: index of the first
 * @nr: number of pages
 * @sampled: index of its first page in &struct work.sampled
 * @nr_sampled: pages that have samples
 * @samples: their number
 * @rest: expected of each page that has none
 * @region: number of the region that it is in; larger blocks have numbers, too
 */
struct block {
	size_t first;
	size_t nr;
	size_t sampled;
	size_t nr_sampled;
	double samples;
	struct belief rest;
	size_t region;
};

/**
 * struct blocks - an array that grows
 * @block: its elements
 * @nr: how many there are
 * @room: how many there may be
 */
struct blocks {
	struct block *block;
	size_t nr;
	size_t room;
};

/**
 * struct sampled - a page that has samples
 * @at: its index
 * @first: index of the first page like it: of the same block and count, so that both are computed
 *	with once
 * @alike: for that one, how many there are; for others 0
 * @belief: expected of it, by the samples of others only
 */
struct sampled {
	size_t at;
	size_t first;
	size_t alike;
	struct belief belief;
};

/**
 * struct weights - first how well each spread foretells the counts of a region, then its weight
 * @of: by spread: log likelihood, then weight
 */
struct weights {
	double of[NR_SPREADS];
};

/**
 * struct work - an estimation under way
 * @page: the pages
 * @sampled: those with samples
 * @samples: their samples
 * @blocks: those that have samples
 * @done: those that have none: they are not divided further
 * @nr_regions: numbers given to regions
 * @weights: of each region; the first for all together, where blocks are as large as regions
 * @first: the last &struct sampled.first of each count
 * @alone: count_alone() by spread and count, or 0
 */
struct work {
	struct estimate_page *page;
	struct sampled *sampled;
	double samples;
	struct blocks blocks;
	struct blocks done;
	size_t nr_regions;
	struct weights *weights;
	size_t first[COUNTS];
	double alone[NR_SPREADS][COUNTS];
};

static int add_block(struct blocks *blocks, const struct block *block)
{
	struct block *grown = array_grow(blocks->block, blocks->nr, &blocks->room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	blocks->block = grown;
	blocks->block[blocks->nr++] = *block;
	return 0;
}

/* Does a block of this level end between two pages that follow each other? */
static bool ends(const struct estimate_page *page, unsigned int level)
{
	return level ? page[0].page >> level != page[1].page >> level :
		       page[0].space != page[1].space;
}

/* Divides a block. Parts with samples are added to @parts, the others are done. */
static int divide(struct work *work, const struct block *block, unsigned int level,
		  struct blocks *parts)
{
	const size_t end = block->first + block->nr;
	struct block part = *block;
	size_t i;

	part.nr = 0;
	part.nr_sampled = 0;
	part.samples = 0;
	for (i = block->first; i < end; i++) {
		part.nr++;
		if (work->page[i].count > 0) {
			part.nr_sampled++;
			part.samples += work->page[i].count;
		}
		if (i + 1 < end && !ends(&work->page[i], level))
			continue;
		if (!level || level >= REGION_SHIFT)
			part.region = work->nr_regions++;
		if (add_block(part.nr_sampled ? parts : &work->done, &part))
			return -ENOMEM;
		part.first = i + 1;
		part.sampled += part.nr_sampled;
		part.nr = 0;
		part.nr_sampled = 0;
		part.samples = 0;
	}
	return 0;
}

/*
 * What is expected of each of @nr pages, if @rate was, and they have @samples: the mean of the
 * gamma distribution that follows from one with the mean @rate.
 */
static double shrink(double rate, double spread, double samples, double nr)
{
	return rate * (1 + spread * samples) / (1 + spread * nr * rate);
}

/* The same, and how sure it is. @weight: of each spread. */
static struct belief learn(const double *weight, struct belief before, double samples, double nr)
{
	double mean = 0, square = 0;
	size_t k;

	for (k = 0; k < NR_SPREADS; k++) {
		double value, left;

		if (!weight[k])
			continue;
		value = shrink(before.rate, spreads[k], samples, nr);
		/* So much is left of what was expected, and of the doubt in it. */
		left = 1 / (1 + spreads[k] * nr * before.rate);
		mean += weight[k] * value;
		square += weight[k] * value * value * (1 + left * left * before.doubt +
						       spreads[k] / (1 + spreads[k] * samples));
	}
	return (struct belief) { mean, fmax(square / (mean * mean) - 1, 0) };
}

/* Log likelihood of a count, but for what is the same for all rates. */
static double foretell(double rate, double count)
{
	return count > 0 ? count * log(rate) - rate : -rate;
}

/* Is there room for what belongs to a count? */
static bool is_small(double count)
{
	return count < COUNTS && count == (size_t)count;
}

/* What a count adds to its log likelihood, whatever the rate. */
static double count_alone(struct work *work, size_t k, double count)
{
	const double shape = 1 / spreads[k];
	double *kept = is_small(count) ? &work->alone[k][(size_t)count] : NULL;
	double alone = kept ? *kept : 0;

	/* Of one sample, it is 0. */
	if (!alone && count > 0 && count != 1)
		alone = lgamma(count + shape) - lgamma(shape) + count * log(spreads[k]);
	if (kept)
		*kept = alone;
	return alone;
}

/* The same, if the page itself may differ: negative binomial. @fit: filled, by spread. */
static void foretell_page(struct work *work, double rate, double count, double *fit)
{
	const double mean = count > 0 ? count * log(rate) : 0;
	size_t k;

	for (k = PAGE_FIRST; k <= STRANGER; k++)
		fit[k] = mean - (count + 1 / spreads[k]) * log1p(spreads[k] * rate) +
			 count_alone(work, k, count);
}

/* From log likelihoods of some spreads, the first to the last, to weights. */
static void weigh(struct work *work, size_t nr, size_t first, size_t last)
{
	const double part = fmin(1, OTHERS / work->samples);
	double all[NR_SPREADS] = {};
	size_t i, k;

	for (i = 0; i < nr; i++)
		for (k = first; k <= last; k++)
			all[k] += work->weights[i].of[k];
	for (i = 0; i < nr; i++) {
		double *of = work->weights[i].of, most = -INFINITY, sum = 0;

		for (k = first; k <= last; k++)
			most = fmax(most, of[k] += part * (all[k] - all[first]));
		for (k = first; k <= last; k++) {
			of[k] = exp(of[k] - most);
			if (of[k] < NEGLIGIBLE)
				of[k] = 0;
			sum += of[k];
		}
		for (k = first; k <= last; k++)
			of[k] /= sum;
	}
}

/* Called for @times pages of a block that are alike: of the same count, or without samples. */
typedef void visit_fn(struct work *work, const struct block *block, double *of,
		      struct belief *belief, double count, double times);

/* The number of blocks from the first on for which all is the same: they have no samples. */
static size_t equal_blocks(const struct block *block, size_t nr, bool together)
{
	size_t i;

	for (i = 1; i < nr; i++)
		if (block->nr_sampled || block[i].nr_sampled || block[i].nr != block->nr ||
		    block[i].rest.rate != block->rest.rate ||
		    (!together && block[i].region != block->region))
			break;
	return i;
}

static void visit_pages(struct work *work, struct block *block, size_t nr, bool together,
			visit_fn *visit)
{
	size_t i, s, equal;

	for (; nr; block += equal, nr -= equal) {
		double *of = work->weights[together ? 0 : block->region].of;
		const size_t rest = block->nr - block->nr_sampled;

		equal = equal_blocks(block, nr, together);
		if (rest)
			visit(work, block, of, &block->rest, 0, (double)rest * equal);
		for (i = 1; i < equal; i++)
			block[i].rest = block->rest;
		for (s = block->sampled; s < block->sampled + block->nr_sampled; s++) {
			struct sampled *page = &work->sampled[s];

			if (page->alike)
				visit(work, block, of, &page->belief, work->page[page->at].count,
				      page->alike);
			else
				page->belief = work->sampled[page->first].belief;
		}
	}
}

static void find_alike(struct work *work, const struct block *block)
{
	size_t s;

	for (s = block->sampled; s < block->sampled + block->nr_sampled; s++) {
		struct sampled *page = &work->sampled[s];
		const double count = work->page[page->at].count;
		size_t *first = is_small(count) ? &work->first[(size_t)count] : NULL;

		page->first = s;
		page->alike = 1;
		/* It is of another block, or was left by the level above. */
		if (first && (*first < block->sampled || *first >= s))
			*first = s;
		if (!first || *first == s)
			continue;
		page->first = *first;
		page->alike = 0;
		work->sampled[*first].alike++;
	}
}

/* How well do the other pages of its block foretell the count of a page? */
static void compare_block(struct work *work, const struct block *block, double *of,
			  struct belief *belief, double count, double times)
{
	size_t k;

	for (k = BLOCK_FIRST; k <= BLOCK_LAST; k++)
		of[k] += times * foretell(shrink(belief->rate, spreads[k],
						 block->samples - count, block->nr - 1), count);
}

static void believe_block(struct work *work, const struct block *block, double *of,
			  struct belief *belief, double count, double times)
{
	*belief = learn(of, *belief, block->samples - count, block->nr - 1);
}

/* By how much do pages differ from what their neighbours foretell? */
static void compare_page(struct work *work, const struct block *block, double *of,
			 struct belief *belief, double count, double times)
{
	double fit[NR_SPREADS];
	size_t k;

	foretell_page(work, belief->rate, count, fit);
	for (k = PAGE_FIRST; k <= PAGE_LAST; k++)
		of[k] += times * fit[k];
}

static int forget_weights(struct work *work)
{
	free(work->weights);
	work->weights = calloc(work->nr_regions + 1, sizeof(*work->weights));
	return work->weights ? 0 : -ENOMEM;
}

static void visit_parts(struct work *work, struct blocks *parts, size_t done, bool together,
			visit_fn *visit)
{
	visit_pages(work, parts->block, parts->nr, together, visit);
	visit_pages(work, work->done.block + done, work->done.nr - done, together, visit);
}

/* Divides blocks once more, and takes what each part tells of its pages. */
static int go_down(struct work *work, unsigned int level)
{
	const bool together = !level || level >= REGION_SHIFT;
	const size_t done = work->done.nr;
	struct blocks parts = {};
	size_t i;
	int ret = 0;

	for (i = 0; i < work->blocks.nr && !ret; i++)
		ret = divide(work, &work->blocks.block[i], level, &parts);
	free(work->blocks.block);
	work->blocks = parts;
	if (!ret)
		ret = forget_weights(work);
	if (ret)
		return ret;
	for (i = 0; i < parts.nr; i++)
		find_alike(work, &parts.block[i]);
	visit_parts(work, &parts, done, together, compare_block);
	weigh(work, together ? 1 : work->nr_regions, BLOCK_FIRST, BLOCK_LAST);
	visit_parts(work, &parts, done, together, believe_block);
	return 0;
}

/* Quantile of a gamma distribution (Wilson and Hilferty 1931). @z: of the normal distribution. */
static double quantile(struct belief belief, double z)
{
	const double part = belief.doubt / 9, root = 1 - part + z * sqrt(part);

	return root > 0 ? belief.rate * root * root * root : 0;
}

/* What is known of a page after its own count. @weight: of the spreads in its region. */
static struct belief settle(struct work *work, double count, const double *weight,
			    struct belief before)
{
	double fit[NR_SPREADS], own[NR_SPREADS] = {}, most = -INFINITY, sum = 0;
	size_t k;

	foretell_page(work, before.rate, count, fit);
	for (k = PAGE_FIRST; k <= STRANGER; k++)
		most = fmax(most, fit[k]);
	/* As much as pages of its region, or if it is a stranger, more. */
	for (k = PAGE_FIRST; k <= STRANGER; k++) {
		own[k] = weight[k] * (1 - STRANGERS) + (k >= PAGE_LAST) * STRANGERS / 2;
		sum += own[k] *= exp(fit[k] - most);
	}
	for (k = PAGE_FIRST; k <= STRANGER; k++)
		own[k] /= sum;
	return learn(own, before, count, 1);
}

static void settle_page(struct work *work, struct estimate_page *page, const double *weight,
			struct belief before)
{
	const struct belief belief = settle(work, page->count, weight, before);

	page->rate = belief.rate;
	page->low = quantile(belief, -ESTIMATE_Z);
	page->high = quantile(belief, ESTIMATE_Z);
	page->less = page->rate;
	if (page->count > 0)
		page->less = settle(work, fmax(page->count - 1, 0), weight, before).rate;
}

static void settle_sampled(struct work *work, const struct block *block)
{
	size_t s;

	for (s = block->sampled; s < block->sampled + block->nr_sampled; s++)
		settle_page(work, &work->page[work->sampled[s].at], work->weights[block->region].of,
			    work->sampled[s].belief);
}

/* @none: what is known of the pages without samples. */
static void settle_rest(const struct work *work, const struct block *block,
			const struct estimate_page *none)
{
	struct estimate_page *page = &work->page[block->first], *end = page + block->nr;

	for (; page < end; page++) {
		if (page->count > 0)
			continue;
		page->rate = none->rate;
		page->low = none->low;
		page->high = none->high;
		page->less = none->less;
	}
}

static void settle_blocks(struct work *work, const struct blocks *blocks)
{
	struct estimate_page none = {};
	const struct block *block, *last = NULL;
	size_t i;

	for (i = 0; i < blocks->nr; i++) {
		block = &blocks->block[i];
		settle_sampled(work, block);
		if (block->nr == block->nr_sampled)
			continue;
		if (!last || last->region != block->region || last->rest.rate != block->rest.rate)
			settle_page(work, &none, work->weights[block->region].of, block->rest);
		settle_rest(work, block, &none);
		last = block;
	}
}

static void keep_sum(struct work *work, size_t nr)
{
	double sum = 0, factor;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += work->page[i].rate;
	factor = work->samples / sum;
	for (i = 0; i < nr; i++) {
		work->page[i].rate *= factor;
		work->page[i].low *= factor;
		work->page[i].high *= factor;
		work->page[i].less *= factor;
	}
}

static int begin(struct work *work, size_t nr)
{
	struct belief all;
	size_t i, sampled = 0;

	for (i = 0; i < nr; i++)
		sampled += work->page[i].count > 0;
	work->sampled = calloc(sampled + 1, sizeof(*work->sampled));
	if (!work->sampled)
		return -ENOMEM;
	for (i = 0, sampled = 0; i < nr; i++) {
		if (!(work->page[i].count > 0))
			continue;
		work->sampled[sampled++].at = i;
		work->samples += work->page[i].count;
	}
	all = (struct belief) { work->samples / nr, 1 / work->samples };
	for (i = 0; i < sampled; i++)
		work->sampled[i].belief = all;
	memset(work->first, 0xff, sizeof(work->first));
	return add_block(&work->blocks, &(struct block) {
		.nr = nr, .nr_sampled = sampled, .samples = work->samples, .rest = all,
	});
}

static int estimate(struct work *work, size_t nr)
{
	int ret = begin(work, nr);
	size_t i;

	for (i = 0; i < NR_LEVELS && !ret; i++)
		ret = go_down(work, levels[i]);
	if (!ret)
		ret = forget_weights(work);
	if (ret)
		return ret;
	visit_parts(work, &work->blocks, 0, false, compare_page);
	weigh(work, work->nr_regions, PAGE_FIRST, PAGE_LAST);
	settle_blocks(work, &work->blocks);
	settle_blocks(work, &work->done);
	keep_sum(work, nr);
	return 0;
}

int estimate_rates(struct estimate_page *page, size_t nr)
{
	struct work work = { .page = page };
	size_t i = 0;
	int ret;

	while (i < nr && !(page[i].count > 0))
		i++;
	if (i == nr) {
		for (i = 0; i < nr; i++) {
			page[i].rate = 0;
			page[i].low = 0;
			page[i].high = 0;
			page[i].less = 0;
		}
		return 0;
	}
	ret = estimate(&work, nr);
	free(work.sampled);
	free(work.blocks.block);
	free(work.done.block);
	free(work.weights);
	return ret;
}
