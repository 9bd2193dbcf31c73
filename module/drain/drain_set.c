// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/nodemask.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "base/alloc.h"
#include "drain_set.h"

/* The smallest period that any event can have: a sample with it has weight 1. */
static u64 htmm_drain_set_weight_unit(const struct htmm_config *config)
{
	u64 unit = U64_MAX;
	unsigned int i;

	if (!(config->start.flags & HTMM_START_WEIGHT_PERIOD))
		return 0;
	for (i = 0; i < config->start.nr_events; i++)
		unit = min_t(u64, unit, config->events[i].min_period);
	return unit;
}

static void htmm_drain_set_free_drains(struct htmm_drain_set *set)
{
	while (set->nr)
		htmm_drain_destroy(set->drains[--set->nr]);
}

/**
 * struct htmm_node_map - assignment of nodes' rings to threads
 * @nodes: nodes that have rings
 * @node: number of nodes in @nodes
 * @ordinal: index of each node among @nodes
 * @assigned: number of CPUs of each node that were assigned so far
 */
struct htmm_node_map {
	unsigned int nodes;
	int node[MAX_NUMNODES];
	unsigned int ordinal[MAX_NUMNODES];
	unsigned int assigned[MAX_NUMNODES];
};

static struct htmm_node_map *htmm_node_map_create(const struct htmm_sampler_set *samplers)
{
	struct htmm_node_map *map = kvzalloc(sizeof(*map), GFP_KERNEL);
	nodemask_t nodes = NODE_MASK_NONE;
	unsigned int i, node;

	if (!map)
		return NULL;
	for (i = 0; i < samplers->nr_samplers; i++)
		node_set(htmm_cpu_node(samplers->samplers[i]->cpu), nodes);
	for_each_node_mask(node, nodes) {
		map->node[map->nodes] = node;
		map->ordinal[node] = map->nodes++;
	}
	return map;
}

/*
 * Choose the thread for the next CPU of a node. If there are at least as many threads as
 * nodes, no thread serves two nodes: a node's threads are those whose number equals the
 * node's index modulo the number of nodes.
 */
static unsigned int htmm_node_map_assign(struct htmm_node_map *map, unsigned int node,
					 unsigned int threads)
{
	unsigned int first = map->ordinal[node] % threads;
	unsigned int own = DIV_ROUND_UP(threads - first, map->nodes);

	return first + map->assigned[node]++ % own * map->nodes;
}

/* All events of a CPU go to the same thread. */
static void htmm_drain_set_assign(struct htmm_drain_set *set, struct htmm_node_map *map,
				  unsigned int nr_events)
{
	struct htmm_sampler_set *samplers = set->samplers;
	unsigned int i, node, thread = 0;

	for (i = 0; i < samplers->nr_samplers; i++) {
		node = htmm_cpu_node(samplers->samplers[i]->cpu);
		if (i % nr_events == 0)
			thread = htmm_node_map_assign(map, node, set->nr);
		htmm_drain_add_sampler(set->drains[thread], samplers->samplers[i]);
	}
}

/* Create the drains for @map, each on the node of its first ring. */
static int htmm_drain_set_make_drains(struct htmm_drain_set *set,
				      const struct htmm_node_map *map, unsigned int nr)
{
	struct htmm_drain *drain;

	while (set->nr < nr) {
		drain = htmm_drain_create(&set->common, set->nr,
					  set->samplers->nr_samplers,
					  map->node[set->nr % map->nodes]);
		if (!drain) {
			htmm_drain_set_free_drains(set);
			return -ENOMEM;
		}
		set->drains[set->nr++] = drain;
	}
	return 0;
}

