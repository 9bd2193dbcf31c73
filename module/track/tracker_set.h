/* SPDX-License-Identifier: GPL-2.0 */
/* All targets of a session. */
#ifndef HTMM_TRACKER_SET_H
#define HTMM_TRACKER_SET_H

#include <linux/mutex.h>
#include <linux/xarray.h>
#include "base/config.h"
#include "sample/filter.h"
#include "tracker.h"

/**
 * struct htmm_tracker_list - some trackers of a set, with references
 * @nr: number of trackers
 * @tracker: the trackers, by ascending number
 */
struct htmm_tracker_list {
	unsigned int nr;
	struct htmm_tracker *tracker[HTMM_MAX_TARGETS];
};

/**
 * struct htmm_tracker_set - all targets of a session
 * @filter: the targets for overflow handlers
 * @config: the session's settings; the capacity may change, and is read without a lock
 * @lock: protects the set and all trackers in it, and what the drain thread counts for the
 *	channels. The thread holds it while it takes a batch out of the rings, counts it and
 *	accounts it, and for each step of housekeeping; readers hold it for one slice of a table
 * @by_number: the trackers by number. RESET replaces each of them
 * @removed: totals of targets that were removed
 * @nr: number of trackers
 * @last: the last number assigned
 *
 * Only one thread at a time may change the set; the owner ensures this.
 */
struct htmm_tracker_set {
	struct htmm_filter filter;
	struct htmm_config *config;
	struct mutex lock;	/* all that is counted */
	struct xarray by_number;
	struct htmm_tracker_stats removed;
	unsigned int nr;
	u32 last;
};

/* Jiffies between two rounds of housekeeping: as long as a sample waits by default. */
#define HTMM_TIDY_INTERVAL	(HZ / 20)

/**
 * struct htmm_tidy - how far the housekeeping has come
 * @next: number of the target that the next step begins with
 * @due: when all targets are to be visited again, in jiffies
 */
struct htmm_tidy {
	u32 next;
	unsigned long due;
};

int htmm_tracker_set_init(struct htmm_tracker_set *set, struct htmm_config *config,
			  struct htmm_error *err);
void htmm_tracker_set_destroy(struct htmm_tracker_set *set);
int htmm_tracker_set_add(struct htmm_tracker_set *set,
			 const struct htmm_target *target, u32 *number,
			 struct htmm_error *err);
int htmm_tracker_set_remove(struct htmm_tracker_set *set, u32 number,
			    struct htmm_tracker_list *gone);
int htmm_tracker_set_renew(struct htmm_tracker_set *set, struct htmm_tracker_list *fresh);
void htmm_tracker_set_replace(struct htmm_tracker_set *set,
			      struct htmm_tracker_list *list);

struct htmm_tracker *htmm_tracker_set_find(struct htmm_tracker_set *set, u32 number);
int htmm_tracker_set_get(struct htmm_tracker_set *set, u32 number,
			 struct htmm_tracker_list *list);
void htmm_tracker_list_put(struct htmm_tracker_list *list);
void htmm_tracker_set_get_stats(struct htmm_tracker_set *set,
				struct htmm_tracker_stats *stats);
void htmm_tracker_set_adapt(struct htmm_tracker_set *set);
bool htmm_tracker_set_tidy(struct htmm_tracker_set *set, struct htmm_tidy *tidy, bool all);
bool htmm_tracker_set_look(struct htmm_tracker_set *set, u32 *next);

#endif /* HTMM_TRACKER_SET_H */
