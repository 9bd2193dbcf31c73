// SPDX-License-Identifier: GPL-2.0
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include "config.h"
#include "core/record.h"
#include "core/table.h"

#define HTMM_START_FLAGS \
	(HTMM_START_DETACHED | HTMM_START_KEEP_EXITED | HTMM_START_BUDGET | \
	 HTMM_START_WEIGHT_PERIOD | HTMM_START_SERVED | HTMM_START_PAUSED | \
	 HTMM_START_KEEP)

#define HTMM_DEFAULT_RING_PAGES		32
#define HTMM_DEFAULT_DRAIN_MS		50
#define HTMM_DEFAULT_BUDGET_MS		1000
/* Entering and leaving an interrupt, with cache misses, takes 1 to 3 microseconds on servers. */
#define HTMM_DEFAULT_INTERRUPT_NS	2000
/* As in MEMTIS. */
#define HTMM_DEFAULT_ADAPTATION		100000
/* 1/512 of the memory: 8 bytes for each 4 KiB page of the machine. */
#define HTMM_DEFAULT_TABLE_FRACTION	512
/* Default limit, as a multiple of the period, to which a budget may raise it. */
#define HTMM_DEFAULT_STRETCH		1000
#define HTMM_DEFAULT_TABLE_MIN		(16ULL << 20)

/**
 * struct htmm_setting - a member of struct htmm_start that is a number of 32 bits
 * @name: its name
 * @at: its offset
 * @usual: what 0 stands for
 * @min: smallest value
 * @max: largest value
 */
struct htmm_setting {
	const char *name;
	u16 at;
	u32 usual;
	u32 min;
	u32 max;
};

