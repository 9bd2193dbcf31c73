/* SPDX-License-Identifier: GPL-2.0 */
/* All channels of a session. They follow CPU hotplug. */
#ifndef HTMM_CHANNEL_SET_H
#define HTMM_CHANNEL_SET_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "base/config.h"
#include "base/stats.h"
#include "channel.h"

struct mem_cgroup;

/**
 * struct htmm_channel_set - channels of a session
 * @config: the configuration; @config->cpus are the CPUs that belong to the set, online or not
 * @memcg: the memory cgroup to which rings are charged
 * @channels: array: all events of a CPU, then all events of the next CPU
 * @nr_channels: elements in @channels
 * @cpuhp: node in the list of hotplug callback instances
 * @online: CPUs that can be sampled, according to the hotplug callbacks
 * @changed: CPUs that have come online or gone offline since @work last ran
 * @work: creates and releases events for these CPUs
 * @lock: protects all members that follow, the channels' event pointers, and the creation of
 *	their rings
 * @period: current period of each event
 * @created: @work may create events
 * @armed: events are armed as soon as they are created, and can be fed
 * @since: since when it is armed, in nanoseconds of the monotonic clock, as if without pauses;
 *	while it is not armed, minus the time that it was; read without a lock
 * @paused: time at which the present pause began; 0: there is none; read without a lock
 * @idle: samples that were fed in pauses, or lost, and are no cost
 * @nr_cpus: CPUs that have events now, or had them when the set was stopped
 * @ring_bytes: memory of all rings, in bytes
 * @stats: what it counts, by enum htmm_stat; read without a lock
 */
struct htmm_channel_set {
	const struct htmm_config *config;
	struct mem_cgroup *memcg;
	struct htmm_channel **channels;
	unsigned int nr_channels;
	struct hlist_node cpuhp;
	cpumask_var_t online;
	cpumask_var_t changed;
	struct work_struct work;
	struct mutex lock;	/* everything below, and channels[]->event */
	u64 period[HTMM_MAX_EVENTS];
	bool created;
	bool armed;
	s64 since;
	u64 paused;
	u64 idle;
	unsigned int nr_cpus;
	u64 ring_bytes;
	u64 stats[HTMM_NR_STATS];
};

int htmm_channel_set_init(struct htmm_channel_set *set, const struct htmm_config *config,
			  const struct htmm_filter *filter, struct mem_cgroup *memcg);
int htmm_channel_set_create(struct htmm_channel_set *set, struct htmm_error *err);
u64 htmm_channel_set_elapsed(const struct htmm_channel_set *set);
void htmm_channel_set_arm(struct htmm_channel_set *set);
void htmm_channel_set_pause(struct htmm_channel_set *set);
u64 htmm_channel_set_period(struct htmm_channel_set *set, unsigned int index);
u64 htmm_channel_set_step(struct htmm_channel_set *set, unsigned int index);
int htmm_channel_set_try_period(struct htmm_channel_set *set, unsigned int index,
				u64 period, struct htmm_error *err);
int htmm_channel_set_set_period(struct htmm_channel_set *set, unsigned int index, u64 period);
int htmm_channel_set_feed(struct htmm_channel_set *set, unsigned int index, u32 cpu,
			  const struct htmm_feed_sample *samples, u32 n, bool foreign);
int htmm_channel_set_feed_note(struct htmm_channel_set *set, unsigned int index, u32 cpu, u32 n,
			       bool throttled);
void htmm_channel_set_stop(struct htmm_channel_set *set);
void htmm_channel_set_free_rings(struct htmm_channel_set *set);
void htmm_channel_set_destroy(struct htmm_channel_set *set);

int htmm_channel_set_register(void);
void htmm_channel_set_unregister(void);

#endif /* HTMM_CHANNEL_SET_H */
