/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the pages of shared files are in an address space, if they are mapped there more than
 * once: all views of a page of a file are one page of memory. The first view is its home.
 */
#ifndef REPORT_HOMES_H
#define REPORT_HOMES_H

#include "perfdata/idmap.h"
#include "vmas.h"

/* Most files of all address spaces. */
#define HOMES_MAX	(64U << 10)
/* Pieces of a mapping to look at, if its parts have different homes. */
#define HOMES_PIECES	64

/**
 * struct homes - the views of all shared files; all zero: none
 * @list: for each file of an address space the ranges of the file that have a home
 * @nr: how many there are
 */
struct homes {
	__u32 *list;
	__u32 nr;

	/* private: */
	size_t room;
	struct idmap by_file;
};

/**
 * homes_find() - find the home of a piece of a view, or make it one
 * @homes: the views
 * @vmas: all ranges
 * @key: the address space and the file
 * @start: address of the view
 * @pgoff: its offset in the file
 * @len: bytes, not 0; set to how many the answer is of
 *
 * Return: what leads from an address of the view to its home; 0: it is the home itself.
 */
__s64 homes_find(struct homes *homes, struct vmas *vmas, __u64 key, __u64 start, __u64 pgoff,
		 __u64 *len);

/**
 * homes_move() - give a range of a file another home
 * @homes: the views
 * @vmas: all ranges
 * @key: the address space and the file
 * @start: address of the view that is the home from now on
 * @pgoff: its offset in the file
 * @len: bytes
 */
void homes_move(struct homes *homes, struct vmas *vmas, __u64 key, __u64 start, __u64 pgoff,
		__u64 len);

/**
 * homes_free() - free all
 * @homes: the views; may be all zero
 */
void homes_free(struct homes *homes);

#endif /* REPORT_HOMES_H */
