/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The fast tier of this machine: its nodes and its memory. */
#ifndef HTMM_TIERS_H
#define HTMM_TIERS_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/cpus.h>

/**
 * struct htmm_tiers - the memory of this machine
 * @fast_bytes: memory of the fast tier
 * @total_bytes: memory of all tiers; equal to @fast_bytes if there is no slow tier
 * @ranked: the kernel ranks the nodes (/sys/devices/virtual/memory_tiering) in several
 *	tiers, and the first is the fast one; else the fast tier is all nodes with CPUs
 */
struct htmm_tiers {
	__u64 fast_bytes;
	__u64 total_bytes;
	bool ranked;
};

/*
 * Finds the fast tier. @sysfs: NULL: /sys. Returns 0, or -ENOENT if sysfs does not describe the
 * memory.
 */
int htmm_tiers_read(struct htmm_tiers *tiers, const char *sysfs, struct htmm_error *err);

/*
 * Finds the nodes with memory, and those of the fast tier: if the kernel ranks no tiers, those with
 * CPUs. A set of nodes has the form of a set of CPUs; it is empty if sysfs does not tell. Returns
 * true if the kernel ranks the nodes in several tiers.
 */
bool htmm_tiers_nodes(struct htmm_cpus *fast, struct htmm_cpus *memory, const char *sysfs);

#endif /* HTMM_TIERS_H */
