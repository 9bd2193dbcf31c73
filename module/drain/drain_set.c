// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/nodemask.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "drain.h"
#include "drain_set.h"
#include "stream/stream.h"

/* The smallest period that any event can have: the one that counts 1. */
static u64 htmm_crew_weight_unit(const struct htmm_config *config)
{
	u64 unit = U64_MAX;
	unsigned int i;

	if (!(config->start.flags & HTMM_START_WEIGHT_PERIOD))
		return 0;
	for (i = 0; i < config->start.nr_events; i++)
		unit = min_t(u64, unit, config->events[i].min_period);
	return unit;
}

static void htmm_crew_free_drains(struct htmm_crew *crew)
{
	while (crew->nr)
		htmm_drain_destroy(crew->drains[--crew->nr]);
}

/**
 * struct htmm_shift - how rings are dealt out to threads
 * @nodes: nodes that have rings
 * @ordinal: their place among @nodes, by number
 * @dealt: CPUs of each that have a thread by now
 */
struct htmm_shift {
	unsigned int nodes;
	unsigned int ordinal[MAX_NUMNODES];
	unsigned int dealt[MAX_NUMNODES];
};

static struct htmm_shift *htmm_shift_create(const struct htmm_fleet *fleet)
{
	struct htmm_shift *shift = kvzalloc(sizeof(*shift), GFP_KERNEL);
	nodemask_t nodes = NODE_MASK_NONE;
	unsigned int i, node;

	if (!shift)
		return NULL;
	for (i = 0; i < fleet->nr_samplers; i++)
		node_set(htmm_cpu_node(fleet->samplers[i]->cpu), nodes);
	for_each_node_mask(node, nodes)
		shift->ordinal[node] = shift->nodes++;
	return shift;
}

/*
 * The thread of the next CPU of a node. With as many threads as nodes or more, a node's
 * threads are its own: those whose number is the node's, modulo the number of nodes.
 */
static unsigned int htmm_shift_deal(struct htmm_shift *shift, unsigned int node,
				    unsigned int threads)
{
	unsigned int first = shift->ordinal[node] % threads;
	unsigned int own = DIV_ROUND_UP(threads - first, shift->nodes);

	return first + shift->dealt[node]++ % own * shift->nodes;
}

/* All events of a CPU go to the same thread. */
static int htmm_crew_deal(struct htmm_crew *crew, unsigned int nr_events)
{
	struct htmm_fleet *fleet = crew->fleet;
	struct htmm_shift *shift = htmm_shift_create(fleet);
	unsigned int i, node, thread = 0;

	if (!shift)
		return -ENOMEM;
	for (i = 0; i < fleet->nr_samplers; i++) {
		node = htmm_cpu_node(fleet->samplers[i]->cpu);
		if (i % nr_events == 0)
			thread = htmm_shift_deal(shift, node, crew->nr);
		htmm_drain_adopt(crew->drains[thread], fleet->samplers[i]);
	}
	kvfree(shift);
	return 0;
}

/**
 * htmm_crew_init - prepare a crew that has no threads yet
 * @crew: zeroed crew
 * @config: what was asked for
 * @fleet: whose samplers learn here how to wake their thread; none has an event yet
 * @roster: where samples go
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int htmm_crew_init(struct htmm_crew *crew, const struct htmm_config *config,
		   struct htmm_fleet *fleet, struct htmm_roster *roster)
{
	const struct htmm_start *start = &config->start;
	struct htmm_drain *drain;
	int ret;

	mutex_init(&crew->round_lock);
	crew->roster = roster;
	crew->fleet = fleet;
	crew->sample_type = start->sample_type;
	crew->weight_unit = htmm_crew_weight_unit(config);
	crew->interval = msecs_to_jiffies(start->drain_interval_ms);
	while (crew->nr < start->drain_threads) {
		drain = htmm_drain_create(crew, crew->nr);
		if (!drain) {
			ret = -ENOMEM;
			goto err_drains;
		}
		crew->drains[crew->nr++] = drain;
	}
	ret = htmm_crew_deal(crew, start->nr_events);
	if (ret)
		goto err_drains;
	return 0;

err_drains:
	htmm_crew_free_drains(crew);
	return ret;
}

/**
 * htmm_crew_start - start all threads
 * @crew: a prepared crew
 * @config: where and how they run
 * @err: on failure, the reason
 *
 * Context: process, may sleep.
 * Return: 0, or the errno of kthread_create(); no thread runs then.
 */
