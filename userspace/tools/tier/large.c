// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "large.h"
#include "policy/units.h"

/* The most lists to read for pages of the fast tier: some processes have few. */
#define FIND_LISTS	16
/* Bytes of a page. */
#define PAGE_BYTES	((__u64)1 << HTMM_PAGE_SHIFT)

/* Adds a list to another one, and empties it. */
static int append(struct htmm_page_list *to, struct htmm_page_list *list, struct htmm_error *err)
{
	struct htmm_page *all;
	int ret = 0;

	if (list->nr) {
		all = realloc(to->pages, (to->nr + list->nr) * sizeof(*all));
		if (all) {
			memcpy(all + to->nr, list->pages, list->nr * sizeof(*all));
			to->pages = all;
			to->nr += list->nr;
		} else {
			ret = htmm_error_set(err, ENOMEM, NULL, "out of memory");
		}
	}
	htmm_pages_free(list);
	return ret;
}

/* Lists pages of one process; none if its target was removed meanwhile. */
static int list_process(const struct tier *tier, const struct htmm_list_pages *request, size_t most,
			struct htmm_page_list *list, struct htmm_error *err)
{
	int ret = htmm_device_list_pages(tier->fd, request, most, list, err);

	return ret == -ENOENT ? 0 : ret;
}

/* The process after that of the hand, by target and number; after the last one the first. */
static const struct htmm_page *next_process(const struct group *group)
{
	const struct htmm_page *first = NULL, *next = NULL, *page = group->regions.pages;
	const __u64 hand = (__u64)group->hand.target << 32 | group->hand.pid;
	__u64 first_key = 0, next_key = 0;

	for (; page < group->regions.pages + group->regions.nr; page++) {
		const __u64 key = (__u64)page->target << 32 | page->pid;

		if (!page->pid)
			continue;
		if (!first || key < first_key) {
			first = page;
			first_key = key;
		}
		if (key > hand && (!next || key < next_key)) {
			next = page;
			next_key = key;
		}
	}
	return next ?: first;
}

/* To the next node of the fast tier, or to the first one and the next process. */
static void advance(const struct tier *tier, struct group *group)
{
	const struct htmm_page *next;
	struct hand *hand = &group->hand;
	int node = hand->pid ? tiers_next(&tier->tiers.fast, hand->node) : -1;

	hand->addr = 0;
	hand->node = node;
	if (node >= 0)
		return;
	next = next_process(group);
	hand->node = tiers_next(&tier->tiers.fast, -1);
	hand->target = next ? next->target : 0;
	hand->pid = next ? next->pid : 0;
}

static bool same_place(const struct hand *a, const struct hand *b)
{
	return a->target == b->target && a->pid == b->pid && a->node == b->node;
}

/*
 * Lists pages of the fast tier: those that come after the last ones of the previous look. Where the
 * fast tier has few pages, many others are passed over: in half of the time at most.
 */
static int find_fast(const struct tier *tier, struct group *group, struct htmm_page_list *found,
		     struct htmm_error *err)
{
	const size_t most = policy_find(group->policy);
	struct hand *hand = &group->hand, begin;
	unsigned int lists;
	int ret = 0;

	if (!hand->pid)
		advance(tier, group);
	begin = *hand;
	for (lists = 0; hand->pid && lists < FIND_LISTS; lists++) {
		const struct htmm_list_pages request = {
			.flags = HTMM_LIST_NODE | HTMM_LIST_RESIDENT, .session = tier->session,
			.order = HTMM_ORDER_TABLE, .target = hand->target, .pid = hand->pid,
			.start = hand->addr, .node = hand->node,
		};
		struct htmm_page_list list = {};
		const size_t wanted = most - found->nr;

		ret = list_process(tier, &request, wanted, &list, err);
		if (ret)
			return ret;
		if (list.nr == wanted) {
			hand->addr = list.pages[wanted - 1].addr + PAGE_BYTES;
			return append(found, &list, err);
		}
		advance(tier, group);
		ret = append(found, &list, err);
		if (ret || same_place(hand, &begin))
			return ret;
	}
	return 0;
}

static void keep_space(struct htmm_page_list *list, __u32 space)
{
	size_t i, nr = 0;

	for (i = 0; i < list->nr; i++)
		if (list->pages[i].space == space)
			list->pages[nr++] = list->pages[i];
	list->nr = nr;
}

