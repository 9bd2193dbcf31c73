// SPDX-License-Identifier: GPL-2.0
/* Read-only text files. Reading never waits for a stop in progress. */
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

static void htmm_show_drops(struct seq_file *m, const u64 *drops, bool zeroes)
{
	unsigned int i;

	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (drops[i] || zeroes)
			seq_printf(m, " %s %llu", htmm_drop_names[i], drops[i]);
}

static const char *htmm_yes_no(u32 flag)
{
	return flag ? "yes" : "no";
}

static int htmm_show_status(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_drain_thread threads[HTMM_MAX_DRAIN_THREADS] = {};
	struct htmm_info info = { .size = sizeof(info) };

	htmm_snapshot_info(session, &info, threads);
	seq_printf(m, "state: %s\nsession: %llu\ndetached: %s\nkeep_exited: %s\n",
		   htmm_state_names[info.state], info.session,
		   htmm_yes_no(info.session_flags & HTMM_START_DETACHED),
		   htmm_yes_no(info.session_flags & HTMM_START_KEEP_EXITED));
	seq_printf(m, "owner: %u\nevents: %u\ntargets: %u\ncpus: %*pbl\n",
		   info.owner, info.nr_events, info.nr_targets,
		   cpumask_pr_args(session->config->cpus));
	seq_printf(m, "elapsed_ms: %llu\nsample_type: %#llx\n",
		   div_u64(info.elapsed_ns, NSEC_PER_MSEC), info.sample_type);
	seq_printf(m, "ring_pages: %u\nring_bytes: %llu\n", info.ring_pages,
		   info.ring_bytes);
	seq_printf(m, "max_pages: %llu\nmax_bytes: %llu\ntable_bytes: %llu\n",
		   info.max_pages, info.max_bytes, info.table_bytes);
	seq_printf(m, "capacity_pages: %llu\ncooling_period: %llu\nadaptation_period: %llu\n",
		   info.capacity_pages, info.cooling_period, info.adaptation_period);
	seq_printf(m, "drain_threads: %u\ndrain_pid: %u\n",
		   info.nr_drain_threads, threads[0].pid);
	return 0;
}

static void htmm_show_counters(struct seq_file *m,
			       const struct htmm_counters *counters)
{
	seq_printf(m, " overflows %llu counted %llu in_flight %llu throttled %llu nmi %llu",
		   counters->overflows, counters->counted, counters->in_flight,
		   counters->throttled, counters->nmi);
	htmm_show_drops(m, counters->drops, true);
	seq_putc(m, '\n');
}

static int htmm_show_stats(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_stats stats = {};
	struct htmm_channel *channels;
	unsigned int i, n;

	channels = htmm_snapshot_stats(session, &stats, &n);
	if (!channels)
		return -ENOMEM;
	seq_puts(m, "total:");
	htmm_show_counters(m, &stats.total);
	for (i = 0; i < n; i++) {
		seq_printf(m, "cpu %u event %u:", channels[i].cpu,
			   channels[i].event);
		htmm_show_counters(m, &channels[i].counters);
	}
	seq_printf(m, "samples: %llu\ncoolings: %llu\nadaptations: %llu\n",
		   stats.samples, stats.coolings, stats.adaptations);
	seq_printf(m, "evicted: %llu\nexited: %llu\nfreed: %llu\nwakeups: %llu\nbatches: %llu\n",
		   stats.evicted, stats.exited, stats.freed, stats.wakeups, stats.batches);
	seq_printf(m, "drain_ns: %llu\nhandler_ns: %llu\ncost_ppm: %u\n",
		   stats.drain_ns, stats.handler_ns, stats.cost_ppm);
	seq_printf(m, "period_changes: %llu\ncpus_failed: %u\n",
		   stats.period_changes, stats.cpus_failed);
	kvfree(channels);
	return 0;
}

