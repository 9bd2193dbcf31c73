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
 * struct htmm_access - the part of a sample that differs from the sample before
 * @addr: data address in user space
 * @weight: amount to add to the counts, at least 1
 */
struct htmm_access {
	u64 addr;
	u32 weight;
};

/**
 * struct htmm_run - samples of a batch that follow each other and have in common:
 * @cookie: htmm_cookie() of their task
 * @pid: their process, in the initial pid namespace
 * @target: number of the target that they matched
 * @source: the ring that they are from, for the caller
 * @start: index of the first of them; the next run begins after the last
 *
 * A CPU runs the same task for many samples, so that a run is looked up, not a sample.
 */
struct htmm_run {
	u64 cookie;
	u32 pid;
	u32 target;
	u32 source;
	u32 start;
};

/**
 * struct htmm_batch_pos - a place in the runs of a batch
 * @run: index in the batch's @order
 * @done: number of samples of that run before the place
 */
struct htmm_batch_pos {
	u32 run;
	u32 done;
};

/**
 * struct htmm_batch - a batch of samples
 * @n: samples in the batch
 * @runs: runs in the batch
 * @dropped: a sample was not counted
 * @access: the samples
 * @run: the runs, and another one behind them that begins at the end
 * @source: for each of @access, what served it, as enum htmm_source; for the caller
 * @order: indices of the runs, sorted by target
 * @samples: samples of one target in the format of its tables, sorted by shard
 * @access_index: for each of @samples, its index in @access
 * @shard_end: for each shard, the end of its part of @samples
 * @refused: indices of samples that a table refused
 * @stuck: a sample was not added because there is no room for another address space
 * @crowded: no room could be made, so such samples are dropped
 * @spares: pages for the tables; kept from batch to batch
 *
 * @samples to @refused are used only within htmm_tracker_add(); the private members only
 * within the functions of this file.
 */
struct htmm_batch {
	u32 n;
	u32 runs;
	bool dropped;
	struct htmm_access access[HTMM_BATCH];
	struct htmm_run run[HTMM_BATCH + 1];
	u8 source[HTMM_BATCH];
	u32 order[HTMM_BATCH];
	struct htmm_table_sample samples[HTMM_BATCH];
	u32 access_index[HTMM_BATCH];
	u32 shard_end[HTMM_BATCH_KEYS];
	u32 refused[HTMM_BATCH];
	bool stuck;
	bool crowded;
	struct htmm_pages spares;

	/* private: */
	u8 drop[HTMM_BATCH];
	u8 key[HTMM_BATCH];
	u32 place[HTMM_BATCH];
	struct htmm_table_sample unsorted[HTMM_BATCH];
	u32 unsorted_index[HTMM_BATCH];
};

void htmm_batch_by_target(struct htmm_batch *batch);
void htmm_batch_by_shard(struct htmm_batch *batch, u32 n, unsigned int shards);
u32 htmm_batch_resolve(struct htmm_batch *batch, u32 filled, u32 start, u32 n, u32 mm);
void htmm_batch_drop(struct htmm_batch *batch, u32 start, u32 n, enum htmm_drop why);

/**
 * htmm_batch_begin - make a batch empty
 * @batch: the batch
 */
static inline void htmm_batch_begin(struct htmm_batch *batch)
{
	batch->n = 0;
	batch->runs = 0;
	batch->dropped = false;
	batch->run[0].start = 0;
}

/**
 * htmm_batch_length - number of samples in a run
 * @run: one of the runs of a batch
 */
static inline u32 htmm_batch_length(const struct htmm_run *run)
{
	return run[1].start - run->start;
}

/**
 * htmm_batch_part - number of runs of the same target
 * @batch: a batch sorted by target
 * @first: where to begin in @batch->order
 *
 * Return: number of runs from @first on with the same target as the first of them.
 */
static inline u32 htmm_batch_part(const struct htmm_batch *batch, u32 first)
{
	u32 target = batch->run[batch->order[first]].target;
	u32 end = first + 1;

	while (end < batch->runs && batch->run[batch->order[end]].target == target)
		end++;
	return end - first;
}

/**
 * htmm_batch_dropped - why a sample was not counted
 * @batch: the batch
 * @i: index of the sample
 *
 * Return: the reason, or HTMM_DROP_NONE.
 */
static inline enum htmm_drop htmm_batch_dropped(const struct htmm_batch *batch, u32 i)
{
	return batch->dropped ? batch->drop[i] : HTMM_DROP_NONE;
}

#endif /* HTMM_BATCH_H */
