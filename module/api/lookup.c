// SPDX-License-Identifier: GPL-2.0
/* Where the elements of a list are. */
#include <linux/slab.h>
#include <linux/sort.h>
#include "listing.h"
#include "track/walker.h"

/**
 * struct htmm_spot - an element of a list, to be looked up
 * @page: its name in its target
 * @owner: its target
 * @index: its place in the list
 */
struct htmm_spot {
	u64 page;
	u32 owner;
	u32 index;
};

/**
 * struct htmm_lookup - looking up the elements of a list
 * @listing: the list
 * @walker: reads page tables
 * @pages: the list's elements
 * @owner: target of the walker's address space
 * @space: number of the walker's address space; 0: none yet
 * @dead: nothing more can be read in it
 * @skipped: address spaces that could not be read
 */
struct htmm_lookup {
	struct htmm_listing *listing;
	struct htmm_walker *walker;
	struct htmm_page *pages;
	u32 owner;
	u32 space;
	bool dead;
	u32 skipped;
};

static int htmm_spot_compare(const void *a, const void *b)
{
	const struct htmm_spot *x = a, *y = b;

	/* There may be many, and sort() does not let others run. */
	cond_resched();
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return 0;
}

static u64 htmm_spot_vpn(const struct htmm_spot *spot)
{
	return spot->page & HTMM_VPN_MAX;
}

/* Go to the address space of @spot. Returns false if it cannot be read. */
static bool htmm_lookup_enter(struct htmm_lookup *lookup, const struct htmm_spot *spot)
{
	struct htmm_walker *walker = lookup->walker;
	u32 space = spot->page >> HTMM_VPN_BITS;
	struct htmm_target_table *target;

	if (spot->owner == lookup->owner && space == lookup->space)
		return !lookup->dead;
	if (walker->mm)
		htmm_walker_leave(walker);
	lookup->owner = spot->owner;
	lookup->space = space;
	target = lookup->listing->targets.target[htmm_listing_index(lookup->listing, spot->owner)];
	lookup->dead = !htmm_walker_enter(walker, target, space, space, NULL);
	return !lookup->dead;
}

/* The place of a region: that of the first of its pages on the node that most of them are on. */
static const struct htmm_place *htmm_place_of_most(const struct htmm_place *place, u32 n)
{
	u32 i, best = 0, votes = 0;

	/*
	 * Count votes for and against the leader: finds a node that has more than half. If
	 * none has, any of those with many.
	 */
	for (i = 0; i < n; i++) {
		if (place[i].node == NUMA_NO_NODE)
			continue;
		if (!votes)
			best = i;
		votes += place[i].node == place[best].node ? 1 : -1;
	}
	return &place[best];
}

void htmm_page_set_place(struct htmm_page *page, const struct htmm_place *place)
{
	if (place->node == NUMA_NO_NODE)
		return;
	page->node = place->node;
	page->mapping_shift = place->shift;
}

/* Look up elements of one region, from the first to the last of them. */
static int htmm_lookup_region(struct htmm_lookup *lookup, const struct htmm_spot *spot, u32 n)
{
	bool whole = lookup->listing->list->unit == HTMM_UNIT_REGION;
	int node = htmm_listing_node(lookup->listing->list);
	struct htmm_walker *walker = lookup->walker;
	u64 first = htmm_spot_vpn(spot);
	struct htmm_place place;
	u32 pages, i;
	int ret;

	if (!htmm_lookup_enter(lookup, spot))
		return 0;
	pages = whole ? HTMM_REGION_PAGES : htmm_spot_vpn(&spot[n - 1]) - first + 1;
	ret = htmm_walker_read(walker, first, pages);
	if (ret) {
		lookup->dead = true;
		lookup->skipped += ret == -EBUSY;
		return ret == -EINTR ? ret : 0;
	}
	if (whole) {
		htmm_walker_translate(walker, node);
		htmm_page_set_place(&lookup->pages[spot->index],
				    htmm_place_of_most(walker->place, pages));
		return 0;
	}
	rcu_read_lock();
	for (i = 0; i < n; i++) {
		place = htmm_walker_place(walker, htmm_spot_vpn(&spot[i]) - first, node);
		htmm_page_set_place(&lookup->pages[spot[i].index], &place);
	}
	rcu_read_unlock();
	return 0;
}

/* Number of elements, from the first on, that are in the same region. */
static u32 htmm_spot_run(const struct htmm_spot *spot, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++) {
		if (spot[i].owner != spot->owner || spot[i].page <= spot[i - 1].page ||
		    htmm_region_key(spot[i].page) != htmm_region_key(spot->page))
			break;
	}
	return i;
}

/* Returns how many were looked up: all, or those before a signal if they are the first. */
static int htmm_lookup_all(struct htmm_lookup *lookup, const struct htmm_spot *spot, u32 n)
{
	bool in_order = lookup->listing->list->order == HTMM_ORDER_TABLE;
	u32 i, run;
	int ret = 0;

	for (i = 0; i < n; i += run) {
		run = htmm_spot_run(&spot[i], n - i);
		ret = htmm_lookup_region(lookup, &spot[i], run);
		if (ret)
			break;
	}
	if (lookup->walker->mm)
		htmm_walker_leave(lookup->walker);
	return ret && !(in_order && i) ? ret : i;
}

/*
 * Find out where the elements of a list are: node and mapping size are set where they are known.
 * @by_place: those of a region are one after the other, as in a list by table. Others are sorted
 * by region, so that each region is read once.
 *
 * Returns @n; fewer if a signal came, and then only in the order of the table; -ENOMEM or
 * -EINTR.
 */
int htmm_listing_place(struct htmm_listing *listing, struct htmm_page *pages, u32 n, bool by_place)
{
	struct htmm_lookup lookup = { .listing = listing, .pages = pages };
	struct htmm_spot *spot;
	int ret = -ENOMEM;
	u32 i;

	spot = kvmalloc_array(n, sizeof(*spot), GFP_KERNEL_ACCOUNT);
	lookup.walker = kvzalloc(sizeof(*lookup.walker), GFP_KERNEL_ACCOUNT);
	if (!spot || !lookup.walker)
		goto out;
	for (i = 0; i < n; i++)
		spot[i] = (struct htmm_spot) {
			.page = htmm_page(pages[i].space, pages[i].addr >> HTMM_PAGE_SHIFT),
			.owner = pages[i].target,
			.index = i,
		};
	if (!by_place)
		sort(spot, n, sizeof(*spot), htmm_spot_compare, NULL);
	ret = htmm_lookup_all(&lookup, spot, n);
	/* The same ones may be skipped again in the next step of a call. */
	listing->skipped = max(listing->skipped, lookup.skipped);
out:
	kvfree(lookup.walker);
	kvfree(spot);
	return ret;
}