/* Lists all resident pages of the ranges that the policy chooses. */
static int list_ranges(const struct tier *tier, struct group *group, struct policy_look *look,
		       struct htmm_page_list *all, struct htmm_error *err)
{
	const struct policy_range *range;
	ssize_t nr = policy_focus(group->policy, look, &range), i;
	int ret = 0;

	if (nr < 0)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	for (i = 0; i < nr && !ret; i++, range++) {
		const struct htmm_list_pages request = {
			.flags = HTMM_LIST_RESIDENT, .session = tier->session,
			.order = HTMM_ORDER_TABLE, .target = range->target, .pid = range->pid,
			.start = range->start, .end = range->end,
		};
		struct htmm_page_list list = {};

		ret = list_process(tier, &request, (range->end - range->start) / PAGE_BYTES, &list,
				   err);
		/* After exec() the process has other pages there. */
		keep_space(&list, range->space);
		ret = ret ?: append(all, &list, err);
	}
	return ret;
}

/*
 * Lists the hottest pages of the slow tier, without those of the ranges. Of huge pages, only their
 * hottest parts would be listed. Units are found by the order of a list, so they are sorted by
 * place: of those with nearly the same count, the policy then takes the first, not the hottest.
 */
static int list_hottest(const struct tier *tier, struct group *group, struct htmm_page_list *all,
			struct htmm_error *err)
{
	const struct htmm_cpus *nodes = &tier->tiers.slow;
	int node, ret = 0;

	for (node = tiers_next(nodes, -1); node >= 0 && !ret; node = tiers_next(nodes, node)) {
		const struct htmm_list_pages request = {
			.flags = HTMM_LIST_NODE, .session = tier->session, .node = node,
			.order = HTMM_ORDER_HOTTEST, .target = group->target, .min_samples = 1,
		};
		struct htmm_page_list list = {};
		size_t i, nr = 0;

		ret = htmm_device_list_pages(tier->fd, &request, policy_hottest(group->policy),
					     &list, err);
		for (i = 0; i < list.nr; i++)
			if (list.pages[i].mapping_shift <= HTMM_PAGE_SHIFT &&
			    !policy_in_focus(group->policy, &list.pages[i]))
				list.pages[nr++] = list.pages[i];
		list.nr = nr;
		if (nr)
			qsort(list.pages, nr, sizeof(*list.pages), page_by_place);
		ret = ret ?: append(all, &list, err);
	}
	return ret;
}

/*
 * Sampled pages of the slow tier first, then those of the fast tier, then the rest of the slow one;
 * each by place.
 */
static int sort_out(const struct tier *tier, struct group *group, const struct htmm_page_list *all,
		    struct htmm_error *err)
{
	struct htmm_page *page = malloc((all->nr + 1) * sizeof(*page));
	size_t i, nr = 0;

	if (!page)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	for (i = 0; i < all->nr; i++)
		if (all->pages[i].samples &&
		    htmm_cpus_has(&tier->tiers.slow, all->pages[i].node))
			page[nr++] = all->pages[i];
	group->nr_slow = nr;
	for (i = 0; i < all->nr; i++)
		if (htmm_cpus_has(&tier->tiers.fast, all->pages[i].node))
			page[nr++] = all->pages[i];
	group->pages.pages = page;
	group->pages.nr = nr;
	for (i = 0; i < all->nr; i++)
		if (!all->pages[i].samples &&
		    htmm_cpus_has(&tier->tiers.slow, all->pages[i].node))
			page[nr++] = all->pages[i];
	group->nr_rest = nr - group->pages.nr;
	return 0;
}

int large_list(const struct tier *tier, struct group *group, struct policy_look *look,
	       struct htmm_error *err)
{
	struct htmm_page_list found = {}, all = {};
	double begin = tier_cpu_seconds(), middle;
	int ret = 0;

	if (group->find_s <= group->ranges_s)
		ret = find_fast(tier, group, &found, err);
	middle = tier_cpu_seconds();
	group->find_s += middle - begin;
	look->found = found.pages;
	look->nr_found = found.nr;
	ret = ret ?: list_ranges(tier, group, look, &all, err);
	begin = middle;
	middle = tier_cpu_seconds();
	group->ranges_s += middle - begin;
	/* However many pages there are, the hottest take at most half of the time. */
	if (!ret && group->hottest_s <= group->ranges_s) {
		ret = list_hottest(tier, group, &all, err);
		group->hottest_s += tier_cpu_seconds() - middle;
	}
	ret = ret ?: sort_out(tier, group, &all, err);
	htmm_pages_free(&found);
	htmm_pages_free(&all);
	return ret;
}
