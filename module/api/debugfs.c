// SPDX-License-Identifier: GPL-2.0
/*
 * Read-only text files for a person: members of the interface's structs under their names there.
 * Reading never waits for a stop in progress.
 */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "api.h"
#include "base/stats.h"
#include "session/session.h"

/* Pages shown in hot_pages. */
#define HTMM_DEBUGFS_PAGES	64

static struct dentry *htmm_debugfs_dir;

/**
 * struct htmm_field - a member of one of the interface's structs
 * @name: its name
 * @offset: where it is
 * @size: 4 or 8 bytes
 * @hex: print it in hexadecimal
 */
struct htmm_field {
	const char *name;
	u16 offset;
	u8 size;
	bool hex;
};

#define HTMM_U32(type, field, ...)	\
	{ .name = #field, .offset = offsetof(struct type, field), .size = 4, __VA_ARGS__ }
#define HTMM_U64(type, field, ...)	\
	{ .name = #field, .offset = offsetof(struct type, field), .size = 8, __VA_ARGS__ }

static const struct htmm_field htmm_info_fields[] = {
	HTMM_U64(htmm_info, session), HTMM_U32(htmm_info, session_flags, .hex = true),
	HTMM_U32(htmm_info, owner), HTMM_U32(htmm_info, nr_events),
	HTMM_U32(htmm_info, nr_targets), HTMM_U32(htmm_info, nr_cpus),
	HTMM_U64(htmm_info, elapsed_ns), HTMM_U64(htmm_info, sample_type, .hex = true),
	HTMM_U32(htmm_info, record_size), HTMM_U32(htmm_info, ring_pages),
	HTMM_U64(htmm_info, ring_bytes), HTMM_U32(htmm_info, budget_ppm),
	HTMM_U64(htmm_info, max_bytes), HTMM_U64(htmm_info, table_bytes),
	HTMM_U64(htmm_info, capacity_pages), HTMM_U64(htmm_info, cooling_period),
	HTMM_U64(htmm_info, adaptation_period), HTMM_U32(htmm_info, drain_pid),
	{}
};

static const struct htmm_field htmm_event_fields[] = {
	HTMM_U32(htmm_event, type), HTMM_U32(htmm_event, precise_ip),
	HTMM_U64(htmm_event, config, .hex = true), HTMM_U64(htmm_event, config1, .hex = true),
	HTMM_U64(htmm_event, config2, .hex = true), HTMM_U64(htmm_event, period),
	HTMM_U64(htmm_event, min_period), HTMM_U64(htmm_event, max_period),
	HTMM_U32(htmm_event, min_level),
	{}
};

static const struct htmm_field htmm_channel_fields[] = {
	HTMM_U32(htmm_channel_info, cpu), HTMM_U32(htmm_channel_info, event),
	HTMM_U32(htmm_channel_info, flags, .hex = true), HTMM_U32(htmm_channel_info, precise_ip),
	HTMM_U64(htmm_channel_info, period), HTMM_U64(htmm_channel_info, count),
	HTMM_U64(htmm_channel_info, time_enabled), HTMM_U64(htmm_channel_info, time_running),
	{}
};

static const struct htmm_field htmm_counters_fields[] = {
	HTMM_U64(htmm_counters, overflows), HTMM_U64(htmm_counters, counted),
	HTMM_U64(htmm_counters, in_flight), HTMM_U64(htmm_counters, throttled),
	HTMM_U64(htmm_counters, nmi),
	{}
};

static const struct htmm_field htmm_histogram_fields[] = {
	HTMM_U32(htmm_histogram, hot_threshold), HTMM_U32(htmm_histogram, warm_threshold),
	HTMM_U64(htmm_histogram, pages), HTMM_U64(htmm_histogram, hot_pages),
	HTMM_U64(htmm_histogram, capacity_pages), HTMM_U64(htmm_histogram, samples),
	{}
};

static const struct htmm_field htmm_page_fields[] = {
	HTMM_U64(htmm_page, addr, .hex = true), HTMM_U64(htmm_page, samples),
	HTMM_U32(htmm_page, pid), HTMM_U32(htmm_page, space),
	HTMM_U32(htmm_page, bin), HTMM_U32(htmm_page, flags, .hex = true),
	HTMM_U32(htmm_page, target),
	{}
};

static const struct htmm_field htmm_target_info_fields[] = {
	HTMM_U32(htmm_target_info, number), HTMM_U32(htmm_target_info, type),
	HTMM_U32(htmm_target_info, flags, .hex = true), HTMM_U64(htmm_target_info, id),
	HTMM_U64(htmm_target_info, capacity_pages), HTMM_U64(htmm_target_info, max_bytes),
	HTMM_U64(htmm_target_info, bytes), HTMM_U64(htmm_target_info, pages),
	HTMM_U64(htmm_target_info, regions), HTMM_U64(htmm_target_info, spaces),
	HTMM_U64(htmm_target_info, space_bytes),
	{}
};

/* Print the members of the struct at @from, each with @after behind it. */
static void htmm_show(struct seq_file *m, const struct htmm_field *field,
		      const void *from, char after)
{
	const void *at;
	u64 value;

	for (; field->name; field++) {
		at = from + field->offset;
		value = field->size == sizeof(u32) ? *(const u32 *)at : *(const u64 *)at;
		seq_printf(m, field->hex ? "%s %#llx%c" : "%s %llu%c", field->name, value, after);
	}
}

/* Print @n values of an array, those that have a name. */
static void htmm_show_values(struct seq_file *m, const char * const *names, const u64 *values,
			     unsigned int n, char after)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (names[i])
			seq_printf(m, "%s %llu%c", names[i], values[i], after);
}

static void htmm_show_counters(struct seq_file *m, const struct htmm_counters *counters)
{
	htmm_show(m, htmm_counters_fields, counters, ' ');
	htmm_show_values(m, htmm_drop_names, counters->drops, HTMM_NR_DROPS, ' ');
}

static int htmm_show_status(struct seq_file *m, struct htmm_session *session)
{
	static const char * const states[] = {
		[HTMM_STATE_IDLE] = "idle",
		[HTMM_STATE_RUNNING] = "running",
		[HTMM_STATE_STOPPING] = "stopping",
		[HTMM_STATE_STOPPED] = "stopped",
	};
	struct htmm_info info = { .size = sizeof(info) };

	htmm_snapshot_info(session, &info);
	seq_printf(m, "state %s\ncpus %*pbl\n",
		   info.session_flags & HTMM_START_PAUSED ? "paused" : states[info.state],
		   cpumask_pr_args(session->config->cpus));
	htmm_show(m, htmm_info_fields, &info, '\n');
	return 0;
}

static int htmm_show_session(struct seq_file *m, struct htmm_session *session)
{
	const struct htmm_config *config = session->config;
	const struct htmm_channel_info *channel;
	struct htmm_rows channels = {};
	struct htmm_stats stats = {};
	unsigned int i;

	if (htmm_snapshot_stats(session, &stats, &channels))
		return -ENOMEM;
	htmm_show_values(m, htmm_stat_names, stats.stats, HTMM_NR_STATS, '\n');
	seq_printf(m, "cost_ppm %u\n", stats.cost_ppm);
	htmm_show_counters(m, &stats.total);
	for (i = 0; i < config->start.nr_events; i++) {
		seq_printf(m, "\nevent %u name %s ", i, config->events[i].name);
		htmm_show(m, htmm_event_fields, &config->events[i], ' ');
	}
	for (i = 0, channel = channels.at; i < channels.nr; i++, channel++) {
		seq_putc(m, '\n');
		htmm_show(m, htmm_channel_fields, channel, ' ');
		htmm_show_counters(m, &channel->counters);
	}
	seq_putc(m, '\n');
	kvfree(channels.at);
	return 0;
}

static int htmm_show_hist(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_histogram hist = {};
	unsigned int i;

	for (hist.unit = HTMM_UNIT_PAGE; hist.unit <= HTMM_UNIT_REGION; hist.unit++) {
		htmm_snapshot_histogram(session, &hist);
		seq_printf(m, "unit %s ", hist.unit == HTMM_UNIT_PAGE ? "page" : "region");
		htmm_show(m, htmm_histogram_fields, &hist, ' ');
		seq_putc(m, '\n');
		for (i = 0; i < HTMM_NR_BINS; i++)
			if (hist.bins[i])
				seq_printf(m, "bin %u pages %llu\n", i, hist.bins[i]);
	}
	return 0;
}

static int htmm_show_hot_pages(struct seq_file *m, struct htmm_session *session)
{
	struct htmm_list_pages list = { .min_samples = 1 };
	struct htmm_page *pages;
	int i, n;

	/* It shows addresses: check the capability as the ioctl does. Root is not enough. */
	if (!perfmon_capable())
		return -EPERM;
	pages = kcalloc(HTMM_DEBUGFS_PAGES, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	n = htmm_snapshot_pages(session, &list, pages, HTMM_DEBUGFS_PAGES);
	for (i = 0; i < n; i++) {
		htmm_show(m, htmm_page_fields, &pages[i], ' ');
		seq_putc(m, '\n');
	}
	kfree(pages);
	return min(n, 0);
}

static int htmm_show_targets(struct seq_file *m, struct htmm_session *session)
{
	const struct htmm_target_info *info;
	struct htmm_rows targets = {};
	u32 i;

	if (htmm_snapshot_targets(session, &targets))
		return -ENOMEM;
	for (i = 0, info = targets.at; i < targets.nr; i++, info++) {
		htmm_show(m, htmm_target_info_fields, info, ' ');
		htmm_show_values(m, htmm_stat_names, info->stats, HTMM_TARGET_STATS, ' ');
		htmm_show_values(m, htmm_drop_names, info->drops, HTMM_NR_DROPS, ' ');
		seq_puts(m, "name ");
		seq_escape(m, info->name, "\n\\");
		seq_putc(m, '\n');
	}
	kvfree(targets.at);
	return 0;
}

/**
 * struct htmm_debugfs_file - one debugfs file
 * @name: its name
 * @show: writes the text
 */
struct htmm_debugfs_file {
	const char *name;
	int (*show)(struct seq_file *m, struct htmm_session *session);
};

static const struct htmm_debugfs_file htmm_debugfs_files[] = {
	{ "status", htmm_show_status },
	{ "stats", htmm_show_session },
	{ "hist", htmm_show_hist },
	{ "hot_pages", htmm_show_hot_pages },
	{ "targets", htmm_show_targets },
};

static int htmm_debugfs_show(struct seq_file *m, void *unused)
{
	const struct htmm_debugfs_file *file = m->private;
	struct htmm_session *session = htmm_session_get(0);
	int ret = 0;

	if (session)
		ret = file->show(m, session);
	else
		seq_puts(m, "state idle\n");
	htmm_session_put(session);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(htmm_debugfs);

/* A kernel without debugfs is not an error: the ioctls provide the same data. */
void htmm_debugfs_init(void)
{
	unsigned int i;

	htmm_debugfs_dir = debugfs_create_dir("htmm", NULL);
	for (i = 0; i < ARRAY_SIZE(htmm_debugfs_files); i++)
		debugfs_create_file(htmm_debugfs_files[i].name, 0400, htmm_debugfs_dir,
				    (void *)&htmm_debugfs_files[i], &htmm_debugfs_fops);
}

/* Context: process; waits for readers. */
void htmm_debugfs_exit(void)
{
	debugfs_remove_recursive(htmm_debugfs_dir);
}
