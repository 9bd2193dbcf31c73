/* SPDX-License-Identifier: GPL-2.0 */
/* The roster: all targets of a session, and what is hot for each. */
#ifndef HTMM_TRACKER_SET_H
#define HTMM_TRACKER_SET_H

#include <linux/kref.h>
#include <linux/rwsem.h>
#include <linux/xarray.h>
#include "base/config.h"
#include "sample/filter.h"
#include "sample/target_ref.h"
#include "tracker.h"

/**
 * struct htmm_member - one target of a session
 * @ref: the roster's own reference, and those of readers
 * @target: who it is
 * @hotness: what is hot for it; its config has the target's number
 *
 * Never changes; RESET puts another one in its place.
 */
struct htmm_member {
	struct kref ref;
	struct htmm_target_ref target;
	struct htmm_hotness *hotness;
};

/**
 * struct htmm_members - some members of a roster, with references
 * @nr: how many
 * @member: the members, by ascending number
 */
struct htmm_members {
	unsigned int nr;
	struct htmm_member *member[HTMM_MAX_TARGETS];
};

/**
 * struct htmm_roster - all targets of a session
 * @filter: the targets, as overflow handlers see them
 * @config: how samples turn into hot pages, for targets that do not say; its capacity
 *	may change, and is read by anyone
 * @lock: held for reading by a drain thread from taking a batch out of the rings until
 *	it is booked; for writing by who wants all counters of one moment, and to
 *	take members away
 * @members: by number
 * @departed: totals of members that were removed
 * @nr: number of members
 * @last: the number given last
 *
 * Only one thread at a time changes the roster; that is for the owner to see to.
 */
struct htmm_roster {
	struct htmm_filter filter;
	struct htmm_hotness_config config;
	struct rw_semaphore lock;	/* a batch and its counters; taking members away */
	struct xarray members;
	struct htmm_hotness_stats departed;
	unsigned int nr;
	u32 last;
};

int htmm_roster_init(struct htmm_roster *roster,
		     const struct htmm_config *config, struct htmm_error *err);
void htmm_roster_destroy(struct htmm_roster *roster);
int htmm_roster_add(struct htmm_roster *roster,
		    const struct htmm_target *target, u32 *number,
		    struct htmm_error *err);
int htmm_roster_remove(struct htmm_roster *roster, u32 number,
		       struct htmm_members *gone);
int htmm_roster_renew(struct htmm_roster *roster, struct htmm_members *fresh);
void htmm_roster_replace(struct htmm_roster *roster,
			 struct htmm_members *members);

struct htmm_hotness *htmm_roster_hotness(struct htmm_roster *roster, u32 number);
void htmm_roster_get(struct htmm_roster *roster, u32 number,
		     struct htmm_members *members);
void htmm_members_put(struct htmm_members *members);
void htmm_roster_get_stats(struct htmm_roster *roster,
			   struct htmm_hotness_stats *stats);
void htmm_roster_adapt(struct htmm_roster *roster);
bool htmm_roster_tidy(struct htmm_roster *roster, unsigned int shard,
		      u32 *next, bool all);

#endif /* HTMM_TRACKER_SET_H */
