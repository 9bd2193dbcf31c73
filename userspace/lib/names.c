// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <htmm/names.h>
#include <htmm/text.h>
#include "array.h"
#include "maps.h"

/**
 * struct space - the newest address space of a process in a target
 * @target: number of the target; each target numbers its own address spaces
 * @number: its number
 * @next: its number in the newest list of pages; 0: not in the list
 * @lives: @next belongs to a live process
 */
struct space {
	__u32 target;
	__u32 number;
	__u32 next;
	bool lives;
};

/**
 * struct process - what is known about a process
 * @pid: its pid
 * @read: @error, @comm and @maps have been read
 * @error: why @maps could not be read, a negative errno, or 0
 * @comm: its command; empty if unknown
 * @maps: its mappings
 * @space: the targets in which it has pages; few, as a task counts for one at a time
 * @nr_spaces: how many there are
 */
struct process {
	__u32 pid;
	bool read;
	int error;
	char comm[32];
	struct htmm_maps maps;
	struct space *space;
	size_t nr_spaces;
};

/**
 * struct htmm_names - the processes, by pid
 * @process: each one allocated separately, as places point into it
 * @nr: how many there are
 * @room: elements that fit into @process
 * @session: the session of the pages
 */
struct htmm_names {
	struct process **process;
	size_t nr;
	size_t room;
	__u64 session;
};

struct htmm_names *htmm_names_new(void)
{
	return calloc(1, sizeof(struct htmm_names));
}

static void free_process(struct process *process)
{
	htmm_maps_free(&process->maps);
	free(process->space);
	free(process);
}

static void forget_all(struct htmm_names *names)
{
	while (names->nr)
		free_process(names->process[--names->nr]);
}

void htmm_names_free(struct htmm_names *names)
{
	if (!names)
		return;
	forget_all(names);
	free(names->process);
	free(names);
}

