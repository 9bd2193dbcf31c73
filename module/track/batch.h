/* SPDX-License-Identifier: GPL-2.0 */
/* A batch of samples in one drain thread, between the rings and the tables. */
#ifndef HTMM_BATCH_H
#define HTMM_BATCH_H

#include "base/error.h"
#include "core/table.h"
#include "page_list.h"

/* Most samples in a batch. */
#define HTMM_BATCH		512

/* Spare pages for the tables: as many as a batch can need if all its samples go to one table. */
#define HTMM_BATCH_SPARES \
	DIV_ROUND_UP(HTMM_BATCH - 1 + HTMM_SAMPLE_BLOCKS, HTMM_POOL_BLOCKS_PER_PAGE)

/* Number of keys of htmm_batch_order(); the key of a target is the low bits of its number. */
#define HTMM_BATCH_KEYS		64

/**
 * struct htmm_access - the part of a sample that hot-page tables use
 * @addr: data address in user space
 * @cookie: htmm_cookie() of its task
 * @pid: process of the sample, in the initial pid namespace
 * @weight: amount to add to the counts, at least 1
 * @target: number of the target it matched
 */
struct htmm_access {
	u64 addr;
	u64 cookie;
	u32 pid;
	u32 weight;
	u32 target;
};

/**
 * struct htmm_batch - a batch of samples
 * @n: samples in the batch
 * @access: the samples
 * @drop: for each of them, why it was not counted, or HTMM_DROP_NONE
 * @order: their indices, sorted by target
 * @samples: samples of one target in the format of its tables, sorted by shard
 * @access_index: for each of @samples, its index in @access
 * @shard_end: for each shard, the end of its part of @samples
 * @refused: indices of samples that a table refused
 * @stuck: a sample was not added because there is no room for another address space
 * @crowded: no room could be made, so such samples are dropped
 * @spares: pages for the tables; kept from batch to batch
 *
 * @samples to @refused are used only within htmm_tracker_add(); the private members only
 * within htmm_batch_by_target() and htmm_batch_by_shard().
 */
struct htmm_batch {
	u32 n;
	struct htmm_access access[HTMM_BATCH];
	enum htmm_drop drop[HTMM_BATCH];
	u32 order[HTMM_BATCH];
	struct htmm_table_sample samples[HTMM_BATCH];
	u32 access_index[HTMM_BATCH];
	u32 shard_end[HTMM_BATCH_KEYS];
	u32 refused[HTMM_BATCH];
	bool stuck;
	bool crowded;
	struct htmm_pages spares;

	/* private: */
	u8 key[HTMM_BATCH];
	u32 place[HTMM_BATCH];
	struct htmm_table_sample unsorted[HTMM_BATCH];
	u32 unsorted_index[HTMM_BATCH];
};

void htmm_batch_by_target(struct htmm_batch *batch);
void htmm_batch_by_shard(struct htmm_batch *batch, u32 n, unsigned int shards);

/**
 * htmm_batch_run - length of a run of samples of the same target
 * @batch: a batch sorted by target
 * @start: where to begin in @batch->order
 *
 * Return: number of samples from @start on with the same target as the first of them.
 */
static inline u32 htmm_batch_run(const struct htmm_batch *batch, u32 start)
{
	u32 target = batch->access[batch->order[start]].target;
	u32 end = start + 1;

	while (end < batch->n &&
	       batch->access[batch->order[end]].target == target)
		end++;
	return end - start;
}

#endif /* HTMM_BATCH_H */
