/* SPDX-License-Identifier: GPL-2.0 */
/* What a node has free, from /proc/zoneinfo. */
#ifndef TIER_ZONES_H
#define TIER_ZONES_H

#include <stdio.h>
#include <linux/types.h>

/**
 * struct zones - free memory of a node's zones, in pages of 4 KiB
 * @usable: what one CPU can allocate before the kernel begins to reclaim. Another CPU cannot have
 *	all of it: what this one keeps for itself is in it
 * @all: what is free, also what only the kernel or other CPUs can have
 */
struct zones {
	__u64 usable;
	__u64 all;
};

/**
 * zones_read() - find what a node has free
 * @file: /proc/zoneinfo
 * @node: the node
 * @cpu: who wants to allocate
 *
 * Each CPU keeps some free pages of each zone for itself, among them those that it has freed last.
 * The kernel does not count them as free.
 *
 * Return: the sums; 0 if the file does not have the node.
 */
struct zones zones_read(FILE *file, int node, int cpu);

#endif /* TIER_ZONES_H */
