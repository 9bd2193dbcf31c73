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
#include "server.h"

/**
 * struct export - the options and the data of export
 * @path: file to write; NULL: stdout
 * @listen: address and port to answer at; NULL: write once
 * @tier_path: file of `tier --metrics`, or NULL
 * @no_placement: do not ask where pages are
 * @told: it was said why it is not known where pages are
 * @res: the state and the counters
 * @placements: where the pages of each target are; empty if that is not known
 */
struct export {
	const char *path;
	const char *listen;
	const char *tier_path;
	bool no_placement;
	bool told;
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
	METRIC(TARGET->stats[HTMM_STAT_SAMPLES], "htmm_target_samples_total",
	       "Samples of a target that were counted."),
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
	prom_label(&prom, "state", session_state(info));
	prom_label_u64(&prom, "session", info->session);
	prom_value(&prom, 1);
	if (info->state == HTMM_STATE_IDLE)
		return;
	prom_begin(&prom, file, "htmm_session_paused", "1 in a pause, else 0.");
	prom_value(&prom, !!(info->session_flags & HTMM_START_PAUSED));
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

static bool is_loss(int drop)
{
	return htmm_drop_name(drop) && !(HTMM_DROPS_UNWANTED >> drop & 1);
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
			if (!is_loss(drop))
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

static void write_target_drops(FILE *file, const struct htmm_target_list *targets)
{
	struct prom prom;
	size_t i;
	int drop;

	prom_begin(&prom, file, "htmm_target_lost_samples_total",
		   "Samples of a target that were lost after the ring, by reason.");
	for (i = 0; i < targets->nr; i++) {
		for (drop = 0; drop < HTMM_DROP_SLOTS; drop++) {
			if (!is_loss(drop))
				continue;
			target_item(&prom, targets, i);
			prom_label(&prom, "reason", htmm_drop_name(drop));
			prom_value(&prom, targets->target[i].drops[drop]);
		}
	}
}

/* Who a target is; all targets together have the number 0 and no name. */
static void label_target(struct prom *prom, const struct htmm_target_list *targets, __u32 number)
{
	size_t i;

	prom_label_u64(prom, "target", number);
	for (i = 0; i < targets->nr; i++)
		if (targets->target[i].number == number)
			prom_label(prom, "name", targets->target[i].name);
}

static void write_served_row(struct prom *prom, const struct results *res, __u32 target,
			     const struct htmm_served_row *row)
{
	const struct htmm_stats_buf *stats = &res->stats;
	unsigned int source;

	for (source = 0; source < HTMM_NR_SOURCES; source++) {
		label_target(prom, &res->targets, target);
		prom_label_u64(prom, "cpu_node", row->cpu_node);
		prom_label_u64(prom, "index", row->event);
		prom_label(prom, "event", event_name(stats, row->event));
		prom_label(prom, "source", htmm_source_name(source));
		prom_value(prom, row->samples[source]);
	}
}

static void write_served(FILE *file, const struct results *res)
{
	const struct served_list *list = &res->served;
	struct prom prom;
	__u32 row, ppm;
	size_t i;

	if (!list->nr)
		return;
	prom_begin(&prom, file, "htmm_served_samples_total",
		   "Samples by what served them; target 0 is all together.");
	for (i = 0; i < list->nr; i++)
		for (row = 0; row < list->all[i].buf.served.nr_rows; row++)
			write_served_row(&prom, res, list->all[i].target,
					 &list->all[i].buf.rows[row]);
	prom_begin(&prom, file, "htmm_measured_hit_ratio",
		   "Share of the loads from memory that the fast tier served.");
	for (i = 0; i < list->nr; i++) {
		if (!served_ratio(&list->all[i].tiers, &ppm))
			continue;
		label_target(&prom, &res->targets, list->all[i].target);
		prom_value(&prom, ppm / 1e6);
	}
}

/* The nodes of all placements, one after the other. */
static const void *node_item(struct prom *prom, const void *arg, size_t number)
{
	const struct export *export = arg;
	const struct placement *placement = export->placements.all;
	const struct htmm_node_placement *node;

	while (number >= placement->where.placement.nr_nodes)
		number -= placement++->where.placement.nr_nodes;
	node = &placement->where.nodes[number];
	label_target(prom, &export->res.targets, placement->target);
	prom_label_u64(prom, "node", node->node);
	prom_label(prom, "tier", placement_tier(node));
	return node;
}

static void write_placements(FILE *file, const struct export *export)
{
	const struct htmm_target_list *targets = &export->res.targets;
	const struct placement_list *list = &export->placements;
	struct prom prom;
	size_t i, nr = 0;

	for (i = 0; i < list->nr; i++)
		nr += list->all[i].where.placement.nr_nodes;
	metrics_write(file, node_metrics, nr, node_item, export);
	prom_begin(&prom, file, "htmm_cold_bytes", "Memory of cold pages.");
	for (i = 0; i < nr; i++)
		prom_value(&prom, placement_cold(node_item(&prom, export, i)) * 4096.0);
	prom_begin(&prom, file, "htmm_fast_hit_ratio",
		   "Share of the samples that are on fast nodes.");
	for (i = 0; i < list->nr; i++) {
		const struct placement_sums sums = placement_sum(&list->all[i]);

		if (!sums.samples)
			continue;
		label_target(&prom, targets, list->all[i].target);
		prom_value(&prom, sums.hit_ppm / 1e6);
	}
	prom_begin(&prom, file, "htmm_best_hit_ratio",
		   "Share of the samples on the hottest pages; the same samples chose the pages.");
	for (i = 0; i < list->nr; i++) {
		label_target(&prom, targets, list->all[i].target);
		prom_value(&prom, list->all[i].best.hit_ppm / 1e6);
	}
	prom_begin(&prom, file, "htmm_best_hit_estimate",
		   "What the best placement would reach, estimated from the samples.");
	for (i = 0; i < list->nr; i++) {
		if (!list->all[i].hit.samples || list->all[i].hit.few)
			continue;
		label_target(&prom, targets, list->all[i].target);
		prom_value(&prom, list->all[i].hit.at.hit);
	}
}

static void write_all(FILE *file, const void *arg)
{
	const struct export *export = arg;
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
	write_target_drops(file, &res->targets);
	write_served(file, res);
	if (export->placements.nr)
		write_placements(file, export);
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
	if (!export->told)
		notice("%s: %s", err->what, err->todo);
	export->told = true;
	return 0;
}

/* Nothing is served that is partly of one session and partly of the next. */
static int read_one_session(int fd, struct export *export, struct htmm_error *err)
{
	return read_all(fd, export, err) ?:
	       session_is(export->res.info.session, fd, err);
}

static void free_all(struct export *export)
{
	placements_free(&export->placements);
	results_free(&export->res);
	export->res = (struct results){};
	export->placements = (struct placement_list){};
}

/* A file that is not there is no error: then `tier` does not run. */
static int append_file(FILE *file, const char *path, struct htmm_error *err)
{
	FILE *from = fopen(path, "re");
	char line[4096];
	int ret = 0;

	if (!from && errno == ENOENT)
		return 0;
	while (from && fgets(line, sizeof(line), from))
		fputs(line, file);
	if (!from || ferror(from))
		ret = htmm_error_set(err, errno, "give the file of 'tier --metrics'",
				     "cannot read %s: %s", path, strerror(errno));
	if (from)
		fclose(from);
	return ret;
}

/* All metrics as one text; the caller frees it. */
static int collect(int fd, void *arg, char **text, size_t *len, struct htmm_error *err)
{
	struct export *export = arg;
	FILE *file = open_memstream(text, len);
	int ret;

	if (!file)
		return no_memory(err);
	ret = read_one_session(fd, export, err);
	if (!ret) {
		write_all(file, export);
		ret = export->tier_path ? append_file(file, export->tier_path, err) : 0;
	}
	free_all(export);
	return out_close(file, "metrics", ret ? NULL : err) && !ret ? -err->code : ret;
}

/* The module may come and go while this waits, so it is not kept open. */
static int answer(void *arg, char **text, size_t *len, struct htmm_error *err)
{
	int fd = htmm_device_open(NULL, err), ret;

	if (fd < 0)
		return fd;
	ret = collect(fd, arg, text, len, err);
	close(fd);
	return ret;
}

static void write_text(FILE *file, const void *text)
{
	fputs(text, file);
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const struct export *export = arg;
	char *text = NULL;
	size_t len;
	int ret = collect(fd, arg, &text, &len, err);

	if (!ret && export->path)
		ret = metrics_replace(export->path, write_text, text, err);
	else if (!ret)
		write_text(stdout, text);
	free(text);
	return ret;
}

static int listen_forever(struct export *export)
{
	struct htmm_error err = {};
	int fd = server_open(export->listen, &err), ret;

	if (fd < 0)
		return print_error(&err);
	ret = server_run(fd, answer, export, &err);
	close(fd);
	return ret ? print_error(&err) : EXIT_OK;
}

static int run_export(const struct command *cmd, int argc, char **argv)
{
	struct export export = {};
	const struct opt opts[] = {
		{ OPT_TEXT, 'o', "output", "FILE", "replace FILE as a whole (standard output)",
		  &export.path },
		{ OPT_TEXT, 0, "listen", "[ADDRESS:]PORT",
		  "answer Prometheus there (address: 127.0.0.1)", &export.listen },
		{ OPT_TEXT, 0, "tier", "FILE", "add what 'tier --metrics FILE' has written",
		  &export.tier_path },
		{ OPT_FLAG, 0, "no-placement", NULL, "do not read on which nodes pages are",
		  &export.no_placement },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	int ret = opts_parse(cmd, argc, argv, tables, NULL);

	if (ret != OPTS_GO_ON)
		return ret;
	if (export.listen && export.path)
		return usage_error(cmd, NULL, "give --listen or -o, not both");
	return export.listen ? listen_forever(&export) : device_call(show, &export);
}

static const struct command cmd_export = {
	.name = "export",
	.synopsis = "[options]",
	.help = "Writes what status, stats, target list and placement tell as metrics in\n"
		"Prometheus' text format: once, for the textfile collector of node_exporter, or\n"
		"with --listen whenever Prometheus asks for http://ADDRESS:PORT/metrics.",
	.run = run_export,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_export, argc, argv);
}