/* The index of the process, or where to insert it. */
static size_t position(const struct htmm_names *names, __u32 pid)
{
	size_t low = 0, high = names->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->process[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct process *find(const struct htmm_names *names, __u32 pid)
{
	size_t at = position(names, pid);

	return at < names->nr && names->process[at]->pid == pid ? names->process[at] : NULL;
}

static struct process *find_or_add(struct htmm_names *names, __u32 pid)
{
	struct process *process = find(names, pid), **grown;
	size_t at = position(names, pid);

	if (process)
		return process;
	grown = array_grow(names->process, names->nr, &names->room, sizeof(*grown));
	if (!grown)
		return NULL;
	names->process = grown;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->error = -ESRCH;
	memmove(&names->process[at + 1], &names->process[at],
		(names->nr++ - at) * sizeof(*names->process));
	names->process[at] = process;
	return process;
}

static struct space *find_space(const struct process *process, __u32 target)
{
	size_t i;

	for (i = 0; i < process->nr_spaces; i++)
		if (process->space[i].target == target)
			return &process->space[i];
	return NULL;
}

static struct space *find_or_add_space(struct process *process, __u32 target)
{
	struct space *space = find_space(process, target), *grown;

	if (space)
		return space;
	grown = realloc(process->space, (process->nr_spaces + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	process->space = grown;
	space = &grown[process->nr_spaces++];
	*space = (struct space) { .target = target };
	return space;
}

/* The upper end of a stack never moves: if it differs, another program runs. */
static bool same_program(const struct htmm_maps *now, const struct htmm_maps *before)
{
	__u64 end[2] = {};
	size_t i;

	for (i = 0; i < now->nr; i++)
		if (!strcmp(now->map[i].name, "[stack]"))
			end[0] = now->map[i].end;
	for (i = 0; i < before->nr; i++)
		if (!strcmp(before->map[i].name, "[stack]"))
			end[1] = before->map[i].end;
	return end[0] == end[1] || !end[0] || !end[1];
}

static int refresh(struct process *process)
{
	char comm[sizeof(process->comm)];
	struct htmm_maps maps;
	int ret;

	process->read = true;
	ret = htmm_maps_read(&maps, process->pid);
	/* A process that has exited but is not reaped has no mappings. */
	if (!ret && !maps.nr)
		ret = -ESRCH;
	if (ret) {
		if (!process->maps.nr)
			process->error = ret;
		htmm_maps_free(&maps);
		return ret;
	}
	if (!same_program(&maps, &process->maps))
		htmm_maps_free(&process->maps);
	ret = maps_merge(&maps, &process->maps);
	process->maps = maps;
	process->error = 0;
	if (!htmm_read_line(comm, sizeof(comm), "/proc/%u/comm", process->pid))
		memcpy(process->comm, comm, sizeof(comm));
	return ret;
}

int htmm_names_refresh(struct htmm_names *names, __u32 pid)
{
	struct process *process = find_or_add(names, pid);

	return process ? refresh(process) : -ENOMEM;
}

/* The mappings are of an earlier address space. */
static void forget_maps(struct process *process)
{
	htmm_maps_free(&process->maps);
	process->comm[0] = '\0';
	process->error = -ESRCH;
	process->read = false;
}

/* The newest address space is that of a live process' pages; if there is none, the highest. */
static void learn(struct space *space, const struct htmm_page *page)
{
	if (!(page->flags & HTMM_PAGE_EXITED)) {
		space->next = page->space;
		space->lives = true;
	} else if (!space->lives && page->space > space->next && page->space > space->number) {
		space->next = page->space;
	}
}

/*
 * Applies what learn() found. Maps are dropped if they were of an earlier address space. In
 * a target where the process had no page yet, that is unknown, so they are read again.
 */
static void apply(struct process *process, struct space *space)
{
	if (space->next && space->next != space->number) {
		if (space->number)
			forget_maps(process);
		if (space->lives)
			process->read = false;
		space->number = space->next;
	}
	space->next = 0;
	space->lives = false;
}

void htmm_names_note(struct htmm_names *names, __u64 session, const struct htmm_page_list *list)
{
	const struct htmm_page *page, *end = list->pages + list->nr;
	struct process *process;
	struct space *space;

	if (names->session && names->session != session)
		forget_all(names);
	names->session = session;

	for (page = list->pages; page < end; page++) {
		process = page->pid ? find_or_add(names, page->pid) : NULL;
		space = process ? find_or_add_space(process, page->target) : NULL;
		if (space)
			learn(space, page);
	}
	for (page = list->pages; page < end; page++) {
		process = find(names, page->pid);
		space = process ? find_space(process, page->target) : NULL;
		if (!space)
			continue;
		apply(process, space);
		if (!process->read && !(page->flags & HTMM_PAGE_EXITED))
			refresh(process);
	}
}

/* The process of a page; reads its names if it lives. NULL if it is unknown. */
static struct process *process_of(struct htmm_names *names, const struct htmm_page *page)
{
	bool lives = page->pid && !(page->flags & HTMM_PAGE_EXITED);
	struct process *process = lives ? find_or_add(names, page->pid) : find(names, page->pid);

	if (process && lives && !process->read)
		refresh(process);
	return process;
}

struct htmm_place htmm_names_find(struct htmm_names *names, const struct htmm_page *page)
{
	struct htmm_place place = { "?", "[exited]", 0 };
	struct process *process = process_of(names, page);
	const struct htmm_mapping *mapping;
	const struct space *space;

	if (!page->pid && !(page->flags & HTMM_PAGE_EXITED))
		place.mapping = "[other pid namespace]";
	if (!process)
		return place;
	if (*process->comm)
		place.comm = process->comm;
	/* A page from before exec(), or of an earlier process with the same pid. */
	space = find_space(process, page->target);
	if (space && space->number != page->space)
		return place;

	mapping = htmm_maps_find(&process->maps, page->addr);
	if (mapping) {
		place.mapping = mapping->name;
		place.offset = page->addr - mapping->start + mapping->offset;
	} else if (process->error == -EACCES || process->error == -EPERM) {
		place.mapping = "[unknown]";
	} else if (!process->error && !(page->flags & HTMM_PAGE_EXITED)) {
		place.mapping = "[unmapped]";
	}
	return place;
}

void htmm_names_save(const struct htmm_names *names, FILE *file)
{
	const struct htmm_mapping *map;
	size_t i;

	for (i = 0; i < names->nr; i++) {
		const struct process *process = names->process[i];
		const struct htmm_maps *maps = &process->maps;

		fprintf(file, "process %u %s\n", process->pid, process->comm);
		for (map = maps->map; map < maps->map + maps->nr; map++)
			fprintf(file, "%llx-%llx ---- %llx 0:0 0 %s\n", map->start, map->end,
				map->offset, map->name);
	}
}

int htmm_names_load(struct htmm_names *names, FILE *file)
{
	struct process *process = NULL;
	char *line = NULL, comm[32];
	size_t size = 0;
	int ret = 0;
	__u32 pid;

	while (!ret && getline(&line, &size, file) > 0) {
		*comm = '\0';
		if (sscanf(line, "process %u %31[^\n]", &pid, comm) < 1) {
			ret = process ? maps_parse_line(&process->maps, line) : 0;
			continue;
		}
		process = find(names, pid) ? NULL : find_or_add(names, pid);
		if (process)
			memcpy(process->comm, comm, sizeof(comm));
	}
	free(line);
	return ret;
}
