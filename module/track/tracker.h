/* SPDX-License-Identifier: GPL-2.0 */
/* A target of a session with its tables, histograms and thresholds. */
#ifndef HTMM_TRACKER_H
#define HTMM_TRACKER_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <uapi/linux/htmm.h>
#include "batch.h"
#include "core/hist.h"
#include "core/hits.h"
#include "core/topn.h"
#include "look.h"
#include "mm.h"
#include "sample/target_ref.h"
#include "served.h"
#include "shard.h"

/**
 * struct htmm_tracker_stats - totals
 * @samples: samples counted
 * @coolings: times all counts were halved
 * @adaptations: times the thresholds were reported
 * @exited: pages removed because their process had exited
 * @freed: pages removed because their memory was freed
 * @mms: address spaces of the pages
 * @table: totals of all shards' tables
 * @drops: samples not counted, by reason
 */
struct htmm_tracker_stats {
	u64 samples;
	u64 coolings;
	u64 adaptations;
	u64 exited;
	u64 freed;
	u64 mms;
	struct htmm_table_stats table;
	u64 drops[HTMM_NR_DROPS];
};

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
 * struct htmm_tracker_hist - a histogram with its thresholds
 * @hist: the histogram
 * @thresholds: those of @hist
 * @capacity: capacity that the thresholds are for, in pages
 * @samples: samples counted
 */
struct htmm_tracker_hist {
	struct htmm_hist hist;
	struct htmm_thresholds thresholds;
	u64 capacity;
	u64 samples;
};

/**
 * struct htmm_mm_owner - the process of an address space
 * @pid: pid in the reader's pid namespace; 0: not visible there
 * @exited: the process has exited, or runs another program
 */
struct htmm_mm_owner {
	u32 pid;
	bool exited;
};

/**
 * struct htmm_tracker - one target of a session
 * @ref: references of the set and of readers
 * @target: the target
 * @number: its number
 * @nr_shards: tables that share the work, 1 to HTMM_MAX_DRAIN_THREADS
 * @max_bytes: most memory of all tables together, in bytes
 * @cooling_period: see htmm_cooling_due()
 * @adaptation_period: samples between two adaptations, at least 1
 * @samples: samples counted
 * @drops: samples not counted, by reason
 * @served: samples by what served them, counted or not; NULL if that is not asked for
 * @mm_lock: protects @mm_set
 * @mm_set: address spaces of the pages
 * @lock: held for reading by a drain thread while it looks up the address spaces of samples
 *	and counts them, and by readers of histograms; held for writing to change the
 *	members below
 * @capacity: what the fast tier holds, in pages
 * @own_capacity: @capacity is the target's own; else it is the session's
 * @coolings: times all counts were halved
 * @adaptations: times the thresholds were reported
 * @last_cooling: value of @samples at the last cooling
 * @next_cooling: value of @samples at which to cool, if the period is not longer by then
 * @next_adaptation: value of @samples at which to adapt
 * @looks: looks for freed memory, of the first drain thread only
 * @exit_lock: protects the members below except @shards; taken before @lock
 * @exiting: an address space whose pages are being removed, or NULL
 * @exiting_shard: the shard that is removing them
 * @exiting_first: the shard has not begun
 * @shards: the tables
 */
struct htmm_tracker {
	struct kref ref;
	struct htmm_target_ref target;
	u32 number;
	unsigned int nr_shards;
	u64 max_bytes;
	u64 cooling_period;
	u64 adaptation_period;
	atomic64_t samples;
	atomic64_t drops[HTMM_NR_DROPS];
	struct htmm_served_counts *served;
	struct mutex mm_lock;		/* mm_set */
	struct htmm_mm_set mm_set;
	struct rw_semaphore lock;	/* what follows */
	u64 capacity;
	bool own_capacity;
	u64 coolings;
	u64 adaptations;
	u64 last_cooling;
	u64 next_cooling;
	u64 next_adaptation;
	struct htmm_looks looks;
	struct mutex exit_lock;		/* everything below, but shards */
	struct htmm_mm *exiting;
	unsigned int exiting_shard;
	bool exiting_first;
	struct htmm_shard shards[];
};

struct htmm_tracker *
htmm_tracker_create(const struct htmm_target_ref *ref, const struct htmm_target *target,
		    u32 number, const struct htmm_start *start, const int *node);
void htmm_tracker_put(struct htmm_tracker *tracker);

void htmm_tracker_add(struct htmm_tracker *tracker, struct htmm_batch *batch,
		      u32 first, u32 n);
bool htmm_tracker_tidy(struct htmm_tracker *tracker, unsigned int shard);
bool htmm_tracker_reap(struct htmm_tracker *tracker);
bool htmm_tracker_look(struct htmm_tracker *tracker);
bool htmm_tracker_make_room(struct htmm_tracker *tracker);
unsigned long htmm_tracker_unused(struct htmm_tracker *tracker, unsigned long nr);
unsigned long htmm_tracker_shrink(struct htmm_tracker *tracker, unsigned long nr);
void htmm_tracker_settle(struct htmm_tracker *tracker);
void htmm_tracker_cool(struct htmm_tracker *tracker);
void htmm_tracker_adapt(struct htmm_tracker *tracker);
void htmm_tracker_set_capacity(struct htmm_tracker *tracker, u64 capacity,
			       bool own);

void htmm_tracker_find_thresholds(const struct htmm_hist *hist, u64 capacity,
				  struct htmm_thresholds *thresholds);
void htmm_tracker_get_stats(struct htmm_tracker *tracker,
			    struct htmm_tracker_stats *stats);
void htmm_tracker_get_hist(struct htmm_tracker *tracker, enum htmm_kind kind,
			   struct htmm_tracker_hist *out);
int htmm_tracker_get_hits(struct htmm_tracker *tracker, enum htmm_kind kind,
			  struct htmm_hits *sum);
void htmm_tracker_get_counts(struct htmm_tracker *tracker, u32 mm, u64 vpn, u32 *count,
			     u64 *tracked);
int htmm_tracker_scan(struct htmm_tracker *tracker, struct htmm_topn *list);
void htmm_tracker_get_owner(struct htmm_tracker *tracker, u32 mm,
			    struct htmm_mm_owner *owner);
bool htmm_tracker_find_mms(struct htmm_tracker *tracker, u32 pid, u64 *mms);

/**
 * htmm_tracker_capacity - what the fast tier holds
 * @capacity: in pages
 * @kind: the unit of the result
 */
static inline u64 htmm_tracker_capacity(u64 capacity, enum htmm_kind kind)
{
	return kind == HTMM_KIND_HUGE ? capacity >> HTMM_REGION_ORDER : capacity;
}

#endif /* HTMM_TRACKER_H */
