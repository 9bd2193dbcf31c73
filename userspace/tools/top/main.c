// SPDX-License-Identifier: GPL-2.0
/* The command `top`: shows the session repeatedly, on a screen or in lines. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "htmmctl/command.h"
#include "htmmctl/options.h"
#include "htmmctl/output.h"
#include "htmmctl/signals.h"
#include "screen.h"
#include "top.h"

#define INTERVAL_MS	2000
/* A table can have millions of pages; each look reads only this many of the hottest. */
#define PAGES_DEFAULT	100000
/* Lines between two headings, and mappings that --once prints. */
#define LINES_PER_HEAD	20
#define ONCE_MAPPINGS	20

/**
 * struct watch - the options of top
 * @top: what is shown
 * @plain: in lines
 * @once: show it once, in lines
 * @looks: how many looks to take; 0: no end
 */
struct watch {
	struct top top;
	bool plain;
	bool once;
	__s64 looks;
};

/* Decides what a failed look means after successful ones. */
static int look_again(struct top *top, struct htmm_error *err)
{
	bool ran = top->now.info.state == HTMM_STATE_RUNNING;
	int ret = top_look(top, err);

	/* The results of a stopped session stay, but will not change. */
	if (!ret && ran && top->now.info.state != HTMM_STATE_RUNNING)
		ret = -ENODATA;
	if (ret == -ENODATA)
		htmm_error_set(err, ENODATA, NULL, "session %llu has ended",
			       top->now.info.session);
	else if (ret == -ENOENT || ret == -ENXIO || ret == -ENODEV)
		htmm_error_set(err, -ret, NULL, "the module has been removed");
	return ret;
}

static void print_head(void)
{
	printf("%9s %11s %9s %10s %8s %6s %6s %8s %8s\n", "seconds", "overflows/s", "counted/s",
	       "filtered/s", "lost/s", "lost%", "cost%", "pages", "hot");
}

static void print_line(const struct top *top)
{
	const struct flow *flow = &top->activity.total;

	printf("%9.1f %11.0f %9.0f %10.0f %8.0f %6.1f %6.2f %8llu %8llu\n",
	       (double)top->now.info.elapsed_ns / 1e9, flow->overflows, flow->counted,
	       flow->filtered, flow->lost, lost_percent(flow),
	       top->activity.cost, top->now.hist.pages, top->now.hist.hot_pages);
}

static int watch_lines(struct watch *watch, const struct signals *signals, struct htmm_error *err)
{
	struct top *top = &watch->top;
	siginfo_t info;
	__s64 line = 0;
	int ret = 0;

	do {
		if (line)
			ret = look_again(top, err);
		if (ret)
			return ret;
		if (line++ % LINES_PER_HEAD == 0)
			print_head();
		print_line(top);
		if (fflush(stdout))
			return 0;
	} while (line != watch->looks && !signals_wait(signals, top->interval_ms, &info));
	if (!watch->once)
		return 0;
	putchar('\n');
	mappings_print_text(stdout, top->shown,
			    top->nr_shown < ONCE_MAPPINGS ? top->nr_shown : ONCE_MAPPINGS);
	return 0;
}

/* Handles pending signals. */
static void take_signals(struct top *top, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			screen_resize();
		else if (info.ssi_signo != SIGCHLD)
			top->quit = true;
	}
}

/* Waits for a key, a signal, or the time of the next look. */
static void wait_for_user(struct top *top, int signals, __s64 until)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	__s64 left = until - (__s64)now_ms();
	int key;

	if (poll(fds, ARRAY_SIZE(fds), top->paused ? -1 : left > 0 ? (int)left : 0) <= 0)
		return;
	take_signals(top, signals);
	while (!top->quit && (key = screen_key()) >= 0)
		top_key(top, key, screen_page());
	/* A closed terminal sends no key. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		top->quit = true;
}

static int watch_screen(struct watch *watch, struct signals *signals, struct htmm_error *err)
{
	struct top *top = &watch->top;
	int fd = signals_fd(signals, SIGWINCH), ret = 0;
	__s64 looks = 1, last = now_ms();

	if (fd < 0)
		return htmm_error_set(err, -fd, NULL, "cannot wait for signals: %s",
				      strerror(-fd));
	while (!ret && !top->quit) {
		screen_draw(top);
		wait_for_user(top, fd, last + top->interval_ms);
		if (top->paused || top->quit || (__s64)now_ms() < last + top->interval_ms)
			continue;
		if (looks++ == watch->looks)
			break;
		last = now_ms();
		ret = look_again(top, err);
	}
	close(fd);
	return ret;
}

static int watch_session(struct watch *watch, struct htmm_error *err)
{
	struct signals signals;
	int ret = top_look(&watch->top, err);

	if (ret)
		return print_error(err);
	signals_block(&signals);
	if (!watch->plain && screen_open()) {
		ret = watch_screen(watch, &signals, err);
		screen_close();
	} else {
		ret = watch_lines(watch, &signals, err);
	}
	signals_restore(&signals);
	if (ret == -ENODATA) {
		notice("%s", err->what);
		return EXIT_OK;
	}
	return ret ? print_error(err) : EXIT_OK;
}

static int call_order(void *value, const char *text, struct htmm_error *err)
{
	const char *names[NR_ORDERS];
	int i;

	for (i = 0; i < NR_ORDERS; i++)
		names[i] = order_name(i);
	i = opt_word(names, NR_ORDERS, text, "nothing is sorted by", err);
	if (i >= 0)
		*(enum order *)value = i;
	return i < 0 ? i : 0;
}

static int run_top(const struct command *cmd, int argc, char **argv)
{
	struct watch watch = {
		.top = { .interval_ms = INTERVAL_MS, .max_pages = PAGES_DEFAULT },
	};
	const char *filter = "";
	const struct opt opts[] = {
		{ OPT_SECONDS, 'i', "interval", "SECONDS", "time between two updates (2)",
		  &watch.top.interval_ms, TOP_INTERVAL_MIN, TOP_INTERVAL_MAX },
		{ OPT_NUMBER, 'n', "number", "N", "updates, 0: no limit (0)",
		  &watch.looks, 0, LONG_MAX },
		{ OPT_CALL, 's', "sort", "ORDER", "samples, pages, hot, pid or mapping",
		  &watch.top.order, .call = call_order,
		  .words = "samples, pages, hot, pid or mapping" },
		{ OPT_TEXT, 'f', "filter", "TEXT", "only mappings with TEXT in name, command, pid",
		  &filter },
		{ OPT_NUMBER, 0, "pages", "N", "hottest pages to sum up, 0: all (100000)",
		  &watch.top.max_pages, 0, LONG_MAX },
		{ OPT_FLAG, 0, "plain", NULL, "print lines, even on a terminal",
		  &watch.plain },
		{ OPT_FLAG, 0, "once", NULL, "print one line and the mappings, and exit",
		  &watch.once },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	snprintf(watch.top.filter, sizeof(watch.top.filter), "%s", filter);
	if (watch.once) {
		watch.plain = true;
		watch.looks = 1;
	}
	ret = watch_session(&watch, &err);
	top_free(&watch.top);
	return ret;
}

static const struct command cmd_top = {
	.name = "top",
	.synopsis = "[options]",
	.help = "Watches a session: rates, drops by reason, periods, cost, histogram, and the\n"
		"hottest mappings of all processes.  On a terminal, h shows the keys.",
	.run = run_top,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_top, argc, argv);
}
