/* SPDX-License-Identifier: GPL-2.0 */
/* What is hot for one target: tables, histograms, thresholds. */
#ifndef HTMM_TRACKER_H
#define HTMM_TRACKER_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <uapi/linux/htmm.h>
#include "batch.h"
#include "core/hist.h"
#include "core/topn.h"
#include "mm.h"
#include "shard.h"

/**
 * struct htmm_hotness_config - how samples turn into hot pages
 * @owner: number of the target
 * @shards: tables that share the work, 1 to HTMM_MAX_DRAIN_THREADS
 * @max_bytes: most memory of all tables together, in bytes
 * @max_pages: most pages tracked; 0: bounded by @max_bytes alone
 * @capacity: what the fast tier holds, in pages; changed by
 *	htmm_hotness_set_capacity() alone
 * @own_capacity: the target says what it is; else the session does
 * @cooling_period: samples between two coolings, at least 1
 * @adaptation_period: samples between two adaptations, at least 1
 * @keep_exited: keep the pages of processes that have exited
 */
struct htmm_hotness_config {
	u32 owner;
	unsigned int shards;
	u64 max_bytes;
	u64 max_pages;
	u64 capacity;
	bool own_capacity;
	u64 cooling_period;
	u64 adaptation_period;
	bool keep_exited;
};

/**
 * struct htmm_hotness_stats - totals
 * @samples: samples counted
 * @coolings: times all counts were halved
 * @adaptations: times the thresholds were computed
 * @evicted: pages that left to make room at a limit
 * @exited: pages that left because their process was gone
 * @bytes: memory in use, in bytes
 * @pages: pages tracked
 * @regions: regions tracked
 * @spaces: address spaces of the pages
 * @drops: samples not counted, by reason
 */
struct htmm_hotness_stats {
	u64 samples;
	u64 coolings;
	u64 adaptations;
	u64 evicted;
	u64 exited;
	u64 bytes;
	u64 pages;
	u64 regions;
	u64 spaces;
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
 * struct htmm_hotness_hist - a histogram and what goes with it
 * @hist: the histogram
 * @thresholds: as of the last adaptation
 * @capacity: what they are for, in pages
 * @samples: samples counted
 */
struct htmm_hotness_hist {
	struct htmm_hist hist;
	struct htmm_thresholds thresholds;
	u64 capacity;
	u64 samples;
};

/**
 * struct htmm_hotness - the hot pages of a target
 * @config: fixed but for its capacity, which @lock covers
 * @samples: samples counted
 * @drops: samples not counted, by reason
 * @spaces_lock: protects @spaces
 * @spaces: address spaces of the pages
 * @lock: held for reading by a drain thread from looking up the address spaces of
 *	samples until they are counted, and by readers of histograms; for writing to
 *	change what follows
 * @thresholds: as of the last adaptation, by kind
 * @coolings: times all counts were halved
 * @adaptations: times the thresholds were computed
 * @next_cooling: value of @samples at which to cool
 * @next_adaptation: value of @samples at which to adapt
 * @leaving: an address space whose pages are being removed, or NULL
 * @leaving_shard: the shard that is removing them; this and the two beside it are
 *	the first drain thread's alone
 * @leaving_first: it has not begun
 * @shards: tables that share the work
 */
struct htmm_hotness {
	struct htmm_hotness_config config;
	atomic64_t samples;
	atomic64_t drops[HTMM_NR_DROPS];
	struct mutex spaces_lock;	/* spaces */
	struct htmm_spaces spaces;
	struct rw_semaphore lock;	/* everything below, but shards */
	struct htmm_thresholds thresholds[HTMM_KINDS];
	u64 coolings;
	u64 adaptations;
	u64 next_cooling;
	u64 next_adaptation;
	struct htmm_space *leaving;
	unsigned int leaving_shard;
	bool leaving_first;
	struct htmm_shard shards[];
};

struct htmm_hotness *
htmm_hotness_create(const struct htmm_hotness_config *config);
void htmm_hotness_destroy(struct htmm_hotness *hotness);

void htmm_hotness_add(struct htmm_hotness *hotness, struct htmm_batch *batch,
		      u32 start, u32 n);
bool htmm_hotness_tidy(struct htmm_hotness *hotness, unsigned int shard);
bool htmm_hotness_part_ways(struct htmm_hotness *hotness);
void htmm_hotness_cool(struct htmm_hotness *hotness);
void htmm_hotness_adapt(struct htmm_hotness *hotness);
void htmm_hotness_set_capacity(struct htmm_hotness *hotness, u64 capacity,
			       bool own);

void htmm_hotness_find_thresholds(const struct htmm_hist *hist, u64 capacity,
				  struct htmm_thresholds *thresholds);
void htmm_hotness_get_stats(struct htmm_hotness *hotness,
			    struct htmm_hotness_stats *stats);
void htmm_hotness_get_hist(struct htmm_hotness *hotness, enum htmm_kind kind,
			   struct htmm_hotness_hist *out);
void htmm_hotness_scan(struct htmm_hotness *hotness, struct htmm_list *list);
void htmm_hotness_describe(struct htmm_hotness *hotness,
			   const struct htmm_list_entry *entry,
			   struct htmm_hot_page *page);

/**
 * htmm_hotness_capacity - what the fast tier holds
 * @capacity: in pages
 * @kind: the unit of the result
 */
static inline u64 htmm_hotness_capacity(u64 capacity, enum htmm_kind kind)
{
	return kind == HTMM_KIND_HUGE ? capacity >> HTMM_REGION_SHIFT : capacity;
}

#endif /* HTMM_TRACKER_H */
