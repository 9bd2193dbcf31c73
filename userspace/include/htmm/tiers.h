/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Which memory of this machine is its fast tier. */
#ifndef HTMM_TIERS_H
#define HTMM_TIERS_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>

/**
 * struct htmm_tiers - the memory of this machine
 * @fast_bytes: memory of the fast tier
 * @total_bytes: memory of all tiers; there is no slow one if it is the same
 * @ranked: the kernel ranks the nodes (/sys/devices/virtual/memory_tiering), and
 *	the fast tier is the first of several; else it is all nodes that have CPUs
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
 * Return: 0, or -ENOENT if the kernel does not tell of its memory.
 */
int htmm_tiers_read(struct htmm_tiers *tiers, const char *sysfs, struct htmm_error *err);

#endif /* HTMM_TIERS_H */
