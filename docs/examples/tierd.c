// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
/*
 * tierd - where a tiering daemon begins: samples all processes, looks at the hot
 * pages now and then, and prints those that became hot since the last look. A
 * daemon would move them to fast memory, with move_pages(2) for one.
 * It ends when someone else stops its session.
 *
 *	cc tierd.c -o tierd $(pkg-config --cflags --libs libhtmm)
 *	./tierd [EVENT,... [SECONDS [LOOKS]]]
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <htmm/htmm.h>

/* What the fast tier holds, in pages: 64 MiB. */
#define CAPACITY	(64UL << (20 - HTMM_PAGE_SHIFT))

/**
 * struct options - what the command line says
 * @events: what to sample
 * @seconds: between two looks
 * @looks: how many
 */
struct options {
	struct htmm_event_list events;
	__s64 seconds;
	__s64 looks;
};

static int read_options(struct options *opt, int argc, char **argv, struct htmm_error *err)
{
	const char *events = argc > 1 ? argv[1] : HTMM_DEFAULT_EVENTS;
	int ret = 0;

	opt->seconds = 5;
	opt->looks = LONG_MAX;
	if (argc > 2)
		ret = htmm_parse_number(argv[2], 0, INT_MAX, &opt->seconds, err);
	if (!ret && argc > 3)
		ret = htmm_parse_number(argv[3], 1, LONG_MAX, &opt->looks, err);
	if (!ret)
		ret = htmm_events_parse(&opt->events, events, NULL, err);
	htmm_events_set_periods(&opt->events, NULL, 0);
	return ret;
}

/* The session is this program's: it ends when @fd is closed, however we end. */
static int start(int fd, const struct htmm_event_list *events, struct htmm_error *err)
{
	struct htmm_start args = {
		/* Events of different periods shall compare. */
		.flags = HTMM_START_WEIGHT_PERIOD,
		.events = (__u64)(unsigned long)events->event,
		.nr_events = events->nr,
		.capacity_pages = CAPACITY,
	};

	return htmm_device_start(fd, &args, err);
}

static int by_place(const void *one, const void *other)
{
	const struct htmm_page *a = one, *b = other;

	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return 0;
}

/* Pages whose process has exited need no place any more. */
static bool is_candidate(const struct htmm_page *page, const struct htmm_page_list *before)
{
	if (!(page->flags & HTMM_PAGE_HOT) || page->flags & HTMM_PAGE_EXITED || !page->pid)
		return false;
	return !before->nr || !bsearch(page, before->pages, before->nr, sizeof(*page), by_place);
}

/* A page that is only warm now may turn hot later, and is to be printed then. */
static void keep_hot(struct htmm_page_list *list)
{
	size_t i, kept = 0;

	for (i = 0; i < list->nr; i++)
		if (list->pages[i].flags & HTMM_PAGE_HOT)
			list->pages[kept++] = list->pages[i];
	list->nr = kept;
}

static void print_candidates(const struct htmm_page_list *now, const struct htmm_page_list *before)
{
	size_t i;

	for (i = 0; i < now->nr; i++)
		if (is_candidate(&now->pages[i], before))
			printf("promote pid %u address 0x%llx samples %llu\n", now->pages[i].pid,
			       now->pages[i].addr, now->pages[i].samples);
}

/* Results stay readable after a stop, but tell nothing new; or they are another session's. */
static int check_session(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_info info;
	int ret = htmm_device_info(fd, &info, err);

	if (ret)
		return ret;
	if (info.session != session || info.state != HTMM_STATE_RUNNING)
		return htmm_error_set(err, ESHUTDOWN, NULL, "session %llu was stopped", session);
	return 0;
}

/* Read the pages that are hot now; @before are those of the last look. */
static int look(int fd, __u64 session, struct htmm_page_list *before, struct htmm_error *err)
{
	struct htmm_list_pages hottest = {
		.session = session,
		.order = HTMM_ORDER_HOTTEST,
		.min_samples = 1,
	};
	struct htmm_page_list now = {};
	struct htmm_hist_buf hist;
	int ret;

	ret = check_session(fd, session, err);
	if (!ret)
		ret = htmm_device_hist(fd, HTMM_UNIT_PAGE, &hist, err);
	if (ret)
		return ret;
	printf("hot from bin %u on, warm from %u on: %llu of %llu pages are hot\n",
	       hist.hot_threshold, hist.warm_threshold, hist.hot_pages, hist.pages);
	/* The list begins with the hottest; asked for no page, it would give all. */
	if (hist.hot_pages)
		ret = htmm_device_list_pages(fd, &hottest, hist.hot_pages, &now, err);
	if (ret)
		return ret;
	print_candidates(&now, before);
	fflush(stdout);
	htmm_pages_free(before);
	keep_hot(&now);
	*before = now;
	if (now.nr)
		qsort(before->pages, before->nr, sizeof(*before->pages), by_place);
	return 0;
}

static int run(int fd, const struct options *opt, struct htmm_error *err)
{
	struct timespec wait = { .tv_sec = opt->seconds };
	struct htmm_page_list before = {};
	struct htmm_info info = {};
	sigset_t ends;
	__s64 looks = 0;
	int ret;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);

	ret = start(fd, &opt->events, err);
	if (!ret)
		ret = htmm_device_info(fd, &info, err);
	while (!ret && looks++ < opt->looks && sigtimedwait(&ends, NULL, &wait) < 0)
		ret = look(fd, info.session, &before, err);
	htmm_pages_free(&before);
	return ret;
}

static int failed(const struct htmm_error *err)
{
	fprintf(stderr, "tierd: %s%s%s\n", err->what, *err->todo ? "; " : "", err->todo);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct options opt = {};
	struct htmm_error err;
	int fd, ret;

	ret = read_options(&opt, argc, argv, &err);
	if (ret)
		return failed(&err);
	fd = htmm_device_open(NULL, &err);
	if (fd < 0)
		return failed(&err);
	ret = run(fd, &opt, &err);
	close(fd);
	return ret ? failed(&err) : EXIT_SUCCESS;
}
