// SPDX-License-Identifier: GPL-2.0
/* The command `tier`: moves hot pages to the fast tier, and cold ones out of it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "htmmctl/child.h"
#include "htmmctl/clock.h"
#include "htmmctl/output.h"
#include "metrics/metrics.h"
#include "children.h"
#include "log.h"
#include "prometheus.h"
#include "shares.h"
#include "slice.h"
#include "tier.h"

/* Between two lists of regions. */
#define LEAST_WAIT_MS	50
#define MOST_WAIT_MS	10000
#define PERIOD		127
/* Of IBS, which takes only multiples of 16. */
#define PERIOD_IBS	128
/* Most pages to list at a look, if all are listed: 256 MiB. */
#define LIST_PAGES	65536
/* What moving a page takes, until it was measured. */
#define COPY_NS		5000
/* Prometheus does not read metrics more often. */
#define METRICS_MS	1000

/**
 * struct tiering - the options and the state of tier
 * @session: what to sample
 * @child: the command and its children
 * @tier: the loop
 * @looks: looks to take; 0: no end
 * @interval_ms: longest time between two; 0: as they cost
 * @rate: bytes to move in a second
 * @plan: only print what would be moved
 * @json: as JSON
 * @shares: how targets share the fast tier
 * @children: the children of its targets
 * @look_due: when to look again, in milliseconds
 * @path: the log file, or NULL
 * @log: the log file, or NULL
 * @log_failed: it could not be written
 * @metrics: the file for Prometheus, or NULL
 * @metrics_due: when it is written again, in milliseconds
 * @metrics_failed: it could not be written
 * @over: someone else has stopped the session, while the command goes on
 */
struct tiering {
	struct session session;
	struct child child;
	struct tier tier;
	__s64 looks;
	__u32 interval_ms;
	__s64 rate;
	bool plan;
	bool json;
	struct shares shares;
	struct children children;
	__u64 look_due;
	const char *path;
	FILE *log;
	bool log_failed;
	const char *metrics;
	__u64 metrics_due;
	bool metrics_failed;
	bool over;
};

static int call_nodes(void *value, const char *text, struct htmm_error *err)
{
	if (!htmm_cpus_parse(value, text, NULL))
		return 0;
	return htmm_error_set(err, EINVAL, "give node numbers and ranges, such as 0 or 2-3",
			      "'%s' is not a list of nodes", text);
}

static int call_without(void *value, const char *text, struct htmm_error *err)
{
	int rule = opt_word(policy_rule_names, POLICY_NR_RULES, text, "there is no rule", err);

	if (rule >= 0)
		*(__u32 *)value |= 1U << rule;
	return rule < 0 ? rule : 0;
}

/* A page that is in memory has no more faults, however hot it is. */
static void warn_of_events(const struct htmm_event_list *events)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++)
		if (events->event[i].type != PERF_TYPE_SOFTWARE)
			return;
	notice("%s does not show what is hot: few pages will be promoted",
	       events->event[0].name);
}

/* Sets events and periods. A period or budget that the user gives is kept. */
static int finish_session(struct session *session, struct policy_config *config,
			  struct htmm_error *err)
{
	bool given = session->period;
	unsigned int i;

	if (given || session->start.flags & HTMM_START_BUDGET)
		config->off |= 1U << POLICY_THIN;
	if (!given)
		session->period = PERIOD;
	if (session_finish(session, err))
		return advise(err, ENOENT, "see 'htmmctl doctor'");
	for (i = 0; i < session->events.nr && !given; i++) {
		struct htmm_event *event = &session->events.event[i];

		if (event->type > PERF_TYPE_RAW && event->period == PERIOD)
			event->period = PERIOD_IBS;
	}
	return 0;
}

static __u64 smallest_period(const struct htmm_event_list *events)
{
	__u64 period = events->event[0].period;
	unsigned int i;

	for (i = 1; i < events->nr; i++)
		if (events->event[i].period < period)
			period = events->event[i].period;
	return period;
}

