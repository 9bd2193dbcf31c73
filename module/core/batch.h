/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A batch of samples between the rings and the tables: records become samples, in runs of the
 * same program and target, which are then sorted by target.
 */
#ifndef HTMM_CORE_BATCH_H
#define HTMM_CORE_BATCH_H

#include <uapi/linux/htmm.h>
#include "record.h"
#include "table.h"

/* Most samples in a batch. */
#define HTMM_BATCH		384

/* Most pages that a table can need for a batch. */
#define HTMM_BATCH_PAGES \
	DIV_ROUND_UP(HTMM_BATCH - 1 + HTMM_SAMPLE_BLOCKS, HTMM_POOL_BLOCKS_PER_PAGE)

/* Runs are sorted by the low bits of the number of their target. */
#define HTMM_BATCH_KEYS		64

/**
 * struct htmm_run - successive samples of a batch that have these in common
 * @cookie: the cookie of their records
 * @pid: their process, in the initial pid namespace
 * @target: number of the target that they matched
 * @ring: number of the ring that they are from
 * @start: index of the first of them; the next run begins after the last
 *
 * A CPU runs the same task for many samples, so look up each run, not each sample.
 */
struct htmm_run {
	u64 cookie;
	u32 pid;
	u32 target;
	u32 ring;
	u32 start;
};

/* Memory for the samples of a batch and the data that belongs to them. */
struct htmm_batch_room {
	struct htmm_table_sample samples[HTMM_BATCH];
	struct htmm_run run[HTMM_BATCH + 1];
	u8 served_by[HTMM_BATCH];
};

/**
 * struct htmm_batch - a batch of samples
 * @weight_unit: period of a sample with weight 1; 0: each sample has weight 1
 * @has_source: records tell what served their samples
 * @n: samples in the batch
 * @runs: runs in the batch
 * @dropped: a sample was not counted
 * @samples: the samples, as a table takes them
 * @run: the runs, followed by an empty one that marks the end
 * @served_by: for each of @samples, what served it, if @has_source: enum htmm_source
 * @refused: for htmm_table_add()
 */
struct htmm_batch {
	u64 weight_unit;
	bool has_source;
	u32 n;
	u32 runs;
	bool dropped;
	struct htmm_table_sample *samples;
	struct htmm_run *run;
	u8 *served_by;
	u32 refused[HTMM_BATCH];

	/* private: */
	struct htmm_record_layout layout;
	u64 period;			/* of the last record, if samples are weighted, */
	u32 weight;			/* and its weight */
	u64 data_src;			/* of the last record, if it tells, */
	u8 source;			/* and its meaning */
	u8 drop[HTMM_BATCH];
	u32 order[HTMM_BATCH];
	struct htmm_batch_room room[2];	/* one is in use, the other for sorting */
};

/* Prepare a batch for records of a sample_type. Only @weight_unit and @has_source are not zero. */
void htmm_batch_init(struct htmm_batch *batch, u64 sample_type);

/* Add @n records of a ring, for which there is room. */
void htmm_batch_take(struct htmm_batch *batch, u32 ring, const u64 *slot, u32 n);

/*
 * Sort the runs and samples by target. Runs of a target keep their order. Targets whose numbers
 * differ by a multiple of HTMM_BATCH_KEYS may be interleaved: this gives more parts, but is
 * correct.
 */
void htmm_batch_sort(struct htmm_batch *batch);

/* Complete the samples of a run with the number of their address space. */
void htmm_batch_resolve(struct htmm_batch *batch, const struct htmm_run *run, u32 space);

/* Note why @n samples from @start on are not counted. */
void htmm_batch_drop(struct htmm_batch *batch, u32 start, u32 n, enum htmm_drop why);

/* Make a batch empty. */
static inline void htmm_batch_begin(struct htmm_batch *batch)
{
	batch->n = 0;
	batch->runs = 0;
	batch->dropped = false;
	batch->run[0].start = 0;
}

/* The data address of a sample. */
static inline u64 htmm_batch_addr(const struct htmm_table_sample *sample)
{
	const u64 offset = (1 << HTMM_PAGE_SHIFT) - 1;

	return (sample->page & HTMM_VPN_MAX) << HTMM_PAGE_SHIFT | (sample->tag & offset);
}

/* Number of samples in a run of a batch. */
static inline u32 htmm_batch_length(const struct htmm_run *run)
{
	return run[1].start - run->start;
}

/* In a sorted batch, number of runs from @first on with the same target as the first of them. */
static inline u32 htmm_batch_part(const struct htmm_batch *batch, u32 first)
{
	u32 end = first + 1;

	while (end < batch->runs && batch->run[end].target == batch->run[first].target)
		end++;
	return end - first;
}

/* Why a sample was not counted, or HTMM_DROP_NONE. */
static inline enum htmm_drop htmm_batch_dropped(const struct htmm_batch *batch, u32 i)
{
	return batch->dropped ? (enum htmm_drop)batch->drop[i] : HTMM_DROP_NONE;
}

#endif /* HTMM_CORE_BATCH_H */
