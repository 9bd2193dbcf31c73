// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>
#include "format.h"
#include "simple_cmd.h"

int simple_cmd(const struct command *cmd, int argc, char **argv, const struct opt *opts,
	       int (*call)(int fd, void *arg, struct htmm_error *err), void *arg)
{
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int fd, ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	fd = htmm_device_open(NULL, &err);
	if (fd < 0)
		return print_error(&err);
	ret = call(fd, arg, &err);
	close(fd);
	return ret ? print_error(&err) : EXIT_OK;
}

int counters_cmd(const struct command *cmd, int argc, char **argv,
		 int (*call)(int fd, void *arg, struct htmm_error *err))
{
	struct format_choice choice = {
		.allowed = FORMATS_OF_COUNTERS,
	};
	const struct opt opts[] = {
		opt_format(&choice, "text, json or prometheus"),
		OPT_FORMAT_JSON(&choice),
		{ OPT_END },
	};

	return simple_cmd(cmd, argc, argv, opts, call, &choice.format);
}