/* Other programs that move pages between the tiers would undo what is done here. */
static void warn_of_others(void)
{
	FILE *file = fopen("/proc/sys/kernel/numa_balancing", "re");
	int mode = 0;

	if (file && fscanf(file, "%d", &mode) == 1 && mode)
		notice("kernel.numa_balancing is %d and may undo the moves: turn it off",
		       mode);
	if (file)
		fclose(file);
}

static int start(struct tiering *all, struct htmm_error *err)
{
	struct tier *tier = &all->tier;
	struct htmm_info info;
	int ret;

	tier->capacity = all->session.start.capacity_pages;
	ret = child_join(&all->child, &all->session, err);
	if (!ret)
		ret = shares_make_groups(&all->shares, tier, all->session.start.nr_targets, err);
	if (ret)
		return ret;
	/* A target with a share of its own has it for itself. */
	all->session.follows = !tier->groups[0].target;
	tier->cooling_period = all->session.start.cooling_period;
	/* See tier_cool(). */
	all->session.start.cooling_period = LLONG_MAX;
	ret = finish_session(&all->session, &tier->config, err);
	if (ret)
		return ret;
	tier->events = &all->session.events;
	tier->period = smallest_period(tier->events);
	if (session_start(&all->session, tier->fd, 0, err))
		return advise(err, ENOENT, "see 'htmmctl doctor'");
	ret = htmm_device_info(tier->fd, &info, err);
	if (ret)
		return ret;
	if (!(info.features & HTMM_FEATURE_PLACEMENT))
		return htmm_error_set(err, EOPNOTSUPP, "see 'htmmctl doctor'",
				      "the module cannot tell where pages are");
	warn_of_events(tier->events);
	tier->session = info.session;
	tier->session_capacity = info.capacity_pages;
	tier->config.gap_ns = tiers_gap_ns(&tier->tiers);
	tier->config.copy_ns = COPY_NS;
	tier->config.cpus = info.nr_cpus;
	tier->config.rate_pages = all->rate >> HTMM_PAGE_SHIFT;
	tier->list_pages = LIST_PAGES;
	tier->config.dry = all->plan;
	return tier_open(tier, err);
}

/* Without its log the loop goes on: what it moves matters more. */
static void end_log(struct tiering *all, const struct htmm_error *err)
{
	notice("%s; it ends here", err->what);
	fclose(all->log);
	all->log = NULL;
	all->log_failed = true;
}

static void write_metrics(struct tiering *all)
{
	struct htmm_error err;
	const __u64 now = now_ms();

	if (!all->metrics || now < all->metrics_due)
		return;
	all->metrics_due = now + METRICS_MS;
	if (metrics_replace(all->metrics, prometheus_write, &all->tier, &err) &&
	    !all->metrics_failed) {
		notice("%s", err.what);
		all->metrics_failed = true;
	}
}

static int take_look(struct tiering *all, struct htmm_error *err)
{
	int ret;

	ret = tier_look(&all->tier, err);
	if (ret)
		return ret;
	if (all->plan && (all->json ? log_plan_json : log_plan)(stdout, &all->tier, err))
		return -err->code;
	tier_move(&all->tier);
	tier_cool(&all->tier);
	if (all->log && log_look(all->log, &all->tier, err))
		end_log(all, err);
	write_metrics(all);
	tier_sample(&all->tier);
	return 0;
}

/* Until the next look, or until children are looked for. */
static int wait_ms(const struct tiering *all)
{
	const __u64 now = now_ms();
	__u64 due = all->look_due;

	if (all->session.follows && all->children.due < due)
		due = all->children.due;
	return due < now ? 0 : fmin(due - now, MOST_WAIT_MS);
}

/* The first one comes soon. */
static void look_later(struct tiering *all)
{
	all->look_due = now_ms() + fmin(fmax(1000 * all->tier.wait, LEAST_WAIT_MS), MOST_WAIT_MS);
}

/*
 * Waits until the next look. Returns false when it is time to end. The terminal sends its
 * signals to the command as well; those sent only to this process are forwarded.
 */
