// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <linux/perf_event.h>
#include "event_mode.h"
#include "output.h"

static void add_channel(struct event_mode *mode, const struct htmm_channel_info *channel, bool first)
{
	if (first || channel->period < mode->period_min)
		mode->period_min = channel->period;
	if (first || channel->period > mode->period_max)
		mode->period_max = channel->period;
	if (first || channel->precise_ip < mode->precise_ip)
		mode->precise_ip = channel->precise_ip;
	if (channel->flags & HTMM_CHANNEL_LARGE_PEBS)
		mode->large_pebs = true;
}

struct event_mode event_mode(const struct htmm_stats_buf *stats, unsigned int event)
{
	struct event_mode active = {}, any = {};
	unsigned int i, nr = 0;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		if (channel->event != event)
			continue;
		add_channel(&any, channel, !nr++);
		if (channel->flags & HTMM_CHANNEL_ACTIVE)
			add_channel(&active, channel, !active.active++);
	}
	return active.active ? active : any;
}

bool counts_compare(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		    char *text, size_t size)
{
	struct event_mode all = {};
	unsigned int i;

	*text = '\0';
	if (info->session_flags & HTMM_START_WEIGHT_PERIOD)
		return true;
	for (i = 0; i < stats->stats.nr_channels; i++)
		add_channel(&all, &stats->channels[i], !i);
	if (all.period_min != all.period_max)
		snprintf(text, size,
			 COUNTS_DIFFER, all.period_min, all.period_max);
	else if (info->session_flags & HTMM_START_BUDGET)
		snprintf(text, size,
			 "each sample counts 1, whatever period the budget chose; see weight-period");
	return !*text;
}

void event_mode_json(struct json_object *obj, const struct event_mode *mode)
{
	json_add_u64(obj, "precise_ip_granted", mode->precise_ip);
	json_add_u64(obj, "period_min", mode->period_min);
	json_add_u64(obj, "period_max", mode->period_max);
	json_add_u64(obj, "active_cpus", mode->active);
	json_add_bool(obj, "large_pebs", mode->large_pebs);
}

void event_period_text(const struct event_mode *mode, char *text, size_t size)
{
	if (mode->period_min == mode->period_max)
		snprintf(text, size, "%llu", mode->period_min);
	else
		snprintf(text, size, "%llu to %llu", mode->period_min, mode->period_max);
}

void event_code_text(const struct htmm_event *event, char *text, size_t size)
{
	if (event->type == PERF_TYPE_RAW)
		snprintf(text, size, "r%llx", event->config);
	else if (event->type == PERF_TYPE_SOFTWARE)
		snprintf(text, size, "software");
	else
		snprintf(text, size, "type %u", event->type);
}
