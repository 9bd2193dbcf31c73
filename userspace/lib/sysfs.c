// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "sysfs.h"

int sysfs_line(char *line, size_t size, const char *path, ...)
{
	char name[PATH_MAX];
	va_list args;
	FILE *file;

	*line = '\0';
	va_start(args, path);
	vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	file = fopen(name, "re");
	if (!file)
		return -errno;
	if (!fgets(line, size, file))
		*line = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return *line ? 0 : -ENOENT;
}

bool sysfs_list(struct htmm_cpus *set, char *line, const char *sysfs, const char *file)
{
	memset(set, 0, sizeof(*set));
	return !sysfs_line(line, SYSFS_LINE, "%s/%s", sysfs ?: "/sys", file) &&
	       !htmm_cpus_parse(set, line, NULL);
}

bool sysfs_nodes(struct htmm_cpus *nodes, const char *sysfs, const char *file)
{
	char line[SYSFS_LINE], path[64];

	snprintf(path, sizeof(path), "devices/system/node/%s", file);
	return sysfs_list(nodes, line, sysfs, path);
}
