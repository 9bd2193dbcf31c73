/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings of address spaces: each has a list of ranges, sorted by address.
 *
 * After a fork, parent and child share a list; when one changes, they still share the
 * unchanged part. So for any file, the time of a record grows only with the logarithm of
 * the number of ranges. All lists together have a limit, so memory is bounded for any file.
 */
#ifndef REPORT_VMAS_H
#define REPORT_VMAS_H

#include <stddef.h>
#include <linux/types.h>

/* Most ranges of all lists; a power of two with number 0, which means no node. */
#define VMAS_MAX	((1024U << 10) - 1)

/**
 * struct vma - a range of addresses
 * @start: its first address
 * @end: the first address after it
 * @name: number of its name
 * @offset: added to an address of it, the offset in its file
 * @shift: added to an address of it, that of the first view of the same page; 0: this is it
 */
struct vma {
	__u64 start;
	__u64 end;
	__u32 name;
	__u64 offset;
	__s64 shift;
};

/**
 * struct vmas - all lists; all zero: no lists
 * @used: ranges in all of them
 * @steps: ranges visited by all changes so far
 *
 * A list is a number; that of the empty one is 0.
 */
struct vmas {
	__u32 used;
	__u64 steps;

	/* private: */
	struct vma_node *node;
	__u32 room;			/* elements of @node */
	__u32 fresh;			/* the first one that was never used */
	__u32 free;			/* the first free one, which links to the next */
	__u64 made;			/* nodes made so far */
};

/**
 * vmas_share() - take a reference to a list
 * @vmas: all lists
 * @list: the list
 *
 * Return: @list.
 */
__u32 vmas_share(struct vmas *vmas, __u32 list);

/**
 * vmas_put() - drop a reference to a list
 * @vmas: all lists
 * @list: the list
 */
void vmas_put(struct vmas *vmas, __u32 list);

/**
 * vmas_map() - map a range, replacing what was there
 * @vmas: all lists
 * @list: the list; its number changes
 * @vma: the range, which is not empty
 *
 * Return: 0, or -ENOMEM if there is no memory or the limit is reached.
 */
int vmas_map(struct vmas *vmas, __u32 *list, const struct vma *vma);

/**
 * vmas_next() - find the range of an address, or else the first above it
 * @vmas: all lists
 * @list: the list
 * @addr: the address
 *
 * Return: the range, valid until a list changes; NULL: nothing is mapped at @addr or above.
 */
const struct vma *vmas_next(const struct vmas *vmas, __u32 list, __u64 addr);

/**
 * vmas_find() - find the range of an address
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
