// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "child.h"
#include "clock.h"
#include "pace.h"
#include "placement.h"
#include "view.h"

/*
 * The mapping names of a process, and where its pages are, are gone when it exits, so read
 * them while it lives: often at first, when it maps its libraries, then less and less often.
 * Names cost little, so those of a process that lives for some seconds are not missed.
 */
#define NAMES_MOST	1.0
/* The most pages whose places are remembered, the hottest ones. */
#define PLACED_MAX	65536

/**
 * struct run - the options and the state of run
 * @session: what to sample
 * @child: the command and its children
 * @duration_ms: when to report if the command still runs; 0: when it has ended
 * @max_pages: hot pages in the report
 * @path: file for the report, or NULL
 * @json: report as JSON
 * @file: where the report goes
 * @res: the results
 * @placed: where pages were before their process exited
 * @names_pace: when names are read
 * @places_pace: when it is looked where pages are
 */
struct run {
	struct session session;
	struct child child;
	__u32 duration_ms;
	__s64 max_pages;
	const char *path;
	bool json;
	FILE *file;
	struct results res;
	struct htmm_page_list placed;
	struct pace names_pace;
	struct pace places_pace;
};

static void print_text(FILE *file, struct results *res)
{
	status_print(file, &res->info, &res->stats, &res->targets);
	fputc('\n', file);
	stats_print(file, &res->info, &res->stats, &res->served, false);
	fputc('\n', file);
	hist_print(file, &res->hist, &res->hit, false);
	fputc('\n', file);
	hot_print(file, res->names, &res->pages, res->places);
}

void results_print(FILE *file, struct results *res, bool json, int exit_status)
{
	struct json_object *obj;

	if (!json) {
		print_text(file, res);
		return;
	}
	obj = session_json(&res->info, &res->stats);
	if (exit_status >= 0)
		json_add_u64(obj, "exit_status", exit_status);
	json_begin(file, obj);
	fputs(",\n\"status\":", file);
	json_write(file, status_json(&res->info, &res->stats));
	fputs(",\n\"targets\":", file);
	json_write(file, targets_json(&res->targets));
	fputs(",\n\"stats\":", file);
	json_write(file, stats_json(&res->info, &res->stats, &res->served));
	fputs(",\n\"hist\":", file);
	json_write(file, hist_json(session_json(&res->info, &res->stats), &res->hist,
				   &res->ratio, &res->hit));
	fputs(",\n\"hot\":", file);
	hot_json(file, session_json(&res->info, &res->stats), res->names, &res->pages, res->places);
	fputs("}\n", file);
}

