// SPDX-License-Identifier: GPL-2.0
#include "batch.h"

static_assert(HTMM_MAX_TARGETS <= HTMM_BATCH_KEYS);
static_assert(HTMM_MAX_DRAIN_THREADS <= HTMM_BATCH_KEYS);

/*
 * Counting sort: set @order to the indices of the first @n keys, sorted by key. The order
 * of equal keys is kept. @end is set to the end of each key's part of @order.
 */
static void htmm_batch_order(const u8 *key, u32 n, u32 *order, u32 *end)
{
	u32 i, at = 0, nr;

	memset(end, 0, HTMM_BATCH_KEYS * sizeof(*end));
	for (i = 0; i < n; i++)
		end[key[i]]++;
	for (i = 0; i < HTMM_BATCH_KEYS; i++) {
		nr = end[i];
		end[i] = at;
		at += nr;
	}
	for (i = 0; i < n; i++)
		order[end[key[i]]++] = i;
}

static bool htmm_batch_one_target(const struct htmm_batch *batch)
{
	u32 i;

	for (i = 1; i < batch->runs; i++)
		if (batch->run[i].target != batch->run[0].target)
			return false;
	return true;
}

/**
 * htmm_batch_by_target - sort a batch by target
 * @batch: the batch; its runs and samples are reordered. Runs of a target keep their order
 *
 * Targets whose numbers differ by a multiple of HTMM_BATCH_KEYS may be interleaved: this
 * gives more parts, but is correct.
 */
void htmm_batch_by_target(struct htmm_batch *batch)
{
	const struct htmm_run *run;
	u32 i, length, start = 0;

	if (htmm_batch_one_target(batch))
		return;
	for (i = 0; i < batch->runs; i++)
		batch->key[i] = batch->run[i].target % HTMM_BATCH_KEYS;
	htmm_batch_order(batch->key, batch->runs, batch->place, batch->shard_end);
	memcpy(batch->other, batch->samples, batch->n * sizeof(*batch->other));
	memcpy(batch->other_source, batch->source, batch->n);
	memcpy(batch->other_run, batch->run, (batch->runs + 1) * sizeof(*batch->other_run));
	for (i = 0; i < batch->runs; i++) {
		run = &batch->other_run[batch->place[i]];
		length = htmm_batch_length(run);
		memcpy(&batch->samples[start], &batch->other[run->start],
		       length * sizeof(*batch->samples));
		memcpy(&batch->source[start], &batch->other_source[run->start], length);
		batch->run[i] = *run;
		batch->run[i].start = start;
		start += length;
	}
}

/**
 * htmm_batch_resolve - complete samples whose address space was found
 * @batch: the batch
 * @start: the first of them
 * @n: number of samples
 * @mm: number of their address space
 */
void htmm_batch_resolve(struct htmm_batch *batch, u32 start, u32 n, u32 mm)
{
	const u64 first = htmm_page(mm, 0);
	u32 i;

	for (i = start; i < start + n; i++)
		batch->samples[i].page |= first;
}

/**
 * htmm_batch_drop - note that samples are not counted
 * @batch: the batch
 * @start: index of the first of them
 * @n: number of samples
 * @why: the reason
 */
void htmm_batch_drop(struct htmm_batch *batch, u32 start, u32 n, enum htmm_drop why)
{
	if (!batch->dropped)
		memset(batch->drop, HTMM_DROP_NONE, sizeof(batch->drop));
	batch->dropped = true;
	memset(batch->drop + start, why, n);
}

/**
 * htmm_batch_by_shard - sort samples by shard
 * @batch: the batch; its @shard_end is set, counted from @start
 * @start: the first sample
 * @n: number of samples
 * @shards: tables that share the work, 1 to HTMM_MAX_DRAIN_THREADS
 *
 * Return: the sorted samples; htmm_batch_unsorted() returns their place in the batch.
 */
const struct htmm_table_sample *htmm_batch_by_shard(struct htmm_batch *batch, u32 start, u32 n,
						    unsigned int shards)
{
	const struct htmm_table_sample *samples = &batch->samples[start];
	u32 i;

	if (shards == 1) {
		batch->shard_end[0] = n;
		return samples;
	}
	for (i = 0; i < n; i++)
		batch->key[i] = htmm_table_shard(samples[i].page, shards);
	htmm_batch_order(batch->key, n, batch->place, batch->shard_end);
	for (i = 0; i < n; i++)
		batch->other[i] = samples[batch->place[i]];
	return batch->other;
}
