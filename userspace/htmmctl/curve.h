/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hit ratio of the best placement, by the capacity of the fast tier.
 *
 * Of counted samples, the hottest pages have more than their share: among pages that are
 * equally hot, those are taken that happened to be sampled more often. So three curves are
 * computed from the counts:
 *
 * - The share of the samples on the pages with the most samples. Its expectation is not
 *   below the true curve, as that of a maximum is not below the maximum of expectations.
 * - The share of samples that are held out, a tenth at a time, on the pages that have the
 *   most of the others. Its expectation is not above the true curve, as no choice of pages is
 *   better than the best one (cross validation; Stone 1974).
 * - Between them the estimate: the mixture of Poisson distributions under which the numbers
 *   of pages by their counts are the most likely, found by expectation maximization
 *   (Kiefer and Wolfowitz 1956; Laird 1978; as pages without samples are not seen, the
 *   distributions have no zero: Boehning and Schoen 2005). Where all pages have hundreds of
 *   samples, the held out curve is the estimate: too few are lost to the ranking to matter.
 *
 * With n samples, a share that each sample changes by at most 1/n is off by more than
 * sqrt(ln(40) / 2n) in one direction in less than 2.5 % of the cases (Hoeffding 1963;
 * McDiarmid 1989). The bounds are the first two curves with that much added and removed.
 *
 * From the mixture follows how many pages have no sample. It knows nothing of memory: if there
 * cannot be so many, the pages that can be there and have no sample are counted in, and the
 * mixture is fitted to these, too.
 *
 * Where all accesses were counted, nothing has to be estimated: the first curve is the truth.
 */
#ifndef HTMMCTL_CURVE_H
#define HTMMCTL_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Pages with a count below are only numbered; there are few with more. */
#define TALLY_EXACT	4096

/**
 * struct tally - the counts of some pages
 * @samples: their sum
 * @nr: pages that have a count
 * @pages: how many have each count; none has 0
 * @large: the counts of the others
 * @nr_large: how many there are
 *
 * All zero at first.
 */
struct tally {
	__u64 samples;
	__u64 nr;
	__u64 pages[TALLY_EXACT];
	__u32 *large;
	size_t nr_large;

	/* private: */
	__u64 rest;
	size_t room;
};

/*
 * Adds a page. @count: its count, where a sample counts @unit, or if that is 0, 1. What is less
 * than a sample counts with the next pages: of many pages with less, some have one. Returns 0 or
 * -ENOMEM.
 */
int tally_add(struct tally *tally, __u32 count, __u32 unit);

/* Frees what it has. @tally is all zero afterwards. */
void tally_free(struct tally *tally);

/* Capacities grow by a sixteenth of a power of two, from one page to 16 TiB. */
#define CURVE_POINTS	513
/* Of fewer samples the bounds are more than a quarter away from the truth everywhere. */
#define CURVE_SAMPLES	30

/**
 * struct curve_config - what is known besides the counts
 * @unit: what one sample counts, for tally_add(); 0: 1
 * @census: all accesses were counted, not samples of them
 * @most: pages that can have been accessed, such as those that a mapping has; 0: not known.
 *	It is no bound if more have samples
 */
struct curve_config {
	__u32 unit;
	bool census;
	__u64 most;
};

/**
 * struct curve_point - the hit ratio at one capacity
 * @pages: the capacity
 * @hit: the estimate, 0 to 1
 * @low: its lower bound
 * @high: its upper bound
 */
struct curve_point {
	__u64 pages;
	double hit;
	double low;
	double high;
};

/**
 * struct curve - the hit ratio by capacity
 * @samples: samples that it is made from
 * @sampled_pages: pages that have them
 * @census: they are all accesses, so that all else is exact
 * @few: there are too few samples; nothing but the bounds is of use
 * @bounded: there are no more @pages, as there is no more memory
 * @pages: an estimate of all pages that are accessed, also those without samples
 * @nr: points in use; the last one has room for just all @pages
 * @point: the points, by rising capacity
 */
struct curve {
	__u64 samples;
	__u64 sampled_pages;
	bool census;
	bool few;
	bool bounded;
	__u64 pages;
	unsigned int nr;
	struct curve_point point[CURVE_POINTS];
};

/* Computes the curve of some pages. Returns 0 or -ENOMEM. */
int curve_make(struct curve *curve, const struct tally *tally, const struct curve_config *config);

/* The hit ratio at any capacity. */
struct curve_point curve_at(const struct curve *curve, __u64 pages);

/**
 * struct hit - the hit ratio of one capacity
 * @samples: samples that it is made from
 * @pages: pages that are accessed, with the estimate of those that have no sample
 * @census: it is exact, as all accesses were counted
 * @few: there are too few samples
 * @at: the estimate with its bounds, at the capacity
 */
struct hit {
	__u64 samples;
	__u64 pages;
	bool census;
	bool few;
	struct curve_point at;
};

/* Does the capacity hold all pages? */
static inline bool hit_fits(const struct hit *hit)
{
	return hit->at.pages >= hit->pages;
}

/* Computes the hit ratio of one capacity. Returns 0 or -ENOMEM. */
int hit_tally(struct hit *hit, const struct tally *tally, const struct curve_config *config,
	      __u64 capacity);

#endif /* HTMMCTL_CURVE_H */