static int by_page(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Fills in where pages were, if it is not known where they are. */
static void placed_fill(const struct htmm_page_list *placed, struct htmm_page_list *list)
{
	const struct htmm_page *seen;
	size_t i;

	for (i = 0; placed->nr && i < list->nr; i++) {
		if (list->pages[i].node != HTMM_NODE_UNKNOWN)
			continue;
		seen = bsearch(&list->pages[i], placed->pages, placed->nr, sizeof(*seen), by_page);
		if (!seen)
			continue;
		list->pages[i].node = seen->node;
		list->pages[i].mapping_shift = seen->mapping_shift;
	}
}

static void refresh_one(void *names, pid_t pid)
{
	htmm_names_refresh(names, pid);
}

static void refresh_names(struct run *run, int fd)
{
	child_each(&run->child, refresh_one, run->res.names);
}

/*
 * Looks where the hottest pages are now. Those whose place is not known any more keep the old one;
 * a module that cannot tell changes nothing.
 */
static void refresh_places(struct run *run, int fd)
{
	const struct htmm_list_pages request = {
		.flags = HTMM_LIST_PLACEMENT, .order = HTMM_ORDER_HOTTEST, .min_samples = 1,
	};
	struct htmm_page_list list;

	if (htmm_device_list_pages(fd, &request, PLACED_MAX, &list, NULL))
		return;
	qsort(list.pages, list.nr, sizeof(*list.pages), by_page);
	placed_fill(&run->placed, &list);
	htmm_pages_free(&run->placed);
	run->placed = list;
}

/* Reads again, if it is time; @begin is that of the command. Returns how long it need not again. */
static double refresh_due(struct run *run, int fd, struct pace *pace, double begin,
			  void (*refresh)(struct run *run, int fd))
{
	double now = clock_ns(CLOCK_MONOTONIC) / 1e9 - begin, cost;

	if (now >= pace->next) {
		cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9;
		refresh(run, fd);
		cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9 - cost;
		now = clock_ns(CLOCK_MONOTONIC) / 1e9 - begin;
		pace_looked(pace, now, cost);
	}
	return pace->next - now;
}

/*
 * Reads what will be gone when the command has ended. Returns for how many milliseconds not, or 0:
 * it is time to report.
 */
static unsigned int refresh_all(struct run *run, int fd, double begin)
{
	double names = refresh_due(run, fd, &run->names_pace, begin, refresh_names);
	double places = refresh_due(run, fd, &run->places_pace, begin, refresh_places);
	double wait = names < places ? names : places, left;

	left = begin + run->duration_ms / 1e3 - clock_ns(CLOCK_MONOTONIC) / 1e9;
	if (run->duration_ms && left < wait)
		wait = left;
	return run->duration_ms && left <= 0 ? 0 : 1 + 1000 * wait;
}

/*
 * Waits for the command to end, or with @fd of the session, for the time to report. The terminal
 * sends its signals to the command as well; those sent only to this process are forwarded. Returns
 * the exit status, or -1 if the command goes on.
 */
static int wait_for_child(struct run *run, int fd, const struct signals *signals)
{
	double begin = clock_ns(CLOCK_MONOTONIC) / 1e9;
	siginfo_t info;
	int which, status;
	unsigned int ms;

	for (;;) {
		if (waitpid(run->child.pid, &status, WNOHANG) == run->child.pid)
			return child_status(status);
		ms = fd < 0 ? UINT_MAX : refresh_all(run, fd, begin);
		if (!ms)
			return -1;
		which = signals_wait(signals, ms, &info);
		if (which && which != SIGCHLD && info.si_code <= 0)
			kill(run->child.pid, which);
	}
}

static int stop_and_report(struct run *run, int fd, int status,
			   const struct signals *signals, struct htmm_error *err)
{
	int ret = results_end(&run->res, &run->session, fd, run->max_pages, err);

	placed_fill(&run->placed, &run->res.pages);
	/* Before printing, as a reader of the output may be slow or gone. */
	child_leave(&run->child);
	signals_drop(signals);
	if (ret && ret != -EALREADY)
		return ret;
	places_notice(&run->res.pages);
	if (run->path)
		out_begin(run->file);
	if (run->json || run->path || !verbosity.quiet)
		results_print(run->file, &run->res, run->json, status);
	if (fflush(run->file) || ferror(run->file))
		return htmm_error_set(err, errno ? errno : EIO, NULL, "cannot write the report: %s",
				      strerror(errno));
	return ret;
}

/* Fork, start sampling, execute, wait, stop, report. */
static int run_child(struct run *run, int fd, char **argv, struct htmm_error *err)
{
	struct child *child = &run->child;
	struct signals signals;
	int ret, status, error;

	signals_block(&signals);
	ret = child_fork(child, argv, &signals, err);
	if (ret)
		return print_error(err);
	ret = child_join(child, &run->session, err);
	if (!ret)
		ret = session_finish(&run->session, err);
	if (!ret)
		ret = session_begin(&run->session, fd,
				    HTMM_START_KEEP_EXITED | HTMM_START_KEEP, err);
	if (ret) {
		child_abandon(child);
		return print_error(err);
	}
	error = child_begin(child);
	if (error)
		return child_not_executed(child, argv[0], error);
	child_report(child);
	status = wait_for_child(run, fd, &signals);
	ret = stop_and_report(run, fd, status, &signals, err);
	if (ret)
		print_error(err);
	if (status < 0) {
		notice("%s goes on, and is not sampled any more", argv[0]);
		signals_block(&signals);
		status = wait_for_child(run, -1, &signals);
	}
	return ret && status == EXIT_OK ? EXIT_FAILED : status;
}

static int run_with(struct run *run, char **argv, struct htmm_error *err)
{
	int status = EXIT_FAILED, fd;

	/* Text goes to stderr, apart from the command's output, and JSON to stdout. */
	run->file = run->path ? out_open(run->path) : run->json ? stdout : stderr;
	if (!run->file) {
		htmm_error_set(err, errno, "choose another file with --report",
			       "cannot write '%s': %s", run->path, strerror(errno));
		return print_error(err);
	}
	fd = htmm_device_open(NULL, err);
	if (fd < 0) {
		print_error(err);
		goto close_report;
	}
	run->res.names = htmm_names_new();
	if (run->res.names)
		status = run_child(run, fd, argv, err);
	child_leave(&run->child);
	htmm_pages_free(&run->placed);
	results_free(&run->res);
	close(fd);
close_report:
	if (run->path && out_close(run->file, "the report", err) && status == EXIT_OK)
		status = print_error(err);
	return status;
}

static int run_run(const struct command *cmd, int argc, char **argv)
{
	struct run run = {
		.max_pages = HOT_PAGES_DEFAULT,
		.res.places = true,
		.names_pace.most = NAMES_MOST,
	};
	struct opt session[SESSION_OPTS];
	const struct opt opts[] = {
		{ OPT_NUMBER, 'n', "number", "N", "hot pages to report, 0: all (20)",
		  &run.max_pages, 0, LONG_MAX },
		{ OPT_TEXT, 0, "report", "FILE", "write the report to FILE", &run.path },
		{ OPT_FLAG, 0, "json", NULL, "report as JSON", &run.json },
		{ OPT_END },
	};
	const struct opt *const tables[] = { session, opts, NULL };
	struct htmm_error err = {};
	int ret, rest;

	run.session.duration_ms = &run.duration_ms;
	session_opts(&run.session, session);
	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (session_check(&run.session, &err))
		return usage_error(cmd, NULL, "%s", err.what);
	if (rest >= argc)
		return usage_error(cmd, NULL, "no command given to run");
	return run_with(&run, argv + rest, &err);
}

const struct command cmd_run = {
	.name = "run",
	.synopsis = "[options] [--] PROGRAM...",
	.summary = "sample a program while it runs, then report",
	.help = "Samples PROGRAM and all its children, in a cgroup of their own if one can be\n"
		"created, otherwise only PROGRAM's process; or what -p, --cgroup or -a name.\n"
		"Exits with its status.  The report goes to stderr, with --json to stdout.\n"
		"-o duration=SECONDS reports then, and lets PROGRAM go on without sampling.",
	.run = run_run,
};
