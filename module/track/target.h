/* SPDX-License-Identifier: GPL-2.0 */
/* A target of a session with its table, histograms and thresholds. */
#ifndef HTMM_TARGET_H
#define HTMM_TARGET_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <uapi/linux/htmm.h>
#include "base/stats.h"
#include "core/batch.h"
#include "core/evict.h"
#include "core/hits.h"
#include "core/topn.h"
#include "look.h"
#include "space.h"
#include "page_list.h"
#include "sample/target_ref.h"

/**
 * struct htmm_thresholds - the bins from which pages count as hot and as warm
 * @hot: pages in this bin and above are hot
 * @warm: pages in this bin and above are warm or hot
 */
struct htmm_thresholds {
	unsigned int hot;
	unsigned int warm;
};

/**
 * struct htmm_space_owner - the process of an address space
 * @pid: pid in the reader's pid namespace; 0: not visible there
 * @exited: the process has exited, or runs another program
 */
struct htmm_space_owner {
	u32 pid;
	bool exited;
};

/**
 * struct htmm_served_counts - what served samples, by the CPUs' node, event and source
 * @events: events of the session
 * @samples: of node n, event e and source s in element (n * @events + e) * HTMM_NR_SOURCES + s
 */
struct htmm_served_counts {
	unsigned int events;
	u64 samples[];
};

/* The HTMM_NR_SOURCES counters of an event on the CPUs of a node. */
static inline u64 *htmm_served_of(struct htmm_served_counts *served, unsigned int node,
				  unsigned int event)
{
	return &served->samples[(node * served->events + event) * HTMM_NR_SOURCES];
}

/**
 * struct htmm_target_table - one target of a session
 * @kref: references of the set and of readers
 * @ref: what it is
 * @number: its number
 * @max_bytes: most memory of its table, in bytes
 * @cooling_period: see htmm_cooling_due()
 * @adaptation_period: samples between two adaptations, at least 1
 * @directory: memory of @table's directory
 * @lock: the lock of the session's set of targets; protects all that follows
 * @table: counts and histograms
 * @pool: memory of @table
 * @pages: all pages given to @pool, including those in use; they are freed without reading
 *	their contents
 * @spaces: address spaces of the pages
 * @stats: what it has counted, by enum htmm_stat, except for what @table counts
 * @drops: samples not counted, by reason
 * @served: samples by what served them, whether in the table or not; NULL if not requested
 * @capacity: what the fast tier holds, in pages
 * @own_capacity: @capacity is the target's own; else it is the session's
 * @last_cooling: samples counted at the last cooling
 * @next_cooling: samples counted at which to cool, if the period is not longer by then
 * @cooled_ns: time of the last cooling on request
 * @next_adaptation: samples counted at which to adapt
 * @exiting: an address space whose pages are being removed, or NULL
 * @exiting_first: none of these pages was removed yet
 * @untidy: there was more to do at the last step of housekeeping
 * @looks: looks for freed memory
 */
struct htmm_target_table {
	struct kref kref;
	struct htmm_target_ref ref;
	u32 number;
	u64 max_bytes;
	u64 cooling_period;
	u64 adaptation_period;
	void *directory;
	struct mutex *lock;	/* what follows */
	struct htmm_table table;
	struct htmm_pool pool;
	struct htmm_pages pages;
	struct htmm_space_set spaces;
	u64 stats[HTMM_NR_STATS];
	u64 drops[HTMM_NR_DROPS];
	struct htmm_served_counts *served;
	u64 capacity;
	bool own_capacity;
	u64 last_cooling;
	u64 next_cooling;
	u64 cooled_ns;
	u64 next_adaptation;
	struct htmm_space *exiting;
	bool exiting_first;
	bool untidy;
	struct htmm_looks looks;
};

/* Directory entries that one step of housekeeping visits. */
#define HTMM_TIDY_SLICE		256

/* target.c */
struct htmm_target_table *
htmm_target_create(const struct htmm_target_ref *ref, const struct htmm_target *wanted,
		   u32 number, const struct htmm_start *start, struct mutex *lock);
void htmm_target_put(struct htmm_target_table *target);
void htmm_target_add(struct htmm_target_table *target, struct htmm_batch *batch,
		     u32 first, u32 n, struct htmm_pages *spares);
bool htmm_target_tidy(struct htmm_target_table *target);
unsigned long htmm_target_unused(struct htmm_target_table *target, unsigned long nr);
unsigned long htmm_target_shrink(struct htmm_target_table *target, unsigned long nr);

/* reap.c, freed.c */
bool htmm_target_reap(struct htmm_target_table *target);
bool htmm_target_make_room(struct htmm_target_table *target);
bool htmm_target_look(struct htmm_target_table *target, u64 now);

/* heat.c */
void htmm_target_settle(struct htmm_target_table *target);
void htmm_target_cool(struct htmm_target_table *target);
void htmm_target_adapt(struct htmm_target_table *target);
struct htmm_thresholds htmm_find_thresholds(const struct htmm_hist *hist, u64 capacity);
struct htmm_thresholds htmm_target_thresholds(struct htmm_target_table *target,
					      enum htmm_unit unit);

/* read.c */
void htmm_target_add_stats(struct htmm_target_table *target, u64 *sum);
int htmm_target_get_hits(struct htmm_target_table *target, enum htmm_unit unit,
			 struct htmm_hits *sum);
int htmm_target_scan(struct htmm_target_table *target, struct htmm_topn *list);
void htmm_target_get_owner(struct htmm_target_table *target, u32 space,
			   struct htmm_space_owner *owner);
bool htmm_target_find_spaces(struct htmm_target_table *target, u32 pid, u64 *spaces);

/**
 * htmm_target_capacity - what the fast tier holds
 * @capacity: in pages
 * @unit: the unit of the result
 */
static inline u64 htmm_target_capacity(u64 capacity, enum htmm_unit unit)
{
	return unit == HTMM_UNIT_REGION ? capacity >> HTMM_REGION_ORDER : capacity;
}

#endif /* HTMM_TARGET_H */
