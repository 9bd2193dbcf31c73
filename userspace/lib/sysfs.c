// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include "sysfs.h"

bool sysfs_list(struct htmm_cpus *set, char *line, const char *sysfs, const char *file)
{
	memset(set, 0, sizeof(*set));
	return !htmm_read_line(line, SYSFS_LINE, "%s/%s", sysfs ?: "/sys", file) &&
	       !htmm_cpus_parse(set, line, NULL);
}

bool sysfs_nodes(struct htmm_cpus *nodes, const char *sysfs, const char *file)
{
	char line[SYSFS_LINE], path[64];

	snprintf(path, sizeof(path), "devices/system/node/%s", file);
	return sysfs_list(nodes, line, sysfs, path);
}
