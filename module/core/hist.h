/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log2 histogram of sample counts. Bin 0 holds the count 0, bin b >= 1 the counts of 2^(b-1)
 * to 2^b - 1: 33 bins for 32 bits. Halving a count moves it down exactly one bin, so cooling
 * shifts the histogram.
 */
#ifndef HTMM_CORE_HIST_H
#define HTMM_CORE_HIST_H

#include <uapi/linux/htmm.h>
#include "deps.h"

/**
 * struct htmm_hist - number of pages (or regions) in each bin
 * @bin: pages whose count lies in the bin
 */
struct htmm_hist {
	u64 bin[HTMM_NR_BINS];
};

/* The bin of a count: 0 for 0, else 1 + floor(log2(@count)). */
static inline unsigned int htmm_hist_bin(u32 count)
{
	return fls(count);
}

/* Add a page with this count. */
static inline void htmm_hist_add(struct htmm_hist *hist, u32 count)
{
	hist->bin[htmm_hist_bin(count)]++;
}

/* Remove a page with this count. */
static inline void htmm_hist_remove(struct htmm_hist *hist, u32 count)
{
	hist->bin[htmm_hist_bin(count)]--;
}

/* The count of a page changes. */
static inline void htmm_hist_move(struct htmm_hist *hist, u32 from, u32 to)
{
	htmm_hist_remove(hist, from);
	htmm_hist_add(hist, to);
}

/* Halve every count: bin b moves to b - 1, and bin 1 joins bin 0. */
void htmm_hist_cool(struct htmm_hist *hist);

/* Add another histogram: exact if no page is in both. */
void htmm_hist_merge(struct htmm_hist *hist, const struct htmm_hist *other);

/* Pages in a bin and all above it. */
u64 htmm_hist_pages_from(const struct htmm_hist *hist, unsigned int bin);

/*
 * The bin from which pages (or regions, as @capacity) are hot: the lowest bin b >= 1 such that
 * the pages in bins b and above fit @capacity. Part of a bin is never chosen, so no page is hot
 * if the highest populated bin does not fit: HTMM_NR_BINS.
 */
unsigned int htmm_hist_hot_threshold(const struct htmm_hist *hist, u64 capacity);

/*
 * The bin from which pages are at least warm: one below @hot if the hot set fills less than 75
 * % of @capacity, else @hot. Never below 1: a page that has cooled to zero is
 * cold, even if there is room for it.
 */
unsigned int htmm_hist_warm_threshold(const struct htmm_hist *hist, u64 capacity, unsigned int hot);

#endif /* HTMM_CORE_HIST_H */
