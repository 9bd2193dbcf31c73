// SPDX-License-Identifier: GPL-2.0
#include "index.h"

u64 htmm_cooling_due(u64 last, u64 period, u64 pages)
{
	u64 due;

	period = period ?: max_t(u64, HTMM_COOLING_LEAST, HTMM_COOLING_EACH * pages);
	return check_add_overflow(last, period, &due) ? U64_MAX : due;
}

void htmm_table_cool_region(struct htmm_table *table,
			    struct htmm_region *region)
{
	u64 missed = table->epoch - region->epoch;
	u32 gone;

	if (!missed)
		return;
	htmm_front_drop(region);
	gone = htmm_region_cool(region, table->pool, missed);
	region->epoch = table->epoch;
	if (region->digits)
		htmm_front_load(table, region);
	table->hist[HTMM_KIND_BASE].bin[0] -= gone;
	table->pages -= gone;
	table->reclaimed += gone;
}

void htmm_table_cool(struct htmm_table *table)
{
	unsigned int kind;

	table->epoch++;
	htmm_front_drop_slice(table);
	for (kind = 0; kind < HTMM_KINDS; kind++)
		htmm_hist_cool(&table->hist[kind]);
	table->sweep_left = table->high;
}
