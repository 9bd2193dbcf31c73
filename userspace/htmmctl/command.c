// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "command.h"

int command_end(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "htmmctl: cannot write to stdout: %s\n", strerror(errno));
	return status == EXIT_OK ? EXIT_FAILED : status;
}

int command_main(const struct command *cmd, int argc, char **argv)
{
	return command_end(cmd->run(cmd, argc, argv));
}
