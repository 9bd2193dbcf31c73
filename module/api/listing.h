/* SPDX-License-Identifier: GPL-2.0 */
/* A call of HTMM_IOC_LIST_PAGES: what its parts have in common. */
#ifndef HTMM_LISTING_H
#define HTMM_LISTING_H

#include "api.h"
#include "core/topn.h"
#include "track/walker.h"

/* Flags that ask for the node and the mapping size of each page. */
#define HTMM_LIST_ANY_PLACEMENT	\
	(HTMM_LIST_PLACEMENT | HTMM_LIST_NODE | HTMM_LIST_RESIDENT | HTMM_LIST_OTHERS)

/**
 * struct htmm_listing - one call of LIST_PAGES
 * @list: argument of the call
 * @targets: the targets whose tables are listed
 * @hot: from which bin on pages of each of these are hot
 * @filter: filter for the entries
 * @spaces: address spaces accepted by @filter, if the caller gives a process
 * @after: last entry of the previous call
 * @resumed: there was a previous call
 * @entries: the entries found; array of @size
 * @place: where they are; only of resident pages in the order of the table
 * @size: number of entries wanted
 * @skipped: address spaces that could not be read
 * @hidden: the caller may not learn where they are
 */
struct htmm_listing {
	const struct htmm_list_pages *list;
	struct htmm_target_list targets;
	u8 hot[HTMM_MAX_TARGETS];
	struct htmm_topn_filter filter;
	u64 *spaces;
	struct htmm_topn_entry after;
	bool resumed;
	struct htmm_topn_entry *entries;
	struct htmm_place *place;
	u32 size;
	u32 skipped;
	bool hidden;
};

/* The node that the list is of; NUMA_NO_NODE: all. */
static inline int htmm_listing_node(const struct htmm_list_pages *list)
{
	return list->flags & HTMM_LIST_NODE ? list->node : NUMA_NO_NODE;
}

/* Set the filter for a target's tables. Returns false if nothing can match. */
static inline bool htmm_listing_choose(struct htmm_listing *listing,
				       struct htmm_target_table *target)
{
	if (!listing->spaces)
		return true;
	return htmm_target_find_spaces(target, listing->list->pid, listing->spaces);
}

/* The index of a target by its number, which an entry of the list has. */
static inline unsigned int htmm_listing_index(const struct htmm_listing *listing, u32 owner)
{
	unsigned int i = 0;

	while (listing->targets.target[i]->number != owner)
		i++;
	return i;
}

static inline void htmm_listing_init_topn(const struct htmm_listing *listing,
					  struct htmm_topn *topn)
{
	*topn = (struct htmm_topn) {
		.entries = listing->entries,
		.size = listing->size,
		.unit = listing->list->unit,
		.order = listing->list->order,
		.filter = listing->filter,
		.after = listing->resumed ? &listing->after : NULL,
	};
}

/*
 * Sort what a walk has found. @ret is the walk's result. If a signal (-EINTR) ended a walk in the
 * order of the table, the next call can continue there; by count, any later entry might have been
 * listed. Returns the number of entries, or @ret if they are useless.
 */
static inline int htmm_listing_finish(struct htmm_topn *topn, int ret)
{
	bool found = topn->order == HTMM_ORDER_TABLE && topn->len;

	if (ret && !(ret == -EINTR && found))
		return ret;
	return htmm_topn_finish(topn);
}

/* residents.c, lookup.c */
int htmm_listing_residents(struct htmm_listing *listing);
void htmm_page_set_place(struct htmm_page *page, const struct htmm_place *place);
int htmm_listing_place(struct htmm_listing *listing, struct htmm_page *pages, u32 n, bool by_place);

#endif /* HTMM_LISTING_H */