static bool wait_for_look(const struct tiering *all, pid_t child, const struct signals *signals,
			  int *status)
{
	siginfo_t info;
	int which = signals_wait(signals, wait_ms(all), &info);

	if (child && waitpid(child, status, WNOHANG) == child)
		return false;
	if (!child)
		return !which || which == SIGCHLD;
	if (which && which != SIGCHLD && info.si_code <= 0)
		kill(child, which);
	return true;
}

/* After most errors of one look the next one may succeed; and a command goes on without looks. */
static bool may_go_on(int ret, bool child)
{
	switch (-ret) {
	case 0:
	case EINTR:
	case ESTALE:
	case ENOMEM:
	case ENOENT:
		return true;
	case ESHUTDOWN:
	case ESRCH:
		return child;
	}
	return false;
}

static int loop(struct tiering *all, pid_t child, const struct signals *signals, int *status,
		struct htmm_error *err)
{
	__s64 failed = 0;
	int ret;

	look_later(all);
	while (wait_for_look(all, child, signals, status)) {
		if (all->session.follows)
			children_add(&all->children, all->tier.fd, all->tier.session);
		if (now_ms() < all->look_due)
			continue;
		ret = take_look(all, err);
		look_later(all);
		if (ret == -ESRCH && !child) {
			notice("%s", err->what);
			return 0;
		}
		if (ret == -ESHUTDOWN && child && !all->over) {
			print_error(err);
			all->over = true;
		}
		if (!may_go_on(ret, child))
			return ret;
		failed += ret < 0;
		if (all->looks && failed + (__s64)all->tier.looks >= all->looks && !child)
			return 0;
	}
	return 0;
}

static int tier_with(struct tiering *all, char **argv, struct htmm_error *err)
{
	struct child *child = &all->child;
	struct signals signals;
	int ret, error, status = 0;

	signals_block(&signals);
	ret = *argv ? child_fork(child, argv, &signals, err) : 0;
	if (ret)
		return print_error(err);
	/* If nobody reads the plan any more, end as after any other error. */
	signal(SIGPIPE, SIG_IGN);
	ret = start(all, err);
	if (ret) {
		if (*argv)
			child_abandon(child);
		return print_error(err);
	}
	/* An earlier session that was killed has left its numbers. */
	if (all->metrics)
		metrics_remove(all->metrics);
	error = *argv ? child_begin(child) : 0;
	if (error)
		return child_not_executed(child, *argv, error);
	if (all->log)
		out_begin(all->log);
	if (*argv && !(child->alone.code && all->session.follows))
		child_report(child);
	signals_ready();
	/* A child would inherit it, but the program was forked before. */
	slice_ask();
	ret = loop(all, child->pid, &signals, &status, err);
	if (ret)
		print_error(err);
	tier_end(&all->tier);
	if (!verbosity.quiet)
		log_sums(stderr, &all->tier);
	/* Without a loop the command goes on as it would without this program. */
	all->session.follows = false;
	all->look_due = UINT64_MAX;
	while (ret && child->pid && wait_for_look(all, child->pid, &signals, &status))
		;
	status = child->pid ? child_status(status) : EXIT_OK;
	if (status != EXIT_OK)
		return status;
	return ret || all->over ? EXIT_FAILED : EXIT_OK;
}

/* Some options of a session have other defaults here. */
static void set_help(struct opt *opts, const char *name, const char *help)
{
	while (strcmp(opts->name, name))
		opts++;
	opts->help = help;
}

/* What of the fast tier can be shared. */
static __u64 fast_pages(const struct tiering *all)
{
	const __u64 pages = tiers_pages(&all->tier.tiers.fast);
	const __u64 most = all->session.start.capacity_pages;

	return most && (most < pages || !pages) ? most : pages;
}

static int open_log(struct tiering *all, struct htmm_error *err)
{
	if (!all->path)
		return 0;
	all->log = out_open(all->path);
	return all->log ? 0 : htmm_error_set(err, errno, "choose another file with --log",
					     "cannot write '%s': %s", all->path, strerror(errno));
}

