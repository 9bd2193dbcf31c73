// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "lib/array.h"
#include "report/compare.h"
#include "report/split.h"
#include "hot.h"

/* What is hot has at least this share of the samples, and so many times that of the others. */
#define SHARE_LEAST	0.05
#define TIMES_LEAST	2
/* The probability that any mapping is told by mistake. */
#define WRONG		0.01

/**
 * struct counts - samples of all mappings
 * @heat: the heat map
 * @names: how many names the phases have
 * @mappings: how many mappings there are
 * @count: samples by mapping and name
 * @row: samples by row of the heat map and name
 * @mapping: by row, the number of its mapping; -1: not known
 * @all: samples by name, also those of no known mapping
 * @spread: as in struct phases
 */
struct counts {
	const struct heat *heat;
	unsigned int names;
	__u32 mappings;
	double *count;
	double *row;
	__s64 *mapping;
	double *all;
	double spread;
};

/**
 * struct cells - memory that may have ranges
 * @mapping: number of the mapping
 * @start: its first address
 * @end: the first address after it
 * @first: first address of the first cell, which is that of a row of the heat map
 * @bytes: bytes of a cell
 * @nr: how many cells there are
 */
struct cells {
	__u32 mapping;
	__u64 start;
	__u64 end;
	__u64 first;
	__u64 bytes;
	size_t nr;
};

static int by_address(const void *a, const void *b)
{
	const struct report_touched *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Is a page in a row of the heat map (0), or before it or behind it? */
static int compare_row(const struct heat *heat, const struct heat_row *row,
		       const struct report_touched *page)
{
	const __u64 chunk = page->addr >> heat->chunk_shift;

	if (page->space != row->space)
		return page->space < row->space ? -1 : 1;
	return chunk < row->chunk ? -1 : chunk > row->chunk;
}

/* The mapping of the hottest page of a row; -1: not known. @at: moves on to the next row. */
static __s64 mapping_of_row(const struct report *report, const struct heat_row *row, size_t *at)
{
	const struct report_touched *best = NULL;

	for (; *at < report->nr_touched; ++*at) {
		const struct report_touched *page = &report->touched[*at];
		const int where = compare_row(report->heat, row, page);

		if (where > 0)
			break;
		if (!where && (!best || page->count > best->count))
			best = page;
	}
	return best ? best->mapping : -1;
}

static void count(struct counts *counts, const struct phases *phases, struct report *report)
{
	const struct heat *heat = report->heat;
	unsigned int i, slice;
	size_t at = 0;
	double *row;
	__u32 r;

	qsort(report->touched, report->nr_touched, sizeof(*report->touched), by_address);
	for (r = 0; r < heat->nr_rows; r++) {
		counts->mapping[r] = mapping_of_row(report, &heat->row[r], &at);
		row = &counts->row[(size_t)r * counts->names];
		for (i = 0; i < phases->nr; i++) {
			const struct phase *phase = &phases->phase[i];
			double samples = 0;

			for (slice = phase->from; slice < phase->to; slice++)
				samples += heat_samples(heat, &heat->row[r], slice);
			counts->all[phase->name] += samples;
			row[phase->name] += samples;
		}
		for (i = 0; i < counts->names && counts->mapping[r] >= 0; i++)
			counts->count[counts->mapping[r] * counts->names + i] += row[i];
	}
}

static struct compare_side side_of(const struct counts *counts, unsigned int name, double samples)
{
	return (struct compare_side) {
		.samples = samples, .all = counts->all[name], .spread = counts->spread,
	};
}

/* Is it hot in the phases of one name alone? @samples: by name. */
static bool is_hot(const struct counts *counts, const double *samples, struct hot *hot)
{
	const struct compare_side here = side_of(counts, hot->name, samples[hot->name]);
	double tests = (double)counts->names * counts->mappings * (hot->end ? SPLIT_RANGES : 1);
	unsigned int other;

	hot->here = here.samples / here.all;
	for (other = 0; other < counts->names; other++) {
		const struct compare_side there = side_of(counts, other, samples[other]);
		const double share = there.samples / there.all;

		if (other == hot->name)
			continue;
		hot->elsewhere = fmax(hot->elsewhere, share);
		if (share > hot->here || compare_chance(&here, &there, TIMES_LEAST) > WRONG / tests)
			return false;
	}
	return counts->names > 1 && hot->here >= SHARE_LEAST;
}

static int by_share(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->here != y->here)
		return x->here > y->here ? -1 : 1;
	if (x->mapping != y->mapping)
		return x->mapping < y->mapping ? -1 : 1;
	return x->start < y->start ? -1 : 1;
}

