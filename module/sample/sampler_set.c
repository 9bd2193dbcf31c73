// SPDX-License-Identifier: GPL-2.0
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "perf_event.h"
#include "sampler_set.h"

/* The kernel's number for our callbacks; fixed while the module is loaded. */
static enum cpuhp_state htmm_cpuhp_state;

/* The samplers of one CPU: config->start.nr_events of them from here on. */
static struct htmm_sampler **htmm_fleet_of_cpu(struct htmm_fleet *fleet,
					       unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < fleet->nr_samplers; i += fleet->config->start.nr_events)
		if (fleet->samplers[i]->cpu == cpu)
			return &fleet->samplers[i];
	return NULL;
}

static void htmm_fleet_free_samplers(struct htmm_fleet *fleet)
{
	while (fleet->nr_samplers)
		htmm_sampler_destroy(fleet->samplers[--fleet->nr_samplers]);
	kvfree(fleet->samplers);
}

/* Gives a CPU's samplers rings, unless they have them from an earlier time. */
static int htmm_fleet_make_rings(struct htmm_fleet *fleet,
				 struct htmm_sampler **samplers)
{
	const struct htmm_start *start = &fleet->config->start;
	size_t bytes = (size_t)start->ring_pages << HTMM_PAGE_SHIFT;
	unsigned int i;
	int ret;

	for (i = 0; i < start->nr_events; i++) {
		if (samplers[i]->mem)
			continue;
		ret = htmm_sampler_make_ring(samplers[i], bytes);
		if (ret)
			return ret;
		fleet->ring_bytes += bytes;
	}
	return 0;
}

static void htmm_fleet_release_events(struct htmm_fleet *fleet,
				      struct htmm_sampler **samplers)
{
	unsigned int i;

	for (i = 0; i < fleet->config->start.nr_events; i++)
		htmm_event_release(samplers[i]);
}

/* All events of a CPU, or none. */
static int htmm_fleet_create_events(struct htmm_fleet *fleet,
				    struct htmm_sampler **samplers,
				    struct htmm_error *err)
{
	const struct htmm_config *config = fleet->config;
	unsigned int i;
	int ret;

	for (i = 0; i < config->start.nr_events; i++) {
		ret = htmm_event_create(samplers[i], &config->events[i],
					fleet->period[i], err);
		if (ret)
			goto err_events;
	}
	return 0;

err_events:
	htmm_fleet_release_events(fleet, samplers);
	return ret;
}

/* Begins to sample a CPU. One that is not online after all is no failure. */
static int htmm_fleet_enlist(struct htmm_fleet *fleet,
			     struct htmm_sampler **samplers,
			     struct htmm_error *err)
{
	unsigned int cpu = samplers[0]->cpu;
	unsigned int i;
	int ret;

	lockdep_assert_held(&fleet->lock);

	/* Asked before and after: it may go at any time. */
	if (!cpumask_test_cpu(cpu, fleet->online))
		return 0;
	ret = htmm_fleet_make_rings(fleet, samplers);
	if (ret)
		return htmm_fail(err, ret,
				 "not enough memory for the rings of CPU %u", cpu);
	ret = htmm_fleet_create_events(fleet, samplers, err);
	if (ret)
		return cpumask_test_cpu(cpu, fleet->online) ? ret : 0;

	fleet->nr_cpus++;
	for (i = 0; fleet->armed && i < fleet->config->start.nr_events; i++)
		htmm_event_arm(samplers[i]);
	return 0;
}

/* Ends sampling of a CPU; its rings and counters stay, and are still drained. */
static void htmm_fleet_dismiss(struct htmm_fleet *fleet,
			       struct htmm_sampler **samplers)
{
	lockdep_assert_held(&fleet->lock);

	if (samplers[0]->event)
		fleet->nr_cpus--;
	htmm_fleet_release_events(fleet, samplers);
}

/*
 * An event on a CPU that went offline is dead for good, also if the CPU is back
 * by now: it is replaced.
 */
