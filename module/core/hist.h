/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log2 histogram of sample counts. Bin 0 holds the count 0, bin b >= 1 the counts of 2^(b-1)
 * to 2^b - 1: 33 bins for 32 bits. Halving a count moves it down exactly one bin, so cooling
 * shifts the histogram.
 */
#ifndef HTMM_CORE_HIST_H
#define HTMM_CORE_HIST_H

#include "deps.h"

#define HTMM_HIST_BINS	33

/**
 * struct htmm_hist - number of pages (or regions) in each bin
 * @bin: pages whose count lies in the bin
 */
struct htmm_hist {
	u64 bin[HTMM_HIST_BINS];
};

/**
 * htmm_hist_bin() - the bin of a count
 * @count: samples
 *
 * Return: 0 for 0, else 1 + floor(log2(@count)): 0..HTMM_HIST_BINS - 1.
 */
static inline unsigned int htmm_hist_bin(u32 count)
{
	return fls(count);
}

/**
 * htmm_hist_add() - a page appears
 * @hist: the histogram
 * @count: its count
 */
static inline void htmm_hist_add(struct htmm_hist *hist, u32 count)
{
	hist->bin[htmm_hist_bin(count)]++;
}

/**
 * htmm_hist_remove() - a page disappears
 * @hist: the histogram
 * @count: its count
 */
static inline void htmm_hist_remove(struct htmm_hist *hist, u32 count)
{
	hist->bin[htmm_hist_bin(count)]--;
}

/**
 * htmm_hist_move() - a page's count changes
 * @hist: the histogram
 * @from: its count before
 * @to: its count now
 */
static inline void htmm_hist_move(struct htmm_hist *hist, u32 from, u32 to)
{
	htmm_hist_remove(hist, from);
	htmm_hist_add(hist, to);
}

/**
 * htmm_hist_cool() - halve every count
 * @hist: the histogram
 *
 * Bin b moves to b - 1; bin 1 joins bin 0.
 */
void htmm_hist_cool(struct htmm_hist *hist);

/**
 * htmm_hist_merge() - add another histogram
 * @hist: the histogram that grows
 * @other: the one added to it
 *
 * Exact for the union of two tables only if no page is in both.
 */
void htmm_hist_merge(struct htmm_hist *hist, const struct htmm_hist *other);

/**
 * htmm_hist_pages_from() - pages in a bin and all above it
 * @hist: the histogram
 * @bin: lowest bin to include; HTMM_HIST_BINS or more gives 0
 *
 * Return: number of pages; from bin 0 on, all pages tracked.
 */
u64 htmm_hist_pages_from(const struct htmm_hist *hist, unsigned int bin);

/**
 * htmm_hist_hot_threshold() - the bin from which pages are hot
 * @hist: the histogram
 * @capacity: pages (or regions, for a histogram of regions) that the fast tier holds
 *
 * The lowest bin b >= 1 such that the pages in bins b and above fit @capacity: part of a bin
 * is never chosen. So no page is hot if the highest populated bin does not fit.
 *
 * Return: 1..HTMM_HIST_BINS.
 */
unsigned int htmm_hist_hot_threshold(const struct htmm_hist *hist,
				     u64 capacity);

/**
 * htmm_hist_warm_threshold() - the bin from which pages are at least warm
 * @hist: the histogram
 * @capacity: as for htmm_hist_hot_threshold()
 * @hot: what htmm_hist_hot_threshold() returned
 *
 * One bin below @hot if the hot set fills less than 75 % of @capacity, else @hot. Never below
 * 1: a page cooled to zero is cold however much room there is.
 *
 * Return: 1..HTMM_HIST_BINS.
 */
unsigned int htmm_hist_warm_threshold(const struct htmm_hist *hist,
				      u64 capacity, unsigned int hot);

#endif /* HTMM_CORE_HIST_H */
