// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <htmm/maps.h>
#include <htmm/names.h>

/**
 * struct process - what is known of a process
 * @pid: its pid
 * @space: its newest address space; 0: not known
 * @error: why @maps could not be read, a negative errno, or 0
 * @comm: its command; empty if unknown
 * @maps: its mappings
 */
struct process {
	__u32 pid;
	__u32 space;
	int error;
	char comm[32];
	struct htmm_maps maps;
};

/**
 * struct htmm_names - the processes, in the order they were met
 * @process: each is allocated on its own, as places point into it
 * @nr: how many there are
 * @room: elements that fit into @process
 * @last: index of the one found last; the next page is often its too
 */
struct htmm_names {
	struct process **process;
	size_t nr;
	size_t room;
	size_t last;
};

struct htmm_names *htmm_names_new(void)
{
	return calloc(1, sizeof(struct htmm_names));
}

void htmm_names_free(struct htmm_names *names)
{
	size_t i;

	if (!names)
		return;
	for (i = 0; i < names->nr; i++) {
		htmm_maps_free(&names->process[i]->maps);
		free(names->process[i]);
	}
	free(names->process);
	free(names);
}

static struct process *find(struct htmm_names *names, __u32 pid)
{
	size_t i;

	if (names->last < names->nr && names->process[names->last]->pid == pid)
		return names->process[names->last];
	for (i = 0; i < names->nr; i++) {
		if (names->process[i]->pid == pid) {
			names->last = i;
			return names->process[i];
		}
	}
	return NULL;
}

static struct process *find_or_add(struct htmm_names *names, __u32 pid)
{
	struct process *process = find(names, pid), **grown;

	if (process)
		return process;
	if (names->nr == names->room) {
		grown = realloc(names->process, (2 * names->room + 16) * sizeof(*grown));
		if (!grown)
			return NULL;
		names->process = grown;
		names->room = 2 * names->room + 16;
	}
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->error = -ESRCH;
	names->process[names->nr++] = process;
	return process;
}

static void read_comm(struct process *process)
{
	char path[32], comm[sizeof(process->comm)] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", process->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(comm, sizeof(comm), file)) {
		comm[strcspn(comm, "\n")] = '\0';
		memcpy(process->comm, comm, sizeof(comm));
	}
	fclose(file);
}

int htmm_names_refresh(struct htmm_names *names, __u32 pid)
{
	struct process *process = find_or_add(names, pid);
	struct htmm_maps maps;
	int ret;

	if (!process)
		return -ENOMEM;
	ret = htmm_maps_read(&maps, pid);
	/* A process that has exited but is not waited for has no mappings. */
	if (!ret && !maps.nr)
		ret = -ESRCH;
	if (ret) {
		if (!process->maps.nr)
			process->error = ret;
		htmm_maps_free(&maps);
		return ret;
	}
	ret = htmm_maps_merge(&maps, &process->maps);
	process->maps = maps;
	process->error = 0;
	read_comm(process);
	return ret;
}

void htmm_names_note(struct htmm_names *names, const struct htmm_page_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct htmm_hot_page *page = &list->pages[i];
		struct process *process = page->pid ? find(names, page->pid) : NULL;

		if (!process && page->pid && !(page->flags & HTMM_PAGE_EXITED)) {
			htmm_names_refresh(names, page->pid);
			process = find(names, page->pid);
		}
		if (process && process->space < page->space)
			process->space = page->space;
	}
}

struct htmm_place htmm_names_find(struct htmm_names *names, const struct htmm_hot_page *page)
{
	struct htmm_place place = { "?", "[exited]", 0 };
	const struct htmm_mapping *mapping;
	struct process *process;

	process = page->pid ? find(names, page->pid) : NULL;
	if (!process && page->pid && !(page->flags & HTMM_PAGE_EXITED)) {
		htmm_names_refresh(names, page->pid);
		process = find(names, page->pid);
	}
	if (!process)
		return place;
	if (*process->comm)
		place.comm = process->comm;
	/* Before exec(), or an earlier process with the same pid. */
	if (page->space < process->space)
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
