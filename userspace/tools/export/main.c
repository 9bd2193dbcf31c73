// SPDX-License-Identifier: GPL-2.0
/* The command `export`: the session's numbers as metrics, for Prometheus. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/command.h"
#include "htmmctl/options.h"
#include "htmmctl/placement.h"
#include "htmmctl/view.h"
#include "metrics/metrics.h"

/**
 * struct export - the options and the data of export
 * @path: file to write; NULL: stdout
 * @no_placement: do not ask where pages are
 * @res: the state and the counters
 * @placements: where the pages of each target are; empty if that is not known
 */
struct export {
	const char *path;
	bool no_placement;
	struct results res;
	struct placement_list placements;
};

/* NULL pointers to the structs, for METRIC(). */
#define INFO		((struct htmm_info *)NULL)
#define STATS		((struct htmm_stats *)NULL)
#define CHANNEL		((struct htmm_channel_info *)NULL)
#define TARGET		((struct htmm_target_info *)NULL)
#define NODE		((struct htmm_node_placement *)NULL)

static const struct metric info_metrics[] = {
	METRIC(INFO->nr_targets, "htmm_session_targets", "Targets, each counted on its own."),
	METRIC(INFO->nr_cpus, "htmm_session_cpus", "CPUs sampled."),
	METRIC(INFO->elapsed_ns, "htmm_session_seconds",
	       "Time since the session started, until its stop, without pauses.", .unit = 1 / 1e9),
	METRIC(INFO->max_bytes, "htmm_table_limit_bytes", "Most memory of the hot-page table."),
	METRIC(INFO->capacity_pages, "htmm_capacity_bytes", "What the fast tier holds.",
	       .unit = 4096),
	METRIC(INFO->table_bytes, "htmm_table_bytes", "Memory in use by the hot-page table."),
	METRIC(INFO->ring_bytes, "htmm_ring_bytes", "Memory of the rings."),
	{}
};

static const struct metric stats_metrics[] = {
	METRIC(STATS->stats[HTMM_STAT_COOLINGS], "htmm_coolings_total",
	       "Times that all counts were halved."),
	METRIC(STATS->stats[HTMM_STAT_ADAPTATIONS], "htmm_adaptations_total",
	       "Times that the thresholds were reported."),
	METRIC(STATS->stats[HTMM_STAT_EVICTED], "htmm_evicted_pages_total",
	       "Pages that left the table to make room."),
	METRIC(STATS->stats[HTMM_STAT_EXITED], "htmm_exited_pages_total",
	       "Pages that left the table with their process."),
	METRIC(STATS->stats[HTMM_STAT_FREED], "htmm_freed_pages_total",
	       "Pages that left the table with their memory."),
	METRIC(STATS->stats[HTMM_STAT_DRAIN_NS], "htmm_drain_cpu_seconds_total",
	       "CPU time of ksampled.", .unit = 1 / 1e9),
	METRIC(STATS->stats[HTMM_STAT_PAUSED_NS], "htmm_paused_seconds_total",
	       "Time in pauses.", .unit = 1 / 1e9),
	METRIC(STATS->stats[HTMM_STAT_HANDLER_NS], "htmm_handler_seconds_total",
	       "Time in overflow handlers.", .unit = 1 / 1e9),
	METRIC(STATS->cost_ppm, "htmm_cost_ratio",
	       "Share of the sampled CPUs' time that sampling took recently, or in total.",
	       .unit = 1 / 1e6),
	METRIC(STATS->stats[HTMM_STAT_PERIOD_CHANGES], "htmm_period_changes_total",
	       "Times that a budget changed a period."),
	{}
};

static const struct metric channel_metrics[] = {
	METRIC(CHANNEL->counters.overflows, "htmm_overflows_total",
	       "Overflows of an event's counter on a CPU."),
	METRIC(CHANNEL->counters.counted, "htmm_samples_total",
	       "Samples counted in the hot-page table."),
	METRIC(CHANNEL->counters.in_flight, "htmm_in_flight_samples",
	       "Samples in the rings, not drained yet."),
	METRIC(CHANNEL->counters.throttled, "htmm_throttled_overflows_total",
	       "Overflows while the kernel throttled the event."),
	METRIC(CHANNEL->period, "htmm_event_period", "Events between two samples."),
	{}
};

static const struct metric target_metrics[] = {
	METRIC(TARGET->capacity_pages, "htmm_target_capacity_bytes",
	       "What a target's fast tier holds.", .unit = 4096),
	METRIC(TARGET->pages, "htmm_target_sampled_bytes",
	       "Memory of a target's pages that have samples.", .unit = 4096),
	METRIC(TARGET->bytes, "htmm_target_table_bytes", "Memory of a target's table."),
	{}
};

