// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "used.h"

/*
 * To count what is in use, all page tables are read. What part of the time that may take, unless
 * the last count is so many seconds old.
 */
#define COUNTS_PART	0.002
#define COUNTS_WAIT_S	300

/*
 * Counts each page once. Returns 1 if some are not in it, as a process changes its mappings now; or
 * a negative errno.
 */
static int read_placement(const struct tier *tier, const struct group *group, __u64 *used,
			  struct htmm_error *err)
{
	struct htmm_placement_buf placement;
	int ret = htmm_device_placement(tier->fd, group->target, &placement, err);
	__u32 i;

	if (ret)
		return ret;
	*used = 0;
	for (i = 0; i < placement.placement.nr_nodes; i++)
		if (htmm_cpus_has(&tier->tiers.fast, placement.nodes[i].node))
			*used += placement.nodes[i].pages;
	ret = placement.placement.skipped > 0;
	htmm_placement_free(&placement);
	return ret;
}

/* A count that is not complete is made again at the next look. */
static int count(const struct tier *tier, struct group *group, __u64 *used, struct htmm_error *err)
{
	const double before = tier_cpu_seconds();
	int ret = read_placement(tier, group, used, err);
	const double seconds = tier_cpu_seconds() - before;

	group->count_due = ret ? 0 : tier->seconds + fmin(seconds / COUNTS_PART, COUNTS_WAIT_S);
	return ret;
}

/* May several processes map a page of the fast tier? */
static bool several_spaces(const struct group *group)
{
	const struct htmm_page *page = group->pages.pages + group->nr_slow, *first = page;
	const struct htmm_page *end = group->pages.pages + group->pages.nr;

	for (; page < end; page++)
		if (page->target != first->target || page->space != first->space)
			return true;
	return false;
}

int used_listed(const struct tier *tier, struct group *group, struct htmm_error *err)
{
	const __u64 listed = group->pages.nr - group->nr_slow;
	__u64 used;
	int ret = 0;

	group->used = listed;
	if (!several_spaces(group))
		return 0;
	if (tier->seconds >= group->count_due) {
		ret = count(tier, group, &used, err);
		if (!ret)
			group->distinct = fmin((double)used / listed, 1);
	}
	/* Before the first count, each page may be one by itself. */
	if (group->distinct)
		group->used = lround(group->distinct * listed);
	return ret < 0 ? ret : 0;
}

/*
 * May what is in use be computed from what is free? Others may have taken what was free, but what
 * is free still fits. It may not if there is a limit, or someone to share with.
 */
static bool computes_used(const struct tier *tier, const struct group *group, __u64 free)
{
	return tier->seconds < group->count_due && group->used + group->free > free &&
	       tier->nr_groups == 1 && !group->limit && !tier->capacity;
}

/* What is taken or given back changes this at once, also below what can be allocated. */
static __u64 unused_pages(const struct tier *tier)
{
	return tiers_sum(&tier->tiers.fast, tiers_unused_pages);
}

int used_unlisted(const struct tier *tier, struct group *group, struct htmm_error *err)
{
	const __u64 free = unused_pages(tier);
	__u64 used;
	int ret;

	if (computes_used(tier, group, free)) {
		group->used += group->free - free;
		group->free = free;
		return 0;
	}
	ret = count(tier, group, &used, err);
	if (ret < 0)
		return ret;
	/* Without some processes, it is too small. */
	if (!ret || used > group->used)
		group->used = used;
	/* As of the middle of the count. */
	group->free = (free + unused_pages(tier)) / 2;
	return 0;
}
