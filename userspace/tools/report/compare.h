/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the counts of two samplings differ by more than chance.
 *
 * A place has @a of the @all_a samples of one recording and @b of the @all_b of another. If its
 * share of the accesses is at most @most times as high in the other, then
 *
 *	z = 2 (sqrt(b + 3/8 D_b) - sqrt(r (a + 3/8 D_a))) / sqrt(D_b + r D_a)
 *	r = most * all_b / all_a
 *
 * is above that of a standard normal variable with at most its probability: Poisson counts have a
 * square root with the variance 1/4, whatever their mean (Anscombe 1948; as a test of two rates:
 * Huffman 1984; compared with other tests: Gu, Ng, Tang and Schucany 2008).
 *
 * D is 1 if each sample comes by itself. But a program uses memory in bursts, so that counts
 * vary more. How much more is measured in each recording: it is cut into parts of the same time,
 * and neighbouring parts are compared. D is the sum of the squares of the differences of their
 * counts, relative to what it would be for a Poisson distribution (McCullagh and Nelder 1989).
 *
 * Many places are compared, so some look different by chance. The bound on the probability is made
 * so low for each that the probability of a wrong one among all is at most 1 %, whatever depends on
 * what (Holm 1979).
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of a recording. */
#define COMPARE_PARTS	32

/**
 * struct compare_count - samples of a place in one recording
 * @samples: how many, in those of the largest weight
 * @part: how many there are in each part of the time, whatever their weight; all 0: not known
 */
struct compare_count {
	double samples;
	double part[COMPARE_PARTS];
};

/**
 * struct compare_spread - how much counts vary, as a sum over places
 * @squares: squares of differences between parts, in proportion to the parts' totals
 * @samples: what they would be of a Poisson distribution
 *
 * By how many parts make one.
 */
struct compare_spread {
	double squares[COMPARE_PARTS];
	double samples[COMPARE_PARTS];
};

/* Adds a place. @all: the samples of all places. */
void compare_spread_add(struct compare_spread *spread, const struct compare_count *place,
			const struct compare_count *all);

/* How many times as large as of a Poisson distribution the variance is; at least 1. */
double compare_spread(const struct compare_spread *spread);

/**
 * struct compare_side - a place in one recording
 * @samples: its samples
 * @all: those of all places
 * @spread: the variance of @samples, in proportion to their expectation
 */
struct compare_side {
	double samples;
	double all;
	double spread;
};

/*
 * The probability of so large a difference by chance, if the share in the one is less than @most
 * times that in the other. @most: 1 or more.
 */
double compare_chance(const struct compare_side *a, const struct compare_side *b, double most);

/*
 * Tells which of several differ. @chance: by place, from compare_chance(); @differs: set. Returns
 * 0 or -ENOMEM.
 */
int compare_all(const double *chance, size_t nr, bool *differs);

#endif /* REPORT_COMPARE_H */