static void htmm_fleet_refresh(struct htmm_fleet *fleet, unsigned int cpu)
{
	struct htmm_sampler **samplers = htmm_fleet_of_cpu(fleet, cpu);
	struct htmm_error err = {};

	if (!samplers)
		return;
	htmm_fleet_dismiss(fleet, samplers);
	if (htmm_fleet_enlist(fleet, samplers, &err)) {
		pr_warn("htmm: CPU %u is not sampled: %s\n", cpu, err.text);
		WRITE_ONCE(fleet->failed, fleet->failed + 1);
	}
}

static void htmm_fleet_work(struct work_struct *work)
{
	struct htmm_fleet *fleet = container_of(work, struct htmm_fleet, work);
	unsigned int cpu;

	mutex_lock(&fleet->lock);
	if (fleet->launched) {
		for_each_cpu(cpu, fleet->config->cpus)
			if (cpumask_test_and_clear_cpu(cpu, fleet->changed))
				htmm_fleet_refresh(fleet, cpu);
	}
	mutex_unlock(&fleet->lock);
}

/*
 * A CPU has come or is about to go. Creating or releasing a software event takes
 * cpus_read_lock(), for its static key, which nobody may do in these callbacks: so
 * they leave it to a work item. Called for each CPU when a fleet is launched, too.
 */
static void htmm_fleet_note(struct htmm_fleet *fleet, unsigned int cpu)
{
	/* @online first: pairs with the test-and-clear in htmm_fleet_work(). */
	smp_mb__before_atomic();
	cpumask_set_cpu(cpu, fleet->changed);
	queue_work(system_unbound_wq, &fleet->work);
}

static int htmm_fleet_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct htmm_fleet *fleet = hlist_entry(node, struct htmm_fleet, cpuhp);

	cpumask_set_cpu(cpu, fleet->online);
	htmm_fleet_note(fleet, cpu);
	return 0;
}

static int htmm_fleet_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct htmm_fleet *fleet = hlist_entry(node, struct htmm_fleet, cpuhp);

	cpumask_clear_cpu(cpu, fleet->online);
	htmm_fleet_note(fleet, cpu);
	return 0;
}

/**
 * htmm_fleet_init - make the samplers, without rings and events
 * @fleet: zeroed fleet
 * @config: what to sample and where
 * @filter: whose samples pass
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int htmm_fleet_init(struct htmm_fleet *fleet, const struct htmm_config *config,
		    const struct htmm_filter *filter)
{
	unsigned int nr_events = config->start.nr_events;
	struct htmm_sampler *sampler;
	unsigned int cpu, index;

	fleet->config = config;
	if (!zalloc_cpumask_var(&fleet->online, GFP_KERNEL))
		return -ENOMEM;
	if (!zalloc_cpumask_var(&fleet->changed, GFP_KERNEL))
		goto err_online;
	fleet->samplers = kvcalloc(cpumask_weight(config->cpus) * nr_events,
				   sizeof(*fleet->samplers), GFP_KERNEL);
	if (!fleet->samplers)
		goto err_changed;

	for_each_cpu(cpu, config->cpus) {
		for (index = 0; index < nr_events; index++) {
			sampler = htmm_sampler_create(cpu, index,
						      config->start.sample_type);
			if (!sampler)
				goto err_samplers;
			sampler->filter = filter;
			fleet->samplers[fleet->nr_samplers++] = sampler;
		}
	}
	for (index = 0; index < nr_events; index++)
		fleet->period[index] = config->events[index].period;
	mutex_init(&fleet->lock);
	INIT_WORK(&fleet->work, htmm_fleet_work);
	return 0;

err_samplers:
	htmm_fleet_free_samplers(fleet);
err_changed:
	free_cpumask_var(fleet->changed);
err_online:
	free_cpumask_var(fleet->online);
	return -ENOMEM;
}

/* Rings are kernel memory: a quarter of the machine is more than enough. */
static int htmm_fleet_check_rings(const struct htmm_fleet *fleet,
				  struct htmm_error *err)
{
	const struct htmm_start *start = &fleet->config->start;
	u64 rings = 0;
	unsigned int i;

