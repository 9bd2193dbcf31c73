/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes of a recording: their address spaces, and what is mapped there.
 *
 * As in the module, exec() begins a new address space, and a reused pid is another process.
 * Address spaces with samples are kept until the end.
 */
#ifndef REPORT_TASKS_H
#define REPORT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "perfdata/idmap.h"
#include "homes.h"
#include "vmas.h"

/* Limits, so that memory does not depend on a file's contents. */
#define TASKS_SPACES_MAX	(128U << 10)
#define TASKS_MAPPINGS_MAX	(256U << 10)
#define TASKS_NAME_BYTES	(16U << 20)
#define TASKS_BORDERS_MAX	(64U << 10)

/**
 * struct tasks_file - the file of a mapping
 * @dev: its device; 0: not known
 * @ino: its inode, which may be 0; without @dev only its name tells it from others
 * @pgoff: offset of the mapping; also without @dev
 * @shared: the mapping is shared: its pages are those of the file
 */
struct tasks_file {
	__u64 dev;
	__u64 ino;
	__u64 pgoff;
	bool shared;
};

/**
 * struct tasks_name - the name of a file, or a name in brackets
 * @text: the name
 * @dev: device of the file; 0: not known
 * @ino: its inode
 */
struct tasks_name {
	char *text;
	__u64 dev;
	__u64 ino;
};

/**
 * struct mapping_range - a part of a mapping that is hotter or colder than its neighbours
 * @start: its first address
 * @end: the first address after it
 * @samples: samples in it; with counts that were halved, its part of those of the mapping
 * @pages: pages tracked at the end
 * @hot_pages: hot ones
 */
struct mapping_range {
	__u64 start;
	__u64 end;
	__u64 samples;
	__u64 pages;
	__u64 hot_pages;
};

/**
 * struct mapping - all mappings of one file in one address space
 * @name: file, or a name in brackets; "FILE (inode N)" if there are others of this name
 * @number: number of the name
 * @longer: private: the memory of @name, if it is longer than that of the file
 * @range: "[anon START-END]" for anonymous memory, of which each range is one mapping; tasks_name()
 *         sets @name to it
 * @start: first address of anonymous memory
 * @end: the first address after it; 0: not anonymous memory
 * @space: number of the address space
 * @samples: samples in it, not cooled
 * @pages: pages tracked at the end
 * @hot_pages: hot ones
 * @room: pages that the ranges mapped at the end have; 0: not known
 * @ranges: its ranges, by address, if it was divided
 * @nr_ranges: how many there are; 0: it is hot or cold as a whole, or was not divided
 */
struct mapping {
	const char *name;
	__u32 number;
	char *longer;
	char range[48];
	__u64 start;
	__u64 end;
	__u32 space;
	__u64 samples;
	__u64 pages;
	__u64 hot_pages;
	__u64 room;
	struct mapping_range *ranges;
	__u32 nr_ranges;
};

/**
 * struct space - an address space
 * @pid: its process
 * @comm: the process's command; "?" if unknown
 * @target: index of its target in a live session
 * @threads: its live threads, as far as the file tells
 * @exited: all of them have exited, or the process has executed another program
 * @used: false: the element is free
 * @samples: samples in it, not cooled
 * @pages: pages tracked at the end
 * @hot_pages: hot ones
 * @partial: some mappings are not known
 * @room: pages that its mappings have at the end; 0: not known
 * @vmas: list of what is mapped
 * @found: private: the range found last and its mapping; a length of 0: none
 * @nowhere_plus_1: private: mapping for addresses in no range, plus 1; 0: none yet
 */
struct space {
	__u32 pid;
	char comm[16];
	__u32 target;
	__u32 threads;
	bool exited;
	bool used;
	__u64 samples;
	__u64 pages;
	__u64 hot_pages;
	bool partial;
	__u64 room;
	__u32 vmas;
	struct {
		__u64 start;
		__u64 len;
		__u32 mapping;
		__s64 shift;
	} found;
	__u32 nowhere_plus_1;
};

/**
 * struct tasks - all processes
 * @space: the address spaces, by their number
 * @nr_spaces: how many elements @space has
 * @mapping: the mappings that had samples
 * @nr_mappings: how many there are
 * @left_out: records left out because of too many processes or mappings, or no memory
 */
struct tasks {
	struct space *space;
	__u32 nr_spaces;
	struct mapping *mapping;
	__u32 nr_mappings;
	__u64 left_out;

	/* private: */
	struct vmas vmas;
	struct homes homes;
	__u32 name_bytes;
	size_t room_spaces;
	size_t room_mappings;
	size_t room_free;
	__u32 *free_space;
	__u32 nr_free;
	struct tasks_name *name;
	__u32 nr_names;
	size_t room_names;
	__u32 nr_anon;			/* ranges of anonymous memory so far */
	__u64 *border;			/* where these were joined; sorted by tasks_name() */
	__u32 nr_borders;
	size_t room_borders;
	struct idmap by_pid;
	struct idmap by_name;
	struct idmap by_mapping;
};

/**
 * tasks_free() - free all processes
 * @tasks: the processes; may be all zero
 */
void tasks_free(struct tasks *tasks);

