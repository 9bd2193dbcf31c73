/* SPDX-License-Identifier: GPL-2.0 */
/* What the objects of a session count: arrays of HTMM_NR_STATS numbers, by enum htmm_stat. */
#ifndef HTMM_STATS_H
#define HTMM_STATS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <uapi/linux/htmm.h>

/* trace.c */
extern const char * const htmm_stat_names[HTMM_STAT_SLOTS];

/* Context: one writer at a time; readers need no lock. */
static inline void htmm_stat_add(u64 *stats, enum htmm_stat stat, u64 n)
{
	WRITE_ONCE(stats[stat], stats[stat] + n);
}

/* Add what an object has counted to @sum. */
static inline void htmm_stats_add(u64 *sum, const u64 *stats)
{
	unsigned int i;

	for (i = 0; i < HTMM_NR_STATS; i++)
		sum[i] += READ_ONCE(stats[i]);
}

#endif /* HTMM_STATS_H */
