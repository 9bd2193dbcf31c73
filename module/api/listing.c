// SPDX-License-Identifier: GPL-2.0
/* Lists of pages and regions. */
#include <linux/sched.h>
#include <linux/slab.h>
#include "listing.h"

/* Fewest entries of the tables that are looked up at a time, to choose those on a node. */
#define HTMM_LISTING_STEP	4096
/* In a cursor, the tag above the page number: what the list has, in which order. Never 0. */
#define HTMM_CURSOR_TAG_SHIFT	56

static u64 htmm_cursor_tag(const struct htmm_list_pages *list)
{
	bool resident = list->flags & HTMM_LIST_RESIDENT;

	return (u64)(1 + list->order + 4 * list->unit + 8 * resident) << HTMM_CURSOR_TAG_SHIFT;
}

/*
 * Load a cursor: the last entry listed, and the list and session that it belongs to. All
 * zero means no cursor.
 */
static int htmm_cursor_load(struct htmm_listing *listing, u64 session)
{
	const __u64 *cursor = listing->list->cursor;

	listing->resumed = cursor[0] || cursor[1] || cursor[2] || cursor[3];
	if (!listing->resumed)
		return 0;
	if (cursor[3] != session)
		return -ESTALE;
	if ((cursor[1] ^ htmm_cursor_tag(listing->list)) >> HTMM_CURSOR_TAG_SHIFT)
		return -EINVAL;
	listing->after = (struct htmm_topn_entry) {
		.value = cursor[0],
		.vpn = cursor[1] & (BIT_ULL(HTMM_CURSOR_TAG_SHIFT) - 1),
		.space = lower_32_bits(cursor[2]),
		.owner = upper_32_bits(cursor[2]),
	};
	return 0;
}

static void htmm_cursor_store(struct htmm_list_pages *list, u64 session,
			      const struct htmm_topn_entry *entry)
{
	list->cursor[0] = entry->value;
	list->cursor[1] = entry->vpn | htmm_cursor_tag(list);
	list->cursor[2] = (u64)entry->owner << 32 | entry->space;
	list->cursor[3] = session;
}

/*
 * Walk over all tables; by place, only over those that follow the last entry listed. Returns 0
 * or -EINTR.
 */
static int htmm_listing_tables(struct htmm_listing *listing, struct htmm_topn *topn)
{
	bool by_place = topn->order == HTMM_ORDER_TABLE;
	u32 first = by_place && topn->after ? topn->after->owner : 0;
	struct htmm_target_list *targets = &listing->targets;
	struct htmm_target_table *target;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < targets->nr && !(by_place && htmm_topn_complete(topn)); i++) {
		target = targets->target[i];
		if (target->number < first || !htmm_listing_choose(listing, target))
			continue;
		if (by_place && target->number != first)
			topn->after = NULL;
		ret = htmm_target_scan(target, topn);
	}
	return ret;
}

/* Successive entries often have the same address space, so look it up only once. */
static void htmm_listing_describe(struct htmm_listing *listing, struct htmm_page *pages, u32 n)
{
	const struct htmm_topn_entry *entry = listing->entries, *last = NULL;
	struct htmm_space_owner owner = {};
	unsigned int at = 0;
	struct htmm_page *page;

	for (page = pages; page < pages + n; page++, last = entry++) {
		if (!last || entry->owner != last->owner)
			at = htmm_listing_index(listing, entry->owner);
		if (!last || entry->owner != last->owner || entry->space != last->space) {
			htmm_target_get_owner(listing->targets.target[at], entry->space, &owner);
			cond_resched();
		}
		*page = (struct htmm_page) {
			.addr = entry->vpn << HTMM_PAGE_SHIFT,
			.samples = entry->value,
			.pid = owner.pid,
			.space = entry->space,
			.bin = htmm_hist_bin(entry->value),
			.flags = owner.exited ? HTMM_PAGE_EXITED : 0,
			.target = entry->owner,
			.node = HTMM_NODE_UNKNOWN,
			.mapping_shift = HTMM_MAPPING_UNKNOWN,
		};
		if (page->bin >= listing->hot[at])
			page->flags |= HTMM_PAGE_HOT;
		if (listing->hidden)
			page->flags |= HTMM_PAGE_HIDDEN;
	}
}

