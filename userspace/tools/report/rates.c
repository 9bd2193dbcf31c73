// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "rates.h"
#include "report.h"

static bool mapped(void *arg, const struct estimate_page *page, const struct estimate_page *next)
{
	struct tasks *tasks = arg;

	return tasks_find(tasks, page->space, page->page << 12) ==
	       tasks_find(tasks, next->space, next->page << 12);
}

static int by_address(const void *a, const void *b)
{
	const struct htmm_topn_entry *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->vpn < y->vpn ? -1 : x->vpn > y->vpn;
}

int report_rates(struct report *report, __u32 most, struct ranking *ranking)
{
	struct store *store = report->store;
	const double unit = report->known.unit ?: 1;
	struct htmm_topn_entry *regions;
	u32 count[HTMM_REGION_PAGES];
	u32 nr, i, page;
	int ret = 0;

	*ranking = (struct ranking) { .most = most, .mapped = mapped, .arg = &report->tasks };
	regions = store_list(store, HTMM_UNIT_REGION, 0, &nr);
	if (!regions)
		return -ENOMEM;
	qsort(regions, nr, sizeof(*regions), by_address);
	for (i = 0; i < nr && !ret; i++) {
		htmm_table_counts(&store->table, regions[i].space, regions[i].vpn, count, NULL);
		for (page = 0; page < HTMM_REGION_PAGES && !ret; page++)
			if (count[page])
				ret = ranking_add(ranking, &(struct estimate_page) {
					.page = regions[i].vpn + page,
					.space = regions[i].space,
					.count = count[page] / unit,
				});
	}
	free(regions);
	return ret ? ret : ranking_end(ranking);
}
