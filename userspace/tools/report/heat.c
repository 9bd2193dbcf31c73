// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "shim/deps.h"
#include "perfdata/huge.h"
#include "heat.h"

/* About a microsecond, finer than any useful recording needs. */
#define SLICE_SHIFT	10
/* Rows of 16 GiB: coarser ones would show nothing. */
#define CHUNK_SHIFT_MAX	34
/* Slots of the hash table of rows; at most half of them are used. */
#define SLOTS		(2 * HEAT_ROWS)

struct heat *heat_new(void)
{
	struct heat *heat = calloc(1, sizeof(*heat));

	if (!heat)
		return NULL;
	heat->slice_shift = SLICE_SHIFT;
	heat->chunk_shift = HEAT_PAGE_SHIFT;
	heat->row = calloc(HEAT_ROWS, sizeof(*heat->row));
	heat->slot = calloc(SLOTS, sizeof(*heat->slot));
	heat->cell = huge_map(HEAT_SLICES * sizeof(*heat->cell));
	heat->sketch = calloc(HEAT_SLICES, sizeof(*heat->sketch));
	if (!heat->row || !heat->slot || !heat->cell || !heat->sketch) {
		heat_free(heat);
		return NULL;
	}
	return heat;
}

/* Half the length: a file's length is right within a factor of 2. */
void heat_expect(struct heat *heat, __u64 length)
{
	while (length / 2 >> heat->slice_shift >= HEAT_SLICES)
		heat->slice_shift++;
}

void heat_free(struct heat *heat)
{
	if (!heat)
		return;
	free(heat->row);
	free(heat->slot);
	if (heat->cell)
		munmap(heat->cell, HEAT_SLICES * sizeof(*heat->cell));
	free(heat->sketch);
	free(heat);
}