static int htmm_listing_alloc(struct htmm_listing *listing)
{
	const struct htmm_list_pages *list = listing->list;

	listing->filter = (struct htmm_topn_filter) {
		.first = list->start >> HTMM_PAGE_SHIFT,
		.last = (list->end - 1) >> HTMM_PAGE_SHIFT,
		.min = list->min_samples,
		.max = list->max_samples ?: U64_MAX,
	};
	if (list->pid) {
		listing->spaces = kvcalloc(HTMM_SPACE_WORDS, sizeof(u64), GFP_KERNEL_ACCOUNT);
		if (!listing->spaces)
			return -ENOMEM;
		listing->filter.spaces = listing->spaces;
	}
	/* Not zeroed: of a large one often only the first elements are used. */
	listing->entries = kvmalloc_array(listing->size, sizeof(*listing->entries),
					  GFP_KERNEL_ACCOUNT);
	if (!listing->entries)
		return -ENOMEM;
	/* In this order they are found by their address, together with the place where they are. */
	if (!(list->flags & HTMM_LIST_RESIDENT && list->order == HTMM_ORDER_TABLE))
		return 0;
	listing->place = kvmalloc_array(listing->size, sizeof(*listing->place), GFP_KERNEL_ACCOUNT);
	return listing->place ? 0 : -ENOMEM;
}

/* List some more entries. Returns their number, 0 at the end, or an errno. */
static int htmm_listing_step(struct htmm_listing *listing)
{
	struct htmm_topn topn;

	if (listing->list->flags & HTMM_LIST_RESIDENT)
		return htmm_listing_residents(listing);
	htmm_listing_init_topn(listing, &topn);
	return htmm_listing_finish(&topn, htmm_listing_tables(listing, &topn));
}

/* Are entries of the tables to be chosen by their node? Resident pages are found with theirs. */
static bool htmm_listing_filters(const struct htmm_list_pages *list)
{
	return (list->flags & (HTMM_LIST_NODE | HTMM_LIST_RESIDENT)) == HTMM_LIST_NODE;
}

/* With a filter by node, more entries are looked up at a time than are wanted: some remain. */
static u32 htmm_listing_size(const struct htmm_list_pages *list, u32 n)
{
	if (!htmm_listing_filters(list))
		return n;
	return clamp_t(u32, 4 * n, HTMM_LISTING_STEP, HTMM_SNAPSHOT_PAGES);
}

/*
 * Offer @list all entries that are on the wanted node; in the order of the table, as many as it
 * takes, which become @pages. In one walk over the tables, those that it would take are collected,
 * and looked up some at a time: most of them are near each other. @step: room for these.
 */
static int htmm_listing_offer_node(struct htmm_listing *listing, struct htmm_page *step,
				   struct htmm_topn *list, struct htmm_page *pages)
{
	bool by_place = list->order == HTMM_ORDER_TABLE;
	struct htmm_topn found;
	struct htmm_topn_entry last;
	int i, n, ret;

	htmm_listing_init_topn(listing, &found);
	if (!by_place) {
		found.order = HTMM_ORDER_TABLE;
		found.into = list;
		found.after = NULL;
	}
	do {
		found.len = 0;
		ret = htmm_listing_tables(listing, &found);
		n = htmm_topn_finish(&found);
		if (ret || !n)
			return ret;
		htmm_listing_describe(listing, step, n);
		ret = htmm_listing_place(listing, step, n, true);
		for (i = 0; i < ret && !(by_place && htmm_topn_complete(list)); i++) {
			if (step[i].node != listing->list->node)
				continue;
			/* They are taken in the order in which they are found. */
			if (by_place)
				pages[list->len] = step[i];
			htmm_topn_offer(list, &listing->entries[i]);
		}
		/* The next call goes on after the last one looked up, wanted or not. */
		if (by_place && i)
			listing->after = listing->entries[i - 1];
		if (ret < n)
			return ret < 0 ? ret : -EINTR;
		last = listing->entries[n - 1];
		found.after = &last;
	} while (n == listing->size && !(by_place && htmm_topn_complete(list)));
	return 0;
}

