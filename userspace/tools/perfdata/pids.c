// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include "pids.h"

int perfdata_pids_add(struct perfdata_pids *pids, const char *text, struct htmm_error *err)
{
	char word[32];
	size_t len;
	__s64 pid;
	int ret;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		ret = htmm_parse_number(word, 1, INT_MAX, &pid, err);
		if (ret)
			return ret;
		if (pids->nr == PERFDATA_PIDS_MAX)
			return htmm_error_set(err, E2BIG, NULL, "there are more than %d processes",
					      PERFDATA_PIDS_MAX);
		pids->pid[pids->nr++] = pid;
		if (!text[len])
			return 0;
	}
}

bool perfdata_pids_want(const struct perfdata_pids *pids, __u32 pid)
{
	unsigned int i;

	for (i = 0; i < pids->nr; i++)
		if (pids->pid[i] == pid)
			return true;
	return !pids->nr;
}
