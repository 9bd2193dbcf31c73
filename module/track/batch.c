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
 * htmm_batch_by_target - sort the runs of a batch by target
 * @batch: the batch; its @order is set. Runs of a target keep their order
 *
 * Targets whose numbers differ by a multiple of HTMM_BATCH_KEYS may be interleaved: this
 * gives more parts, but is correct.
 */
void htmm_batch_by_target(struct htmm_batch *batch)
{
	u32 i;

	if (htmm_batch_one_target(batch)) {
		for (i = 0; i < batch->runs; i++)
			batch->order[i] = i;
		return;
	}
	for (i = 0; i < batch->runs; i++)
		batch->key[i] = batch->run[i].target % HTMM_BATCH_KEYS;
	htmm_batch_order(batch->key, batch->runs, batch->order, batch->shard_end);
}

/**
 * htmm_batch_resolve - convert accesses to table samples
 * @batch: the batch
 * @filled: number of its table samples so far
 * @start: the first access
 * @n: number of accesses
 * @mm: number of their address space
 *
 * Return: number of table samples now.
 */
u32 htmm_batch_resolve(struct htmm_batch *batch, u32 filled, u32 start, u32 n, u32 mm)
{
	struct htmm_table_sample *sample = &batch->samples[filled];
	const struct htmm_access *access = &batch->access[start];
	u32 *index = &batch->access_index[filled];
	u32 i;

	for (i = 0; i < n; i++) {
		sample[i].page = htmm_page(mm, access[i].addr >> HTMM_PAGE_SHIFT);
		sample[i].weight = access[i].weight;
		index[i] = start + i;
	}
	return filled + n;
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
 * htmm_batch_by_shard - sort the table samples by shard
 * @batch: the batch; the first @n of its samples, with their indices, are reordered and its
 *	@shard_end is set
 * @n: number of samples
 * @shards: tables that share the work, 1 to HTMM_MAX_DRAIN_THREADS
 */
void htmm_batch_by_shard(struct htmm_batch *batch, u32 n, unsigned int shards)
{
	u32 i;

	if (shards == 1) {
		batch->shard_end[0] = n;
		return;
	}
	for (i = 0; i < n; i++)
		batch->key[i] = htmm_table_shard(batch->samples[i].page,
						 shards);
	htmm_batch_order(batch->key, n, batch->place, batch->shard_end);
	memcpy(batch->unsorted, batch->samples, n * sizeof(*batch->samples));
	memcpy(batch->unsorted_index, batch->access_index, n * sizeof(*batch->access_index));
	for (i = 0; i < n; i++) {
		batch->samples[i] = batch->unsorted[batch->place[i]];
		batch->access_index[i] = batch->unsorted_index[batch->place[i]];
	}
}
