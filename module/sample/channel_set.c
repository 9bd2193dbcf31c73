// SPDX-License-Identifier: GPL-2.0
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "feed.h"
#include "perf_event.h"
#include "channel_set.h"

/* The dynamic state of our hotplug callbacks; does not change while the module is loaded. */
static enum cpuhp_state htmm_cpuhp_state;

/* The channels of one CPU: an array of config->start.nr_events. */
static struct htmm_channel **htmm_channel_set_of_cpu(struct htmm_channel_set *set, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < set->nr_channels; i += set->config->start.nr_events)
		if (set->channels[i]->cpu == cpu)
			return &set->channels[i];
	return NULL;
}

static void htmm_channel_set_free_channels(struct htmm_channel_set *set)
{
	while (set->nr_channels) {
		htmm_channel_free_ring(set->channels[--set->nr_channels]);
		kfree(set->channels[set->nr_channels]);
	}
	kvfree(set->channels);
}

/* Allocate rings for the channels of a CPU that have an event, unless they already have them. */
static int htmm_channel_set_make_rings(struct htmm_channel_set *set, struct htmm_channel **channels)
{
	const struct htmm_start *start = &set->config->start;
	size_t bytes = (size_t)start->ring_pages << HTMM_PAGE_SHIFT;
	unsigned int i;
	int ret;

	for (i = 0; i < start->nr_events; i++) {
		if (!channels[i]->event || channels[i]->mem)
			continue;
		ret = htmm_channel_make_ring(channels[i], bytes);
		if (ret)
			return ret;
		set->ring_bytes += bytes;
	}
	return 0;
}

static void htmm_channel_set_release_events(struct htmm_channel_set *set,
					    struct htmm_channel **channels)
{
	unsigned int i;

	for (i = 0; i < set->config->start.nr_events; i++)
		htmm_perf_event_release(channels[i]);
}

/*
 * Create the events of a CPU, or none. On hybrid CPUs each kind of cores has a PMU of its own,
 * which refuses the CPUs of others with -ENOENT: a CPU has the events that its PMU takes.
 */
static int htmm_channel_set_create_events(struct htmm_channel_set *set,
					  struct htmm_channel **channels, struct htmm_error *err)
{
	const struct htmm_config *config = set->config;
	unsigned int i, taken = 0;
	int ret;

	for (i = 0; i < config->start.nr_events; i++) {
		ret = htmm_perf_event_create(channels[i], &config->events[i], set->period[i], err);
		if (ret && ret != -ENOENT)
			goto err_events;
		taken += !ret;
	}
	if (taken || config->start.nr_events == 1)
		return taken ? 0 : -ENOENT;
	return htmm_fail(err, -ENOENT,
			 "no PMU of CPU %u takes any of the %u events: add one that does, or leave the CPU out",
			 channels[0]->cpu, config->start.nr_events);

err_events:
	htmm_channel_set_release_events(set, channels);
	return ret;
}

/* Start to sample a CPU. If the CPU is not online any more, that is not an error. */
static int htmm_channel_set_cpu_add(struct htmm_channel_set *set, struct htmm_channel **channels,
				    struct htmm_error *err)
{
	unsigned int cpu = channels[0]->cpu;
	unsigned int i;
	int ret;

	lockdep_assert_held(&set->lock);

	/* Tested before and after: the CPU may go offline at any time. */
	if (!cpumask_test_cpu(cpu, set->online))
		return 0;
	ret = htmm_channel_set_create_events(set, channels, err);
	if (ret)
		return cpumask_test_cpu(cpu, set->online) ? ret : 0;
	ret = htmm_channel_set_make_rings(set, channels);
	if (ret)
		goto err_rings;

	set->nr_cpus++;
	for (i = 0; set->armed && i < set->config->start.nr_events; i++)
		htmm_perf_event_arm(channels[i]);
	return 0;

err_rings:
	htmm_channel_set_release_events(set, channels);
	return htmm_fail(err, ret,
			 "not enough memory for rings of %u pages on CPU %u: free some, raise the limit of your memory cgroup (memory.max), or ask for fewer ring_pages",
			 set->config->start.ring_pages, cpu);
}