/* Handle records. What cannot be stored is counted in @left_out. */
void tasks_comm(struct tasks *tasks, __u32 pid, const char *comm, size_t len, bool exec);
void tasks_fork(struct tasks *tasks, __u32 pid, __u32 parent, bool clone);
/* A process has one thread more, or one less: without threads it has exited. */
void tasks_clone(struct tasks *tasks, __u32 pid);
void tasks_exit(struct tasks *tasks, __u32 pid);
/* @file: NULL: not known. */
void tasks_mmap(struct tasks *tasks, __u32 pid, __u64 start, __u64 len, const char *name,
		size_t name_len, const struct tasks_file *file);

/**
 * tasks_space() - get the present address space of a process
 * @tasks: the processes
 * @pid: the process; added if it is unknown
 *
 * Return: its number, or -ENOMEM.
 */
int tasks_space(struct tasks *tasks, __u32 pid);

/**
 * tasks_new_space() - begin a new address space
 * @tasks: the processes
 * @pid: its process
 *
 * Return: its number, or -ENOMEM.
 */
int tasks_new_space(struct tasks *tasks, __u32 pid);

/**
 * tasks_name_space() - set the command of an address space
 * @tasks: the processes
 * @space: number of the address space
 * @comm: the command, not NUL-terminated
 * @len: its bytes
 */
void tasks_name_space(struct tasks *tasks, __u32 space, const char *comm, size_t len);

/**
 * tasks_map() - map a range in an address space
 * @tasks: the processes
 * @space: number of the address space
 * @start: first address
 * @len: bytes; replaces earlier mappings there
 * @name: file, or a name in brackets, not NUL-terminated
 * @name_len: its bytes
 */
void tasks_map(struct tasks *tasks, __u32 space, __u64 start, __u64 len, const char *name,
	       size_t name_len);

/**
 * tasks_mapping() - get or add the mapping of a name
 * @tasks: the processes
 * @space: number of the address space
 * @name: the name, not NUL-terminated
 * @len: its bytes
 *
 * Return: its number, or -ENOMEM.
 */
int tasks_mapping(struct tasks *tasks, __u32 space, const char *name, size_t len);

/**
 * tasks_name() - name anonymous memory by its ranges, and files of the same name by their inodes
 * @tasks: the processes, to which no more mappings are added
 */
void tasks_name(struct tasks *tasks);

/**
 * tasks_range() - get the addresses of memory that may have several arrays
 * @tasks: the processes, after tasks_name()
 * @mapping: the mapping
 * @start: set to its first address
 * @end: set to the first address after it
 *
 * Return: false if it is neither the heap nor anonymous memory without a name.
 */
bool tasks_range(const struct tasks *tasks, const struct mapping *mapping, __u64 *start,
		 __u64 *end);

/**
 * tasks_border() - find where anonymous memory was joined
 * @tasks: the processes, after tasks_name()
 * @addr: an address
 * @within: less than so many bytes away
 *
 * Return: the nearest such address, of any process; @addr: there is none.
 */
__u64 tasks_border(const struct tasks *tasks, __u64 addr, __u64 within);

/**
 * tasks_measure() - set how many pages address spaces and mappings have
 * @tasks: the processes, with all their pages
 *
 * Of an address space that has pages outside of all known ranges, it is not known.
 *
 * Return: the sum of those that have samples; 0: not known of all.
 */
__u64 tasks_measure(struct tasks *tasks);

/**
 * tasks_sampled() - get the mapping of a name, if it had samples
 * @tasks: the processes
 * @space: number of the address space
 * @name: number of the name
 *
 * Return: the mapping, or NULL.
 */
const struct mapping *tasks_sampled(const struct tasks *tasks, __u32 space, __u32 name);

/**
 * tasks_is_file() - tell if a mapping is of a file that others can open
 * @tasks: the processes
 * @name: number of the mapping's name
 *
 * Return: false for memory without a file, and for a file that only its processes know.
 */
bool tasks_is_file(const struct tasks *tasks, __u32 name);

/**
 * tasks_name_text() - get the name of a mapping
 * @tasks: the processes
 * @name: its number
 *
 * Return: the name; "[anon]" for memory without one.
 */
const char *tasks_name_text(const struct tasks *tasks, __u32 name);

/**
 * tasks_search() - find the mapping of an address that is not in the range found last
 * @tasks: the processes
 * @space: number of the address space
 * @addr: the address
 *
 * Return: as tasks_find().
 */
int tasks_search(struct tasks *tasks, __u32 space, __u64 addr);

/**
 * tasks_find() - get the mapping of an address
 * @tasks: the processes
 * @space: number of the address space
 * @addr: the address; "[unknown]" if nothing is known to be there
 *
 * Return: its number, or -ENOMEM.
 */
static inline int tasks_find(struct tasks *tasks, __u32 space, __u64 addr)
{
	const struct space *where = &tasks->space[space];

	if (addr - where->found.start < where->found.len)
		return where->found.mapping;
	return tasks_search(tasks, space, addr);
}

/**
 * tasks_home() - get the address at which a page counts
 * @tasks: the processes
 * @space: number of the address space
 * @addr: the address, for which tasks_find() was called last
 *
 * Return: where the same page of a shared file was mapped first; else @addr.
 */
static inline __u64 tasks_home(const struct tasks *tasks, __u32 space, __u64 addr)
{
	const struct space *where = &tasks->space[space];

	return addr - where->found.start < where->found.len ? addr + where->found.shift : addr;
}

#endif /* REPORT_TASKS_H */
