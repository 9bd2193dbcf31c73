// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "perfdata/proc.h"

/*
 * Starts at the state: the parent is the 2nd field, the start time the 20th; code and stack
 * are the 24th to 26th.
 */
#define STAT_FORMAT	" %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u " \
			"%*d %*d %*d %*d %*d %*d %llu %*u %*d %*u %llu %llu %llu"
#define STAT_FIELDS	5

int proc_stat_read(const char *proc, __u32 pid, struct proc_stat *stat)
{
	char path[PATH_MAX], text[1024];
	unsigned long long started, code[2], stack;
	unsigned int ppid;
	size_t got;
	FILE *file;
	char *end;

	snprintf(path, sizeof(path), "%s/%u/stat", proc, pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	got = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[got] = '\0';
	/* The name is in parentheses, and may itself contain them. */
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, STAT_FORMAT, &ppid, &started, &code[0], &code[1],
			   &stack) != STAT_FIELDS)
		return -ESRCH;
	stat->ppid = ppid;
	stat->started = started;
	stat->program = (struct proc_program) { code[0], code[1], stack };
	return 0;
}

int proc_comm_read(const char *proc, __u32 pid, __u32 tid, char comm[PROC_COMM_MAX])
{
	char path[PATH_MAX];
	FILE *file;
	char *ok;

	snprintf(path, sizeof(path), "%s/%u/task/%u/comm", proc, pid, tid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	memset(comm, 0, PROC_COMM_MAX);
	ok = fgets(comm, PROC_COMM_MAX, file);
	fclose(file);
	if (!ok)
		return -ESRCH;
	comm[strcspn(comm, "\n")] = '\0';
	return 0;
}

static __u32 prot_of(const char *perms)
{
	return (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
	       (perms[2] == 'x' ? PROT_EXEC : 0);
}

static int parse_line(char *line, struct proc_mapping *mapping)
{
	unsigned long long start, end, offset, ino;
	char perms[5];
	int used = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset,
		   &mapping->maj, &mapping->min, &ino, &used) != 7 || !used || strlen(perms) != 4)
		return -EINVAL;
	mapping->start = start;
	mapping->end = end;
	mapping->offset = offset;
	mapping->ino = ino;
	mapping->identified = false;
	mapping->prot = prot_of(perms);
	mapping->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	mapping->name = strdup(line + used);
	return mapping->name ? 0 : -ENOMEM;
}

static int append(struct proc_maps *maps, size_t *room, const struct proc_mapping *mapping)
{
	struct proc_mapping *map;

	if (maps->nr == *room) {
		*room = *room ? 2 * *room : 64;
		map = realloc(maps->map, *room * sizeof(*map));
		if (!map)
			return -ENOMEM;
		maps->map = map;
	}
	maps->map[maps->nr++] = *mapping;
	return 0;
}

int proc_maps_read(const char *proc, __u32 pid, struct proc_maps *maps)
{
	struct proc_mapping mapping;
	char path[PATH_MAX], *line = NULL;
	size_t size = 0, room = 0;
	FILE *file;
	int ret = 0;

	memset(maps, 0, sizeof(*maps));
	snprintf(path, sizeof(path), "%s/%u/maps", proc, pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!ret && getline(&line, &size, file) > 0) {
		ret = parse_line(line, &mapping);
		if (ret == -EINVAL) {
			ret = 0;
			continue;
		}
		if (!ret && append(maps, &room, &mapping)) {
			free(mapping.name);
			ret = -ENOMEM;
		}
	}
	free(line);
	fclose(file);
	if (ret)
		proc_maps_free(maps);
	return ret;
}

void proc_maps_free(struct proc_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		free(maps->map[i].name);
	free(maps->map);
	memset(maps, 0, sizeof(*maps));
}

struct proc_mapping *proc_maps_find(const struct proc_maps *maps, __u64 addr)
{
	size_t low = 0, high = maps->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->map[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->nr && maps->map[low].start <= addr ? &maps->map[low] : NULL;
}
