// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <htmm/cpus.h>
#include "fields.h"
#include "options.h"
#include "view.h"

/* Most targets shown in one line. */
#define TARGETS_SHOWN	3

#define SYSCTL		"/proc/sys/kernel/"
#define MAX_RATE	"perf_event_max_sample_rate"
#define CPU_PERCENT	"perf_cpu_time_max_percent"
/* The kernel's initial value of both limits. */
#define DEFAULT_RATE	100000
#define DEFAULT_PERCENT	25

static void add_channel(struct event_mode *mode, const struct htmm_channel_info *channel,
			bool first)
{
	if (first || channel->period < mode->period_min)
		mode->period_min = channel->period;
	if (first || channel->period > mode->period_max)
		mode->period_max = channel->period;
	if (first || channel->precise_ip < mode->precise_ip)
		mode->precise_ip = channel->precise_ip;
	if (channel->flags & HTMM_CHANNEL_LARGE_PEBS)
		mode->large_pebs = true;
}

struct event_mode event_mode(const struct htmm_stats_buf *stats, unsigned int event)
{
	struct event_mode active = {}, any = {};
	unsigned int i, nr = 0;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		if (channel->event != event)
			continue;
		add_channel(&any, channel, !nr++);
		if (channel->flags & HTMM_CHANNEL_ACTIVE)
			add_channel(&active, channel, !active.active++);
	}
	return active.active ? active : any;
}

bool counts_compare(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		    char *text, size_t size)
{
	struct event_mode all = {};
	unsigned int i;

	*text = '\0';
	if (info->session_flags & HTMM_START_WEIGHT_PERIOD)
		return true;
	for (i = 0; i < stats->stats.nr_channels; i++)
		add_channel(&all, &stats->channels[i], !i);
	if (all.period_min != all.period_max)
		snprintf(text, size, COUNTS_DIFFER, all.period_min, all.period_max);
	else if (info->session_flags & HTMM_START_BUDGET)
		snprintf(text, size,
			 "each sample counts 1, whatever period the budget chose; see weight-period");
	return !*text;
}

void event_period_text(const struct event_mode *mode, char *text, size_t size)
{
	if (mode->period_min == mode->period_max)
		snprintf(text, size, "%llu", mode->period_min);
	else
		snprintf(text, size, "%llu to %llu", mode->period_min, mode->period_max);
}

/* Lists the CPUs of an event, as in 0-3,8. Returns false if these are all of the session. */
static bool event_cpus_text(const struct htmm_stats_buf *stats, unsigned int event, char *text,
			    size_t size)
{
	struct htmm_cpus cpus = {}, all = {};
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		if (channel->cpu >= HTMM_CPUS_MAX)
			continue;
		all.bits[channel->cpu / 64] |= 1ULL << channel->cpu % 64;
		if (channel->event == event)
			cpus.bits[channel->cpu / 64] |= 1ULL << channel->cpu % 64;
	}
	*text = '\0';
	for (i = 0; i < HTMM_CPUS_MAX && len < size; i++) {
		if (!htmm_cpus_has(&cpus, i))
			continue;
		if (!i || !htmm_cpus_has(&cpus, i - 1))
			len += snprintf(text + len, size - len, "%s%u", len ? "," : "", i);
		else if (!htmm_cpus_has(&cpus, i + 1))
			len += snprintf(text + len, size - len, "-%u", i);
	}
	return memcmp(&cpus, &all, sizeof(all));
}

void event_code_text(const struct htmm_event *event, char *text, size_t size)
{
	if (event->type == PERF_TYPE_RAW)
		snprintf(text, size, "r%llx", event->config);
	else if (event->type == PERF_TYPE_SOFTWARE || event->type == HTMM_TYPE_FEED)
		snprintf(text, size, "%s", event->type == HTMM_TYPE_FEED ? "fed" : "software");
	else
		snprintf(text, size, "type %u", event->type);
}

const char *capacity_words(char text[CAPACITY_WORDS], __u64 pages)
{
	const __u64 bytes = pages << HTMM_PAGE_SHIFT;
	struct htmm_tiers tiers;
	char size[SIZE_TEXT];
	bool all = !htmm_tiers_read(&tiers, NULL, NULL) && bytes >= tiers.total_bytes;

	snprintf(text, CAPACITY_WORDS, "%llu pages (%s)%s", pages, size_text(size, bytes),
		 all ? ": all memory, so every page fits; see --capacity" : "");
	return text;
}

/**
 * struct limits - the kernel's limits on sampling
 * @rate: samples per second of an event on a CPU; -1: unknown
 * @percent: CPU time that perf's interrupts may take before the kernel lowers @rate by itself;
 *	0 or 100: it never does; -1: unknown
 */
struct limits {
	long rate;
	long percent;
};

static struct limits read_limits(void)
{
	struct limits limits = { -1, -1 };
	char text[32];

	if (!htmm_read_line(text, sizeof(text), SYSCTL MAX_RATE))
		limits.rate = strtol(text, NULL, 10);
	if (!htmm_read_line(text, sizeof(text), SYSCTL CPU_PERCENT))
		limits.percent = strtol(text, NULL, 10);
	return limits;
}

