// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <htmm/text.h>
#include "pids.h"

int perfdata_pids_add(void *to, const char *text, struct htmm_error *err)
{
	struct perfdata_pids *pids = to;
	__s64 pid;
	int ret = htmm_parse_number(text, 1, INT_MAX, &pid, err);

	if (ret)
		return ret;
	if (pids->nr == PERFDATA_PIDS_MAX)
		return htmm_error_set(err, E2BIG, NULL, "there are more than %d processes",
				      PERFDATA_PIDS_MAX);
	pids->pid[pids->nr++] = pid;
	return 0;
}

bool perfdata_pids_want(const struct perfdata_pids *pids, __u32 pid)
{
	unsigned int i;

	for (i = 0; i < pids->nr; i++)
		if (pids->pid[i] == pid)
			return true;
	return !pids->nr;
}
