// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "progress.h"

#define NSEC_PER_SEC	1000000000ULL
#define INTERVAL_NS	(NSEC_PER_SEC / 10)
/* Columns around the bar. */
#define BAR_INDENT	52

void progress_begin(struct progress *progress)
{
	progress->shown = !verbosity.quiet && isatty(STDERR_FILENO);
	progress->start_ns = clock_ns(CLOCK_MONOTONIC);
	/* Short work needs no bar. */
	progress->next_ns = progress->start_ns + 3 * INTERVAL_NS;
}

static void print_eta(double seconds)
{
	if (seconds < 100)
		fprintf(stderr, "%3.0f s left", seconds);
	else if (seconds < 6000)
		fprintf(stderr, "%3.0f min left", seconds / 60);
	else
		fprintf(stderr, "%3.0f h left", seconds / 3600);
}

void progress_update(struct progress *progress, __u64 done, __u64 all, __u64 items,
		     const char *what)
{
	int room, i;
	double seconds;
	__u64 now;

	if (!progress->shown)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < progress->next_ns)
		return;
	room = out_width(stderr) - BAR_INDENT;
	progress->next_ns = now + INTERVAL_NS;
	seconds = (double)(now - progress->start_ns) / NSEC_PER_SEC;
	fputs("\r\033[K", stderr);
	if (all) {
		fprintf(stderr, "%3.0f%% [", percent(done, all));
		for (i = 0; i < room; i++)
			fputc(i < (double)done / all * room ? '#' : ' ', stderr);
		fputs("] ", stderr);
	}
	fprintf(stderr, "%.1f M %s, %.2f M/s", items / 1e6, what, items / 1e6 / seconds);
	if (all && done) {
		fputs(", ", stderr);
		print_eta(seconds * (double)(all - done) / done);
	}
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
