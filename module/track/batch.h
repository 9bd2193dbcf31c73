/* SPDX-License-Identifier: GPL-2.0 */
/* A batch of samples in one drain thread, between the rings and the tables. */
#ifndef HTMM_BATCH_H
#define HTMM_BATCH_H

#include "base/error.h"
#include "core/table.h"
#include "page_list.h"

/* Most samples in a batch. */
#define HTMM_BATCH		384

/* Spare pages for the tables: as many as a batch can need if all its samples go to one table. */
#define HTMM_BATCH_SPARES \
	DIV_ROUND_UP(HTMM_BATCH - 1 + HTMM_SAMPLE_BLOCKS, HTMM_POOL_BLOCKS_PER_PAGE)

/* Number of keys of htmm_batch_order(); the key of a target is the low bits of its number. */
#define HTMM_BATCH_KEYS		64

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
 * @run: index of a run
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
 * @samples: the samples, as the tables take them; see htmm_batch_put()
 * @run: the runs, and another one behind them that begins at the end
 * @source: for each of @samples, what served it, as enum htmm_source; for the caller
 * @shard_end: for each shard, the end of its part of the samples; see htmm_batch_by_shard()
 * @refused: indices of samples that a table refused
 * @stuck: a sample was not added because there is no room for another address space
 * @crowded: no room could be made, so such samples are dropped
 * @spares: pages for the tables; kept from batch to batch
 *
 * @shard_end and @refused are used only within htmm_tracker_add(); the private members only
 * within the functions of this file.
 */
struct htmm_batch {
	u32 n;
	u32 runs;
	bool dropped;
	struct htmm_table_sample samples[HTMM_BATCH];
	struct htmm_run run[HTMM_BATCH + 1];
	u8 source[HTMM_BATCH];
	u32 shard_end[HTMM_BATCH_KEYS];
	u32 refused[HTMM_BATCH];
	bool stuck;
	bool crowded;
	struct htmm_pages spares;

	/* private: */
	u8 drop[HTMM_BATCH];
	u8 key[HTMM_BATCH];
	u32 place[HTMM_BATCH];
	struct htmm_table_sample other[HTMM_BATCH];
	struct htmm_run other_run[HTMM_BATCH + 1];
	u8 other_source[HTMM_BATCH];
};

void htmm_batch_by_target(struct htmm_batch *batch);
const struct htmm_table_sample *htmm_batch_by_shard(struct htmm_batch *batch, u32 start, u32 n,
						    unsigned int shards);
void htmm_batch_resolve(struct htmm_batch *batch, u32 start, u32 n, u32 mm);
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
 * htmm_batch_put - a sample whose address space is not known yet
 * @sample: set, with a weight of 1; htmm_batch_resolve() completes it
 * @addr: data address in user space: the overflow handler takes no others
 */
static inline void htmm_batch_put(struct htmm_table_sample *sample, u64 addr)
{
	sample->page = addr >> HTMM_PAGE_SHIFT;
	sample->weight = 1;
	/* What the page lacks of the address. */
	sample->tag = addr;
}

/**
 * htmm_batch_addr - the data address of a sample
 * @sample: a sample of a batch
 */
static inline u64 htmm_batch_addr(const struct htmm_table_sample *sample)
{
	const u64 offset = (1 << HTMM_PAGE_SHIFT) - 1;

	return (sample->page & HTMM_VPN_MAX) << HTMM_PAGE_SHIFT | (sample->tag & offset);
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
 * @first: the run to begin with
 *
 * Return: number of runs from @first on with the same target as the first of them.
 */
static inline u32 htmm_batch_part(const struct htmm_batch *batch, u32 first)
{
	u32 end = first + 1;

	while (end < batch->runs && batch->run[end].target == batch->run[first].target)
		end++;
	return end - first;
}

/**
 * htmm_batch_unsorted - where a sample was before htmm_batch_by_shard()
 * @batch: the batch
 * @start: as given to htmm_batch_by_shard()
 * @i: index in what it returned
 * @shards: as given to it
 *
 * Return: index in @batch->samples.
 */
static inline u32 htmm_batch_unsorted(const struct htmm_batch *batch, u32 start, u32 i,
				      unsigned int shards)
{
	return start + (shards == 1 ? i : batch->place[i]);
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