static int run_tier(const struct command *cmd, int argc, char **argv)
{
	static struct tiering all;
	struct tier *tier = &all.tier;
	struct opt session[SESSION_OPTS];
	const struct opt opts[] = {
		{ OPT_CALL, 0, "fast", "NODES", "nodes of the fast tier (the kernel's first)",
		  &tier->tiers.fast, .call = call_nodes },
		{ OPT_CALL, 0, "slow", "NODES", "nodes of the slow tier (all others)",
		  &tier->tiers.slow, .call = call_nodes },
		{ OPT_SECONDS, 'i', "interval", "SECONDS",
		  "longest time between two looks (as they cost)", &all.interval_ms,
		  50, 3600000 },
		{ OPT_NUMBER, 'n', "number", "N", "looks to take, 0: no limit (0)",
		  &all.looks, 0, LONG_MAX, .rare = true },
		{ OPT_SIZE, 0, "rate", "SIZE", "most to move in a second (no limit)",
		  &all.rate, 4096, LLONG_MAX, .rare = true },
		{ OPT_FLAG, 0, "plan", NULL, "only print what would move, and why; also --json",
		  &all.plan },
		{ OPT_FLAG, 0, "json", NULL, "with --plan: print JSON", &all.json, .rare = true },
		{ OPT_TEXT, 0, "log", "FILE", "write a line of JSON for each look", &all.path },
		{ OPT_TEXT, 0, "metrics", "FILE", "keep metrics for Prometheus in FILE",
		  &all.metrics },
		{ OPT_CALL, 0, "share", "HOW", "among targets: profit, equal, 3:1, CGROUP=SIZE",
		  &all.shares, .call = shares_add },
		{ OPT_FLAG, 0, "shared", NULL, "move pages that several processes map, too",
		  &tier->mover.shared, .rare = true },
		{ OPT_FLAG, 0, "bound", NULL, "move pages that a policy binds to nodes, too",
		  &tier->mover.bound, .rare = true },
		{ OPT_LIST, 0, "without", "RULE,...", "leave rules of the policy out",
		  &tier->config.off, .call = call_without, .rare = true },
		{ OPT_END },
	};
	const struct opt *const tables[] = { session, opts, NULL };
	struct htmm_error err = {};
	int ret, rest;

	session_opts(&all.session, session);
	set_help(session, "capacity", "fast tier: 512M, 4G, 1000p (all that is free)");
	set_help(session, "pid", "only these processes, and their children");
	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	tier->interval = all.interval_ms / 1e3;
	if (shares_join(&all.shares, &all.session, &err))
		return print_error(&err);
	if (session_check(&all.session, &err))
		return usage_error(cmd, NULL, "%s", err.what);
	if (all.json && !all.plan)
		return usage_error(cmd, NULL, "--json is for --plan; what was moved is in --log");
	if (argv[rest] && all.looks)
		return usage_error(cmd, NULL,
				   "-n is for running processes; a program ends by itself");
	if (tiers_find(&tier->tiers, &err))
		return print_error(&err);
	if (shares_check(&all.shares, fast_pages(&all), &err)) {
		print_error(&err);
		return EXIT_USAGE;
	}
	if (open_log(&all, &err))
		return print_error(&err);
	warn_of_others();
	tier->fd = htmm_device_open(NULL, &err);
	if (tier->fd < 0)
		return print_error(&err);
	ret = tier_with(&all, argv + rest, &err);
	/* What has ended has no numbers. */
	if (all.metrics_due)
		metrics_remove(all.metrics);
	tier_close(tier);
	close(tier->fd);
	child_leave(&all.child);
	if (all.log && out_close(all.log, "the log", &err) && ret == EXIT_OK)
		ret = print_error(&err);
	return all.log_failed && ret == EXIT_OK ? EXIT_FAILED : ret;
}

static const struct command cmd_tier = {
	.name = "tier",
	.synopsis = "[options] [[--] PROGRAM...]",
	.help = "Samples PROGRAM and all its children, as run does; without one, all processes\n"
		"(or those of -p or --cgroup).  Moves their hot pages to the fast tier of memory,\n"
		"and cold ones out of it.  Pages stay where they are when it ends.",
	.run = run_tier,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_tier, argc, argv);
}
