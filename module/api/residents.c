// SPDX-License-Identifier: GPL-2.0
/* Lists of resident pages, whether they have samples or not. */
#include <linux/slab.h>
#include "listing.h"

/**
 * struct htmm_residents - listing resident pages
 * @listing: the list
 * @walker: finds the pages
 * @topn: the entries found
 */
struct htmm_residents {
	struct htmm_listing *listing;
	struct htmm_walker *walker;
	struct htmm_topn topn;
};

static void htmm_residents_visit(struct htmm_residents *residents)
{
	const struct htmm_walker *walker = residents->walker;
	struct htmm_listing *listing = residents->listing;
	struct htmm_topn *topn = &residents->topn;
	struct htmm_topn_entry entry = {
		.space = walker->id,
		.owner = walker->target->number,
	};
	bool others = listing->list->flags & HTMM_LIST_OTHERS, chosen;
	int wanted = htmm_listing_node(listing->list), node;
	struct htmm_place place;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < walker->n; i++) {
		entry.vpn = walker->vpn + i;
		entry.value = walker->count[entry.vpn % HTMM_REGION_PAGES];
		chosen = htmm_topn_takes_page(&listing->filter, entry.vpn, entry.value);
		node = chosen && others ? NUMA_NO_NODE : wanted;
		/* Most pages of other nodes are not listed. */
		if ((!chosen && !others) || !htmm_walker_may_be_on(walker, i, node))
			continue;
		place = htmm_walker_place(residents->walker, i, node);
		if (place.node == NUMA_NO_NODE || (node != NUMA_NO_NODE && place.node != node))
			continue;
		if (!listing->place) {
			htmm_topn_offer(topn, &entry);
		} else if (topn->len < topn->size) {
			/* They come by address, after the cursor. */
			listing->place[topn->len] = place;
			listing->entries[topn->len++] = entry;
		}
	}
	rcu_read_unlock();
}

/* List the pages of the walker's address space, from @walker->next on. */
static int htmm_residents_space(struct htmm_residents *residents)
{
	u64 last = min_t(u64, residents->listing->filter.last, HTMM_VPN_MAX);
	int ret;

	/* If it is complete: what is still to be visited comes after all that has been. */
	while (!htmm_topn_complete(&residents->topn)) {
		ret = htmm_walker_next(residents->walker, last);
		if (ret <= 0)
			return ret;
		if (htmm_walker_count(residents->walker))
			htmm_residents_visit(residents);
	}
	return 0;
}

/* List a target's pages from page @vpn of address space @space on. Count what is given up. */
static int htmm_residents_target(struct htmm_residents *residents,
				 struct htmm_target_table *target, u32 space, u64 vpn)
{
	struct htmm_listing *listing = residents->listing;
	struct htmm_walker *walker = residents->walker;
	u32 from = space;
	int ret = 0;

	while (!htmm_topn_complete(&residents->topn) && ret != -EINTR &&
	       htmm_walker_enter(walker, target, from, HTMM_SPACE_MAX, listing->spaces)) {
		walker->next = max(listing->filter.first, walker->id == space ? vpn : 0);
		ret = htmm_residents_space(residents);
		htmm_walker_leave(walker);
		listing->skipped += ret == -EBUSY;
		from = walker->id + 1;
	}
	return ret == -EINTR ? ret : 0;
}

static int htmm_residents_run(struct htmm_residents *residents)
{
	struct htmm_listing *listing = residents->listing;
	const struct htmm_topn_entry *after = &listing->after;
	/* By address, the list continues after the cursor; by count, anywhere. */
	bool by_address = residents->topn.order == HTMM_ORDER_TABLE;
	u32 first = listing->resumed && by_address ? after->owner : 0, owner;
	struct htmm_target_table *target;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < listing->targets.nr; i++) {
		target = listing->targets.target[i];
		owner = target->number;
		if (owner < first || !htmm_listing_choose(listing, target))
			continue;
		if (owner == first)
			ret = htmm_residents_target(residents, target, after->space,
						    after->vpn + 1);
		else
			ret = htmm_residents_target(residents, target, 0, 0);
	}
	return ret;
}

/*
 * List resident pages, tracked or not. Context: the reader. Returns the number of entries, 0 at
 * the end, -ENOMEM or -EINTR.
 */
int htmm_listing_residents(struct htmm_listing *listing)
{
	struct htmm_residents residents = {
		.listing = listing,
		.walker = kvzalloc(sizeof(*residents.walker), GFP_KERNEL_ACCOUNT),
	};
	int ret;

	if (!residents.walker)
		return -ENOMEM;
	listing->skipped = 0;
	htmm_listing_init_topn(listing, &residents.topn);
	ret = htmm_listing_finish(&residents.topn, htmm_residents_run(&residents));
	kvfree(residents.walker);
	return ret;
}
