// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "ranges.h"
#include "report.h"
#include "split.h"

/* Mappings with fewer samples are not divided. */
#define SAMPLES_LEAST	100
/* Neighbouring ranges differ by this factor at least. */
#define TIMES_LEAST	2
/* Most mappings that are divided, for bounded memory and time. */
#define MAPPINGS_MOST	1024

/**
 * struct cells - a mapping that is being divided
 * @mapping: the mapping
 * @start: its first address
 * @end: the first address after it
 * @bytes: bytes of a cell
 * @nr: how many cells there are
 * @used: the cell is of this mapping
 * @count: counts of its pages
 */
struct cells {
	struct mapping *mapping;
	__u64 start;
	__u64 end;
	__u64 bytes;
	size_t nr;
	bool used[SPLIT_CELLS];
	double count[SPLIT_CELLS];
};

/**
 * struct work - what is being divided
 * @report: the report
 * @cells: the mappings
 * @nr: how many there are
 * @index: by number of a mapping, that of its cells plus 1; 0: not divided
 */
struct work {
	struct report *report;
	struct cells *cells;
	size_t nr;
	__u32 *index;
};

static bool can_divide(const struct tasks *tasks, const struct mapping *mapping,
		       struct cells *cells)
{
	return mapping->samples >= SAMPLES_LEAST &&
	       tasks_range(tasks, mapping, &cells->start, &cells->end);
}

static int by_samples(const void *a, const void *b, void *arg)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;
	const struct mapping *mapping = arg;

	if (mapping[x].samples != mapping[y].samples)
		return mapping[x].samples > mapping[y].samples ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* What another mapping has cut out of it is not cold. Not known if the process is gone. */
static void find_used(const struct tasks *tasks, struct cells *cells)
{
	const struct space *space = &tasks->space[cells->mapping->space];
	const struct vma *vma;
	__u64 addr = cells->start;
	size_t i;

	for (i = 0; i < cells->nr; i++)
		cells->used[i] = space->partial;
	while ((vma = vmas_next(&tasks->vmas, space->vmas, addr)) && vma->start < cells->end) {
		if (vma->name == cells->mapping->number)
			for (i = (max(vma->start, cells->start) - cells->start) / cells->bytes;
			     i < cells->nr && cells->start + i * cells->bytes < vma->end; i++)
				cells->used[i] = true;
		addr = vma->end;
	}
}

static void cut(struct cells *cells)
{
	const __u64 pages = (cells->end - cells->start - 1) / 4096 + 1;
	const __u64 each = (pages - 1) / SPLIT_CELLS + 1;

	cells->bytes = each * 4096;
	cells->nr = (pages - 1) / each + 1;
}

/* Chooses what is divided. */
static int choose(struct work *work, __u32 most)
{
	struct tasks *tasks = &work->report->tasks;
	__u32 *number = malloc((tasks->nr_mappings + 1UL) * sizeof(*number)), nr = 0, i;
	struct cells cells;

	work->index = calloc(tasks->nr_mappings + 1UL, sizeof(*work->index));
	if (number && work->index) {
		for (i = 0; i < tasks->nr_mappings; i++)
			if (can_divide(tasks, &tasks->mapping[i], &cells))
				number[nr++] = i;
		qsort_r(number, nr, sizeof(*number), by_samples, tasks->mapping);
		nr = min_t(__u32, nr, most && most < MAPPINGS_MOST ? most : MAPPINGS_MOST);
		work->cells = calloc(nr + 1UL, sizeof(*work->cells));
	}
	for (i = 0; i < nr && work->cells; i++) {
		struct cells *made = &work->cells[work->nr++];

		can_divide(tasks, &tasks->mapping[number[i]], made);
		made->mapping = &tasks->mapping[number[i]];
		cut(made);
		find_used(tasks, made);
		work->index[number[i]] = work->nr;
	}
	free(number);
	return work->cells ? 0 : -ENOMEM;
}

static void count_in_cell(const struct work *work, struct cells *cells, __u64 addr, u32 count)
{
	const __u64 cell = (addr - cells->start) / cells->bytes;

	if (cell < cells->nr)
		cells->count[cell] += count;
}

static void count_in_range(const struct work *work, struct cells *cells, __u64 addr, u32 count)
{
	const unsigned int hot = work->report->hist[HTMM_UNIT_PAGE].hot_threshold;
	struct mapping *mapping = cells->mapping;
	__u32 i;

	for (i = 0; i < mapping->nr_ranges; i++) {
		struct mapping_range *range = &mapping->ranges[i];

		if (addr < range->start || addr >= range->end)
			continue;
		range->samples += count;
		range->pages++;
		range->hot_pages += htmm_hist_bin(count) >= hot;
	}
}

