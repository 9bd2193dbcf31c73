// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <stdio.h>
#include <string.h>
#include <linux/perf_event.h>
#include <htmm/event.h>
#include "array.h"

/*
 * Periods are primes, so that they do not fall into step with a loop.  Misses
 * are rare and each one is worth knowing; accesses come by the billion.
 */
#define PERIOD_MISS	1009
#define PERIOD_ACCESS	100003
#define PERIOD_OTHER	10007

static const struct htmm_preset presets[] = {
	{ "dram-load", PERF_TYPE_RAW, 2, 0x1d3, PERIOD_MISS,
	  "loads served by local DRAM (Intel)" },
	{ "remote-load", PERF_TYPE_RAW, 2, 0x2d3, PERIOD_MISS,
	  "loads served by another node's DRAM (Intel)" },
	{ "pmm-load", PERF_TYPE_RAW, 2, 0x80d1, PERIOD_MISS,
	  "loads served by local persistent memory (Intel)" },
	{ "llc-miss", PERF_TYPE_RAW, 2, 0x20d1, PERIOD_MISS,
	  "loads that missed the last-level cache (Intel)" },
	{ "load", PERF_TYPE_RAW, 2, 0x81d0, PERIOD_ACCESS, "all loads (Intel)" },
	{ "store", PERF_TYPE_RAW, 2, 0x82d0, PERIOD_ACCESS, "all stores (Intel)" },
	{ "page-fault", PERF_TYPE_SOFTWARE, 0, PERF_COUNT_SW_PAGE_FAULTS, 1,
	  "page faults (software, any machine)" },
};

const struct htmm_preset *htmm_preset(unsigned int index)
{
	return index < ARRAY_SIZE(presets) ? &presets[index] : NULL;
}

const struct htmm_preset *htmm_preset_find(const char *name)
{
	const struct htmm_preset *preset;
	unsigned int i;

	for (i = 0; (preset = htmm_preset(i)); i++)
		if (!strcmp(preset->name, name))
			return preset;
	return NULL;
}

void htmm_preset_event(const struct htmm_preset *preset, struct htmm_event *event)
{
	memset(event, 0, sizeof(*event));
	event->type = preset->type;
	event->precise_ip = preset->precise_ip;
	event->config = preset->config;
	event->period = preset->period;
	snprintf(event->name, sizeof(event->name), "%s", preset->name);
}

/* The preset's period, also where its event was given in another way. */
static __u64 default_period(const struct htmm_event *event)
{
	const struct htmm_preset *preset;
	unsigned int i;

	for (i = 0; (preset = htmm_preset(i)); i++)
		if (preset->type == event->type && preset->config == event->config)
			return preset->period;
	return PERIOD_OTHER;
}

void htmm_events_set_periods(struct htmm_event_list *list, __u64 period)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!list->event[i].period)
			list->event[i].period = period ? period : default_period(&list->event[i]);
}