/* Does the kernel lower the rate when sampling takes too long? */
static bool limited_by_time(const struct limits *limits)
{
	return limits->percent != 0 && limits->percent != 100;
}

/* Says that the kernel throttled, and how to avoid it; empty if it did not. */
static void throttle_words(const struct htmm_stats_buf *stats, const struct limits *limits,
			   char *text, size_t size)
{
	const struct htmm_stats *s = &stats->stats;
	unsigned int i, channels = 0;
	char percent[64] = "";

	text[0] = '\0';
	if (!s->total.throttled)
		return;
	for (i = 0; i < s->nr_channels; i++)
		channels += !!stats->channels[i].counters.throttled;
	/* The kernel refuses to set the rate if it never lowers the rate by itself. */
	if (!limited_by_time(limits))
		snprintf(percent, sizeof(percent), "kernel." CPU_PERCENT "=%d ", DEFAULT_PERCENT);
	/*
	 * A throttled event does not count what it misses, so the rate needed is unknown. Suggest
	 * the kernel's default, or twice the present value if that is not lower.
	 */
	snprintf(text, size,
		 "the kernel throttled %u of %u channels, %llu times, and their samples were lost; "
		 "raise the period, or run: sysctl %skernel." MAX_RATE "=%ld", channels,
		 s->nr_channels, s->total.throttled, percent,
		 limits->rate < DEFAULT_RATE ? DEFAULT_RATE : 2 * limits->rate);
}

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
			   const struct limits *limits)
{
	const __u64 failed = stats->stats.stats[HTMM_STAT_CPUS_FAILED];
	char text[256];

	if (any_large_pebs(stats))
		print_warning(file, "large PEBS is on, which loses samples; please report this");
	if (any_multiplexed(stats))
		print_warning(file,
			      "events shared the PMU with others and missed some of the time; use fewer events");
	throttle_words(stats, limits, text, sizeof(text));
	if (*text)
		print_warning(file, text);
	if (stats->stats.total.drops[HTMM_DROP_RING_FULL])
		print_warning(file, "rings overflowed; raise -m or the period");
	if (stats->stats.total.drops[HTMM_DROP_TABLE_FULL])
		print_warning(file, "the hot-page table is full; raise -o max-bytes");
	if (stats->stats.total.drops[HTMM_DROP_SPACES_FULL])
		print_warning(file, "there are too many processes; raise -o max-bytes");
	if (failed) {
		snprintf(text, sizeof(text),
			 "a CPU came online and could not be sampled, %llu time%s; dmesg says why; htmm tries again when the CPU comes back",
			 failed, failed == 1 ? "" : "s");
		print_warning(file, text);
	}
}

static void print_event(FILE *file, const struct htmm_info *info,
			const struct htmm_stats_buf *stats, unsigned int number)
{
	const struct htmm_event *event = &stats->events[number];
	struct event_mode mode = event_mode(stats, number);
	char code[32], period[64], cpus[128];

	event_code_text(event, code, sizeof(code));
	event_period_text(&mode, period, sizeof(period));
	fputs("event     ", file);
	out_name(file, event->name);
	if (strcmp(event->name, code))
		fprintf(file, " (%s)", code);
	fprintf(file, ": every %s, precise %u", period, mode.precise_ip);
	if (mode.precise_ip != event->precise_ip)
		fprintf(file, " (%u asked for)", event->precise_ip);
	if (event->min_level)
		fprintf(file, ", min-level %s", htmm_level_name(event->min_level));
	fprintf(file, ", large PEBS %s", mode.large_pebs ? "on" : "off");
	if (info->state == HTMM_STATE_RUNNING)
		fprintf(file, ", on %u CPU%s", mode.active, mode.active == 1 ? "" : "s");
	if (event_cpus_text(stats, number, cpus, sizeof(cpus)))
		fprintf(file, ", of CPUs %s", cpus);
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

void status_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		  const struct htmm_target_list *targets)
{
	const bool keeps = info->session_flags & HTMM_START_KEEP_EXITED;
	char text[CAPACITY_WORDS], table[SIZE_TEXT], most[SIZE_TEXT], rings[SIZE_TEXT];
	const struct htmm_counters *total = &stats->stats.total;
	const struct limits limits = read_limits();
	unsigned int i;

	if (info->state == HTMM_STATE_IDLE) {
		fputs("idle: no session; start one with 'htmmctl start' or 'htmmctl run'\n", file);
		return;
	}
	fprintf(file, "session   %llu, %s, %.1f s, started by pid %u%s%s\n", info->session,
		session_state(info), (double)info->elapsed_ns / 1e9, info->owner,
		info->session_flags & HTMM_START_DETACHED ? ", detached" : "",
		keeps ? ", keeps exited processes" : "");
	print_targets(file, info, targets);
	for (i = 0; i < stats->stats.nr_events; i++)
		print_event(file, info, stats, i);
	if (!counts_compare(info, stats, text, sizeof(text)))
		fprintf(file, "weights   none: %s\n", text);
	else if (info->session_flags & HTMM_START_WEIGHT_PERIOD)
		fputs("weights   a sample counts as much as its period\n", file);
	fprintf(file, "samples   %llu counted, %llu filtered, %llu lost, %llu in flight\n",
		total->counted, htmm_counters_filtered(total), htmm_counters_lost(total),
		total->in_flight);
	fprintf(file, "cost      %.2f%% of CPU time, ", stats->stats.cost_ppm / 1e4);
	if (info->session_flags & HTMM_START_BUDGET)
		fprintf(file, "budget %.2f%%: periods change%s\n", info->budget_ppm / 1e4,
			total->throttled ?
			", but none gets shorter while the kernel throttles" : "");
	else
		fputs("no budget\n", file);
	fprintf(file, "capacity  %s\n", capacity_words(text, info->capacity_pages));
	if (info->cooling_period)
		fprintf(file, "cooling   every %llu samples", info->cooling_period);
	else
		fprintf(file, "cooling   every 4 samples of each page, at least 2000000%s",
			keeps ? "" : ", and when others become hot");
	fprintf(file, ", thresholds every %llu\n", info->adaptation_period);
	fprintf(file, "memory    table %s of %s, rings %s (%u pages each)\n",
		size_text(table, info->table_bytes), size_text(most, info->max_bytes),
		size_text(rings, info->ring_bytes), info->ring_pages);
	if (limits.rate >= 0)
		fprintf(file, "limits    %ld samples/s of an event on a CPU, ", limits.rate);
	if (limits.rate >= 0 && limited_by_time(&limits))
		fprintf(file, "%ld%% of its time\n", limits.percent);
	else if (limits.rate >= 0)
		fputs("any part of its time\n", file);
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
	json_add_name(obj, "min_level", htmm_level_name(event->min_level));
}

