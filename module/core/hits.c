// SPDX-License-Identifier: GPL-2.0
#include "hits.h"
#include "index.h"

/* Bins of each power of two. */
#define HTMM_HITS_EACH	(1U << (HTMM_HITS_BITS - 1))

static_assert((32 - HTMM_HITS_BITS) * HTMM_HITS_EACH +
	      (U32_MAX >> (32 - HTMM_HITS_BITS)) == HTMM_HITS_BINS - 1,
	      "the largest count has the last bin");

static void htmm_hits_add(struct htmm_hits *hits, u32 count)
{
	unsigned int shift = max(fls(count), HTMM_HITS_BITS) - HTMM_HITS_BITS;
	unsigned int bin = shift * HTMM_HITS_EACH + (count >> shift);

	/* A page that has cooled to zero adds no samples. */
	if (!count)
		return;
	hits->pages[bin]++;
	hits->samples[bin] += count;
}

bool htmm_hits_scan(struct htmm_hits *hits, const struct htmm_table *table,
		    struct htmm_scan *scan, u32 budget)
{
	const struct htmm_region *region;
	u32 count, page, pos;

	while ((region = htmm_scan_next(scan, table, &budget))) {
		if (scan->unit == HTMM_UNIT_REGION) {
			count = htmm_region_count(region);
			htmm_hits_add(hits, htmm_table_cooled(table, region, count));
			continue;
		}
		for (pos = 0; (count = htmm_region_next(region, 1, &pos, &page)); )
			htmm_hits_add(hits, htmm_table_cooled(table, region, count));
	}
	return !htmm_scan_ended(scan, table);
}

static u32 htmm_hits_ppm(u64 part, u64 all)
{
	/* Drop low bits so that the product below fits in 64 bits. */
	unsigned int shift = all >> 43 ? ilog2(all) - 42 : 0;

	return div64_u64((part >> shift) * 1000000, all >> shift);
}

/*
 * Bounds for the samples of the hottest @capacity pages of a bin with more pages. Lower
 * bound: the mean count for each of them. Upper bound: limited by the highest count of the
 * bin for these pages, and by the lowest count of the bin for the others.
 */
static void htmm_hits_split(const struct htmm_hits *hits, unsigned int bin,
			    u64 capacity, u64 *least, u64 *most)
{
	/* Number of low bits of a count that do not affect its bin. */
	unsigned int shift = max(bin / HTMM_HITS_EACH, 1U) - 1;
	u64 lowest = (u64)(bin - shift * HTMM_HITS_EACH) << shift;
	u64 pages = hits->pages[bin], above = hits->samples[bin] - pages * lowest;
	u64 highest_above = (1ULL << shift) - 1;

	*least = capacity * lowest + mul_u64_u64_div_u64(above, capacity, pages);
	*most = capacity * lowest + min(capacity * highest_above, above);
}

struct htmm_share htmm_hits_share(const struct htmm_hits *hits, u64 capacity)
{
	u64 whole = 0, least = 0, most = 0;
	struct htmm_share share = {};
	unsigned int bin;

	for (bin = HTMM_HITS_BINS; bin-- > 1;) {
		share.pages += hits->pages[bin];
		share.samples += hits->samples[bin];
		if (hits->pages[bin] <= capacity) {
			capacity -= hits->pages[bin];
			whole += hits->samples[bin];
		} else if (capacity) {
			htmm_hits_split(hits, bin, capacity, &least, &most);
			capacity = 0;
		}
	}
	if (!share.samples)
		return share;
	share.ppm = htmm_hits_ppm(whole + least + (most - least) / 2, share.samples);
	/* Round up, unless the error is zero. */
	if (most > least)
		share.error_ppm = htmm_hits_ppm((most - least + 1) / 2, share.samples) + 1;
	return share;
}