int htmm_crew_start(struct htmm_crew *crew, const struct htmm_config *config,
		    struct htmm_error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < crew->nr; i++)
		ret = htmm_drain_start(crew->drains[i], config->drain_cpus,
				       config->start.drain_nice, err);
	if (ret)
		htmm_crew_stop(crew);
	return ret;
}

/**
 * htmm_crew_stop - drain what is left and end all threads
 * @crew: the crew; nothing is done for threads that were never started
 *
 * Every event must have been released, and no handler may be running.
 *
 * Context: process, may sleep.
 */
void htmm_crew_stop(struct htmm_crew *crew)
{
	unsigned int i;

	for (i = 0; i < crew->nr; i++)
		htmm_drain_stop(crew->drains[i]);
}

/**
 * htmm_crew_round - a thread has emptied its rings
 * @crew: the crew
 * @thread: its number
 * @round: from htmm_crew_rounds(), before it looked at the first of them
 *
 * When the last of them says so, the record stream is told: what comes later is no older
 * than what any ring held at the last such moment.
 *
 * Context: a drain thread.
 */
void htmm_crew_round(struct htmm_crew *crew, unsigned int thread, u64 round)
{
	mutex_lock(&crew->round_lock);
	if (crew->rounds == round) {
		crew->emptied |= BIT_ULL(thread);
		if (hweight64(crew->emptied) == crew->nr) {
			htmm_stream_round();
			crew->emptied = 0;
			/* Last: a look at a ring before counts for no later round. */
			WRITE_ONCE(crew->rounds, crew->rounds + 1);
		}
	}
	mutex_unlock(&crew->round_lock);
}

/**
 * htmm_crew_reset - set every counter to zero and forget all pages
 * @crew: the crew, running or stopped
 * @old: empty; gets what there was, for htmm_members_put() without a lock
 *
 * Pages and counters begin again at the same sample.
 *
 * Context: process, may sleep; the roster does not change. Takes the roster's lock.
 * Return: 0, or -ENOMEM if everything stays as it is.
 */
int htmm_crew_reset(struct htmm_crew *crew, struct htmm_members *old)
{
	struct htmm_fleet *fleet = crew->fleet;
	unsigned int i;
	int ret;

	ret = htmm_roster_renew(crew->roster, old);
	if (ret)
		return ret;

	down_write(&crew->roster->lock);
	htmm_roster_replace(crew->roster, old);
	for (i = 0; i < fleet->nr_samplers; i++)
		htmm_sampler_reset(fleet->samplers[i]);
	for (i = 0; i < crew->nr; i++)
		htmm_drain_reset(crew->drains[i]);
	up_write(&crew->roster->lock);
	return 0;
}

/**
 * htmm_crew_destroy - forget a crew
 * @crew: a stopped crew
 */
void htmm_crew_destroy(struct htmm_crew *crew)
{
	htmm_crew_free_drains(crew);
	mutex_destroy(&crew->round_lock);
}

/**
 * htmm_crew_get_stats - totals of all threads
 * @crew: the crew
 * @stats: set to them
 *
 * Context: process.
 */
void htmm_crew_get_stats(struct htmm_crew *crew, struct htmm_crew_stats *stats)
{
	const struct htmm_drain *drain;
	unsigned int i;

	*stats = (struct htmm_crew_stats) {};
	for (i = 0; i < crew->nr; i++) {
		drain = crew->drains[i];
		stats->batches += READ_ONCE(drain->batches);
		stats->wakeups += atomic64_read(&drain->wake.wakeups);
		stats->cpu_ns += READ_ONCE(drain->cpu_ns);
	}
}

/**
 * htmm_crew_pid - pid of a thread
 * @crew: a crew that was started
 * @thread: which one, below @crew->nr
 *
 * Context: process context of the reader, whose pid namespace counts.
 * Return: the pid, 0 if it is not visible there.
 */
u32 htmm_crew_pid(const struct htmm_crew *crew, unsigned int thread)
{
	return pid_vnr(crew->drains[thread]->pid);
}
