// SPDX-License-Identifier: GPL-2.0
/* The commands with few options of their own: pause, resume, stop, cool, reset. */
#include <stdio.h>
#include "options.h"
#include "period.h"

/* Reasons of losses to name. */
#define REASONS		3
/* A loss of one of this many samples needs no advice. */
#define NOTABLE		20
/* Fewer samples of each page, or fewer in all, do not tell which pages are hot. */
#define FEW_EACH	2
#define FEW		1000
/* So many of each page are enough: as many as there are between two coolings. */
#define ENOUGH_EACH	4
/* At most this factor is advised for a shorter period, because it is only an estimate. */
#define SHORTER_MOST	100

static const char *const advice[HTMM_NR_DROPS] = {
	[HTMM_DROP_RING_FULL] = "the rings were full: raise -m or the period",
	[HTMM_DROP_NO_ADDR] = "the CPU gave no address: name the event with :pp, or another event",
	[HTMM_DROP_KERNEL_ADDR] = "they were of kernel memory",
	[HTMM_DROP_NESTED] = "interrupts came too close together: raise the period",
	[HTMM_DROP_STALE] =
		"their processes had exited before they were counted: lower -o drain-interval",
	[HTMM_DROP_TABLE_FULL] = "the table was full: raise -o max-bytes",
	[HTMM_DROP_REMOVED] = "their target was removed",
	[HTMM_DROP_SPACES_FULL] = "there were too many processes: raise -o max-bytes",
};

/* The reason with the most losses that is not in the set @named; -1: none. */
static int most_lost(const struct htmm_counters *counters, unsigned int named)
{
	int i, most = -1;

	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (counters->drops[i] && !(named & 1U << i) &&
		    (most < 0 || counters->drops[i] > counters->drops[most]))
			most = i;
	return most;
}

/* Why most of the lost samples were lost, and what to do; nothing if none was lost. */
static void print_losses(const struct htmm_counters *counters)
{
	/* What was filtered was not wanted. */
	unsigned int named = HTMM_DROPS_UNWANTED;
	const int first = most_lost(counters, named);
	int reason = first, nr;

	if (first < 0)
		return;
	for (nr = 0; nr < REASONS && reason >= 0; nr++) {
		printf("%s %s %llu", nr ? "," : "lost:", htmm_drop_name(reason),
		       counters->drops[reason]);
		named |= 1U << reason;
		reason = most_lost(counters, named);
	}
	if (counters->drops[first] > counters->overflows / NOTABLE)
		printf("; %s", advice[first]);
	putchar('\n');
}

/* Says so if there are too few samples to tell hot pages from others. */
static void print_few(const struct htmm_info *info, const struct htmm_stats_buf *stats, __u64 pages)
{
	const __u64 counted = stats->stats.total.counted;
	__u64 wanted = ENOUGH_EACH * pages > FEW ? ENOUGH_EACH * pages : FEW;
	__u64 times = counted ? (wanted + counted - 1) / counted : SHORTER_MOST;
	__u64 period;

	if (counted >= FEW && counted >= FEW_EACH * pages)
		return;
	if (times > SHORTER_MOST)
		times = SHORTER_MOST;
	period = shorter_period(info, stats, times);
	printf("too few to tell what is hot, on %llu pages: ", pages);
	if (period)
		printf("use -c %llu\n", period);
	else if (info->session_flags & HTMM_START_BUDGET)
		puts("use a larger --budget");
	else if (stats->stats.nr_events == 1 && stats->events->period == 1)
		puts("sample for longer");
	else
		printf("sample %llu times as often\n", times);
}

static void say_stopped(int fd)
{
	struct htmm_stats_buf stats;
	struct htmm_histogram hist;
	struct htmm_info info;
	const __u64 *drops;

	if (htmm_device_info(fd, &info, NULL) || htmm_device_stats(fd, &stats, NULL)) {
		printf("stopped\n");
		return;
	}
	printf("session %llu stopped after %.1f s: %llu counted, %llu filtered, %llu lost\n",
	       info.session, (double)info.elapsed_ns / 1e9, stats.stats.total.counted,
	       htmm_counters_filtered(&stats.stats.total),
	       htmm_counters_lost(&stats.stats.total));
	drops = stats.stats.total.drops;
	if (drops[HTMM_DROP_KERNEL] || drops[HTMM_DROP_NO_DATA] || drops[HTMM_DROP_NEAR])
		printf("filtered: %llu of the kernel, %llu without data, %llu too near\n",
		       drops[HTMM_DROP_KERNEL], drops[HTMM_DROP_NO_DATA], drops[HTMM_DROP_NEAR]);
	print_losses(&stats.stats.total);
	if (!htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &hist, NULL))
		print_few(&info, &stats, hist.pages);
	htmm_stats_free(&stats);
}

