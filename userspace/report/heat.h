/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples by address and time, in bounded memory.
 *
 * How much memory a recording touches is known only at its end, and often how long it
 * is, too, so both scales begin fine and get coarser as needed: time in up to HEAT_SLICES
 * slices, whose width doubles when they are used up; addresses in up to
 * HEAT_ROWS chunks, from one page on, likewise. Of each slice the working set is
 * kept, too: the number of different pages, estimated by a HyperLogLog sketch
 * with a standard error of 1.6 %, which can be merged when slices are.
 */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include <stdbool.h>
#include <linux/types.h>

#define HEAT_PAGE_SHIFT		12
#define HEAT_SLICES		512
#define HEAT_ROWS		8192
#define HEAT_SKETCH_BITS	12
#define HEAT_SKETCH_SIZE	4096

/**
 * struct heat_row - one chunk of addresses
 * @chunk: address >> &struct heat.chunk_shift
 * @space: address space
 * @column: private: of &struct heat.cell
 * @samples: samples in all slices; set by heat_sort()
 */
struct heat_row {
	__u64 chunk;
	__u32 space;
	__u32 column;
	__u64 samples;
};

/**
 * struct heat - samples by address and time
 * @start: time of the first sample, in nanoseconds
 * @last: time of the last one
 * @slice_shift: a slice has 1 << slice_shift nanoseconds
 * @chunk_shift: a row has 1 << chunk_shift bytes
 * @row: the rows; in order once heat_sort() was called
 * @nr_rows: how many there are
 * @slice_samples: samples in each slice
 * @omitted: samples that have no row: there were too many address spaces for
 *	that
 *
 * Samples come in order of time: the cells of a slice lie side by side, so that
 * those in use stay in the CPU's cache.
 */
struct heat {
	__u64 start;
	__u64 last;
	unsigned int slice_shift;
	unsigned int chunk_shift;
	struct heat_row *row;
	__u32 nr_rows;
	__u64 slice_samples[HEAT_SLICES];
	__u64 omitted;

	/* private: */
	bool begun;
	struct {
		__u64 begin;
		__u64 len;		/* 0: unknown */
		unsigned int slice;
	} now;				/* times of the last sample's slice */
	struct {
		__u64 begin;
		__u64 len;		/* 0: unknown */
		__u32 space;
		__u32 row;
	} here;				/* addresses of the last sample's row */
	__u16 *slot;
	__u32 (*cell)[HEAT_ROWS + 1];	/* by slice and row; the last one stays 0 */
	__u8 (*sketch)[HEAT_SKETCH_SIZE];
};

/**
 * heat_new() - make an empty map
 *
 * Return: the map, or NULL if there is no memory.
 */
struct heat *heat_new(void);

/**
 * heat_expect() - begin with slices for a recording of some length
 * @heat: the map, to which nothing was added yet
 * @length: in nanoseconds
 *
 * Saves the work of widening them. If samples come for longer, they get wider; if for
 * less than a quarter of it, the map is coarser than it could be.
 */
void heat_expect(struct heat *heat, __u64 length);

/**
 * heat_free() - free the map
 * @heat: the map; may be NULL
 */
void heat_free(struct heat *heat);

/* Every bit of the result depends on every bit of @x. */
static inline __u64 heat_mix(__u64 x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

/**
 * heat_find_slice() - let the slice of a time be the present one
 * @heat: the map
 * @time: in nanoseconds
 */
void heat_find_slice(struct heat *heat, __u64 time);

/**
 * heat_find_row() - let the row of an address be the present one
 * @heat: the map
 * @space: address space
 * @addr: address in it
 *
 * Return: its number, or HEAT_ROWS if there can be none.
 */
__u32 heat_find_row(struct heat *heat, __u32 space, __u64 addr);

/* The sketch keeps, of each group of pages, the longest run of zeroes in a hash. */
static inline void heat_add_page(__u8 *sketch, __u32 space, __u64 page)
{
	__u64 h = heat_mix(page + ((__u64)space << 40) + 0x9e3779b97f4a7c15ULL);
	__u8 rank = __builtin_ctzll(h >> HEAT_SKETCH_BITS | 1ULL << 50) + 1;
	__u8 *most = &sketch[h & (HEAT_SKETCH_SIZE - 1)];

	/* Written in any case: whether it grows nobody can predict. */
	*most = rank > *most ? rank : *most;
}

/**
 * heat_add() - count a sample
 * @heat: the map
 * @space: address space
 * @addr: address in it
 * @time: in nanoseconds, best not before the first one's
 */
static inline void heat_add(struct heat *heat, __u32 space, __u64 addr, __u64 time)
{
	__u32 row = heat->here.row;

	if (time - heat->now.begin >= heat->now.len)
		heat_find_slice(heat, time);
	if (time > heat->last)
		heat->last = time;
	heat->slice_samples[heat->now.slice]++;
	heat_add_page(heat->sketch[heat->now.slice], space, addr >> HEAT_PAGE_SHIFT);
	if (addr - heat->here.begin >= heat->here.len || space != heat->here.space)
		row = heat_find_row(heat, space, addr);
	if (row == HEAT_ROWS)
		heat->omitted++;
	else
		heat->cell[heat->now.slice][row]++;
}

/**
 * heat_sort() - put the rows in order of space and address
 * @heat: the map, to which nothing may be added any more
 */
void heat_sort(struct heat *heat);

/**
 * heat_samples() - samples of a cell
 * @heat: the map
 * @row: one of its rows
 * @slice: below HEAT_SLICES
 *
 * Return: how many there are.
 */
static inline __u32 heat_samples(const struct heat *heat, const struct heat_row *row,
				 unsigned int slice)
{
	return heat->cell[slice][row->column];
}

/**
 * heat_slices() - slices in use
 * @heat: the map
 *
 * Return: 0..HEAT_SLICES.
 */
unsigned int heat_slices(const struct heat *heat);

/**
 * heat_working_set() - different pages in some slices
 * @heat: the map
 * @from: the first slice
 * @to: the slice behind the last
 *
 * Return: an estimate; exact to a few per cent.
 */
__u64 heat_working_set(const struct heat *heat, unsigned int from, unsigned int to);

#endif /* REPORT_HEAT_H */
