// SPDX-License-Identifier: GPL-2.0
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "api.h"
#include "base/compat.h"
#include "sample/perf_event.h"
#include "track/walker.h"

static_assert(HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT == HTMM_REGION_ORDER);

#define HTMM_FEATURES							\
	((IS_ENABLED(CONFIG_CGROUPS) ? HTMM_FEATURE_CGROUPS : 0) |	\
	 HTMM_FEATURE_BUDGET | HTMM_FEATURE_WEIGHT_PERIOD |		\
	 HTMM_FEATURE_STREAM | HTMM_FEATURE_SET | HTMM_FEATURE_LIST_PAGES | \
	 HTMM_FEATURE_HIT_RATIO | HTMM_FEATURE_SERVED)

static u64 htmm_elapsed_ns(struct htmm_session *session)
{
	ktime_t end = READ_ONCE(session->stopped);

	return ktime_to_ns(ktime_sub(end ?: ktime_get(), session->started));
}

static void htmm_snapshot_limits(struct htmm_info *info)
{
	info->features = HTMM_FEATURES;
	if (htmm_placement_supported())
		info->features |= HTMM_FEATURE_PLACEMENT;
	info->max_events = HTMM_MAX_EVENTS;
	info->max_targets = HTMM_MAX_TARGETS;
	info->max_ring_pages = HTMM_MAX_RING_PAGES;
}

static void htmm_snapshot_channels(struct htmm_channel_set *set,
				   struct htmm_info *info)
{
	mutex_lock(&set->lock);
	info->nr_cpus = set->nr_cpus;
	info->ring_bytes = set->ring_bytes;
	mutex_unlock(&set->lock);
}

/* What takes locks of the channels and tables. */
static void htmm_snapshot_sizes(struct htmm_session *session, struct htmm_info *info)
{
	struct htmm_target_stats target;

	htmm_snapshot_channels(&session->channels, info);
	htmm_target_set_get_stats(&session->targets, &target);
	info->table_bytes = target.table.bytes;
	if (info->state != HTMM_STATE_STOPPED)
		info->drain_pid = pid_vnr(session->drain.pid);
}

static void htmm_snapshot_session(struct htmm_session *session, struct htmm_info *info)
{
	const struct htmm_start *start = &session->config->start;

	info->state = READ_ONCE(session->state);
	info->session_flags = start->flags;
	info->session = session->number;
	info->owner = pid_vnr(session->owner);
	info->nr_events = start->nr_events;
	info->nr_targets = READ_ONCE(session->targets.nr);
	info->elapsed_ns = htmm_elapsed_ns(session);
	info->sample_type = start->sample_type;
	info->ring_pages = start->ring_pages;
	info->record_size = htmm_record_size(start->sample_type);
	info->max_bytes = start->max_bytes;
	info->capacity_pages = READ_ONCE(session->config->start.capacity_pages);
	info->cooling_period = start->cooling_period;
	info->adaptation_period = start->adaptation_period;
	info->budget_ppm = start->budget_ppm;
}

/*
 * @session may be NULL. A caller without the capability to sample gets only what takes no lock.
 * Context: the reader, whose pid namespace counts.
 */
void htmm_snapshot_info(struct htmm_session *session, struct htmm_info *info)
{
	*info = (struct htmm_info) { .size = info->size };
	htmm_snapshot_limits(info);
	if (!session)
		return;

	htmm_snapshot_session(session, info);
	if (perfmon_capable())
		htmm_snapshot_sizes(session, info);
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

static void htmm_snapshot_event_state(const struct htmm_event_state *state,
				      struct htmm_channel_info *info)
{
	info->precise_ip = state->precise_ip;
	info->period = state->period;
	info->count = state->count;
	info->time_enabled = state->time_enabled;
	info->time_running = state->time_running;
	if (state->active)
		info->flags |= HTMM_CHANNEL_ACTIVE;
	if (state->large_pebs)
		info->flags |= HTMM_CHANNEL_LARGE_PEBS;
}

/* Read the state of each event from perf, which may have to call the event's CPU. */
static void htmm_snapshot_events(struct htmm_channel_set *set, struct htmm_channel_info *info)
{
	unsigned int i;

	mutex_lock(&set->lock);
	for (i = 0; i < set->nr_channels; i++) {
		htmm_perf_event_query(set->channels[i]);
		htmm_snapshot_event_state(&set->channels[i]->state, &info[i]);
	}
	mutex_unlock(&set->lock);
}

/*
 * Read all counters at one point in time, between two batches of the drain thread. A CPU that
 * came online since the events were read comes with the next call: it is in no sum without
 * its channel.
 */
static void htmm_snapshot_counters(struct htmm_session *session, struct htmm_stats *stats,
				   struct htmm_channel_info *info)
{
	const struct htmm_channel_set *set = &session->channels;
	unsigned int i;

	stats->handler_ns = 0;
	mutex_lock(&session->targets.lock);
	for (i = 0; i < set->nr_channels; i++) {
		if (!info[i].period)
			continue;
		stats->handler_ns += local64_read(&set->channels[i]->handler_ns);
		info[i].cpu = set->channels[i]->cpu;
		info[i].event = set->channels[i]->index;
		htmm_channel_read(set->channels[i], &info[i].counters);
		htmm_counters_add(&stats->total, &info[i].counters);
	}
	mutex_unlock(&session->targets.lock);
}

/* Remove the channels of CPUs that were never online. Returns how many channels remain. */
static unsigned int htmm_snapshot_compact(struct htmm_channel_info *info, unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++)
		if (info[i].period)
			info[kept++] = info[i];
	return kept;
}

