// SPDX-License-Identifier: GPL-2.0
#include <linux/string.h>
#include "base/compat.h"
#include "perf_event.h"

/* The counter of IBS has no low four bits. */
#define HTMM_IBS_STEP	16

/* Explain an errno of perf_event_create_kernel_counter(). */
static const char *htmm_event_reason(int ret)
{
	static const char * const reasons[] = {
		[ENOENT] = "no PMU of this CPU takes events of this type and config",
		[EOPNOTSUPP] = "the PMU cannot sample this event, or not this precisely",
		[EINVAL] = "the PMU rejects this config or period",
		[ENODATA] = "with DATA_SRC or min_level it needs another event beside it",
		[EACCES] = "perf does not permit it",
		[EPERM] = "perf does not permit it",
		[EBUSY] = "the PMU is in use",
		[ENOSPC] = "the PMU has no counter left",
		[ENODEV] = "the CPU has gone offline",
		[ENOMEM] = "out of memory",
	};
	const char *reason = -ret < ARRAY_SIZE(reasons) ? reasons[-ret] : NULL;

	return reason ?: "perf refuses it";
}

/* Open the event, without samples of the kernel and of hypervisors, or of guests, if asked to. */
static struct perf_event *htmm_event_try(struct htmm_channel *channel,
					 const struct htmm_event *desc, u64 period,
					 bool no_kernel, bool no_guest)
{
	/* Events that are fed never overflow. They follow CPU hotplug like others. */
	const bool fed = desc->type == HTMM_TYPE_FEED;
	bool picky = !no_kernel || desc->min_level;
	struct perf_event_attr attr = {
		.type = fed ? PERF_TYPE_SOFTWARE : desc->type,
		.size = sizeof(attr),
		.config = fed ? PERF_COUNT_SW_DUMMY : desc->config,
		.config1 = desc->config1,
		.config2 = desc->config2,
		.sample_period = period,
		/*
		 * The handler reads the period from perf's sample, which always has it. A
		 * software event with PERF_SAMPLE_PERIOD would overflow at each event,
		 * whatever its sample_period.
		 */
		.sample_type = (channel->sample_type & ~(u64)PERF_SAMPLE_PERIOD) |
			       (desc->min_level ? PERF_SAMPLE_DATA_SRC : 0),
		.precise_ip = desc->precise_ip,
		.exclude_kernel = no_kernel,
		.exclude_hv = no_kernel,
		/*
		 * For PEBS in a KVM guest the host gets overflows without a sample; and a
		 * mediated vPMU is available to guests only if no host event counts guests.
		 */
		.exclude_guest = no_guest,
		.disabled = 1,
		/*
		 * A precise event with a fixed period would use large PEBS: the CPU buffers
		 * records, and perf writes all but the last of them directly to its own
		 * ring, without calling an overflow handler or counting them. A wake-up at
		 * every record turns large PEBS off.
		 */
		.wakeup_events = 1,
	};

	return perf_event_create_kernel_counter(&attr, channel->cpu, NULL,
						htmm_overflow_handler(channel->sample_type, picky),
						channel);
}

/*
 * AMD IBS cannot exclude anything, and some PMUs cannot exclude guests only. Both return the same
 * errno as for an unknown config, so less and less is excluded.
 */
static struct perf_event *htmm_event_open(struct htmm_channel *channel,
					  const struct htmm_event *desc, u64 period,
					  struct htmm_error *err)
{
	struct perf_event *event = htmm_event_try(channel, desc, period, true, true);

	if (event == ERR_PTR(-EINVAL))
		event = htmm_event_try(channel, desc, period, true, false);
	if (event == ERR_PTR(-EINVAL))
		event = htmm_event_try(channel, desc, period, false, false);
	if (IS_ERR(event))
		htmm_fail(err, PTR_ERR(event),
			  "event %u '%s' (type %u, config %#llx, precise_ip %u, period %llu) on CPU %u: %s",
			  channel->index, desc->name, desc->type, desc->config, desc->precise_ip,
			  period, channel->cpu, htmm_event_reason(PTR_ERR(event)));
	return event;
}

