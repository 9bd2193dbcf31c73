// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "phases.h"

/* The probability that a recording without phases has more than one. */
#define WRONG		0.01
/* Blocks: so many if each has enough samples, or more if it has enough in each window. */
#define BLOCKS_USUAL	16
#define BLOCKS_MOST	256
#define BLOCK_SAMPLES	50
/* Likewise of windows: bursts that are longer than a window would look like phases. */
#define WINDOW_SAMPLES	20
/* The chi-squared distribution holds for so many samples in a block of a phase (Cochran 1954). */
#define PHASE_SAMPLES	5

/**
 * struct grid - samples by window and block
 * @windows: number of windows
 * @slices: slices of the heat map in each
 * @blocks: number of blocks
 * @before: samples before a window, by window and block; one window more than there are
 * @least: samples of the shortest parts that can be told apart
 * @spread: how many times more than by chance they vary
 * @limit: differences that are larger are more than chance
 */
struct grid {
	unsigned int windows;
	unsigned int slices;
	unsigned int blocks;
	double *before;
	double least;
	double spread;
	double limit;
};

/* The windows in which one phase becomes another are in themselves none. */
#define NAMELESS	(~0U)

/**
 * struct parts - parts of the time, which become phases
 * @nr: how many there are
 * @border: the windows at which they begin; the last one is the end
 * @name: the part that each is like, or its own number; NAMELESS: it is too short
 * @count: samples by part and block, also of all that are like it
 * @all: samples by part
 * @differ: how much two parts differ: 1 is just enough
 */
struct parts {
	unsigned int nr;
	unsigned int *border;
	unsigned int *name;
	double *count;
	double *all;
	double *differ;
};

static double *row_of(const struct grid *grid, unsigned int window)
{
	return &grid->before[(size_t)window * grid->blocks];
}

static __u64 all_samples(const struct heat *heat)
{
	__u64 all = 0;
	__u32 i;

	for (i = 0; i < heat->nr_rows; i++)
		all += heat->row[i].samples;
	return all;
}

/* Adds neighbouring rows up to blocks: a row that is hot is one by itself. */
static void fill(struct grid *grid, const struct heat *heat, __u64 all)
{
	const unsigned int slices = heat_slices(heat), most = grid->blocks;
	unsigned int block = 0, slice, last = 0, i;
	__u64 passed = 0;
	__u32 r;

	for (r = 0; r < heat->nr_rows; r++) {
		const unsigned int due = (double)passed / all * most;

		block += due != last;
		last = due;
		passed += heat->row[r].samples;
		for (slice = 0; slice < slices; slice++)
			row_of(grid, slice / grid->slices + 1)[block] +=
				heat_samples(heat, &heat->row[r], slice);
	}
	for (i = most; i < (grid->windows + 1) * most; i++)
		grid->before[i] += grid->before[i - most];
}

/* Samples of a block in some windows. */
static double samples_of(const struct grid *grid, unsigned int from, unsigned int to,
			 unsigned int block)
{
	return row_of(grid, to)[block] - row_of(grid, from)[block];
}

static double samples_in(const struct grid *grid, unsigned int from, unsigned int to)
{
	double all = 0;
	unsigned int i;

	for (i = 0; i < grid->blocks; i++)
		all += samples_of(grid, from, to, i);
	return all;
}

/*
 * How much two neighbouring parts vary, in proportion to the median of what would be chance: that
 * of the chi-squared distribution is by Wilson and Hilferty (1931). 0: not known.
 */