static const struct metric node_metrics[] = {
	METRIC(NODE->pages, "htmm_resident_bytes", "Memory of the targets.", .unit = 4096),
	METRIC(NODE->huge_pages, "htmm_huge_bytes", "Memory mapped by huge pages.",
	       .unit = 4096),
	METRIC(NODE->hot_pages, "htmm_hot_bytes", "Memory of hot pages.", .unit = 4096),
	METRIC(NODE->samples, "htmm_node_samples", "Samples of these pages, cooled."),
	{}
};

static void write_state(FILE *file, const struct htmm_info *info)
{
	struct prom prom;

	prom_begin(&prom, file, "htmm_session_state", "1 for the state of the session.");
	prom_label(&prom, "state", htmm_state_name(info->state));
	prom_label_u64(&prom, "session", info->session);
	prom_value(&prom, 1);
}

static const void *channel_item(struct prom *prom, const void *arg, size_t number)
{
	const struct htmm_stats_buf *stats = arg;
	const struct htmm_channel_info *channel = &stats->channels[number];

	prom_label_u64(prom, "cpu", channel->cpu);
	prom_label_u64(prom, "index", channel->event);
	prom_label(prom, "event", event_name(stats, channel->event));
	return channel;
}

static void write_drops(FILE *file, const struct htmm_stats_buf *stats)
{
	struct prom prom;
	unsigned int i;
	int drop;

	prom_begin(&prom, file, "htmm_filtered_samples_total",
		   "Overflows of tasks that are not targets, of other instructions, and of nearer memory.");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		channel_item(&prom, stats, i);
		prom_value(&prom, htmm_counters_filtered(&stats->channels[i].counters));
	}
	prom_begin(&prom, file, "htmm_lost_samples_total",
		   "Samples of targets that were not counted, by reason.");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		for (drop = 0; drop < HTMM_DROP_SLOTS; drop++) {
			if (!htmm_drop_name(drop) || HTMM_DROPS_UNWANTED >> drop & 1)
				continue;
			channel_item(&prom, stats, i);
			prom_label(&prom, "reason", htmm_drop_name(drop));
			prom_value(&prom, stats->channels[i].counters.drops[drop]);
		}
	}
}

static const void *target_item(struct prom *prom, const void *arg, size_t number)
{
	const struct htmm_target_list *targets = arg;
	const struct htmm_target_info *target = &targets->target[number];

	prom_label_u64(prom, "target", target->number);
	prom_label(prom, "type", htmm_target_type_name(target->type));
	prom_label(prom, "name", target->name);
	return target;
}

static void write_served_row(struct prom *prom, __u32 target, const struct htmm_served_row *row,
			     const struct htmm_stats_buf *stats)
{
	unsigned int source;

	for (source = 0; source < HTMM_NR_SOURCES; source++) {
		prom_label_u64(prom, "target", target);
		prom_label_u64(prom, "cpu_node", row->cpu_node);
		prom_label_u64(prom, "index", row->event);
		prom_label(prom, "event", event_name(stats, row->event));
		prom_label(prom, "source", htmm_source_name(source));
		prom_value(prom, row->samples[source]);
	}
}

static void write_served(FILE *file, const struct served_list *list,
			 const struct htmm_stats_buf *stats)
{
	struct prom prom;
	__u32 row, ppm;
	size_t i;

	if (!list->nr)
		return;
	prom_begin(&prom, file, "htmm_served_samples_total",
		   "Samples by what served them; target 0 is all together.");
	for (i = 0; i < list->nr; i++)
		for (row = 0; row < list->all[i].buf.served.nr_rows; row++)
			write_served_row(&prom, list->all[i].target, &list->all[i].buf.rows[row],
					 stats);
	prom_begin(&prom, file, "htmm_measured_hit_ratio",
		   "Share of the loads from memory that the fast tier served.");
	for (i = 0; i < list->nr; i++) {
		if (!served_ratio(&list->all[i].tiers, &ppm))
			continue;
		prom_label_u64(&prom, "target", list->all[i].target);
		prom_value(&prom, ppm / 1e6);
	}
}

/* The nodes of all placements, one after the other. */
static const void *node_item(struct prom *prom, const void *arg, size_t number)
{
	const struct placement_list *list = arg;
	const struct placement *placement = list->all;
	const struct htmm_node_placement *node;

	while (number >= placement->where.placement.nr_nodes)
		number -= placement++->where.placement.nr_nodes;
	node = &placement->where.nodes[number];
	prom_label_u64(prom, "target", placement->target);
	prom_label_u64(prom, "node", node->node);
	prom_label(prom, "tier", placement_tier(node));
	return node;
}