static struct json_object *events_json(const struct htmm_stats_buf *stats)
{
	struct json_object *events = json_object_new_array();
	char cpus[128];
	unsigned int i;

	for (i = 0; i < stats->stats.nr_events; i++) {
		struct json_object *event = json_object_new_object();
		struct event_mode mode = event_mode(stats, i);

		event_json(event, &stats->events[i]);
		json_add_u64(event, "precise_ip_granted", mode.precise_ip);
		json_add_u64(event, "period_min", mode.period_min);
		json_add_u64(event, "period_max", mode.period_max);
		json_add_u64(event, "active_cpus", mode.active);
		event_cpus_text(stats, i, cpus, sizeof(cpus));
		json_add_name(event, "cpus", cpus);
		json_add_bool(event, "large_pebs", mode.large_pebs);
		json_object_array_add(events, event);
	}
	return events;
}

struct json_object *status_json(const struct htmm_info *info, const struct htmm_stats_buf *stats)
{
	struct json_object *obj = session_json(info, stats);
	__s64 budget = info->session_flags & HTMM_START_BUDGET ? info->budget_ppm : -1LL;
	const struct limits limits = read_limits();
	char text[256];

	json_add_name(obj, "state", htmm_state_name(info->state));
	fields_json(obj, info_fields, info);
	json_add(obj, "budget_ppm", json_object_new_int64(budget));
	json_add_u64(obj, "cost_ppm", stats->stats.cost_ppm);
	json_add(obj, "events", events_json(stats));
	json_add_u64(obj, "cpus_failed", stats->stats.stats[HTMM_STAT_CPUS_FAILED]);
	json_add_bool(obj, "large_pebs", any_large_pebs(stats));
	json_add_bool(obj, "multiplexed", any_multiplexed(stats));
	json_add_bool(obj, "throttled", stats->stats.total.throttled);
	throttle_words(stats, &limits, text, sizeof(text));
	json_add_name(obj, "throttle_advice", text);
	json_add(obj, "max_sample_rate", json_object_new_int64(limits.rate));
	json_add(obj, "cpu_time_max_percent", json_object_new_int64(limits.percent));
	return obj;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const bool *json = arg;
	struct results res = {};
	int ret = htmm_device_info(fd, &res.info, err);

	if (!ret && res.info.state != HTMM_STATE_IDLE) {
		ret = htmm_device_stats(fd, &res.stats, err);
		if (!ret)
			ret = htmm_device_targets(fd, &res.targets, err);
		if (!ret)
			ret = session_is(res.info.session, fd, err);
	}
	if (ret)
		;
	else if (*json)
		json_print(stdout, status_json(&res.info, &res.stats));
	else
		status_print(stdout, &res.info, &res.stats, &res.targets);
	results_free(&res);
	return ret;
}

static int run_status(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	const struct opt opts[] = { OPT_JSON(&json), { OPT_END } };

	return simple_cmd(cmd, argc, argv, opts, show, &json);
}

const struct command cmd_status = {
	.name = "status",
	.synopsis = "[options]",
	.summary = "show what is being sampled, and any problems",
	.help = "Shows the state of the session: what it samples, how, and any problems.",
	.run = run_status,
};