static double spread_of_pair(const struct grid *grid, unsigned int at, unsigned int width)
{
	const double a = samples_in(grid, at, at + width);
	const double b = samples_in(grid, at + width, at + 2 * width);
	double squares = 0, used = 0;
	unsigned int i;

	for (i = 0; i < grid->blocks && a && b; i++) {
		const double x = samples_of(grid, at, at + width, i);
		const double y = samples_of(grid, at + width, at + 2 * width, i);
		const double off = x * b - y * a;

		if (!(x + y))
			continue;
		squares += off * off / (a * b * (x + y));
		used++;
	}
	if (used < 2)
		return 0;
	return squares / (used - 1) / pow(1 - 2 / (9 * (used - 1)), 3);
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Between two phases, parts vary more; so the median is of those that are in the same one. */
static double spread_of(const struct grid *grid, unsigned int width, double *pair)
{
	unsigned int i, nr = 0;

	for (i = 0; i + 2 * width <= grid->windows; i++) {
		pair[nr] = spread_of_pair(grid, i, width);
		nr += pair[nr] > 0;
	}
	qsort(pair, nr, sizeof(*pair), by_value);
	return nr ? pair[nr / 2] : 1;
}

/* Bursts that are longer than a window show only in wider parts. */
static int measure(struct grid *grid)
{
	const double d = grid->blocks - 1;
	const double x = log((double)grid->windows * grid->windows / WRONG);
	double *pair = calloc(grid->windows, sizeof(*pair));

	if (!pair)
		return -ENOMEM;
	grid->spread = fmax(1, fmax(spread_of(grid, 1, pair), spread_of(grid, 2, pair)));
	grid->limit = (d + 2 * sqrt(d * x) + 2 * x) * grid->spread;
	free(pair);
	return 0;
}

static int grid_make(struct grid *grid, const struct heat *heat, unsigned int windows)
{
	const unsigned int slices = heat_slices(heat);
	const __u64 all = all_samples(heat);

	windows = fmax(2, fmin(windows, all / WINDOW_SAMPLES));
	grid->slices = (slices + windows - 1) / windows ?: 1;
	grid->windows = (slices + grid->slices - 1) / grid->slices;
	grid->blocks = fmax(2, fmin(BLOCKS_USUAL, all / BLOCK_SAMPLES));
	grid->blocks = fmax(grid->blocks, fmin(BLOCKS_MOST, all / (grid->windows * PHASE_SAMPLES)));
	grid->least = grid->blocks * PHASE_SAMPLES;
	grid->before = calloc((grid->windows + 1UL) * grid->blocks, sizeof(*grid->before));
	if (!grid->before)
		return -ENOMEM;
	fill(grid, heat, all);
	return measure(grid);
}

static double xlogx(double x)
{
	return x > 0 ? x * log(x) : 0;
}

/* What a phase costs: the less, the more its samples are in few blocks. */
static double cost(const struct grid *grid, unsigned int from, unsigned int to)
{
	double all = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < grid->blocks; i++) {
		const double samples = samples_of(grid, from, to, i);

		all += samples;
		sum += xlogx(samples);
	}
	if (all < grid->least && to - from < grid->windows)
		return INFINITY;
	return 2 * (xlogx(all) - sum) + grid->limit;
}

/* Finds the borders that cost least. @before: the border before the best one, for each. */
static int divide(const struct grid *grid, unsigned int *before)
{
	double *best = calloc(grid->windows + 1UL, sizeof(*best));
	unsigned int from, to;

	if (!best)
		return -ENOMEM;
	for (to = 1; to <= grid->windows; to++) {
		best[to] = INFINITY;
		for (from = 0; from < to; from++) {
			const double with = isinf(best[from]) ? INFINITY :
					    best[from] + cost(grid, from, to);

			if (with < best[to]) {
				best[to] = with;
				before[to] = from;
			}
		}
	}
	free(best);
	return 0;
}

/* By how much two parts differ; below 1, it may be chance, or is less than the margin. */
static double differ(const struct grid *grid, const struct parts *parts, double margin,
		     unsigned int i, unsigned int j)
{
	const double *a = &parts->count[(size_t)i * grid->blocks];
	const double *b = &parts->count[(size_t)j * grid->blocks];
	const double all_a = parts->all[i], all_b = parts->all[j];
	double squares = 0, elsewhere = 0;
	unsigned int k;

	for (k = 0; k < grid->blocks; k++) {
		const double off = a[k] / all_a - b[k] / all_b;

		if (a[k] + b[k] > 0)
			squares += off * off * all_a * all_b / (a[k] + b[k]);
		elsewhere += fabs(off) / 2;
	}
	return fmin(squares / grid->limit, margin ? elsewhere / margin : INFINITY);
}

static double *differ_at(const struct parts *parts, unsigned int i, unsigned int j)
{
	return &parts->differ[(size_t)i * parts->nr + j];
}

static void compare(const struct grid *grid, const struct parts *parts, double margin,
		    unsigned int i)
{
	unsigned int j;

	for (j = 0; j < parts->nr; j++)
		if (j != i && parts->name[j] == j)
			*differ_at(parts, i, j) = *differ_at(parts, j, i) =
				differ(grid, parts, margin, i, j);
}

static void parts_free(struct parts *parts)
{
	free(parts->border);
	free(parts->name);
	free(parts->count);
	free(parts->all);
	free(parts->differ);
}

static int parts_make(struct parts *parts, const struct grid *grid)
{
	unsigned int *before = calloc(grid->windows + 1UL, sizeof(*before)), at, i, k;
	const double samples = samples_in(grid, 0, grid->windows);
	const unsigned int shortest = ceil(grid->least * grid->windows / samples);

	*parts = (struct parts) {};
	if (!before || divide(grid, before)) {
		free(before);
		return -ENOMEM;
	}
	for (at = grid->windows; at; at = before[at])
		parts->nr++;
	parts->border = calloc(parts->nr + 1UL, sizeof(*parts->border));
	parts->name = calloc(parts->nr, sizeof(*parts->name));
	parts->count = calloc((size_t)parts->nr * grid->blocks, sizeof(*parts->count));
	parts->all = calloc(parts->nr, sizeof(*parts->all));
	parts->differ = calloc((size_t)parts->nr * parts->nr, sizeof(*parts->differ));
	if (!parts->border || !parts->name || !parts->count || !parts->all || !parts->differ) {
		free(before);
		return -ENOMEM;
	}
	for (at = grid->windows, i = parts->nr; i; at = before[at])
		parts->border[i--] = at;
	free(before);
	for (i = 0; i < parts->nr; i++) {
		parts->name[i] = parts->border[i + 1] - parts->border[i] > shortest ? i : NAMELESS;
		for (k = 0; k < grid->blocks; k++)
			parts->count[i * grid->blocks + k] =
				samples_of(grid, parts->border[i], parts->border[i + 1], k);
		parts->all[i] = samples_in(grid, parts->border[i], parts->border[i + 1]);
	}
	return 0;
}

