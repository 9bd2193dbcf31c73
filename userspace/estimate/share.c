// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "share.h"

/*
 * If samples are independent of each other, the expectation of this is the share: samples of the
 * pages that would be among the first with one sample less, too (Hudson 1978). Samples of programs
 * that visit pages in turn are more even, and then it is too low.
 */
static double share_of_samples(const struct estimate_page *page, size_t capacity, double samples)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < capacity; i++)
		if (page[i].less > page[capacity].rate)
			sum += page[i].count;
	return sum / samples;
}

/* What the estimates promise. It is too high if many pages are equally hot. */
static double share_of_rates(const struct estimate_page *page, size_t capacity, double samples)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < capacity; i++)
		sum += page[i].rate;
	return sum / samples;
}

struct share estimate_share(const struct estimate_page *page, size_t nr, size_t capacity,
			    double samples)
{
	struct share share = { .at = 1, .low = 1, .high = 1 };
	double rates, counts, part, range;

	if (nr <= capacity || !(samples > 0))
		return share;
	rates = share_of_rates(page, capacity, samples);
	counts = share_of_samples(page, capacity, samples);
	share.at = fmin((rates + counts) / 2, 1);
	/* Also of few samples, or where all or none of them count, a share is not certain. */
	part = (share.at * samples + 1) / (samples + 2);
	range = ESTIMATE_Z * hypot(sqrt(part * (1 - part) / samples), (rates - counts) / 2);
	share.low = fmax(share.at - range, 0);
	share.high = fmin(share.at + range, 1);
	return share;
}