/*
 * An event on a CPU that went offline never counts again, even if the CPU is online again,
 * so replace it. Its ring and counters are kept, and its ring is still drained.
 */
static void htmm_channel_set_refresh(struct htmm_channel_set *set, unsigned int cpu)
{
	struct htmm_channel **channels = htmm_channel_set_of_cpu(set, cpu);
	struct htmm_error err = {};
	bool sampled = false;
	unsigned int i;

	if (!channels)
		return;
	for (i = 0; i < set->config->start.nr_events; i++)
		sampled |= !!channels[i]->event;
	set->nr_cpus -= sampled;
	htmm_channel_set_release_events(set, channels);
	if (htmm_channel_set_cpu_add(set, channels, &err)) {
		pr_warn("htmm: CPU %u is not sampled: %s\n", cpu, err.text);
		htmm_stat_add(set->stats, HTMM_STAT_CPUS_FAILED, 1);
	}
}

static void htmm_channel_set_work(struct work_struct *work)
{
	struct htmm_channel_set *set = container_of(work, struct htmm_channel_set, work);
	struct mem_cgroup *old = set_active_memcg(set->memcg);
	unsigned int cpu;

	mutex_lock(&set->lock);
	if (set->created) {
		for_each_cpu(cpu, set->config->cpus)
			if (cpumask_test_and_clear_cpu(cpu, set->changed))
				htmm_channel_set_refresh(set, cpu);
	}
	mutex_unlock(&set->lock);
	set_active_memcg(old);
}

/*
 * Hotplug callback: a CPU has come online or is going offline. Creating or releasing a
 * software event takes cpus_read_lock() for its static key, which is not allowed in these
 * callbacks, so a work item does it. Also called for each CPU when a set is created.
 */
static void htmm_channel_set_note(struct htmm_channel_set *set, unsigned int cpu)
{
	/* Set @online first: pairs with the test-and-clear in htmm_channel_set_work(). */
	smp_mb__before_atomic();
	cpumask_set_cpu(cpu, set->changed);
	queue_work(htmm_unbound_wq, &set->work);
}

static int htmm_channel_set_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct htmm_channel_set *set = hlist_entry(node, struct htmm_channel_set, cpuhp);

	cpumask_set_cpu(cpu, set->online);
	htmm_channel_set_note(set, cpu);
	return 0;
}

static int htmm_channel_set_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct htmm_channel_set *set = hlist_entry(node, struct htmm_channel_set, cpuhp);

	cpumask_clear_cpu(cpu, set->online);
	htmm_channel_set_note(set, cpu);
	return 0;
}

/* Create the channels, without rings and events. @memcg pays for rings. Returns 0 or -ENOMEM. */
int htmm_channel_set_init(struct htmm_channel_set *set, const struct htmm_config *config,
			  const struct htmm_filter *filter, struct mem_cgroup *memcg)
{
	unsigned int nr_events = config->start.nr_events;
	struct htmm_channel *channel;
	unsigned int cpu, index;

	set->config = config;
	set->memcg = memcg;
	if (!zalloc_cpumask_var(&set->online, GFP_KERNEL))
		return -ENOMEM;
	if (!zalloc_cpumask_var(&set->changed, GFP_KERNEL))
		goto err_online;
	set->channels = kvcalloc(cpumask_weight(config->cpus) * nr_events,
				 sizeof(*set->channels), GFP_KERNEL);
	if (!set->channels)
		goto err_changed;

	for_each_cpu(cpu, config->cpus) {
		for (index = 0; index < nr_events; index++) {
			channel = kzalloc_node(sizeof(*channel), GFP_KERNEL_ACCOUNT,
					       cpu_to_node(cpu));
			if (!channel)
				goto err_channels;
			channel->cpu = cpu;
			channel->index = index;
			channel->sample_type = config->start.sample_type;
			channel->filter = filter;
			channel->outside_nmi = config->events[index].type == HTMM_TYPE_FEED;
			set->channels[set->nr_channels++] = channel;
		}
	}
	for (index = 0; index < nr_events; index++)
		set->period[index] = config->events[index].period;
	mutex_init(&set->lock);
	INIT_WORK(&set->work, htmm_channel_set_work);
	return 0;

err_channels:
	htmm_channel_set_free_channels(set);
err_changed:
	free_cpumask_var(set->changed);
err_online:
	free_cpumask_var(set->online);
	return -ENOMEM;
}

