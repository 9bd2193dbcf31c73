// SPDX-License-Identifier: GPL-2.0
/* The command `log`: what the session does over time, as lines of JSON. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "htmmctl/command.h"
#include "htmmctl/view.h"
#include "htmmctl/options.h"
#include "htmmctl/output.h"
#include "htmmctl/placement.h"
#include "htmmctl/served.h"
#include "htmmctl/signals.h"
#include "mark/marks.h"

#define INTERVAL_MS	1000

/**
 * struct known - what was measured of a target when the last line was written
 * @target: its number
 * @tiers: loads by tier
 */
struct known {
	__u32 target;
	struct tier_sums tiers;
};

/**
 * struct log - the options and the state of log
 * @interval_ms: time between two lines
 * @lines: how many lines to write; 0: no end
 * @path: file to write; NULL: stdout
 * @no_placement: do not ask where pages are
 * @file: where the lines go
 * @marks: the session and its marks
 * @known: of all targets together and of each, as of the last line
 * @nr_known: how many there are in @known
 */
struct log {
	unsigned int interval_ms;
	__s64 lines;
	const char *path;
	bool no_placement;
	FILE *file;
	struct marks marks;
	struct known known[HTMM_MAX_TARGETS + 1];
	unsigned int nr_known;
};

static void add_time(struct json_object *obj)
{
	json_add_u64(obj, "time_ns", clock_ns(CLOCK_REALTIME));
}

static void add_counters(struct json_object *obj, const struct htmm_stats_buf *stats)
{
	const struct htmm_counters *total = &stats->stats.total;
	struct json_object *losses = json_object_new_object();
	unsigned int i;

	json_add_u64(obj, "counted", total->counted);
	json_add_u64(obj, "filtered", htmm_counters_filtered(total));
	json_add_u64(obj, "lost", htmm_counters_lost(total));
	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (!(HTMM_DROPS_UNWANTED >> i & 1))
			json_add_u64(losses, htmm_drop_name(i), total->drops[i]);
	json_add(obj, "losses", losses);
	json_add_u64(obj, "throttled", total->throttled);
	json_add_u64(obj, "cost_ppm", stats->stats.cost_ppm);
	json_add_u64(obj, "drain_ns", stats->stats.stats[HTMM_STAT_DRAIN_NS]);
	json_add_u64(obj, "handler_ns", stats->stats.stats[HTMM_STAT_HANDLER_NS]);
	json_add_u64(obj, "coolings", stats->stats.stats[HTMM_STAT_COOLINGS]);
	json_add_u64(obj, "evicted", stats->stats.stats[HTMM_STAT_EVICTED]);
}

/* Without placement, only what the best one would reach. */
static int add_placement(struct log *log, int fd, struct json_object *obj, __u32 target,
			 struct htmm_error *err)
{
	struct placement placement = { .target = target };
	int ret;

	if (log->no_placement)
		ret = htmm_target_hit_ratio(fd, target, HTMM_UNIT_PAGE, 0, &placement.best, err);
	else
		ret = placement_read(fd, target, &placement, err);
	if (ret == -EPERM && !log->no_placement) {
		notice("%s: %s", err->what, err->todo);
		log->no_placement = true;
		return add_placement(log, fd, obj, target, err);
	}
	if (!ret && log->no_placement)
		ret = hit_read(&placement.hit, fd, &placement.best, NULL, err);
	if (ret)
		return ret;
	placement_json(obj, &placement, false);
	htmm_placement_free(&placement.where);
	return 0;
}

/* What was measured of a target since the last line, or since its start or reset. */
static struct tier_sums since(struct log *log, __u32 target, const struct tier_sums *now)
{
	struct tier_sums tiers = *now;
	struct known *known = log->known, *end = known + log->nr_known;

	while (known < end && known->target != target)
		known++;
	if (known < end && known->tiers.fast <= now->fast && known->tiers.slow <= now->slow) {
		tiers.fast -= known->tiers.fast;
		tiers.slow -= known->tiers.slow;
	}
	if (known == log->known + HTMM_MAX_TARGETS + 1) {
		/* Many targets have come and gone. */
		known = log->known;
		log->nr_known = 0;
	}
	if (known == log->known + log->nr_known)
		log->nr_known++;
	*known = (struct known) { .target = target, .tiers = *now };
	return tiers;
}