/*
 * Set every member of @stats from total on. Returns the @n channels, for kvfree(); NULL if there
 * is not enough memory.
 */
struct htmm_channel_info *htmm_snapshot_stats(struct htmm_session *session,
					      struct htmm_stats *stats, u32 *n)
{
	struct htmm_channel_info *info;
	struct htmm_target_stats target;

	info = kvcalloc(session->channels.nr_channels, sizeof(*info), GFP_KERNEL);
	if (!info)
		return NULL;
	memset(&stats->total, 0, sizeof(stats->total));
	htmm_snapshot_events(&session->channels, info);
	htmm_snapshot_counters(session, stats, info);

	htmm_target_set_get_stats(&session->targets, &target);
	stats->samples = target.samples;
	stats->coolings = target.table.coolings;
	stats->adaptations = target.adaptations;
	stats->evicted = target.table.evicted;
	stats->exited = target.exited;
	stats->freed = target.freed;
	stats->batches = READ_ONCE(session->drain.batches);
	stats->wakeups = atomic64_read(&session->drain.wake.wakeups);
	stats->drain_ns = READ_ONCE(session->drain.cpu_ns);
	stats->cpus_failed = READ_ONCE(session->channels.failed);
	stats->period_changes = READ_ONCE(session->budget.changes);
	stats->cost_ppm = READ_ONCE(session->budget.cost_ppm);
	*n = htmm_snapshot_compact(info, session->channels.nr_channels);
	return info;
}

static void htmm_histogram_fill(struct htmm_histogram *out,
				struct htmm_bin *bins, enum htmm_unit unit,
				const struct htmm_target_hist *sum)
{
	const struct htmm_hist *hist = &sum->hist;
	unsigned int b;

	out->nr_bins = HTMM_NR_BINS;
	out->hot_threshold = sum->thresholds.hot;
	out->warm_threshold = sum->thresholds.warm;
	out->pages = htmm_hist_pages_from(hist, 0);
	out->hot_pages = htmm_hist_pages_from(hist, sum->thresholds.hot);
	out->capacity_pages = htmm_target_capacity(sum->capacity, unit);
	out->samples = sum->samples;
	for (b = 0; b < HTMM_NR_BINS; b++)
		bins[b].pages = hist->bin[b];
}

/* Copy one target's histogram, or add up those of several targets or none. */
static void htmm_snapshot_sum(const struct htmm_target_list *targets, u64 capacity,
			      enum htmm_unit unit, struct htmm_target_hist *sum)
{
	struct htmm_target_hist part;
	unsigned int i;

	*sum = (struct htmm_target_hist) { .capacity = capacity };
	for (i = 0; i < targets->nr; i++) {
		htmm_target_get_hist(targets->target[i], unit, &part);
		htmm_hist_merge(&sum->hist, &part.hist);
		sum->samples += part.samples;
	}
	if (targets->nr == 1) {
		sum->thresholds = part.thresholds;
		sum->capacity = part.capacity;
		return;
	}
	htmm_target_find_thresholds(&sum->hist,
				    htmm_target_capacity(capacity, unit),
				    &sum->thresholds);
}

/*
 * The unit and the target of @out are read, and the other members set. @bins has HTMM_NR_BINS.
 * Returns 0, or -ENOENT if there is no such target.
 */
int htmm_snapshot_histogram(struct htmm_session *session,
			    struct htmm_histogram *out, struct htmm_bin *bins)
{
	enum htmm_unit unit = out->unit;
	struct htmm_target_hist sum;
	struct htmm_target_list targets;
	int ret;

	ret = htmm_target_set_get(&session->targets, out->target, &targets);
	if (ret)
		return ret;
	htmm_snapshot_sum(&targets, READ_ONCE(session->config->start.capacity_pages),
			  unit, &sum);
	htmm_target_list_put(&targets);
	htmm_histogram_fill(out, bins, unit, &sum);
	return 0;
}

static void htmm_hit_ratio_fill(struct htmm_hit_ratio *out,
				const struct htmm_hits *hits)
{
	struct htmm_share share = htmm_hits_share(hits, out->capacity_pages);

	out->pages = share.pages;
	out->fast_pages = min(out->capacity_pages, share.pages);
	out->samples = share.samples;
	out->hit_ppm = share.ppm;
	out->error_ppm = share.error_ppm;
}

