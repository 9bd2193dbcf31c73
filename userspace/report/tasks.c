// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tasks.h"

static const char unmapped[] = "[unmapped]";

/* Make room for one more element; @room counts those that fit. */
static void *grow(void *array, __u32 nr, __u32 *room, size_t size, bool *failed)
{
	__u32 more = *room ? 2 * *room : 16;
	void *bigger;

	if (nr < *room)
		return array;
	bigger = realloc(array, more * size);
	if (!bigger) {
		*failed = true;
		return array;
	}
	*room = more;
	return bigger;
}

static __u64 hash_bytes(const char *bytes, size_t len)
{
	__u64 hash = 0xcbf29ce484222325ULL;

	while (len--)
		hash = (hash ^ (unsigned char)*bytes++) * 0x100000001b3ULL;
	return hash;
}

static int add_name(struct tasks *tasks, __u64 key, const char *text, size_t len)
{
	bool failed = false;
	char *copy;

	tasks->name = grow(tasks->name, tasks->nr_names, &tasks->room_names,
			   sizeof(*tasks->name), &failed);
	copy = failed ? NULL : strndup(text, len);
	if (!copy || idmap_set(&tasks->by_name, key, tasks->nr_names)) {
		free(copy);
		tasks->no_memory = true;
		return -ENOMEM;
	}
	tasks->name[tasks->nr_names] = copy;
	return tasks->nr_names++;
}

/* The number of a name; each name is kept once. */
static int intern(struct tasks *tasks, const char *text, size_t len)
{
	__u64 key = hash_bytes(text, len);
	__s64 name;

	for (;; key++) {
		name = idmap_get(&tasks->by_name, key);
		if (name < 0)
			return add_name(tasks, key, text, len);
		if (strlen(tasks->name[name]) == len && !memcmp(tasks->name[name], text, len))
			return name;
	}
}

static void clear_space(struct space *space)
{
	free(space->vma);
	memset(space, 0, sizeof(*space));
}

int tasks_new_space(struct tasks *tasks, __u32 pid)
{
	bool failed = false;
	__u32 number;

	if (tasks->nr_free) {
		number = tasks->free_space[--tasks->nr_free];
	} else {
		tasks->space = grow(tasks->space, tasks->nr_spaces, &tasks->room_spaces,
				    sizeof(*tasks->space), &failed);
		tasks->free_space = grow(tasks->free_space, tasks->nr_spaces, &tasks->room_free,
					 sizeof(*tasks->free_space), &failed);
		number = tasks->nr_spaces;
	}
	if (failed || idmap_set(&tasks->by_pid, pid, number)) {
		tasks->no_memory = true;
		return -ENOMEM;
	}
	if (number == tasks->nr_spaces)
		tasks->nr_spaces++;
	memset(&tasks->space[number], 0, sizeof(tasks->space[number]));
	tasks->space[number].pid = pid;
	tasks->space[number].used = true;
	tasks->space[number].comm[0] = '?';
	return number;
}

/* Nothing but its samples is worth keeping of a space that ends. */
static void end_space(struct tasks *tasks, __u32 number)
{
	struct space *space = &tasks->space[number];

	space->exited = true;
	if (space->samples)
		return;
	clear_space(space);
	tasks->free_space[tasks->nr_free++] = number;
}

static int find_space(const struct tasks *tasks, __u32 pid)
{
	__s64 number = idmap_get(&tasks->by_pid, pid);

	if (number < 0 || !tasks->space[number].used || tasks->space[number].pid != pid)
		return -ENOENT;
	return number;
}

int tasks_space(struct tasks *tasks, __u32 pid)
{
	int number = find_space(tasks, pid);

	return number >= 0 ? number : tasks_new_space(tasks, pid);
}

void tasks_name_space(struct tasks *tasks, __u32 space, const char *comm, size_t len)
{
	char *name = tasks->space[space].comm;

	if (len >= sizeof(tasks->space[space].comm))
		len = sizeof(tasks->space[space].comm) - 1;
	memcpy(name, comm, len);
	name[len] = '\0';
}

void tasks_comm(struct tasks *tasks, __u32 pid, const char *comm, size_t len, bool exec)
{
	int number = tasks_space(tasks, pid);

	if (number >= 0 && exec) {
		end_space(tasks, number);
		number = tasks_new_space(tasks, pid);
	}
	if (number >= 0)
		tasks_name_space(tasks, number, comm, len);
}

void tasks_fork(struct tasks *tasks, __u32 pid, __u32 parent, bool clone)
{
	int old = find_space(tasks, pid), child, from;
	struct space *space, *like;
	__u32 i;

	if (old >= 0)
		end_space(tasks, old);
	child = tasks_new_space(tasks, pid);
	from = find_space(tasks, parent);
	if (child < 0 || from < 0 || from == child)
		return;
	space = &tasks->space[child];
	like = &tasks->space[from];
	memcpy(space->comm, like->comm, sizeof(space->comm));
	if (!clone || !like->nr_vmas)
		return;
	space->vma = malloc(like->nr_vmas * sizeof(*space->vma));
	if (!space->vma) {
		tasks->no_memory = true;
		return;
	}
	for (i = 0; i < like->nr_vmas; i++) {
		space->vma[i] = like->vma[i];
		space->vma[i].mapping_plus_1 = 0;
	}
	space->room = like->nr_vmas;
	space->nr_vmas = like->nr_vmas;
}