/* Gives what is like @j the name of @i. */
static void join(struct parts *parts, const struct grid *grid, unsigned int i, unsigned int j)
{
	unsigned int k;

	for (k = 0; k < grid->blocks; k++)
		parts->count[i * grid->blocks + k] += parts->count[j * grid->blocks + k];
	parts->all[i] += parts->all[j];
	for (k = 0; k < parts->nr; k++)
		if (parts->name[k] == j)
			parts->name[k] = i;
}

/* Finds the two names that are most alike. Returns by how much they differ. */
static double most_alike(const struct parts *parts, unsigned int *first, unsigned int *second)
{
	double least = INFINITY;
	unsigned int i, j;

	for (i = 0; i < parts->nr; i++)
		for (j = i + 1; j < parts->nr; j++) {
			if (parts->name[i] != i || parts->name[j] != j ||
			    *differ_at(parts, i, j) >= least)
				continue;
			least = *differ_at(parts, i, j);
			*first = i;
			*second = j;
		}
	return least;
}

/* Gives all names but those of parts that are too short. */
static void name_parts(struct parts *parts, const struct grid *grid, double margin)
{
	unsigned int names = 0, i, j = 0;

	for (i = 0; i < parts->nr; i++) {
		names += parts->name[i] == i;
		compare(grid, parts, margin, i);
	}
	for (; names > 1; names--) {
		if (most_alike(parts, &i, &j) >= 1 && names <= PHASES_NAMES)
			break;
		join(parts, grid, i, j);
		compare(grid, parts, margin, i);
	}
}

/* A part that is too short belongs to the phase before it or behind it. */
static void name_rest(struct parts *parts, const struct grid *grid)
{
	unsigned int i, next, before = NAMELESS;

	for (i = 0; i < parts->nr; i++) {
		for (next = i; next < parts->nr && parts->name[next] == NAMELESS;)
			next++;
		if (next == parts->nr)
			parts->name[i] = before == NAMELESS ? 0 : before;
		else if (next > i)
			parts->name[i] = before == NAMELESS ||
					 differ(grid, parts, 0, i, parts->name[next]) <
					 differ(grid, parts, 0, i, before) ?
					 parts->name[next] : before;
		before = parts->name[i];
	}
}

/* Neighbours of the same name are one phase. */
static int list(struct phases *phases, const struct parts *parts, const struct grid *grid,
		unsigned int slices)
{
	unsigned int *named = calloc(parts->nr, sizeof(*named)), i;

	phases->phase = calloc(parts->nr, sizeof(*phases->phase));
	if (!phases->phase || !named) {
		free(named);
		return -ENOMEM;
	}
	for (i = 0; i < parts->nr; i++) {
		const unsigned int end = parts->border[i + 1] * grid->slices;
		struct phase *phase = &phases->phase[phases->nr];

		if (!named[parts->name[i]])
			named[parts->name[i]] = ++phases->names;
		if (!phases->nr || phase[-1].name != named[parts->name[i]] - 1) {
			phases->nr++;
			phase->name = named[parts->name[i]] - 1;
			phase->from = parts->border[i] * grid->slices;
		} else {
			phase--;
		}
		phase->to = end < slices ? end : slices;
		phase->samples += samples_in(grid, parts->border[i], parts->border[i + 1]);
	}
	free(named);
	return 0;
}

int phases_find(struct phases *phases, const struct heat *heat,
		const struct phases_config *config)
{
	struct grid grid = {};
	struct parts parts = {};
	int ret;

	*phases = (struct phases) {};
	ret = grid_make(&grid, heat, config->windows);
	if (!ret)
		ret = parts_make(&parts, &grid);
	if (!ret) {
		name_parts(&parts, &grid, config->margin);
		name_rest(&parts, &grid);
		ret = list(phases, &parts, &grid, heat_slices(heat));
		phases->slices = grid.slices;
		phases->spread = grid.spread;
	}
	parts_free(&parts);
	free(grid.before);
	if (ret)
		phases_free(phases);
	return ret;
}

void phases_free(struct phases *phases)
{
	free(phases->phase);
	*phases = (struct phases) {};
}
