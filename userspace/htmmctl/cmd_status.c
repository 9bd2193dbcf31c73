// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "capacity.h"
#include "event_mode.h"
#include "format.h"
#include "output.h"
#include "fields.h"
#include "simple_cmd.h"
#include "throttle.h"
#include "view.h"

#define NSEC_PER_SEC	1000000000.0
/* Most targets shown in one line. */
#define TARGETS_SHOWN	3

static bool any_large_pebs(const struct htmm_stats_buf *stats)
{
	unsigned int i;

	for (i = 0; i < stats->stats.nr_channels; i++)
		if (stats->channels[i].flags & HTMM_CHANNEL_LARGE_PEBS)
			return true;
	return false;
}

/* Tells if an event does not run all the time because events share its counter. */
static bool any_multiplexed(const struct htmm_stats_buf *stats)
{
	unsigned int i;

	for (i = 0; i < stats->stats.nr_channels; i++)
		if (stats->channels[i].time_running < stats->channels[i].time_enabled)
			return true;
	return false;
}

static void print_warning(FILE *file, const char *text)
{
	out_colour(file, COLOUR_YELLOW);
	fprintf(file, "warning: %s\n", text);
	out_colour(file, COLOUR_NONE);
}

static void print_warnings(FILE *file, const struct htmm_stats_buf *stats,
			   const struct throttle *limits)
{
	char text[256];

	if (any_large_pebs(stats))
		print_warning(file, "large PEBS is on, which loses samples; please report this");
	if (any_multiplexed(stats))
		print_warning(file,
			      "events shared the PMU with others and missed some of the time; use fewer events");
	throttle_explain(limits, stats, text, sizeof(text));
	if (*text)
		print_warning(file, text);
	if (stats->stats.total.drops[HTMM_DROP_RING_FULL])
		print_warning(file, "rings overflowed; raise -m or the period");
	if (stats->stats.total.drops[HTMM_DROP_TABLE_FULL])
		print_warning(file, "the hot-page table is full; raise -o max-bytes");
	if (stats->stats.total.drops[HTMM_DROP_SPACES_FULL])
		print_warning(file, "there are too many processes; raise -o max-bytes");
	if (stats->stats.cpus_failed) {
		snprintf(text, sizeof(text),
			 "a CPU came online and could not be sampled, %u time%s; dmesg says why; htmm tries again when the CPU comes back",
			 stats->stats.cpus_failed, stats->stats.cpus_failed == 1 ? "" : "s");
		print_warning(file, text);
	}
}

static void print_event(FILE *file, const struct htmm_info *info,
			const struct htmm_stats_buf *stats, unsigned int number)
{
	const struct htmm_event *event = &stats->events[number];
	struct event_mode mode = event_mode(stats, number);
	char code[32], period[64];

	event_code_text(event, code, sizeof(code));
	event_period_text(&mode, period, sizeof(period));
	fputs("event     ", file);
	out_name(file, event->name);
	if (strcmp(event->name, code))
		fprintf(file, " (%s)", code);
	fprintf(file, ": every %s, precise %u", period, mode.precise_ip);
	if (mode.precise_ip != event->precise_ip)
		fprintf(file, " (%u asked for)", event->precise_ip);
	fprintf(file, ", large PEBS %s", mode.large_pebs ? "on" : "off");
	if (info->state == HTMM_STATE_RUNNING)
		fprintf(file, ", on %u CPU%s", mode.active, mode.active == 1 ? "" : "s");
	fputc('\n', file);
}

/* Prints all of them if they are few, else their number. */
static void print_targets(FILE *file, const struct htmm_info *info,
			  const struct htmm_target_list *targets)
{
	char words[96];
	size_t i;

	fputs("targets   ", file);
	for (i = 0; i < targets->nr && targets->nr <= TARGETS_SHOWN; i++) {
		target_words(words, sizeof(words), &targets->target[i]);
		out_name(file, words);
		fputs("; ", file);
	}
	if (!i)
		fprintf(file, "%zu of them, see 'htmmctl target list'; ", targets->nr);
	fprintf(file, "%u CPU%s\n", info->nr_cpus, info->nr_cpus == 1 ? "" : "s");
}

static void print_budget(FILE *file, const struct htmm_info *info,
			 const struct htmm_stats_buf *stats)
{
	fprintf(file, "cost      %.2f%% of CPU time, ", stats->stats.cost_ppm / 1e4);
	if (info->session_flags & HTMM_START_BUDGET)
		fprintf(file, "budget %.2f%%: periods change%s\n", info->budget_ppm / 1e4,
			stats->stats.total.throttled ?
			", but none gets shorter while the kernel throttles" : "");
	else
		fputs("no budget\n", file);
}

static void print_limits(FILE *file, const struct throttle *limits)
{
	if (limits->max_sample_rate < 0)
		return;
	fprintf(file, "limits    %ld samples/s of an event on a CPU, ", limits->max_sample_rate);
	if (throttle_by_time(limits))
		fprintf(file, "%ld%% of its time\n", limits->cpu_percent);
	else
		fputs("any part of its time\n", file);
}

