// SPDX-License-Identifier: GPL-2.0
/* The hit ratio of a session, from the counts that the module lists. */
#include <errno.h>
#include <string.h>
#include <linux/perf_event.h>
#include "hit.h"

/* Are no accesses without a sample? The counter of a processor misses some even then. */
static bool is_census(const struct htmm_stats_buf *stats)
{
	unsigned int i;

	for (i = 0; i < stats->stats.nr_events; i++)
		if (stats->events[i].type != PERF_TYPE_SOFTWARE || stats->events[i].period != 1)
			return false;
	for (i = 0; i < stats->stats.nr_channels; i++)
		if (stats->channels[i].period != 1)
			return false;
	return stats->stats.nr_events && !stats->stats.total.throttled &&
	       !htmm_counters_lost(&stats->stats.total);
}

static void known_of(struct curve_config *config, const struct htmm_info *info,
		     const struct htmm_stats_buf *stats)
{
	__u64 unit = 0;
	unsigned int i;

	/* Of different weights the largest: samples must not count for more than they are. */
	for (i = 0; i < stats->stats.nr_channels; i++)
		if (stats->channels[i].period > unit)
			unit = stats->channels[i].period;
	*config = (struct curve_config) {
		.unit = info->session_flags & HTMM_START_WEIGHT_PERIOD ? unit : 0,
		.census = is_census(stats),
	};
}

int hit_known(struct curve_config *config, int fd, struct htmm_info *info, struct htmm_error *err)
{
	struct htmm_stats_buf stats;
	int ret = htmm_device_info(fd, info, err);

	if (!ret)
		ret = htmm_device_stats(fd, &stats, err);
	if (ret)
		return ret;
	known_of(config, info, &stats);
	htmm_stats_free(&stats);
	return 0;
}

/* A page that two processes share has a count in each, and is resident once. */
__u64 hit_resident(const struct htmm_info *info, const struct htmm_placement_buf *where)
{
	const struct htmm_placement *all = &where->placement;
	__u64 pages = all->unknown_pages;
	__u32 i;

	if (all->shared_pages || all->skipped || info->session_flags & HTMM_START_KEEP_EXITED)
		return 0;
	for (i = 0; i < all->nr_nodes; i++)
		pages += where->nodes[i].pages;
	return pages;
}

/* Counts the pages of the unit and target that @ratio is about. */
static int count_pages(int fd, const struct htmm_hit_ratio *ratio, struct tally *tally,
		       struct htmm_error *err)
{
	const struct htmm_list_pages request = {
		.order = HTMM_ORDER_TABLE, .min_samples = 1, .unit = ratio->unit,
		.target = ratio->target,
	};
	struct htmm_page_list list;
	int ret = htmm_device_list_pages(fd, &request, 0, &list, err);
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < list.nr && !ret; i++)
		ret = tally_add(tally, list.pages[i].samples < ~0U ? list.pages[i].samples : ~0U);
	htmm_pages_free(&list);
	return ret ? htmm_error_set(err, ENOMEM, NULL, "out of memory") : 0;
}

static int read_hit(struct hit *hit, int fd, const struct htmm_hit_ratio *ratio,
		    const struct htmm_placement_buf *where, struct tally *tally,
		    struct htmm_error *err)
{
	struct curve_config config;
	struct htmm_info info;
	int ret = hit_known(&config, fd, &info, err);

	if (ret)
		return ret;
	if (where && ratio->unit == HTMM_UNIT_PAGE)
		config.most = hit_resident(&info, where);
	ret = count_pages(fd, ratio, tally, err);
	if (!ret && hit_tally(hit, tally, &config, ratio->capacity_pages))
		ret = htmm_error_set(err, ENOMEM, NULL, "out of memory");
	return ret;
}

int hit_read(struct hit *hit, int fd, const struct htmm_hit_ratio *ratio,
	     const struct htmm_placement_buf *where, struct htmm_error *err)
{
	struct tally tally = {};
	int ret;

	memset(hit, 0, sizeof(*hit));
	/* An old module. */
	if (!ratio->size)
		return 0;
	ret = read_hit(hit, fd, ratio, where, &tally, err);
	tally_free(&tally);
	return ret;
}
