// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "enough.h"

/* Of a page that does not fit, so much must the rate of one that does be. */
#define MARGIN	0.5
/* How many times the samples are wanted, counted in steps of a quarter of a power of two. */
#define STEPS	4
#define NR_STEPS	(16 * STEPS)
/* Two pages that differ by MARGIN are told apart by so many samples of each. */
#define OWN	11.5

/*
 * The standard deviation of the cube root of a rate, as a part of it: the inverse of what gave it
 * its bounds. If the low one is 0, the page is known by few samples of its own only.
 */
static double deviation(const struct estimate_page *page)
{
	const double part = 1 - cbrt(page->low / page->rate);
	const double sd = (sqrt(ESTIMATE_Z * ESTIMATE_Z + 4 * part) - ESTIMATE_Z) / 2;

	return page->low > 0 ? sd : fmax(sd, 1 / (3 * sqrt(page->rate)));
}

/*
 * With so many times the samples, @page would be sure to have more than a part of the rate of
 * @other: cube roots of rates have nearly normal distributions, and so have their differences.
 */
static double wanted(const struct estimate_page *page, const struct estimate_page *other)
{
	const double rate = cbrt(page->rate), least = cbrt(MARGIN * other->rate);
	const double sd = hypot(rate * deviation(page), least * deviation(other));
	const double part = ESTIMATE_Z * sd / (rate - least);

	return part * part;
}

struct enough enough_samples(const struct estimate_page *page, size_t nr, size_t capacity)
{
	struct enough enough = { .fit = nr, .sure = nr, .times = 1 };
	size_t i, step, steps[NR_STEPS] = {};

	if (nr <= capacity || !capacity || !(page[capacity].rate > 0))
		return enough;
	enough.fit = capacity;
	for (i = 0; i < capacity; i++) {
		const double times = wanted(&page[i], &page[capacity]);

		step = times > 1 ? fmin(ceil(STEPS * log2(times)), NR_STEPS - 1) : 0;
		steps[step]++;
	}
	enough.sure = steps[0];
	for (i = steps[0], step = 0; i < ENOUGH_SHARE * capacity && step + 1 < NR_STEPS;)
		i += steps[++step];
	/*
	 * Of more samples, neighbours tell less, as each page is better known by its own: the
	 * answer is between those for neighbours that tell as much as now, and that tell nothing.
	 */
	if (step)
		enough.times = sqrt(exp2((double)step / STEPS) *
				    fmax(OWN / page[capacity].rate, 1));
	return enough;
}
