/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped in an address space: ranges of addresses, in order.
 *
 * A process that forks has the same list as its child, until one of them changes.
 * All lists together have a limit, so that memory does not depend on what a file
 * says.
 */
#ifndef REPORT_VMAS_H
#define REPORT_VMAS_H

#include <linux/types.h>

/* Most ranges that all lists have room for. */
#define VMAS_MAX	(2U << 20)

/**
 * struct vma - a range of addresses
 * @start: its first address
 * @end: the first address after it
 * @name: number of its name
 * @mapping_plus_1: a mapping that it is part of, if it had a sample; of one of
 *	the spaces that share it
 */
struct vma {
	__u64 start;
	__u64 end;
	__u32 name;
	__u32 mapping_plus_1;
};

/**
 * struct vmas - a list
 * @refs: address spaces that have it
 * @nr: ranges
 * @room: as many would fit
 * @vma: the ranges
 */
struct vmas {
	__u32 refs;
	__u32 nr;
	__u32 room;
	struct vma vma[];
};

/**
 * vmas_share() - have a list, too
 * @vmas: the list; may be NULL, the empty one
 *
 * Return: @vmas.
 */
struct vmas *vmas_share(struct vmas *vmas);

/**
 * vmas_put() - have a list no longer
 * @vmas: the list; may be NULL
 * @used: room of all lists, in ranges
 */
void vmas_put(struct vmas *vmas, __u32 *used);

/**
 * vmas_own() - have a list that may be changed
 * @vmas: the list; replaced by a copy if it is shared
 * @more: ranges to have room for
 * @used: room of all lists, in ranges
 *
 * Return: 0, or -ENOMEM, also at the limit.
 */
int vmas_own(struct vmas **vmas, __u32 more, __u32 *used);

/**
 * vmas_map() - a range is mapped; what was there before is no longer
 * @vmas: the list
 * @vma: the range, which is not empty
 * @used: room of all lists, in ranges
 *
 * Return: 0, or -ENOMEM, also at the limit.
 */
int vmas_map(struct vmas **vmas, const struct vma *vma, __u32 *used);

/**
 * vmas_find() - the range of an address
 * @vmas: the list; may be NULL
 * @addr: the address
 *
 * Return: the range, or NULL if nothing is mapped there.
 */
struct vma *vmas_find(struct vmas *vmas, __u64 addr);

#endif /* REPORT_VMAS_H */
