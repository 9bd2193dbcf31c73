// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "output.h"
#include "served.h"

bool served_known(const struct htmm_info *info)
{
	return info->session_flags & HTMM_START_SERVED;
}

static __u64 from_memory(const struct htmm_served_row *row)
{
	return row->samples[HTMM_SOURCE_LOCAL] + row->samples[HTMM_SOURCE_REMOTE] +
	       row->samples[HTMM_SOURCE_SLOW];
}

/* Does it sample loads of more than one kind of memory? */
static bool sees_several(unsigned int sees)
{
	return sees & (sees - 1);
}

/*
 * Events that sample the loads of every memory and whose samples tell which, as a bitmask. One of
 * each PMU is enough: others may sample the same loads once more.
 */
static unsigned int whole_events(const struct htmm_served_buf *buf,
				 const struct htmm_stats_buf *stats, const unsigned int *sees)
{
	unsigned int i, j, whole = 0;
	__u32 row;

	for (row = 0; row < buf->served.nr_rows; row++) {
		i = buf->rows[row].event;
		if (!sees_several(sees[i]) || !from_memory(&buf->rows[row]))
			continue;
		for (j = 0; j < stats->stats.nr_events; j++)
			if (whole >> j & 1 && stats->events[j].type == stats->events[i].type)
				break;
		if (j == stats->stats.nr_events)
			whole |= 1U << i;
	}
	return whole;
}

static void add_remote(struct tier_sums *tiers, double loads)
{
	switch (htmm_remote_memory(NULL)) {
	case HTMM_REMOTE_FAST:
		tiers->fast += loads;
		break;
	case HTMM_REMOTE_UNKNOWN:
		tiers->known &= !loads;
		break;
	default:
		tiers->slow += loads;
	}
}

/* Samples of an event that tells by itself from where its loads are. */
static void add_unknown(struct tier_sums *tiers, unsigned int sees, double loads)
{
	if (sees == HTMM_SEES_LOCAL)
		tiers->fast += loads;
	else if (sees == HTMM_SEES_SLOW)
		tiers->slow += loads;
	else if (sees == HTMM_SEES_REMOTE)
		add_remote(tiers, loads);
}

static struct tier_sums sum_tiers(const struct htmm_served_buf *buf,
				  const struct htmm_stats_buf *stats, bool weighted)
{
	unsigned int sees[HTMM_MAX_EVENTS] = {}, all = 0;
	struct tier_sums tiers = {};
	unsigned int whole;
	__u32 i;

	for (i = 0; i < stats->stats.nr_events && i < HTMM_MAX_EVENTS; i++) {
		sees[i] = htmm_event_sees(&stats->events[i], NULL);
		if (!sees_several(sees[i]))
			all |= sees[i];
	}
	whole = whole_events(buf, stats, sees);
	/* Without one, there must be events for both. */
	tiers.known = whole || (all & HTMM_SEES_LOCAL && sees_several(all));
	for (i = 0; i < buf->served.nr_rows; i++) {
		const struct htmm_served_row *row = &buf->rows[i];
		double weight = weighted ? 1 : (double)stats->events[row->event].period;

		if (whole ? !(whole >> row->event & 1) : sees_several(sees[row->event]))
			continue;
		tiers.fast += weight * (double)row->samples[HTMM_SOURCE_LOCAL];
		tiers.slow += weight * (double)row->samples[HTMM_SOURCE_SLOW];
		add_remote(&tiers, weight * (double)row->samples[HTMM_SOURCE_REMOTE]);
		if (!whole)
			add_unknown(&tiers, sees[row->event],
				    weight * (double)row->samples[HTMM_SOURCE_UNKNOWN]);
	}
	return tiers;
}

int served_read_target(struct served *served, int fd, const struct htmm_info *info,
		       const struct htmm_stats_buf *stats, __u32 target, struct htmm_error *err)
{
	int ret = htmm_device_served(fd, target, &served->buf, err);

	served->target = target;
	if (!ret)
		served->tiers = sum_tiers(&served->buf, stats,
					  info->session_flags & HTMM_START_WEIGHT_PERIOD);
	return ret;
}

int served_read(struct served_list *list, int fd, const struct htmm_info *info,
		const struct htmm_stats_buf *stats, const struct htmm_target_list *targets,
		struct htmm_error *err)
{
	size_t i;
	int ret;

	*list = (struct served_list) {};
	if (!served_known(info))
		return 0;
	list->all = calloc(targets->nr + 1, sizeof(*list->all));
	if (!list->all)
		return no_memory(err);
	ret = served_read_target(&list->all[list->nr++], fd, info, stats, 0, err);
	for (i = 0; i < targets->nr && targets->nr > 1 && !ret; i++) {
		ret = served_read_target(&list->all[list->nr], fd, info, stats,
					 targets->target[i].number, err);
		list->nr += !ret;
		/* It may have been removed meanwhile. */
		if (ret == -ENOENT)
			ret = 0;
	}
	if (ret)
		served_free(list);
	return ret;
}

void served_free(struct served_list *list)
{
	while (list->nr)
		htmm_served_free(&list->all[--list->nr].buf);
	free(list->all);
	memset(list, 0, sizeof(*list));
}

bool served_ratio(const struct tier_sums *tiers, __u32 *ppm)
{
	double sum = tiers->fast + tiers->slow;

	if (!tiers->known || sum <= 0)
		return false;
	*ppm = tiers->fast / sum * 1e6 + 0.5;
	return true;
}

static struct json_object *row_json(const struct htmm_served_row *row,
				    const struct htmm_stats_buf *stats)
{
	struct json_object *obj = json_object_new_object();
	unsigned int source;

	json_add(obj, "cpu_node", json_object_new_int(row->cpu_node));
	json_add_name(obj, "event", row->event < stats->stats.nr_events ?
		      stats->events[row->event].name : "?");
	for (source = 0; source < HTMM_NR_SOURCES; source++)
		json_add_u64(obj, htmm_source_name(source), row->samples[source]);
	return obj;
}

struct json_object *served_json(const struct served *served, const struct htmm_stats_buf *stats)
{
	struct json_object *obj = json_object_new_object(), *rows = json_object_new_array();
	__u32 i, ppm;

	json_add_u64(obj, "target", served->target);
	for (i = 0; i < served->buf.served.nr_rows; i++)
		json_object_array_add(rows, row_json(&served->buf.rows[i], stats));
	json_add(obj, "rows", rows);
	json_add(obj, "hit_ratio_ppm",
		 served_ratio(&served->tiers, &ppm) ? json_object_new_uint64(ppm) : NULL);
	return obj;
}
