/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped in address spaces: for each a list of ranges, by address.
 *
 * A process that forks has the same list as its child, and when one of them changes,
 * they go on sharing what did not change. So whatever a file says, a record takes a
 * time that grows with the logarithm of the number of ranges; and all lists together
 * have a limit, so that memory does not depend on it either.
 */
#ifndef REPORT_VMAS_H
#define REPORT_VMAS_H

#include <stddef.h>
#include <linux/types.h>

/* Most ranges of all lists; with number 0, which is none, a power of two. */
#define VMAS_MAX	((1024U << 10) - 1)

/**
 * struct vma - a range of addresses
 * @start: its first address
 * @end: the first address after it
 * @name: number of its name
 */
struct vma {
	__u64 start;
	__u64 end;
	__u32 name;
};

/**
 * struct vmas - all lists; all zero: there are none
 * @used: ranges in all of them
 * @steps: ranges that were looked at to change lists, ever
 *
 * A list is a number; that of the empty one is 0.
 */
struct vmas {
	__u32 used;
	__u64 steps;

	/* private: */
	struct vma_node *node;
	__u32 room;			/* elements of @node */
	__u32 fresh;			/* first one that was never used */
	__u32 free;			/* one that is free, which knows the next one */
	__u64 made;			/* nodes, ever */
};

/**
 * vmas_share() - have a list, too
 * @vmas: all lists
 * @list: the list
 *
 * Return: @list.
 */
__u32 vmas_share(struct vmas *vmas, __u32 list);

/**
 * vmas_put() - have a list no longer
 * @vmas: all lists
 * @list: the list
 */
void vmas_put(struct vmas *vmas, __u32 list);

/**
 * vmas_map() - a range is mapped; what was there before is no longer
 * @vmas: all lists
 * @list: the list; another one afterwards
 * @vma: the range, which is not empty
 *
 * Return: 0, or -ENOMEM, also at the limit.
 */
int vmas_map(struct vmas *vmas, __u32 *list, const struct vma *vma);

/**
 * vmas_next() - the range of an address, or else the first above it
 * @vmas: all lists
 * @list: the list
 * @addr: the address
 *
 * Return: the range, until some list changes; NULL: nothing is mapped from there on.
 */
const struct vma *vmas_next(const struct vmas *vmas, __u32 list, __u64 addr);

/**
 * vmas_find() - the range of an address
 * @vmas: all lists
 * @list: the list
 * @addr: the address
 *
 * Return: as vmas_next(); NULL: nothing is mapped there.
 */
static inline const struct vma *vmas_find(const struct vmas *vmas, __u32 list, __u64 addr)
{
	const struct vma *vma = vmas_next(vmas, list, addr);

	return vma && vma->start <= addr ? vma : NULL;
}

/**
 * vmas_free() - free all lists
 * @vmas: all lists
 */
void vmas_free(struct vmas *vmas);

#endif /* REPORT_VMAS_H */
