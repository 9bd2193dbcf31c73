// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "hist.h"
#include "output.h"
#include "simple_cmd.h"

struct hist_cmd {
	__s64 target;
	bool json;
	bool huge;
	bool all;
};

static int show(int fd, void *arg, struct htmm_error *err)
{
	const struct hist_cmd *cmd = arg;
	const __u32 unit = cmd->huge ? HTMM_UNIT_REGION : HTMM_UNIT_PAGE;
	struct htmm_hit_ratio ratio;
	struct hit hit;
	struct htmm_hist_buf hist;
	int ret;

	ret = htmm_target_hist(fd, cmd->target, unit, &hist, err);
	if (ret)
		return advise(err, EINVAL, "leave out --huge");
	ret = hist_hit(fd, cmd->target, unit, &ratio, &hit, err);
	if (ret)
		return ret;
	if (cmd->json)
		json_print(stdout, hist_json(&hist, &ratio, &hit));
	else
		hist_print(stdout, &hist, &hit, cmd->all);
	return 0;
}

static int run_hist(const struct command *cmd, int argc, char **argv)
{
	struct hist_cmd hist = {};
	const struct opt opts[] = {
		{ OPT_FLAG, 0, "huge", NULL, "of 2 MiB regions instead of 4 KiB pages",
		  &hist.huge },
		{ OPT_FLAG, 0, "all", NULL, "every bin, also those above the 16th", &hist.all },
		OPT_TARGET(&hist.target),
		OPT_JSON(&hist.json),
		{ OPT_END },
	};

	return simple_cmd(cmd, argc, argv, opts, show, &hist);
}

const struct command cmd_hist = {
	.name = "hist",
	.synopsis = "[options]",
	.summary = "draw the histogram of pages by samples",
	.help = "Draws how many pages have how many samples.  Each bin doubles the one before.",
	.run = run_hist,
};
