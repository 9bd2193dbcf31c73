// SPDX-License-Identifier: GPL-2.0
/* Commands that are programs of their own: htmmctl NAME executes htmmctl-NAME. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"

#define PACKAGE	"htmm-tools"

/* Looks in @dir, which has @len characters; empty means the current directory. */
static bool find_in(const char *dir, size_t len, const char *name, char *path)
{
	int n = snprintf(path, PATH_MAX, "%.*s%shtmmctl-%s", (int)len, dir, len ? "/" : "", name);

	return n < PATH_MAX && !access(path, X_OK);
}

/* Looks beside htmmctl (build tree), in the installation directory, and in PATH. */
static bool find_program(const char *name, char *path)
{
	const char *dir = getenv("PATH"), *end;
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		if (find_in(self, strrchr(self, '/') - self, name, path))
			return true;
	}
	if (find_in(HTMM_PROGRAM_DIR, strlen(HTMM_PROGRAM_DIR), name, path))
		return true;
	for (; dir; dir = *end ? end + 1 : NULL) {
		end = strchrnul(dir, ':');
		if (find_in(dir, end - dir, name, path))
			return true;
	}
	return false;
}

static int run_program(const struct command *cmd, int argc, char **argv)
{
	struct htmm_error err = {};
	char path[PATH_MAX], name[32];

	if (!find_program(cmd->name, path)) {
		fprintf(stderr, "htmmctl: htmmctl %s is in the package %s\n", cmd->name, PACKAGE);
		return EXIT_FAILED;
	}
	/* Keep what the user typed: recordings and ps show it. */
	snprintf(name, sizeof(name), "htmmctl %s", cmd->name);
	argv[0] = name;
	execv(path, argv);
	htmm_error_set(&err, errno, NULL, "cannot run %s: %s", path, strerror(errno));
	return print_error(&err);
}

const char *program_missing(const struct command *cmd)
{
	char path[PATH_MAX];

	return cmd->run == run_program && !find_program(cmd->name, path) ? PACKAGE : NULL;
}

const struct command cmd_log = {
	.name = "log",
	.summary = "write over time: thresholds, hit ratios by target and node, cost",
	.run = run_program,
};

const struct command cmd_record = {
	.name = "record",
	.summary = "write every sample to a perf.data file, for perf's tools",
	.run = run_program,
};

const struct command cmd_report = {
	.name = "report",
	.summary = "report on a recording, with a heat map",
	.run = run_program,
};

const struct command cmd_tier = {
	.name = "tier",
	.summary = "move hot pages to fast memory, and cold ones out of it",
	.run = run_program,
};

const struct command cmd_top = {
	.name = "top",
	.summary = "watch rates, drops, cost, histogram and hot mappings",
	.run = run_program,
};