/* Limit the rings, which are kernel memory, to a quarter of the machine's memory. */
static int htmm_channel_set_check_rings(const struct htmm_channel_set *set, struct htmm_error *err)
{
	const struct htmm_start *start = &set->config->start;
	u64 rings = 0;
	unsigned int i;

	for (i = 0; i < set->nr_channels; i++)
		rings += cpu_online(set->channels[i]->cpu);
	if (rings * start->ring_pages > totalram_pages() / 4)
		return htmm_fail(err, -ERANGE,
				 "%llu rings of %u pages are more than a quarter of memory",
				 rings, start->ring_pages);
	return 0;
}

static int htmm_channel_set_check_events(const struct htmm_channel_set *set, struct htmm_error *err)
{
	const struct htmm_event *event = set->config->events;
	unsigned int i;

	for (i = 0; i < set->config->start.nr_events; i++, event++)
		if (!htmm_event_type_allowed(event))
			return htmm_fail(err, -ENOENT,
					 "event %u '%s' (type %u, config %#llx) is none of a CPU's hardware, cache, raw or IBS events, nor a page or alignment fault: other events are not sampled",
					 i, event->name, event->type, event->config);
	return 0;
}

/* Does each event have a CPU? That is asked once: CPUs may go offline later. */
static int htmm_channel_set_check_taken(const struct htmm_channel_set *set, struct htmm_error *err)
{
	const struct htmm_event *events = set->config->events;
	unsigned int nr_events = set->config->start.nr_events;
	unsigned int i, taken = 0;

	for (i = 0; i < set->nr_channels; i++)
		taken |= !!set->channels[i]->event << i % nr_events;
	i = ffz(taken);
	if (!set->nr_cpus || i >= nr_events)
		return 0;
	return htmm_fail(err, -ENOENT,
			 "event %u '%s' (type %u, config %#llx) is taken by no CPU of the session: leave it out, or add CPUs of its PMU",
			 i, events[i].name, events[i].type, events[i].config);
}

static int htmm_channel_set_add_all(struct htmm_channel_set *set, struct htmm_error *err)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&set->lock);
	for (i = 0; !ret && i < set->nr_channels;
	     i += set->config->start.nr_events) {
		cpumask_clear_cpu(set->channels[i]->cpu, set->changed);
		ret = htmm_channel_set_cpu_add(set, &set->channels[i], err);
	}
	if (!ret)
		ret = htmm_channel_set_check_taken(set, err);
	set->created = !ret;
	mutex_unlock(&set->lock);
	return ret;
}

/* Release all events. Afterwards no overflow handler of the set runs or has a wake-up pending. */
static void htmm_channel_set_release(struct htmm_channel_set *set)
{
	unsigned int i;

	cpuhp_state_remove_instance_nocalls(htmm_cpuhp_state, &set->cpuhp);
	cancel_work_sync(&set->work);

	mutex_lock(&set->lock);
	for (i = 0; i < set->nr_channels; i++)
		htmm_perf_event_release(set->channels[i]);
	mutex_unlock(&set->lock);

	/* Handlers of software events run under RCU and may still be running. */
	synchronize_rcu();
	for (i = 0; i < set->nr_channels; i++)
		irq_work_sync(&set->channels[i]->work);
}

/*
 * Create the events of all CPUs that are online, disabled, or none. From then on the set follows
 * CPU hotplug. Not under cpus_read_lock().
 *
 * Returns 0, -ENOENT for an event that no session may have or no CPU takes, or for a CPU that takes
 * none, -ERANGE for too much ring memory, -ENOMEM, or the errno of
 * perf_event_create_kernel_counter().
 */
int htmm_channel_set_create(struct htmm_channel_set *set, struct htmm_error *err)
{
	int ret;

	ret = htmm_channel_set_check_events(set, err);
	if (ret)
		return ret;
	ret = htmm_channel_set_check_rings(set, err);
	if (ret)
		return ret;
	ret = cpuhp_state_add_instance(htmm_cpuhp_state, &set->cpuhp);
	if (ret)
		return ret;
	ret = htmm_channel_set_add_all(set, err);
	if (ret)
		htmm_channel_set_release(set);
	return ret;
}

