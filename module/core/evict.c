// SPDX-License-Identifier: GPL-2.0
#include "evict.h"
#include "index.h"

/*
 * The coldest of the next regions, but never @keep. Entries not in use cost a
 * look, too, so that the work has a bound.
 */
static struct htmm_region *htmm_evict_coldest(struct htmm_table *table,
					      const struct htmm_region *keep)
{
	struct htmm_region *region, *coldest = NULL;
	u32 count, least = 0, seen = 0;
	u32 looks = min(table->high, 8U * HTMM_EVICT_WINDOW);

	for (; looks && seen < HTMM_EVICT_WINDOW; looks--) {
		if (table->hand >= table->high)
			table->hand = 0;
		region = htmm_table_entry(table, table->hand++);
		if (!htmm_region_detail(region)->born || region == keep)
			continue;
		seen++;
		count = htmm_table_cooled(table, region, region->count);
		if (!coldest || count < least) {
			coldest = region;
			least = count;
		}
	}
	return coldest;
}

bool htmm_evict(struct htmm_table *table, const struct htmm_region *keep)
{
	struct htmm_region *coldest = htmm_evict_coldest(table, keep);

	if (!coldest)
		return false;
	table->evicted += htmm_table_remove(table, coldest);
	table->moved = true;
	if (table->nr_free >= HTMM_BLOCK_ENTRIES)
		htmm_index_compact(table);
	return true;
}
