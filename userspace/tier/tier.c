// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tier.h"

int tier_open(struct tier *tier, struct htmm_error *err)
{
	unsigned int i;

	tier->mover.tiers = &tier->tiers;
	for (i = 0; i < tier->nr_groups; i++) {
		tier->groups[i].policy = policy_new(&tier->config);
		if (!tier->groups[i].policy)
			return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	return 0;
}

/* The lists are parts of @all, or have their own memory. */
static void free_lists(struct group *group)
{
	if (!group->all.pages) {
		htmm_pages_free(&group->slow);
		htmm_pages_free(&group->fast);
	}
	htmm_pages_free(&group->all);
	group->slow = (struct htmm_page_list) {};
	group->fast = (struct htmm_page_list) {};
}

void tier_close(struct tier *tier)
{
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		free_lists(&tier->groups[i]);
		policy_free(tier->groups[i].policy);
	}
}

/* Adds the pages of one node to a list. Returns a negative errno if it fails. */
static int list_node(struct tier *tier, struct htmm_list_pages *request, int node,
		     struct htmm_page_list *list, __u64 *cut, struct htmm_error *err)
{
	struct htmm_page_list one = {};
	struct htmm_page *all;
	int ret;

	request->node = node;
	ret = htmm_device_list_pages(tier->fd, request, tier->list_pages, &one, err);
	if (ret)
		return ret;
	if (one.nr == tier->list_pages)
		*cut = one.pages[one.nr - 1].samples;
	if (!list->nr) {
		free(list->pages);
		*list = one;
		return 0;
	}
	all = realloc(list->pages, (list->nr + one.nr) * sizeof(*all));
	if (all) {
		memcpy(all + list->nr, one.pages, one.nr * sizeof(*all));
		list->pages = all;
		list->nr += one.nr;
	}
	htmm_pages_free(&one);
	return all ? 0 : htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

static int list_tier(struct tier *tier, const struct group *group, bool fast,
		     struct htmm_page_list *list, __u64 *cut, struct htmm_error *err)
{
	const struct htmm_cpus *nodes = fast ? &tier->tiers.fast : &tier->tiers.slow;
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_NODE | (fast ? HTMM_LIST_RESIDENT : 0),
		.session = tier->session,
		.order = fast ? HTMM_ORDER_COLDEST : HTMM_ORDER_HOTTEST,
		.target = group->target,
		.min_samples = fast ? 0 : 1,
	};
	int node, ret = 0;

	*cut = 0;
	for (node = tiers_next(nodes, -1); node >= 0 && !ret; node = tiers_next(nodes, node))
		ret = list_node(tier, &request, node, list, cut, err);
	return ret;
}

/* Sampled pages of the slow tier to the front, pages of the fast tier to the end. */
static void split(struct tier *tier, struct group *group)
{
	struct htmm_page *pages = group->all.pages;
	size_t slow = 0, fast = group->all.nr, i = 0;

	while (i < fast) {
		struct htmm_page page = pages[i];

		if (page.node >= 0 && htmm_cpus_has(&tier->tiers.fast, page.node)) {
			pages[i] = pages[--fast];
			pages[fast] = page;
			continue;
		}
		if (page.node >= 0 && page.samples && htmm_cpus_has(&tier->tiers.slow, page.node))
			pages[slow++] = page;
		i++;
	}
	group->slow = (struct htmm_page_list) { .pages = pages, .nr = slow };
	group->fast = (struct htmm_page_list) { .pages = pages + fast,
						.nr = group->all.nr - fast };
	group->slow_cut = 0;
	group->fast_cut = 0;
	group->used = group->fast.nr;
}

/* One walk over the page tables, without sorting. */
static int list_all(struct tier *tier, struct group *group, struct htmm_error *err)
{
	const struct htmm_list_pages request = {
		.flags = HTMM_LIST_RESIDENT, .session = tier->session,
		.order = HTMM_ORDER_TABLE, .target = group->target,
	};
	int ret = htmm_device_list_pages(tier->fd, &request, tier->list_pages, &group->all, err);

	if (!ret)
		split(tier, group);
	return ret;
}

/* Of much memory, only the best and the worst pages are of interest. */
static int list_best(struct tier *tier, struct group *group, struct htmm_error *err)
{
	struct htmm_placement_buf placement;
	__u32 i;
	int ret;

	ret = list_tier(tier, group, false, &group->slow, &group->slow_cut, err);
	if (!ret)
		ret = list_tier(tier, group, true, &group->fast, &group->fast_cut, err);
	if (!ret)
		ret = htmm_device_placement(tier->fd, group->target, &placement, err);
	if (ret)
		return ret;
	group->used = 0;
	for (i = 0; i < placement.placement.nr_nodes; i++)
		if (htmm_cpus_has(&tier->tiers.fast, placement.nodes[i].node))
			group->used += placement.nodes[i].pages;
	htmm_placement_free(&placement);
	return 0;
}

