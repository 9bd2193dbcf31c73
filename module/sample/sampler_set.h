/* SPDX-License-Identifier: GPL-2.0 */
/* All samplers of a session, which follow their CPUs as these come and go. */
#ifndef HTMM_SAMPLER_SET_H
#define HTMM_SAMPLER_SET_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "base/config.h"
#include "sampler.h"

struct mem_cgroup;

/**
 * struct htmm_sampler_set - samplers of a session
 * @config: what was asked for; @config->cpus are the CPUs that belong to the
 *	set, online or not
 * @memcg: the memory cgroup that pays for rings
 * @samplers: all events of a CPU, then those of the next CPU
 * @nr_samplers: elements in @samplers
 * @cpuhp: in the kernel's list of those who follow CPUs
 * @online: CPUs that can be sampled, as the kernel tells us
 * @changed: CPUs that have come or gone since @work last looked
 * @work: brings the events in line with the CPUs that are online
 * @lock: protects what follows, the samplers' event pointers, and the making
 *	of their rings
 * @period: the period in force, by event
 * @created: @work may create events
 * @armed: events are armed as soon as they are created
 * @nr_cpus: CPUs that have events now, or had them when the set was stopped
 * @ring_bytes: memory of all rings, in bytes
 * @failed: times a CPU came late and its events could not be created
 */
struct htmm_sampler_set {
	const struct htmm_config *config;
	struct mem_cgroup *memcg;
	struct htmm_sampler **samplers;
	unsigned int nr_samplers;
	struct hlist_node cpuhp;
	cpumask_var_t online;
	cpumask_var_t changed;
	struct work_struct work;
	struct mutex lock;	/* everything below, and samplers[]->event */
	u64 period[HTMM_MAX_EVENTS];
	bool created;
	bool armed;
	unsigned int nr_cpus;
	u64 ring_bytes;
	u32 failed;
};

int htmm_sampler_set_init(struct htmm_sampler_set *set, const struct htmm_config *config,
			  const struct htmm_filter *filter, struct mem_cgroup *memcg);
int htmm_sampler_set_create(struct htmm_sampler_set *set, struct htmm_error *err);
void htmm_sampler_set_arm(struct htmm_sampler_set *set);
u64 htmm_sampler_set_period(struct htmm_sampler_set *set, unsigned int index);
int htmm_sampler_set_try_period(struct htmm_sampler_set *set, unsigned int index,
				u64 period, struct htmm_error *err);
int htmm_sampler_set_set_period(struct htmm_sampler_set *set, unsigned int index,
				u64 period);
void htmm_sampler_set_stop(struct htmm_sampler_set *set);
void htmm_sampler_set_free_rings(struct htmm_sampler_set *set);
void htmm_sampler_set_destroy(struct htmm_sampler_set *set);

int htmm_sampler_set_register(void);
void htmm_sampler_set_unregister(void);

#endif /* HTMM_SAMPLER_SET_H */