/* The fast tier's hit ratio since the last line, by what served the samples. */
static int add_measured(struct log *log, int fd, struct json_object *obj, __u32 target,
			const struct htmm_info *info, const struct htmm_stats_buf *stats,
			struct htmm_error *err)
{
	struct tier_sums tiers;
	struct served served;
	__u32 ppm;
	int ret;

	if (!served_known(info))
		return 0;
	ret = served_read_target(&served, fd, info, stats, target, err);
	if (ret)
		return ret;
	json_add(obj, "served", served_json(&served, stats));
	tiers = since(log, target, &served.tiers);
	json_add(obj, "measured_hit_ratio_ppm",
		 served_ratio(&tiers, &ppm) ? json_object_new_uint64(ppm) : NULL);
	htmm_served_free(&served.buf);
	return 0;
}

/* @target: NULL: all of them together. */
static int add_target(struct log *log, int fd, struct json_object *array,
		      const struct htmm_target_info *target, const struct htmm_info *info,
		      const struct htmm_stats_buf *stats, struct htmm_error *err)
{
	const __u32 number = target ? target->number : 0;
	struct json_object *obj;
	struct htmm_histogram hist;
	int ret = htmm_target_hist(fd, number, HTMM_UNIT_PAGE, &hist, err);

	if (ret)
		return ret;
	obj = json_object_new_object();
	ret = add_placement(log, fd, obj, number, err);
	if (!ret)
		ret = add_measured(log, fd, obj, number, info, stats, err);
	if (ret) {
		json_object_put(obj);
		return ret;
	}
	json_add_name(obj, "type", target ? htmm_target_type_name(target->type) : "together");
	json_add_name(obj, "name", target ? target->name : "");
	json_add_u64(obj, "id", target ? target->id : 0);
	json_add_u64(obj, "samples", hist.samples);
	json_add_u64(obj, "pages", hist.pages);
	json_add_u64(obj, "hot_pages", hist.hot_pages);
	json_add_u64(obj, "hot_threshold", hist.hot_threshold);
	json_add_u64(obj, "warm_threshold", hist.warm_threshold);
	json_object_array_add(array, obj);
	return 0;
}

static int add_targets(struct log *log, int fd, struct json_object *line,
		       const struct htmm_info *info, const struct htmm_stats_buf *stats,
		       struct htmm_error *err)
{
	struct json_object *array = json_object_new_array();
	struct htmm_target_list targets;
	size_t i;
	int ret = htmm_device_targets(fd, &targets, err);

	json_add(line, "targets", array);
	if (ret)
		return ret;
	if (targets.nr != 1)
		ret = add_target(log, fd, array, NULL, info, stats, err);
	for (i = 0; i < targets.nr && !ret; i++) {
		ret = add_target(log, fd, array, &targets.target[i], info, stats, err);
		/* It may have been removed meanwhile. */
		if (ret == -ENOENT)
			ret = 0;
	}
	htmm_targets_free(&targets);
	return ret;
}

/*
 * The marks since the last line. Those of an earlier session of this number are left out; the
 * clocks differ by less than a thousandth.
 */
static struct json_object *marks_json(struct log *log, const struct htmm_info *info,
				      const struct htmm_stats_buf *stats)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);
	const __u64 age = info->elapsed_ns + stats->stats.stats[HTMM_STAT_PAUSED_NS];
	struct json_object *array = json_object_new_array(), *obj;
	struct mark *mark;
	size_t i, nr;

	if (!log->marks.taken)
		log->marks.since = now > age + age / 1000 ? now - age - age / 1000 : 0;
	nr = marks_take(&log->marks, &mark);
	for (i = 0; i < nr; i++) {
		obj = json_object_new_object();
		json_add_u64(obj, "time_ns", real - (now - mark[i].time));
		json_add_name(obj, "text", mark[i].text);
		json_object_array_add(array, obj);
	}
	free(mark);
	return array;
}