void tasks_exit(struct tasks *tasks, __u32 pid)
{
	int number = find_space(tasks, pid);

	if (number >= 0)
		end_space(tasks, number);
}

/* The first range that ends after @addr. */
static __u32 first_after(const struct space *space, __u64 addr)
{
	__u32 low = 0, high = space->nr_vmas;

	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (space->vma[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Put @vma at @at. */
static int insert(struct space *space, __u32 at, const struct vma *vma)
{
	bool failed = false;

	space->vma = grow(space->vma, space->nr_vmas, &space->room, sizeof(*space->vma), &failed);
	if (failed)
		return -ENOMEM;
	memmove(space->vma + at + 1, space->vma + at,
		(space->nr_vmas - at) * sizeof(*space->vma));
	space->vma[at] = *vma;
	space->nr_vmas++;
	return 0;
}

/* Cut [start, end) out of what is mapped. Returns where it would be. */
static int punch(struct space *space, __u64 start, __u64 end)
{
	__u32 at = first_after(space, start), last;

	if (at == space->nr_vmas)
		return at;
	if (space->vma[at].start < start) {
		struct vma head = space->vma[at];

		head.end = start;
		space->vma[at].start = start;
		if (insert(space, at, &head))
			return -ENOMEM;
		at++;
	}
	for (last = at; last < space->nr_vmas && space->vma[last].end <= end; last++)
		;
	memmove(space->vma + at, space->vma + last,
		(space->nr_vmas - last) * sizeof(*space->vma));
	space->nr_vmas -= last - at;
	if (at < space->nr_vmas && space->vma[at].start < end)
		space->vma[at].start = end;
	return at;
}

/* Memory without a file has many spellings; they all mean the same. */
static int intern_mapping(struct tasks *tasks, const char *name, size_t len)
{
	if (!len || (len >= 6 && !memcmp(name, "//anon", 6)))
		return intern(tasks, "[anon]", 6);
	return intern(tasks, name, len);
}

void tasks_map(struct tasks *tasks, __u32 space, __u64 start, __u64 len, const char *name,
	       size_t name_len)
{
	struct vma vma = { .start = start };
	int id, at;

	if (!len || __builtin_add_overflow(start, len, &vma.end))
		return;
	id = intern_mapping(tasks, name, name_len);
	if (id < 0)
		return;
	vma.name = id;
	at = punch(&tasks->space[space], start, vma.end);
	if (at < 0 || insert(&tasks->space[space], at, &vma))
		tasks->no_memory = true;
}

void tasks_mmap(struct tasks *tasks, __u32 pid, __u64 start, __u64 len, const char *name,
		size_t name_len)
{
	int number = tasks_space(tasks, pid);

	if (number >= 0)
		tasks_map(tasks, number, start, len, name, name_len);
}

static int mapping_of(struct tasks *tasks, __u32 space, __u32 name)
{
	__u64 key = (__u64)space << 32 | name;
	__s64 number = idmap_get(&tasks->by_mapping, key);
	bool failed = false;

	if (number >= 0)
		return number;
	tasks->mapping = grow(tasks->mapping, tasks->nr_mappings, &tasks->room_mappings,
			      sizeof(*tasks->mapping), &failed);
	if (failed || idmap_set(&tasks->by_mapping, key, tasks->nr_mappings)) {
		tasks->no_memory = true;
		return -ENOMEM;
	}
	tasks->mapping[tasks->nr_mappings] = (struct mapping) {
		.name = tasks->name[name],
		.space = space,
	};
	return tasks->nr_mappings++;
}

int tasks_mapping(struct tasks *tasks, __u32 space, const char *name, size_t len)
{
	int id = intern_mapping(tasks, name, len);

	return id < 0 ? id : mapping_of(tasks, space, id);
}

int tasks_find(struct tasks *tasks, __u32 space, __u64 addr)
{
	struct space *where = &tasks->space[space];
	struct vma *vma;
	int mapping;

	if (where->hint >= where->nr_vmas || addr < where->vma[where->hint].start ||
	    addr >= where->vma[where->hint].end)
		where->hint = first_after(where, addr);
	if (where->hint >= where->nr_vmas || addr < where->vma[where->hint].start)
		return tasks_mapping(tasks, space, unmapped, sizeof(unmapped) - 1);
	vma = &where->vma[where->hint];
	if (vma->mapping_plus_1)
		return vma->mapping_plus_1 - 1;
	mapping = mapping_of(tasks, space, vma->name);
	if (mapping >= 0)
		vma->mapping_plus_1 = mapping + 1;
	return mapping;
}

void tasks_free(struct tasks *tasks)
{
	__u32 i;

	for (i = 0; i < tasks->nr_spaces; i++)
		free(tasks->space[i].vma);
	for (i = 0; i < tasks->nr_names; i++)
		free(tasks->name[i]);
	free(tasks->space);
	free(tasks->free_space);
	free(tasks->mapping);
	free(tasks->name);
	idmap_free(&tasks->by_pid);
	idmap_free(&tasks->by_name);
	idmap_free(&tasks->by_mapping);
	memset(tasks, 0, sizeof(*tasks));
}
