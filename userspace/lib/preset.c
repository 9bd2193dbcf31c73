// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/perf_event.h>
#include <htmm/catalog.h>
#include <htmm/event.h>
#include "array.h"
#include "catalog.h"
#include "pmu.h"

/*
 * Periods are primes, so that sampling does not run in step with a loop. Misses are rare,
 * so each one is worth more; accesses are very frequent.
 */
#define PERIOD_MISS	1009
#define PERIOD_ACCESS	100003
#define PERIOD_OTHER	10007
/* IBS is not a core PMU; it takes only multiples of 16, and randomizes the period itself. */
#define PERIOD_STEP	16

/*
 * Names of libpfm4 come first, as CPU models differ; then AMD's IBS, with the filter of newer
 * models. No preset is a code: what one model counts as misses, another counts as hits.
 */
static const struct htmm_preset presets[] = {
	{ "dram-load", "loads served by this node's DRAM only", PERIOD_MISS, HTMM_SEES_LOCAL,
	  { "MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", "MEM_LOAD_UOPS_L3_MISS_RETIRED:LOCAL_DRAM",
	    "MEM_LOAD_UOPS_LLC_MISS_RETIRED:LOCAL_DRAM", "ibs_op/l3missonly=1/" } },
	{ "remote-load", "loads served by another node's DRAM", PERIOD_MISS, HTMM_SEES_REMOTE,
	  { "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM", "MEM_LOAD_UOPS_L3_MISS_RETIRED:REMOTE_DRAM",
	    "MEM_LOAD_UOPS_LLC_MISS_RETIRED:REMOTE_DRAM" } },
	{ "pmm-load", "loads served by local persistent memory", PERIOD_MISS, HTMM_SEES_PMEM,
	  { "MEM_LOAD_RETIRED:LOCAL_PMM" } },
	{ "llc-miss", "loads served by memory of any kind and node", PERIOD_MISS, HTMM_SEES_ALL,
	  { "MEM_LOAD_RETIRED:L3_MISS", "MEM_LOAD_UOPS_RETIRED:L3_MISS",
	    "MEM_LOAD_UOPS_RETIRED:LLC_MISS", "ibs_op/l3missonly=1/" } },
	{ "load", "all loads", PERIOD_ACCESS, HTMM_SEES_ALL,
	  { "MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS" } },
	{ "store", "all stores", PERIOD_ACCESS, 0,
	  { "MEM_INST_RETIRED:ALL_STORES", "MEM_UOPS_RETIRED:ALL_STORES" } },
	{ "store-miss", "stores to pages that the TLB does not hold", PERIOD_MISS, 0,
	  { "MEM_INST_RETIRED:STLB_MISS_STORES", "MEM_UOPS_RETIRED:STLB_MISS_STORES" } },
	{ "access", "all loads and stores", PERIOD_ACCESS, HTMM_SEES_ALL,
	  { "MEM_INST_RETIRED:ANY", "ibs_op/cnt_ctl=1/" } },
	{ "page-fault", "page faults (software, any machine)", 1, HTMM_SEES_ALL, {} },
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

const char *htmm_preset_choice(const struct htmm_preset *preset, const char *sysfs)
{
	unsigned int i;

	if (!*preset->events)
		return preset->name;
	for (i = 0; i < ARRAY_SIZE(preset->events) && preset->events[i]; i++) {
		struct htmm_event_list list = {};

		if (!htmm_events_parse(&list, preset->events[i], sysfs, NULL))
			return preset->events[i];
	}
	return NULL;
}

unsigned int htmm_preset_sees(const struct htmm_preset *preset, const char *sysfs)
{
	const char *choice = htmm_preset_choice(preset, sysfs);

	/* The misses that IBS reports are of memory of every kind. */
	return choice && !strncmp(choice, "ibs_op/", 7) ? HTMM_SEES_ALL : preset->sees;
}

int htmm_preset_event(const struct htmm_preset *preset, const char *sysfs,
		      struct htmm_event *event, struct htmm_error *err)
{
	const char *choice = htmm_preset_choice(preset, sysfs), *cpu = htmm_catalog_cpu();
	struct htmm_event_list list = {
		.event[0] = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_PAGE_FAULTS,
		},
	};

	if (!choice && !cpu && !pmu_has_ibs(sysfs))
		return catalog_no_model(preset->name, sysfs, err);
	if (!choice)
		return htmm_error_set(err, ENOENT, "'htmmctl list' tells what can be sampled",
				      "this CPU (%s) has no event for '%s'", cpu ? cpu : "unknown",
				      preset->name);
	if (choice != preset->name)
		htmm_events_parse(&list, choice, sysfs, NULL);
	*event = list.event[0];
	event->period = preset->period;
	if (event->type > PERF_TYPE_RAW)
		event->period *= PERIOD_STEP;
	snprintf(event->name, sizeof(event->name), "%s", preset->name);
	return 0;
}

/* The preset's period, even if its event was not given by the preset's name. */
static __u64 default_period(const struct htmm_event *event, const char *sysfs)
{
	const struct htmm_preset *preset;
	struct htmm_event like;
	unsigned int i;

	for (i = 0; (preset = htmm_preset(i)); i++)
		if (!htmm_preset_event(preset, sysfs, &like, NULL) && like.type == event->type &&
		    like.config == event->config)
			return like.period;
	preset = htmm_preset_find(event->name);
	if (event->type <= PERF_TYPE_RAW)
		return preset ? preset->period : PERIOD_OTHER;
	return PERIOD_STEP * (preset ? preset->period : PERIOD_MISS);
}

void htmm_events_set_periods(struct htmm_event_list *list, const char *sysfs, __u64 period)
{
	struct htmm_event *event = list->event, *end = event + list->nr;

	for (; event < end; event++)
		if (!event->period)
			event->period = period ? period : default_period(event, sysfs);
}
