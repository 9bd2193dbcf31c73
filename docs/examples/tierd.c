// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
/*
 * tierd - where a tiering daemon begins: samples all processes, looks at the hot pages now
 * and then, and moves them to the fast tier, in place of the coldest ones there. What
 * `htmmctl tier` does besides: it asks whether a move pays.
 * It ends when someone else stops its session.
 *
 *	cc tierd.c -o tierd $(pkg-config --cflags --libs libhtmm)
 *	./tierd [EVENT,... [SECONDS [LOOKS]]]
 */
#include <limits.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <htmm/htmm.h>

/* The nodes of the fast and the slow tier, see numactl -H. */
#define FAST		0
#define SLOW		1
/* What may be used of the fast one, in pages: 64 MiB. */
#define CAPACITY	(64UL << (20 - HTMM_PAGE_SHIFT))

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

/* Moves a page; of a huge page, all of it. */
static bool move(const struct htmm_page *page, int node)
{
	void *addr = (void *)(uintptr_t)page->addr;
	int status = -EBUSY;

	/* Process 0 would be this one: pages of others that cannot be seen stay. */
	if (!page->pid || page->flags & HTMM_PAGE_EXITED)
		return false;
	/* A daemon hands over many pages of a process at a time, sorted by address. */
	syscall(SYS_move_pages, (pid_t)page->pid, 1UL, &addr, &node, &status, 0);
	return status == node;
}

/* Moves up to @most pages of a list that are on a node and hot, or not hot. */
static size_t move_some(const struct htmm_page_list *list, size_t most, bool hot, int from, int to)
{
	size_t i, moved = 0;

	for (i = 0; i < list->nr && moved < most; i++) {
		const struct htmm_page *page = &list->pages[i];

		if (page->node != from || hot != !!(page->flags & HTMM_PAGE_HOT))
			continue;
		if (hot)
			printf("promote pid %u address 0x%llx samples %llu\n", page->pid,
			       page->addr, page->samples);
		moved += move(page, to);
	}
	return moved;
}

/* Makes room, then moves the pages that are hot and slow. */
static int tier(int fd, __u64 session, const struct htmm_histogram *hist, struct htmm_error *err)
{
	const struct htmm_list_pages hottest = {
		.flags = HTMM_LIST_PLACEMENT, .session = session,
		.order = HTMM_ORDER_HOTTEST, .min_samples = 1,
	}, coldest = {
		.flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE, .session = session, .node = FAST,
		.order = HTMM_ORDER_COLDEST,
	};
	struct htmm_page_list hot = {}, cold = {};
	size_t i, wanted = 0, demoted = 0;
	int ret;

	/* The list begins with the hottest; asked for no page, it would give all. */
	if (!hist->hot_pages)
		return 0;
	ret = htmm_device_list_pages(fd, &hottest, hist->hot_pages, &hot, err);
	for (i = 0; i < hot.nr; i++)
		wanted += hot.pages[i].node == SLOW && hot.pages[i].flags & HTMM_PAGE_HOT;
	if (!ret && wanted)
		ret = htmm_device_list_pages(fd, &coldest, wanted, &cold, err);
	if (!ret) {
		demoted = move_some(&cold, wanted, false, FAST, SLOW);
		printf("%zu pages demoted, %zu promoted\n", demoted,
		       move_some(&hot, wanted, true, SLOW, FAST));
	}
	htmm_pages_free(&hot);
	htmm_pages_free(&cold);
	return ret;
}

static int look(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_info info;
	struct htmm_histogram hist;
	int ret;

	ret = htmm_device_info(fd, &info, err);
	if (ret)
		return ret;
	/* Results stay readable after a stop, but tell nothing new; or they are another's. */
	if (info.session != session || info.state != HTMM_STATE_RUNNING)
		return htmm_error_set(err, ESHUTDOWN, NULL, "session %llu was stopped", session);
	ret = htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &hist, err);
	if (ret)
		return ret;
	printf("hot from bin %u on, warm from %u on: %llu of %llu pages are hot\n",
	       hist.hot_threshold, hist.warm_threshold, hist.hot_pages, hist.pages);
	ret = tier(fd, session, &hist, err);
	fflush(stdout);
	return ret;
}

static int run(int argc, char **argv, struct htmm_error *err)
{
	struct htmm_event_list events = {};
	__s64 seconds = 5, looks = LONG_MAX;
	struct htmm_info info = {};
	struct timespec wait = {};
	int fd = -1, ret;
	sigset_t ends;

	ret = htmm_events_parse(&events, argc > 1 ? argv[1] : HTMM_DEFAULT_EVENTS, NULL, err);
	if (!ret && argc > 2)
		ret = htmm_parse_number(argv[2], 0, INT_MAX, &seconds, err);
	if (!ret && argc > 3)
		ret = htmm_parse_number(argv[3], 1, LONG_MAX, &looks, err);
	htmm_events_set_periods(&events, NULL, 0);
	wait.tv_sec = seconds;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);

	if (!ret)
		fd = htmm_device_open(NULL, err);
	if (!ret)
		ret = fd < 0 ? fd : start(fd, &events, err);
	if (!ret)
		ret = htmm_device_info(fd, &info, err);
	while (!ret && looks-- && sigtimedwait(&ends, NULL, &wait) < 0)
		ret = look(fd, info.session, err);
	if (fd >= 0)
		close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	struct htmm_error err;

	if (!run(argc, argv, &err))
		return EXIT_SUCCESS;
	fprintf(stderr, "tierd: %s%s%s\n", err.what, *err.todo ? "; " : "", err.todo);
	return EXIT_FAILURE;
}
