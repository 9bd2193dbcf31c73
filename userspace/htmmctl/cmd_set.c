// SPDX-License-Identifier: GPL-2.0
/*
 * The command set: changes a capacity or a period of the running session, which keeps its
 * counts.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include "options.h"
#include "view.h"

#define PAGES_PER_MIB	256

/**
 * struct period - the argument of --period
 * @event: name of the event, not terminated; NULL: the only one
 * @len: bytes of the name
 * @period: the new period, in events; 0: not given
 */
struct period {
	const char *event;
	int len;
	__s64 period;
};

/**
 * struct set_cmd - the options of set
 * @capacity: bytes of the fast tier; 0: no change
 * @target: number of the target whose capacity changes; 0: the session's
 * @period: the new period and its event
 */
struct set_cmd {
	__s64 capacity;
	__s64 target;
	struct period period;
};

/* Reads [EVENT=]N; names of events may contain '=', too. */
static int call_period(void *value, const char *text, struct htmm_error *err)
{
	const char *equals = strrchr(text, '=');
	struct period *period = value;

	period->event = equals ? text : NULL;
	period->len = equals ? equals - text : 0;
	return htmm_parse_number(equals ? equals + 1 : text, 1, LLONG_MAX, &period->period, err);
}

static bool is_named(const struct htmm_event *event, const struct period *period)
{
	return (int)strlen(event->name) == period->len &&
	       !strncmp(event->name, period->event, period->len);
}

static int no_event(const struct htmm_stats_buf *stats, const struct period *period,
		    struct htmm_error *err)
{
	char names[HTMM_MAX_EVENTS * (HTMM_EVENT_NAME_LEN + 2) + 8] = "give one of";
	__u32 i;

	for (i = 0; i < stats->stats.nr_events && i < HTMM_MAX_EVENTS; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s %s",
			 i ? "," : "", stats->events[i].name);
	if (!period->event)
		return htmm_error_set(err, EINVAL, names,
				      "the session has %u events: say which, as in EVENT=%lld",
				      stats->stats.nr_events, period->period);
	return htmm_error_set(err, ENOENT, names, "the session has no event '%.*s'",
			      period->len, period->event);
}

/**
 * struct before - the values before a change
 * @capacity: of the session or the target, in pages
 * @name: the event whose period changes
 * @period: as shown by status
 */
struct before {
	__u64 capacity;
	char name[HTMM_EVENT_NAME_LEN];
	char period[64];
};

/* Finds the event, and its present period. */
static int read_period(int fd, const struct period *period, __u32 *event, struct before *before,
		       struct htmm_error *err)
{
	struct htmm_stats_buf stats;
	struct event_mode mode;
	int ret = htmm_device_stats(fd, &stats, err);
	__u32 i = 0, nr;

	if (ret)
		return ret;
	nr = stats.stats.nr_events;
	while (period->event && i < nr && !is_named(&stats.events[i], period))
		i++;
	if (i == nr || (!period->event && nr > 1)) {
		ret = no_event(&stats, period, err);
	} else {
		mode = event_mode(&stats, i);
		event_period_text(&mode, before->period, sizeof(before->period));
		snprintf(before->name, sizeof(before->name), "%s", stats.events[i].name);
		*event = i;
	}
	htmm_stats_free(&stats);
	return ret;
}

/* The module refuses a target that does not exist. */
static int read_capacity(int fd, __u32 number, struct before *before, struct htmm_error *err)
{
	struct htmm_target_list targets;
	struct htmm_info info;
	int ret = htmm_device_info(fd, &info, err);
	size_t i;

	before->capacity = ret ? 0 : info.capacity_pages;
	if (ret || !number || info.state == HTMM_STATE_IDLE)
		return ret;
	ret = htmm_device_targets(fd, &targets, err);
	if (ret)
		return ret;
	for (i = 0; i < targets.nr; i++)
		if (targets.target[i].number == number)
			before->capacity = targets.target[i].capacity_pages;
	htmm_targets_free(&targets);
	return 0;
}

static int set(int fd, void *args, struct htmm_error *err)
{
	const struct set_cmd *cmd = args;
	struct before before = {};
	struct htmm_set arg = {};
	int ret = 0;

	if (cmd->capacity) {
		arg.flags |= HTMM_SET_CAPACITY;
		arg.target = cmd->target;
		arg.capacity_pages = cmd->capacity >> HTMM_PAGE_SHIFT;
		ret = read_capacity(fd, cmd->target, &before, err);
	}
	if (!ret && cmd->period.period) {
		arg.flags |= HTMM_SET_PERIOD;
		arg.period = cmd->period.period;
		ret = read_period(fd, &cmd->period, &arg.event, &before, err);
	}
	if (!ret)
		ret = htmm_device_set(fd, &arg, err);
	if (ret || verbosity.quiet)
		return ret;
	if (arg.flags & HTMM_SET_CAPACITY) {
		printf("capacity");
		if (arg.target)
			printf(" of target %u", arg.target);
		printf(": %llu pages (%.1f MiB), was %llu (%.1f MiB)\n", arg.capacity_pages,
		       (double)arg.capacity_pages / PAGES_PER_MIB, before.capacity,
		       (double)before.capacity / PAGES_PER_MIB);
	}
	if (arg.flags & HTMM_SET_PERIOD) {
		printf("period of ");
		out_name(stdout, before.name);
		printf(": %llu, was %s\n", arg.period, before.period);
	}
	return 0;
}

static int run_set(const struct command *cmd, int argc, char **argv)
{
	struct set_cmd args = {};
	const struct opt opts[] = {
		{ OPT_SIZE, 0, "capacity", "SIZE", "fast tier: 512M, 4G, 1000p (4 KiB pages)",
		  &args.capacity, 4096, LLONG_MAX },
		{ OPT_NUMBER, 0, "target", "N", "capacity of target N alone, see 'target list'",
		  &args.target, 1, UINT_MAX },
		{ OPT_CALL, 0, "period", "[EVENT=]N", "events between samples, of one event",
		  &args.period, .call = call_period },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	int ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	if (!args.capacity && (args.target || !args.period.period))
		return usage_error(cmd, NULL, args.target ?
				   "--target is for --capacity: give both" :
				   "nothing to change: give --capacity, --period or both");
	return device_call(set, &args);
}

const struct command cmd_set = {
	.name = "set",
	.synopsis = "[options]",
	.summary = "change the capacity or a period, while sampling",
	.help = "Changes the capacity, a period, or both; if one is refused, nothing changes.\n"
		"The counts stay, and the hot threshold follows at once.  Without --target, it\n"
		"is the capacity of the session and of all targets that were added without one.\n"
		"With a budget, periods cannot be set.",
	.run = run_set,
};
