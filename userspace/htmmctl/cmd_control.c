// SPDX-License-Identifier: GPL-2.0
/* The commands with few options of their own: stop, cool, reset. */
#include <stdio.h>
#include "advice.h"
#include "simple_cmd.h"

static void say_stopped(int fd)
{
	struct htmm_stats_buf stats;
	struct htmm_hist_buf hist;
	struct htmm_info info;

	if (htmm_device_info(fd, &info, NULL) || htmm_device_stats(fd, &stats, NULL)) {
		printf("stopped\n");
		return;
	}
	printf("session %llu stopped after %.1f s: %llu counted, %llu filtered, %llu lost\n",
	       info.session, (double)info.elapsed_ns / 1e9, stats.stats.total.counted,
	       stats.stats.total.drops[HTMM_DROP_FILTERED],
	       htmm_counters_lost(&stats.stats.total));
	advice_losses(stdout, &stats.stats.total);
	if (!htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &hist, NULL))
		advice_few(stdout, &info, &stats, hist.pages);
	htmm_stats_free(&stats);
}

static const struct opt no_opts[] = { { OPT_END } };

static int stop(int fd, void *arg, struct htmm_error *err)
{
	int ret = htmm_device_stop(fd, 0, err);

	if (!ret && !verbosity.quiet)
		say_stopped(fd);
	return ret;
}

static int run_stop(const struct command *cmd, int argc, char **argv)
{
	return simple_cmd(cmd, argc, argv, no_opts, stop, NULL);
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
	struct htmm_hist_buf hist;
	struct htmm_stats_buf stats;
	int ret = htmm_device_stats(fd, &stats, err);

	if (ret)
		return ret;
	ret = htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &hist, err);
	if (!ret)
		ret = htmm_device_reset(fd, 0, err);
	if (!ret && !verbosity.quiet)
		printf("forgot %llu pages with %llu samples; all counters are 0\n", hist.pages,
		       stats.stats.total.counted);
	htmm_stats_free(&stats);
	return ret;
}

static int run_reset(const struct command *cmd, int argc, char **argv)
{
	return simple_cmd(cmd, argc, argv, no_opts, reset, NULL);
}

const struct command cmd_stop = {
	.name = "stop",
	.synopsis = "[options]",
	.summary = "stop sampling; the results stay readable",
	.help = "Stops sampling, and says what was counted, why samples were lost, and if they\n"
		"are too few.  The results of a detached session stay until the next start.",
	.run = run_stop,
};

const struct command cmd_cool = {
	.name = "cool",
	.synopsis = "[options]",
	.summary = "halve all counts now",
	.help = "Halves the count of every page now, as at the end of a cooling period.",
	.run = run_cool,
};

const struct command cmd_reset = {
	.name = "reset",
	.synopsis = "[options]",
	.summary = "forget all pages and counters; sampling continues",
	.help = "Forgets all pages and sets every counter to zero.  Sampling continues.",
	.run = run_reset,
};