/* Has no options of its own. */
static int run_call(const struct command *cmd, int argc, char **argv)
{
	return simple_cmd(cmd, argc, argv, &(const struct opt){ OPT_END }, cmd->call, NULL);
}

static int stop(int fd, void *arg, struct htmm_error *err)
{
	int ret = htmm_device_stop(fd, 0, err);

	if (!ret && !verbosity.quiet)
		say_stopped(fd);
	return ret;
}

/* Prints @what with the time that the session has sampled. */
static void say_seconds(int fd, const char *what)
{
	struct htmm_info info;

	if (!verbosity.quiet && !htmm_device_info(fd, &info, NULL))
		printf("session %llu %s after %.1f s\n", info.session, what,
		       (double)info.elapsed_ns / 1e9);
}

static int pause_session(int fd, void *arg, struct htmm_error *err)
{
	int ret = htmm_device_pause(fd, 0, err);

	if (!ret)
		say_seconds(fd, "is paused");
	return ret;
}

static int resume(int fd, void *arg, struct htmm_error *err)
{
	int ret = htmm_device_resume(fd, 0, err);

	if (!ret)
		say_seconds(fd, "goes on");
	return ret;
}

static int cool(int fd, void *arg, struct htmm_error *err)
{
	const __s64 *target = arg;
	int ret = htmm_target_cool(fd, *target, err);

	if (ret || verbosity.quiet)
		return ret;
	if (*target)
		printf("the counts of target %lld's pages are halved\n", *target);
	else
		puts("the counts of all pages are halved");
	return 0;
}

static int run_cool(const struct command *cmd, int argc, char **argv)
{
	__s64 target = 0;
	const struct opt opts[] = { OPT_TARGET(&target), { OPT_END } };

	return simple_cmd(cmd, argc, argv, opts, cool, &target);
}

static int reset(int fd, void *arg, struct htmm_error *err)
{
	struct htmm_histogram hist;
	struct htmm_stats_buf stats;
	int ret = htmm_device_stats(fd, &stats, err);

	if (ret)
		return ret;
	ret = htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &hist, err);
	if (!ret)
		ret = htmm_device_reset(fd, 0, err);
	if (!ret && !verbosity.quiet)
		printf("forgot %llu pages with %llu samples; overflows and samples count from 0\n",
		       hist.pages, stats.stats.total.counted);
	htmm_stats_free(&stats);
	return ret;
}

const struct command cmd_pause = {
	.name = "pause",
	.synopsis = "[options]",
	.summary = "count nothing for a while, until 'htmmctl resume'",
	.help = "Counts nothing until 'htmmctl resume'.  What was counted stays.  The pause is no\n"
		"part of the session's time and cost.",
	.run = run_call,
	.call = pause_session,
};

const struct command cmd_resume = {
	.name = "resume",
	.synopsis = "[options]",
	.help = "Goes on counting after 'htmmctl pause', or after a start with -o paused=yes.",
	.run = run_call,
	.call = resume,
};

const struct command cmd_stop = {
	.name = "stop",
	.synopsis = "[options]",
	.summary = "stop sampling; the results can still be read",
	.help = "Stops sampling, and says how many samples were counted, why some were lost, and\n"
		"if there are too few.  The results can be read until the next start.",
	.run = run_call,
	.call = stop,
};

const struct command cmd_cool = {
	.name = "cool",
	.synopsis = "[options]",
	.summary = "halve all counts now; reset: forget all pages and counters",
	.help = "Halves the count of every page now, as at the end of a cooling period.",
	.run = run_cool,
};

const struct command cmd_reset = {
	.name = "reset",
	.synopsis = "[options]",
	.help = "Forgets all pages, and counts overflows and samples from 0.  Sampling continues.",
	.run = run_call,
	.call = reset,
};
