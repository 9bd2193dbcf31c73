// SPDX-License-Identifier: GPL-2.0
/* Ranges of made-up memory that are hot or cold. */
#include <math.h>
#include "report/split.h"
#include "test.h"

#define RUNS	100
#define TIMES	2

static double uniform(void)
{
	return (tap_below(1 << 30) + 0.5) / (1 << 30);
}

/* From a Poisson distribution. */
static unsigned int draw(double mean)
{
	const double least = exp(-mean);
	double product = uniform();
	unsigned int nr = 0;

	for (; product > least; product *= uniform())
		nr++;
	return nr;
}

/* How hot a cell is in proportion to the others of its array. */
static double even(void)
{
	return 1;
}

static double uneven(void)
{
	return -log(uniform());
}

/* A few cells have most of the samples. */
static double scattered(void)
{
	return 0.3 * pow(uniform(), -0.7);
}

/**
 * struct memory - a mapping
 * @heat: as above
 * @mean: samples of a cell, without @times
 * @cells: number of cells
 * @times: the first quarter is so many times as hot
 */
struct memory {
	double (*heat)(void);
	double mean;
	size_t cells;
	double times;
};

/*
 * In how many runs is it divided? @right: in how many is the border of the first quarter the only
 * one, at most @off cells away.
 */
static unsigned int divided(const struct memory *memory, size_t off, unsigned int *right)
{
	double count[SPLIT_CELLS];
	size_t border[SPLIT_CELLS], nr, i;
	unsigned int run, found = 0;

	*right = 0;
	for (run = 0; run < RUNS; run++) {
		for (i = 0; i < memory->cells; i++)
			count[i] = draw(fmin(500, memory->mean * memory->heat() *
					     (i < memory->cells / 4 ? memory->times : 1)));
		nr = split_find(count, memory->cells, TIMES, border);
		CHECK(nr && !border[0]);
		found += nr > 1;
		*right += nr == 2 && fabs(border[1] - memory->cells / 4.0) <= off;
	}
	return found;
}

static void one_array_is_one_range(void)
{
	static double (*const heats[])(void) = { even, uneven, scattered };
	static const double means[] = { 0.1, 1, 10, 100 };
	unsigned int heat, mean, right, all = 0, nr;
	size_t cells;

	for (heat = 0; heat < ARRAY_SIZE(heats); heat++)
		for (mean = 0; mean < ARRAY_SIZE(means); mean++)
			for (cells = 1; cells <= SPLIT_CELLS; cells *= 8) {
				nr = divided(&(struct memory) {
					heats[heat], means[mean], cells, 1,
				}, 0, &right);
				CHECK(nr <= RUNS / 20);
				all += nr;
			}
	/* Of 2400 that have enough cells. */
	printf("# %u of one array divided\n", all);
	CHECK(all <= 24);
}

static void hot_array_is_a_range(void)
{
	static const struct {
		struct memory memory;
		size_t off;
		unsigned int least;
	} all[] = {
		{ { even, 0.2, SPLIT_CELLS, 9 }, 8, RUNS * 9 / 10 },
		{ { even, 1, SPLIT_CELLS, 9 }, 1, RUNS * 9 / 10 },
		{ { even, 10, SPLIT_CELLS, 9 }, 0, RUNS * 19 / 20 },
		{ { even, 10, 32, 9 }, 0, RUNS * 19 / 20 },
		{ { even, 100, SPLIT_CELLS, 3 }, 0, RUNS * 19 / 20 },
		{ { uneven, 10, SPLIT_CELLS, 9 }, 8, RUNS * 9 / 10 },
		{ { uneven, 10, 128, 9 }, 8, RUNS * 9 / 10 },
		{ { scattered, 10, SPLIT_CELLS, 9 }, 8, RUNS * 9 / 10 },
	};
	unsigned int i, right, found;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		found = divided(&all[i].memory, all[i].off, &right);
		printf("# %u: %u divided, %u right\n", i, found, right);
		CHECK(right >= all[i].least);
	}
}

/* A difference that is more than chance, but small. */
static void little_difference_is_none(void)
{
	unsigned int right;

	CHECK(!divided(&(struct memory) { even, 100, SPLIT_CELLS, 1.5 }, 0, &right));
	CHECK(divided(&(struct memory) { even, 100, SPLIT_CELLS, 2.5 }, 0, &right) == RUNS);
}

/* Adds an array. Returns its end. */
static size_t fill(double *count, size_t from, size_t cells, double mean)
{
	size_t i;

	for (i = 0; i < cells; i++)
		count[from + i] = draw(mean);
	return from + cells;
}

/* Is it within a cell? */
static bool is_at(size_t border, size_t cell)
{
	return border + 1 >= cell && border <= cell + 1;
}

/*
 * A small array between others, and one without samples. In one run of 40, a border is some cells
 * off, so this takes many: of a hundred, more than ten are wrong once in some 20,000 times.
 */
static void all_arrays_are_found(void)
{
	double count[SPLIT_CELLS];
	size_t border[SPLIT_CELLS], nr, at;
	unsigned int run, right = 0;

	for (run = 0; run < 4 * RUNS; run++) {
		at = fill(count, 0, 200, 4);
		at = fill(count, at, 12, 200);
		at = fill(count, at, 100, 20);
		at = fill(count, at, 150, 4);
		at = fill(count, at, SPLIT_CELLS - at, 0);
		nr = split_find(count, at, TIMES, border);
		right += nr == 5 && is_at(border[1], 200) && is_at(border[2], 212) &&
			 is_at(border[3], 312) && is_at(border[4], 462);
	}
	printf("# %u right\n", right);
	CHECK(right >= 4 * RUNS * 93 / 100);
}

/* A page with most of the samples, such as one with a lock, hides no array. */
static void one_hot_page_hides_nothing(void)
{
	double count[SPLIT_CELLS];
	size_t border[SPLIT_CELLS], nr;
	unsigned int run, right = 0;

	for (run = 0; run < RUNS; run++) {
		fill(count, 0, 128, 10);
		fill(count, 128, SPLIT_CELLS - 128, 1);
		count[tap_below(128)] = 1e6;
		nr = split_find(count, SPLIT_CELLS, TIMES, border);
		right += nr == 2 && is_at(border[1], 128);
	}
	CHECK(right >= RUNS * 9 / 10);
}

static void not_too_many(void)
{
	double count[SPLIT_CELLS];
	size_t border[SPLIT_CELLS], at = 0, i;

	for (i = 0; i < SPLIT_RANGES + 2; i++)
		at = fill(count, at, SPLIT_CELLS / (SPLIT_RANGES + 2), i % 2 ? 0 : 100);
	CHECK(split_find(count, at, TIMES, border) == SPLIT_RANGES);
	for (i = 1; i < SPLIT_RANGES; i++)
		CHECK(border[i] > border[i - 1] && border[i] < at);
	memset(count, 0, sizeof(count));
	CHECK(split_find(count, SPLIT_CELLS, TIMES, border) == 1 && !border[0]);
}

static const struct tap_test tests[] = {
	TAP_TEST(one_array_is_one_range),
	TAP_TEST(hot_array_is_a_range),
	TAP_TEST(little_difference_is_none),
	TAP_TEST(all_arrays_are_found),
	TAP_TEST(one_hot_page_hides_nothing),
	TAP_TEST(not_too_many),
};

int main(void)
{
	return tap_main(tests, ARRAY_SIZE(tests));
}