#define HTMM_SETTING(member, ...) \
	{ #member, offsetof(struct htmm_start, member), __VA_ARGS__ }

static const struct htmm_setting htmm_settings[] = {
	HTMM_SETTING(ring_pages, HTMM_DEFAULT_RING_PAGES, 1, HTMM_MAX_RING_PAGES),
	HTMM_SETTING(drain_interval_ms, HTMM_DEFAULT_DRAIN_MS, 1, HTMM_MAX_DRAIN_MS),
	HTMM_SETTING(budget_ppm, 0, 0, 1000000),
	HTMM_SETTING(interrupt_ns, HTMM_DEFAULT_INTERRUPT_NS, 1, HTMM_MAX_INTERRUPT_NS),
	HTMM_SETTING(budget_interval_ms, HTMM_DEFAULT_BUDGET_MS, HTMM_MIN_BUDGET_MS,
		     HTMM_MAX_BUDGET_MS),
};

static u64 htmm_ram_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* Pages of all nodes with CPUs. Nodes without CPUs are slow memory (CXL, PMEM). */
static u64 htmm_fast_pages(void)
{
	u64 pages = 0;
	int node;

	for_each_node_state(node, N_CPU)
		pages += node_present_pages(node);
	return pages << (PAGE_SHIFT - HTMM_PAGE_SHIFT);
}

/* In pages; 0 stands for the default. */
u64 htmm_config_capacity(u64 pages)
{
	return pages ?: htmm_fast_pages();
}

static void htmm_config_defaults(struct htmm_start *start)
{
	if (!start->adaptation_period)
		start->adaptation_period = HTMM_DEFAULT_ADAPTATION;
	if (!start->max_bytes)
		start->max_bytes = max(htmm_ram_bytes() / HTMM_DEFAULT_TABLE_FRACTION,
				       HTMM_DEFAULT_TABLE_MIN);
	start->capacity_pages = htmm_config_capacity(start->capacity_pages);
	start->sample_type |= HTMM_SAMPLE_TYPE_MIN;
	if (start->flags & HTMM_START_WEIGHT_PERIOD)
		start->sample_type |= PERF_SAMPLE_PERIOD;
}

static void htmm_config_event_defaults(struct htmm_event *event)
{
	if (!event->min_period)
		event->min_period = event->period;
	if (!event->max_period && event->type == HTMM_TYPE_FEED)
		event->max_period = event->period;
	if (!event->max_period)
		event->max_period = event->period < S64_MAX / HTMM_DEFAULT_STRETCH ?
			event->period * HTMM_DEFAULT_STRETCH : event->period;
}

/* Names are printed in lines of text, where a newline in a name could fake a line. */
static bool htmm_config_fits_a_line(const char *name)
{
	for (; *name; name++)
		if (iscntrl(*name))
			return false;
	return true;
}

/* All defaults are filled in. Returns 0, or an errno documented with struct htmm_start. */
int htmm_config_check_event(const struct htmm_event *event, unsigned int i, struct htmm_error *err)
{
	if (event->flags)
		return htmm_fail(err, -EOPNOTSUPP, "event %u: flags must be zero", i);
	if (event->min_level > HTMM_SOURCE_SLOW)
		return htmm_fail(err, -EINVAL, "event %u: min_level is %u, not 0 to %u",
				 i, event->min_level, HTMM_SOURCE_SLOW);
	if (!event->period)
		return htmm_fail(err, -EINVAL, "event %u: the sample period must be 1 or more", i);
	if (event->period < event->min_period || event->period > event->max_period)
		return htmm_fail(err, -EINVAL,
				 "event %u: the sample period is not between %llu and %llu",
				 i, event->min_period, event->max_period);
	if (event->max_period > S64_MAX)
		return htmm_fail(err, -ERANGE, "event %u: the sample period is above 2^63 - 1", i);
	if (event->precise_ip > 3)
		return htmm_fail(err, -EINVAL, "event %u: precise_ip is %u, not 0 to 3", i,
				 event->precise_ip);
	if (event->type == HTMM_TYPE_FEED &&
	    (event->precise_ip || event->config || event->config1 || event->config2 ||
	     event->min_period != event->max_period))
		return htmm_fail(err, -EINVAL,
				 "event %u: one that is fed has no config, no precise_ip, and one period",
				 i);
	if (!memchr(event->name, '\0', sizeof(event->name)))
		return htmm_fail(err, -EINVAL, "event %u: the name does not end", i);
	if (!htmm_config_fits_a_line(event->name))
		return htmm_fail(err, -EINVAL, "event %u: the name has a control character", i);
	return 0;
}

/* Most memory that all tables may take together, in bytes. */
u64 htmm_config_max_bytes(void)
{
	return htmm_ram_bytes() / 2;
}

static int htmm_config_check_bytes(u64 bytes, struct htmm_error *err)
{
	u64 max = htmm_config_max_bytes();

	if (bytes < HTMM_TABLE_MIN_BYTES || bytes > max)
		return htmm_fail(err, -ERANGE,
				 "max_bytes is %llu, not between %u and half of memory, %llu",
				 bytes, HTMM_TABLE_MIN_BYTES, max);
	return 0;
}

/* Returns 0, or an errno documented with struct htmm_start. */
int htmm_config_check_target(const struct htmm_target *target, struct htmm_error *err)
{
	if (target->flags)
		return htmm_fail(err, -EOPNOTSUPP, "a target's flags must be zero");
	if (target->type < HTMM_TARGET_TGID || target->type > HTMM_TARGET_ALL)
		return htmm_fail(err, -EOPNOTSUPP, "a target is of unknown type %u", target->type);
	if (target->type == HTMM_TARGET_ALL && target->id)
		return htmm_fail(err, -EINVAL, "the id of a target of all tasks must be zero");
	if (!target->max_bytes)
		return 0;
	return htmm_config_check_bytes(target->max_bytes, err);
}

/* Fill in the defaults of the settings, and check their ranges. */
static int htmm_config_check_settings(struct htmm_start *start, struct htmm_error *err)
{
	const struct htmm_setting *setting = htmm_settings;
	u32 *value;

	for (; setting < htmm_settings + ARRAY_SIZE(htmm_settings); setting++) {
		value = (void *)start + setting->at;
		*value = *value ?: setting->usual;
		if (*value < setting->min || *value > setting->max)
			return htmm_fail(err, -ERANGE, "%s is %u, not between %u and %u",
					 setting->name, *value, setting->min, setting->max);
	}
	return 0;
}

static int htmm_config_check_start(const struct htmm_start *start, struct htmm_error *err)
{
	if (start->flags & ~HTMM_START_FLAGS)
		return htmm_fail(err, -EOPNOTSUPP, "unknown flags %#x",
				 start->flags & ~HTMM_START_FLAGS);
	if (start->__reserved)
		return htmm_fail(err, -EOPNOTSUPP, "a reserved member is not zero");
	if (!start->nr_events)
		return htmm_fail(err, -EINVAL, "no event was given");
	if (start->sample_type & ~HTMM_SAMPLE_TYPE_MAX)
		return htmm_fail(err, -EOPNOTSUPP,
				 "sample_type %#llx has bits that records cannot carry",
				 start->sample_type);
	if (start->drain_nice < MIN_NICE || start->drain_nice > MAX_NICE)
		return htmm_fail(err, -ERANGE, "drain_nice is %d, not between %d and %d",
				 start->drain_nice, MIN_NICE, MAX_NICE);
	if (start->budget_ppm && !(start->flags & HTMM_START_BUDGET))
		return htmm_fail(err, -EINVAL, "budget_ppm is given without HTMM_START_BUDGET");
	if (!is_power_of_2(start->ring_pages))
		return htmm_fail(err, -EINVAL, "ring_pages is %u, not a power of two",
				 start->ring_pages);
	return htmm_config_check_bytes(start->max_bytes, err);
}

struct htmm_config *htmm_config_alloc(void)
{
	struct htmm_config *config;

	config = kzalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return NULL;
	if (!zalloc_cpumask_var(&config->cpus, GFP_KERNEL))
		goto err_config;
	if (!zalloc_cpumask_var(&config->drain_cpus, GFP_KERNEL))
		goto err_cpus;
	return config;

err_cpus:
	free_cpumask_var(config->cpus);
err_config:
	kfree(config);
	return NULL;
}

/*
 * Fill in defaults and check every member. Returns 0, or the errno documented with struct
 * htmm_start.
 */
int htmm_config_check(struct htmm_config *config, struct htmm_error *err)
{
	unsigned int i;
	int ret;

	if (cpumask_empty(config->cpus))
		cpumask_copy(config->cpus, cpu_possible_mask);
	htmm_config_defaults(&config->start);
	ret = htmm_config_check_settings(&config->start, err);
	if (!ret)
		ret = htmm_config_check_start(&config->start, err);
	for (i = 0; !ret && i < config->start.nr_events; i++) {
		htmm_config_event_defaults(&config->events[i]);
		ret = htmm_config_check_event(&config->events[i], i, err);
	}
	for (i = 0; !ret && i < config->start.nr_targets; i++)
		ret = htmm_config_check_target(&config->targets[i], err);
	return ret;
}

void htmm_config_free(struct htmm_config *config)
{
	if (!config)
		return;
	free_cpumask_var(config->drain_cpus);
	free_cpumask_var(config->cpus);
	kfree(config);
}