static int htmm_show_events(struct seq_file *m, struct htmm_session *session)
{
	const struct htmm_config *config = session->config;
	const struct htmm_channel *channel;
	const struct htmm_event *event;
	struct htmm_stats stats = {};
	struct htmm_channel *channels;
	unsigned int i, n;

	channels = htmm_snapshot_stats(session, &stats, &n);
	if (!channels)
		return -ENOMEM;
	for (i = 0; i < config->start.nr_events; i++) {
		event = &config->events[i];
		seq_printf(m, "event %u: name %s type %u config %#llx config1 %#llx config2 %#llx precise_ip %u period %llu\n",
			   i, event->name, event->type, event->config,
			   event->config1, event->config2, event->precise_ip,
			   event->period);
	}
	for (i = 0; i < n; i++) {
		channel = &channels[i];
		seq_printf(m, "cpu %u event %u: %s precise_ip %u period %llu large_pebs %s count %llu enabled_ns %llu running_ns %llu\n",
			   channel->cpu, channel->event,
			   channel->flags & HTMM_CHANNEL_ACTIVE ?
			   "active" : "inactive",
			   channel->precise_ip, channel->period,
			   channel->flags & HTMM_CHANNEL_LARGE_PEBS ?
			   "on" : "off", channel->count,
			   channel->time_enabled, channel->time_running);
	}
	kvfree(channels);
	return 0;
}

static void htmm_show_histogram(struct seq_file *m,
				const struct htmm_histogram *hist,
				const struct htmm_bin *bins, const char *unit)
{
	unsigned int i;

	seq_printf(m, "%s: tracked %llu hot %llu fast %llu capacity %llu hot_threshold %u warm_threshold %u\n",
		   unit, hist->pages, hist->hot_pages,
		   /* Up to the last page, not only whole bins. */
		   min(hist->capacity_pages, hist->pages - bins[0].pages),
		   hist->capacity_pages, hist->hot_threshold,
		   hist->warm_threshold);
	for (i = 0; i < hist->nr_bins; i++)
		if (bins[i].pages)
			seq_printf(m, "bin %u: %llu\n", i, bins[i].pages);
}

static int htmm_show_histograms(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_bin bins[HTMM_NR_BINS];
	struct htmm_histogram hist = {};

	hist.unit = HTMM_UNIT_PAGE;
	htmm_snapshot_histogram(session, &hist, bins);
	htmm_show_histogram(m, &hist, bins, "pages");
	hist.unit = HTMM_UNIT_REGION;
	htmm_snapshot_histogram(session, &hist, bins);
	htmm_show_histogram(m, &hist, bins, "regions");
	return 0;
}

