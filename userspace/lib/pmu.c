// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <htmm/event.h>
#include <htmm/text.h>
#include "array.h"
#include "pmu.h"
#include "cpus.h"

/* Reads a file of a PMU's directory. */
static int read_line(const char *dir, const char *sub, const char *name, char *line)
{
	/* User input must not lead outside the directory. */
	if (!*name || *name == '.' || strchr(name, '/'))
		return -ENOENT;
	return htmm_read_line(line, PMU_LINE_MAX, "%s/%s%.255s", dir, sub, name);
}

/* Lists the names in a directory as "one, two, three", for advice. */
static void list_names(const char *dir, const char *sub, char *text, size_t size)
{
	char path[PMU_PATH_MAX + 16];
	struct dirent **entries;
	size_t used = 0;
	int nr, i;

	*text = '\0';
	snprintf(path, sizeof(path), "%s/%s", dir, sub);
	nr = scandir(path, &entries, NULL, alphasort);
	if (nr < 0)
		return;
	for (i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (*name != '.' && used + strlen(name) + 3 < size)
			used += snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
		free(entries[i]);
	}
	free(entries);
}

int pmu_open(struct pmu *pmu, const char *sysfs, const char *name, struct htmm_error *err)
{
	char devices[PMU_PATH_MAX / 2], names[200], todo[240], line[PMU_LINE_MAX];

	snprintf(devices, sizeof(devices), "%s/bus/event_source/devices", sysfs ? sysfs : "/sys");
	snprintf(pmu->dir, sizeof(pmu->dir), "%s/%.255s", devices, name);
	pmu->name = name;
	if (strchr(name, '.') || read_line(pmu->dir, "", "type", line)) {
		list_names(devices, "", names, sizeof(names));
		snprintf(todo, sizeof(todo), "the PMUs here are: %s", *names ? names : "none");
		return htmm_error_set(err, ENOENT, todo, "there is no PMU '%s'", name);
	}
	pmu->type = strtoul(line, NULL, 10);
	return 0;
}

/* The member of the event that "config1:" in a format means. */
static __u64 *format_field(struct htmm_event *event, const char *format, const char **bits)
{
	const char *colon = strchr(format, ':');
	size_t len = colon ? (size_t)(colon - format) : strlen(format);

	*bits = colon ? colon + 1 : "0-63";
	if (len == 6 && !strncmp(format, "config", len))
		return &event->config;
	if (len == 7 && !strncmp(format, "config1", len))
		return &event->config1;
	if (len == 7 && !strncmp(format, "config2", len))
		return &event->config2;
	return NULL;
}

/* Spreads the bits of @value over ranges such as "0-7,32-35"; the rest must be 0. */
static int scatter(__u64 *field, const char *bits, __u64 *value)
{
	while (*bits) {
		char *end;
		unsigned long first = strtoul(bits, &end, 10), last = first;
		__u64 mask;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == bits || last < first || last > 63 || (*end && *end != ','))
			return -EINVAL;
		mask = ~0ULL >> (63 - (last - first));
		*field = (*field & ~(mask << first)) | (*value & mask) << first;
		*value = last - first == 63 ? 0 : *value >> (last - first + 1);
		bits = *end ? end + 1 : end;
	}
	return 0;
}

int pmu_term(const struct pmu *pmu, struct htmm_event *event, const char *term, __u64 value,
	     struct htmm_error *err)
{
	char format[PMU_LINE_MAX], names[200], todo[256];
	__u64 rest = value, *field;
	const char *bits;

	if (read_line(pmu->dir, "format/", term, format)) {
		list_names(pmu->dir, "format", names, sizeof(names));
		snprintf(todo, sizeof(todo), "it knows: %s", *names ? names : "config");
		return htmm_error_set(err, ENOENT, todo, "PMU '%s' has no term '%s'",
				      pmu->name, term);
	}
	field = format_field(event, format, &bits);
	if (!field || scatter(field, bits, &rest))
		return htmm_error_set(err, EINVAL, "give config=, config1= or config2= directly",
				      "the format '%s' of term '%s' is not supported",
				      format, term);
	if (rest)
		return htmm_error_set(err, ERANGE, "give a smaller value",
				      "%#llx does not fit into term '%s' (%s)",
				      value, term, format);
	return 0;
}

int pmu_alias(const struct pmu *pmu, const char *name, char *terms)
{
	return read_line(pmu->dir, "events/", name, terms);
}

bool pmu_has(const struct pmu *pmu, const char *sub, const char *name)
{
	char line[PMU_LINE_MAX], dir[16];

	snprintf(dir, sizeof(dir), "%s/", sub);
	return !read_line(pmu->dir, dir, name, line);
}

const char *htmm_core_pmu(unsigned int index, const char *sysfs)
{
	static const char *const hybrid[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };
	struct pmu pmu = {};

	if (pmu_open(&pmu, sysfs, hybrid[0], NULL))
		return index ? NULL : "cpu";
	return index < ARRAY_SIZE(hybrid) && !pmu_open(&pmu, sysfs, hybrid[index], NULL) ?
	       hybrid[index] : NULL;
}

bool pmu_cpus(__u32 type, const char *sysfs, struct core_cpus *cores)
{
	char path[64];
	struct pmu pmu = {};
	unsigned int i;

	for (i = 0; (cores->pmu = htmm_core_pmu(i, sysfs)); i++) {
		snprintf(path, sizeof(path), "bus/event_source/devices/%s/cpus", cores->pmu);
		if (!pmu_open(&pmu, sysfs, cores->pmu, NULL) && pmu.type == type)
			return sysfs_list(&cores->cpus, cores->text, sysfs, path);
	}
	return false;
}
