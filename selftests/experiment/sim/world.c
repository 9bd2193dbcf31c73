// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "world.h"

#define REGION_BYTES	BIT_ULL(HTMM_REGION_SHIFT)

static __u32 *slot(const struct world *world, __u32 space, __u64 base)
{
	__u64 hash = ((base >> HTMM_REGION_SHIFT) ^ (__u64)space << 36) * 0x9e3779b97f4a7c15ULL;
	size_t at = (hash >> 20) & world->mask;

	while (world->index[at]) {
		const struct world_region *region = &world->region[world->index[at] - 1];

		if (region->space == space && region->base == base)
			break;
		at = (at + 1) & world->mask;
	}
	return &world->index[at];
}

static bool grow(struct world *world)
{
	size_t room = world->room ? 2 * world->room : 1024, i;
	struct world_region *region = realloc(world->region, room * sizeof(*region));

	if (!region)
		return false;
	world->region = region;
	world->room = room;
	free(world->index);
	world->index = calloc(2 * room, sizeof(*world->index));
	if (!world->index)
		return false;
	world->mask = 2 * room - 1;
	for (i = 0; i < world->nr; i++)
		*slot(world, region[i].space, region[i].base) = i + 1;
	return true;
}

static struct world_region *find(const struct world *world, __u32 space, __u64 addr)
{
	__u32 at = world->index ? *slot(world, space, addr & ~(REGION_BYTES - 1)) : 0;

	return at ? &world->region[at - 1] : NULL;
}

static struct world_region *add(struct world *world, __u32 space, __u64 addr)
{
	if (world->nr == world->room && !grow(world))
		return NULL;
	world->region[world->nr] = (struct world_region) {
		.space = space, .base = addr & ~(REGION_BYTES - 1),
	};
	*slot(world, space, addr & ~(REGION_BYTES - 1)) = world->nr + 1;
	return &world->region[world->nr++];
}

static unsigned int page_of(__u64 addr)
{
	return (addr & (REGION_BYTES - 1)) >> HTMM_PAGE_SHIFT;
}

enum place world_touch(struct world *world, __u32 space, __u64 addr)
{
	struct world_region *region = find(world, space, addr) ?: add(world, space, addr);
	__u32 pages = 1U << (world->page_shift - HTMM_PAGE_SHIFT);
	unsigned int page = page_of(addr);
	enum place place;

	if (!region)
		return PLACE_NOWHERE;
	if (region->place[page])
		return region->place[page];
	place = world->used + pages <= world->capacity ? PLACE_FAST : PLACE_SLOW;
	if (place == PLACE_FAST)
		world->used += pages;
	page = page / pages * pages;
	memset(&region->place[page], place, pages);
	return place;
}

bool world_move(struct world *world, __u32 space, __u64 addr, __u32 pages, enum place place)
{
	struct world_region *region = find(world, space, addr);
	unsigned int page = page_of(addr);

	if (!region || !region->place[page] || region->place[page] == place ||
	    (place == PLACE_FAST && world->used + pages > world->capacity))
		return false;
	world->used += place == PLACE_FAST ? pages : -(__u64)pages;
	memset(&region->place[page], place, pages);
	return true;
}

/* Number of pages with each count; those of the last one and more are together. */
#define COUNTS	65536

static __u32 count_slot(__u32 samples)
{
	return samples < COUNTS ? samples : COUNTS - 1;
}

/* Finds which counts are in a list of @most pages; returns the last one that fits. */
static __u32 limit(const struct world *world, const struct store *store, enum place place,
		   size_t most, bool *all)
{
	static __u64 pages[COUNTS];
	u32 count[HTMM_REGION_PAGES];
	__u64 sum = 0;
	size_t i, page;
	__u32 at;

	memset(pages, 0, sizeof(pages));
	for (i = 0; i < world->nr; i++) {
		const struct world_region *region = &world->region[i];

		htmm_table_counts(&store->table, region->space, region->base >> HTMM_PAGE_SHIFT,
				  count, NULL);
		for (page = 0; page < WORLD_PAGES; page++)
			if (region->place[page] == place)
				pages[count_slot(count[page])]++;
	}
	*all = false;
	if (place == PLACE_FAST) {
		for (at = 0; at < COUNTS && sum + pages[at] <= most; at++)
			sum += pages[at];
		*all = at == COUNTS;
		return at ? at - 1 : 0;
	}
	for (at = COUNTS - 1; at && sum + pages[at] <= most; at--)
		sum += pages[at];
	*all = !at;
	return at + 1;
}

