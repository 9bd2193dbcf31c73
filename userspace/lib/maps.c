// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "array.h"
#include "maps.h"

/* A name of anonymous memory, with two addresses and a NUL. */
#define ANON_NAME_BYTES	48

/* Takes ownership of @name. */
static int append(struct htmm_maps *maps, const struct htmm_mapping *mapping, char *name)
{
	struct htmm_mapping *map = array_grow(maps->map, maps->nr, &maps->room, sizeof(*map));

	if (!map)
		return -ENOMEM;
	maps->map = map;
	maps->map[maps->nr] = *mapping;
	maps->map[maps->nr++].name = name;
	return 0;
}

/* Not what its program gave a name to, which is [anon:NAME]. */
static bool is_anon(const char *name)
{
	return !*name || !strcmp(name, "//anon") || !strncmp(name, "[anon ", 6);
}

/* A copy; name_anon() writes the name of anonymous memory when its range is known. */
static char *copy_name(const char *name)
{
	char *copy;

	if (!is_anon(name))
		return strdup(name);
	copy = malloc(ANON_NAME_BYTES);
	if (copy)
		snprintf(copy, ANON_NAME_BYTES, "[anon ");
	return copy;
}

/* Joins neighbours of anonymous memory, which the kernel keeps apart for its own reasons. */
static void join_anon(struct htmm_maps *maps)
{
	struct htmm_mapping *last = NULL;
	size_t i, kept = 0;

	for (i = 0; i < maps->nr; i++) {
		struct htmm_mapping *map = &maps->map[i];

		if (last && last->end == map->start && is_anon(last->name) && is_anon(map->name)) {
			last->end = map->end;
			free(map->name);
			continue;
		}
		last = &maps->map[kept++];
		*last = *map;
	}
	maps->nr = kept;
}

/* Names anonymous memory by its range. */
static void name_anon(struct htmm_maps *maps)
{
	struct htmm_mapping *map;

	join_anon(maps);
	for (map = maps->map; map < maps->map + maps->nr; map++)
		if (is_anon(map->name))
			snprintf(map->name, ANON_NAME_BYTES, "[anon %llx-%llx]",
				 (unsigned long long)map->start, (unsigned long long)map->end);
}

static __u32 prot_of(const char *perms)
{
	return (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
	       (perms[2] == 'x' ? PROT_EXEC : 0);
}

int maps_parse_line(struct htmm_maps *maps, char *line)
{
	unsigned long long start, end, offset, ino;
	struct htmm_mapping mapping = {};
	char perms[5], *name;
	int used = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset,
		   &mapping.maj, &mapping.min, &ino, &used) != 7 ||
	    !used || end <= start || strlen(perms) != 4)
		return 0;
	name = strdup(line + used);
	if (!name)
		return -ENOMEM;
	mapping.start = start;
	mapping.end = end;
	mapping.offset = offset;
	mapping.ino = ino;
	mapping.prot = prot_of(perms);
	mapping.flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (append(maps, &mapping, name)) {
		free(name);
		return -ENOMEM;
	}
	return 0;
}

static int parse(struct htmm_maps *maps, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	memset(maps, 0, sizeof(*maps));
	while (!ret && getline(&line, &size, file) > 0)
		ret = maps_parse_line(maps, line);
	free(line);
	if (ret)
		htmm_maps_free(maps);
	return ret;
}

int htmm_maps_load(struct htmm_maps *maps, const char *proc, __u32 pid)
{
	char path[PATH_MAX];
	FILE *file;
	int ret;

	memset(maps, 0, sizeof(*maps));
	snprintf(path, sizeof(path), "%s/%u/maps", proc, pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	ret = parse(maps, file);
	fclose(file);
	return ret;
}

/* Gives all of them names that tell them apart, and offsets to files only. */
static int tidy(struct htmm_maps *maps)
{
	struct htmm_mapping *map;
	char *name;

	for (map = maps->map; map < maps->map + maps->nr; map++) {
		name = copy_name(map->name);
		if (!name) {
			htmm_maps_free(maps);
			return -ENOMEM;
		}
		free(map->name);
		map->name = name;
		if (*name != '/')
			map->offset = 0;
	}
	name_anon(maps);
	return 0;
}

int maps_parse(struct htmm_maps *maps, FILE *file)
{
	int ret = parse(maps, file);

	return ret ? ret : tidy(maps);
}

int htmm_maps_read(struct htmm_maps *maps, __u32 pid)
{
	int ret = htmm_maps_load(maps, "/proc", pid);

	return ret ? ret : tidy(maps);
}

/* The first mapping that ends after @addr; mappings are sorted by address. */
static size_t first_after(const struct htmm_maps *maps, size_t nr, __u64 addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->map[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct htmm_mapping *htmm_maps_find(const struct htmm_maps *maps, __u64 addr)
{
	size_t i = first_after(maps, maps->nr, addr);

	return i < maps->nr && maps->map[i].start <= addr ? &maps->map[i] : NULL;
}

static int by_start(const void *a, const void *b)
{
	const struct htmm_mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Appends the parts of @old that the first @nr mappings do not cover. */
static int append_gaps(struct htmm_maps *maps, size_t nr, const struct htmm_mapping *old)
{
	struct htmm_mapping gap = *old;
	__u64 at = old->start;
	size_t i;

	for (i = first_after(maps, nr, at); at < old->end; i++) {
		bool covered = i < nr && maps->map[i].start < old->end;
		__u64 next = covered ? maps->map[i].start : old->end;

		if (next > at) {
			char *name = copy_name(old->name);

			gap.start = at;
			gap.end = next;
			gap.offset = *old->name == '/' ? old->offset + (at - old->start) : 0;
			if (!name || append(maps, &gap, name)) {
				free(name);
				return -ENOMEM;
			}
		}
		at = covered ? maps->map[i].end : old->end;
	}
	return 0;
}

int maps_merge(struct htmm_maps *maps, struct htmm_maps *old)
{
	size_t nr = maps->nr, i;
	int ret = 0;

	for (i = 0; i < old->nr && !ret; i++)
		ret = append_gaps(maps, nr, &old->map[i]);
	if (ret)
		while (maps->nr > nr)
			free(maps->map[--maps->nr].name);
	else if (maps->nr > nr)
		qsort(maps->map, maps->nr, sizeof(*maps->map), by_start);
	name_anon(maps);
	htmm_maps_free(old);
	return ret;
}

void htmm_maps_free(struct htmm_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		free(maps->map[i].name);
	free(maps->map);
	memset(maps, 0, sizeof(*maps));
}
