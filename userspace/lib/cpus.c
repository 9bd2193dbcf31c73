// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <htmm/text.h>
#include "cpus.h"

static const char todo_list[] = "give CPU numbers and ranges, such as 0-3,8";

static int parse_cpu(const char **text, unsigned int *cpu)
{
	char *end;
	unsigned long number;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	number = strtoul(*text, &end, 10);
	*text = end;
	if (number >= HTMM_CPUS_MAX)
		return -ERANGE;
	*cpu = number;
	return 0;
}

/* Reads "N" or "N-M" at *@text and moves *@text behind it. */
static int parse_range(const char **text, unsigned int *first, unsigned int *last)
{
	int ret = parse_cpu(text, first);

	*last = *first;
	if (ret || **text != '-')
		return ret;
	(*text)++;
	ret = parse_cpu(text, last);
	if (!ret && *last < *first)
		ret = -EINVAL;
	return ret;
}

int htmm_cpus_parse(struct htmm_cpus *cpus, const char *text, struct htmm_error *err)
{
	const char *at = text;
	unsigned int first = 0, last = 0;
	int ret;

	memset(cpus, 0, sizeof(*cpus));
	for (;;) {
		ret = parse_range(&at, &first, &last);
		if (ret == -ERANGE)
			return htmm_error_set(err, ERANGE, "CPU numbers end at 8191",
					      "CPU list '%s' has a number too high", text);
		if (ret || (*at && *at != ','))
			return htmm_error_set(err, EINVAL, todo_list,
					      "'%s' is not a list of CPUs", text);
		for (; first <= last; first++)
			cpus->bits[first / 64] |= 1ULL << (first % 64);
		if (cpus->size < (last / 64 + 1) * sizeof(__u64))
			cpus->size = (last / 64 + 1) * sizeof(__u64);
		if (!*at)
			return 0;
		at++;
	}
}

bool htmm_cpus_has(const struct htmm_cpus *cpus, unsigned int cpu)
{
	return cpu < HTMM_CPUS_MAX && cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

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
