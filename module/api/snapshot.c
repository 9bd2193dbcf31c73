// SPDX-License-Identifier: GPL-2.0
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "api.h"
#include "base/compat.h"
#include "sample/perf_event.h"
#include "track/walker.h"

static_assert(HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT == HTMM_REGION_ORDER);

/*
 * @session may be NULL. A caller without the capability to sample gets only what takes no lock.
 * Context: the reader, whose pid namespace counts.
 */
void htmm_snapshot_info(struct htmm_session *session, struct htmm_info *info)
{
	const struct htmm_start *start;
	u64 stats[HTMM_NR_STATS] = {};

	*info = (struct htmm_info) {
		.size = info->size,
		.features = (IS_ENABLED(CONFIG_CGROUPS) ? HTMM_FEATURE_CGROUPS : 0) |
			    (htmm_placement_supported() ? HTMM_FEATURE_PLACEMENT : 0),
		.max_events = HTMM_MAX_EVENTS,
		.max_targets = HTMM_MAX_TARGETS,
		.max_ring_pages = HTMM_MAX_RING_PAGES,
	};
	if (!session)
		return;

	start = &session->config->start;
	info->state = READ_ONCE(session->state);
	info->session_flags = start->flags & ~HTMM_START_PAUSED;
	if (READ_ONCE(session->channels.paused))
		info->session_flags |= HTMM_START_PAUSED;
	info->session = session->number;
	info->owner = pid_vnr(session->owner);
	info->nr_events = start->nr_events;
	info->nr_targets = READ_ONCE(session->targets.nr);
	info->elapsed_ns = htmm_channel_set_elapsed(&session->channels);
	info->sample_type = start->sample_type;
	info->ring_pages = start->ring_pages;
	info->record_size = htmm_record_size(start->sample_type);
	info->max_bytes = start->max_bytes;
	info->capacity_pages = READ_ONCE(start->capacity_pages);
	info->cooling_period = start->cooling_period;
	info->adaptation_period = start->adaptation_period;
	info->budget_ppm = start->budget_ppm;
	if (!perfmon_capable())
		return;

	mutex_lock(&session->channels.lock);
	info->nr_cpus = session->channels.nr_cpus;
	info->ring_bytes = session->channels.ring_bytes;
	mutex_unlock(&session->channels.lock);
	info->table_bytes = htmm_target_set_add_stats(&session->targets, stats);
	if (info->state != HTMM_STATE_STOPPED)
		info->drain_pid = pid_vnr(session->drain.pid);
}

static void htmm_counters_add(struct htmm_counters *sum, const struct htmm_counters *counters)
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

/*
 * Read the state of each event from perf, which may have to call the event's CPU. Channels of CPUs
 * that were never online are left out.
 */
static u32 htmm_snapshot_events(struct htmm_channel_set *set, struct htmm_channel_info *info)
{
	const struct htmm_event_state *state;
	unsigned int i;
	u32 n = 0;

	mutex_lock(&set->lock);
	for (i = 0; i < set->nr_channels; i++) {
		htmm_perf_event_query(set->channels[i]);
		state = &set->channels[i]->state;
		if (!state->period)
			continue;
		info[n++] = (struct htmm_channel_info) {
			.cpu = set->channels[i]->cpu,
			.event = set->channels[i]->index,
			.flags = (state->active ? HTMM_CHANNEL_ACTIVE : 0) |
				 (state->large_pebs ? HTMM_CHANNEL_LARGE_PEBS : 0),
			.precise_ip = state->precise_ip,
			.period = state->period, .count = state->count,
			.time_enabled = state->time_enabled, .time_running = state->time_running,
		};
	}
	mutex_unlock(&set->lock);
	return n;
}

/*
 * Read all counters at one point in time, between two batches of the drain thread. A CPU that came
 * online since the events were read comes with the next call: it is in no sum without its channel.
 */
static void htmm_snapshot_counters(struct htmm_session *session, struct htmm_stats *stats,
				   struct htmm_channel_info *info, u32 n)
{
	const struct htmm_channel_set *set = &session->channels;
	const struct htmm_channel *channel;
	unsigned int i;
	u32 found = 0;

	mutex_lock(&session->targets.lock);
	for (i = 0; i < set->nr_channels && found < n; i++) {
		channel = set->channels[i];
		if (info[found].cpu != channel->cpu || info[found].event != channel->index)
			continue;
		stats->stats[HTMM_STAT_HANDLER_NS] += local64_read(&channel->handler_ns);
		htmm_channel_read(channel, &info[found].counters);
		htmm_counters_add(&stats->total, &info[found++].counters);
	}
	mutex_unlock(&session->targets.lock);
}

