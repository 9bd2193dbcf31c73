// SPDX-License-Identifier: GPL-2.0
#include "index.h"
#include "query.h"

static const struct htmm_region *htmm_table_find(const struct htmm_table *table,
						 u32 mm, u64 vpn)
{
	return htmm_index_find(table, htmm_region_key(htmm_page(mm, vpn)));
}

u32 htmm_table_count(const struct htmm_table *table, u32 mm, u64 vpn)
{
	const struct htmm_region *region = htmm_table_find(table, mm, vpn);

	if (!region)
		return 0;
	return htmm_table_cooled(table, region,
				 htmm_region_get(region,
						 vpn % HTMM_REGION_PAGES));
}

void htmm_table_counts(const struct htmm_table *table, u32 mm, u64 vpn,
		       u32 *count)
{
	const struct htmm_region *region = htmm_table_find(table, mm, vpn);
	u32 page, value, pos = 0;

	memset(count, 0, HTMM_REGION_PAGES * sizeof(*count));
	if (!region)
		return;
	while ((value = htmm_region_next(region, &pos, &page)))
		count[page] = htmm_table_cooled(table, region, value);
}

bool htmm_table_region(const struct htmm_table *table, u32 mm, u64 vpn,
		       unsigned int hot_bin, struct htmm_region_info *info)
{
	const struct htmm_region *region = htmm_table_find(table, mm, vpn);

	if (region)
		htmm_table_describe(table, region, hot_bin, info);
	return region;
}

/* Bits of a bin's sum that leave room to add all bins and multiply by 10^6. */
#define HTMM_MASS_BITS	38

/* Twice the samples of the pages in a bin >= 1, divided by 2^@shift. */
static u64 htmm_hist_mass(const struct htmm_hist *hist, unsigned int bin,
			  unsigned int shift)
{
	u64 pages = hist->bin[bin];
	u64 thrice = 3 * pages;

	if (bin > shift)
		return (thrice << (bin - 1 - shift)) - (pages >> shift);
	return (thrice >> (shift - bin + 1)) - (pages >> shift);
}

u32 htmm_hist_hit_ratio(const struct htmm_hist *hist, unsigned int hot)
{
	unsigned int b, bits, shift = 0;
	u64 mass, hot_mass = 0, all = 0;

	for (b = 1; b < HTMM_HIST_BINS; b++) {
		bits = hist->bin[b] ? ilog2(hist->bin[b]) + 2 + b : 0;
		if (bits > HTMM_MASS_BITS + shift)
			shift = bits - HTMM_MASS_BITS;
	}
	for (b = 1; b < HTMM_HIST_BINS; b++) {
		mass = htmm_hist_mass(hist, b, shift);
		all += mass;
		if (b >= hot)
			hot_mass += mass;
	}
	return all ? div64_u64(hot_mass * 1000000, all) : 0;
}