/* List entries that are on the wanted node. Returns their number, or an errno. */
static int htmm_listing_by_node(struct htmm_listing *listing, struct htmm_page *pages, u32 room)
{
	struct htmm_page *step = kvmalloc_array(listing->size, sizeof(*step), GFP_KERNEL_ACCOUNT);
	struct htmm_topn list;
	int i, n, ret = -ENOMEM;

	htmm_listing_init_topn(listing, &list);
	list.size = room;
	list.entries = kvmalloc_array(room, sizeof(*list.entries), GFP_KERNEL_ACCOUNT);
	if (!step || !list.entries)
		goto out;
	n = htmm_listing_finish(&list, htmm_listing_offer_node(listing, step, &list, pages));
	ret = n;
	if (n <= 0 || list.order == HTMM_ORDER_TABLE)
		goto out;
	memcpy(listing->entries, list.entries, n * sizeof(*list.entries));
	listing->after = listing->entries[n - 1];
	htmm_listing_describe(listing, pages, n);
	/* For the sizes of their mappings. They may have moved since. */
	ret = htmm_listing_place(listing, pages, n, false);
	for (i = 0; i < n; i++)
		pages[i].node = listing->list->node;
out:
	kvfree(list.entries);
	kvfree(step);
	return ret;
}

static int htmm_listing_run(struct htmm_listing *listing, struct htmm_page *pages, u32 room)
{
	int n, i;

	if (htmm_listing_filters(listing->list))
		return htmm_listing_by_node(listing, pages, room);
	n = htmm_listing_step(listing);
	if (n <= 0)
		return n;
	htmm_listing_describe(listing, pages, n);
	for (i = 0; listing->place && i < n; i++)
		htmm_page_set_place(&pages[i], &listing->place[i]);
	if (!listing->place && !listing->hidden && listing->list->flags & HTMM_LIST_ANY_PLACEMENT)
		n = htmm_listing_place(listing, pages, n, listing->list->order == HTMM_ORDER_TABLE);
	/* Where the walk has found them. They may have moved since. */
	if (listing->list->flags & HTMM_LIST_NODE && !listing->place)
		for (i = 0; i < n; i++)
			pages[i].node = listing->list->node;
	if (n > 0)
		listing->after = listing->entries[n - 1];
	return n;
}

/*
 * The pages or regions after a cursor, which is advanced. @list is checked; @n is 1 to
 * HTMM_SNAPSHOT_PAGES. Context: the reader, whose pid namespace counts.
 *
 * Returns the number of entries, 0 at the end of the list, -ESTALE if the cursor belongs to
 * another session, -EINVAL if it belongs to another list, -ENOENT if there is no such target,
 * -EINTR, or -ENOMEM.
 */
int htmm_snapshot_pages(struct htmm_session *session, struct htmm_list_pages *list,
			struct htmm_page *pages, u32 n)
{
	struct htmm_listing listing = {
		.list = list,
		.hidden = list->flags & HTMM_LIST_ANY_PLACEMENT && !htmm_places_permitted(),
	};
	unsigned int i;
	int ret;

	listing.size = htmm_listing_size(list, n);
	ret = htmm_cursor_load(&listing, session->number);
	if (!ret)
		ret = htmm_listing_alloc(&listing);
	if (!ret)
		ret = htmm_target_set_get(&session->targets, list->target, &listing.targets);
	if (ret)
		goto out;

	/* Thresholds of the moment: pages may have gone since any other. */
	mutex_lock(&session->targets.lock);
	for (i = 0; i < listing.targets.nr; i++)
		listing.hot[i] = htmm_target_thresholds(listing.targets.target[i], list->unit).hot;
	mutex_unlock(&session->targets.lock);
	ret = htmm_listing_run(&listing, pages, n);
	if (ret > 0)
		htmm_cursor_store(list, session->number, &listing.after);
	list->skipped = listing.skipped;
	htmm_target_list_put(&listing.targets);
out:
	kvfree(listing.place);
	kvfree(listing.entries);
	kvfree(listing.spaces);
	return ret;
}
