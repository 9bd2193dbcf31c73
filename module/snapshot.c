// SPDX-License-Identifier: GPL-2.0
#include <linux/pid.h>
#include <linux/slab.h>
#include "event.h"
#include "snapshot.h"

static_assert((int)HTMM_HIST_BASE == (int)HTMM_KIND_BASE);
static_assert((int)HTMM_HIST_HUGE == (int)HTMM_KIND_HUGE);
static_assert(HTMM_HUGE_SHIFT - HTMM_PAGE_SHIFT == HTMM_REGION_SHIFT);

static u64 htmm_elapsed_ns(struct htmm_session *session)
{
	ktime_t end = READ_ONCE(session->stopped);

	return ktime_to_ns(ktime_sub(end ?: ktime_get(), session->started));
}

static void htmm_snapshot_limits(struct htmm_info *info)
{
	info->abi_version = HTMM_ABI_VERSION;
	info->max_events = HTMM_MAX_EVENTS;
	info->max_targets = HTMM_MAX_TARGETS;
	info->max_ring_pages = HTMM_MAX_RING_PAGES;
}

static void htmm_snapshot_fleet(struct htmm_fleet *fleet,
				struct htmm_info *info)
{
	mutex_lock(&fleet->lock);
	info->nr_cpus = fleet->nr_cpus;
	info->ring_bytes = fleet->ring_bytes;
	mutex_unlock(&fleet->lock);
}

/**
 * htmm_snapshot_info - the module and its session
 * @session: the current session, or NULL
 * @info: every member from abi_version on is set
 *
 * Context: process context of the reader, whose pid namespace counts; may
 * sleep.
 */
void htmm_snapshot_info(struct htmm_session *session, struct htmm_info *info)
{
	const struct htmm_start *start;
	struct htmm_hotness_stats hotness;

	*info = (struct htmm_info) { .size = info->size };
	htmm_snapshot_limits(info);
	if (!session)
		return;

	start = &session->config->start;
	htmm_snapshot_fleet(&session->fleet, info);
	htmm_hotness_get_stats(session->hotness, &hotness);
	info->state = READ_ONCE(session->state);
	info->session_flags = start->flags;
	info->session = session->number;
	info->owner = pid_vnr(session->owner);
	info->nr_events = start->nr_events;
	info->nr_targets = session->targets.nr;
	info->elapsed_ns = htmm_elapsed_ns(session);
	info->sample_type = start->sample_type;
	info->ring_pages = start->ring_pages;
	info->record_size = htmm_record_size(start->sample_type);
	info->max_pages = start->max_pages;
	info->max_bytes = start->max_bytes;
	info->capacity_pages = start->capacity_pages;
	info->cooling_period = start->cooling_period;
	info->adaptation_period = start->adaptation_period;
	info->budget_ppm = start->budget_ppm;
	info->table_bytes = hotness.bytes;
	if (info->state != HTMM_STATE_STOPPED)
		info->drain_pid = pid_vnr(session->drain.pid);
}

static void htmm_counters_add(struct htmm_counters *sum,
			      const struct htmm_counters *counters)
{
	unsigned int i;

	sum->overflows += counters->overflows;
	sum->counted += counters->counted;
	sum->in_flight += counters->in_flight;
	sum->throttled += counters->throttled;
	sum->nmi += counters->nmi;
	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		sum->drops[i] += counters->drops[i];
}

static void htmm_snapshot_grant(const struct htmm_grant *grant,
				struct htmm_channel *channel)
{
	channel->precise_ip = grant->precise_ip;
	channel->period = grant->period;
	channel->count = grant->count;
	channel->time_enabled = grant->time_enabled;
	channel->time_running = grant->time_running;
	if (grant->active)
		channel->flags |= HTMM_CHANNEL_ACTIVE;
	if (grant->large_pebs)
		channel->flags |= HTMM_CHANNEL_LARGE_PEBS;
}

/* What perf says of each event; it may have to ask the event's CPU. */
static void htmm_snapshot_events(struct htmm_fleet *fleet,
				 struct htmm_channel *channels)
{
	unsigned int i;

	mutex_lock(&fleet->lock);
	for (i = 0; i < fleet->nr_samplers; i++) {
		htmm_event_query(fleet->samplers[i]);
		htmm_snapshot_grant(&fleet->samplers[i]->grant, &channels[i]);
	}
	mutex_unlock(&fleet->lock);
}

/* All counters at one point between two batches of ksampled. */
static void htmm_snapshot_counters(struct htmm_drain *drain,
				   struct htmm_stats *stats,
				   struct htmm_channel *channels)
{
	unsigned int i;