static struct htmm_page page_at(const struct world *world, const struct world_region *region,
				size_t page, __u32 samples)
{
	return (struct htmm_page) {
		.addr = region->base + (page << HTMM_PAGE_SHIFT), .samples = samples,
		.pid = region->space + 1, .space = region->space,
		.node = region->place[page] == PLACE_SLOW, .mapping_shift = world->page_shift,
	};
}

size_t world_list(const struct world *world, const struct store *store, enum place place,
		  __u32 least, size_t most, struct htmm_page *list, __u64 *cut)
{
	u32 count[HTMM_REGION_PAGES];
	size_t i, page, nr = 0;
	__u32 last;
	bool all;

	last = limit(world, store, place, most, &all);
	if (cut)
		*cut = all ? 0 : last;
	if (place == PLACE_SLOW && last < least) {
		last = least;
		if (cut)
			*cut = least - 1;
	}
	for (i = 0; i < world->nr; i++) {
		const struct world_region *region = &world->region[i];

		htmm_table_counts(&store->table, region->space, region->base >> HTMM_PAGE_SHIFT,
				  count, NULL);
		/* Of pages without samples alone there may be more than fit. */
		for (page = 0; page < WORLD_PAGES && nr < most; page++) {
			__u32 at = count_slot(count[page]);

			if (region->place[page] != place ||
			    (place == PLACE_FAST ? at > last : at < last))
				continue;
			list[nr++] = page_at(world, region, page, count[page]);
		}
	}
	return nr;
}

size_t world_range(const struct world *world, const struct store *store, enum place place,
		   const struct policy_range *range, struct htmm_page *list)
{
	u32 count[HTMM_REGION_PAGES];
	size_t page, nr = 0;
	__u64 base;

	for (base = range->start; base < range->end; base += REGION_BYTES) {
		const struct world_region *region = find(world, range->space, base);

		if (!region)
			continue;
		htmm_table_counts(&store->table, range->space, base >> HTMM_PAGE_SHIFT, count,
				  NULL);
		for (page = 0; page < WORLD_PAGES; page++)
			if (region->place[page] == place)
				list[nr++] = page_at(world, region, page, count[page]);
	}
	return nr;
}

size_t world_find(const struct world *world, size_t most, size_t *at, struct htmm_page *list,
		  __u64 *walked)
{
	size_t page, nr = 0, regions = 0;

	*walked = 0;
	for (; regions < world->nr && nr + WORLD_PAGES <= most; regions++, (*at)++) {
		const struct world_region *region = &world->region[*at % world->nr];

		*walked += WORLD_PAGES;
		for (page = 0; page < WORLD_PAGES; page++)
			if (region->place[page] == PLACE_FAST)
				list[nr++] = page_at(world, region, page, 0);
	}
	return nr;
}

size_t world_regions(const struct world *world, const struct store *store,
		     struct htmm_page *list)
{
	u32 count[HTMM_REGION_PAGES];
	size_t i, page;

	for (i = 0; i < world->nr; i++) {
		const struct world_region *region = &world->region[i];

		htmm_table_counts(&store->table, region->space, region->base >> HTMM_PAGE_SHIFT,
				  count, NULL);
		list[i] = (struct htmm_page) {
			.addr = region->base, .space = region->space, .pid = region->space + 1,
			.mapping_shift = HTMM_REGION_SHIFT,
		};
		for (page = 0; page < WORLD_PAGES; page++)
			list[i].samples += count[page];
	}
	return i;
}

void world_free(struct world *world)
{
	free(world->region);
	free(world->index);
	*world = (struct world) {};
}
