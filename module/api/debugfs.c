// SPDX-License-Identifier: GPL-2.0
/* Read-only text for cat, at any time: a stop under way is not waited for. */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "api.h"
#include "session/session.h"
#include "stream/stream.h"

/* Pages shown in hot_pages. */
#define HTMM_DEBUGFS_PAGES	64

static struct dentry *htmm_debugfs_dir;

static const char * const htmm_state_names[] = {
	[HTMM_STATE_IDLE] = "idle",
	[HTMM_STATE_RUNNING] = "running",
	[HTMM_STATE_STOPPING] = "stopping",
	[HTMM_STATE_STOPPED] = "stopped",
};

static const char * const htmm_drop_names[] = {
	[HTMM_DROP_RING_FULL] = "ring_full",
	[HTMM_DROP_FILTERED] = "filtered",
	[HTMM_DROP_NO_ADDR] = "no_addr",
	[HTMM_DROP_KERNEL_ADDR] = "kernel_addr",
	[HTMM_DROP_NESTED] = "nested",
	[HTMM_DROP_STALE] = "stale",
	[HTMM_DROP_TABLE_FULL] = "table_full",
	[HTMM_DROP_REMOVED] = "removed",
	[HTMM_DROP_SPACES_FULL] = "spaces_full",
};

static_assert(ARRAY_SIZE(htmm_drop_names) == HTMM_NR_DROPS);

static const char * const htmm_stream_state_names[] = {
	[HTMM_STREAM_WAITING] = "waiting",
	[HTMM_STREAM_RUNNING] = "running",
	[HTMM_STREAM_ENDED] = "ended",
};

static void htmm_show_idle(struct seq_file *m)
{
	seq_puts(m, "state: idle\n");
}

