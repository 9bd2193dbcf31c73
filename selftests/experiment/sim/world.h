/* SPDX-License-Identifier: GPL-2.0 */
/* Simulated memory of two tiers: which pages there are, and where. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "policy/policy.h"
#include "report/store.h"

#define WORLD_PAGES	512

/* Where a page is. */
enum place { PLACE_NOWHERE, PLACE_SLOW, PLACE_FAST };

/**
 * struct world_region - 2 MiB of an address space
 * @space: number of the address space
 * @base: its first address
 * @place: of each page
 */
struct world_region {
	__u32 space;
	__u64 base;
	__u8 place[WORLD_PAGES];
};

/**
 * struct world - the memory
 * @capacity: pages of the fast tier
 * @used: how many of them are in use
 * @page_shift: size of the mappings, 12 or 21
 * @region: the regions
 * @nr: how many
 * @room: private: room in @region
 * @index: private: finds regions
 * @mask: private: size of @index, less one
 */
struct world {
	__u64 capacity;
	__u64 used;
	unsigned int page_shift;
	struct world_region *region;
	size_t nr;
	size_t room;
	__u32 *index;
	size_t mask;
};

/**
 * world_touch() - find a page; new ones are put into the fast tier while there is room
 * @world: the memory
 * @space: its address space
 * @addr: an address in it
 *
 * Return: its place, or PLACE_NOWHERE if there is no memory.
 */
enum place world_touch(struct world *world, __u32 space, __u64 addr);

/**
 * world_move() - move a page
 * @world: the memory
 * @space: its address space
 * @addr: its address
 * @pages: its size in pages of 4 KiB
 * @place: where to
 *
 * Return: true if it was moved: it was elsewhere, and there was room.
 */
bool world_move(struct world *world, __u32 space, __u64 addr, __u32 pages, enum place place);

/**
 * world_list() - list pages, as HTMM_IOC_LIST_PAGES does in the order of the table
 * @world: the memory
 * @store: their counts
 * @place: pages of this tier
 * @least: pages with fewer samples are not listed
 * @most: the most pages
 * @list: array of @most pages or more, filled: of the fast tier those with the fewest
 *	samples, of the slow one those with the most
 * @cut: set to the count at which pages were left out, those below @least included; 0: all
 *	are there. May be NULL
 *
 * Return: how many.
 */
size_t world_list(const struct world *world, const struct store *store, enum place place,
		  __u32 least, size_t most, struct htmm_page *list, __u64 *cut);

/**
 * world_range() - list the pages that a tier has in a range
 * @world: the memory
 * @store: the counts
 * @place: which tier
 * @range: the range, of whole regions
 * @list: filled
 *
 * Return: how many there are.
 */
size_t world_range(const struct world *world, const struct store *store, enum place place,
		   const struct policy_range *range, struct htmm_page *list);

/**
 * world_find() - find pages of the fast tier
 * @world: the memory
 * @most: how many
 * @at: the region to begin with; set to the next one
 * @list: filled
 * @walked: pages that were passed
 *
 * Return: how many were found.
 */
size_t world_find(const struct world *world, size_t most, size_t *at, struct htmm_page *list,
		  __u64 *walked);

/**
 * world_regions() - list all regions, with their samples
 * @world: the memory
 * @store: the counts
 * @list: filled; has room for all
 *
 * Return: how many there are.
 */
size_t world_regions(const struct world *world, const struct store *store,
		     struct htmm_page *list);

void world_free(struct world *world);

#endif /* SIM_WORLD_H */