static int add(struct hot_list *list, const struct hot *hot)
{
	struct hot *grown = array_grow(list->hot, list->nr, &list->room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->hot = grown;
	list->hot[list->nr++] = *hot;
	return 0;
}

/* Cuts a mapping into cells, none of which is smaller than a row of the heat map. */
static bool cut(struct cells *cells, const struct counts *counts, const struct tasks *tasks,
		__u32 mapping)
{
	const unsigned int shift = counts->heat->chunk_shift;
	__u64 start, end, chunks, each;

	if (!tasks_range(tasks, &tasks->mapping[mapping], &start, &end))
		return false;
	chunks = ((end - 1) >> shift) - (start >> shift) + 1;
	each = (chunks - 1) / SPLIT_CELLS + 1;
	*cells = (struct cells) {
		.mapping = mapping, .start = start, .end = end, .first = start >> shift << shift,
		.bytes = each << shift, .nr = (chunks - 1) / each + 1,
	};
	return true;
}

/* The cell of a row; -1: it is of another mapping. */
static __s64 cell_of(const struct counts *counts, const struct cells *cells, __u32 row)
{
	const __u64 addr = counts->heat->row[row].chunk << counts->heat->chunk_shift;

	if (counts->mapping[row] != cells->mapping || addr < cells->first ||
	    addr - cells->first >= cells->nr * cells->bytes)
		return -1;
	return (addr - cells->first) / cells->bytes;
}

/* Adds up the samples of a range by name. */
static void count_range(const struct counts *counts, const struct cells *cells, size_t from,
			size_t to, double *samples)
{
	unsigned int name;
	__s64 cell;
	__u32 r;

	for (name = 0; name < counts->names; name++)
		samples[name] = 0;
	for (r = 0; r < counts->heat->nr_rows; r++) {
		cell = cell_of(counts, cells, r);
		if (cell < (__s64)from || cell >= (__s64)to)
			continue;
		for (name = 0; name < counts->names; name++)
			samples[name] += counts->row[(size_t)r * counts->names + name];
	}
}

/* Adds the ranges of a mapping that are hot in the phases of one name alone. */
static int add_ranges(struct hot_list *list, const struct counts *counts,
		      const struct cells *cells, unsigned int name)
{
	double count[SPLIT_CELLS] = {}, samples[PHASES_NAMES];
	size_t border[SPLIT_CELLS], nr, i, to;
	__s64 cell;
	__u32 r;
	int ret = 0;

	for (r = 0; r < counts->heat->nr_rows; r++) {
		cell = cell_of(counts, cells, r);
		if (cell >= 0)
			count[cell] += counts->row[(size_t)r * counts->names + name];
	}
	nr = split_find(count, cells->nr, TIMES_LEAST, border);
	for (i = 0; i < nr && nr > 1 && !ret; i++) {
		struct hot hot = { .name = name, .mapping = cells->mapping };

		to = i + 1 < nr ? border[i + 1] : cells->nr;
		hot.start = max(cells->first + border[i] * cells->bytes, cells->start);
		hot.end = min(cells->first + to * cells->bytes, cells->end);
		count_range(counts, cells, border[i], to, samples);
		if (is_hot(counts, samples, &hot))
			ret = add(list, &hot);
	}
	return ret;
}

static int list_all(struct hot_list *list, const struct counts *counts, const struct tasks *tasks)
{
	struct cells cells;
	unsigned int name;
	__u32 mapping;
	int ret = 0;

	for (name = 0; name < counts->names; name++)
		for (mapping = 0; mapping < counts->mappings && !ret; mapping++) {
			const double *samples = &counts->count[(size_t)mapping * counts->names];
			struct hot hot = { .name = name, .mapping = mapping };

			if (is_hot(counts, samples, &hot))
				ret = add(list, &hot);
			else if (counts->names > 1 &&
				 samples[name] >= SHARE_LEAST * counts->all[name] &&
				 cut(&cells, counts, tasks, mapping))
				ret = add_ranges(list, counts, &cells, name);
		}
	if (list->nr)
		qsort(list->hot, list->nr, sizeof(*list->hot), by_share);
	return ret;
}

int hot_find(struct hot_list *list, const struct phases *phases, struct report *report)
{
	const __u32 mappings = report->tasks.nr_mappings;
	const size_t rows = report->heat->nr_rows;
	struct counts counts = {
		.heat = report->heat,
		.names = phases->names, .mappings = mappings, .spread = phases->spread,
		.count = calloc((size_t)phases->names * mappings + 1, sizeof(*counts.count)),
		.row = calloc(phases->names * rows, sizeof(*counts.row)),
		.mapping = calloc(rows, sizeof(*counts.mapping)),
		.all = calloc(phases->names, sizeof(*counts.all)),
	};
	int ret = -ENOMEM;

	*list = (struct hot_list) {};
	if (counts.count && counts.row && counts.mapping && counts.all) {
		count(&counts, phases, report);
		ret = list_all(list, &counts, &report->tasks);
	}
	free(counts.count);
	free(counts.row);
	free(counts.mapping);
	free(counts.all);
	return ret;
}