static __u32 hash(__u32 space, __u64 chunk)
{
	__u64 key = chunk ^ (__u64)space << 40;

	return (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL >> 32 & (SLOTS - 1);
}

/* Finds the slot of a row, or the empty slot for it. A slot holds the row's number plus 1. */
static __u16 *find_slot(const struct heat *heat, __u32 space, __u64 chunk)
{
	__u32 at = hash(space, chunk);

	while (heat->slot[at]) {
		const struct heat_row *row = &heat->row[heat->slot[at] - 1];

		if (row->space == space && row->chunk == chunk)
			break;
		at = (at + 1) & (SLOTS - 1);
	}
	return &heat->slot[at];
}

/**
 * struct pairs - pairs of rows to merge
 * @first: column of one row
 * @second: column of the other one, or the column that stays 0 if there is none
 */
struct pairs {
	__u16 first[HEAT_ROWS];
	__u16 second[HEAT_ROWS];
};

/* Makes rows of chunks twice as large, and notes which rows each is made of. */
static void pair_rows(struct heat *heat, struct pairs *pairs)
{
	__u32 nr = heat->nr_rows, i;
	__u16 *slot;

	memset(heat->slot, 0, SLOTS * sizeof(*heat->slot));
	heat->chunk_shift++;
	heat->nr_rows = 0;
	for (i = 0; i < nr; i++) {
		struct heat_row row = heat->row[i];

		row.chunk >>= 1;
		slot = find_slot(heat, row.space, row.chunk);
		if (*slot) {
			pairs->second[*slot - 1] = i;
			continue;
		}
		pairs->first[heat->nr_rows] = i;
		pairs->second[heat->nr_rows] = HEAT_ROWS;
		row.column = heat->nr_rows;
		heat->row[heat->nr_rows++] = row;
		*slot = heat->nr_rows;
	}
}

/* Doubles the chunk size. No row moves up, so each is read before it is overwritten. */
static void widen_chunks(struct heat *heat)
{
	unsigned int used = heat_slices(heat), slice;
	__u32 before = heat->nr_rows, i;
	struct pairs pairs;

	pair_rows(heat, &pairs);
	for (slice = 0; slice < used; slice++) {
		__u32 *cell = heat->cell[slice];

		for (i = 0; i < heat->nr_rows; i++)
			cell[i] = cell[pairs.first[i]] + cell[pairs.second[i]];
		memset(cell + i, 0, (before - i) * sizeof(*cell));
	}
}

/* The number of a row, or HEAT_ROWS if there is no room for it. */
static __u32 get_row(struct heat *heat, __u32 space, __u64 addr)
{
	__u64 chunk = addr >> heat->chunk_shift;
	__u16 *slot = find_slot(heat, space, chunk);

	if (*slot)
		return *slot - 1;
	if (heat->nr_rows == HEAT_ROWS) {
		if (heat->chunk_shift == CHUNK_SHIFT_MAX)
			return HEAT_ROWS;
		/* Leave a quarter free, so that this is not done for each new row. */
		while (heat->nr_rows > HEAT_ROWS / 4 * 3 && heat->chunk_shift < CHUNK_SHIFT_MAX)
			widen_chunks(heat);
		return get_row(heat, space, addr);
	}
	heat->row[heat->nr_rows] = (struct heat_row) {
		.chunk = chunk, .space = space, .column = heat->nr_rows,
	};
	*slot = ++heat->nr_rows;
	return *slot - 1;
}

__u32 heat_find_row(struct heat *heat, __u32 space, __u64 addr)
{
	__u32 row = get_row(heat, space, addr);

	heat->here.begin = addr >> heat->chunk_shift << heat->chunk_shift;
	heat->here.len = 1ULL << heat->chunk_shift;
	heat->here.space = space;
	heat->here.row = row;
	return row;
}

/* Merges the cells of two slices. */
static void join_cells(struct heat *heat, unsigned int i)
{
	__u32 *a = heat->cell[i], *b = heat->cell[i + 1];
	__u32 r;

	for (r = 0; r < heat->nr_rows; r++)
		a[r] += b[r];
	if (i)
		memcpy(heat->cell[i / 2], a, heat->nr_rows * sizeof(*a));
}

/* Merges two working sets. */
static void join_sketches(struct heat *heat, unsigned int i)
{
	__u8 *a = heat->sketch[i], *b = heat->sketch[i + 1];
	unsigned int j;

	for (j = 0; j < HEAT_SKETCH_SIZE; j++)
		a[j] = a[j] > b[j] ? a[j] : b[j];
	if (i)
		memcpy(heat->sketch[i / 2], a, HEAT_SKETCH_SIZE);
}

static void clear_slice(struct heat *heat, unsigned int i)
{
	heat->slice_samples[i] = 0;
	memset(heat->cell[i], 0, heat->nr_rows * sizeof(**heat->cell));
	memset(heat->sketch[i], 0, HEAT_SKETCH_SIZE);
}

/* Doubles the slice width; only slices so far have data. */
static void widen_slices(struct heat *heat)
{
	unsigned int used = heat_slices(heat), i;

	for (i = 0; i < used; i += 2) {
		heat->slice_samples[i / 2] = heat->slice_samples[i] + heat->slice_samples[i + 1];
		join_cells(heat, i);
		join_sketches(heat, i);
	}
	for (i = (used + 1) / 2; i < used; i++)
		clear_slice(heat, i);
	heat->slice_shift++;
}

void heat_find_slice(struct heat *heat, __u64 time)
{
	__u64 since;

	if (!heat->begun) {
		heat->begun = true;
		heat->start = time;
		heat->last = time;
	}
	since = time > heat->start ? time - heat->start : 0;
	while (since >> heat->slice_shift >= HEAT_SLICES)
		widen_slices(heat);
	heat->now.slice = since >> heat->slice_shift;
	heat->now.begin = heat->start + ((__u64)heat->now.slice << heat->slice_shift);
	heat->now.len = 1ULL << heat->slice_shift;
}

static int by_address(const void *a, const void *b)
{
	const struct heat_row *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

void heat_sort(struct heat *heat)
{
	unsigned int used = heat_slices(heat), slice;
	__u32 i;

	for (slice = 0; slice < used; slice++)
		for (i = 0; i < heat->nr_rows; i++)
			heat->row[i].samples += heat->cell[slice][i];
	qsort(heat->row, heat->nr_rows, sizeof(*heat->row), by_address);
}

unsigned int heat_slices(const struct heat *heat)
{
	return heat->begun ? ((heat->last - heat->start) >> heat->slice_shift) + 1 : 0;
}

__u64 heat_working_set(const struct heat *heat, unsigned int from, unsigned int to)
{
	const double size = HEAT_SKETCH_SIZE;
	unsigned int j, i, empty = 0;
	double sum = 0, estimate;
	__u64 samples = 0;

	for (j = 0; j < HEAT_SKETCH_SIZE; j++) {
		__u8 most = 0;

		for (i = from; i < to; i++)
			if (heat->sketch[i][j] > most)
				most = heat->sketch[i][j];
		sum += ldexp(1, -most);
		empty += !most;
	}
	estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum;
	/* A small number is estimated better from the number of empty groups. */
	if (estimate <= 2.5 * size && empty)
		estimate = size * log(size / empty);
	for (i = from; i < to; i++)
		samples += heat->slice_samples[i];
	/* A page has a sample. */
	return fmin(estimate + 0.5, samples);
}