/*
 * The event does not count yet. The CPU of @channel must be online. Returns 0 or the errno of
 * perf_event_create_kernel_counter().
 */
int htmm_perf_event_create(struct htmm_channel *channel, const struct htmm_event *desc,
			   u64 period, struct htmm_error *err)
{
	struct perf_event *event = htmm_event_open(channel, desc, period, err);

	if (IS_ERR(event))
		return PTR_ERR(event);
	channel->user_only = !event->attr.exclude_kernel;
	channel->min_level = desc->min_level;
	channel->event = event;
	return 0;
}

/*
 * What the periods of an event must be multiples of; 0: any. The event's own PMU counts: perf
 * passes some raw events of AMD's CPUs on to IBS. Under &struct htmm_channel_set.lock.
 */
u64 htmm_perf_event_step(const struct htmm_channel *channel)
{
	return str_has_prefix(channel->event->pmu->name, "ibs_") ? HTMM_IBS_STEP : 0;
}

/*
 * Can the event of @channel, whose CPU is online, have another period? It is not changed.
 *
 * The creation of an event checks more than perf_event_period() does. But AMD's IBS clears the
 * low bits of a period when it creates an event, without an error, and only from Linux 6.15 on
 * perf_event_period() refuses such a period.
 *
 * Under &struct htmm_channel_set.lock. Returns 0, -EINVAL, or the errno of
 * perf_event_create_kernel_counter().
 */
int htmm_perf_event_try_period(struct htmm_channel *channel,
			       const struct htmm_event *desc, u64 period, struct htmm_error *err)
{
	u64 step = htmm_perf_event_step(channel);
	struct perf_event *event;

	if (step && period % step)
		return htmm_fail(err, -EINVAL,
				 "event %u '%s': the PMU takes multiples of %llu, not a period of %llu",
				 channel->index, desc->name, step, period);
	event = htmm_event_open(channel, desc, period, err);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

void htmm_perf_event_arm(struct htmm_channel *channel)
{
	if (channel->event)
		perf_event_enable(channel->event);
}

/*
 * The event may be counting, or there is none. Under &struct htmm_channel_set.lock. Returns 0,
 * or the errno of perf_event_period(): some PMUs have a smallest period.
 */
int htmm_perf_event_set_period(struct htmm_channel *channel, u64 period)
{
	return channel->event ? perf_event_period(channel->event, period) : 0;
}

void htmm_perf_event_disarm(struct htmm_channel *channel)
{
	if (channel->event)
		perf_event_disable(channel->event);
}

/*
 * Read the state of the event from perf; without one, the last state stays. Under &struct
 * htmm_channel_set.lock.
 */
void htmm_perf_event_query(struct htmm_channel *channel)
{
	struct perf_event *event = channel->event;
	struct htmm_event_state *state = &channel->state;

	if (!event)
		return;

	state->count = perf_event_read_value(event, &state->time_enabled, &state->time_running);
	state->count += channel->prev.count;
	state->time_enabled += channel->prev.time_enabled;
	state->time_running += channel->prev.time_running;
	state->period = READ_ONCE(event->hw.sample_period);
	state->precise_ip = event->attr.precise_ip;
	state->active = READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE;
	state->large_pebs = htmm_large_pebs(event);
}

/*
 * Free the event, if there is one, and keep its last state. A handler of a software event may
 * still be running when this returns; it is done after synchronize_rcu().
 */
void htmm_perf_event_release(struct htmm_channel *channel)
{
	if (!channel->event)
		return;
	htmm_perf_event_query(channel);
	perf_event_release_kernel(channel->event);
	channel->event = NULL;
	channel->state.active = false;
	channel->prev = channel->state;
}
