/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The mappings of a process, from /proc/PID/maps. */
#ifndef HTMM_MAPS_H
#define HTMM_MAPS_H

#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

/**
 * struct htmm_mapping - one mapping
 * @start: its first address
 * @end: the first address after it
 * @offset: its offset in the file; 0 if there is no file
 * @name: file, or a name in brackets: [heap], [stack] ...; anonymous memory is named by its
 *        range, [anon START-END] in hexadecimal
 * @ino: inode of the file; 0: no file
 * @maj: major number of its device
 * @min: minor number of its device
 * @prot: PROT_*
 * @flags: MAP_SHARED or MAP_PRIVATE
 * @mark: for the caller; 0 at first
 */
struct htmm_mapping {
	__u64 start;
	__u64 end;
	__u64 offset;
	char *name;
	__u64 ino;
	__u32 maj;
	__u32 min;
	__u32 prot;
	__u32 flags;
	__u64 mark;
};

/**
 * struct htmm_maps - the mappings of one process, by address
 * @map: the mappings
 * @nr: how many there are; neighbours of anonymous memory are one
 * @room: private: elements that fit into @map
 */
struct htmm_maps {
	struct htmm_mapping *map;
	size_t nr;
	size_t room;
};

/*
 * Reads the mappings of a process. Old contents of @maps are ignored. Returns 0, -ENOMEM, or the
 * negative errno of opening the file.
 */
int htmm_maps_read(struct htmm_maps *maps, __u32 pid);

/*
 * Reads them as the kernel lists them: neighbours of anonymous memory are not joined, and have an
 * empty name. @proc: where procfs is mounted.
 */
int htmm_maps_load(struct htmm_maps *maps, const char *proc, __u32 pid);

/* The mapping of an address, or NULL if none covers it. */
struct htmm_mapping *htmm_maps_find(const struct htmm_maps *maps, __u64 addr);

/* Frees the mappings. @maps may be all zero. */
void htmm_maps_free(struct htmm_maps *maps);

#endif /* HTMM_MAPS_H */
