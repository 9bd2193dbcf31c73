// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "report/compare.h"
#include "hot.h"

/* What is hot has at least this share of the samples, and so many times that of the others. */
#define SHARE_LEAST	0.05
#define TIMES_LEAST	2
/* The probability that any mapping is told by mistake. */
#define WRONG		0.01

/**
 * struct counts - samples of all mappings
 * @names: how many names the phases have
 * @mappings: how many mappings there are
 * @count: samples by name and mapping
 * @all: samples by name, also those of no known mapping
 * @spread: as in struct phases
 */
struct counts {
	unsigned int names;
	__u32 mappings;
	double *count;
	double *all;
	double spread;
};

static double *count_of(const struct counts *counts, unsigned int name, __u32 mapping)
{
	return &counts->count[(size_t)name * counts->mappings + mapping];
}

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
	__u32 r;

	qsort(report->touched, report->nr_touched, sizeof(*report->touched), by_address);
	for (r = 0; r < heat->nr_rows; r++) {
		const __s64 mapping = mapping_of_row(report, &heat->row[r], &at);

		for (i = 0; i < phases->nr; i++) {
			const struct phase *phase = &phases->phase[i];
			double samples = 0;

			for (slice = phase->from; slice < phase->to; slice++)
				samples += heat_samples(heat, &heat->row[r], slice);
			counts->all[phase->name] += samples;
			if (mapping >= 0)
				*count_of(counts, phase->name, mapping) += samples;
		}
	}
}

static struct compare_side side_of(const struct counts *counts, unsigned int name, __u32 mapping)
{
	return (struct compare_side) {
		.samples = *count_of(counts, name, mapping), .all = counts->all[name],
		.spread = counts->spread,
	};
}

/* Is it hot in the phases of one name alone? */
static bool is_hot(const struct counts *counts, struct hot *hot)
{
	const struct compare_side here = side_of(counts, hot->name, hot->mapping);
	double tests = (double)counts->names * counts->mappings;
	unsigned int other;

	hot->here = here.samples / here.all;
	for (other = 0; other < counts->names; other++) {
		const struct compare_side there = side_of(counts, other, hot->mapping);
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
	return x->mapping < y->mapping ? -1 : 1;
}

static void list_all(struct hot_list *list, const struct counts *counts)
{
	unsigned int name;
	__u32 mapping;

	for (name = 0; name < counts->names; name++)
		for (mapping = 0; mapping < counts->mappings; mapping++) {
			struct hot hot = { .name = name, .mapping = mapping };

			if (is_hot(counts, &hot))
				list->hot[list->nr++] = hot;
		}
	qsort(list->hot, list->nr, sizeof(*list->hot), by_share);
}

int hot_find(struct hot_list *list, const struct phases *phases, struct report *report)
{
	const __u32 mappings = report->tasks.nr_mappings;
	struct counts counts = {
		.names = phases->names, .mappings = mappings, .spread = phases->spread,
		.count = calloc((size_t)phases->names * mappings + 1, sizeof(*counts.count)),
		.all = calloc(phases->names, sizeof(*counts.all)),
	};
	int ret = -ENOMEM;

	/* A mapping is hot in the phases of one name at most. */
	*list = (struct hot_list) { .hot = calloc(mappings + 1UL, sizeof(*list->hot)) };
	if (counts.count && counts.all && list->hot) {
		count(&counts, phases, report);
		list_all(list, &counts);
		ret = 0;
	}
	free(counts.count);
	free(counts.all);
	return ret;
}