static int htmm_show_hot_pages(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_list_pages list = { .min_samples = 1 };
	struct htmm_page *pages;
	int i, n;

	/*
	 * The file shows addresses, so check the capability as the ioctl does: root is not
	 * enough.
	 */
	if (!perfmon_capable())
		return -EPERM;
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

static void htmm_show_node(struct seq_file *m, const struct htmm_node_placement *node,
			   const struct htmm_bin *bins)
{
	unsigned int i;

	seq_printf(m, "node %d:%s pages %llu huge_pages %llu tracked %llu hot %llu warm %llu samples %llu\n",
		   node->node, node->flags & HTMM_NODE_FAST ? " fast" : "", node->pages,
		   node->huge_pages, node->tracked_pages, node->hot_pages, node->warm_pages,
		   node->samples);
	for (i = 0; i < HTMM_NR_BINS; i++)
		if (bins[i].pages)
			seq_printf(m, "node %d bin %u: %llu\n", node->node, i,
				   bins[i].pages);
}

static int htmm_show_placement(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_placement sums = {};
	struct htmm_placed by_node;
	unsigned int i;
	int ret;

	if (!perfmon_capable() || !htmm_places_permitted())
		return -EPERM;
	ret = htmm_snapshot_placement(session, &sums, &by_node);
	if (ret)
		goto out;
	seq_printf(m, "spaces: %u\nskipped: %u\nlongest_lock_ns: %llu\n", sums.spaces,
		   sums.skipped, by_node.longest_ns);
	seq_printf(m, "unknown_pages: %llu\nunknown_samples: %llu\nshared_pages: %llu\n",
		   sums.unknown_pages, sums.unknown_samples, sums.shared_pages);
	for (i = 0; i < by_node.nr; i++)
		htmm_show_node(m, &by_node.nodes[i], &by_node.bins[i * HTMM_NR_BINS]);
out:
	htmm_placed_free(&by_node);
	return ret;
}

static const char * const htmm_source_names[] = {
	[HTMM_SOURCE_UNKNOWN] = "unknown",
	[HTMM_SOURCE_CACHE] = "cache",
	[HTMM_SOURCE_LOCAL] = "local",
	[HTMM_SOURCE_REMOTE] = "remote",
	[HTMM_SOURCE_SLOW] = "slow",
	[HTMM_SOURCE_OTHER] = "other",
};

static_assert(ARRAY_SIZE(htmm_source_names) == HTMM_NR_SOURCES);

static int htmm_show_served(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_served_rows rows;
	unsigned int i, source;
	int ret;

	ret = htmm_snapshot_served(session, 0, &rows);
	for (i = 0; i < rows.nr; i++) {
		seq_printf(m, "cpu_node %d event %u:", rows.row[i].cpu_node, rows.row[i].event);
		for (source = 0; source < HTMM_NR_SOURCES; source++)
			seq_printf(m, " %s %llu", htmm_source_names[source],
				   rows.row[i].samples[source]);
		seq_putc(m, '\n');
	}
	kvfree(rows.row);
	return ret;
}

/* Readers can exist without a session. */
static int htmm_show_streams(struct seq_file *m, struct htmm_session *session)
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

static const char * const htmm_target_names[] = {
	[HTMM_TARGET_TGID] = "pid",
	[HTMM_TARGET_CGROUP] = "cgroup",
	[HTMM_TARGET_ALL] = "all",
};

static void htmm_show_target(struct seq_file *m,
			     const struct htmm_target_info *info)
{
	seq_printf(m, "target %u: %s", info->number,
		   htmm_target_names[info->type]);
	if (info->type != HTMM_TARGET_ALL)
		seq_printf(m, " %llu", info->id);
	seq_printf(m, "%s capacity_pages %llu max_bytes %llu bytes %llu pages %llu regions %llu samples %llu coolings %llu adaptations %llu evicted %llu exited %llu freed %llu spaces %llu space_bytes %llu",
		   info->flags & HTMM_TARGET_INFO_DEAD ? " dead" : "",
		   info->capacity_pages, info->max_bytes, info->bytes,
		   info->pages, info->regions, info->samples, info->coolings,
		   info->adaptations, info->evicted, info->exited, info->freed,
		   info->spaces, info->space_bytes);
	htmm_show_drops(m, info->drops, false);
	seq_puts(m, " name ");
	seq_escape(m, info->name, "\n\\");
	seq_putc(m, '\n');
}

static int htmm_show_targets(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_target_info *info;
	u32 i, n;

	info = htmm_snapshot_targets(session, &n);
	if (!info)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		htmm_show_target(m, &info[i]);
	kvfree(info);
	return 0;
}

/**
 * struct htmm_debugfs_file - one debugfs file
 * @name: its name
 * @show: writes the text
 * @idle: @show is also called without a session
 */
struct htmm_debugfs_file {
	const char *name;
	int (*show)(struct seq_file *m, struct htmm_session *session);
	bool idle;
};

static const struct htmm_debugfs_file htmm_debugfs_files[] = {
	{ "status", htmm_show_status },
	{ "stats", htmm_show_stats },
	{ "histogram", htmm_show_histograms },
	{ "hot_pages", htmm_show_hot_pages },
	{ "placement", htmm_show_placement },
	{ "served", htmm_show_served },
	{ "targets", htmm_show_targets },
	{ "events", htmm_show_events },
	{ "streams", htmm_show_streams, .idle = true },
};

static int htmm_debugfs_show(struct seq_file *m, void *unused)
{
	const struct htmm_debugfs_file *file = m->private;
	struct htmm_session *session = htmm_session_get(0);
	int ret = 0;

	if (session || file->idle)
		ret = file->show(m, session);
	else
		htmm_show_idle(m);
	htmm_session_put(session);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(htmm_debugfs);

/**
 * htmm_debugfs_init - create the directory htmm in debugfs
 *
 * A kernel without debugfs is not an error: the ioctls provide the same data.
 */
void htmm_debugfs_init(void)
{
	unsigned int i;

	htmm_debugfs_dir = debugfs_create_dir("htmm", NULL);
	for (i = 0; i < ARRAY_SIZE(htmm_debugfs_files); i++)
		debugfs_create_file(htmm_debugfs_files[i].name, 0400, htmm_debugfs_dir,
				    (void *)&htmm_debugfs_files[i], &htmm_debugfs_fops);
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
