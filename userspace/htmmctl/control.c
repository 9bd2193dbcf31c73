// SPDX-License-Identifier: GPL-2.0
/* The commands that take hardly any options of their own: stop, cool, reset. */
#include <stdio.h>
#include <unistd.h>
#include "htmmctl.h"
#include "options.h"

static void say_stopped(int fd)
{
	struct htmm_stats_buf stats;
	struct htmm_info info;

	if (htmm_device_info(fd, &info, NULL) || htmm_device_stats(fd, &stats, NULL)) {
		printf("stopped\n");
		return;
	}
	printf("session %llu stopped after %.1f s: %llu samples counted, %llu dropped\n",
	       info.session, (double)info.elapsed_ns / 1e9, stats.stats.total.counted,
	       htmm_counters_dropped(&stats.stats.total));
	htmm_stats_free(&stats);
}

static int control(const struct command *cmd, int argc, char **argv,
		   int (*call)(int fd, struct htmm_error *err), void (*say)(int fd))
{
	const struct opt *const tables[] = { NULL };
	struct htmm_error err = {};
	int fd, ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	fd = htmm_device_open(NULL, &err);
	if (fd < 0)
		return print_error(&err);
	ret = call(fd, &err);
	if (!ret && say && !verbosity.quiet)
		say(fd);
	close(fd);
	return ret ? print_error(&err) : EXIT_OK;
}

static int run_stop(const struct command *cmd, int argc, char **argv)
{
	return control(cmd, argc, argv, htmm_device_stop, say_stopped);
}

static int run_cool(const struct command *cmd, int argc, char **argv)
{
	__s64 target = 0;
	const struct opt opts[] = { OPT_TARGET(&target), { OPT_END } };
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int fd, ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	fd = htmm_device_open(NULL, &err);
	if (fd < 0)
		return print_error(&err);
	ret = htmm_target_cool(fd, target, &err);
	close(fd);
	return ret ? print_error(&err) : EXIT_OK;
}

static int run_reset(const struct command *cmd, int argc, char **argv)
{
	return control(cmd, argc, argv, htmm_device_reset, NULL);
}

const struct command cmd_stop = {
	.name = "stop",
	.synopsis = "[options]",
	.summary = "stop sampling; the results stay readable",
	.help = "Stops sampling.  The results of a detached session stay until the next start.",
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
	.summary = "forget all pages and counters; sampling goes on",
	.help = "Forgets all pages and sets every counter to zero.  Sampling goes on.",
	.run = run_reset,
};
