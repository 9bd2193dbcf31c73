// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "heat.h"

#define PAGE_SHIFT	12
/* A microsecond, nearly: finer than any recording worth a map. */
#define SLICE_SHIFT	10
/* Rows of 16 GiB: any coarser, and they would say nothing. */
#define CHUNK_SHIFT_MAX	34
/* Slots of the hash table of rows: at most half of them are used. */
#define SLOTS		(2 * HEAT_ROWS)

struct heat *heat_new(void)
{
	struct heat *heat = calloc(1, sizeof(*heat));

	if (!heat)
		return NULL;
	heat->slice_shift = SLICE_SHIFT;
	heat->chunk_shift = PAGE_SHIFT;
	heat->row = calloc(HEAT_ROWS, sizeof(*heat->row));
	heat->slot = calloc(SLOTS, sizeof(*heat->slot));
	heat->sketch = calloc(HEAT_SLICES, sizeof(*heat->sketch));
	if (heat->row && heat->slot && heat->sketch)
		return heat;
	heat_free(heat);
	return NULL;
}

void heat_free(struct heat *heat)
{
	__u32 i;

	if (!heat)
		return;
	for (i = 0; i < heat->nr_rows; i++)
		free(heat->row[i]);
	free(heat->row);
	free(heat->slot);
	free(heat->sketch);
	free(heat);
}