	for (i = 0; i < fleet->nr_samplers; i++)
		rings += cpu_online(fleet->samplers[i]->cpu);
	if (rings * start->ring_pages > totalram_pages() / 4)
		return htmm_fail(err, -ERANGE,
				 "%llu rings of %u pages are more than a quarter of memory",
				 rings, start->ring_pages);
	return 0;
}

static int htmm_fleet_enlist_all(struct htmm_fleet *fleet, struct htmm_error *err)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&fleet->lock);
	for (i = 0; !ret && i < fleet->nr_samplers;
	     i += fleet->config->start.nr_events) {
		cpumask_clear_cpu(fleet->samplers[i]->cpu, fleet->changed);
		ret = htmm_fleet_enlist(fleet, &fleet->samplers[i], err);
	}
	fleet->launched = !ret;
	mutex_unlock(&fleet->lock);
	return ret;
}

/*
 * Releases all events. Afterwards no overflow handler of the fleet runs or has a
 * wake-up pending.
 */
static void htmm_fleet_withdraw(struct htmm_fleet *fleet)
{
	unsigned int i;

	cpuhp_state_remove_instance_nocalls(htmm_cpuhp_state, &fleet->cpuhp);
	cancel_work_sync(&fleet->work);

	/* Not dismissed one by one: @nr_cpus stays what it was at the end. */
	mutex_lock(&fleet->lock);
	for (i = 0; i < fleet->nr_samplers; i++)
		htmm_event_release(fleet->samplers[i]);
	mutex_unlock(&fleet->lock);

	/* Handlers of software events run under RCU and may still be at it. */
	synchronize_rcu();
	for (i = 0; i < fleet->nr_samplers; i++)
		irq_work_sync(&fleet->samplers[i]->work);
}

/**
 * htmm_fleet_launch - create the events of all CPUs that are online
 * @fleet: an initialised fleet whose samplers know how to wake ksampled
 * @err: on failure, the reason
 *
 * Either all of them are created, disabled, or none is. From here on the fleet
 * follows CPUs that come and go.
 *
 * Context: process, may sleep; not under cpus_read_lock().
 * Return: 0, -ERANGE for too much ring memory, -ENOMEM, or the errno of
 * perf_event_create_kernel_counter().
 */
int htmm_fleet_launch(struct htmm_fleet *fleet, struct htmm_error *err)
{
	int ret;

	ret = htmm_fleet_check_rings(fleet, err);
	if (ret)
		return ret;
	ret = cpuhp_state_add_instance(htmm_cpuhp_state, &fleet->cpuhp);
	if (ret)
		return ret;
	ret = htmm_fleet_enlist_all(fleet, err);
	if (ret)
		htmm_fleet_withdraw(fleet);
	return ret;
}

/**
 * htmm_fleet_arm - let all events count
 * @fleet: a launched fleet
 *
 * Context: process, may sleep.
 */
void htmm_fleet_arm(struct htmm_fleet *fleet)
{
	unsigned int i;

	mutex_lock(&fleet->lock);
	fleet->armed = true;
	for (i = 0; i < fleet->nr_samplers; i++)
		if (fleet->samplers[i]->event)
			htmm_event_arm(fleet->samplers[i]);
	mutex_unlock(&fleet->lock);
}

/**
 * htmm_fleet_period - the period in force
 * @fleet: a fleet
 * @index: index of the event
 *
 * Context: process, may sleep.
 * Return: events between two samples.
 */
u64 htmm_fleet_period(struct htmm_fleet *fleet, unsigned int index)
{
	u64 period;

	mutex_lock(&fleet->lock);
	period = fleet->period[index];
	mutex_unlock(&fleet->lock);
	return period;
}

/**
 * htmm_fleet_try_period - would perf take an event with this period?
 * @fleet: a launched fleet
 * @index: index of the event
 * @period: events between two samples
 * @err: on failure, the reason
 *
 * One CPU is asked; if none is sampled now, nobody can be.
 *
 * Context: process, may sleep; not under cpus_read_lock().
 * Return: 0 or the errno of perf_event_create_kernel_counter().
 */
