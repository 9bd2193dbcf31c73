/* SPDX-License-Identifier: GPL-2.0 */
/* A batch of samples at work in one drain thread, from the rings to the tables. */
#ifndef HTMM_BATCH_H
#define HTMM_BATCH_H

#include "base/error.h"
#include "core/table.h"
#include "page_list.h"

/* Most samples in a batch. */
#define HTMM_BATCH		512

/* Pages at hand for the tables: what a batch may take if it goes to one of them. */
#define HTMM_BATCH_SPARES \
	DIV_ROUND_UP(HTMM_BATCH - 1 + HTMM_SAMPLE_BLOCKS, HTMM_POOL_BLOCKS_PER_PAGE)

/* Keys that htmm_batch_order() tells apart; targets are told by their low bits. */
#define HTMM_BATCH_KEYS		64

/**
 * struct htmm_access - what hot-page tables want to know of a sample
 * @addr: data address in user space
 * @cookie: htmm_cookie() of its task
 * @pid: its process in the initial pid namespace
 * @weight: what it counts, at least 1
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
 * struct htmm_batch - samples on their way
 * @n: samples in the batch
 * @access: the samples
 * @drop: for each of them, why it was not counted, or HTMM_DROP_NONE
 * @order: their indices, target by target
 * @samples: those of one target in its tables' terms, shard by shard
 * @access_index: for each of @samples, its index in @access
 * @shard_end: for each shard, the end of its part of @samples
 * @refused: indices of samples that a table refused
 * @stuck: a sample was left because there is no room for another address space
 * @crowded: no room could be made: such samples are dropped
 * @spares: memory that the tables may take; kept from batch to batch
 *
 * @samples to @refused are at work within htmm_tracker_add() only; the members that follow
 * them, within htmm_batch_by_target() and htmm_batch_by_shard().
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
 * htmm_batch_run - how many samples count for the same target
 * @batch: a batch in the order of targets
 * @start: where to begin in @batch->order
 *
 * Return: samples from @start on whose target is that of the first of them.
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
