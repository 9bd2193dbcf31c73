// SPDX-License-Identifier: GPL-2.0
/* The command `live`: `start` and `run` with events that are opened here, and not in the module. */
#include <string.h>
#include "live.h"

static int run_live(const struct command *cmd, int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	struct opt opts[SESSION_OPTS];
	const struct opt *const tables[] = { opts, NULL };
	struct session session = {};
	int ret, rest;

	session_begin = live_begin;
	session_end = live_end;
	if (!strcmp(verb, cmd_start.name))
		return cmd_start.run(&cmd_start, argc - 1, argv + 1);
	if (!strcmp(verb, cmd_run.name))
		return cmd_run.run(&cmd_run, argc - 1, argv + 1);
	session_opts(&session, opts);
	ret = opts_parse(cmd, argc, argv, tables, &rest);
	return ret == OPTS_GO_ON ? usage_error(cmd, NULL, "give 'start' or 'run' first") : ret;
}

static const struct command cmd_live = {
	.name = "live",
	.synopsis = "start|run [options] [--] [PROGRAM...]",
	.help = "Does what 'htmmctl start' and 'run' do, with all their options, but a process in\n"
		"the background opens the events, and hands their samples to the module.  So\n"
		"the CPU need not interrupt for each sample (large PEBS), and load latency is in\n"
		"a group where it has to be, as on Sapphire Rapids: -e cpu/mem-loads,ldlat=128/",
	.run = run_live,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_live, argc, argv);
}
