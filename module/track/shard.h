/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shard: one of the tables that share the work of a target, so that several drain threads
 * can count for it in parallel. No page is in two of them.
 */
#ifndef HTMM_SHARD_H
#define HTMM_SHARD_H

#include <linux/cache.h>
#include <linux/mutex.h>
#include "core/evict.h"
#include "core/table.h"
#include "core/hits.h"
#include "core/topn.h"
#include "look.h"
#include "page_list.h"

/**
 * struct htmm_shard - a table, its memory and its lock
 * @lock: protects all that follows. A drain thread holds it for its part of a batch,
 *	readers for one slice of the table
 * @table: counts and histograms
 * @pool: memory of @table
 * @pages: all pages given to @pool, including those in use; they are freed without reading
 *	their contents
 * @directory: memory of @table's directory
 * @exited: pages removed because their process had exited
 * @untidy: there was more to do at the last visit; used by its drain thread only
 * @freed: pages removed because their memory was freed
 */
struct htmm_shard {
	struct mutex lock;	/* everything below */
	struct htmm_table table;
	struct htmm_pool pool;
	struct htmm_pages pages;
	void *directory;
	u64 exited;
	bool untidy;
	u64 freed;
} ____cacheline_aligned;

int htmm_shard_init(struct htmm_shard *shard,
		    const struct htmm_table_config *limits, int node);
void htmm_shard_destroy(struct htmm_shard *shard);

u32 htmm_shard_add(struct htmm_shard *shard,
		   const struct htmm_table_sample *samples, u32 n,
		   struct htmm_pages *spares, u32 *refused);
void htmm_shard_cool(struct htmm_shard *shard);
bool htmm_shard_reclaim(struct htmm_shard *shard);
u32 htmm_shard_unused(const struct htmm_shard *shard);
u32 htmm_shard_shrink(struct htmm_shard *shard, u32 nr);
bool htmm_shard_forget(struct htmm_shard *shard, u32 mm, bool first);
bool htmm_shard_visit(struct htmm_shard *shard, struct htmm_scan *scan, u32 *budget,
		      u64 *page);
u64 htmm_shard_sum_pages(struct htmm_shard *shard, u64 page, u64 *pages);
void htmm_shard_free_pages(struct htmm_shard *shard, u64 page, const u64 *pages);

void htmm_shard_get_hist(struct htmm_shard *shard, enum htmm_kind kind,
			 struct htmm_hist *sum);
void htmm_shard_get_stats(struct htmm_shard *shard,
			  struct htmm_table_stats *sum, u64 *exited, u64 *freed);
int htmm_shard_get_hits(struct htmm_shard *shard, enum htmm_kind kind,
			struct htmm_hits *sum);
void htmm_shard_get_counts(struct htmm_shard *shard, u32 mm, u64 vpn, u32 *count,
			   u64 *tracked);
int htmm_shard_scan(struct htmm_shard *shard, struct htmm_topn *list);

#endif /* HTMM_SHARD_H */
