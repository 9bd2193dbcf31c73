// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "estimate/ranking.h"
#include "rated.h"

#define PAGE_SHIFT	12

/**
 * struct source - where pages that are estimated come from
 * @names: names of their mappings
 * @list: the pages with samples, by target, address space and address. An address space has the
 *	index of its first page for a number
 */
struct source {
	struct htmm_names *names;
	const struct htmm_page_list *list;
};

static int by_space(const struct htmm_page *x, const struct htmm_page *y)
{
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->space > y->space) - (x->space < y->space);
}

static int by_address(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;
	int order = by_space(x, y);

	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

/* The page with this estimate, or if it has no samples, one like others of its process. */
static struct htmm_page find_page(const struct source *source, const struct estimate_page *estimate)
{
	struct htmm_page page = source->list->pages[estimate->space], *found;

	page.addr = estimate->page << PAGE_SHIFT;
	found = bsearch(&page, source->list->pages, source->list->nr, sizeof(page), by_address);
	if (found)
		return *found;
	page.samples = 0;
	page.bin = 0;
	page.flags &= ~HTMM_PAGE_HOT;
	page.node = HTMM_NODE_UNKNOWN;
	page.mapping_shift = HTMM_MAPPING_UNKNOWN;
	return page;
}

static bool mapped(void *arg, const struct estimate_page *estimate,
		   const struct estimate_page *next)
{
	const struct source *source = arg;
	struct htmm_page page = source->list->pages[estimate->space];
	const char *mapping;

	page.addr = estimate->page << PAGE_SHIFT;
	mapping = htmm_names_find(source->names, &page).mapping;
	page.addr = next->page << PAGE_SHIFT;
	return htmm_names_find(source->names, &page).mapping == mapping;
}

static int rank_all(struct ranking *ranking, const struct source *source, __u32 unit)
{
	const struct htmm_page *pages = source->list->pages;
	struct estimate_page estimate = {};
	size_t i;
	int ret = 0;

	for (i = 0; i < source->list->nr && !ret; i++) {
		if (i && by_space(&pages[i], &pages[i - 1]))
			estimate.space = i;
		estimate.page = pages[i].addr >> PAGE_SHIFT;
		estimate.count = (double)pages[i].samples / unit;
		ret = ranking_add(ranking, &estimate);
	}
	return ret ? ret : ranking_end(ranking);
}

/* Takes the first pages, of those that are on the wanted node. */
static int take(struct rated *rated, const struct rated_config *config,
		const struct source *source, const struct ranking *ranking)
{
	const struct estimate_page *best = ranking->best.page;
	const size_t most = config->max && config->max < ranking->best.nr ? config->max :
									    ranking->best.nr;
	struct htmm_page page;
	double samples = 0;
	size_t i;

	for (i = 0; i < source->list->nr; i++)
		samples += (double)source->list->pages[i].samples / config->unit;
	rated->share = estimate_share(best, ranking->best.nr, config->capacity, samples);
	rated->enough = enough_samples(best, ranking->best.nr, config->capacity);
	rated->pages = calloc(most + 1, sizeof(*rated->pages));
	if (!rated->pages)
		return -ENOMEM;
	for (i = 0; i < ranking->best.nr && rated->nr < most; i++) {
		page = find_page(source, &best[i]);
		if (config->node >= 0 && page.node != config->node)
			continue;
		rated->pages[rated->nr++] = (struct rated_page) {
			.page = page, .rate = best[i].rate, .low = best[i].low,
			.high = best[i].high,
		};
	}
	return 0;
}

int rated_find(struct rated *rated, const struct rated_config *config, struct htmm_names *names,
	       struct htmm_page_list *list)
{
	struct source source = { .names = names, .list = list };
	struct ranking ranking = { .mapped = mapped, .arg = &source };
	int ret;

	/* Any page may be among the first of its node. Else one that does not fit is enough. */
	if (config->node < 0 && config->max)
		ranking.most = config->max > config->capacity ? config->max : config->capacity + 1;

	if (list->nr)
		qsort(list->pages, list->nr, sizeof(*list->pages), by_address);
	ret = rank_all(&ranking, &source, config->unit);
	if (!ret)
		ret = take(rated, config, &source, &ranking);
	ranking_free(&ranking);
	return ret;
}