/* How long the set was armed, in nanoseconds. */
u64 htmm_channel_set_elapsed(const struct htmm_channel_set *set)
{
	s64 since = READ_ONCE(set->since);

	return since > 0 ? ktime_get_ns() - since : -since;
}

static void htmm_channel_set_end_pause(struct htmm_channel_set *set)
{
	if (set->paused)
		htmm_stat_add(set->stats, HTMM_STAT_PAUSED_NS, ktime_get_ns() - set->paused);
	WRITE_ONCE(set->paused, 0);
}

/* Start to sample, or go on after a pause. */
void htmm_channel_set_arm(struct htmm_channel_set *set)
{
	unsigned int i;

	mutex_lock(&set->lock);
	htmm_channel_set_end_pause(set);
	if (!set->armed)
		WRITE_ONCE(set->since, ktime_get_ns() - htmm_channel_set_elapsed(set));
	set->armed = true;
	for (i = 0; i < set->nr_channels; i++)
		htmm_perf_event_arm(set->channels[i]);
	mutex_unlock(&set->lock);
}

static void htmm_channel_set_disarm(struct htmm_channel_set *set)
{
	unsigned int i;

	set->armed = false;
	for (i = 0; i < set->nr_channels; i++)
		htmm_perf_event_disarm(set->channels[i]);
	WRITE_ONCE(set->since, -htmm_channel_set_elapsed(set));
}

/* No event counts until htmm_channel_set_arm(), also none of a CPU that comes online. */
void htmm_channel_set_pause(struct htmm_channel_set *set)
{
	mutex_lock(&set->lock);
	htmm_channel_set_disarm(set);
	if (!set->paused)
		WRITE_ONCE(set->paused, ktime_get_ns());
	mutex_unlock(&set->lock);
}

u64 htmm_channel_set_period(struct htmm_channel_set *set, unsigned int index)
{
	return READ_ONCE(set->period[index]);
}

/* What the periods of an event must be multiples of; 0: any, or no CPU is sampled now. */
u64 htmm_channel_set_step(struct htmm_channel_set *set, unsigned int index)
{
	unsigned int i;
	u64 step = 0;

	mutex_lock(&set->lock);
	for (i = index; !step && i < set->nr_channels; i += set->config->start.nr_events)
		if (set->channels[i]->event)
			step = htmm_perf_event_step(set->channels[i]);
	mutex_unlock(&set->lock);
	return step;
}

/*
 * Does perf accept an event with this period? Asked on one CPU, if any is sampled now. Not under
 * cpus_read_lock(). Returns 0 or the errno of perf_event_create_kernel_counter().
 */
int htmm_channel_set_try_period(struct htmm_channel_set *set, unsigned int index,
				u64 period, struct htmm_error *err)
{
	const struct htmm_event *desc = &set->config->events[index];
	struct htmm_channel *channel;
	unsigned int i;
	int ret = 0;

	mutex_lock(&set->lock);
	for (i = index; i < set->nr_channels; i += set->config->start.nr_events) {
		channel = set->channels[i];
		if (!channel->event)
			continue;
		ret = htmm_perf_event_try_period(channel, desc, period, err);
		/* Ignore a CPU that is going offline. */
		if (cpumask_test_cpu(channel->cpu, set->online))
			break;
		ret = 0;
	}
	mutex_unlock(&set->lock);
	return ret;
}

/*
 * Change a period on all CPUs, including later ones. Returns 0, or the errno of
 * perf_event_period() if the PMU rejects it; the old one is then restored.
 */
int htmm_channel_set_set_period(struct htmm_channel_set *set, unsigned int index, u64 period)
{
	unsigned int nr_events = set->config->start.nr_events;
	unsigned int i;
	int ret = 0;

	mutex_lock(&set->lock);
	for (i = index; !ret && i < set->nr_channels; i += nr_events)
		ret = htmm_perf_event_set_period(set->channels[i], period);
	if (!ret)
		WRITE_ONCE(set->period[index], period);
	else
		for (i = index; i < set->nr_channels; i += nr_events)
			htmm_perf_event_set_period(set->channels[i], set->period[index]);
	mutex_unlock(&set->lock);
	return ret;
}

