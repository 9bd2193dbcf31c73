// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/perf_event.h>
#include <htmm/event.h>
#include "array.h"
#include "catalog.h"
#include "model.h"
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
/* More cycles than a cache takes if it is not busy; IBS takes multiples of 128. */
#define LATENCY		128

/* What each counts, and what it does not tell. */
static const struct htmm_preset presets[NR_CPU_PRESETS + 1] = {
	[PRESET_DRAM] = { "dram-load", PERIOD_MISS, HTMM_SEES_LOCAL,
		"loads served by this node's DRAM; not of other nodes, persistent or CXL memory" },
	[PRESET_REMOTE] = { "remote-load", PERIOD_MISS, HTMM_SEES_REMOTE,
		"loads served by another node's DRAM; not of this node, persistent or CXL memory" },
	[PRESET_PMM] = { "pmm-load", PERIOD_MISS, HTMM_SEES_SLOW,
		"loads served by this socket's persistent memory; not of other sockets" },
	[PRESET_CXL] = { "cxl-load", PERIOD_MISS, HTMM_SEES_SLOW,
		"loads served by this socket's CXL memory; not of other sockets" },
	[PRESET_MISS] = { "llc-miss", PERIOD_MISS, HTMM_SEES_ALL,
		"loads served by memory of any kind and node; not what was prefetched" },
	[PRESET_LATENCY] = { "load-latency", PERIOD_MISS, HTMM_SEES_ALL,
		"loads that take more than 128 cycles; also of a busy cache" },
	[PRESET_LOAD] = { "load", PERIOD_ACCESS, HTMM_SEES_ALL,
		"all loads; nearly all of caches" },
	[PRESET_STORE] = { "store", PERIOD_ACCESS, 0,
		"all stores; nearly all end in a cache" },
	[PRESET_STORE_MISS] = { "store-miss", PERIOD_MISS, 0,
		"stores to pages that the TLB does not hold; not to pages in frequent use" },
	[PRESET_ACCESS] = { "access", PERIOD_ACCESS, HTMM_SEES_ALL,
		"all loads and stores; nearly all of caches" },
	[NR_CPU_PRESETS] = { "page-fault", 1, HTMM_SEES_ALL,
		"page faults (software, any machine): where memory is touched first" },
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

/**
 * struct request - what a preset is asked to stand for
 * @preset: its number
 * @name: its name
 * @pmu: the PMU of the cores meant
 * @sysfs: where sysfs is
 */
struct request {
	enum preset preset;
	const char *name;
	const char *pmu;
	const char *sysfs;
};

static bool has_term(const struct request *req, const char *pmu, const char *sub, const char *name)
{
	struct pmu of = {};

	return !pmu_open(&of, req->sysfs, pmu, NULL) && pmu_has(&of, sub, name);
}

/* AMD's core PMU gives no addresses; IBS tags instructions of all kinds. */
static int choose_ibs(const struct request *req, struct htmm_choice *choice,
		      struct htmm_error *err)
{
	const bool misses = has_term(req, "ibs_op", "format", "l3missonly");
	const char *filter = NULL;
	struct pmu pmu = {};
	char todo[80];

	if (pmu_open(&pmu, req->sysfs, "ibs_op", NULL))
		return htmm_error_set(err, ENOENT,
				      "use the machine itself: virtual machines do not have it",
				      "'%s' needs the PMU ibs_op, AMD's only way to sample addresses, which is missing",
				      req->name);
	if (req->preset == PRESET_ACCESS)
		filter = "";
	else if (req->preset == PRESET_MISS)
		filter = misses ? ",l3missonly=1" : ",min-level=memory";
	else if (req->preset == PRESET_LATENCY && has_term(req, "ibs_op", "format", "ldlat"))
		filter = ",ldlat=128";
	snprintf(todo, sizeof(todo), "sample %s; its samples tell what served them",
		 req->preset < PRESET_LOAD ? "llc-miss" : "access");
	if (!filter)
		return htmm_error_set(err, ENOENT, todo,
				      "this CPU has no event for '%s': its IBS cannot filter for that",
				      req->name);
	/* Without cnt_ctl it would tag by cycles, so mostly instructions that wait. */
	snprintf(choice->text, sizeof(choice->text), "ibs_op/cnt_ctl=1%s/", filter);
	choice->served = true;
	return 0;
}

/* Says why a model has no event for the preset, and what to sample instead. */
static int refuse(const struct request *req, const struct model *model, struct htmm_error *err)
{
	const char *todo = "'htmmctl list' shows what can be sampled";
	char live[80];

	snprintf(live, sizeof(live),
		 "sample llc-miss; or use 'htmmctl live' with -e %s/mem-loads,ldlat=%d/",
		 req->pmu, LATENCY);
	if (model->event[req->preset])
		return htmm_error_set(err, ENOENT, live,
				      "'%s' counts on this CPU only beside the event 0x8203, which a module cannot open",
				      req->name);
	if (presets[req->preset].sees && model->event[PRESET_MISS])
		todo = "sample llc-miss";
	else if (presets[req->preset].sees && model->event[PRESET_LATENCY])
		todo = "sample load-latency: loads that take long";
	return htmm_error_set(err, ENOENT, todo,
			      "this CPU has no event for '%s' whose samples tell the address",
			      req->name);
}

/* The kernel names the event for load latency on models that nobody else knows. */
static int choose_unknown(const struct request *req, struct htmm_choice *choice,
			  struct htmm_error *err)
{
	if (req->preset != PRESET_LATENCY || !has_term(req, req->pmu, "events", "mem-loads") ||
	    has_term(req, req->pmu, "events", "mem-loads-aux"))
		return catalog_no_model(req->name, req->sysfs, err);
	snprintf(choice->text, sizeof(choice->text), "%s/mem-loads,ldlat=%d/", req->pmu, LATENCY);
	choice->served = true;
	return 0;
}

static int choose_event(const struct request *req, struct htmm_choice *choice,
			struct htmm_error *err)
{
	const bool first = !strcmp(req->pmu, "cpu") || !strcmp(req->pmu, "cpu_core");
	const struct model *model;
	__u64 config1 = 0;
	struct cpu_id id;
	char more[40] = "";
	unsigned int code;

	if (!cpu_id_read(&id))
		return choose_unknown(req, choice, err);
	if (!strcmp(id.vendor, "AuthenticAMD") || !strcmp(id.vendor, "HygonGenuine"))
		return choose_ibs(req, choice, err);
	model = model_find(&id, !first);
	if (!model)
		return choose_unknown(req, choice, err);
	if (!model->event[req->preset] || (req->preset == PRESET_LATENCY && model->needs_aux))
		return refuse(req, model, err);
	if (req->preset == PRESET_LATENCY)
		config1 = LATENCY;
	if (req->preset == PRESET_MISS)
		config1 = model->miss_config1;
	code = model->event[req->preset];
	if (config1)
		snprintf(more, sizeof(more), "%cconfig1=%#llx%s", first ? '/' : ',', config1,
			 first ? "/" : "");
	if (first)
		snprintf(choice->text, sizeof(choice->text), "r%x%s", code, more);
	else
		snprintf(choice->text, sizeof(choice->text), "%s/config=%#x%s/", req->pmu, code,
			 more);
	/* Where one event counts both, there is no other memory. */
	if (req->preset == PRESET_MISS && model->event[PRESET_MISS] == model->event[PRESET_DRAM])
		choice->sees = HTMM_SEES_LOCAL;
	choice->served = req->preset == PRESET_LATENCY;
	return 0;
}

int htmm_preset_choose(const struct htmm_preset *preset, const char *pmu, const char *sysfs,
		       struct htmm_choice *choice, struct htmm_error *err)
{
	const struct request req = {
		.preset = preset - presets,
		.name = preset->name,
		.pmu = pmu ? pmu : htmm_core_pmu(0, sysfs),
		.sysfs = sysfs,
	};
	struct htmm_event_list list = {};
	bool ibs;
	int ret = 0;

	*choice = (struct htmm_choice) { .sees = preset->sees };
	if (req.preset == NR_CPU_PRESETS) {
		choice->event.type = PERF_TYPE_SOFTWARE;
		choice->event.config = PERF_COUNT_SW_PAGE_FAULTS;
	} else {
		ret = choose_event(&req, choice, err);
		if (!ret)
			ret = htmm_events_parse(&list, choice->text, sysfs, err);
		choice->event = list.event[0];
	}
	snprintf(choice->event.name, sizeof(choice->event.name), pmu ? "%2$s/%1$s/" : "%s",
		 preset->name, pmu);
	if (ret)
		return ret;
	ibs = !strncmp(choice->text, "ibs_", 4);
	choice->event.period = preset->period * (ibs ? PERIOD_STEP : 1);
	/* The CPU samples all instructions, and the module drops most. */
	if (choice->event.min_level)
		choice->event.period = PERIOD_OTHER * PERIOD_STEP;
	snprintf(choice->help, sizeof(choice->help), "%s%s; samples %s what served them",
		 preset->help, !ibs || req.preset != PRESET_MISS ? "" :
		 choice->event.min_level ? "; samples of caches cost as much" : "; stores, too",
		 choice->served ? "tell" : "do not tell");
	return 0;
}

/* Finds what a preset stands for that is this event, with the same level if there is one. */
static bool find_choice(const struct htmm_event *event, const char *sysfs,
			struct htmm_choice *choice)
{
	const struct htmm_preset *preset;
	struct htmm_choice one;
	bool found = false;
	unsigned int i, j;
	const char *pmu;

	for (i = 0; (pmu = htmm_core_pmu(i, sysfs)); i++) {
		for (j = 0; (preset = htmm_preset(j)); j++) {
			if (htmm_preset_choose(preset, i ? pmu : NULL, sysfs, &one, NULL) ||
			    one.event.type != event->type || one.event.config != event->config)
				continue;
			if (!found || one.event.min_level == event->min_level)
				*choice = one;
			found = true;
			if (one.event.min_level == event->min_level)
				return true;
		}
	}
	return found;
}

unsigned int htmm_event_sees(const struct htmm_event *event, const char *sysfs)
{
	struct htmm_choice choice;

	return find_choice(event, sysfs, &choice) ? choice.sees : HTMM_SEES_ALL;
}

bool htmm_event_served(const struct htmm_event *event, const char *sysfs)
{
	bool core = event->type == PERF_TYPE_RAW;
	struct htmm_choice choice;
	struct pmu pmu = {};
	const char *name;
	unsigned int i;

	if (find_choice(event, sysfs, &choice))
		return choice.served;
	for (i = 0; (name = htmm_core_pmu(i, sysfs)); i++)
		core |= !pmu_open(&pmu, sysfs, name, NULL) && pmu.type == event->type;
	/* Intel's cores tell it of no event without a preset; perf passes AMD's own on to IBS. */
	if (core)
		return !pmu_open(&pmu, sysfs, "ibs_op", NULL);
	return event->type > PERF_TYPE_RAW;
}

/* The preset's period, even if its event was not given by the preset's name. */
static __u64 default_period(const struct htmm_event *event, const char *sysfs)
{
	const struct htmm_preset *preset = htmm_preset_find(event->name);
	struct htmm_choice choice;

	if (find_choice(event, sysfs, &choice))
		return choice.event.period;
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
