// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "session.h"
#include "signals.h"
#include "view.h"

/* Milliseconds between checks if a session in the foreground still runs. */
#define CHECK_MS	500

/**
 * struct start - the options of start
 * @session: what to sample
 * @keep_exited: keep the pages of processes that have exited
 * @foreground: stay until a signal comes
 * @json: print JSON
 */
struct start {
	struct session session;
	bool keep_exited;
	bool foreground;
	bool json;
};

/* Waits for a signal, or until someone else has stopped the session. */
static int wait_for_end(int fd, __u64 session, const struct signals *signals,
			struct htmm_error *err)
{
	struct htmm_info info;
	siginfo_t signal;
	int ret, which;

	do {
		do {
			which = signals_wait(signals, CHECK_MS, &signal);
		} while (which == SIGCHLD);
		ret = htmm_device_info(fd, &info, err);
	} while (!which && !ret && info.state == HTMM_STATE_RUNNING && info.session == session);
	signals_restore(signals);
	return ret;
}

static int stop_and_report(int fd, const struct start *start, struct htmm_error *err)
{
	struct results res = { .places = true };
	int ret = results_end(&res, &start->session, fd, HOT_PAGES_DEFAULT, err);

	if ((!ret || ret == -EALREADY) && (start->json || !verbosity.quiet))
		results_print(stdout, &res, start->json, -1);
	results_free(&res);
	return ret;
}

static void say_started(const struct start *start, const struct htmm_info *info)
{
	const struct htmm_event_list *list = &start->session.events;
	char capacity[CAPACITY_WORDS];
	unsigned int i;

	if (verbosity.quiet)
		return;
	printf("session %llu started:", info->session);
	for (i = 0; i < list->nr; i++)
		printf("%s %s every %llu", i ? "," : "", list->event[i].name,
		       list->event[i].period);
	printf("; %u CPU%s, ", info->nr_cpus, info->nr_cpus == 1 ? "" : "s");
	if (start->session.start.nr_targets)
		printf("%u target%s\n", info->nr_targets, info->nr_targets == 1 ? "" : "s");
	else
		printf("all processes\n");
	printf("fast tier %s\n", capacity_words(capacity, info->capacity_pages));
	fflush(stdout);
}

static int say_started_json(int fd, const struct htmm_info *info, struct htmm_error *err)
{
	struct htmm_stats_buf stats;
	int ret = htmm_device_stats(fd, &stats, err);

	if (ret)
		return ret;
	json_print(stdout, status_json(info, &stats));
	htmm_stats_free(&stats);
	return 0;
}

static int start_session(int fd, void *arg, struct htmm_error *err)
{
	struct start *start = arg;
	struct signals signals = {};
	struct htmm_info info;
	__u32 flags = start->foreground ? HTMM_START_KEEP : HTMM_START_DETACHED;
	int ret;

	/*
	 * Block signals before printing: whoever sees that the session runs may end it, and
	 * still needs the report.
	 */
	if (start->foreground)
		signals_block(&signals);
	if (start->keep_exited)
		flags |= HTMM_START_KEEP_EXITED;
	ret = session_finish(&start->session, err);
	if (!ret)
		ret = session_begin(&start->session, fd, flags, err);
	if (!ret)
		ret = htmm_device_info(fd, &info, err);
	if (ret)
		return ret;

	if (!start->json)
		say_started(start, &info);
	if (!start->foreground)
		return start->json ? say_started_json(fd, &info, err) : 0;
	signals_ready();
	ret = wait_for_end(fd, start->session.start.session, &signals, err);
	return ret ? ret : stop_and_report(fd, start, err);
}

static int run_start(const struct command *cmd, int argc, char **argv)
{
	struct start start = {};
	struct opt session[SESSION_OPTS];
	const struct opt opts[] = {
		{ OPT_FLAG, 0, "keep-exited", NULL, "keep the pages of processes that exit",
		  &start.keep_exited },
		{ OPT_FLAG, 0, "foreground", NULL, "stay until SIGINT, then stop and report",
		  &start.foreground },
		OPT_JSON(&start.json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { session, opts, NULL };
	struct htmm_error err = {};
	int ret;

	session_opts(&start.session, session);
	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	if (session_check(&start.session, &err))
		return usage_error(cmd, NULL, "%s", err.what);
	return device_call(start_session, &start);
}

const struct command cmd_start = {
	.name = "start",
	.synopsis = "[options]",
	.summary = "start sampling all processes, or some of them",
	.help = "Starts sampling in the background, and exits; 'htmmctl stop' ends it.  Samples\n"
		"all processes (-a), unless -p or --cgroup is given: each is counted separately.\n"
		"Without -e, it samples llc-miss or what is nearest to it on this CPU.",
	.run = run_start,
};
