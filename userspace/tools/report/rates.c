// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "estimate/estimate.h"
#include "lib/array.h"
#include "rates.h"
#include "report.h"

/* What is between two pages that were sampled is memory, too, if it is not more than this. */
#define GAP	HTMM_REGION_PAGES

/**
 * struct pages - pages by space and number
 * @page: the pages
 * @nr: how many there are
 * @room: how many there may be
 */
struct pages {
	struct estimate_page *page;
	size_t nr;
	size_t room;
};

static int add(struct pages *pages, __u32 space, __u64 vpn, float count)
{
	struct estimate_page *grown =
		array_grow(pages->page, pages->nr, &pages->room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	pages->page = grown;
	pages->page[pages->nr++] = (struct estimate_page) {
		.page = vpn, .space = space, .count = count,
	};
	return 0;
}

/* Adds a sampled page, and those between it and the one before. */
static int add_sampled(struct report *report, struct pages *pages, __u32 space, __u64 vpn,
		       float count)
{
	struct estimate_page before;
	int ret = 0;

	if (pages->nr) {
		before = pages->page[pages->nr - 1];
		if (before.space == space && vpn - before.page <= GAP &&
		    tasks_find(&report->tasks, space, before.page << 12) ==
		    tasks_find(&report->tasks, space, vpn << 12))
			while (!ret && ++before.page < vpn)
				ret = add(pages, space, before.page, 0);
	}
	return ret ? ret : add(pages, space, vpn, count);
}

static int by_address(const void *a, const void *b)
{
	const struct htmm_topn_entry *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->vpn < y->vpn ? -1 : x->vpn > y->vpn;
}

static int list_pages(struct report *report, struct pages *pages)
{
	const float unit = report->known.unit ? report->known.unit : 1;
	struct htmm_topn_entry *regions;
	u32 count[HTMM_REGION_PAGES];
	u32 nr, i, page;
	int ret = 0;

	regions = store_list(report->store, HTMM_UNIT_REGION, 0, &nr);
	if (!regions)
		return -ENOMEM;
	qsort(regions, nr, sizeof(*regions), by_address);
	for (i = 0; i < nr; i++) {
		htmm_table_counts(&report->store->table, regions[i].space, regions[i].vpn, count,
				  NULL);
		for (page = 0; page < HTMM_REGION_PAGES && !ret; page++)
			if (count[page])
				ret = add_sampled(report, pages, regions[i].space,
						  regions[i].vpn + page, count[page] / unit);
	}
	free(regions);
	return ret;
}

static int by_rate(const void *a, const void *b)
{
	const struct estimate_page *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

int report_rates(struct report *report, __u32 most)
{
	struct pages pages = {};
	int ret = list_pages(report, &pages);
	size_t i;

	if (!ret)
		ret = estimate_rates(pages.page, pages.nr);
	if (!ret && pages.nr)
		qsort(pages.page, pages.nr, sizeof(*pages.page), by_rate);
	if (most && pages.nr > most)
		pages.nr = most;
	report->rate = calloc(pages.nr + 1, sizeof(*report->rate));
	if (!report->rate)
		ret = -ENOMEM;
	for (i = 0; i < pages.nr && !ret; i++) {
		const struct estimate_page *page = &pages.page[i];

		report->rate[report->nr_rates++] = (struct report_rate) {
			.space = page->space,
			.mapping = tasks_find(&report->tasks, page->space, page->page << 12),
			.addr = page->page << 12,
			.samples = page->count,
			.rate = page->rate,
			.low = page->low,
			.high = page->high,
		};
	}
	free(pages.page);
	return ret;
}
