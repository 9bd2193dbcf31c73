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
 */
#ifndef REPORT_CURVE_H
#define REPORT_CURVE_H

#include <stddef.h>
#include <linux/types.h>

/* Capacities grow by a sixteenth of a power of two, from one page to 16 TiB. */
#define CURVE_POINTS	513

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
 * @pages: an estimate of all pages that are accessed, also those without samples
 * @nr: points in use; the last one is the first that has room for all @pages
 * @point: the points, by rising capacity
 */
struct curve {
	__u64 samples;
	__u64 sampled_pages;
	__u64 pages;
	unsigned int nr;
	struct curve_point point[CURVE_POINTS];
};

/**
 * curve_make() - compute the curve of some pages
 * @curve: filled
 * @counts: the count of each page
 * @nr: how many there are
 * @unit: what one sample counts, at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int curve_make(struct curve *curve, const __u32 *counts, size_t nr, __u32 unit);

/**
 * curve_at() - the hit ratio at any capacity
 * @curve: the curve
 * @pages: the capacity
 *
 * Return: the ratio with its bounds.
 */
struct curve_point curve_at(const struct curve *curve, __u64 pages);

/**
 * struct curve_need - the capacity that a hit ratio needs, in pages
 * @pages: the estimate
 * @low: its lower bound
 * @high: its upper bound; 0: unknown, with so few samples
 */
struct curve_need {
	__u64 pages;
	__u64 low;
	__u64 high;
};

/**
 * curve_need() - the capacity for a hit ratio
 * @curve: the curve
 * @hit: the ratio, above 0 and below 1
 *
 * Return: the capacity.
 */
struct curve_need curve_need(const struct curve *curve, double hit);

#endif /* REPORT_CURVE_H */