/**
 * htmm_drain_set_init - prepare a set without threads
 * @set: zeroed set
 * @config: configuration of the session
 * @samplers: the samplers, without events yet; each is assigned to a thread that it wakes
 * @trackers: destination of the samples; not accessed yet
 * @memcg: the memory cgroup charged for the threads' allocations
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int htmm_drain_set_init(struct htmm_drain_set *set, const struct htmm_config *config,
			struct htmm_sampler_set *samplers, struct htmm_tracker_set *trackers,
			struct mem_cgroup *memcg)
{
	const struct htmm_start *start = &config->start;
	struct htmm_node_map *map;
	int ret;

	map = htmm_node_map_create(samplers);
	if (!map)
		return -ENOMEM;

	set->samplers = samplers;
	set->common = (struct htmm_drain_common) {
		.trackers = trackers,
		.memcg = memcg,
		.layout = htmm_record_layout(start->sample_type),
		.weight_unit = htmm_drain_set_weight_unit(config),
		.served = start->flags & HTMM_START_SERVED,
		.has_source = start->flags & HTMM_START_SERVED &&
			      start->sample_type & PERF_SAMPLE_DATA_SRC,
		.interval = msecs_to_jiffies(start->drain_interval_ms),
		.nr = start->drain_threads,
	};
	mutex_init(&set->common.round_lock);
	ret = htmm_drain_set_make_drains(set, map, start->drain_threads);
	if (!ret)
		htmm_drain_set_assign(set, map, start->nr_events);
	kvfree(map);
	return ret;
}

/**
 * htmm_drain_set_nodes - get the NUMA nodes of the threads
 * @set: a prepared set
 * @node: array of @set->nr elements; set to the threads' NUMA nodes
 */
void htmm_drain_set_nodes(const struct htmm_drain_set *set, int *node)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		node[i] = set->drains[i]->node;
}

/**
 * htmm_drain_set_start - start all threads
 * @set: a prepared set
 * @config: their CPUs and nice value
 * @err: on failure, the reason
 *
 * Context: process, may sleep.
 * Return: 0, or the errno of kthread_create(); no thread runs then.
 */
int htmm_drain_set_start(struct htmm_drain_set *set, const struct htmm_config *config,
			 struct htmm_error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < set->nr; i++)
		ret = htmm_drain_start(set->drains[i], config->drain_cpus,
				       config->start.drain_nice, err);
	if (ret)
		htmm_drain_set_stop(set);
	return ret;
}

/**
 * htmm_drain_set_stop - drain what is left and end all threads
 * @set: the set; nothing is done for threads that were never started
 *
 * Every event must have been released, and no handler may be running.
 *
 * Context: process, may sleep.
 */
void htmm_drain_set_stop(struct htmm_drain_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		htmm_drain_stop(set->drains[i]);
}

/**
 * htmm_drain_set_reset - set every counter to zero and forget all pages
 * @set: the set, running or stopped
 * @old: empty; set to the old trackers, for htmm_tracker_list_put() without a lock
 *
 * Pages and counters are reset at the same sample.
 *
 * Context: process, may sleep; the trackers do not change. Takes the lock of the trackers.
 * Return: 0, or -ENOMEM, with nothing changed.
 */
int htmm_drain_set_reset(struct htmm_drain_set *set, struct htmm_tracker_list *old)
{
	struct htmm_sampler_set *samplers = set->samplers;
	unsigned int i;
	int ret;

	ret = htmm_tracker_set_renew(set->common.trackers, old);
	if (ret)
		return ret;

	down_write(&set->common.trackers->lock);
	htmm_tracker_set_replace(set->common.trackers, old);
	for (i = 0; i < samplers->nr_samplers; i++)
		htmm_sampler_reset(samplers->samplers[i]);
	for (i = 0; i < set->nr; i++)
		htmm_drain_reset(set->drains[i]);
	up_write(&set->common.trackers->lock);
	return 0;
}

/**
 * htmm_drain_set_destroy - free the drains of a set
 * @set: a stopped set
 */
void htmm_drain_set_destroy(struct htmm_drain_set *set)
{
	htmm_drain_set_free_drains(set);
	mutex_destroy(&set->common.round_lock);
}

/**
 * htmm_drain_set_get_stats - totals of all threads
 * @set: the set
 * @stats: set to them
 *
 * Context: process.
 */
void htmm_drain_set_get_stats(struct htmm_drain_set *set, struct htmm_drain_set_stats *stats)
{
	const struct htmm_drain *drain;
	unsigned int i;

	*stats = (struct htmm_drain_set_stats) {};
	for (i = 0; i < set->nr; i++) {
		drain = set->drains[i];
		stats->batches += READ_ONCE(drain->batches);
		stats->wakeups += atomic64_read(&drain->wake.wakeups);
		stats->cpu_ns += READ_ONCE(drain->cpu_ns);
	}
}

/**
 * htmm_drain_set_pid - pid of a thread
 * @set: a set that was started
 * @thread: which one, below @set->nr
 *
 * Context: process context of the reader, whose pid namespace counts.
 * Return: the pid, 0 if it is not visible there.
 */
u32 htmm_drain_set_pid(const struct htmm_drain_set *set, unsigned int thread)
{
	return pid_vnr(set->drains[thread]->pid);
}
