/* SPDX-License-Identifier: GPL-2.0 */
/* What share of all accesses the best pages have. */
#ifndef ESTIMATE_SHARE_H
#define ESTIMATE_SHARE_H

#include "estimate.h"

/**
 * struct share - the share of the accesses that some pages have, 0 to 1
 * @at: the estimate
 * @low: the share is between this
 * @high: and this with a probability of about 90 %
 */
struct share {
	double at;
	double low;
	double high;
};

/**
 * estimate_share() - estimate the share of the accesses that the pages of the fast tier have
 * @page: pages with their estimates, those with the highest rates first
 * @nr: how many there are
 * @capacity: so many fit, the first ones
 * @samples: samples of all pages, also of those that are not in @page
 *
 * Their share of the samples would be too high: of pages that are equally hot, those come first
 * that happened to be sampled. docs/accuracy.md has the formula. If all pages fit, or if there are
 * no samples, the share is 1.
 */
struct share estimate_share(const struct estimate_page *page, size_t nr, size_t capacity,
			    double samples);

#endif /* ESTIMATE_SHARE_H */
