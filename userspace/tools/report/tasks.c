// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/array.h"
#include "perfdata/decode.h"
#include "tasks.h"

/* Approximate memory of a name besides its bytes. */
#define NAME_OVERHEAD	64

/* In the number of a name: a range of anonymous memory, which has no name until the end. */
#define ANON		0x80000000U

static const struct tasks_file no_file;

/* There are no records of unmapping, so unmapped and unknown ranges look the same. */
static const char unknown[] = "[unknown]";

static int add_name(struct tasks *tasks, __u64 key, const char *text, size_t len,
		    const struct tasks_file *file)
{
	struct tasks_name *grown;
	char *copy;

	if (len + NAME_OVERHEAD > TASKS_NAME_BYTES - tasks->name_bytes)
		return -ENOMEM;
	grown = array_grow(tasks->name, tasks->nr_names, &tasks->room_names, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	tasks->name = grown;
	copy = strndup(text, len);
	if (!copy || idmap_set(&tasks->by_name, key, tasks->nr_names)) {
		free(copy);
		return -ENOMEM;
	}
	tasks->name_bytes += len + NAME_OVERHEAD;
	tasks->name[tasks->nr_names] = (struct tasks_name) { copy, file->dev, file->ino };
	return tasks->nr_names++;
}

static bool is_name(const struct tasks_name *name, const char *text, size_t len,
		    const struct tasks_file *file)
{
	return name->ino == file->ino && name->dev == file->dev && strlen(name->text) == len &&
	       !memcmp(name->text, text, len);
}

/* The number of a name; that of each file is stored once. */
static int intern(struct tasks *tasks, const char *text, size_t len,
		  const struct tasks_file *file)
{
	const __u64 id[] = { idmap_hash(text, len), file->dev, file->ino };
	__u64 key = idmap_hash(id, sizeof(id));
	__s64 name;

	for (;; key++) {
		name = idmap_get(&tasks->by_name, key);
		if (name < 0)
			return add_name(tasks, key, text, len, file);
		if (is_name(&tasks->name[name], text, len, file))
			return name;
	}
}

/* Drops the pids of address spaces that have ended. */
static int forget_pids(struct tasks *tasks)
{
	struct idmap by_pid = {};
	__u32 i;

	for (i = 0; i < tasks->nr_spaces; i++) {
		const struct space *space = &tasks->space[i];

		if (space->used && idmap_get(&tasks->by_pid, space->pid) == i &&
		    idmap_set(&by_pid, space->pid, i)) {
			idmap_free(&by_pid);
			return -ENOMEM;
		}
	}
	idmap_free(&tasks->by_pid);
	tasks->by_pid = by_pid;
	return 0;
}

/* The number of an unused space. */
static int free_number(struct tasks *tasks)
{
	struct space *space;
	__u32 *unused;

	if (tasks->nr_free)
		return tasks->free_space[tasks->nr_free - 1];
	if (tasks->nr_spaces == TASKS_SPACES_MAX)
		return -ENOMEM;
	space = array_grow(tasks->space, tasks->nr_spaces, &tasks->room_spaces, sizeof(*space));
	if (!space)
		return -ENOMEM;
	tasks->space = space;
	unused = array_grow(tasks->free_space, tasks->nr_spaces, &tasks->room_free,
			    sizeof(*unused));
	if (!unused)
		return -ENOMEM;
	tasks->free_space = unused;
	return tasks->nr_spaces;
}

int tasks_new_space(struct tasks *tasks, __u32 pid)
{
	int number = free_number(tasks);

	if (number < 0 ||
	    (tasks->by_pid.nr >= 2 * TASKS_SPACES_MAX && forget_pids(tasks)) ||
	    idmap_set(&tasks->by_pid, pid, number))
		return -ENOMEM;
	if (tasks->nr_free)
		tasks->nr_free--;
	else
		tasks->nr_spaces++;
	tasks->space[number] = (struct space) {
		.pid = pid, .comm = "?", .threads = 1, .used = true,
	};
	return number;
}

/* Of a space that has ended, only its samples are kept. */
static void end_space(struct tasks *tasks, __u32 number)
{
	struct space *space = &tasks->space[number];

	space->exited = true;
	if (space->samples)
		return;
	vmas_put(&tasks->vmas, space->vmas);
	memset(space, 0, sizeof(*space));
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
	else
		tasks->left_out++;
}

void tasks_fork(struct tasks *tasks, __u32 pid, __u32 parent, bool clone)
{
	int old = find_space(tasks, pid), child, from;
	struct space *space, *like;

	if (old >= 0)
		end_space(tasks, old);
	child = tasks_new_space(tasks, pid);
	if (child < 0) {
		tasks->left_out++;
		return;
	}
	from = find_space(tasks, parent);
	if (from < 0 || from == child)
		return;
	space = &tasks->space[child];
	like = &tasks->space[from];
	memcpy(space->comm, like->comm, sizeof(space->comm));
	if (clone)
		space->vmas = vmas_share(&tasks->vmas, like->vmas);
}

void tasks_clone(struct tasks *tasks, __u32 pid)
{
	int number = tasks_space(tasks, pid);

	if (number >= 0)
		tasks->space[number].threads++;
	else
		tasks->left_out++;
}

/* The first thread may exit before others, which still use its mappings and name. */
void tasks_exit(struct tasks *tasks, __u32 pid)
{
	int number = find_space(tasks, pid);

	if (number >= 0 && !tasks->space[number].exited && !--tasks->space[number].threads)
		end_space(tasks, number);
}

static __u64 mapping_key(__u32 space, __u32 name)
{
	return (__u64)space << 32 | name;
}

/* Moves the samples of a range of anonymous memory to the one that it becomes a part of. */
static void join_samples(struct tasks *tasks, __u32 space, __u32 to, __u32 from)
{
	const __u64 key = mapping_key(space, from);
	const __s64 low = idmap_get(&tasks->by_mapping, mapping_key(space, to));
	const __s64 high = idmap_get(&tasks->by_mapping, key);

	if (high < 0 || low == high)
		return;
	if (low < 0) {
		idmap_set(&tasks->by_mapping, mapping_key(space, to), high);
		return;
	}
	tasks->mapping[low].samples += tasks->mapping[high].samples;
	tasks->mapping[high].samples = 0;
}

/* The range of anonymous memory at @addr, or else at @other. */
static const struct vma *anon_at(const struct tasks *tasks, __u32 space, __u64 addr, __u64 other)
{
	const __u32 list = tasks->space[space].vmas;
	const struct vma *vma = vmas_find(&tasks->vmas, list, addr);

	if (!vma || !(vma->name & ANON))
		vma = vmas_find(&tasks->vmas, list, other);
	return vma && vma->name & ANON ? vma : NULL;
}

/* Keeps where one range may end and another begin. A child has those of its parent. */
static void note_border(struct tasks *tasks, const struct vma *joined, __u64 addr)
{
	__u64 *grown;

	if (addr <= joined->start || addr >= joined->end || tasks->nr_borders == TASKS_BORDERS_MAX)
		return;
	grown = array_grow(tasks->border, tasks->nr_borders, &tasks->room_borders, sizeof(*grown));
	if (!grown)
		return;
	tasks->border = grown;
	tasks->border[tasks->nr_borders++] = addr;
}

/*
 * Joins anonymous memory with what it extends: the kernel reports a piece that is added, or the
 * whole. Ranges have numbers, not names: a name for each size of one that grows takes memory.
 */
static void join_anon(struct tasks *tasks, __u32 space, struct vma *vma)
{
	const __u64 below = vma->start ? vma->start - 1 : 0;
	const struct vma *low = anon_at(tasks, space, below, vma->start);
	const struct vma *high = anon_at(tasks, space, vma->end, vma->end - 1);
	const struct vma piece = *vma;

	if (low)
		vma->name = low->name;
	else if (high)
		vma->name = high->name;
	else
		vma->name = ANON | tasks->nr_anon++;
	if (low)
		vma->start = low->start;
	if (high)
		vma->end = high->end;
	note_border(tasks, vma, piece.start);
	note_border(tasks, vma, piece.end);
	if (low)
		note_border(tasks, vma, low->end);
	if (high)
		note_border(tasks, vma, high->start);
	if (low && high)
		join_samples(tasks, space, low->name, high->name);
}

/* Is the page at @addr still that of the file @name? */
static bool is_home(const struct tasks *tasks, __u32 space, __u64 addr, __u32 name)
{
	const struct vma *home = vmas_find(&tasks->vmas, tasks->space[space].vmas, addr);

	return home && home->name == name && !home->shift;
}

/* Maps a view of a file that can have others, in pieces that each have one home. */
static int map_view(struct tasks *tasks, __u32 space, const struct vma *view, __u64 pgoff)
{
	const __u64 key = mapping_key(space, view->name);
	struct vma piece = *view;
	int pieces = 0, ret = 0;

	for (; piece.start < view->end && !ret; piece.start = piece.end) {
		const __u64 at = pgoff + (piece.start - view->start);
		__u64 len = view->end - piece.start;

		piece.shift = 0;
		if (pieces++ < HOMES_PIECES)
			piece.shift = homes_find(&tasks->homes, &tasks->vmas, key, piece.start, at,
						 &len);
		if (piece.shift && !is_home(tasks, space, piece.start + piece.shift, piece.name)) {
			piece.shift = 0;
			homes_move(&tasks->homes, &tasks->vmas, key, piece.start, at, len);
		}
		piece.end = piece.start + len;
		ret = vmas_map(&tasks->vmas, &tasks->space[space].vmas, &piece);
	}
	return ret;
}

/*
 * Can a shared mapping be one of several of the same memory? What has no path, such as perf's
 * rings, has the inode that all of its kind have.
 */
static bool has_views(const struct tasks_file *file, const char *name, size_t name_len)
{
	return file->shared && file->dev && name_len && *name == '/';
}

static void map_range(struct tasks *tasks, __u32 space, __u64 start, __u64 len,
		      const char *name, size_t name_len, const struct tasks_file *file)
{
	struct space *where = &tasks->space[space];
	struct vma vma = { .start = start, .offset = file->pgoff - start };
	__u64 last;
	int ret = 0;

	if (!len || __builtin_add_overflow(start, len, &vma.end))
		return;
	where->found.len = 0;
	/* Memory without a file has many names that all mean the same. */
	if (!name_len || (name_len >= 6 && !memcmp(name, "//anon", 6))) {
		join_anon(tasks, space, &vma);
	} else {
		ret = intern(tasks, name, name_len, file);
		vma.name = ret;
	}
	if (ret >= 0 && has_views(file, name, name_len) &&
	    !__builtin_add_overflow(file->pgoff, len, &last))
		ret = map_view(tasks, space, &vma, file->pgoff);
	else if (ret >= 0)
		ret = vmas_map(&tasks->vmas, &where->vmas, &vma);
	tasks->left_out += ret < 0;
}

void tasks_map(struct tasks *tasks, __u32 space, __u64 start, __u64 len, const char *name,
	       size_t name_len)
{
	map_range(tasks, space, start, len, name, name_len, &no_file);
}

void tasks_mmap(struct tasks *tasks, __u32 pid, __u64 start, __u64 len, const char *name,
		size_t name_len, const struct tasks_file *file)
{
	int number = tasks_space(tasks, pid);

	if (number >= 0)
		map_range(tasks, number, start, len, name, name_len, file ?: &no_file);
	else
		tasks->left_out++;
}

bool tasks_is_file(const struct tasks *tasks, __u32 name)
{
	static const char *const own[] = { "/memfd:", "/dev/zero", "/anon_hugepage", "/SYSV" };
	const char *text = tasks_name_text(tasks, name);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (!strncmp(text, own[i], strlen(own[i])))
			return false;
	return *text == '/';
}

const char *tasks_name_text(const struct tasks *tasks, __u32 name)
{
	return name & ANON ? "[anon]" : tasks->name[name].text;
}

const struct mapping *tasks_sampled(const struct tasks *tasks, __u32 space, __u32 name)
{
	const __s64 number = idmap_get(&tasks->by_mapping, mapping_key(space, name));

	return number < 0 ? NULL : &tasks->mapping[number];
}

static int mapping_of(struct tasks *tasks, __u32 space, __u32 name)
{
	__u64 key = mapping_key(space, name);
	__s64 number = idmap_get(&tasks->by_mapping, key);
	struct mapping *grown;

	if (number >= 0)
		return number;
	if (tasks->nr_mappings == TASKS_MAPPINGS_MAX)
		return -ENOMEM;
	grown = array_grow(tasks->mapping, tasks->nr_mappings, &tasks->room_mappings,
			   sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	tasks->mapping = grown;
	if (idmap_set(&tasks->by_mapping, key, tasks->nr_mappings))
		return -ENOMEM;
	tasks->mapping[tasks->nr_mappings] = (struct mapping) {
		.name = tasks_name_text(tasks, name),
		.number = name,
		.space = space,
	};
	return tasks->nr_mappings++;
}

int tasks_mapping(struct tasks *tasks, __u32 space, const char *name, size_t len)
{
	int id = intern(tasks, name, len, &no_file);

	return id < 0 ? id : mapping_of(tasks, space, id);
}

/* The mapping for addresses outside all known ranges. */
static int find_nowhere(struct tasks *tasks, __u32 space)
{
	int mapping = (int)tasks->space[space].nowhere_plus_1 - 1;

	if (mapping >= 0)
		return mapping;
	mapping = tasks_mapping(tasks, space, unknown, sizeof(unknown) - 1);
	tasks->space[space].nowhere_plus_1 = mapping < 0 ? 0 : mapping + 1;
	return mapping;
}

/* A range grows; of one that another mapping has cut in two, both parts are one mapping. */
static void widen(struct mapping *mapping, const struct vma *vma)
{
	if (!mapping->end || vma->start < mapping->start)
		mapping->start = vma->start;
	if (vma->end > mapping->end)
		mapping->end = vma->end;
}

int tasks_search(struct tasks *tasks, __u32 space, __u64 addr)
{
	struct space *where = &tasks->space[space];
	const struct vma *vma = vmas_find(&tasks->vmas, where->vmas, addr);
	int mapping = vma ? mapping_of(tasks, space, vma->name) : find_nowhere(tasks, space);

	if (!vma || mapping < 0)
		return mapping;
	where->found.start = vma->start;
	where->found.len = vma->end - vma->start;
	where->found.mapping = mapping;
	where->found.shift = vma->shift &&
			     is_home(tasks, space, addr + vma->shift, vma->name) ? vma->shift : 0;
	if (vma->name & ANON)
		widen(&tasks->mapping[mapping], vma);
	return mapping;
}

/* Adds to the name of a file what tells it from others of the same name. */
static void name_file(const struct tasks *tasks, struct mapping *mapping)
{
	const struct tasks_name *name = &tasks->name[mapping->number];
	int ret;

	if (mapping->longer || !name->dev)
		return;
	if (name->dev == PERFDATA_DEV_BUILD_ID)
		ret = asprintf(&mapping->longer, "%s (build id %llx)", name->text, name->ino);
	else
		ret = asprintf(&mapping->longer, "%s (inode %llu)", name->text, name->ino);
	if (ret < 0)
		mapping->longer = NULL;
	else
		mapping->name = mapping->longer;
}

/* Finds mappings of one name in one address space: with each comes an earlier one, if any. */
static void name_files(struct tasks *tasks)
{
	struct idmap first = {};
	__u32 i;

	for (i = 0; i < tasks->nr_mappings; i++) {
		struct mapping *mapping = &tasks->mapping[i];
		__u64 id[2] = { mapping->space };
		__s64 other;

		if (mapping->number & ANON || !mapping->samples)
			continue;
		id[1] = idmap_hash(tasks->name[mapping->number].text,
				   strlen(tasks->name[mapping->number].text));
		other = idmap_get(&first, idmap_hash(id, sizeof(id)));
		if (other < 0) {
			idmap_set(&first, idmap_hash(id, sizeof(id)), i);
			continue;
		}
		name_file(tasks, &tasks->mapping[other]);
		name_file(tasks, mapping);
	}
	idmap_free(&first);
}

static int by_address(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

void tasks_name(struct tasks *tasks)
{
	struct mapping *mapping = tasks->mapping;
	__u32 i;

	name_files(tasks);
	if (tasks->nr_borders)
		qsort(tasks->border, tasks->nr_borders, sizeof(*tasks->border), by_address);
	for (i = 0; i < tasks->nr_mappings; i++, mapping++) {
		if (!mapping->end)
			continue;
		snprintf(mapping->range, sizeof(mapping->range), "[anon %llx-%llx]",
			 mapping->start, mapping->end);
		mapping->name = mapping->range;
	}
}

bool tasks_range(const struct tasks *tasks, const struct mapping *mapping, __u64 *start,
		 __u64 *end)
{
	const __u32 list = tasks->space[mapping->space].vmas;
	unsigned long long from, to;
	const struct vma *vma;
	__u64 addr = 0;

	*start = *end = 0;
	if (sscanf(mapping->name, "[anon %llx-%llx]", &from, &to) == 2) {
		*start = from;
		*end = to;
	}
	while (!strcmp(mapping->name, "[heap]") && (vma = vmas_next(&tasks->vmas, list, addr))) {
		addr = vma->end;
		if (vma->name != mapping->number)
			continue;
		*start = *end ? *start : vma->start;
		*end = vma->end;
	}
	return *end > *start;
}

__u64 tasks_border(const struct tasks *tasks, __u64 addr, __u64 within)
{
	size_t low = 0, high = tasks->nr_borders;
	__u64 best = addr;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (tasks->border[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < tasks->nr_borders && tasks->border[low] - addr < within) {
		best = tasks->border[low];
		within = best - addr;
	}
	if (low && addr - tasks->border[low - 1] < within)
		best = tasks->border[low - 1];
	return best;
}

/* Adds up the ranges of an address space. */
static void measure(struct tasks *tasks, __u32 number)
{
	struct space *space = &tasks->space[number];
	const struct vma *vma;
	__u64 addr = 0;

	while ((vma = vmas_next(&tasks->vmas, space->vmas, addr))) {
		const __s64 mapping = idmap_get(&tasks->by_mapping, mapping_key(number, vma->name));
		const __u64 pages = ((vma->end + 4095) >> 12) - (vma->start >> 12);

		addr = vma->end;
		/* Another view of pages that are counted already. */
		if (vma->shift)
			continue;
		space->room += pages;
		if (mapping >= 0)
			tasks->mapping[mapping].room += pages;
	}
	if (space->nowhere_plus_1 && tasks->mapping[space->nowhere_plus_1 - 1].pages)
		space->room = 0;
}

__u64 tasks_measure(struct tasks *tasks)
{
	bool known = true;
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < tasks->nr_spaces; i++) {
		struct space *space = &tasks->space[i];

		if (!space->samples)
			continue;
		if (!space->partial)
			measure(tasks, i);
		known = known && space->room;
		sum += space->room;
	}
	return known ? sum : 0;
}

void tasks_free(struct tasks *tasks)
{
	__u32 i;

	vmas_free(&tasks->vmas);
	homes_free(&tasks->homes);
	for (i = 0; i < tasks->nr_names; i++)
		free(tasks->name[i].text);
	for (i = 0; i < tasks->nr_mappings; i++)
		free(tasks->mapping[i].longer);
	free(tasks->space);
	free(tasks->free_space);
	free(tasks->mapping);
	free(tasks->name);
	free(tasks->border);
	idmap_free(&tasks->by_pid);
	idmap_free(&tasks->by_name);
	idmap_free(&tasks->by_mapping);
	memset(tasks, 0, sizeof(*tasks));
}
