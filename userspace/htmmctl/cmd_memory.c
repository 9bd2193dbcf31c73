// SPDX-License-Identifier: GPL-2.0
#include "simple_cmd.h"
#include "output.h"

static int show(int fd, void *arg, struct htmm_error *err)
{
	struct htmm_info info;
	int ret = htmm_device_info(fd, &info, err);

	if (!ret)
		printf("%llu bytes of tables, %llu of rings\n", info.table_bytes, info.ring_bytes);
	return ret;
}

static int run_memory(const struct command *cmd, int argc, char **argv)
{
	static const struct opt opts[] = { { OPT_END } };

	return simple_cmd(cmd, argc, argv, opts, show, NULL);
}

const struct command cmd_memory = {
	.name = "memory",
	.synopsis = "[options]",
	.summary = "what the module needs",
	.help = "Shows how much memory tables and rings take.",
	.run = run_memory,
};