static int list_group(struct tier *tier, struct group *group, struct htmm_error *err)
{
	int ret = 0;

	free_lists(group);
	if (!group->large)
		ret = list_all(tier, group, err);
	if (!ret && group->all.nr == tier->list_pages)
		group->large = true;
	if (ret || !group->large)
		return ret;
	free_lists(group);
	return list_best(tier, group, err);
}

/* Results stay readable after a stop, but tell nothing new; or they are another session's. */
static int check_session(struct tier *tier, struct htmm_error *err)
{
	struct htmm_info info;
	int ret = htmm_device_info(tier->fd, &info, err);

	if (ret)
		return ret;
	tier->seconds = info.elapsed_ns / 1e9;
	if (info.session != tier->session || info.state != HTMM_STATE_RUNNING)
		return htmm_error_set(err, ESHUTDOWN, NULL, "session %llu was stopped",
				      tier->session);
	return 0;
}

static int read_targets(struct tier *tier, struct htmm_error *err)
{
	struct htmm_target_list list;
	int ret = htmm_device_targets(tier->fd, &list, err);
	size_t i;

	if (ret)
		return ret;
	tier->alive = 0;
	tier->samples = 0;
	tier->nr_coolings = 0;
	for (i = 0; i < list.nr; i++) {
		const struct htmm_target_info *target = &list.target[i];

		tier->alive += !(target->flags & HTMM_TARGET_INFO_DEAD);
		tier->samples += target->samples;
		if (target->number > HTMM_MAX_TARGETS)
			continue;
		tier->coolings[target->number] = target->coolings;
		tier->nr_coolings = target->number + 1;
	}
	htmm_targets_free(&list);
	if (!tier->alive)
		return htmm_error_set(err, ESHUTDOWN, NULL, "no process is left to look at");
	return 0;
}

/* Shares the fast tier by the weights. */
static void share(struct tier *tier)
{
	__u64 room = 0, weights = 0;
	unsigned int i;
	int node;

	for (node = tiers_next(&tier->tiers.fast, -1); node >= 0;
	     node = tiers_next(&tier->tiers.fast, node))
		room += tiers_free_pages(node);
	for (i = 0; i < tier->nr_groups; i++) {
		room += tier->groups[i].used;
		weights += tier->groups[i].weight;
	}
	if (tier->capacity && room > tier->capacity)
		room = tier->capacity;
	for (i = 0; i < tier->nr_groups; i++)
		tier->groups[i].capacity = room * tier->groups[i].weight / weights;
}

static int decide(struct tier *tier, struct group *group, struct htmm_error *err)
{
	const struct policy_look look = {
		.slow = group->slow.pages, .nr_slow = group->slow.nr, .slow_cut = group->slow_cut,
		.fast = group->fast.pages, .nr_fast = group->fast.nr, .fast_cut = group->fast_cut,
		.capacity = group->capacity, .used = group->used,
		.samples = tier->samples, .coolings = tier->coolings,
		.nr_coolings = tier->nr_coolings, .period = tier->period,
		.seconds = tier->seconds,
	};

	group->plan = policy_look(group->policy, &look);
	return group->plan ? 0 : htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

int tier_look(struct tier *tier, struct htmm_error *err)
{
	unsigned int i;
	int ret;

	ret = check_session(tier, err);
	if (!ret)
		ret = read_targets(tier, err);
	for (i = 0; i < tier->nr_groups && !ret; i++)
		ret = list_group(tier, &tier->groups[i], err);
	if (ret)
		return ret;
	share(tier);
	for (i = 0; i < tier->nr_groups && !ret; i++)
		ret = decide(tier, &tier->groups[i], err);
	tier->looks++;
	return ret;
}

void tier_move(struct tier *tier)
{
	unsigned int i;

	if (tier->dry)
		return;
	/* All demotions first: one group's may make the room for another's promotions. */
	for (i = 0; i < tier->nr_groups; i++) {
		const struct group *group = &tier->groups[i];

		mover_move(&tier->mover, group->policy, group->plan->moves,
			   group->plan->nr_demotions);
	}
	for (i = 0; i < tier->nr_groups; i++) {
		const struct policy_plan *plan = tier->groups[i].plan;

		mover_move(&tier->mover, tier->groups[i].policy, plan->moves + plan->nr_demotions,
			   plan->nr_moves - plan->nr_demotions);
	}
}

/*
 * Cooling is done here, not by the module, so that no list has pages from before and after
 * one. The plan of a phase change wants one more.
 */
void tier_cool(struct tier *tier)
{
	bool due = tier->samples - tier->cooled >= tier->cooling_period;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		struct htmm_error ignored;

		if (due || tier->groups[i].plan->cool)
			htmm_target_cool(tier->fd, tier->groups[i].target, &ignored);
	}
	if (due)
		tier->cooled = tier->samples;
}
