// SPDX-License-Identifier: GPL-2.0
#include "fields.h"
#include "view.h"

void status_prometheus(FILE *file, const struct htmm_info *info)
{
	struct prom prom;

	prom_begin(&prom, file, "htmm_session_state", "gauge", "1 for the state of the session.");
	prom_label(&prom, "state", htmm_state_name(info->state));
	prom_label_u64(&prom, "session", info->session);
	prom_value(&prom, 1);
	if (info->state != HTMM_STATE_IDLE)
		fields_metrics(file, info_fields, 1, NULL, info);
}

const char *channel_event(const struct htmm_stats_buf *stats,
			  const struct htmm_channel_info *channel)
{
	return channel->event < stats->stats.nr_events ? stats->events[channel->event].name : "?";
}

static const void *channel_item(struct prom *prom, const void *arg, size_t number)
{
	const struct htmm_stats_buf *stats = arg;
	const struct htmm_channel_info *channel = &stats->channels[number];

	prom_label_u64(prom, "cpu", channel->cpu);
	prom_label_u64(prom, "index", channel->event);
	prom_label(prom, "event", channel_event(stats, channel));
	return channel;
}

static const void *counters_item(struct prom *prom, const void *arg, size_t number)
{
	const struct htmm_channel_info *channel = channel_item(prom, arg, number);

	return &channel->counters;
}

static void print_drops(FILE *file, const struct htmm_stats_buf *stats)
{
	struct prom prom;
	unsigned int i;
	int drop;

	prom_begin(&prom, file, "htmm_filtered_samples_total", "counter",
		   "Overflows of tasks that are not targets.");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		channel_item(&prom, stats, i);
		prom_value(&prom, stats->channels[i].counters.drops[HTMM_DROP_FILTERED]);
	}
	prom_begin(&prom, file, "htmm_lost_samples_total", "counter",
		   "Samples of targets that were not counted, by reason.");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		for (drop = 0; drop < HTMM_DROP_SLOTS; drop++) {
			if (!htmm_drop_name(drop) || drop == HTMM_DROP_FILTERED)
				continue;
			channel_item(&prom, stats, i);
			prom_label(&prom, "reason", htmm_drop_name(drop));
			prom_value(&prom, stats->channels[i].counters.drops[drop]);
		}
	}
}

static void print_row(struct prom *prom, __u32 target, const struct htmm_served_row *row,
		      const struct htmm_stats_buf *stats)
{
	unsigned int source;

	for (source = 0; source < HTMM_NR_SOURCES; source++) {
		prom_label_u64(prom, "target", target);
		prom_label_u64(prom, "cpu_node", row->cpu_node);
		prom_label_u64(prom, "index", row->event);
		prom_label(prom, "event", row->event < stats->stats.nr_events ?
			   stats->events[row->event].name : "?");
		prom_label(prom, "source", htmm_source_name(source));
		prom_value(prom, row->samples[source]);
	}
}

static void print_served(FILE *file, const struct served_list *list,
			 const struct htmm_stats_buf *stats)
{
	struct prom prom;
	__u32 row, ppm;
	size_t i;

	if (!list->nr)
		return;
	prom_begin(&prom, file, "htmm_served_samples_total", "counter",
		   "Samples by what served them; target 0 is all together.");
	for (i = 0; i < list->nr; i++)
		for (row = 0; row < list->all[i].buf.served.nr_rows; row++)
			print_row(&prom, list->all[i].target, &list->all[i].buf.rows[row], stats);
	prom_begin(&prom, file, "htmm_measured_hit_ratio", "gauge",
		   "Share of the loads from memory that the fast tier served.");
	for (i = 0; i < list->nr; i++) {
		if (!served_ratio(&list->all[i].tiers, &ppm))
			continue;
		prom_label_u64(&prom, "target", list->all[i].target);
		prom_value(&prom, ppm / 1e6);
	}
}

void stats_prometheus(FILE *file, const struct htmm_stats_buf *stats,
		      const struct served_list *served)
{
	const __u32 nr = stats->stats.nr_channels;

	fields_metrics(file, counter_fields, nr, counters_item, stats);
	fields_metrics(file, channel_fields, nr, channel_item, stats);
	print_drops(file, stats);
	fields_metrics(file, stats_fields, 1, NULL, &stats->stats);
	print_served(file, served, stats);
}
