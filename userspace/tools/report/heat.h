/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples by address and time, in bounded memory.
 *
 * The memory that a recording touches, and often its length, are known only at the end. So
 * both scales start fine and get coarser as needed: time has up to HEAT_SLICES slices,
 * whose width doubles when all are used; addresses have up to HEAT_ROWS chunks, which start
 * at one page and double likewise. Each slice also has its working set, the number of
 * different pages. It is estimated by a HyperLogLog sketch with a standard error of 1.6 %;
 * sketches can be merged as slices are.
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
 * @row: the rows; sorted after heat_sort()
 * @nr_rows: how many there are
 * @slice_samples: samples in each slice
 * @omitted: samples without a row, because there were too many address spaces
 *
 * Samples come in order of time, so the cells of one slice are adjacent in memory, to stay
 * in the CPU's cache.
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
	} now;				/* time range of the last sample's slice */
	struct {
		__u64 begin;
		__u64 len;		/* 0: unknown */
		__u32 space;
		__u32 row;
	} here;				/* address range of the last sample's row */
	__u16 *slot;
	__u32 (*cell)[HEAT_ROWS + 1];	/* by slice and row; the last column stays 0 */
	__u8 (*sketch)[HEAT_SKETCH_SIZE];
};

/**
 * heat_new() - make an empty map
 *
 * Return: the map, or NULL if there is no memory.
 */
struct heat *heat_new(void);

/**
 * heat_expect() - choose the first slice width for a known length
 * @heat: the map, still empty
 * @length: in nanoseconds
 *
 * Avoids widening slices later. If the recording is longer, slices still get wider; if it
 * is shorter than a quarter of @length, the map is coarser than necessary.
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
 * heat_find_slice() - make the slice of a time the current one
 * @heat: the map
 * @time: in nanoseconds
 */
void heat_find_slice(struct heat *heat, __u64 time);

/**
 * heat_find_row() - make the row of an address the current one
 * @heat: the map
 * @space: address space
 * @addr: address in it
 *
 * Return: its number, or HEAT_ROWS if there is no room for it.
 */
__u32 heat_find_row(struct heat *heat, __u32 space, __u64 addr);

/* For each group of pages, the sketch keeps the longest run of zeroes in a hash. */
static inline void heat_add_page(__u8 *sketch, __u32 space, __u64 page)
{
	__u64 h = heat_mix(page + ((__u64)space << 40) + 0x9e3779b97f4a7c15ULL);
	__u8 rank = __builtin_ctzll(h >> HEAT_SKETCH_BITS | 1ULL << 50) + 1;
	__u8 *most = &sketch[h & (HEAT_SKETCH_SIZE - 1)];

	/* Write in every case: a branch here could not be predicted. */
	*most = rank > *most ? rank : *most;
}

/**
 * heat_add() - count a sample
 * @heat: the map
 * @space: address space
 * @addr: address in it
 * @time: in nanoseconds, usually not before the first sample's
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
 * heat_sort() - sort the rows by space and address
 * @heat: the map; nothing may be added afterwards
 */
void heat_sort(struct heat *heat);

/**
 * heat_samples() - get the samples of a cell
 * @heat: the map
 * @row: one of its rows
 * @slice: below HEAT_SLICES
 *
 * Return: their number.
 */
static inline __u32 heat_samples(const struct heat *heat, const struct heat_row *row,
				 unsigned int slice)
{
	return heat->cell[slice][row->column];
}

/**
 * heat_slices() - count the slices in use
 * @heat: the map
 *
 * Return: 0..HEAT_SLICES.
 */
unsigned int heat_slices(const struct heat *heat);

/**
 * heat_working_set() - estimate the number of different pages in some slices
 * @heat: the map
 * @from: the first slice
 * @to: the slice behind the last
 *
 * Return: an estimate, correct within a few per cent.
 */
__u64 heat_working_set(const struct heat *heat, unsigned int from, unsigned int to);

#endif /* REPORT_HEAT_H */
