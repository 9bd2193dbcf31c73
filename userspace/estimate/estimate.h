/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often each page is accessed, estimated from few samples: pages that are neighbours are
 * often alike, and how much they are is seen in the samples, too. docs/accuracy.md has the
 * formulas, and what they bring.
 */
#ifndef ESTIMATE_ESTIMATE_H
#define ESTIMATE_ESTIMATE_H

#include <stddef.h>
#include <linux/types.h>

/*
 * The rate is below its low bound with a probability of 5 %, and above the high one as well: so
 * many standard deviations of a normal distribution.
 */
#define ESTIMATE_Z	1.645

/**
 * struct estimate_page - a page that may have been accessed
 * @page: its number in its address space
 * @count: samples counted
 * @space: tells address spaces apart
 * @rate: filled: samples expected, if the same was sampled once more
 * @low: filled: the rate is between this
 * @high: filled: and this with a probability of about 90 %
 * @less: filled: the rate if the page had one sample less
 */
struct estimate_page {
	__u64 page;
	double count;
	__u32 space;
	float rate;
	float low;
	float high;
	float less;
};

/**
 * estimate_rates() - estimate the rate of each page
 * @page: the pages, by space and number, each once: also those that were not sampled
 * @nr: how many there are
 *
 * The rates have the same sum as the counts. If nothing was sampled, all are 0. The same input
 * gives the same rates. Takes time for each page with samples, and next to none for others.
 *
 * Return: 0, or -ENOMEM: nothing was filled.
 */
int estimate_rates(struct estimate_page *page, size_t nr);

#endif /* ESTIMATE_ESTIMATE_H */