/*
 * The unit, target and capacity of @out are read, and the other members set. Returns 0, -ENOENT
 * if there is no such target, -EINTR, or -ENOMEM.
 */
int htmm_snapshot_hit_ratio(struct htmm_session *session,
			    struct htmm_hit_ratio *out)
{
	enum htmm_unit unit = out->unit;
	u64 capacity = READ_ONCE(session->config->start.capacity_pages);
	struct htmm_target_list targets;
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
		ret = htmm_target_get_hits(targets.target[i], unit, hits);
	if (targets.nr == 1)
		capacity = READ_ONCE(targets.target[0]->capacity);
	htmm_target_list_put(&targets);
	out->capacity_pages =
		htmm_target_capacity(out->capacity_pages ?: capacity, unit);
	htmm_hit_ratio_fill(out, hits);
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

static void htmm_snapshot_target(struct htmm_target_table *target,
				 struct htmm_target_info *info)
{
	struct htmm_target_stats stats;
	unsigned int i;

	htmm_target_get_stats(target, &stats);
	info->number = target->number;
	info->capacity_pages = READ_ONCE(target->capacity);
	info->max_bytes = target->max_bytes;
	info->bytes = stats.table.bytes;
	info->pages = stats.table.pages;
	info->regions = stats.table.regions;
	info->samples = stats.samples;
	info->coolings = stats.table.coolings;
	info->adaptations = stats.adaptations;
	info->evicted = stats.table.evicted;
	info->exited = stats.exited;
	info->freed = stats.freed;
	info->spaces = stats.spaces;
	info->space_bytes = stats.spaces * HTMM_SPACE_BYTES;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		info->drops[i] = stats.drops[i];
	htmm_snapshot_target_ref(&target->ref, info);
}

/*
 * Context: the reader, whose namespaces count. Returns the @n targets, for kvfree(); NULL if
 * there is not enough memory.
 */
struct htmm_target_info *htmm_snapshot_targets(struct htmm_session *session, u32 *n)
{
	struct htmm_target_list targets;
	struct htmm_target_info *infos;
	unsigned int i;

	infos = kvcalloc(HTMM_MAX_TARGETS, sizeof(*infos), GFP_KERNEL);
	if (!infos)
		return NULL;
	htmm_target_set_get(&session->targets, 0, &targets);
	*n = targets.nr;
	for (i = 0; i < targets.nr; i++)
		htmm_snapshot_target(targets.target[i], &infos[i]);
	htmm_target_list_put(&targets);
	return infos;
}

/* Add the samples of a target. Returns false if there are none. */
static bool htmm_served_add(struct htmm_served_row *row, const struct htmm_target_table *target)
{
	u64 *samples = htmm_served_of(target->served, row->cpu_node, row->event);
	bool any = false;
	unsigned int i;

	mutex_lock(target->lock);
	for (i = 0; i < HTMM_NR_SOURCES; i++) {
		row->samples[i] += samples[i];
		any |= row->samples[i];
	}
	mutex_unlock(target->lock);
	return any;
}

static void htmm_served_fill(struct htmm_served_rows *rows, unsigned int events,
			     const struct htmm_target_list *targets)
{
	unsigned int event, i;
	bool any;
	int node;

	for_each_node_state(node, N_POSSIBLE) {
		for (event = 0; event < events; event++) {
			struct htmm_served_row *row = &rows->row[rows->nr];

			*row = (struct htmm_served_row) { .cpu_node = node, .event = event };
			any = false;
			for (i = 0; i < targets->nr; i++)
				any |= htmm_served_add(row, targets->target[i]);
			rows->nr += any;
		}
	}
}

/*
 * What served the samples of a target; 0: of all. Free @rows->row with kvfree(), also on
 * failure. Returns 0, -ENOENT if there is no such target, or -ENOMEM.
 */
int htmm_snapshot_served(struct htmm_session *session, u32 target,
			 struct htmm_served_rows *rows)
{
	const struct htmm_start *start = &session->config->start;
	unsigned int events = start->flags & HTMM_START_SERVED ? start->nr_events : 0;
	struct htmm_target_list targets;
	int ret;

	*rows = (struct htmm_served_rows) {};
	ret = htmm_target_set_get(&session->targets, target, &targets);
	if (ret)
		return ret;
	if (events) {
		/* And one more, which is filled before it is known that it has none. */
		rows->row = kvcalloc(num_possible_nodes() * events + 1, sizeof(*rows->row),
				     GFP_KERNEL_ACCOUNT);
		if (rows->row)
			htmm_served_fill(rows, events, &targets);
		else
			ret = -ENOMEM;
	}
	htmm_target_list_put(&targets);
	return ret;
}
