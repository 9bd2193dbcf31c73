// SPDX-License-Identifier: GPL-2.0
#include "fields.h"
#include "options.h"
#include "view.h"

struct htmm_counters stats_sum(const struct htmm_stats_buf *stats, __s64 cpu, __s64 event)
{
	struct htmm_counters sum = {};
	unsigned int i;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		if ((cpu < 0 || channel->cpu == cpu) && (event < 0 || channel->event == event))
			htmm_counters_add(&sum, &channel->counters);
	}
	return sum;
}

/* Is this the first channel of its CPU? */
static bool first_of_cpu(const struct htmm_stats_buf *stats, unsigned int channel)
{
	unsigned int i;

	for (i = 0; i < channel; i++)
		if (stats->channels[i].cpu == stats->channels[channel].cpu)
			return false;
	return true;
}

static void print_line(FILE *file, const char *name, __u64 value, __u64 whole)
{
	fprintf(file, "%-14s %14llu", name, value);
	if (whole)
		fprintf(file, "  %5.1f%%", percent(value, whole));
	fputc('\n', file);
}

/* Parts of what was filtered or lost. @reasons: a bitmask */
static void print_drops(FILE *file, const struct htmm_counters *total, unsigned int reasons)
{
	char name[32];
	int i;

	for (i = 0; i < HTMM_DROP_SLOTS; i++) {
		if (!total->drops[i] || !(reasons >> i & 1))
			continue;
		snprintf(name, sizeof(name), "  %.20s",
			 htmm_drop_name(i) ? htmm_drop_name(i) : "other");
		print_line(file, name, total->drops[i], total->overflows);
	}
}

static void print_total(FILE *file, const struct htmm_counters *total)
{
	print_line(file, "overflows", total->overflows, 0);
	print_line(file, "counted", total->counted, total->overflows);
	print_line(file, "filtered", htmm_counters_filtered(total), total->overflows);
	print_drops(file, total, HTMM_DROPS_UNWANTED & ~(1U << HTMM_DROP_FILTERED));
	print_line(file, "lost", htmm_counters_lost(total), total->overflows);
	print_drops(file, total, ~HTMM_DROPS_UNWANTED);
	print_line(file, "in flight", total->in_flight, total->overflows);
	print_line(file, "throttled", total->throttled, total->overflows);
	print_line(file, "in NMI", total->nmi, total->overflows);
}

static void print_row(FILE *file, const char *name, const struct htmm_counters *counters)
{
	char cell[32];

	/* Format the cell first, so that only its width is printed of a name. */
	snprintf(cell, sizeof(cell), "%-19.19s", name);
	out_name(file, cell);
	fprintf(file, " %9llu %9llu %9llu %9llu %9llu %9llu\n", counters->overflows,
		counters->counted, htmm_counters_filtered(counters),
		htmm_counters_lost(counters), counters->nmi, counters->throttled);
}

static void print_head(FILE *file, const char *first)
{
	fprintf(file, "\n%-19s %9s %9s %9s %9s %9s %9s\n", first, "overflows", "counted",
		"filtered", "lost", "in NMI", "throttled");
}

/* The counters of events, of CPUs, and if @verbose of each event on each CPU. */
static void print_tables(FILE *file, const struct htmm_stats_buf *stats, bool verbose)
{
	struct htmm_counters sum;
	unsigned int i;
	char name[64];

	print_head(file, "event");
	for (i = 0; i < stats->stats.nr_events; i++) {
		sum = stats_sum(stats, -1, i);
		print_row(file, stats->events[i].name, &sum);
	}
	print_head(file, "CPU");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		if (!first_of_cpu(stats, i))
			continue;
		sum = stats_sum(stats, stats->channels[i].cpu, -1);
		snprintf(name, sizeof(name), "%u", stats->channels[i].cpu);
		print_row(file, name, &sum);
	}
	if (!verbose)
		return;
	print_head(file, "CPU/event");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		snprintf(name, sizeof(name), "%u/%s", channel->cpu,
			 event_name(stats, channel->event));
		print_row(file, name, &channel->counters);
	}
}