/*
 * The channel of an event on a CPU, or on another one if that is not sampled; @past: before the set
 * was stopped.
 */
static struct htmm_channel *htmm_channel_set_near(struct htmm_channel_set *set,
						  unsigned int index, u32 cpu, bool past)
{
	struct htmm_channel *channel, *any = NULL;
	unsigned int i;

	for (i = index; i < set->nr_channels; i += set->config->start.nr_events) {
		channel = set->channels[i];
		if (past ? !channel->state.period : !channel->event)
			continue;
		any = channel;
		if (channel->cpu == cpu)
			break;
	}
	return any;
}

/*
 * Put samples that user space has taken on @cpu in the ring of event @index there, which is of
 * type HTMM_TYPE_FEED. In a pause, none is wanted. @foreign: their processes are of another time or
 * machine. The lock makes callers one producer of each ring, and no ring is freed meanwhile.
 *
 * Returns how many were taken, fewer than @n if a ring is full; -ENODATA: the set is stopped, or
 * no CPU is sampled; or -EINTR.
 */
int htmm_channel_set_feed(struct htmm_channel_set *set, unsigned int index, u32 cpu,
			  const struct htmm_feed_sample *samples, u32 n, bool foreign)
{
	struct htmm_channel *channel;
	int ret = -ENODATA;

	if (mutex_lock_interruptible(&set->lock))
		return -EINTR;
	channel = htmm_channel_set_near(set, index, cpu, false);
	if (channel && set->armed) {
		ret = htmm_feed(channel, samples, n, foreign);
	} else if (channel && set->paused) {
		htmm_feed_drop(channel, n, HTMM_DROP_FILTERED);
		set->idle += n;
		ret = n;
	}
	mutex_unlock(&set->lock);
	return ret;
}

/*
 * Count that user space has lost @n samples of event @index, which is of type HTMM_TYPE_FEED; or
 * that the kernel has throttled it @n times. When the set is stopped, too.
 *
 * Returns 0 or -EINTR.
 */
int htmm_channel_set_feed_note(struct htmm_channel_set *set, unsigned int index, u32 cpu, u32 n,
			       bool throttled)
{
	struct htmm_channel *channel;

	if (mutex_lock_interruptible(&set->lock))
		return -EINTR;
	channel = htmm_channel_set_near(set, index, cpu, false) ?:
		  htmm_channel_set_near(set, index, cpu, true) ?: set->channels[index];
	if (throttled)
		local64_add(n, &channel->throttled);
	else
		htmm_feed_drop(channel, n, set->paused ? HTMM_DROP_FILTERED : HTMM_DROP_RING_FULL);
	if (!throttled && set->paused)
		set->idle += n;
	mutex_unlock(&set->lock);
	return 0;
}

/*
 * All events are disabled before the first is released, so that they stop nearly at the same
 * time, as they started. Not under cpus_read_lock().
 */
void htmm_channel_set_stop(struct htmm_channel_set *set)
{
	mutex_lock(&set->lock);
	htmm_channel_set_disarm(set);
	htmm_channel_set_end_pause(set);
	mutex_unlock(&set->lock);

	htmm_channel_set_release(set);
}

/* The set is stopped, and its rings are drained. */
void htmm_channel_set_free_rings(struct htmm_channel_set *set)
{
	unsigned int i;

	mutex_lock(&set->lock);
	for (i = 0; i < set->nr_channels; i++)
		htmm_channel_free_ring(set->channels[i]);
	set->ring_bytes = 0;
	mutex_unlock(&set->lock);
}

/* The set is stopped, or was never created. */
void htmm_channel_set_destroy(struct htmm_channel_set *set)
{
	htmm_channel_set_free_channels(set);
	free_cpumask_var(set->changed);
	free_cpumask_var(set->online);
	mutex_destroy(&set->lock);
}

int htmm_channel_set_register(void)
{
	int ret;

	ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "htmm:online",
				      htmm_channel_set_cpu_online, htmm_channel_set_cpu_offline);
	if (ret < 0)
		return ret;
	htmm_cpuhp_state = ret;
	return 0;
}

void htmm_channel_set_unregister(void)
{
	cpuhp_remove_multi_state(htmm_cpuhp_state);
}