static void write_placements(FILE *file, const struct placement_list *list)
{
	struct prom prom;
	size_t i, nr = 0;

	for (i = 0; i < list->nr; i++)
		nr += list->all[i].where.placement.nr_nodes;
	metrics_write(file, node_metrics, nr, node_item, list);
	prom_begin(&prom, file, "htmm_cold_bytes", "Memory of cold pages.");
	for (i = 0; i < nr; i++)
		prom_value(&prom, placement_cold(node_item(&prom, list, i)) * 4096.0);
	prom_begin(&prom, file, "htmm_fast_hit_ratio",
		   "Share of the samples that are on fast nodes.");
	for (i = 0; i < list->nr; i++) {
		const struct placement_sums sums = placement_sum(&list->all[i]);

		if (!sums.samples)
			continue;
		prom_label_u64(&prom, "target", list->all[i].target);
		prom_value(&prom, sums.hit_ppm / 1e6);
	}
	prom_begin(&prom, file, "htmm_best_hit_ratio",
		   "Share of the samples on the hottest pages; the same samples chose the pages.");
	for (i = 0; i < list->nr; i++) {
		prom_label_u64(&prom, "target", list->all[i].target);
		prom_value(&prom, list->all[i].best.hit_ppm / 1e6);
	}
	prom_begin(&prom, file, "htmm_best_hit_estimate",
		   "What the best placement would reach, estimated from the samples.");
	for (i = 0; i < list->nr; i++) {
		if (!list->all[i].hit.samples || list->all[i].hit.few)
			continue;
		prom_label_u64(&prom, "target", list->all[i].target);
		prom_value(&prom, list->all[i].hit.at.hit);
	}
}

static void write_all(FILE *file, const struct export *export)
{
	const struct results *res = &export->res;
	const struct htmm_stats_buf *stats = &res->stats;

	write_state(file, &res->info);
	if (res->info.state == HTMM_STATE_IDLE)
		return;
	metrics_write(file, info_metrics, 1, NULL, &res->info);
	metrics_write(file, stats_metrics, 1, NULL, &stats->stats);
	metrics_write(file, channel_metrics, stats->stats.nr_channels, channel_item, stats);
	write_drops(file, stats);
	metrics_write(file, target_metrics, res->targets.nr, target_item, &res->targets);
	write_served(file, &res->served, stats);
	if (export->placements.nr)
		write_placements(file, &export->placements);
}

/* An idle module has nothing but its state. */
static int read_all(int fd, struct export *export, struct htmm_error *err)
{
	struct results *res = &export->res;
	int ret = htmm_device_info(fd, &res->info, err);

	if (ret || res->info.state == HTMM_STATE_IDLE)
		return ret;
	ret = results_counted(res, fd, err);
	if (ret || export->no_placement || !(res->info.features & HTMM_FEATURE_PLACEMENT))
		return ret;
	ret = placements_read(fd, 0, &res->targets, &export->placements, err);
	if (ret != -EPERM)
		return ret;
	notice("%s: %s", err->what, err->todo);
	return 0;
}

/* Whoever reads the file sees either the one of before, or the whole of the new one. */
static int replace_file(const struct export *export, struct htmm_error *err)
{
	char *path;
	FILE *file;
	int ret;

	if (asprintf(&path, "%s.tmp", export->path) < 0)
		return no_memory(err);
	file = fopen(path, "we");
	if (!file) {
		ret = htmm_error_set(err, errno, NULL, "cannot write %s: %s", path,
				     strerror(errno));
		free(path);
		return ret;
	}
	write_all(file, export);
	ret = out_close(file, path, err);
	if (!ret && rename(path, export->path))
		ret = htmm_error_set(err, errno, NULL, "cannot write %s: %s", export->path,
				     strerror(errno));
	if (ret)
		unlink(path);
	free(path);
	return ret;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	struct export *export = arg;
	int ret = read_all(fd, export, err);

	if (!ret && export->path)
		ret = replace_file(export, err);
	else if (!ret)
		write_all(stdout, export);
	placements_free(&export->placements);
	results_free(&export->res);
	return ret;
}

static int run_export(const struct command *cmd, int argc, char **argv)
{
	struct export export = {};
	const struct opt opts[] = {
		{ OPT_TEXT, 'o', "output", "FILE", "replace FILE as a whole (standard output)",
		  &export.path },
		{ OPT_FLAG, 0, "no-placement", NULL, "do not read on which nodes pages are",
		  &export.no_placement },
		{ OPT_END },
	};

	return simple_cmd(cmd, argc, argv, opts, show, &export);
}

static const struct command cmd_export = {
	.name = "export",
	.synopsis = "[options]",
	.help = "Writes what status, stats, target list and placement tell as metrics in\n"
		"Prometheus' text format, for the textfile collector of node_exporter.",
	.run = run_export,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_export, argc, argv);
}
