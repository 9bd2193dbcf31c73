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

	for (i = 1; i < batch->n; i++)
		if (batch->access[i].target != batch->access[0].target)
			return false;
	return true;
}

/**
 * htmm_batch_by_target - sort a batch by target
 * @batch: the batch; its @order is set. Samples of a target keep their order
 *
 * Targets whose numbers differ by a multiple of HTMM_BATCH_KEYS may be interleaved: this
 * gives more runs, but is correct.
 */
void htmm_batch_by_target(struct htmm_batch *batch)
{
	u32 i;

	if (htmm_batch_one_target(batch)) {
		for (i = 0; i < batch->n; i++)
			batch->order[i] = i;
		return;
	}
	for (i = 0; i < batch->n; i++)
		batch->key[i] = batch->access[i].target % HTMM_BATCH_KEYS;
	htmm_batch_order(batch->key, batch->n, batch->order, batch->shard_end);
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
