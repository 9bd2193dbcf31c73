// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <htmm/catalog.h>
#include <htmm/event.h>
#include <htmm/text.h>
#include "array.h"
#include "catalog.h"
#include "model.h"
#include "pmu.h"

/* As for rNNNN: a core event without it has no data address. */
#define PRECISE_DEFAULT	2

static bool initialized;

static void initialize(void)
{
	initialized = pfm_initialize() == PFM_SUCCESS;
}

/* libpfm4 keeps its state in static variables without locks. */
static bool have_pfm(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, initialize);
	return initialized;
}

static bool get_pmu(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_pmu_info(pmu, info) == PFM_SUCCESS;
}

/*
 * Is it the PMU of the cores of a CPU model? A default PMU is none: libpfm4 finds it beside
 * that of the model on each Intel CPU, and alone where it does not know the model.
 */
static bool is_core(const pfm_pmu_info_t *info)
{
	return info->type == PFM_PMU_TYPE_CORE && !info->is_dfl &&
	       !strstr(info->desc, "(deprecated");
}

/* Finds the PMU of this CPU's cores. */
static bool find_core(pfm_pmu_info_t *info)
{
	int pmu;

	if (!have_pfm())
		return false;
	for (pmu = 0; pmu < PFM_PMU_MAX; pmu++)
		if (get_pmu(pmu, info) && info->is_present && is_core(info))
			return true;
	return false;
}

const char *htmm_catalog_cpu(void)
{
	static __thread char name[48];
	pfm_pmu_info_t info;
	struct cpu_id id;

	if (find_core(&info))
		return info.desc;
	if (!cpu_id_read(&id))
		return "unknown";
	snprintf(name, sizeof(name), "%s-%u-%X-%X", id.vendor, id.family, id.model, id.stepping);
	return name;
}

/* Visits the event itself if it has no umask, else each of its umasks. */
static int walk_event(const pfm_event_info_t *info,
		      int (*each)(const struct htmm_catalog_event *event, void *data), void *data)
{
	struct htmm_catalog_event event = {
		.help = info->desc, .precise = info->is_precise, .alias = info->equiv,
	};
	pfm_event_attr_info_t attr;
	int i, ret, umasks = 0;

	for (i = 0; i < info->nattrs; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		umasks++;
		snprintf(event.name, sizeof(event.name), "%s:%s", info->name, attr.name);
		event.help = attr.desc;
		event.precise = attr.is_precise;
		event.alias = info->equiv || attr.equiv;
		ret = each(&event, data);
		if (ret)
			return ret;
	}
	if (umasks)
		return 0;
	snprintf(event.name, sizeof(event.name), "%s", info->name);
	return each(&event, data);
}

int htmm_catalog_walk(int (*each)(const struct htmm_catalog_event *event, void *data), void *data)
{
	pfm_pmu_info_t pmu;
	int i, ret = 0;

	if (!find_core(&pmu))
		return 0;
	for (i = pmu.first_event; i >= 0 && !ret; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS)
			ret = walk_event(&info, each, data);
	}
	return ret;
}

/* Refuses attributes from libpfm4 that struct htmm_event does not have. */
static int check_attr(const struct perf_event_attr *attr, struct htmm_error *err)
{
	if (attr->freq)
		return htmm_error_set(err, EINVAL, "give period=N",
				      "htmm samples by period, not by frequency");
	if (attr->exclude_user)
		return htmm_error_set(err, EINVAL, "leave u and k out",
				      "htmm samples user space only");
	return 0;
}

int catalog_encode(const char *name, struct htmm_event *event, struct htmm_error *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };

	if (!have_pfm() ||
	    pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg) != PFM_SUCCESS)
		return -ENOENT;
	if (check_attr(&attr, err))
		return -EINVAL;
	event->period = attr.sample_period;
	event->type = attr.type;
	event->config = attr.config;
	event->config1 = attr.config1;
	event->config2 = attr.config2;
	event->precise_ip = attr.precise_ip;
	if (!event->precise_ip && attr.type != PERF_TYPE_SOFTWARE &&
	    attr.type != PERF_TYPE_TRACEPOINT)
		event->precise_ip = PRECISE_DEFAULT;
	return 0;
}

/**
 * struct search - the name nearest to what was typed
 * @word: what was typed, as libpfm4 would write it
 * @name: the nearest so far; empty: none
 */
struct search {
	char word[96];
	char name[96];
};

static void consider(struct search *search, const char *name)
{
	/* On equal distance, the earlier one wins. */
	const char *const words[] = { search->name, name };

	if (htmm_nearest(search->word, words, ARRAY_SIZE(words)) == name)
		snprintf(search->name, sizeof(search->name), "%s", name);
}

static int search_event(const struct htmm_catalog_event *event, void *data)
{
	char bare[sizeof(event->name)];

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(event->name, ":"), event->name);
	consider(data, bare);
	consider(data, event->name);
	return 0;
}

/* Converts to lower case and ':', as libpfm4 accepts any case and '.' for ':'. */
static void spell(char *to, size_t size, const char *name)
{
	snprintf(to, size, "%s", name);
	for (; *to; to++)
		*to = *to == '.' ? ':' : (char)toupper((unsigned char)*to);
}

/* Names a CPU model that has an event of this name; NULL if there is none. */
static const char *other_model(const char *word)
{
	size_t len = strcspn(word, ":");
	pfm_pmu_info_t pmu;
	int number, i;

	for (number = 0; number < PFM_PMU_MAX; number++) {
		if (!get_pmu(number, &pmu) || !is_core(&pmu))
			continue;
		for (i = pmu.first_event; i >= 0; i = pfm_get_event_next(i)) {
			pfm_event_info_t info = { .size = sizeof(info) };

			if (pfm_get_event_info(i, PFM_OS_NONE, &info) == PFM_SUCCESS &&
			    strlen(info.name) == len && !strncasecmp(info.name, word, len))
				return pmu.desc;
		}
	}
	return NULL;
}

int catalog_no_model(const char *name, const char *sysfs, struct htmm_error *err)
{
	struct pmu pmu = {};
	char todo[200];
	bool loads = !pmu_open(&pmu, sysfs, htmm_core_pmu(0, sysfs), NULL) &&
		     pmu_has(&pmu, "events", "mem-loads") &&
		     !pmu_has(&pmu, "events", "mem-loads-aux");

	snprintf(todo, sizeof(todo),
		 "install a newer htmm or libpfm4, or name an event from the CPU's manual as rNNNN%s",
		 loads ? ", or sample load-latency, which the kernel knows" : "");
	return htmm_error_set(err, ENOENT, todo,
			      "the events of this CPU (%s) are not known here, so '%s' cannot be sampled",
			      htmm_catalog_cpu(), name);
}

int catalog_unknown(const char *name, const char *sysfs, struct htmm_error *err)
{
	const char *other;
	struct search search = {};
	pfm_pmu_info_t cpu;
	char todo[200];

	spell(search.word, sizeof(search.word), name);
	htmm_catalog_walk(search_event, &search);
	other = other_model(search.word);
	if (*search.name)
		snprintf(todo, sizeof(todo), "did you mean '%s'?", search.name);
	else
		snprintf(todo, sizeof(todo), "'htmmctl list' shows what can be sampled");
	if (*search.name || !other)
		return htmm_error_set(err, ENOENT, todo, "there is no event '%s'", name);
	if (!find_core(&cpu))
		return catalog_no_model(name, sysfs, err);
	return htmm_error_set(err, ENOENT, todo,
			      "'%s' is an event of other CPUs (%s), not of this one (%s)", name,
			      other, cpu.desc);
}
