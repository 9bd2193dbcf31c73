/* SPDX-License-Identifier: GPL-2.0 */
/* The nodes of both tiers, and their memory. */
#ifndef TIER_TIERS_H
#define TIER_TIERS_H

#include <htmm/htmm.h>

/**
 * struct tiers - nodes with memory, by tier
 * @fast: nodes of the fast tier
 * @slow: nodes of all other tiers
 */
struct tiers {
	struct htmm_cpus fast;
	struct htmm_cpus slow;
};

/**
 * tiers_find() - find the tiers that the user has not given
 * @tiers: what the user has given; a tier that is empty is filled in, from the kernel's ranks
 *	(/sys/devices/virtual/memory_tiering), or if it has none, fast nodes are those with CPUs
 * @err: says why there are not two tiers
 *
 * Return: 0 or a negative errno.
 */
int tiers_find(struct tiers *tiers, struct htmm_error *err);

/**
 * tiers_next() - walk the nodes of a tier
 * @nodes: the tier
 * @node: the previous one; -1: begin
 *
 * Return: the next node, or -1.
 */
int tiers_next(const struct htmm_cpus *nodes, int node);

/**
 * tiers_add() - add a node
 * @nodes: to these
 * @node: the node
 */
void tiers_add(struct htmm_cpus *nodes, unsigned int node);

/**
 * tiers_both() - the nodes that are in two sets
 * @a: the first set
 * @b: the second set
 */
struct htmm_cpus tiers_both(const struct htmm_cpus *a, const struct htmm_cpus *b);

/**
 * tiers_free_pages() - what this CPU can allocate before the kernel begins to reclaim
 * @node: the node
 *
 * Return: pages of 4 KiB; 0 if it is not known.
 */
__u64 tiers_free_pages(int node);

/**
 * tiers_unused_pages() - what is free, also what only the kernel or other CPUs can have
 * @node: the node
 *
 * Return: pages of 4 KiB; 0 if it is not known.
 */
__u64 tiers_unused_pages(int node);

/**
 * tiers_sum() - add up what the nodes of a tier have
 * @nodes: the tier
 * @pages: what to add, of a node
 *
 * Return: the sum.
 */
__u64 tiers_sum(const struct htmm_cpus *nodes, __u64 (*pages)(int node));

/**
 * tiers_pages() - the memory of a tier
 * @nodes: the tier
 *
 * Return: pages of 4 KiB; 0 if it is not known.
 */
__u64 tiers_pages(const struct htmm_cpus *nodes);

/**
 * tiers_roomiest() - the node of some with the most free memory
 * @nodes: a tier, or a part of it
 * @room: set to how many pages of 4 KiB it has free
 *
 * Return: the node; -1: there is none.
 */
int tiers_roomiest(const struct htmm_cpus *nodes, __u64 *room);

/**
 * tiers_gap_ns() - what a load takes longer from the slow tier than from the fast one
 * @tiers: the tiers
 *
 * Return: nanoseconds, as the firmware says (HMAT); 100 if it does not.
 */
double tiers_gap_ns(const struct tiers *tiers);

#endif /* TIER_TIERS_H */