void status_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		  const struct htmm_target_list *targets)
{
	struct throttle limits;
	char text[CAPACITY_WORDS], table[SIZE_TEXT], most[SIZE_TEXT], rings[SIZE_TEXT];
	unsigned int i;

	if (info->state == HTMM_STATE_IDLE) {
		fputs("idle: no session; start one with 'htmmctl start' or 'htmmctl run'\n", file);
		return;
	}
	fprintf(file, "session   %llu, %s, %.1f s, started by pid %u%s%s\n", info->session,
		htmm_state_name(info->state), (double)info->elapsed_ns / NSEC_PER_SEC, info->owner,
		info->session_flags & HTMM_START_DETACHED ? ", detached" : "",
		info->session_flags & HTMM_START_KEEP_EXITED ? ", keeps exited processes" : "");
	print_targets(file, info, targets);
	for (i = 0; i < stats->stats.nr_events; i++)
		print_event(file, info, stats, i);
	if (!counts_compare(info, stats, text, sizeof(text)))
		fprintf(file, "weights   none: %s\n", text);
	else if (info->session_flags & HTMM_START_WEIGHT_PERIOD)
		fputs("weights   a sample counts as much as its period\n", file);
	fprintf(file, "samples   %llu counted, %llu filtered, %llu lost, %llu in flight\n",
		stats->stats.total.counted, stats->stats.total.drops[HTMM_DROP_FILTERED],
		htmm_counters_lost(&stats->stats.total), stats->stats.total.in_flight);
	print_budget(file, info, stats);
	fprintf(file, "capacity  %s\n", capacity_words(text, info->capacity_pages));
	if (info->cooling_period)
		fprintf(file, "cooling   every %llu samples", info->cooling_period);
	else
		fputs("cooling   every 4 samples of each page, at least 2000000", file);
	fprintf(file, ", thresholds every %llu\n", info->adaptation_period);
	fprintf(file, "memory    table %s of %s, rings %s (%u pages each)\n",
		size_text(table, info->table_bytes), size_text(most, info->max_bytes),
		size_text(rings, info->ring_bytes), info->ring_pages);
	throttle_read(&limits);
	print_limits(file, &limits);
	print_warnings(file, stats, &limits);
}

void event_json(struct json_object *obj, const struct htmm_event *event)
{
	json_add_name(obj, "name", event->name);
	json_add_u64(obj, "type", event->type);
	json_add_hex(obj, "config", event->config);
	json_add_hex(obj, "config1", event->config1);
	json_add_hex(obj, "config2", event->config2);
	json_add_u64(obj, "period", event->period);
	json_add_u64(obj, "precise_ip", event->precise_ip);
}

static struct json_object *events_json(const struct htmm_stats_buf *stats)
{
	struct json_object *events = json_object_new_array();
	unsigned int i;

	for (i = 0; i < stats->stats.nr_events; i++) {
		struct json_object *event = json_object_new_object();
		struct event_mode mode = event_mode(stats, i);

		event_json(event, &stats->events[i]);
		event_mode_json(event, &mode);
		json_object_array_add(events, event);
	}
	return events;
}

struct json_object *status_json(const struct htmm_info *info, const struct htmm_stats_buf *stats)
{
	struct json_object *obj = json_new();
	__s64 budget = info->session_flags & HTMM_START_BUDGET ? info->budget_ppm : -1LL;
	struct throttle limits;
	char text[256];

	json_add_name(obj, "state", htmm_state_name(info->state));
	fields_json(obj, info_fields, info);
	json_add(obj, "budget_ppm", json_object_new_int64(budget));
	json_add_u64(obj, "cost_ppm", stats->stats.cost_ppm);
	json_add(obj, "events", events_json(stats));
	json_add_u64(obj, "cpus_failed", stats->stats.cpus_failed);
	json_add_bool(obj, "large_pebs", any_large_pebs(stats));
	json_add_bool(obj, "multiplexed", any_multiplexed(stats));
	json_add_bool(obj, "throttled", stats->stats.total.throttled);
	throttle_read(&limits);
	throttle_explain(&limits, stats, text, sizeof(text));
	json_add_name(obj, "throttle_advice", text);
	json_add(obj, "max_sample_rate", json_object_new_int64(limits.max_sample_rate));
	json_add(obj, "cpu_time_max_percent", json_object_new_int64(limits.cpu_percent));
	return obj;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const enum format *format = arg;
	struct htmm_target_list targets = {};
	struct htmm_stats_buf stats = {};
	struct htmm_info info;
	int ret;

	ret = htmm_device_info(fd, &info, err);
	if (ret)
		return ret;
	if (info.state != HTMM_STATE_IDLE) {
		ret = htmm_device_stats(fd, &stats, err);
		if (!ret)
			ret = htmm_device_targets(fd, &targets, err);
		if (ret)
			goto free_all;
	}
	if (*format == FORMAT_JSON)
		json_print(stdout, status_json(&info, &stats));
	else if (*format == FORMAT_PROMETHEUS)
		status_prometheus(stdout, &info);
	else
		status_print(stdout, &info, &stats, &targets);
free_all:
	htmm_targets_free(&targets);
	htmm_stats_free(&stats);
	return ret;
}

static int run_status(const struct command *cmd, int argc, char **argv)
{
	return counters_cmd(cmd, argc, argv, show);
}

const struct command cmd_status = {
	.name = "status",
	.synopsis = "[options]",
	.summary = "show what is being sampled, and any problems",
	.help = "Shows the state of the session: what it samples, how, and any problems.",
	.run = run_status,
};
