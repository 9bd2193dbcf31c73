// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <linux/perf_event.h>
#include "command.h"
#include "hit.h"
#include "output.h"

void hit_words(char *text, size_t size, const struct hit *hit)
{
	if (!hit->samples)
		snprintf(text, size, "unknown: no samples");
	else if (hit->few)
		snprintf(text, size, "unknown: too few samples (%llu)", hit->samples);
	else if (hit->census || hit_fits(hit) || !hit->at.pages)
		snprintf(text, size, "%.1f%%", 100 * hit->at.hit);
	else
		snprintf(text, size, "%.1f%% (%.1f to %.1f)", 100 * hit->at.hit,
			 100 * hit->at.low, 100 * hit->at.high);
}

void hit_print(FILE *file, const struct hit *hit)
{
	char words[HIT_WORDS];

	hit_words(words, sizeof(words), hit);
	if (!hit->samples || hit->few)
		fprintf(file, "%s\n", words);
	else if (hit_fits(hit))
		fprintf(file, "%s, as all of these fit; see --capacity\n", words);
	else
		fprintf(file, "%s with the hottest pages there\n", words);
}

void hit_json(struct json_object *obj, const char *name, const struct hit *hit)
{
	static const char *const what[] = { "", "_low", "_high" };
	const double share[] = { hit->at.hit, hit->at.low, hit->at.high };
	const bool told = hit->samples && !hit->few;
	unsigned int i;
	char key[64];

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		snprintf(key, sizeof(key), "%s%s_ppm", name, what[i]);
		json_add(obj, key, told ? json_object_new_uint64(share[i] * 1e6 + 0.5) : NULL);
	}
}

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

/*
 * What a sample counts at most: its period in units of the smallest one that any event can have, as
 * in the module. Of different weights the largest: samples must not count for more than they are.
 */
static __u32 largest_weight(const struct htmm_stats_buf *stats)
{
	__u64 least = ~0ULL, most = 1;
	unsigned int i;

	for (i = 0; i < stats->stats.nr_events; i++)
		least = stats->events[i].min_period < least ? stats->events[i].min_period : least;
	for (i = 0; i < stats->stats.nr_channels; i++)
		if (stats->channels[i].period > most)
			most = stats->channels[i].period;
	if (!least || most <= least)
		return 1;
	most = (most + least / 2) / least;
	return most < ~0U ? most : ~0U;
}

int hit_known(struct curve_config *config, int fd, struct htmm_info *info, struct htmm_error *err)
{
	struct htmm_stats_buf stats;
	int ret = htmm_device_info(fd, info, err);

	if (!ret)
		ret = htmm_device_stats(fd, &stats, err);
	if (ret)
		return ret;
	*config = (struct curve_config) {
		.unit = info->session_flags & HTMM_START_WEIGHT_PERIOD ? largest_weight(&stats) : 0,
		.census = is_census(&stats),
	};
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
static int count_pages(int fd, const struct htmm_hit_ratio *ratio, __u32 weight,
		       struct tally *tally, struct htmm_error *err)
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
		ret = tally_add(tally, list.pages[i].samples < ~0U ? list.pages[i].samples : ~0U,
				weight);
	htmm_pages_free(&list);
	return ret ? no_memory(err) : 0;
}

int hit_read(struct hit *hit, int fd, const struct htmm_hit_ratio *ratio,
	     const struct htmm_placement_buf *where, struct htmm_error *err)
{
	struct curve_config config;
	struct tally tally = {};
	struct htmm_info info;
	int ret;

	ret = hit_known(&config, fd, &info, err);
	if (ret)
		return ret;
	if (where && ratio->unit == HTMM_UNIT_PAGE)
		config.most = hit_resident(&info, where);
	ret = count_pages(fd, ratio, config.unit, &tally, err);
	if (!ret && hit_tally(hit, &tally, &config, ratio->capacity_pages))
		ret = no_memory(err);
	tally_free(&tally);
	return ret;
}

int hit_of_target(int fd, __u32 target, __u32 unit, struct htmm_hit_ratio *ratio,
		  struct hit *hit, struct htmm_error *err)
{
	struct htmm_placement_buf where;
	int ret = htmm_target_hit_ratio(fd, target, unit, 0, ratio, err);
	bool placed;

	if (ret)
		return ret;
	placed = unit == HTMM_UNIT_PAGE && !htmm_device_placement(fd, target, &where, NULL);
	ret = hit_read(hit, fd, ratio, placed ? &where : NULL, err);
	if (placed)
		htmm_placement_free(&where);
	return ret;
}
