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
		       u32 *count, u64 *tracked)
{
	const struct htmm_region *region = htmm_table_find(table, mm, vpn);
	u32 page, value, pos = 0;

	memset(count, 0, HTMM_REGION_PAGES * sizeof(*count));
	if (tracked)
		memset(tracked, 0, HTMM_REGION_PAGES / 8);
	if (!region)
		return;
	while ((value = htmm_region_next(region, &pos, &page))) {
		count[page] = htmm_table_cooled(table, region, value);
		if (tracked)
			tracked[page / 64] |= 1ULL << page % 64;
	}
}

bool htmm_table_region(const struct htmm_table *table, u32 mm, u64 vpn,
		       unsigned int hot_bin, struct htmm_region_info *info)
{
	const struct htmm_region *region = htmm_table_find(table, mm, vpn);

	if (region)
		htmm_table_describe(table, region, hot_bin, info);
	return region;
}