static int htmm_status_show(struct seq_file *m, void *unused)
{
	struct htmm_session *session = htmm_session_get(0);
	struct htmm_drain_thread threads[HTMM_MAX_DRAIN_THREADS] = {};
	struct htmm_info info = { .size = sizeof(info) };

	htmm_snapshot_info(session, &info, threads);
	seq_printf(m, "state: %s\n", htmm_state_names[info.state]);
	if (!session)
		return 0;

	seq_printf(m, "session: %llu\n", info.session);
	seq_printf(m, "detached: %s\n",
		   info.session_flags & HTMM_START_DETACHED ? "yes" : "no");
	seq_printf(m, "keep_exited: %s\n",
		   info.session_flags & HTMM_START_KEEP_EXITED ? "yes" : "no");
	seq_printf(m, "owner: %u\n", info.owner);
	seq_printf(m, "events: %u\n", info.nr_events);
	seq_printf(m, "targets: %u\n", info.nr_targets);
	seq_printf(m, "cpus: %*pbl\n", cpumask_pr_args(session->config->cpus));
	seq_printf(m, "elapsed_ms: %llu\n",
		   div_u64(info.elapsed_ns, NSEC_PER_MSEC));
	seq_printf(m, "sample_type: %#llx\n", info.sample_type);
	seq_printf(m, "ring_pages: %u\n", info.ring_pages);
	seq_printf(m, "ring_bytes: %llu\n", info.ring_bytes);
	seq_printf(m, "max_pages: %llu\n", info.max_pages);
	seq_printf(m, "max_bytes: %llu\n", info.max_bytes);
	seq_printf(m, "table_bytes: %llu\n", info.table_bytes);
	seq_printf(m, "capacity_pages: %llu\n", info.capacity_pages);
	seq_printf(m, "cooling_period: %llu\n", info.cooling_period);
	seq_printf(m, "adaptation_period: %llu\n", info.adaptation_period);
	seq_printf(m, "drain_threads: %u\n", info.nr_drain_threads);
	seq_printf(m, "drain_pid: %u\n", threads[0].pid);
	htmm_session_put(session);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(htmm_status);

static void htmm_show_counters(struct seq_file *m,
			       const struct htmm_counters *counters)
{
	unsigned int i;

	seq_printf(m, "overflows %llu counted %llu in_flight %llu throttled %llu nmi %llu",
		   counters->overflows, counters->counted, counters->in_flight,
		   counters->throttled, counters->nmi);
	for (i = 0; i < HTMM_NR_DROPS; i++)
		seq_printf(m, " %s %llu", htmm_drop_names[i],
			   counters->drops[i]);
	seq_putc(m, '\n');
}

/* Calls @show with the statistics of the current session, if there is one. */
static int htmm_with_stats(struct seq_file *m,
			   void (*show)(struct seq_file *m,
					const struct htmm_session *session,
					const struct htmm_stats *stats,
					const struct htmm_channel *channels,
					unsigned int n))
{
	struct htmm_session *session = htmm_session_get(0);
	struct htmm_stats stats = {};
	struct htmm_channel *channels;
	unsigned int n;
	int ret = 0;

	if (!session) {
		htmm_show_idle(m);
		return 0;
	}
	channels = kvcalloc(session->samplers.nr_samplers, sizeof(*channels),
			    GFP_KERNEL);
	if (channels) {
		n = htmm_snapshot_stats(session, &stats, channels);
		show(m, session, &stats, channels, n);
		kvfree(channels);
	} else {
		ret = -ENOMEM;
	}
	htmm_session_put(session);
	return ret;
}

static void htmm_show_stats(struct seq_file *m,
			    const struct htmm_session *session,
			    const struct htmm_stats *stats,
			    const struct htmm_channel *channels,
			    unsigned int n)
{
	unsigned int i;

	seq_puts(m, "total: ");
	htmm_show_counters(m, &stats->total);
	for (i = 0; i < n; i++) {
		seq_printf(m, "cpu %u event %u: ", channels[i].cpu,
			   channels[i].event);
		htmm_show_counters(m, &channels[i].counters);
	}
	seq_printf(m, "samples: %llu\n", stats->samples);
	seq_printf(m, "coolings: %llu\n", stats->coolings);
	seq_printf(m, "adaptations: %llu\n", stats->adaptations);
	seq_printf(m, "evicted: %llu\n", stats->evicted);
	seq_printf(m, "exited: %llu\n", stats->exited);
	seq_printf(m, "wakeups: %llu\n", stats->wakeups);
	seq_printf(m, "batches: %llu\n", stats->batches);
	seq_printf(m, "drain_ns: %llu\n", stats->drain_ns);
	seq_printf(m, "handler_ns: %llu\n", stats->handler_ns);
	seq_printf(m, "cost_ppm: %u\n", stats->cost_ppm);
	seq_printf(m, "period_changes: %llu\n", stats->period_changes);
	seq_printf(m, "cpus_failed: %u\n", stats->cpus_failed);
}

static int htmm_stats_show(struct seq_file *m, void *unused)
{
	return htmm_with_stats(m, htmm_show_stats);
}
DEFINE_SHOW_ATTRIBUTE(htmm_stats);

static void htmm_show_events(struct seq_file *m,
			     const struct htmm_session *session,
			     const struct htmm_stats *stats,
			     const struct htmm_channel *channels,
			     unsigned int n)
{
	const struct htmm_event *event;
	unsigned int i;

	for (i = 0; i < session->config->start.nr_events; i++) {
		event = &session->config->events[i];
		seq_printf(m, "event %u: name %s type %u config %#llx config1 %#llx config2 %#llx precise_ip %u period %llu\n",
			   i, event->name, event->type, event->config,
			   event->config1, event->config2, event->precise_ip,
			   event->period);
	}
	for (i = 0; i < n; i++)
		seq_printf(m, "cpu %u event %u: %s precise_ip %u period %llu large_pebs %s count %llu enabled_ns %llu running_ns %llu\n",
			   channels[i].cpu, channels[i].event,
			   channels[i].flags & HTMM_CHANNEL_ACTIVE ?
			   "active" : "inactive",
			   channels[i].precise_ip, channels[i].period,
			   channels[i].flags & HTMM_CHANNEL_LARGE_PEBS ?
			   "on" : "off", channels[i].count,
			   channels[i].time_enabled, channels[i].time_running);
}

static int htmm_events_show(struct seq_file *m, void *unused)
{
	return htmm_with_stats(m, htmm_show_events);
}
DEFINE_SHOW_ATTRIBUTE(htmm_events);

static void htmm_show_histogram(struct seq_file *m,
				const struct htmm_histogram *hist,
				const struct htmm_bin *bins, const char *unit)
{
	unsigned int i;

	seq_printf(m, "%s: tracked %llu hot %llu capacity %llu hot_threshold %u warm_threshold %u\n",
		   unit, hist->pages, hist->hot_pages, hist->capacity_pages,
		   hist->hot_threshold, hist->warm_threshold);
	for (i = 0; i < hist->nr_bins; i++)
		if (bins[i].pages)
			seq_printf(m, "bin %u: %llu\n", i, bins[i].pages);
}

static int htmm_histogram_show(struct seq_file *m, void *unused)
{
	struct htmm_session *session = htmm_session_get(0);
	struct htmm_bin bins[HTMM_NR_BINS];
	struct htmm_histogram hist = {};

	if (!session) {
		htmm_show_idle(m);
		return 0;
	}
	hist.unit = HTMM_UNIT_PAGE;
	htmm_snapshot_histogram(session, &hist, bins);
	htmm_show_histogram(m, &hist, bins, "pages");
	hist.unit = HTMM_UNIT_REGION;
	htmm_snapshot_histogram(session, &hist, bins);
	htmm_show_histogram(m, &hist, bins, "regions");
	htmm_session_put(session);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(htmm_histogram);

static int htmm_show_hot_pages(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_list_pages list = { .min_samples = 1 };
	struct htmm_page *pages;
	int i, n;

	pages = kcalloc(HTMM_DEBUGFS_PAGES, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	n = htmm_snapshot_pages(session, &list, pages, HTMM_DEBUGFS_PAGES);
	for (i = 0; i < n; i++)
		seq_printf(m, "target %u pid %u space %u addr %#llx samples %llu bin %u%s%s\n",
			   pages[i].target, pages[i].pid, pages[i].space,
			   pages[i].addr,
			   pages[i].samples, pages[i].bin,
			   pages[i].flags & HTMM_PAGE_HOT ? " hot" : "",
			   pages[i].flags & HTMM_PAGE_EXITED ? " exited" : "");
	kfree(pages);
	return min(n, 0);
}

static int htmm_hot_pages_show(struct seq_file *m, void *unused)
{
	struct htmm_session *session;
	int ret;

	/* Addresses: being root is not enough, as for the ioctl. */
	if (!perfmon_capable())
		return -EPERM;
	session = htmm_session_get(0);
	if (!session) {
		htmm_show_idle(m);
		return 0;
	}
	ret = htmm_show_hot_pages(m, session);
	htmm_session_put(session);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(htmm_hot_pages);

static int htmm_streams_show(struct seq_file *m, void *unused)
{
	struct htmm_stream *list;
	unsigned int i, n;

	list = kcalloc(HTMM_MAX_STREAMS, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	n = htmm_stream_list(list);
	if (!n)
		htmm_show_idle(m);
	for (i = 0; i < n; i++)
		seq_printf(m, "reader %u: %s session %llu buffer_bytes %llu waiting_bytes %llu offered %llu delivered %llu lost %llu\n",
			   i, htmm_stream_state_names[list[i].state],
			   list[i].session, list[i].buffer_bytes,
			   list[i].waiting_bytes, list[i].offered,
			   list[i].delivered, list[i].lost);
	kfree(list);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(htmm_streams);

static const char * const htmm_target_names[] = {
	[HTMM_TARGET_TGID] = "pid",
	[HTMM_TARGET_CGROUP] = "cgroup",
	[HTMM_TARGET_ALL] = "all",
};

static void htmm_show_target(struct seq_file *m,
			     const struct htmm_target_info *info)
{
	unsigned int i;

	seq_printf(m, "target %u: %s", info->number,
		   htmm_target_names[info->type]);
	if (info->type != HTMM_TARGET_ALL)
		seq_printf(m, " %llu", info->id);
	seq_printf(m, "%s capacity_pages %llu max_bytes %llu bytes %llu pages %llu regions %llu samples %llu coolings %llu adaptations %llu evicted %llu exited %llu spaces %llu space_bytes %llu",
		   info->flags & HTMM_TARGET_INFO_DEAD ? " dead" : "",
		   info->capacity_pages, info->max_bytes, info->bytes,
		   info->pages, info->regions, info->samples, info->coolings,
		   info->adaptations, info->evicted, info->exited,
		   info->spaces, info->space_bytes);
	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (info->drops[i])
			seq_printf(m, " %s %llu", htmm_drop_names[i],
				   info->drops[i]);
	seq_puts(m, " name ");
	seq_escape(m, info->name, "\n\\");
	seq_putc(m, '\n');
}

static int htmm_targets_show(struct seq_file *m, void *unused)
{
	struct htmm_session *session = htmm_session_get(0);
	struct htmm_target_info *info;
	u32 i, n;

	if (!session) {
		htmm_show_idle(m);
		return 0;
	}
	info = kvcalloc(HTMM_MAX_TARGETS, sizeof(*info), GFP_KERNEL);
	if (info) {
		n = htmm_snapshot_targets(session, info);
		for (i = 0; i < n; i++)
			htmm_show_target(m, &info[i]);
		kvfree(info);
	}
	htmm_session_put(session);
	return info ? 0 : -ENOMEM;
}
DEFINE_SHOW_ATTRIBUTE(htmm_targets);

/**
 * htmm_debugfs_init - make the directory htmm in debugfs
 *
 * A kernel without debugfs is no failure: everything is in the ioctls too.
 */
void htmm_debugfs_init(void)
{
	htmm_debugfs_dir = debugfs_create_dir("htmm", NULL);
	debugfs_create_file("status", 0400, htmm_debugfs_dir, NULL,
			    &htmm_status_fops);
	debugfs_create_file("stats", 0400, htmm_debugfs_dir, NULL,
			    &htmm_stats_fops);
	debugfs_create_file("histogram", 0400, htmm_debugfs_dir, NULL,
			    &htmm_histogram_fops);
	debugfs_create_file("hot_pages", 0400, htmm_debugfs_dir, NULL,
			    &htmm_hot_pages_fops);
	debugfs_create_file("targets", 0400, htmm_debugfs_dir, NULL,
			    &htmm_targets_fops);
	debugfs_create_file("events", 0400, htmm_debugfs_dir, NULL,
			    &htmm_events_fops);
	debugfs_create_file("streams", 0400, htmm_debugfs_dir, NULL,
			    &htmm_streams_fops);
}

/**
 * htmm_debugfs_exit - remove the directory
 *
 * Context: process; waits for readers.
 */
void htmm_debugfs_exit(void)
{
	debugfs_remove_recursive(htmm_debugfs_dir);
}
