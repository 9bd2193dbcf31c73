/* SPDX-License-Identifier: GPL-2.0 */
/* All targets of a session. */
#ifndef HTMM_TARGET_SET_H
#define HTMM_TARGET_SET_H

#include <linux/mutex.h>
#include <linux/xarray.h>
#include "base/config.h"
#include "sample/filter.h"
#include "target.h"

/**
 * struct htmm_target_list - some targets of a set, with references
 * @nr: number of targets
 * @target: the targets, by ascending number
 */
struct htmm_target_list {
	unsigned int nr;
	struct htmm_target_table *target[HTMM_MAX_TARGETS];
};

/**
 * struct htmm_target_set - all targets of a session
 * @filter: the targets for overflow handlers
 * @config: the session's settings; the capacity may change, and is read without a lock
 * @lock: protects the set and all targets in it, and what ksampled counts for the channels.
 *	ksampled holds it while it takes a batch out of the rings and counts it, and for each step
 *	of housekeeping; readers hold it for one slice of a table
 * @by_number: the targets by number. RESET replaces each of them
 * @removed: what targets had counted that were removed, by enum htmm_stat
 * @nr: number of targets
 * @last: the last number assigned
 *
 * Only one thread at a time may change the set; the owner ensures this.
 */
struct htmm_target_set {
	struct htmm_filter filter;
	struct htmm_config *config;
	struct mutex lock;	/* all that is counted */
	struct xarray by_number;
	u64 removed[HTMM_NR_STATS];
	unsigned int nr;
	u32 last;
};

/* Jiffies between two rounds of housekeeping: as long as a sample waits by default. */
#define HTMM_TIDY_INTERVAL	(HZ / 20)

/**
 * struct htmm_tidy - progress of the housekeeping
 * @next: number of the target that the next step begins with
 * @left: targets that are still to be visited
 * @due: when all targets are to be visited again, in jiffies
 */
struct htmm_tidy {
	u32 next;
	unsigned int left;
	unsigned long due;
};

int htmm_target_set_init(struct htmm_target_set *set, struct htmm_config *config,
			 struct htmm_error *err);
void htmm_target_set_destroy(struct htmm_target_set *set);
int htmm_target_set_add(struct htmm_target_set *set, const struct htmm_target *wanted, u32 *number,
			struct htmm_error *err);
int htmm_target_set_remove(struct htmm_target_set *set, u32 number, struct htmm_target_list *gone);
int htmm_target_set_renew(struct htmm_target_set *set, struct htmm_target_list *fresh);
void htmm_target_set_replace(struct htmm_target_set *set, struct htmm_target_list *list);

int htmm_target_set_get(struct htmm_target_set *set, u32 number, struct htmm_target_list *list);
void htmm_target_list_put(struct htmm_target_list *list);
u64 htmm_target_set_add_stats(struct htmm_target_set *set, u64 *sum);
void htmm_target_set_adapt(struct htmm_target_set *set);
bool htmm_target_set_tidy(struct htmm_target_set *set, struct htmm_tidy *tidy, bool all);
bool htmm_target_set_look(struct htmm_target_set *set, u32 *next, u64 now);

#endif /* HTMM_TARGET_SET_H */
