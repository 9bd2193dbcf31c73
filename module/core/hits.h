/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hit ratio: the share of all samples that go to the hottest pages, as many pages as
 * the fast tier holds.
 *
 * A walk over the table sorts the counts into finer bins than the histogram's, 32 for each
 * power of two. The error is at most half a percentage point, and is reported.
 */
#ifndef HTMM_CORE_HITS_H
#define HTMM_CORE_HITS_H

#include "scan.h"

/* The bin of a count is chosen by this many of its highest bits. */
#define HTMM_HITS_BITS	6
#define HTMM_HITS_BINS	((32 - HTMM_HITS_BITS + 2) << (HTMM_HITS_BITS - 1))

/**
 * struct htmm_hits - counts of pages, or of regions, sorted into fine bins
 * @pages: in each bin, pages (or regions)
 * @samples: in each bin, samples of these
 *
 * All zero before the first walk. May be the sum over several tables, if they share no page.
 */
struct htmm_hits {
	u64 pages[HTMM_HITS_BINS];
	u64 samples[HTMM_HITS_BINS];
};

/**
 * struct htmm_share - share of the samples that the hottest pages get
 * @pages: pages (or regions) that have a count
 * @samples: sum of their counts
 * @ppm: parts per million, 0..1000000; 0 if no page has a count
 * @error_ppm: by how much the true share may be more or less
 */
struct htmm_share {
	u64 pages;
	u64 samples;
	u32 ppm;
	u32 error_ppm;
};

/*
 * Add the counts of a slice of a table, whose lock is held; @scan has only its unit at first,
 * and @budget is as for htmm_scan_next(). An entry that changes between two slices is counted
 * with the value that it has when it is visited. True if the table has more entries.
 */
bool htmm_hits_scan(struct htmm_hits *hits, const struct htmm_table *table,
		    struct htmm_scan *scan, u32 budget);

/*
 * The share of the samples that a fast tier with room for @capacity pages (or regions) would
 * serve, filled completely, the hottest pages first.
 */
struct htmm_share htmm_hits_share(const struct htmm_hits *hits, u64 capacity);

#endif /* HTMM_CORE_HITS_H */
