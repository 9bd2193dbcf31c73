// SPDX-License-Identifier: GPL-2.0
/*
 * A list is a treap: a search tree by address in which each node has a random priority, not
 * below those of its children. This keeps the depth logarithmic for any order of insertion.
 * Nodes with more than one parent are not changed but copied; only the path from the root
 * to the change is copied.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/idmap.h"
#include "vmas.h"

#define ROOM_FIRST	1024

/**
 * struct vma_node - a range in the tree
 * @vma: the range
 * @left: tree of the ranges below it; in a free node: the next free node
 * @right: tree of the ranges above it
 * @refs: number of lists and nodes that point to this node
 * @priority: not below that of its children
 */
struct vma_node {
	struct vma vma;
	__u32 left;
	__u32 right;
	__u32 refs;
	__u32 priority;
};

static struct vma_node *node_of(const struct vmas *vmas, __u32 number)
{
	return &vmas->node[number];
}

/* Number 0 means no node. */
static int reserve(struct vmas *vmas, __u32 more)
{
	__u32 room = vmas->room ? vmas->room : ROOM_FIRST;
	struct vma_node *node;

	if (more > VMAS_MAX - vmas->used)
		return -ENOMEM;
	while (vmas->used + more >= room)
		room *= 2;
	if (room == vmas->room)
		return 0;
	node = realloc(vmas->node, room * sizeof(*node));
	if (!node)
		return -ENOMEM;
	vmas->node = node;
	vmas->room = room;
	if (!vmas->fresh)
		vmas->fresh = 1;
	return 0;
}

/* reserve() was called, so there is room. */
static __u32 new_node(struct vmas *vmas)
{
	__u32 number = vmas->free;

	if (number)
		vmas->free = node_of(vmas, number)->left;
	else
		number = vmas->fresh++;
	vmas->used++;
	return number;
}

static __u32 make(struct vmas *vmas, const struct vma *vma)
{
	const __u32 number = new_node(vmas);

	vmas->made++;
	*node_of(vmas, number) = (struct vma_node) {
		.vma = *vma,
		.refs = 1,
		.priority = idmap_hash(&vmas->made, sizeof(vmas->made)),
	};
	return number;
}

__u32 vmas_share(struct vmas *vmas, __u32 list)
{
	if (list)
		node_of(vmas, list)->refs++;
	return list;
}

void vmas_put(struct vmas *vmas, __u32 list)
{
	while (list && !--node_of(vmas, list)->refs) {
		struct vma_node *node = node_of(vmas, list);
		const __u32 right = node->right;

		vmas_put(vmas, node->left);
		node->left = vmas->free;
		vmas->free = list;
		vmas->used--;
		list = right;
	}
}

/* Returns the same node, or a copy if it is shared. */
static __u32 own(struct vmas *vmas, __u32 number)
{
	__u32 copy;

	vmas->steps++;
	if (node_of(vmas, number)->refs == 1)
		return number;
	copy = new_node(vmas);
	*node_of(vmas, copy) = *node_of(vmas, number);
	node_of(vmas, copy)->refs = 1;
	node_of(vmas, number)->refs--;
	vmas_share(vmas, node_of(vmas, copy)->left);
	vmas_share(vmas, node_of(vmas, copy)->right);
	return copy;
}

/* Joins two trees; all of @high is above all of @low. */
static __u32 join(struct vmas *vmas, __u32 low, __u32 high)
{
	__u32 root, *to = &root;

	while (low && high) {
		if (node_of(vmas, low)->priority >= node_of(vmas, high)->priority) {
			*to = own(vmas, low);
			to = &node_of(vmas, *to)->right;
			low = *to;
		} else {
			*to = own(vmas, high);
			to = &node_of(vmas, *to)->left;
			high = *to;
		}
	}
	*to = low ? low : high;
	return root;
}

/* Splits a tree at @addr. A range that covers @addr is cut. */
static void split(struct vmas *vmas, __u32 tree, __u64 addr, __u32 *low, __u32 *high)
{
	__u32 *to_low = low, *to_high = high, below = 0;
	struct vma rest;

	while (tree) {
		const __u32 number = own(vmas, tree);
		struct vma_node *node = node_of(vmas, number);

		if (node->vma.start < addr) {
			below = number;
			*to_low = number;
			to_low = &node->right;
			tree = node->right;
		} else {
			*to_high = number;
			to_high = &node->left;
			tree = node->left;
		}
	}
	*to_low = 0;
	*to_high = 0;
	if (!below || node_of(vmas, below)->vma.end <= addr)
		return;
	rest = node_of(vmas, below)->vma;
	rest.start = addr;
	node_of(vmas, below)->vma.end = addr;
	*high = join(vmas, make(vmas, &rest), *high);
}

/* Number of nodes on the path to an address. */
static __u32 depth(const struct vmas *vmas, __u32 tree, __u64 addr)
{
	__u32 nodes = 0;

	for (; tree; nodes++)
		tree = node_of(vmas, tree)->vma.start < addr ? node_of(vmas, tree)->right :
							       node_of(vmas, tree)->left;
	return nodes;
}

int vmas_map(struct vmas *vmas, __u32 *list, const struct vma *vma)
{
	__u32 low, middle, high;

	/* Both paths may be copied, a range cut at both ends, and one node is new. */
	if (reserve(vmas, depth(vmas, *list, vma->start) + depth(vmas, *list, vma->end) + 3))
		return -ENOMEM;
	split(vmas, *list, vma->start, &low, &middle);
	split(vmas, middle, vma->end, &middle, &high);
	vmas_put(vmas, middle);
	*list = join(vmas, join(vmas, low, make(vmas, vma)), high);
	return 0;
}

const struct vma *vmas_next(const struct vmas *vmas, __u32 list, __u64 addr)
{
	const struct vma *next = NULL;

	while (list) {
		const struct vma_node *node = node_of(vmas, list);

		if (node->vma.end <= addr) {
			list = node->right;
		} else {
			next = &node->vma;
			list = addr < node->vma.start ? node->left : 0;
		}
	}
	return next;
}

void vmas_free(struct vmas *vmas)
{
	free(vmas->node);
	memset(vmas, 0, sizeof(*vmas));
}
