// SPDX-License-Identifier: GPL-2.0
#include "export.h"
#include "index.h"

/* Prefetch distance, in chains. */
#define HTMM_EXPORT_AHEAD	8

void htmm_export_init(struct htmm_export *export, enum htmm_topn_kind kind,
		      const struct htmm_topn_filter *filter,
		      struct htmm_topn_entry *entries, u32 n)
{
	*export = (struct htmm_export) {
		.entries = entries,
		.size = n,
		.kind = kind,
		.filter = *filter,
	};
}

void htmm_export_begin(struct htmm_export *export, const struct htmm_table *table,
		       const struct htmm_topn_entry *after)
{
	u64 page;

	export->chain = 0;
	export->key = 0;
	export->page = 0;
	if (!after)
		return;
	page = htmm_page(after->mm, after->vpn);
	export->key = htmm_region_key(page);
	export->chain = htmm_index_hash(export->key, table->multiplier,
					table->head_mask);
	if (export->kind == HTMM_LIST_PAGES)
		export->page = page % HTMM_REGION_PAGES + 1;
	else
		export->key++;
}

/* Find the region of the chain with the smallest key >= export->key. Chains are short. */
static const struct htmm_region *
htmm_export_next(const struct htmm_export *export, const struct htmm_table *table)
{
	const struct htmm_region *region = table->head[export->chain], *next = NULL;

	for (; region; region = region->chain) {
		if (region->key >= export->key && (!next || region->key < next->key))
			next = region;
	}
	return next;
}

static void htmm_export_put(struct htmm_export *export,
			    const struct htmm_table *table,
			    const struct htmm_region *region, u32 page, u32 count)
{
	export->entries[export->len++] = (struct htmm_topn_entry) {
		.value = count,
		.vpn = htmm_region_vpn(region) + page,
		.mm = htmm_region_mm(region),
		.owner = table->config.owner,
	};
}

/* Returns false if there is no room for it. */
static bool htmm_export_page(struct htmm_export *export,
			     const struct htmm_table *table,
			     const struct htmm_region *region, u32 page, u32 count)
{
	count = htmm_table_cooled(table, region, count);
	if (page < export->page ||
	    !htmm_topn_takes_page(&export->filter, htmm_region_vpn(region) + page,
				  count))
		return true;
	if (export->len == export->size)
		return false;
	htmm_export_put(export, table, region, page, count);
	export->page = page + 1;
	return true;
}

/*
 * List a sparse region, whose pairs are not in order. Returns false if there is no room for
 * all pages.
 */
static bool htmm_export_sparse(struct htmm_export *export,
			       const struct htmm_table *table,
			       const struct htmm_region *region)
{
	u32 pages[HTMM_PAIRS], counts[HTMM_PAIRS];
	u32 count, page, pos = 0, n = 0, i;

	while ((count = htmm_region_next(region, &pos, &page))) {
		for (i = n++; i && pages[i - 1] > page; i--) {
			pages[i] = pages[i - 1];
			counts[i] = counts[i - 1];
		}
		pages[i] = page;
		counts[i] = count;
	}
	for (i = 0; i < n; i++)
		if (!htmm_export_page(export, table, region, pages[i], counts[i]))
			return false;
	return true;
}

/* List a dense region, whose pages are in order. */
static bool htmm_export_dense(struct htmm_export *export,
			      const struct htmm_table *table,
			      const struct htmm_region *region)
{
	u32 count, page, pos = export->page;

	while ((count = htmm_region_next(region, &pos, &page)))
		if (!htmm_export_page(export, table, region, page, count))
			return false;
	return true;
}

/* List the region as one entry. Returns false if there is no room for it. */
static bool htmm_export_whole(struct htmm_export *export,
			      const struct htmm_table *table,
			      const struct htmm_region *region)
{
	u32 count = htmm_table_cooled(table, region, htmm_region_count(region));

	if (count < export->filter.min || count > export->filter.max)
		return true;
	if (export->len == export->size)
		return false;
	htmm_export_put(export, table, region, 0, count);
	return true;
}

static bool htmm_export_region(struct htmm_export *export,
			       const struct htmm_table *table,
			       const struct htmm_region *region)
{
	if (!htmm_topn_takes_region(&export->filter, region))
		return true;
	if (export->kind == HTMM_LIST_REGIONS)
		return htmm_export_whole(export, table, region);
	return region->digits ? htmm_export_dense(export, table, region) :
				htmm_export_sparse(export, table, region);
}

/* Prefetch the first entry of a chain that will be visited soon, and its bytes. */
static void htmm_export_prefetch(const struct htmm_export *export,
				 const struct htmm_table *table)
{
	u32 at = export->chain + HTMM_EXPORT_AHEAD;
	const struct htmm_region *region;

	if (at > table->head_mask)
		return;
	if (table->head[at])
		prefetch(table->head[at]);
	region = table->head[at - HTMM_EXPORT_AHEAD / 2];
	if (!region)
		return;
	prefetch(region->state);
	if (export->kind == HTMM_LIST_PAGES)
		htmm_region_prefetch(region, 1);
}

bool htmm_export_scan(struct htmm_export *export, const struct htmm_table *table,
		      u32 budget)
{
	const struct htmm_region *region;
	u32 cost;

	while (budget && export->chain <= table->head_mask) {
		region = htmm_export_next(export, table);
		cost = region ? HTMM_EXPORT_REGION_COST : 1;
		budget -= min(budget, cost);
		if (!region) {
			export->chain++;
			export->key = 0;
			export->page = 0;
			htmm_export_prefetch(export, table);
			continue;
		}
		/* Not the region where the previous step stopped: list all its pages. */
		if (region->key != export->key)
			export->page = 0;
		export->key = region->key;
		if (!htmm_export_region(export, table, region))
			return false;
		export->key++;
		export->page = 0;
	}
	return export->chain <= table->head_mask;
}