	stats->handler_ns = 0;
	mutex_lock(&drain->lock);
	for (i = 0; i < drain->nr_samplers; i++) {
		stats->handler_ns +=
			local64_read(&drain->samplers[i]->handler_ns);
		channels[i].cpu = drain->samplers[i]->cpu;
		channels[i].event = drain->samplers[i]->index;
		htmm_sampler_read(drain->samplers[i], &channels[i].counters);
		htmm_counters_add(&stats->total, &channels[i].counters);
	}
	stats->batches = drain->batches;
	mutex_unlock(&drain->lock);
}

/* Leaves out CPUs that were never online. Returns how many channels remain. */
static unsigned int htmm_snapshot_compact(struct htmm_channel *channels,
					  unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++)
		if (channels[i].period)
			channels[kept++] = channels[i];
	return kept;
}

/**
 * htmm_snapshot_stats - the counters of a session
 * @session: the session
 * @stats: every member from total on is set
 * @channels: room for session->fleet.nr_samplers elements
 *
 * Context: process, may sleep.
 * Return: number of elements filled in @channels.
 */
unsigned int htmm_snapshot_stats(struct htmm_session *session,
				 struct htmm_stats *stats,
				 struct htmm_channel *channels)
{
	struct htmm_hotness_stats hotness;

	memset(channels, 0, session->fleet.nr_samplers * sizeof(*channels));
	memset(&stats->total, 0, sizeof(stats->total));
	htmm_snapshot_events(&session->fleet, channels);
	htmm_snapshot_counters(&session->drain, stats, channels);

	htmm_hotness_get_stats(session->hotness, &hotness);
	stats->samples = hotness.samples;
	stats->coolings = hotness.coolings;
	stats->adaptations = hotness.adaptations;
	stats->evicted = hotness.evicted;
	stats->exited = hotness.exited;
	stats->wakeups = atomic64_read(&session->drain.wake.wakeups);
	stats->drain_ns = READ_ONCE(session->drain.cpu_ns);
	stats->cpus_failed = READ_ONCE(session->fleet.failed);
	stats->period_changes = READ_ONCE(session->budget.changes);
	stats->cost_ppm = READ_ONCE(session->budget.cost_ppm);
	return htmm_snapshot_compact(channels, session->fleet.nr_samplers);
}

/**
 * htmm_snapshot_histogram - a histogram of a session
 * @session: the session
 * @kind: of base pages or of regions
 * @out: every member from nr_bins on is set
 *
 * Context: process, may sleep.
 */
void htmm_snapshot_histogram(struct htmm_session *session,
			     enum htmm_hist_kind kind,
			     struct htmm_histogram *out)
{
	htmm_hotness_get_hist(session->hotness, (enum htmm_kind)kind, out);
}

/* A cursor is a list entry; the last word tells it from the beginning. */
static void htmm_cursor_load(const u64 cursor[4], struct htmm_list_entry *entry)
{
	*entry = (struct htmm_list_entry) {
		.value = cursor[0],
		.vpn = cursor[1],
		.space = cursor[2],
	};
}

static void htmm_cursor_store(u64 cursor[4], const struct htmm_list_entry *entry)
{
	cursor[0] = entry->value;
	cursor[1] = entry->vpn;
	cursor[2] = entry->space;
	cursor[3] = 1;
}

/**
 * htmm_snapshot_hot_pages - the hottest pages after a cursor
 * @session: the session
 * @cursor: as in struct htmm_hot_pages; advanced
 * @pages: filled, hottest first
 * @n: room in @pages, up to HTMM_SNAPSHOT_PAGES
 *
 * Context: process context of the reader, whose pid namespace counts; may
 * sleep.
 * Return: number of pages, 0 at the end of the list, or -ENOMEM.
 */
int htmm_snapshot_hot_pages(struct htmm_session *session, u64 cursor[4],
			    struct htmm_hot_page *pages, u32 n)
{
	struct htmm_list_entry after, *entries;

	entries = kvcalloc(n, sizeof(*entries), GFP_KERNEL);
	if (!entries)
		return -ENOMEM;

	htmm_cursor_load(cursor, &after);
	n = htmm_hotness_list(session->hotness, cursor[3] ? &after : NULL,
			      entries, n);
	htmm_hotness_describe(session->hotness, entries, pages, n);
	if (n)
		htmm_cursor_store(cursor, &entries[n - 1]);

	kvfree(entries);
	return n;
}
