// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <htmm/text.h>
#include "perfdata/feature.h"
#include "perfdata/writer.h"

#define NODES	"/sys/devices/system/node"
#define PMUS	"/sys/bus/event_source/devices"
#define LINE	512

static void put_u32(FILE *out, __u32 value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put_u64(FILE *out, __u64 value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put_text(FILE *out, const char *text)
{
	const size_t len = strlen(text) + 1;
	const size_t size = (len + PERFDATA_TEXT_ALIGN - 1) & ~(size_t)(PERFDATA_TEXT_ALIGN - 1);
	size_t i;

	put_u32(out, size);
	fwrite(text, len, 1, out);
	for (i = len; i < size; i++)
		putc(0, out);
}

/*
 * Finds the text behind "NAME" in a file of lines such as "NAME : text" or "Node 0 NAME:
 * text". Returns 0 or -ENOENT.
 */
static int find_line(const char *path, const char *name, char text[LINE])
{
	FILE *file = fopen(path, "re");
	int ret = -ENOENT;
	char line[LINE];

	if (!file)
		return -errno;
	while (ret && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');
		char *at = strstr(line, name);

		if (!colon || !at || at > colon)
			continue;
		colon[strcspn(colon, "\n")] = '\0';
		for (colon++; isspace((unsigned char)*colon); colon++)
			;
		memmove(text, colon, strlen(colon) + 1);
		ret = 0;
	}
	fclose(file);
	return ret;
}

static const struct utsname *system_names(void)
{
	static struct utsname names;

	uname(&names);
	return &names;
}

static int put_hostname(FILE *out, const struct perfdata_writer *writer)
{
	(void)writer;
	put_text(out, system_names()->nodename);
	return 0;
}

static int put_osrelease(FILE *out, const struct perfdata_writer *writer)
{
	(void)writer;
	put_text(out, system_names()->release);
	return 0;
}

static int put_version(FILE *out, const struct perfdata_writer *writer)
{
	(void)writer;
	put_text(out, "htmm " HTMM_VERSION);
	return 0;
}

static int put_arch(FILE *out, const struct perfdata_writer *writer)
{
	(void)writer;
	put_text(out, system_names()->machine);
	return 0;
}

static int put_nrcpus(FILE *out, const struct perfdata_writer *writer)
{
	(void)writer;
	put_u32(out, sysconf(_SC_NPROCESSORS_CONF));
	put_u32(out, sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}

static int put_cpudesc(FILE *out, const struct perfdata_writer *writer)
{
	char text[LINE];
	int ret = find_line("/proc/cpuinfo", "model name", text);

	(void)writer;
	if (!ret)
		put_text(out, text);
	return ret;
}

/* In perf's format for x86; other architectures name the lines differently, and it is left out. */
static int put_cpuid(FILE *out, const struct perfdata_writer *writer)
{
	static const char *const names[] = { "vendor_id", "cpu family", "model", "stepping" };
	char text[4 * LINE] = "", word[LINE];
	size_t i;

	(void)writer;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (find_line("/proc/cpuinfo", names[i], word))
			return -ENOENT;
		if (i)
			strcat(text, ",");
		strcat(text, word);
	}
	put_text(out, text);
	return 0;
}

static int put_build_ids(FILE *out, const struct perfdata_writer *writer)
{
	if (!writer->build_id_bytes)
		return -ENODATA;
	fwrite(writer->build_ids, writer->build_id_bytes, 1, out);
	return 0;
}

static int put_total_mem(FILE *out, const struct perfdata_writer *writer)
{
	char text[LINE];
	int ret = find_line("/proc/meminfo", "MemTotal", text);

	(void)writer;
	if (!ret)
		put_u64(out, strtoull(text, NULL, 10));
	return ret;
}

static int put_cmdline(FILE *out, const struct perfdata_writer *writer)
{
	int i;

	put_u32(out, writer->argc);
	for (i = 0; i < writer->argc; i++)
		put_text(out, writer->argv[i]);
	return 0;
}

static int put_event_desc(FILE *out, const struct perfdata_writer *writer)
{
	unsigned int i;

	put_u32(out, writer->nr_events);
	put_u32(out, sizeof(struct perf_event_attr));
	for (i = 0; i < writer->nr_events; i++) {
		const struct perfdata_event *event = &writer->events[i];

		fwrite(&event->attr, sizeof(event->attr), 1, out);
		put_u32(out, 1);
		put_text(out, event->name);
		put_u64(out, event->id);
	}
	return 0;
}

static int put_node(FILE *out, unsigned int node)
{
	char path[LINE], total[LINE], unused[LINE], cpus[LINE];

	snprintf(path, sizeof(path), NODES "/node%u/meminfo", node);
	if (find_line(path, "MemTotal", total) || find_line(path, "MemFree", unused))
		return -ENOENT;
	if (htmm_read_line(cpus, LINE, NODES "/node%u/cpulist", node))
		return -ENOENT;
	put_u32(out, node);
	put_u64(out, strtoull(total, NULL, 10));
	put_u64(out, strtoull(unused, NULL, 10));
	put_text(out, cpus);
	return 0;
}

static int is_node(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "node", 4) && isdigit((unsigned char)entry->d_name[4]);
}

static int put_numa_topology(FILE *out, const struct perfdata_writer *writer)
{
	struct dirent **entries;
	int i, nr, ret = 0;

	(void)writer;
	nr = scandir(NODES, &entries, is_node, versionsort);
	if (nr < 0)
		return -errno;
	put_u32(out, nr);
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = put_node(out, strtoul(entries[i]->d_name + 4, NULL, 10));
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int has_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int put_pmu_mappings(FILE *out, const struct perfdata_writer *writer)
{
	char type[LINE];
	struct dirent **entries;
	int i, nr, ret = 0;

	(void)writer;
	nr = scandir(PMUS, &entries, has_name, alphasort);
	if (nr < 0)
		return -errno;
	put_u32(out, nr);
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = htmm_read_line(type, LINE, PMUS "/%s/type", entries[i]->d_name);
		if (!ret) {
			put_u32(out, strtoul(type, NULL, 10));
			put_text(out, entries[i]->d_name);
		}
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/* In a pipe, features are written before the samples, so the times are unknown. */
static int put_sample_time(FILE *out, const struct perfdata_writer *writer)
{
	if (!writer->last_time)
		return -ENODATA;
	put_u64(out, writer->first_time);
	put_u64(out, writer->last_time);
	return 0;
}

/**
 * struct feature - how a feature is written
 * @feature: which
 * @put: writes it; returns 0, or a negative errno to leave it out
 */
static const struct feature {
	enum perfdata_feature feature;
	int (*put)(FILE *out, const struct perfdata_writer *writer);
} features[] = {
	{ PERFDATA_BUILD_ID, put_build_ids },
	{ PERFDATA_HOSTNAME, put_hostname },
	{ PERFDATA_OSRELEASE, put_osrelease },
	{ PERFDATA_VERSION, put_version },
	{ PERFDATA_ARCH, put_arch },
	{ PERFDATA_NRCPUS, put_nrcpus },
	{ PERFDATA_CPUDESC, put_cpudesc },
	{ PERFDATA_CPUID, put_cpuid },
	{ PERFDATA_TOTAL_MEM, put_total_mem },
	{ PERFDATA_CMDLINE, put_cmdline },
	{ PERFDATA_EVENT_DESC, put_event_desc },
	{ PERFDATA_NUMA_TOPOLOGY, put_numa_topology },
	{ PERFDATA_PMU_MAPPINGS, put_pmu_mappings },
	{ PERFDATA_SAMPLE_TIME, put_sample_time },
};

#define NR_FEATURES	(sizeof(features) / sizeof(struct feature))
static_assert(NR_FEATURES <= PERFDATA_FEATURES_MAX, "room in an array of blobs");

/* Returns 0, or a negative errno; then there is nothing to free. */
static int make_blob(const struct feature *feature, const struct perfdata_writer *writer,
		     struct perfdata_blob *blob)
{
	FILE *out;
	int ret;

	blob->feature = feature->feature;
	blob->data = NULL;
	out = open_memstream(&blob->data, &blob->size);
	if (!out)
		return -errno;
	ret = feature->put(out, writer);
	if (ferror(out))
		ret = -ENOMEM;
	if (fclose(out))
		ret = -ENOMEM;
	if (ret)
		free(blob->data);
	return ret;
}

unsigned int perfdata_features(const struct perfdata_writer *writer,
			       struct perfdata_blob blobs[PERFDATA_FEATURES_MAX])
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < NR_FEATURES; i++)
		if (!make_blob(&features[i], writer, &blobs[nr]))
			nr++;
	return nr;
}

void perfdata_features_free(struct perfdata_blob *blobs, unsigned int nr)
{
	while (nr)
		free(blobs[--nr].data);
}
