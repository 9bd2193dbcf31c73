// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "compare.h"

/* The probability that any place is said to differ by mistake. */
#define WRONG		0.01
/* At least so many pairs of parts tell how much they vary. */
#define PAIRS_LEAST	8

static double sum(const double *part, unsigned int from, unsigned int nr)
{
	double all = 0;

	while (nr--)
		all += part[from++];
	return all;
}

/* Parts of no time have no samples at all, and say nothing. */
static void add_width(struct compare_spread *spread, const struct compare_count *place,
		      const struct compare_count *all, unsigned int width)
{
	unsigned int i;

	for (i = 0; i + 2 * width <= COMPARE_PARTS; i += 2 * width) {
		const double a = sum(place->part, i, width);
		const double b = sum(place->part, i + width, width);
		const double all_a = sum(all->part, i, width);
		const double all_b = sum(all->part, i + width, width);
		const double off = a * all_b - b * all_a;

		if (!all_a || !all_b)
			continue;
		spread->squares[width] += off * off / (all_a * all_b);
		spread->samples[width] += a + b;
	}
}

void compare_spread_add(struct compare_spread *spread, const struct compare_count *place,
			const struct compare_count *all)
{
	unsigned int width;

	for (width = 1; COMPARE_PARTS / (2 * width) >= PAIRS_LEAST; width *= 2)
		add_width(spread, place, all, width);
}

/* Bursts that are longer than a part show only in wider ones. */
double compare_spread(const struct compare_spread *spread)
{
	double most = 1;
	unsigned int width;

	for (width = 1; COMPARE_PARTS / (2 * width) >= PAIRS_LEAST; width *= 2)
		if (spread->samples[width])
			most = fmax(most, spread->squares[width] / spread->samples[width]);
	return most;
}

/* The probability that @b is so much higher than @a. */
static double higher(const struct compare_side *a, const struct compare_side *b, double most)
{
	const double r = most * b->all / a->all;
	const double z = 2 * (sqrt(b->samples + 0.375 * b->spread) -
			      sqrt(r * (a->samples + 0.375 * a->spread))) /
			 sqrt(b->spread + r * a->spread);

	return erfc(z / M_SQRT2) / 2;
}

double compare_chance(const struct compare_side *a, const struct compare_side *b, double most)
{
	return fmin(1, 2 * fmin(higher(a, b, most), higher(b, a, most)));
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int compare_all(const double *chance, size_t nr, bool *differs)
{
	double *sorted = malloc((nr + 1) * sizeof(*sorted)), limit = -1;
	size_t i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		sorted[i] = chance[i];
	qsort(sorted, nr, sizeof(*sorted), by_value);
	/* Of those that are left, the least likely by chance has to be less than chance for all. */
	for (i = 0; i < nr && sorted[i] <= WRONG / (nr - i); i++)
		limit = sorted[i];
	for (i = 0; i < nr; i++)
		differs[i] = chance[i] <= limit;
	free(sorted);
	return 0;
}