/* The cells of an address; NULL: it is not divided. @vma: the range of the last one, or NULL. */
static struct cells *cells_of(const struct work *work, __u32 space, __u64 addr,
			      const struct vma **vma)
{
	const struct tasks *tasks = &work->report->tasks;
	const struct mapping *mapping;
	__u32 index;

	if (!*vma || addr < (*vma)->start || addr >= (*vma)->end)
		*vma = vmas_find(&tasks->vmas, tasks->space[space].vmas, addr);
	mapping = *vma ? tasks_sampled(tasks, space, (*vma)->name) : NULL;
	index = mapping ? work->index[mapping - tasks->mapping] : 0;
	return index ? &work->cells[index - 1] : NULL;
}

/* Calls a function for each page with a count. */
static int each_page(const struct work *work,
		     void (*use)(const struct work *work, struct cells *cells, __u64 addr,
				 u32 count))
{
	struct store *store = work->report->store;
	u32 count[HTMM_REGION_PAGES], nr, i, page;
	struct htmm_topn_entry *regions = store_list(store, HTMM_UNIT_REGION, 0, &nr);

	if (!regions)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct vma *vma = NULL;

		htmm_table_counts(&store->table, regions[i].space, regions[i].vpn, count, NULL);
		for (page = 0; page < HTMM_REGION_PAGES; page++) {
			const __u64 addr = (regions[i].vpn + page) << 12;
			struct cells *cells;

			cells = count[page] ? cells_of(work, regions[i].space, addr, &vma) : NULL;
			if (cells)
				use(work, cells, addr, count[page]);
		}
	}
	free(regions);
	return 0;
}

/* Sets the ranges of a mapping; an edge that is near a border of the mapping's history is there. */
static struct mapping_range *divide(const struct tasks *tasks, const struct cells *cells,
				    struct mapping_range *range)
{
	size_t border[SPLIT_CELLS], cell[SPLIT_CELLS], used = 0, nr, i;
	double count[SPLIT_CELLS];

	for (i = 0; i < cells->nr; i++)
		if (cells->used[i]) {
			cell[used] = i;
			count[used++] = cells->count[i];
		}
	nr = used ? split_find(count, used, TIMES_LEAST, border) : 0;
	if (nr < 2)
		return range;
	cells->mapping->ranges = range;
	cells->mapping->nr_ranges = nr;
	for (i = 0; i < nr; i++, range++) {
		const size_t first = cell[border[i]];
		const size_t last = cell[(i + 1 < nr ? border[i + 1] : used) - 1];
		const __u64 edge = cells->start + (last + 1) * cells->bytes;
		const __u64 known = tasks_border(tasks, edge, cells->bytes);

		range->start = cells->start + first * cells->bytes;
		if (i && first == cell[border[i] - 1] + 1)
			range->start = range[-1].end;
		range->end = known > range->start ? known : edge;
	}
	range[-1].end = min(range[-1].end, cells->end);
	return range;
}

/* Counts become samples: if they were halved, all ranges have lost the same part. */
static void scale(struct mapping *mapping)
{
	double all = 0, before = 0;
	__u64 given = 0;
	__u32 i;

	for (i = 0; i < mapping->nr_ranges; i++)
		all += mapping->ranges[i].samples;
	for (i = 0; i < mapping->nr_ranges; i++) {
		struct mapping_range *range = &mapping->ranges[i];
		__u64 end;

		before += range->samples;
		end = all ? mapping->samples * (before / all) + 0.5 : 0;
		range->samples = end - given;
		given = end;
	}
}

int report_ranges(struct report *report, __u32 most)
{
	struct work work = { .report = report };
	struct mapping_range *next;
	size_t i;
	int ret = choose(&work, most);

	if (!ret && work.nr)
		ret = each_page(&work, count_in_cell);
	report->ranges = calloc(work.nr * SPLIT_RANGES + 1, sizeof(*report->ranges));
	if (!report->ranges)
		ret = -ENOMEM;
	for (i = 0, next = report->ranges; i < work.nr && !ret; i++)
		next = divide(&report->tasks, &work.cells[i], next);
	if (!ret && next != report->ranges)
		ret = each_page(&work, count_in_range);
	for (i = 0; i < work.nr && !ret; i++)
		scale(work.cells[i].mapping);
	free(work.cells);
	free(work.index);
	return ret;
}