/* Set the members of @stats from total on, and @channels. Returns 0 or -ENOMEM. */
int htmm_snapshot_stats(struct htmm_session *session, struct htmm_stats *stats,
			struct htmm_rows *channels)
{
	struct htmm_channel_set *set = &session->channels;
	u64 *sum = stats->stats;

	channels->at = kvcalloc(session->channels.nr_channels, sizeof(struct htmm_channel_info),
				GFP_KERNEL);
	if (!channels->at)
		return -ENOMEM;
	memset(&stats->total, 0, sizeof(stats->total));
	memset(sum, 0, sizeof(stats->stats));
	channels->nr = htmm_snapshot_events(&session->channels, channels->at);
	htmm_snapshot_counters(session, stats, channels->at, channels->nr);

	htmm_target_set_add_stats(&session->targets, sum);
	htmm_stats_add(sum, session->drain.stats);
	mutex_lock(&set->lock);
	htmm_stats_add(sum, set->stats);
	if (set->paused)
		sum[HTMM_STAT_PAUSED_NS] += ktime_get_ns() - set->paused;
	mutex_unlock(&set->lock);
	htmm_stats_add(sum, session->budget.stats);
	sum[HTMM_STAT_WAKEUPS] = atomic64_read(&session->drain.wake.wakeups);
	stats->cost_ppm = READ_ONCE(session->budget.cost_ppm);
	return 0;
}

/*
 * The histogram of @out->target in @out->unit, or the sum of several targets'. Returns 0, or
 * -ENOENT if there is no such target.
 */
int htmm_snapshot_histogram(struct htmm_session *session, struct htmm_histogram *out)
{
	u64 capacity = READ_ONCE(session->config->start.capacity_pages);
	struct htmm_thresholds thresholds;
	struct htmm_target_list targets;
	struct htmm_hist hist = {};
	unsigned int i;
	int ret;

	ret = htmm_target_set_get(&session->targets, out->target, &targets);
	if (ret)
		return ret;
	out->samples = 0;
	mutex_lock(&session->targets.lock);
	for (i = 0; i < targets.nr; i++) {
		htmm_hist_merge(&hist, &targets.target[i]->table.hist[out->unit]);
		out->samples += targets.target[i]->table.stats.counted;
	}
	if (targets.nr == 1)
		capacity = targets.target[0]->capacity;
	mutex_unlock(&session->targets.lock);
	htmm_target_list_put(&targets);

	out->capacity_pages = htmm_target_capacity(capacity, out->unit);
	thresholds = htmm_find_thresholds(&hist, out->capacity_pages);
	out->hot_threshold = thresholds.hot;
	out->warm_threshold = thresholds.warm;
	out->pages = htmm_hist_pages_from(&hist, 0);
	out->hot_pages = htmm_hist_pages_from(&hist, thresholds.hot);
	memcpy(out->bins, hist.bin, sizeof(out->bins));
	return 0;
}

/*
 * The unit, target and capacity of @out are read, and the other members set. Returns 0, -ENOENT
 * if there is no such target, -EINTR, or -ENOMEM.
 */
int htmm_snapshot_hit_ratio(struct htmm_session *session, struct htmm_hit_ratio *out)
{
	u64 capacity = READ_ONCE(session->config->start.capacity_pages);
	struct htmm_target_list targets;
	struct htmm_share share;
	struct htmm_hits *hits;
	unsigned int i;
	int ret;

	hits = kvzalloc(sizeof(*hits), GFP_KERNEL_ACCOUNT);
	if (!hits)
		return -ENOMEM;
	ret = htmm_target_set_get(&session->targets, out->target, &targets);
	if (ret)
		goto err_free_hits;
	for (i = 0; !ret && i < targets.nr; i++)
		ret = htmm_target_get_hits(targets.target[i], out->unit, hits);
	if (targets.nr == 1)
		capacity = READ_ONCE(targets.target[0]->capacity);
	htmm_target_list_put(&targets);
	out->capacity_pages = htmm_target_capacity(out->capacity_pages ?: capacity, out->unit);
	share = htmm_hits_share(hits, out->capacity_pages);
	out->pages = share.pages;
	out->fast_pages = min(out->capacity_pages, share.pages);
	out->samples = share.samples;
	out->hit_ppm = share.ppm;
	out->error_ppm = share.error_ppm;
err_free_hits:
	kvfree(hits);
	return ret;
}