static int write_line(struct log *log, int fd, const struct htmm_info *info,
		      struct htmm_error *err)
{
	struct htmm_stats_buf stats;
	struct json_object *line;
	int ret = htmm_device_stats(fd, &stats, err);

	if (ret)
		return ret;
	line = session_json(info, &stats);
	add_time(line);
	json_add_name(line, "state", htmm_state_name(info->state));
	json_add_bool(line, "paused", info->session_flags & HTMM_START_PAUSED);
	json_add_u64(line, "elapsed_ns", info->elapsed_ns);
	json_add_u64(line, "paused_ns", stats.stats.stats[HTMM_STAT_PAUSED_NS]);
	json_add_u64(line, "table_bytes", info->table_bytes);
	add_counters(line, &stats);
	json_add(line, "marks", marks_json(log, info, &stats));
	ret = add_targets(log, fd, line, info, &stats, err);
	htmm_stats_free(&stats);
	if (ret) {
		json_object_put(line);
		return ret;
	}
	json_print(log->file, line);
	if (fflush(log->file))
		return htmm_error_set(err, errno, NULL, "cannot write the log: %s",
				      strerror(errno));
	return 0;
}

/* Until the session ends, a signal comes, or there are enough lines. */
static int write_lines(struct log *log, int fd, struct htmm_error *err)
{
	struct signals signals;
	struct htmm_info info;
	siginfo_t came;
	__s64 line = 0;
	int ret;

	signals_block(&signals);
	do {
		ret = htmm_device_info(fd, &info, err);
		if (ret || (line && info.session != log->marks.session))
			break;
		log->marks.session = info.session;
		if (!line && log->path)
			out_begin(log->file);
		ret = write_line(log, fd, &info, err);
		if (ret || info.state != HTMM_STATE_RUNNING)
			break;
	} while (++line != log->lines && !signals_wait(&signals, log->interval_ms, &came));
	signals_restore(&signals);
	/* Sessions end. */
	return line && ret == -ENODATA ? 0 : ret;
}

static int write_log(struct log *log, struct htmm_error *err)
{
	int fd = htmm_device_open(NULL, err), ret;

	if (fd < 0)
		return fd;
	if (!placement_known(fd))
		log->no_placement = true;
	log->file = log->path ? out_open(log->path) : stdout;
	if (log->file)
		ret = write_lines(log, fd, err);
	else
		ret = htmm_error_set(err, errno, "choose another file with -o",
				     "cannot write '%s': %s", log->path, strerror(errno));
	if (log->path && log->file && out_close(log->file, "the log", ret ? NULL : err) && !ret)
		ret = -err->code;
	close(fd);
	return ret;
}

static int run_log(const struct command *cmd, int argc, char **argv)
{
	struct log log = { .interval_ms = INTERVAL_MS };
	const struct opt opts[] = {
		{ OPT_SECONDS, 'i', "interval", "SECONDS", "time between two lines (1)",
		  &log.interval_ms, 100, 3600000 },
		{ OPT_NUMBER, 'n', "number", "N", "lines to write, 0: no limit (0)",
		  &log.lines, 0, LONG_MAX },
		{ OPT_TEXT, 'o', "output", "FILE", "write to FILE instead of stdout", &log.path },
		{ OPT_FLAG, 0, "no-placement", NULL, "do not read on which nodes pages are",
		  &log.no_placement },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int ret = opts_parse(cmd, argc, argv, tables, NULL);

	if (ret != OPTS_GO_ON)
		return ret;
	return write_log(&log, &err) ? print_error(&err) : EXIT_OK;
}

static const struct command cmd_log = {
	.name = "log",
	.synopsis = "[options]",
	.help = "Writes lines of JSON while the session runs: thresholds, hot pages, hit ratios,\n"
		"by target and node, cost and losses.  'htmmctl report -i FILE' prints the log.",
	.run = run_log,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_log, argc, argv);
}
