// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "lib/array.h"
#include "rates.h"
#include "report.h"

/* What is between two pages that were sampled is memory, too, if it is not more than this. */
#define GAP	HTMM_REGION_PAGES
/* Pages are estimated together until there are so many, so that memory is bounded. */
#define TOGETHER	524288

/**
 * struct pages - an array that grows
 * @page: the pages
 * @nr: how many there are
 * @room: how many there may be
 */
struct pages {
	struct estimate_page *page;
	size_t nr;
	size_t room;
};

/**
 * struct ranking - the pages with the highest rates
 * @report: the report
 * @some: pages that follow each other, by space and number
 * @best: of all that were estimated, those with the highest rates, and others
 * @most: how many of them are wanted; 0: all
 * @cut: @best is sorted, and has had more than @most
 */
struct ranking {
	struct report *report;
	struct pages some;
	struct pages best;
	size_t most;
	bool cut;
};

static int add(struct pages *pages, const struct estimate_page *page)
{
	struct estimate_page *grown =
		array_grow(pages->page, pages->nr, &pages->room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	pages->page = grown;
	pages->page[pages->nr++] = *page;
	return 0;
}

/* Adds a sampled page, and those between it and the one before. */
static int add_sampled(struct ranking *ranking, const struct estimate_page *page)
{
	struct tasks *tasks = &ranking->report->tasks;
	struct pages *some = &ranking->some;
	struct estimate_page before;
	int ret = 0;

	if (some->nr) {
		before = some->page[some->nr - 1];
		before.count = 0;
		if (before.space == page->space && page->page - before.page <= GAP &&
		    tasks_find(tasks, page->space, before.page << 12) ==
		    tasks_find(tasks, page->space, page->page << 12))
			while (!ret && ++before.page < page->page)
				ret = add(some, &before);
	}
	return ret ? ret : add(some, page);
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

static void cut(struct ranking *ranking)
{
	struct pages *best = &ranking->best;

	if (best->nr)
		qsort(best->page, best->nr, sizeof(*best->page), by_rate);
	ranking->cut = ranking->most && best->nr > ranking->most;
	if (ranking->cut)
		best->nr = ranking->most;
}

/* Estimates the rates of the pages that were added, and keeps the best ones. */
static int rank(struct ranking *ranking)
{
	struct pages *some = &ranking->some, *best = &ranking->best;
	int ret = estimate_rates(some->page, some->nr);
	size_t i;

	for (i = 0; i < some->nr && !ret; i++) {
		if (ranking->cut &&
		    by_rate(&some->page[i], &best->page[ranking->most - 1]) > 0)
			continue;
		ret = add(best, &some->page[i]);
		if (ranking->most && best->nr >= 2 * ranking->most)
			cut(ranking);
	}
	some->nr = 0;
	return ret;
}

static int by_address(const void *a, const void *b)
{
	const struct htmm_topn_entry *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->vpn < y->vpn ? -1 : x->vpn > y->vpn;
}

static int rank_all(struct ranking *ranking)
{
	struct store *store = ranking->report->store;
	const double unit = ranking->report->known.unit ?: 1;
	struct htmm_topn_entry *regions;
	u32 count[HTMM_REGION_PAGES];
	u32 nr, i, page;
	int ret = 0;

	regions = store_list(store, HTMM_UNIT_REGION, 0, &nr);
	if (!regions)
		return -ENOMEM;
	qsort(regions, nr, sizeof(*regions), by_address);
	for (i = 0; i < nr && !ret; i++) {
		htmm_table_counts(&store->table, regions[i].space, regions[i].vpn, count, NULL);
		for (page = 0; page < HTMM_REGION_PAGES && !ret; page++)
			if (count[page])
				ret = add_sampled(ranking, &(struct estimate_page) {
					.page = regions[i].vpn + page,
					.space = regions[i].space,
					.count = count[page] / unit,
				});
		if (!ret && (ranking->some.nr >= TOGETHER || i + 1 == nr))
			ret = rank(ranking);
	}
	free(regions);
	return ret;
}

int report_rates(struct report *report, __u32 most, struct estimate_page **page, size_t *nr)
{
	struct ranking ranking = { .report = report, .most = most };
	int ret = rank_all(&ranking);

	cut(&ranking);
	free(ranking.some.page);
	*page = ranking.best.page;
	*nr = ranking.best.nr;
	return ret;
}
