/* SPDX-License-Identifier: GPL-2.0 */
/* Are there enough samples to choose the pages of the fast tier? */
#ifndef ESTIMATE_ENOUGH_H
#define ESTIMATE_ENOUGH_H

#include "estimate.h"

/* So many of the pages that fit have to be sure, or there are too few samples. */
#define ENOUGH_SHARE	0.95

/**
 * struct enough - how sure the choice of the hottest pages is
 * @fit: pages that fit
 * @sure: how many of them are in it for sure: with a probability of 95 %, they are accessed at
 *	least half as often as the first page that does not fit
 * @times: with so many times the samples, it would be %ENOUGH_SHARE of @fit; 1: it is
 */
struct enough {
	size_t fit;
	size_t sure;
	double times;
};

/**
 * enough_samples() - tell how sure a choice is
 * @page: pages with their estimates, those with the highest rates first
 * @nr: how many there are
 * @capacity: so many fit, the first ones; if all do, all are sure
 */
struct enough enough_samples(const struct estimate_page *page, size_t nr, size_t capacity);

#endif /* ESTIMATE_ENOUGH_H */
