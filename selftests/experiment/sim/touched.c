// SPDX-License-Identifier: GPL-2.0
/* Pages that a program has touched before its first access. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "source.h"
#include "world.h"

#define PAGE		4096ULL

/**
 * struct pages - a list of pages
 * @page: the pages
 * @nr: how many
 * @room: there is room for so many
 */
struct pages {
	struct sim_page *page;
	size_t nr;
	size_t room;
};

static int append(struct pages *pages, const struct sim_page *page, struct htmm_error *err)
{
	struct sim_page *more;

	if (pages->nr == pages->room) {
		pages->room = pages->room ? 2 * pages->room : 4096;
		more = realloc(pages->page, pages->room * sizeof(*more));
		if (!more)
			return htmm_error_set(err, ENOMEM, NULL, "out of memory");
		pages->page = more;
	}
	pages->page[pages->nr++] = *page;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct world_region *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->base < y->base ? -1 : x->base > y->base;
}

/* Lists the pages of @world in order of their addresses. */
static int list(struct pages *to, struct world *world, struct htmm_error *err)
{
	size_t i, page;

	if (world->nr)
		qsort(world->region, world->nr, sizeof(*world->region), by_address);
	for (i = 0; i < world->nr; i++) {
		const struct world_region *region = &world->region[i];

		for (page = 0; page < WORLD_PAGES; page++) {
			const struct sim_page one = { region->space, region->base + page * PAGE };

			if (region->place[page] && append(to, &one, err))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Finds the pages of all accesses of @source, in order of their addresses. */
static int find_accessed(struct pages *to, struct source *source, struct htmm_error *err)
{
	struct world world = { .page_shift = HTMM_PAGE_SHIFT };
	struct sim_sample sample;
	int ret;

	while ((ret = source->next(source, &sample, err)) > 0)
		if (world_touch(&world, sample.space, sample.addr) == PLACE_NOWHERE) {
			ret = htmm_error_set(err, ENOMEM, NULL, "out of memory");
			break;
		}
	if (!ret)
		ret = list(to, &world, err);
	world_free(&world);
	return ret;
}

/* What is between two pages that were accessed is memory, too, if it is not more than this. */
#define GAP		(512 * PAGE)

static int fill_gaps(struct pages *to, const struct pages *from, struct htmm_error *err)
{
	size_t i;

	for (i = 0; i < from->nr; i++) {
		const struct sim_page *end = &from->page[i], *before = end - 1;
		struct sim_page page = *end;

		if (i && page.space == before->space && page.addr - before->addr <= GAP)
			page.addr = before->addr + PAGE;
		for (; page.addr <= end->addr; page.addr += PAGE)
			if (append(to, &page, err))
				return -ENOMEM;
	}
	return 0;
}

/* Reads the pages of a file, those of address space @space. */
static int read_first(struct pages *to, const char *path, __u32 space, struct htmm_error *err)
{
	struct sim_page page = { .space = space };
	__u64 pages;
	FILE *file = fopen(path, "re");
	int ret = 0;

	if (!file)
		return htmm_error_set(err, errno, NULL, "cannot open '%s'", path);
	while (!ret && fscanf(file, "%llx %llx", &page.addr, &pages) == 2)
		for (; !ret && pages; pages--, page.addr += PAGE)
			ret = append(to, &page, err);
	fclose(file);
	if (!ret && !to->nr)
		ret = htmm_error_set(err, EINVAL, "give lines of an address and a number of pages",
				     "'%s' has no pages", path);
	return ret;
}

int source_touch(struct source *source, struct source *again, const char *first,
		 struct htmm_error *err)
{
	struct pages accessed = {}, touched = {};
	int ret = find_accessed(&accessed, again, err);

	if (!ret && first)
		ret = read_first(&touched, first, accessed.nr ? accessed.page[0].space : 0, err);
	if (!ret)
		ret = fill_gaps(&touched, &accessed, err);
	free(accessed.page);
	if (ret) {
		free(touched.page);
		return ret;
	}
	source->touched = touched.page;
	source->nr_touched = touched.nr;
	return 0;
}
