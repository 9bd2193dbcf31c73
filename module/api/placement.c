// SPDX-License-Identifier: GPL-2.0
/* Where pages are: for the entries of a list, and summed up for targets. */
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/xarray.h>
#include "base/alloc.h"
#include "core/query.h"
#include "listing.h"
#include "track/placement.h"

/**
 * htmm_listing_tracker - a target by its number
 * @trackers: targets
 * @owner: the number
 *
 * Return: the target or NULL.
 */
struct htmm_tracker *htmm_listing_tracker(struct htmm_tracker_list *trackers, u32 owner)
{
	unsigned int i;

	for (i = 0; i < trackers->nr; i++)
		if (trackers->tracker[i]->config.owner == owner)
			return trackers->tracker[i];
	return NULL;
}

/* The node that a list is of; NUMA_NO_NODE: all. */
static int htmm_listing_node(const struct htmm_list_pages *list)
{
	return list->flags & HTMM_LIST_NODE ? list->node : NUMA_NO_NODE;
}

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
 * @mm: number of the walker's address space; 0: none yet
 * @dead: nothing more can be read in it
 * @skipped: address spaces that could not be read
 */
struct htmm_lookup {
	struct htmm_listing *listing;
	struct htmm_walker *walker;
	struct htmm_page *pages;
	u32 owner;
	u32 mm;
	bool dead;
	u32 skipped;
};