static __u64 mix(__u64 x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

static __u32 hash(__u32 space, __u64 chunk)
{
	__u64 key = chunk ^ (__u64)space << 40;

	return (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL >> 32 & (SLOTS - 1);
}

/* The slot of a row, or the empty one where it would be. Holds the row's number plus 1. */
static __u32 *find_slot(const struct heat *heat, __u32 space, __u64 chunk)
{
	__u32 at = hash(space, chunk);

	while (heat->slot[at]) {
		const struct heat_row *row = heat->row[heat->slot[at] - 1];

		if (row->space == space && row->chunk == chunk)
			break;
		at = (at + 1) & (SLOTS - 1);
	}
	return &heat->slot[at];
}

static void add_row(struct heat_row *to, const struct heat_row *from)
{
	unsigned int i;

	for (i = 0; i < HEAT_SLICES; i++)
		to->samples[i] += from->samples[i];
}

/* Chunks get twice as large; two rows that are one now become one. */
static void widen_chunks(struct heat *heat)
{
	__u32 nr = heat->nr_rows, i, *slot;

	memset(heat->slot, 0, SLOTS * sizeof(*heat->slot));
	heat->chunk_shift++;
	heat->nr_rows = 0;
	heat->hint = NULL;
	for (i = 0; i < nr; i++) {
		struct heat_row *row = heat->row[i];

		row->chunk >>= 1;
		slot = find_slot(heat, row->space, row->chunk);
		if (*slot) {
			add_row(heat->row[*slot - 1], row);
			free(row);
		} else {
			heat->row[heat->nr_rows++] = row;
			*slot = heat->nr_rows;
		}
	}
}

static struct heat_row *get_row(struct heat *heat, __u32 space, __u64 addr)
{
	__u32 *slot = find_slot(heat, space, addr >> heat->chunk_shift);
	struct heat_row *row;

	if (*slot)
		return heat->row[*slot - 1];
	if (heat->nr_rows == HEAT_ROWS) {
		if (heat->chunk_shift == CHUNK_SHIFT_MAX)
			return NULL;
		/* Not for each row anew: a quarter is to be free afterwards. */
		while (heat->nr_rows > HEAT_ROWS / 4 * 3 && heat->chunk_shift < CHUNK_SHIFT_MAX)
			widen_chunks(heat);
		return get_row(heat, space, addr);
	}
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->space = space;
	row->chunk = addr >> heat->chunk_shift;
	heat->row[heat->nr_rows++] = row;
	*slot = heat->nr_rows;
	return row;
}

/* Two slices of a row become one; @used of them may have samples. */
static void widen_row(struct heat_row *row, unsigned int used)
{
	unsigned int i;

	for (i = 0; i < used; i += 2) {
		__u32 sum = row->samples[i] + row->samples[i + 1];

		row->samples[i] = 0;
		row->samples[i + 1] = 0;
		row->samples[i / 2] = sum;
	}
}

/* Two working sets become one. */
static void widen_sketch(struct heat *heat, unsigned int i)
{
	__u8 *a = heat->sketch[i], *b = heat->sketch[i + 1];
	unsigned int j;

	for (j = 0; j < HEAT_SKETCH_SIZE; j++)
		a[j] = a[j] > b[j] ? a[j] : b[j];
	memset(b, 0, HEAT_SKETCH_SIZE);
	if (!i)
		return;
	memcpy(heat->sketch[i / 2], a, HEAT_SKETCH_SIZE);
	memset(a, 0, HEAT_SKETCH_SIZE);
}

/* Slices get twice as wide; only those so far have anything in them. */
static void widen_slices(struct heat *heat)
{
	unsigned int used = ((heat->last - heat->origin) >> heat->slice_shift) + 1, i;
	__u32 r;

	for (r = 0; r < heat->nr_rows; r++)
		widen_row(heat->row[r], used);
	for (i = 0; i < used; i += 2) {
		__u64 sum = heat->slice_samples[i] + heat->slice_samples[i + 1];

		heat->slice_samples[i] = 0;
		heat->slice_samples[i + 1] = 0;
		heat->slice_samples[i / 2] = sum;
		widen_sketch(heat, i);
	}
	heat->slice_shift++;
}

static unsigned int get_slice(struct heat *heat, __u64 time)
{
	__u64 since;

	if (!heat->begun) {
		heat->begun = true;
		heat->origin = time;
		heat->last = time;
	}
	since = time > heat->origin ? time - heat->origin : 0;
	while (since >> heat->slice_shift >= HEAT_SLICES)
		widen_slices(heat);
	if (time > heat->last)
		heat->last = time;
	return since >> heat->slice_shift;
}

/* The sketch keeps, of each group of pages, the longest run of zeroes in a hash. */
static void add_page(struct heat *heat, unsigned int slice, __u32 space, __u64 page)
{
	__u64 h = mix(page + ((__u64)space << 40) + 0x9e3779b97f4a7c15ULL);
	__u8 rank = __builtin_ctzll(h >> HEAT_SKETCH_BITS | 1ULL << 50) + 1;
	__u8 *most = &heat->sketch[slice][h & (HEAT_SKETCH_SIZE - 1)];

	/* Written in any case: whether it grows nobody can predict. */
	*most = rank > *most ? rank : *most;
}

void heat_add(struct heat *heat, __u32 space, __u64 addr, __u64 time)
{
	unsigned int slice = get_slice(heat, time);
	struct heat_row *row = heat->hint;

	heat->slice_samples[slice]++;
	add_page(heat, slice, space, addr >> PAGE_SHIFT);
	if (!row || row->space != space || row->chunk != addr >> heat->chunk_shift)
		row = get_row(heat, space, addr);
	if (!row) {
		heat->omitted++;
		return;
	}
	heat->hint = row;
	row->samples[slice]++;
}

static int by_address(const void *a, const void *b)
{
	const struct heat_row *x = *(struct heat_row *const *)a;
	const struct heat_row *y = *(struct heat_row *const *)b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

void heat_sort(struct heat *heat)
{
	qsort(heat->row, heat->nr_rows, sizeof(*heat->row), by_address);
}

unsigned int heat_slices(const struct heat *heat)
{
	return heat->begun ? ((heat->last - heat->origin) >> heat->slice_shift) + 1 : 0;
}

__u64 heat_working_set(const struct heat *heat, unsigned int from, unsigned int to)
{
	const double size = HEAT_SKETCH_SIZE;
	unsigned int j, i, empty = 0;
	double sum = 0, estimate;

	for (j = 0; j < HEAT_SKETCH_SIZE; j++) {
		__u8 most = 0;

		for (i = from; i < to; i++)
			if (heat->sketch[i][j] > most)
				most = heat->sketch[i][j];
		sum += ldexp(1, -most);
		empty += !most;
	}
	estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum;
	/* Few pages are counted better by the groups that none fell into. */
	if (estimate <= 2.5 * size && empty)
		estimate = size * log(size / empty);
	return estimate + 0.5;
}