int htmm_fleet_try_period(struct htmm_fleet *fleet, unsigned int index,
			  u64 period, struct htmm_error *err)
{
	const struct htmm_event *desc = &fleet->config->events[index];
	struct htmm_sampler *sampler;
	unsigned int i;
	int ret = 0;

	mutex_lock(&fleet->lock);
	for (i = index; i < fleet->nr_samplers; i += fleet->config->start.nr_events) {
		sampler = fleet->samplers[i];
		if (!sampler->event)
			continue;
		ret = htmm_event_try_period(sampler, desc, period, err);
		/* One that is on its way out has no say. */
		if (cpumask_test_cpu(sampler->cpu, fleet->online))
			break;
		ret = 0;
	}
	mutex_unlock(&fleet->lock);
	return ret;
}

/**
 * htmm_fleet_set_period - change a period on all CPUs, now and later ones
 * @fleet: a fleet
 * @index: index of the event
 * @period: the new period, 1 to 2^63 - 1
 *
 * Context: process, may sleep.
 * Return: 0, or the errno of perf_event_period() if the PMU does not take the
 * period; the old one is in force again then.
 */
int htmm_fleet_set_period(struct htmm_fleet *fleet, unsigned int index,
			  u64 period)
{
	unsigned int nr_events = fleet->config->start.nr_events;
	unsigned int i;
	int ret = 0;

	mutex_lock(&fleet->lock);
	for (i = index; !ret && i < fleet->nr_samplers; i += nr_events)
		ret = htmm_event_set_period(fleet->samplers[i], period);
	if (!ret)
		fleet->period[index] = period;
	else
		for (i = index; i < fleet->nr_samplers; i += nr_events)
			htmm_event_set_period(fleet->samplers[i],
					      fleet->period[index]);
	mutex_unlock(&fleet->lock);
	return ret;
}

/**
 * htmm_fleet_halt - end all events
 * @fleet: a launched fleet
 *
 * Events stop counting before the first of them is released, so that they end
 * as much at the same time as they began.
 *
 * Context: process, may sleep; not under cpus_read_lock().
 */
void htmm_fleet_halt(struct htmm_fleet *fleet)
{
	unsigned int i;

	mutex_lock(&fleet->lock);
	for (i = 0; i < fleet->nr_samplers; i++)
		htmm_event_disarm(fleet->samplers[i]);
	mutex_unlock(&fleet->lock);

	htmm_fleet_withdraw(fleet);
}

/**
 * htmm_fleet_free_rings - free the memory of all rings
 * @fleet: a fleet that was halted and whose rings are drained
 *
 * Context: process, may sleep.
 */
void htmm_fleet_free_rings(struct htmm_fleet *fleet)
{
	unsigned int i;

	mutex_lock(&fleet->lock);
	for (i = 0; i < fleet->nr_samplers; i++)
		htmm_sampler_free_ring(fleet->samplers[i]);
	fleet->ring_bytes = 0;
	mutex_unlock(&fleet->lock);
}

/**
 * htmm_fleet_destroy - free the samplers
 * @fleet: a fleet that was halted, or never launched
 */
void htmm_fleet_destroy(struct htmm_fleet *fleet)
{
	htmm_fleet_free_samplers(fleet);
	free_cpumask_var(fleet->changed);
	free_cpumask_var(fleet->online);
	mutex_destroy(&fleet->lock);
}

/**
 * htmm_fleet_register - ask the kernel to tell of CPUs that come and go
 *
 * Return: 0 or the errno of cpuhp_setup_state_multi().
 */
int htmm_fleet_register(void)
{
	int ret;

	ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "htmm:online",
				      htmm_fleet_cpu_online,
				      htmm_fleet_cpu_offline);
	if (ret < 0)
		return ret;
	htmm_cpuhp_state = ret;
	return 0;
}

/**
 * htmm_fleet_unregister - undo htmm_fleet_register()
 *
 * Context: process; no fleet is launched.
 */
void htmm_fleet_unregister(void)
{
	cpuhp_remove_multi_state(htmm_cpuhp_state);
}
