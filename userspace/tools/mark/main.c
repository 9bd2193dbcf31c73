// SPDX-License-Identifier: GPL-2.0
/* The command `mark`: gives the present moment a name. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <htmm/device.h>
#include "htmmctl/command.h"
#include "htmmctl/options.h"
#include "marks.h"

/* report takes two texts with a comma between them. */
static bool is_text(const char *text)
{
	const char *at = text;

	while (*at && *at != ',' && !iscntrl((unsigned char)*at))
		at++;
	return !*at && at > text && at - text <= MARK_TEXT_MAX;
}

static int mark(const char *text, struct htmm_error *err)
{
	const int fd = htmm_device_open(NULL, err);
	struct htmm_info info;
	int ret;

	if (fd < 0)
		return fd;
	ret = htmm_device_info(fd, &info, err);
	close(fd);
	if (ret)
		return ret;
	if (info.state != HTMM_STATE_RUNNING)
		return htmm_error_set(err, EALREADY, "give marks while one does",
				      "no session runs");
	return marks_put(info.session, text, err);
}

static int run_mark(const struct command *cmd, int argc, char **argv)
{
	const struct opt opts[] = { { OPT_END } };
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int rest, ret = opts_parse(cmd, argc, argv, tables, &rest);

	if (ret != OPTS_GO_ON)
		return ret;
	if (rest != argc - 1)
		return usage_error(cmd, NULL, "give one text");
	if (!is_text(argv[rest]))
		return usage_error(cmd, NULL, "a mark is a text of 1 to %d bytes without commas",
				   MARK_TEXT_MAX);
	return mark(argv[rest], &err) ? print_error(&err) : EXIT_OK;
}

static const struct command cmd_mark = {
	.name = "mark",
	.synopsis = "[options] [--] TEXT",
	.help = "Gives the present moment a name, in the recordings and logs of the session.\n"
		"'htmmctl report --mark TEXT' reports on the time from there to the next mark.",
	.run = run_mark,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_mark, argc, argv);
}
