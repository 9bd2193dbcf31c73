// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "areas.h"
#include "htmmctl/output.h"

/* Ranges of anonymous memory that wait for a name above them. */
#define WAITING_MAX	1024

/**
 * struct gap - the anonymous memory below a mapping that has a name
 * @vma: the ranges, by rising address
 * @nr: how many there are
 */
struct gap {
	struct vma vma[WAITING_MAX];
	unsigned int nr;
};

/**
 * struct naming - what is known while an address space is read from below
 * @areas: what is filled
 * @tasks: all processes
 * @space: number of the address space
 * @gap: anonymous memory that is still to be named
 */
struct naming {
	struct areas *areas;
	const struct tasks *tasks;
	__u32 space;
	struct gap gap;
};

static bool is_anon_name(const char *name)
{
	return !strncmp(name, "[anon ", 6);
}

/* The name of a range; NULL: anonymous memory. */
static const char *name_of(const struct tasks *tasks, const struct vma *vma)
{
	const char *name = vma->name < tasks->nr_names ? tasks->name[vma->name].text : NULL;

	return name && !is_anon_name(name) ? name : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = *path == '/' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

static struct area *area_of(const struct naming *naming, const struct vma *vma)
{
	const struct mapping *mapping = tasks_sampled(naming->tasks, naming->space, vma->name);

	return mapping ? &naming->areas->area[mapping - naming->tasks->mapping] : NULL;
}

static int size_name(char *text, size_t size, const struct vma *vma)
{
	char bytes[SIZE_TEXT];

	return snprintf(text, size, "[anon %s", size_text(bytes, vma->end - vma->start));
}

/* Where a range is among those of its size, from the top. */
static unsigned int number_of(const struct gap *gap, unsigned int index, const char *size)
{
	unsigned int number = 1, i;
	char other[48];

	for (i = index + 1; i < gap->nr; i++) {
		size_name(other, sizeof(other), &gap->vma[i]);
		number += !strcmp(other, size);
	}
	return number;
}

static char *anon_name(const struct gap *gap, unsigned int index, const char *above)
{
	unsigned int number;
	char size[48], *name;
	int ret;

	size_name(size, sizeof(size), &gap->vma[index]);
	number = number_of(gap, index, size);
	if (number > 1)
		ret = asprintf(&name, "%s below %s, %u]", size, base_name(above), number);
	else
		ret = asprintf(&name, "%s below %s]", size, base_name(above));
	return ret < 0 ? NULL : name;
}

static __u64 key_of(const char *comm, const char *name)
{
	const __u64 id[] = { idmap_hash(comm, strlen(comm)), idmap_hash(name, strlen(name)) };

	return idmap_hash(id, sizeof(id));
}

static int name_gap(struct naming *naming, const char *above)
{
	const char *comm = naming->tasks->space[naming->space].comm;
	struct gap *gap = &naming->gap;
	unsigned int i;

	for (i = 0; i < gap->nr; i++) {
		const struct vma *vma = &gap->vma[i];
		struct area *area = area_of(naming, vma);
		char *name = anon_name(gap, i, above);

		if (!name || idmap_set(&naming->areas->names, key_of(comm, name), 0)) {
			free(name);
			return -ENOMEM;
		}
		if (!area || area->name) {
			free(name);
			continue;
		}
		area->name = name;
		area->above = above;
		area->order = gap->nr - 1 - i;
		area->start = vma->start;
		area->bytes = vma->end - vma->start;
	}
	gap->nr = 0;
	return 0;
}

/* Neighbours are one range: of a live session, each page that has samples is one of its own. */
static void add_anon(struct gap *gap, const struct vma *vma)
{
	struct vma *last = gap->nr ? &gap->vma[gap->nr - 1] : NULL;

	if (last && last->name == vma->name)
		last->end = vma->end;
	else if (gap->nr < WAITING_MAX)
		gap->vma[gap->nr++] = *vma;
}

/*
 * @below: the name of the range below. If a file has two ranges with others in between, how far
 * one is from the other is different in each run.
 */
static int name_named(struct area *area, const struct vma *vma, const char *name,
		      const char *below)
{
	if (area->name) {
		area->whole = area->whole || below != name;
	} else {
		area->name = strdup(name);
		area->start = vma->start;
		area->whole = *name == '[' && strcmp(name, "[heap]") &&
			      strncmp(name, "[anon:", 6);
	}
	area->bytes = vma->end - area->start;
	return area->name ? 0 : -ENOMEM;
}

static int name_bss(struct area *area, const struct vma *vma, const char *file)
{
	if (area->name)
		return 0;
	area->start = vma->start;
	area->bytes = vma->end - vma->start;
	return asprintf(&area->name, "%s [bss]", file) < 0 ? -ENOMEM : 0;
}

static int name_space(struct naming *naming, __u32 space)
{
	const struct tasks *tasks = naming->tasks;
	const __u32 list = tasks->space[space].vmas;
	const char *below = NULL;
	const struct vma *vma;
	__u64 addr = 0, end = 0;
	int ret = 0;

	naming->space = space;
	for (; !ret && (vma = vmas_next(&tasks->vmas, list, addr)); addr = vma->end) {
		const char *name = name_of(tasks, vma);
		struct area *area = area_of(naming, vma);
		const bool is_bss = !name && below && *below == '/' && vma->start == end;
		const char *last = below;

		end = vma->end;
		if (is_bss) {
			ret = area ? name_bss(area, vma, below) : 0;
			continue;
		}
		below = name;
		if (!name) {
			add_anon(&naming->gap, vma);
			continue;
		}
		ret = name_gap(naming, name);
		if (!ret && area)
			ret = name_named(area, vma, name, last);
	}
	return ret ? ret : name_gap(naming, "the top");
}

/* What is no longer mapped at the end. */
static int name_rest(struct areas *areas, const struct tasks *tasks)
{
	__u32 i;

	for (i = 0; i < areas->nr; i++) {
		const char *name = tasks->mapping[i].name;
		struct area *area = &areas->area[i];

		area->comm = tasks->space[tasks->mapping[i].space].comm;
		area->pages = tasks->mapping[i].pages;
		if (area->name)
			continue;
		area->whole = true;
		area->name = strdup(is_anon_name(name) ? "[anon]" : name);
		if (!area->name)
			return -ENOMEM;
	}
	return 0;
}

int areas_make(struct areas *areas, const struct report *report)
{
	const struct tasks *tasks = &report->tasks;
	struct naming *naming = calloc(1, sizeof(*naming));
	int ret = 0;
	__u32 i;

	*areas = (struct areas) {
		.area = calloc(tasks->nr_mappings + 1UL, sizeof(*areas->area)),
		.nr = tasks->nr_mappings,
	};
	if (!areas->area || !naming) {
		free(naming);
		return -ENOMEM;
	}
	naming->areas = areas;
	naming->tasks = tasks;
	for (i = 0; i < tasks->nr_spaces && !ret; i++)
		if (tasks->space[i].samples)
			ret = name_space(naming, i);
	free(naming);
	return ret ? ret : name_rest(areas, tasks);
}

bool areas_have(const struct areas *areas, const struct area *area)
{
	return idmap_get(&areas->names, key_of(area->comm, area->name)) >= 0;
}

void areas_free(struct areas *areas)
{
	__u32 i;

	for (i = 0; areas->area && i < areas->nr; i++)
		free(areas->area[i].name);
	free(areas->area);
	idmap_free(&areas->names);
}