static void print_served(FILE *file, const struct served *served,
			 const struct htmm_stats_buf *stats)
{
	unsigned int source;
	__u32 i;

	for (i = 0; i < served->buf.served.nr_rows; i++) {
		const struct htmm_served_row *row = &served->buf.rows[i];
		char name[48], cell[64];

		snprintf(name, sizeof(name), "%d/%s", row->cpu_node, event_name(stats, row->event));
		if (served->target)
			snprintf(cell, sizeof(cell), "%-6u %-19.19s", served->target, name);
		else
			snprintf(cell, sizeof(cell), "%-6s %-19.19s", "all", name);
		out_name(file, cell);
		for (source = 0; source < HTMM_NR_SOURCES; source++)
			fprintf(file, " %8llu", row->samples[source]);
		fputc('\n', file);
	}
}

/* What served the samples, and the share of the fast tier in that. */
static void print_sources(FILE *file, const struct served_list *list,
			  const struct htmm_stats_buf *stats)
{
	unsigned int source;
	__u32 ppm;
	size_t i;

	if (!list->nr || !list->all->buf.served.nr_rows)
		return;
	fprintf(file, "\n%-6s %-19s", "target", "CPUs' node/event");
	for (source = 0; source < HTMM_NR_SOURCES; source++)
		fprintf(file, " %8s", htmm_source_name(source));
	fputc('\n', file);
	for (i = 0; i < list->nr; i++)
		print_served(file, &list->all[i], stats);
	for (i = 0; i < list->nr; i++) {
		if (!served_ratio(&list->all[i].tiers, &ppm))
			continue;
		if (list->all[i].target)
			fprintf(file, "of target %u, ", list->all[i].target);
		fprintf(file, "%.1f %% of the loads from memory were served by the fast tier\n",
			ppm / 1e4);
	}
}

void stats_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		 const struct served_list *served, bool verbose)
{
	const struct htmm_stats *all = &stats->stats;

	print_total(file, &all->total);
	print_line(file, "coolings", all->stats[HTMM_STAT_COOLINGS], 0);
	print_line(file, "adaptations", all->stats[HTMM_STAT_ADAPTATIONS], 0);
	print_line(file, "evicted pages", all->stats[HTMM_STAT_EVICTED], 0);
	print_line(file, "exited pages", all->stats[HTMM_STAT_EXITED], 0);
	print_line(file, "freed pages", all->stats[HTMM_STAT_FREED], 0);
	if (all->stats[HTMM_STAT_PAUSED_NS])
		fprintf(file, "%-14s %14.1f s, part of neither its time nor its cost\n", "paused",
			(double)all->stats[HTMM_STAT_PAUSED_NS] / 1e9);
	fprintf(file, "%-14s %14.1f ms CPU time, %llu batches, %llu wake-ups\n", "ksampled",
		(double)all->stats[HTMM_STAT_DRAIN_NS] / 1e6, all->stats[HTMM_STAT_BATCHES],
		all->stats[HTMM_STAT_WAKEUPS]);

	fprintf(file, "%-14s %14.1f ms in interrupts\n", "handlers",
		(double)all->stats[HTMM_STAT_HANDLER_NS] / 1e6);
	fprintf(file, "%-14s %14.2f %% of the CPUs' time %s, %llu changes of period\n", "cost",
		all->cost_ppm / 1e4, info->state == HTMM_STATE_RUNNING ? "recently" : "in total",
		all->stats[HTMM_STAT_PERIOD_CHANGES]);

	print_tables(file, stats, verbose);
	print_sources(file, served, stats);
}

