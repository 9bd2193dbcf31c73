/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The memory of this machine's fast tier. */
#ifndef HTMM_TIERS_H
#define HTMM_TIERS_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>

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

/**
 * htmm_tiers_read() - find the fast tier
 * @tiers: filled
 * @sysfs: where sysfs is; NULL: /sys
 * @err: says what is missing
 *
 * Return: 0, or -ENOENT if sysfs does not describe the memory.
 */
int htmm_tiers_read(struct htmm_tiers *tiers, const char *sysfs, struct htmm_error *err);

#endif /* HTMM_TIERS_H */