static int htmm_spot_compare(const void *a, const void *b)
{
	const struct htmm_spot *x = a, *y = b;

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

static u32 htmm_spot_mm(const struct htmm_spot *spot)
{
	return spot->page >> HTMM_VPN_BITS;
}

/* Go to the address space of @spot. Returns false if it cannot be read. */
static bool htmm_lookup_enter(struct htmm_lookup *lookup, const struct htmm_spot *spot)
{
	struct htmm_walker *walker = lookup->walker;
	u32 mm = htmm_spot_mm(spot);

	if (spot->owner == lookup->owner && mm == lookup->mm)
		return !lookup->dead;
	if (walker->mm)
		htmm_walker_leave(walker);
	lookup->owner = spot->owner;
	lookup->mm = mm;
	lookup->dead = !htmm_walker_enter(walker, htmm_listing_tracker(&lookup->listing->trackers,
								       spot->owner), mm);
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

static void htmm_page_set_place(struct htmm_page *page, const struct htmm_place *place)
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
		htmm_walker_translate(walker);
		htmm_page_set_place(&lookup->pages[spot->index],
				    htmm_place_of_most(walker->place, pages));
		return 0;
	}
	for (i = 0; i < n; i++) {
		place = htmm_walker_place(walker, htmm_spot_vpn(&spot[i]) - first);
		htmm_page_set_place(&lookup->pages[spot[i].index], &place);
	}
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

static int htmm_lookup_all(struct htmm_lookup *lookup, const struct htmm_spot *spot, u32 n)
{
	u32 i, run;
	int ret = 0;

	for (i = 0; !ret && i < n; i += run) {
		run = htmm_spot_run(&spot[i], n - i);
		ret = htmm_lookup_region(lookup, &spot[i], run);
	}
	if (lookup->walker->mm)
		htmm_walker_leave(lookup->walker);
	return ret;
}

/**
 * htmm_listing_place - find out where the elements of a list are
 * @listing: the list
 * @pages: elements of it; node and mapping size are set where they are known
 * @n: number of elements
 *
 * The elements are sorted by region, so that each region is read once. A list by table has
 * regions one after the other already.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM or -EINTR.
 */
int htmm_listing_place(struct htmm_listing *listing, struct htmm_page *pages, u32 n)
{
	struct htmm_lookup lookup = { .listing = listing, .pages = pages };
	struct htmm_spot *spot;
	int ret = -ENOMEM;
	u32 i;

	spot = kvmalloc_array(n, sizeof(*spot), GFP_KERNEL_ACCOUNT);
	lookup.walker = htmm_walker_create(htmm_listing_node(listing->list));
	if (!spot || !lookup.walker)
		goto out;
	for (i = 0; i < n; i++)
		spot[i] = (struct htmm_spot) {
			.page = htmm_page(pages[i].space, pages[i].addr >> HTMM_PAGE_SHIFT),
			.owner = pages[i].target,
			.index = i,
		};
	if (listing->list->order != HTMM_ORDER_TABLE)
		sort(spot, n, sizeof(*spot), htmm_spot_compare, NULL);
	ret = htmm_lookup_all(&lookup, spot, n);
	/* The same ones may be skipped again in the next step of a call. */
	listing->skipped = max(listing->skipped, lookup.skipped);
out:
	htmm_walker_free(lookup.walker);
	kvfree(spot);
	return ret;
}

/**
 * struct htmm_slice - a part of an address space with the counts of its pages
 * @tracker: the target
 * @walker: tells where the pages are
 * @count: counts of all pages of the region
 * @tracked: a bitmap of its pages that are tracked
 */
struct htmm_slice {
	struct htmm_tracker *tracker;
	struct htmm_walker *walker;
	u32 count[HTMM_REGION_PAGES];
	u64 tracked[HTMM_REGION_PAGES / 64];
};

/* Load the counts, if the walker has found pages. Returns false if it has not. */
static bool htmm_slice_load(struct htmm_slice *slice)
{
	const struct htmm_walker *walker = slice->walker;
	u32 i;

	for (i = 0; i < walker->n && walker->place[i].node == NUMA_NO_NODE; i++)
		;
	if (i == walker->n)
		return false;
	htmm_tracker_get_counts(slice->tracker, walker->id, walker->vpn, slice->count,
				slice->tracked);
	return true;
}

static struct htmm_slice *htmm_slice_create(int node)
{
	struct htmm_slice *slice = kvzalloc(sizeof(*slice), GFP_KERNEL_ACCOUNT);

	if (!slice)
		return NULL;
	slice->walker = htmm_walker_create(node);
	if (!slice->walker) {
		kvfree(slice);
		return NULL;
	}
	return slice;
}

static void htmm_slice_free(struct htmm_slice *slice)
{
	htmm_walker_free(slice->walker);
	kvfree(slice);
}

/**
 * struct htmm_residents - listing resident pages
 * @listing: the list
 * @slice: the part being visited
 * @topn: by count
 * @len: by address: number of entries found
 */
struct htmm_residents {
	struct htmm_listing *listing;
	struct htmm_slice *slice;
	struct htmm_topn topn;
	u32 len;
};

static bool htmm_residents_by_count(const struct htmm_residents *residents)
{
	return residents->listing->list->order == HTMM_ORDER_COLDEST;
}

/* Is the list complete? What is still to be visited comes after all that has been. */
static bool htmm_residents_full(const struct htmm_residents *residents)
{
	return htmm_residents_by_count(residents) ?
	       htmm_topn_complete(&residents->topn) :
	       residents->len == residents->listing->size;
}

static void htmm_residents_add(struct htmm_residents *residents,
			       const struct htmm_topn_entry *entry)
{
	struct htmm_listing *listing = residents->listing;

	if (htmm_residents_by_count(residents))
		htmm_topn_offer(&residents->topn, entry);
	else if (residents->len < listing->size)
		listing->entries[residents->len++] = *entry;
}

static void htmm_residents_visit(struct htmm_residents *residents)
{
	const struct htmm_listing *listing = residents->listing;
	const struct htmm_slice *slice = residents->slice;
	const struct htmm_walker *walker = slice->walker;
	struct htmm_topn_entry entry = {
		.mm = walker->id,
		.owner = slice->tracker->config.owner,
	};
	u32 i;

	for (i = 0; i < walker->n; i++) {
		if (walker->place[i].node == NUMA_NO_NODE)
			continue;
		if (listing->list->flags & HTMM_LIST_NODE &&
		    walker->place[i].node != listing->list->node)
			continue;
		entry.vpn = walker->vpn + i;
		entry.value = slice->count[entry.vpn % HTMM_REGION_PAGES];
		if (htmm_topn_takes_page(&listing->filter, entry.vpn, entry.value))
			htmm_residents_add(residents, &entry);
	}
}

/*
 * List the pages of the walker's address space, from @walker->next on. One that is given up
 * is counted.
 */
static int htmm_residents_space(struct htmm_residents *residents)
{
	struct htmm_slice *slice = residents->slice;
	u64 last = min_t(u64, residents->listing->filter.last, HTMM_VPN_MAX);
	int ret;

	while (!htmm_residents_full(residents)) {
		ret = htmm_walker_next(slice->walker, last);
		if (ret <= 0)
			return ret;
		if (htmm_slice_load(slice))
			htmm_residents_visit(residents);
	}
	return 0;
}

static int htmm_residents_tracker(struct htmm_residents *residents, u32 mm, u64 vpn)
{
	struct htmm_listing *listing = residents->listing;
	struct htmm_walker *walker = residents->slice->walker;
	u32 skipped = 0, from = mm;
	int ret = 0;

	while (!htmm_residents_full(residents) && ret != -EINTR &&
	       htmm_walker_enter_from(walker, residents->slice->tracker, from, listing->mms)) {
		walker->next = max(listing->filter.first, walker->id == mm ? vpn : 0);
		ret = htmm_residents_space(residents);
		htmm_walker_leave(walker);
		skipped += ret == -EBUSY;
		from = walker->id + 1;
	}
	listing->skipped += skipped;
	return ret == -EINTR ? ret : 0;
}

static int htmm_residents_run(struct htmm_residents *residents)
{
	struct htmm_listing *listing = residents->listing;
	struct htmm_tracker_list *trackers = &listing->trackers;
	/* By address, the list continues after the cursor; by count, anywhere. */
	bool seek = listing->resumed && !htmm_residents_by_count(residents);
	const struct htmm_topn_entry *after = &listing->after;
	unsigned int i;
	int ret = 0;
	u32 owner;

	listing->skipped = 0;
	for (i = 0; !ret && i < trackers->nr; i++) {
		residents->slice->tracker = trackers->tracker[i];
		owner = trackers->tracker[i]->config.owner;
		if ((seek && owner < after->owner) ||
		    !htmm_listing_choose(listing, trackers->tracker[i]))
			continue;
		if (seek && owner == after->owner)
			ret = htmm_residents_tracker(residents, after->mm, after->vpn + 1);
		else
			ret = htmm_residents_tracker(residents, 0, 0);
	}
	return ret;
}

/**
 * htmm_listing_residents - list resident pages, tracked or not
 * @listing: the list
 *
 * Context: process context of the reader; may sleep.
 * Return: number of entries, 0 at the end, -ENOMEM or -EINTR.
 */
int htmm_listing_residents(struct htmm_listing *listing)
{
	struct htmm_residents residents = { .listing = listing };
	int ret;

	residents.slice = htmm_slice_create(htmm_listing_node(listing->list));
	if (!residents.slice)
		return -ENOMEM;
	htmm_topn_init(&residents.topn, HTMM_LIST_PAGES, 0, listing->entries, listing->size);
	htmm_topn_select(&residents.topn, &listing->filter, true);
	if (listing->resumed)
		htmm_topn_after(&residents.topn, &listing->after);
	ret = htmm_residents_run(&residents);
	if (!ret)
		ret = htmm_residents_by_count(&residents) ?
		      htmm_topn_finish(&residents.topn) : residents.len;
	htmm_slice_free(residents.slice);
	return ret;
}

/* What is known of a frame: four flags, and the sum of its counts plus 1 if it is tracked. */
#define HTMM_FRAME_SEEN		BIT(31)
#define HTMM_FRAME_SHARED	BIT(30)
#define HTMM_FRAME_HOT		BIT(29)
#define HTMM_FRAME_WARM		BIT(28)
#define HTMM_FRAME_SUM		(BIT(28) - 1)
/* Frames whose knowledge is allocated together. */
#define HTMM_FRAMES		512

/**
 * struct htmm_sum - the placement of targets, being summed up
 * @slice: the part being visited
 * @index: element in @by_node for each node of the machine, plus 1; 0: none
 * @by_node: sums by node
 * @out: sums over all nodes
 * @thresholds: of the target being visited
 * @found_pages: tracked pages that were found
 * @found_samples: sum of their counts
 * @frames: what is known of each frame seen so far, to count it once: arrays of HTMM_FRAMES,
 *	allocated as needed. They take at most 1/1024 of the machine's memory
 */
struct htmm_sum {
	struct htmm_slice *slice;
	u16 index[MAX_NUMNODES];
	struct htmm_placed *by_node;
	struct htmm_placement *out;
	struct htmm_thresholds thresholds;
	u64 found_pages;
	u64 found_samples;
	struct xarray frames;
};

static u32 *htmm_sum_frame(struct htmm_sum *sum, unsigned long pfn)
{
	unsigned long block = pfn / HTMM_FRAMES;
	u32 *frames = xa_load(&sum->frames, block);

	if (!frames) {
		frames = kcalloc(HTMM_FRAMES, sizeof(*frames), HTMM_GFP);
		if (!frames || xa_err(xa_store(&sum->frames, block, frames, HTMM_GFP))) {
			kfree(frames);
			return NULL;
		}
	}
	return &frames[pfn % HTMM_FRAMES];
}

/* Add @change pages with a count to a node's sums; the flags of a frame tell which. */
static void htmm_sum_count(struct htmm_sum *sum, u32 node, u32 frame, int change)
{
	struct htmm_node_placement *to = &sum->by_node->nodes[node];
	u32 total = frame & HTMM_FRAME_SUM, bin;

	if (!total)
		return;
	bin = htmm_hist_bin(total - 1);
	to->tracked_pages += change;
	to->hot_pages += frame & HTMM_FRAME_HOT ? change : 0;
	to->warm_pages += frame & HTMM_FRAME_WARM ? change : 0;
	sum->by_node->bins[node * HTMM_NR_BINS + bin].pages += change;
}

/* What is known of a frame when one more address space has @count for it. */
static u32 htmm_frame_add(const struct htmm_sum *sum, u32 frame, u32 count)
{
	u64 total = (u64)(frame & HTMM_FRAME_SUM ?: 1) + count;
	unsigned int bin;
	u32 class = 0;

	total = min_t(u64, total, HTMM_FRAME_SUM);
	bin = htmm_hist_bin(total - 1);
	if (bin >= sum->thresholds.hot || frame & HTMM_FRAME_HOT)
		class = HTMM_FRAME_HOT;
	else if (bin >= sum->thresholds.warm || frame & HTMM_FRAME_WARM)
		class = HTMM_FRAME_WARM;
	return (frame & (HTMM_FRAME_SEEN | HTMM_FRAME_SHARED)) | class | total;
}

static int htmm_sum_page(struct htmm_sum *sum, const struct htmm_place *place, u32 node,
			 bool tracked, u32 count)
{
	struct htmm_node_placement *to = &sum->by_node->nodes[node];
	u32 *frame = htmm_sum_frame(sum, place->pfn);

	if (!frame)
		return -ENOMEM;
	if (!*frame) {
		*frame = HTMM_FRAME_SEEN;
		to->pages++;
		to->huge_pages += place->shift > HTMM_PAGE_SHIFT;
	} else if (!(*frame & HTMM_FRAME_SHARED)) {
		*frame |= HTMM_FRAME_SHARED;
		sum->out->shared_pages++;
	}
	if (!tracked)
		return 0;
	to->samples += count;
	sum->found_samples += count;
	sum->found_pages++;
	htmm_sum_count(sum, node, *frame, -1);
	*frame = htmm_frame_add(sum, *frame, count);
	htmm_sum_count(sum, node, *frame, 1);
	return 0;
}

static int htmm_sum_visit(struct htmm_sum *sum)
{
	const struct htmm_slice *slice = sum->slice;
	const struct htmm_walker *walker = slice->walker;
	const struct htmm_place *place;
	u32 i, page, node;
	int ret = 0;

	for (i = 0; !ret && i < walker->n; i++) {
		place = &walker->place[i];
		/* A node that got memory after the call began has no place in the result. */
		node = place->node == NUMA_NO_NODE ? 0 : sum->index[place->node];
		if (!node)
			continue;
		page = (walker->vpn + i) % HTMM_REGION_PAGES;
		ret = htmm_sum_page(sum, place, node - 1,
				    slice->tracked[page / 64] >> page % 64 & 1,
				    slice->count[page]);
	}
	return ret;
}

/* Sum up one address space. Returns 0 even if it had to be given up. */
static int htmm_sum_space(struct htmm_sum *sum)
{
	struct htmm_slice *slice = sum->slice;
	int ret;

	while ((ret = htmm_walker_next(slice->walker, HTMM_VPN_MAX)) > 0) {
		if (!htmm_slice_load(slice))
			continue;
		ret = htmm_sum_visit(sum);
		if (ret)
			return ret;
	}
	sum->out->spaces += !ret;
	sum->out->skipped += ret == -EBUSY;
	return ret == -EINTR ? ret : 0;
}

static int htmm_sum_tracker(struct htmm_sum *sum, struct htmm_tracker *tracker)
{
	struct htmm_walker *walker = sum->slice->walker;
	struct htmm_tracker_hist *hist;
	int ret = 0;
	u32 mm = 0;

	hist = kzalloc(sizeof(*hist), GFP_KERNEL);
	if (!hist)
		return -ENOMEM;
	htmm_tracker_get_hist(tracker, HTMM_KIND_BASE, hist);
	sum->thresholds = hist->thresholds;
	kfree(hist);
	sum->slice->tracker = tracker;
	while (!ret && htmm_walker_enter_from(walker, tracker, mm, NULL)) {
		ret = htmm_sum_space(sum);
		htmm_walker_leave(walker);
		mm = walker->id + 1;
	}
	return ret;
}

/* What the tables have, less what was found. They may have changed during the walk. */
static int htmm_sum_unknown(struct htmm_sum *sum, struct htmm_tracker_list *trackers)
{
	struct htmm_tracker_hist *hist;
	struct htmm_hits *hits;
	u64 pages = 0, samples;
	unsigned int i;
	int ret = -ENOMEM;

	hist = kzalloc(sizeof(*hist), GFP_KERNEL);
	hits = kvzalloc(sizeof(*hits), GFP_KERNEL_ACCOUNT);
	if (!hist || !hits)
		goto out;
	for (i = 0; i < trackers->nr; i++) {
		htmm_tracker_get_hist(trackers->tracker[i], HTMM_KIND_BASE, hist);
		pages += htmm_hist_pages_from(&hist->hist, 0);
		htmm_tracker_get_hits(trackers->tracker[i], HTMM_KIND_BASE, hits);
	}
	samples = htmm_hits_share(hits, 0).samples;
	sum->out->unknown_pages = pages - min(pages, sum->found_pages);
	sum->out->unknown_samples = samples - min(samples, sum->found_samples);
	ret = 0;
out:
	kvfree(hits);
	kfree(hist);
	return ret;
}

/* Set the numbers of the nodes that have memory, and which of them have CPUs. */
static int htmm_sum_nodes(struct htmm_sum *sum)
{
	struct htmm_placed *to = sum->by_node;
	u32 max = num_node_state(N_MEMORY);
	int node;

	to->nodes = kvcalloc(max, sizeof(*to->nodes), GFP_KERNEL_ACCOUNT);
	to->bins = kvcalloc(max, HTMM_NR_BINS * sizeof(*to->bins), GFP_KERNEL_ACCOUNT);
	if (!to->nodes || !to->bins)
		return -ENOMEM;
	for_each_node_state(node, N_MEMORY) {
		if (to->nr == max)
			break;
		to->nodes[to->nr].node = node;
		if (node_state(node, N_CPU))
			to->nodes[to->nr].flags = HTMM_NODE_FAST;
		sum->index[node] = ++to->nr;
	}
	return 0;
}

static int htmm_sum_run(struct htmm_sum *sum, struct htmm_tracker_list *trackers)
{
	unsigned int i;
	int ret = htmm_sum_nodes(sum);

	for (i = 0; !ret && i < trackers->nr; i++)
		ret = htmm_sum_tracker(sum, trackers->tracker[i]);
	return ret ?: htmm_sum_unknown(sum, trackers);
}

static void htmm_sum_free(struct htmm_sum *sum)
{
	unsigned long block;
	u32 *frames;

	xa_for_each(&sum->frames, block, frames) {
		kfree(frames);
		cond_resched();
	}
	xa_destroy(&sum->frames);
	htmm_slice_free(sum->slice);
	kvfree(sum);
}

static struct htmm_sum *htmm_sum_create(void)
{
	struct htmm_sum *sum = kvzalloc(sizeof(*sum), GFP_KERNEL_ACCOUNT);

	if (!sum)
		return NULL;
	sum->slice = htmm_slice_create(NUMA_NO_NODE);
	if (!sum->slice) {
		kvfree(sum);
		return NULL;
	}
	xa_init(&sum->frames);
	return sum;
}

/**
 * htmm_snapshot_placement - where the pages of targets are
 * @session: the session
 * @out: its target is read; the sums over all nodes are set
 * @by_node: set to the sums by node, to be freed by htmm_placed_free(), also on failure
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP if this kernel cannot tell, -ENOENT if there is no such target,
 * -ENOMEM or -EINTR.
 */
int htmm_snapshot_placement(struct htmm_session *session, struct htmm_placement *out,
			    struct htmm_placed *by_node)
{
	struct htmm_tracker_list trackers;
	struct htmm_sum *sum;
	int ret;

	*by_node = (struct htmm_placed) {};
	out->spaces = 0;
	out->skipped = 0;
	out->shared_pages = 0;
	if (!htmm_placement_supported())
		return -EOPNOTSUPP;
	sum = htmm_sum_create();
	if (!sum)
		return -ENOMEM;
	sum->out = out;
	sum->by_node = by_node;
	ret = htmm_tracker_set_get(&session->trackers, out->target, &trackers);
	if (!ret) {
		ret = htmm_sum_run(sum, &trackers);
		htmm_tracker_list_put(&trackers);
	}
	by_node->longest_ns = sum->slice->walker->longest_ns;
	htmm_sum_free(sum);
	return ret;
}

/**
 * htmm_placed_free - free the sums by node
 * @by_node: set by htmm_snapshot_placement()
 */
void htmm_placed_free(struct htmm_placed *by_node)
{
	kvfree(by_node->bins);
	kvfree(by_node->nodes);
}