static void add_counters(struct json_object *obj, const struct htmm_counters *counters)
{
	struct json_object *losses = json_object_new_object();
	int i;

	fields_json(obj, counter_fields, counters);
	for (i = 0; i < HTMM_DROP_SLOTS; i++) {
		char other[16];

		if (HTMM_DROPS_UNWANTED >> i & 1)
			continue;
		snprintf(other, sizeof(other), "reason_%d", i);
		if (htmm_drop_name(i))
			json_add_u64(losses, htmm_drop_name(i), counters->drops[i]);
		else if (counters->drops[i])
			json_add_u64(losses, other, counters->drops[i]);
	}
	json_add_u64(obj, "filtered", htmm_counters_filtered(counters));
	json_add_u64(obj, "kernel", counters->drops[HTMM_DROP_KERNEL]);
	json_add_u64(obj, "no_data", counters->drops[HTMM_DROP_NO_DATA]);
	json_add_u64(obj, "near", counters->drops[HTMM_DROP_NEAR]);
	json_add_u64(obj, "lost", htmm_counters_lost(counters));
	json_add(obj, "losses", losses);
}

static struct json_object *events_json(const struct htmm_stats_buf *stats)
{
	struct json_object *events = json_object_new_array();
	unsigned int i;

	for (i = 0; i < stats->stats.nr_events; i++) {
		struct htmm_counters sum = stats_sum(stats, -1, i);
		struct json_object *event = json_object_new_object();

		event_json(event, &stats->events[i]);
		add_counters(event, &sum);
		json_object_array_add(events, event);
	}
	return events;
}

static struct json_object *cpus_json(const struct htmm_stats_buf *stats)
{
	struct json_object *cpus = json_object_new_array();
	unsigned int i;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		struct htmm_counters sum;
		struct json_object *cpu;

		if (!first_of_cpu(stats, i))
			continue;
		sum = stats_sum(stats, stats->channels[i].cpu, -1);
		cpu = json_object_new_object();
		json_add_u64(cpu, "cpu", stats->channels[i].cpu);
		add_counters(cpu, &sum);
		json_object_array_add(cpus, cpu);
	}
	return cpus;
}

static struct json_object *channels_json(const struct htmm_stats_buf *stats)
{
	struct json_object *channels = json_object_new_array();
	unsigned int i;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];
		struct json_object *obj = json_object_new_object();

		fields_json(obj, channel_fields, channel);
		json_add_name(obj, "name", event_name(stats, channel->event));
		add_counters(obj, &channel->counters);
		json_object_array_add(channels, obj);
	}
	return channels;
}

struct json_object *stats_json(const struct htmm_info *info, const struct htmm_stats_buf *stats,
			       const struct served_list *served)
{
	struct json_object *array = json_object_new_array();
	const struct htmm_stats *all = &stats->stats;
	struct json_object *obj = session_json(info, stats);
	size_t i;

	json_add_name(obj, "state", htmm_state_name(info->state));
	json_add_u64(obj, "elapsed_ns", info->elapsed_ns);
	add_counters(obj, &all->total);
	stats_values_json(obj, all->stats, HTMM_STAT_SLOTS);
	json_add_u64(obj, "cost_ppm", all->cost_ppm);
	json_add(obj, "events", events_json(stats));
	json_add(obj, "cpus", cpus_json(stats));
	json_add(obj, "channels", channels_json(stats));
	for (i = 0; i < served->nr; i++)
		json_object_array_add(array, served_json(&served->all[i], stats));
	json_add(obj, "served", array);
	return obj;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const bool *json = arg;
	struct results res = {};
	int ret = results_counted(&res, fd, err) ?: session_is(res.info.session, fd, err);

	if (ret)
		;
	else if (*json)
		json_print(stdout, stats_json(&res.info, &res.stats, &res.served));
	else
		stats_print(stdout, &res.info, &res.stats, &res.served, verbosity.verbose);
	results_free(&res);
	return ret;
}

static int run_stats(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	const struct opt opts[] = { OPT_JSON(&json), { OPT_END } };

	return simple_cmd(cmd, argc, argv, opts, show, &json);
}

const struct command cmd_stats = {
	.name = "stats",
	.synopsis = "[options]",
	.summary = "count samples, and those lost, by event and by CPU",
	.help = "Shows where every overflow went:\n"
		"overflows = counted + filtered + lost + in flight, for each event and CPU;\n"
		"filtered are those of tasks that are not targets, lost are those of targets;\n"
		"with -v also for each event on each CPU.",
	.run = run_stats,
};
