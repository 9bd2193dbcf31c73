/* SPDX-License-Identifier: GPL-2.0 */
/* What is hot: tables, histograms, thresholds, and the one lock over them. */
#ifndef HTMM_HOTNESS_H
#define HTMM_HOTNESS_H

#include <linux/mutex.h>
#include <uapi/linux/htmm.h>
#include "core/hist.h"
#include "core/list.h"
#include "core/table.h"
#include "space.h"

/* Most samples that one call of htmm_hotness_add() takes. */
#define HTMM_HOTNESS_BATCH	512

/**
 * struct htmm_hotness_config - how samples turn into hot pages
 * @max_bytes: most memory of the table, in bytes
 * @max_pages: most pages tracked; 0: bounded by @max_bytes alone
 * @capacity: what the fast tier holds, in pages
 * @cooling_period: samples between two coolings, at least 1
 * @adaptation_period: samples between two adaptations, at least 1
 * @keep_exited: keep the pages of processes that have exited
 */
struct htmm_hotness_config {
	u64 max_bytes;
	u64 max_pages;
	u64 capacity;
	u64 cooling_period;
	u64 adaptation_period;
	bool keep_exited;
};

/**
 * struct htmm_hotness_stats - totals since the start or the last reset
 * @samples: samples counted
 * @coolings: times all counts were halved
 * @adaptations: times the thresholds were computed
 * @evicted: pages that left to make room at a limit
 * @exited: pages that left because their process was gone
 * @bytes: memory in use by the table, in bytes
 */
struct htmm_hotness_stats {
	u64 samples;
	u64 coolings;
	u64 adaptations;
	u64 evicted;
	u64 exited;
	u64 bytes;
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
 * struct htmm_hotness - the hot pages of a session
 * @lock: protects all that follows. ksampled holds it for one batch at a time,
 *	readers for one slice of the table
 * @config: fixed while the session lives
 * @table: counts and histograms
 * @pool: memory of @table
 * @directory: memory of @table's directory
 * @spaces: address spaces of the pages
 * @leaving: an address space whose pages are being removed, or NULL
 * @leaving_first: that has not begun yet
 * @thresholds: as of the last adaptation, by kind
 * @stats: totals
 * @evicted_before: pages that the table had evicted by the last reset
 * @next_cooling: value of @stats.samples at which to cool
 * @next_adaptation: value of @stats.samples at which to adapt
 * @samples: the batch at work, in the table's terms
 * @origin: for each of @samples, its index in the caller's batch
 * @refused: indices of @samples that the table refused
 */
struct htmm_hotness {
	struct mutex lock;	/* everything below */
	struct htmm_hotness_config config;
	struct htmm_table table;
	struct htmm_pool pool;
	void *directory;
	struct htmm_spaces spaces;
	struct htmm_space *leaving;
	bool leaving_first;
	struct htmm_thresholds thresholds[HTMM_KINDS];
	struct htmm_hotness_stats stats;
	u64 evicted_before;
	u64 next_cooling;
	u64 next_adaptation;
	struct htmm_table_sample samples[HTMM_HOTNESS_BATCH];
	u32 origin[HTMM_HOTNESS_BATCH];
	u32 refused[HTMM_HOTNESS_BATCH];
};

/**
 * struct htmm_access - what the hot-page table wants to know of a sample
 * @addr: data address in user space
 * @cookie: htmm_space_cookie() of its task
 * @pid: its process in the initial pid namespace
 * @weight: what it counts, at least 1
 */
struct htmm_access {
	u64 addr;
	u64 cookie;
	u32 pid;
	u32 weight;
};

struct htmm_hotness *
htmm_hotness_create(const struct htmm_hotness_config *config);
void htmm_hotness_destroy(struct htmm_hotness *hotness);

void htmm_hotness_add(struct htmm_hotness *hotness,
		      const struct htmm_access *accesses, u32 n,
		      enum htmm_drop *drops);
bool htmm_hotness_tidy(struct htmm_hotness *hotness);
void htmm_hotness_cool(struct htmm_hotness *hotness);
void htmm_hotness_adapt(struct htmm_hotness *hotness);
void htmm_hotness_reset(struct htmm_hotness *hotness);

void htmm_hotness_get_stats(struct htmm_hotness *hotness,
			    struct htmm_hotness_stats *stats);
void htmm_hotness_get_hist(struct htmm_hotness *hotness, enum htmm_kind kind,
			   struct htmm_histogram *out);
u32 htmm_hotness_list(struct htmm_hotness *hotness,
		      const struct htmm_list_entry *cursor,
		      struct htmm_list_entry *entries, u32 n);
void htmm_hotness_describe(struct htmm_hotness *hotness,
			   const struct htmm_list_entry *entries,
			   struct htmm_hot_page *pages, u32 n);

#endif /* HTMM_HOTNESS_H */
