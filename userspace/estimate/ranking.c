// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/array.h"
#include "ranking.h"

#define REGION_SHIFT	9
/* What is between two pages that were sampled is memory, too, if it is not more than this. */
#define GAP	512
/* Pages are estimated together until there are so many, so that memory is bounded. */
#define TOGETHER	524288

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

static bool is_same_region(const struct estimate_page *page, const struct estimate_page *next)
{
	return page->space == next->space &&
	       page->page >> REGION_SHIFT == next->page >> REGION_SHIFT;
}

int ranking_add(struct ranking *ranking, const struct estimate_page *page)
{
	struct pages *some = &ranking->some;
	struct estimate_page before;
	int ret = 0;

	if (!some->nr)
		return add(some, page);
	before = some->page[some->nr - 1];
	before.count = 0;
	if (some->nr >= TOGETHER && !is_same_region(&before, page))
		ret = rank(ranking);
	else if (before.space == page->space && page->page - before.page <= GAP &&
		 page->page - before.page > 1 && ranking->mapped(ranking->arg, &before, page))
		while (!ret && ++before.page < page->page)
			ret = add(some, &before);
	return ret ? ret : add(some, page);
}

int ranking_end(struct ranking *ranking)
{
	int ret = rank(ranking);

	cut(ranking);
	return ret;
}

void ranking_free(struct ranking *ranking)
{
	free(ranking->some.page);
	free(ranking->best.page);
	memset(ranking, 0, sizeof(*ranking));
}