/* Describe a target to the reader, in the reader's namespaces. */
static void htmm_snapshot_target_ref(const struct htmm_target_ref *ref,
				     struct htmm_target_info *info)
{
	struct task_struct *task;

	info->type = ref->type;
	switch (ref->type) {
	case HTMM_TARGET_TGID:
		info->id = pid_vnr(ref->tgid);
		rcu_read_lock();
		task = pid_task(ref->tgid, PIDTYPE_TGID);
		if (task)
			strscpy(info->name, task->comm, sizeof(task->comm));
		else
			info->flags |= HTMM_TARGET_INFO_DEAD;
		rcu_read_unlock();
		break;
	case HTMM_TARGET_CGROUP:
		info->id = htmm_cgroup_id(ref->cgroup);
		if (htmm_cgroup_dead(ref->cgroup))
			info->flags |= HTMM_TARGET_INFO_DEAD;
		if (htmm_cgroup_path(ref->cgroup, info->name, sizeof(info->name)) < 0)
			info->name[0] = '\0';
		break;
	default:
		break;
	}
}

static void htmm_snapshot_target(struct htmm_target_table *target, struct htmm_target_info *info)
{
	u64 stats[HTMM_NR_STATS] = {};

	mutex_lock(target->lock);
	info->bytes = htmm_table_bytes(&target->table);
	info->pages = target->table.stats.pages;
	info->regions = target->table.stats.regions;
	htmm_target_add_stats(target, stats);
	memcpy(info->drops, target->drops, sizeof(target->drops));
	info->spaces = target->spaces.nr;
	info->capacity_pages = target->capacity;
	mutex_unlock(target->lock);
	memcpy(info->stats, stats, sizeof(info->stats));
	info->number = target->number;
	info->max_bytes = target->max_bytes;
	info->space_bytes = info->spaces * HTMM_SPACE_BYTES;
	htmm_snapshot_target_ref(&target->ref, info);
}

/* Context: the reader, whose namespaces count. Returns 0 or -ENOMEM. */
int htmm_snapshot_targets(struct htmm_session *session, struct htmm_rows *rows)
{
	struct htmm_target_list targets;
	struct htmm_target_info *info;

	info = kvcalloc(HTMM_MAX_TARGETS, sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	htmm_target_set_get(&session->targets, 0, &targets);
	rows->at = info;
	for (; rows->nr < targets.nr; rows->nr++)
		htmm_snapshot_target(targets.target[rows->nr], &info[rows->nr]);
	htmm_target_list_put(&targets);
	return 0;
}

/* Add up the samples of targets. Returns false if there are none. */
static bool htmm_served_sum(struct htmm_served_row *row, const struct htmm_target_list *targets)
{
	bool any = false;
	unsigned int i, source;
	const u64 *samples;

	for (i = 0; i < targets->nr; i++) {
		samples = htmm_served_of(targets->target[i]->served, row->cpu_node, row->event);
		for (source = 0; source < HTMM_NR_SOURCES; source++) {
			row->samples[source] += samples[source];
			any |= samples[source];
		}
	}
	return any;
}

/*
 * What served the samples of a target; 0: of all. Returns 0, -ENOENT if there is no such target,
 * or -ENOMEM.
 */
int htmm_snapshot_served(struct htmm_session *session, u32 target, struct htmm_rows *rows)
{
	const struct htmm_start *start = &session->config->start;
	unsigned int events = start->flags & HTMM_START_SERVED ? start->nr_events : 0, event;
	struct htmm_target_list targets;
	struct htmm_served_row *row;
	int node, ret;

	ret = htmm_target_set_get(&session->targets, target, &targets);
	if (ret || !events)
		goto out;
	/* And one more, which is filled before it is known that it has none. */
	row = kvcalloc(num_possible_nodes() * events + 1, sizeof(*row), GFP_KERNEL_ACCOUNT);
	rows->at = row;
	if (!row) {
		ret = -ENOMEM;
		goto out;
	}
	mutex_lock(&session->targets.lock);
	for_each_node_state(node, N_POSSIBLE) {
		for (event = 0; event < events; event++) {
			row[rows->nr].cpu_node = node;
			row[rows->nr].event = event;
			rows->nr += htmm_served_sum(&row[rows->nr], &targets);
		}
	}
	mutex_unlock(&session->targets.lock);
out:
	htmm_target_list_put(&targets);
	return ret;
}
