// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "split.h"

/* The probability that what is hot in no order is divided. */
#define WRONG		0.01
/* Cells with a sample; and the hottest half of all, quarter, and so on, down to 1 / 32. */
#define SETS		6

/**
 * struct split - memory that is being divided
 * @count: samples by cell
 * @times: as in split_find()
 * @before: samples before each cell
 * @sorted: for one range: its counts, in rising order
 * @hot: likewise: how many of the hottest cells are before each cell
 * @begins: a range begins at this cell
 */
struct split {
	const double *count;
	double times;
	double before[SPLIT_CELLS + 1];
	double sorted[SPLIT_CELLS];
	unsigned int hot[SPLIT_CELLS + 1];
	bool begins[SPLIT_CELLS];
};

/**
 * struct part - a part of a range
 * @from: its first cell
 * @len: how many it has
 * @gain: logarithm of the likelihood ratio
 */
struct part {
	size_t from;
	size_t len;
	double gain;
};

static double likelihood(double hot, double all)
{
	const double cold = all - hot;

	return (hot ? hot * log(hot / all) : 0) + (cold ? cold * log(cold / all) : 0);
}

/* Is it a better part, with @hot of its cells among the @of_all hottest of @nr? */
static void take_better(struct part *best, size_t from, size_t len, unsigned int hot,
			unsigned int of_all, size_t nr)
{
	const double gain = likelihood(hot, len) + likelihood(of_all - hot, nr - len) -
			    likelihood(of_all, nr);

	if (gain > best->gain)
		*best = (struct part) { from, len, gain };
}

/* Of all parts of one length, that with the most or the fewest of the hottest cells is best. */
static void find_part(const struct split *split, size_t from, size_t to, struct part *best)
{
	const unsigned int *hot = split->hot, all = hot[to] - hot[from];
	size_t len, i;

	for (len = 1; len < to - from; len++) {
		unsigned int most = 0, least = all;
		size_t at_most = from, at_least = from;

		for (i = from; i + len <= to; i++) {
			const unsigned int here = hot[i + len] - hot[i];

			if (here > most) {
				most = here;
				at_most = i;
			}
			if (here < least) {
				least = here;
				at_least = i;
			}
		}
		take_better(best, at_most, len, most, all, to - from);
		take_better(best, at_least, len, least, all, to - from);
	}
}

static int by_count(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* How hot the cells of each set are at least, in a range. Returns the number of sets. */
static size_t find_sets(struct split *split, size_t from, size_t to, double *above)
{
	const size_t nr = to - from;
	size_t set, sets = 1;

	above[0] = 0;
	memcpy(split->sorted, &split->count[from], nr * sizeof(*split->sorted));
	qsort(split->sorted, nr, sizeof(*split->sorted), by_count);
	for (set = 1; set < SETS && nr >> set; set++) {
		const double level = split->sorted[nr - 1 - (nr >> set)];

		/* Equal counts are all in the set, or none of them. */
		if (level != above[sets - 1])
			above[sets++] = level;
	}
	return sets;
}

/* Finds the part that differs most from the rest of a range, by any of the sets. */
static struct part find_best(struct split *split, size_t from, size_t to)
{
	struct part best = { from, 0, 0 };
	double above[SETS];
	size_t sets = find_sets(split, from, to, above), i;

	while (sets--) {
		split->hot[from] = 0;
		for (i = from; i < to; i++)
			split->hot[i + 1] = split->hot[i] + (split->count[i] > above[sets]);
		find_part(split, from, to, &best);
	}
	return best;
}

static double times_of(double a, double b)
{
	return a == b ? 1 : fmax(a, b) / fmin(a, b);
}

/* By which factor a part and the rest of a range differ. */
static double differ(const struct split *split, size_t from, size_t to, const struct part *part)
{
	const double all = split->before[to] - split->before[from];
	const double in = split->before[part->from + part->len] - split->before[part->from];

	return times_of(in / part->len, (all - in) / (to - from - part->len));
}

static void divide(struct split *split, size_t from, size_t to)
{
	const double nr = to - from;
	const struct part best = find_best(split, from, to);
	const size_t end = best.from + best.len;

	if (best.gain <= log(SETS * nr * nr / WRONG) ||
	    differ(split, from, to, &best) < split->times)
		return;
	split->begins[best.from] = true;
	divide(split, best.from, end);
	if (best.from > from)
		divide(split, from, best.from);
	if (end < to) {
		split->begins[end] = true;
		divide(split, end, to);
	}
}

/* How much a border is worth: 1 is just enough, and less than 0 a difference that is too small. */
static double worth(struct split *split, size_t from, size_t at, size_t to)
{
	struct part best = { at, 0, 0 };
	const struct part first = { from, at - from, 0 };
	const double times = differ(split, from, to, &first);
	double above[SETS];
	size_t sets = find_sets(split, from, to, above), i;

	if (times < split->times)
		return times - split->times;
	while (sets--) {
		unsigned int before = 0, behind = 0;

		for (i = from; i < at; i++)
			before += split->count[i] > above[sets];
		for (; i < to; i++)
			behind += split->count[i] > above[sets];
		take_better(&best, from, at - from, before, before + behind, to - from);
	}
	return best.gain / log(SETS * (double)(to - from) / WRONG);
}

/* Removes the border that is worth least, until all are worth it and there are not too many. */
static size_t join_alike(struct split *split, size_t nr, size_t *border, size_t ranges)
{
	for (; ranges > 1; ranges--) {
		double least = INFINITY;
		size_t i, at = 1;

		for (i = 1; i < ranges; i++) {
			const double here = worth(split, border[i - 1], border[i],
						  i + 1 < ranges ? border[i + 1] : nr);

			if (here < least) {
				least = here;
				at = i;
			}
		}
		if (least >= 1 && ranges <= SPLIT_RANGES)
			break;
		memmove(&border[at], &border[at + 1], (ranges - at - 1) * sizeof(*border));
	}
	return ranges;
}

size_t split_find(const double *count, size_t nr, double times, size_t *border)
{
	struct split split = { .count = count, .times = times };
	size_t i, ranges = 0;

	for (i = 0; i < nr; i++)
		split.before[i + 1] = split.before[i] + count[i];
	divide(&split, 0, nr);
	split.begins[0] = true;
	for (i = 0; i < nr; i++)
		if (split.begins[i])
			border[ranges++] = i;
	return join_alike(&split, nr, border, ranges);
}
